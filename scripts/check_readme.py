#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands that README.md shows and compares what they print.

usage: check_readme.py ROOT BIN

In a console block, `$ COMMAND` is run in a folder with the repository's examples; the lines below
it are what must be printed, in this order. A line `...` stands for any number of lines, `...` at
the end of one for the rest of it. The lines of source below a diagnostic are left out, as the
README leaves them out; numbers that a clock measures are not compared.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# Files that the README speaks of without showing them.
FILES = {
    "wrong.mlir": """tile.kernel @k(%A: memref<16x32xf16>) grid(%b) = (1) threads(32) {
  %x = tile.alloc : memref<16x32xf16, #gpu.address_space<workgroup>>
  %y = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %z = tile.alloc : memref<16x16xf32, #tile.fragment>
  tile.gemm %x, %y, %z : memref<16x32xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}
"""
}
MEASURED = re.compile(r"\d+\.\d+ (?:ms|GFLOP/s|GB/s)|best \d+\.\d+|\(\d+ CPU threads\)")


def blocks(text):
    """Pairs of command and expected lines."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.S | re.M):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.splitlines()


def normal(line):
    return MEASURED.sub("#", line.rstrip())


def first_difference(expected, printed):
    """The expected line that is not printed in its place; None when all are."""
    at, gap = 0, False
    for line in expected:
        if line.strip() == "...":
            gap = True
            continue
        start = normal(line)
        fits = (lambda text: text.startswith(start[:-3])) if start.endswith("...") else (lambda text: text == start)
        places = [i for i in range(at, len(printed)) if fits(normal(printed[i]))]
        if not places or (not gap and places[0] != at):
            return line
        at, gap = places[0] + 1, False
    return None if gap or at == len(printed) else "(the end)"


def main():
    root, tools = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            pathlib.Path(folder, name).write_text(text)
        os.symlink(root / "examples", pathlib.Path(folder, "examples"))
        for command, expected in blocks((root / "README.md").read_text()):
            count += 1
            words = shlex.split(command)
            words[0] = str(tools / words[0])
            done = subprocess.run(words, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            # The source below a diagnostic, and its caret.
            printed = []
            skip = 0
            for line in done.stdout.splitlines():
                is_diagnostic = re.match(r"\S+:\d+:\d+: (remark|note|error|warning):", line)
                if skip and not is_diagnostic:
                    skip -= 1
                    continue
                if "note: see current operation" in line:
                    continue
                printed.append(line)
                skip = 2 if is_diagnostic else 0
            missing = first_difference(expected, printed)
            if missing is not None:
                failed += 1
                print(f"{command}\n  expected: {missing}\n  printed:\n    " + "\n    ".join(printed[:40]))
    print(f"{count - failed} commands of README.md print what it says, {failed} do not")
    return failed != 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
