#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks an installed tree: what is there, that each header can be included alone,
and that the shared libraries export what the headers declare and nothing else.

Prints what it measured; the exit status is zero only when all holds.
"""

import argparse
import pathlib
import re
import subprocess
import sys

TOOLS = ["tile-lsp-server", "tile-opt", "tile-reduce", "tile-run", "tile-translate"]
LIBRARIES = {"libtile_compiler.so": ["Compiler.h", "Execution.h"], "libtile_runtime.so": ["Runtime.h"]}
# What every Linux has.
NEEDED = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
# The library that is built with the Python package exports these, too: MLIR's C interface, and
# what headers declare that are not installed, since they need MLIR's.
PYTHON = re.compile(r"mlir[A-Z]\w*")
NOT_INSTALLED = ["Analysis.h", "Dialect.h", "Layout.h", "Tools.h"]
MEGABYTES = {"libtile_compiler.so": 60, "libtile_runtime.so": 1}
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wstrict-prototypes", "-Werror", "-fsyntax-only"]
C = ["-x", "c", "-std=c99"]
CXX = ["-x", "c++", "-std=c++17"]


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_header(include: pathlib.Path, header: pathlib.Path) -> list[str]:
    """As the only one of a file, in each language that it is for."""
    languages = [C, CXX] if header.parent.name == "tile-c" else [CXX]
    problems = []
    name = header.relative_to(include)
    for language in languages:
        run = subprocess.run(
            ["clang-22", *language, *STRICT, "-I", str(include), "-"],
            input=f'#include "{name}"\n',
            capture_output=True,
            text=True,
        )
        if run.returncode:
            problems.append(f"{name} ({language[1]}): {run.stderr}")
    return problems


def declared_in(header: pathlib.Path) -> set[str]:
    """Functions that a header itself declares, by macros too."""
    mlir = ["-isystem", "/usr/lib/llvm-22/include", "-I", str(header.parent.parent)]
    own, names = False, set()
    for line in output("clang-22", *C, "-E", *mlir, str(header)).splitlines():
        if marker := re.match(r'# \d+ "(.*)"', line):
            own = marker[1] == str(header)
        elif own:
            names.update(re.findall(r"\b(tile[A-Z]\w*)\(", line))
    return names


def check_library(path: pathlib.Path, headers: list[pathlib.Path]) -> list[str]:
    problems = []
    declared = set().union(*[declared_in(header) for header in headers if header.exists()])
    source = pathlib.Path(__file__).resolve().parent.parent / "include/tile-c"
    optional = set().union(*[declared_in(source / name) for name in NOT_INSTALLED])
    symbols = output("llvm-nm", "--dynamic", "--defined-only", "--format=just-symbols", str(path))
    exported = set(symbols.split())
    for name in sorted(declared - exported):
        problems.append(f"{path.name}: expected to export {name}")
    for name in sorted(exported - declared - optional):
        if not PYTHON.fullmatch(name):
            problems.append(f"{path.name}: exports {name}, which no header declares")
    needed = output("llvm-readelf", "--needed-libs", str(path))
    for line in needed.splitlines():
        if ".so" in line and line.strip() not in NEEDED:
            problems.append(f"{path.name}: expected no {line.strip()}")
    size = path.stat().st_size / 1e6
    if size > MEGABYTES[path.name]:
        problems.append(f"{path.name}: expected at most {MEGABYTES[path.name]} MB, got {size:.1f}")
    print(f"{path.name}: {size:.1f} MB, {len(exported)} symbols")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prefix", type=pathlib.Path)
    prefix = parser.parse_args().prefix
    include = prefix / "include"
    problems = [
        f"expected bin/{tool}" for tool in TOOLS if not (prefix / "bin" / tool).is_file()
    ]
    headers = sorted(include.rglob("*.h"))
    for header in headers:
        problems += check_header(include, header)
    print(f"{len(headers)} headers")
    for library, names in LIBRARIES.items():
        declaring = [include / "tile-c" / name for name in names]
        problems += check_library(prefix / "lib" / library, declaring)
    print("\n".join(problems) or "installed well")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
