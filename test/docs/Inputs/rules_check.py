#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the table of rules in docs/Rings.md with the verifier and with the tests it names. usage: rules_check.py ROOT

Every rule of the enumeration RingRule has a row. Every kernel that a row names exists in the file before it, and the first
diagnostic in it has the row's number. A rule that no kernel breaks says why in words.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
TESTS = ROOT / "test/Dialect/Tile/Transforms/Schedule"


def kernels(name):
    """Name of each kernel of a test, and the number in the first diagnostic that it expects."""
    parts = re.split(r"tile\.kernel @(\w+)", (TESTS / name).read_text(encoding="utf-8"))
    found = {}
    for kernel, text in zip(parts[1::2], parts[2::2]):
        expected = re.search(r"expected-(?:error|warning).*?\[(R\d+b?)\]", text)
        found[kernel] = expected[1] if expected else None
    return found


def main():
    header = (ROOT / "include/tile/Analysis/RingVerification.h").read_text(encoding="utf-8")
    known = re.findall(r"\bR\d+b?\b", re.search(r"enum class RingRule.*?\{(.*?)\}", header, re.S)[1])
    page = (ROOT / "docs/Rings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (R\d+b?) \| (.*?) \| (.*?) \|$", page, re.M)
    wrong = [f"{rule}: in RingVerification.h, not in docs/Rings.md" for rule in known if rule not in {r for r, _, _ in rows}]
    seeded = 0
    for rule, _, cell in rows:
        named = []
        for file, list_ in re.findall(r"`([\w-]+\.mlir)`((?:,? @\w+)+)", cell):
            have = kernels(file)
            named += [(file, kernel, have.get(kernel, "no such kernel")) for kernel in re.findall(r"@(\w+)", list_)]
        wrong += [f"{rule}: expected [{rule}] in {file} @{kernel}, got {got}" for file, kernel, got in named if got != rule]
        if not named and len(cell.split()) < 3:
            wrong.append(f"{rule}: expected a seeded fault, or why there is none, got {cell!r}")
        seeded += len(named)
    for line in wrong:
        print(line)
    print(f"{len(rows)} rules: {seeded} seeded faults found where docs/Rings.md says" if not wrong else f"{len(wrong)} wrong")
    return bool(wrong)


sys.exit(main())
