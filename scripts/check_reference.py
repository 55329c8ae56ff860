#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the reference of operations says how each is written and what each
attribute means.

In docs/Dialects/Tile.md every operation has a syntax: the generator's, from
`assemblyFormat`, or one written in the description. The generator's table gives an
attribute's C++ type only ("64-bit signless integer attribute"): what it means, and in
which unit, stands in the description, where its name is in backticks.
"""

import pathlib
import re
import sys


def check(name: str, section: str) -> list[str]:
    problems = []
    text = section.split("\nTraits:")[0].split("\n####")[0]
    # Of operations with results, their names come first.
    syntax = rf"^operation +::= (\(ssa-id .*=`\)\? )?`{re.escape(name)}`"
    if not re.search(syntax, text, re.MULTILINE):
        problems.append(f"{name}: expected a syntax in the description")
    # The syntax names attributes, but says nothing about them.
    described = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for attribute in re.findall(r"<tr><td><code>(\w+)</code>", section):
        if f"`{attribute}" not in described:
            problems.append(f"{name}: expected the meaning of the attribute `{attribute}`")
    return problems


def main() -> int:
    document = (pathlib.Path(__file__).parent.parent / "docs/Dialects/Tile.md").read_text()
    operations = document.split("\n## Operations\n")[1].split("\n## Attributes\n")[0]
    sections = re.split(r"^### `([\w.]+)` .*$", operations, flags=re.MULTILINE)[1:]
    problems = []
    for name, section in zip(sections[::2], sections[1::2], strict=True):
        problems += check(name, section)
    count = len(sections) // 2
    print("\n".join(problems) or f"{count} operations: syntax and attributes described")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
