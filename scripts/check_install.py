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
RUNTIME = "Runtime.h"  # the launcher's; all other headers of tile-c are the compiler's
# For users of MLIR's C API, which its own headers belong to.
MLIR = ["-isystem", "/usr/lib/llvm-22/include"]
# What every Linux has.
NEEDED = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
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
            ["clang-22", *language, *STRICT, *MLIR, "-I", str(include), "-"],
            input=f'#include "{name}"\n',
            capture_output=True,
            text=True,
        )
        if run.returncode:
            problems.append(f"{name} ({language[1]}): {run.stderr}")
    return problems


def declared_in(include: pathlib.Path, headers: list[pathlib.Path]) -> set[str]:
    """Functions that headers declare, by macros too."""
    text = ""
    for header in headers:
        text += output("clang-22", *C, "-E", "-P", *MLIR, "-I", str(include), str(header))
    return set(re.findall(r"\b(tile[A-Z]\w*)\(", text))


def check_library(path: pathlib.Path, declared: set[str]) -> list[str]:
    problems = []
    symbols = output("llvm-nm", "--dynamic", "--defined-only", "--format=just-symbols", str(path))
    # Built for the Python package, the compiler's exports MLIR's C API and the tools, too.
    exported = {name for name in symbols.split() if not name.startswith(("mlir", "tileToolMain"))}
    for name in sorted(declared - exported):
        problems.append(f"{path.name}: expected to export {name}")
    for name in sorted(exported - declared):
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
    c_headers = sorted((include / "tile-c").glob("*.h"))
    compiler = [header for header in c_headers if header.name != RUNTIME]
    runtime = [header for header in c_headers if header.name == RUNTIME]
    for library, own in ("libtile_compiler.so", compiler), ("libtile_runtime.so", runtime):
        problems += check_library(prefix / "lib" / library, declared_in(include, own))
    print("\n".join(problems) or "installed well")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
