#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that static tools are fit to ship: small, self-contained, quick to start.

Stripped, a tool takes at most 60 MB; it needs no library beyond libc, libm, libz and
libzstd; and `tile-opt` handles an empty module within 40 ms (the best of ten starts).
Prints what it measured.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

LIBRARIES = {"libc.so.6", "libm.so.6", "libz.so.1", "libzstd.so.1", "ld-linux-x86-64.so.2"}
MEGABYTES = 60
MILLISECONDS = 40


def stripped_size(tool: pathlib.Path) -> int:
    with tempfile.NamedTemporaryFile() as copy:
        subprocess.run(["llvm-strip", "-o", copy.name, str(tool)], check=True)
        return pathlib.Path(copy.name).stat().st_size


def needed(tool: pathlib.Path) -> set[str]:
    listing = subprocess.run(
        ["llvm-readelf", "--needed-libs", str(tool)], capture_output=True, text=True, check=True
    ).stdout
    return {line.strip() for line in listing.splitlines() if ".so" in line}


def start_time(tool: pathlib.Path) -> float:
    best = float("inf")
    for _ in range(10):
        begin = time.perf_counter()
        subprocess.run([str(tool)], input=b"module {}", stdout=subprocess.DEVNULL, check=True)
        best = min(best, time.perf_counter() - begin)
    return best * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path, help="directory of the tools")
    tools = sorted(parser.parse_args().bin.glob("tile-*"))
    problems = []
    for tool in tools:
        size = stripped_size(tool) / 1e6
        print(f"{tool.name}: {size:.1f} MB")
        if size > MEGABYTES:
            problems.append(f"{tool.name}: expected at most {MEGABYTES} MB, got {size:.1f}")
        for library in sorted(needed(tool) - LIBRARIES):
            problems.append(f"{tool.name}: expected no {library}")
        if tool.name == "tile-opt":
            start = start_time(tool)
            print(f"{tool.name}: starts in {start:.0f} ms")
            if start > MILLISECONDS:
                problems.append(f"expected a start within {MILLISECONDS} ms, got {start:.0f}")
    print("\n".join(problems) or "fit to ship")
    return 1 if problems or not tools else 0


if __name__ == "__main__":
    sys.exit(main())
