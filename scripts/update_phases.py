#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what each pass makes of one small kernel into docs/Phases.md.

usage: update_phases.py [--check] [--bin build/release/bin]

The kernel is test/docs/Inputs/one_kernel.mlir, the passes are those of --tile-to-schedule for sm_90a. IR is shortened for
reading: layouts get names, types behind the last colon and constants are left out. --check writes nothing and fails when
the page is not what the passes print today.
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KERNEL, PAGE = ROOT / "test/docs/Inputs/one_kernel.mlir", ROOT / "docs/Phases.md"
HEAD = """<!-- Written by scripts/update_phases.py; don't edit. -->

# One kernel, phase by phase

What each pass of `--tile-to-schedule=arch=sm_90a` leaves of one kernel; [Architecture.md](Architecture.md) says what the passes decide, [Rings.md](Rings.md) what rings mean.
The IR is shortened: layouts have names (listed at the end), and constants and most types are left out.
Where a pass changes less than half of the lines, only the surroundings of the changes are shown: `+` is a line that is new or changed, `-` one that is gone.
Print the whole IR after each pass with

    tile-opt test/docs/Inputs/one_kernel.mlir --tile-to-schedule=arch=sm_90a --mlir-print-ir-after-all

## The program

"""
WORDS = {
    "tile-set-target": "The module (not shown) has the attribute `tile.target = #tile.target<\"sm_90a\">`.",
    "tile-make-persistent": "The body stands in a loop over the tiles of one block.",
    "tile-infer-layouts": "Tiles and loops over tiles have layouts, the product has a plan: the instruction wgmma.",
    "tile-stage-stores": "The result leaves through a tile in shared memory, because TMA reads shared memory only.",
    "tile-select-copies": "Every copy has a plan: the instruction, and the bytes that a thread moves at a time.",
    "tile-pipeline": "The pipelined loop is a loop over a ring of four slots; a role that copies is asked for.",
    "tile-specialize-warps": "One role copies, one multiplies; the block has as many more warps as copy.",
    "tile-schedule-gemms": "Products return tokens: one stays in flight while the next one is issued.",
    "tile-clear-accumulators": "The first product of a tile starts from zero, so nothing fills the accumulators.",
    "tile-schedule-stores": "The store returns a token, which is awaited where its source is written again.",
    "tile-delay-stores": "Results of a tile stay in registers as f16, and are stored while the next tile's products run.",
}


class Shortener:
    """Names for layouts, by their order of appearance; the same ones for all phases."""

    def __init__(self):
        self.names, self.count = {}, {}

    def name(self, match):
        text = match[0]
        if text not in self.names:
            kind = "registers" if "fragment" in text else "swizzled"
            self.count[kind] = self.count.get(kind, 0) + 1
            self.names[text] = f"#{kind}{self.count[kind]}"
        return self.names[text]

    def line(self, text):
        text = re.sub(r"#tile\.(?:fragment|shared)_layout<.*?\]\)?(?: swizzle\(.*?\))?>", self.name, text)
        text = text.replace("#gpu.address_space<workgroup>", "#shared").replace("#tile.fragment>", "#fragment>")
        if "tile.kernel" in text:
            text = re.sub(r": memref<[^>]*> \{.*?\}", "", text).replace(" : i64", "")
        elif not re.search(r"tile\.(alloc|ring\.create)|scf\.(if|for)|arith\.constant", text):
            text = re.sub(r" : (?!.* : ).*?( -> !tile\.token)?$", r"\1", text)
        return text.replace("0.000000e+00 : f32", "0.0")

    def lines(self, text):
        kept = []
        for line in text.splitlines():
            if re.fullmatch(r"\s*%c\w+ = arith\.constant \d+ : index|\}|module .*\{|\s*tile\.return|\s*//.*|", line):
                continue
            kept.append(self.line(line.removeprefix("  ")))
        return kept


def phases(tool):
    """(flag, text) of each pass, in the order in which they run."""
    command = [tool, KERNEL, "--tile-to-schedule=arch=sm_90a", "--mlir-print-ir-after-all", "-o", "/dev/null"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    parts = re.split(r"// -----// IR Dump After \w+ \(([\w-]+)\) //----- //\n", printed)
    return list(zip(parts[1::2], parts[2::2]))


CONTEXT = 3  # lines around a change


def changes(before, after):
    """The new lines, with changed and lost ones marked and what is far from any left out; None where more than half changed."""
    matcher = difflib.SequenceMatcher(None, [normal(l) for l in before], [normal(l) for l in after], autojunk=False)
    marked, fresh = [], 0
    for kind, old_start, old_end, start, end in matcher.get_opcodes():
        if kind == "equal":
            lines = ["  " + line for line in after[start:end]]
            first = CONTEXT if marked else 1
            last = CONTEXT if end < len(after) else 0
            if len(lines) > first + last + 1:
                lines = [*lines[:first], "  …", *lines[len(lines) - last :]]
            marked += lines
        elif kind == "delete":
            marked += ["- " + line for line in before[old_start:old_end]]
        else:
            marked += ["+ " + line for line in after[start:end]]
            fresh += end - start
    return marked if fresh * 2 < len(after) else None


def normal(line):
    """A line without the numbers of its values, which shift when something is added."""
    return re.sub(r"%(\d+|arg\d+|c\d+_\d+)\b", "%", line)


def page(tool):
    short = Shortener()
    program = [line for line in KERNEL.read_text(encoding="utf-8").splitlines() if not line.startswith("//")]
    text = [HEAD, "```mlir\n" + "\n".join(program) + "\n```\n"]
    before, idle = None, []

    def flush():
        if idle:
            names = ", ".join(f"`--{flag}`" for flag in idle)
            text.append(f"\n{names}: nothing to do in this kernel.\n")
            idle.clear()

    for flag, printed in phases(tool):
        after = short.lines(printed)
        if after == before:
            idle.append(flag)
            continue
        flush()
        body = changes(before, after) if before else None
        fence = "```diff" if body else "```mlir"
        words = WORDS.get(flag, "")
        text.append(f"\n## `--{flag}`\n\n{words}\n\n{fence}\n" + "\n".join(body or after) + "\n```\n")
        before = after
    flush()
    names = "".join(f"{name} = {layout}\n" for layout, name in short.names.items())
    text.append(f"\n## Layouts\n\n[Layouts.md](Layouts.md) defines them.\n\n```mlir\n{names}```\n")
    return "".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of tile-opt")
    options = parser.parse_args()
    text = page(options.bin / "tile-opt")
    if not options.check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        old = PAGE.read_text(encoding="utf-8").splitlines()
        print("\n".join(list(difflib.unified_diff(old, text.splitlines(), "docs/Phases.md", "today", lineterm="", n=1))[:40]))
        return "docs/Phases.md is out of date: run scripts/update_phases.py"
    else:
        print(f"docs/Phases.md shows what {text.count('## `--')} passes do today")
    return 0


sys.exit(main())
