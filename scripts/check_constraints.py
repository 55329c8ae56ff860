#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that each numbered constraint of the dialect is documented, verified and tested.

A constraint `NAME-N` is a list item `- NAME-N: ...` in an operation's description, a
message `[NAME-N] ...` of a verifier, and a case that expects this message in one of the
`*-invalid.mlir` tests. Prints what lacks its counterpart, and fails if anything does.
"""

import argparse
import pathlib
import re
import sys

DOCUMENTED = re.compile(r"^\s*- ([a-z]+)-(\d+)(?: to [a-z]+-(\d+))?:", re.MULTILINE)
EXPECTED = re.compile(r"expected-error[^\n]*\[([a-z]+-\d+)\]")


def documented(root: pathlib.Path) -> set[str]:
    """Constraints that the .td files state; `NAME-1 to NAME-4` states four."""
    found = set()
    for path in sorted(root.glob("include/tile/Dialect/Tile/IR/*.td")):
        for name, first, last in DOCUMENTED.findall(path.read_text()):
            found.update(f"{name}-{i}" for i in range(int(first), int(last or first) + 1))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path, help="root of the repository")
    root = parser.parse_args().root
    stated = documented(root)
    tested = set()
    for path in sorted(root.glob("test/Dialect/Tile/IR/*-invalid.mlir")):
        tested.update(EXPECTED.findall(path.read_text()))
    missing = [f"{name}: documented, without a test" for name in sorted(stated - tested)]
    missing += [f"{name}: tested, without documentation" for name in sorted(tested - stated)]
    for line in missing:
        print(line)
    print(f"{len(stated)} constraints documented, {len(tested)} tested")
    return 1 if missing or not stated else 0


if __name__ == "__main__":
    sys.exit(main())
