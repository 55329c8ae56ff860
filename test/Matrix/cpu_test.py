#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the matrix of kernels on the CPU and compares with numpy references (references.py).

Each kernel runs as written, at whole tiles and parts of them; scheduled for sm_80, by turns there and at a small shape
(not where it is for later architectures only); and at whole tiles and parts of them scheduled for sm_90a (or for sm_100a
alone), by turns eager and with asynchronous operations put off until they are awaited, as it is and made persistent, with
few blocks and many. So layouts, rings, roles and tokens are tested numerically without a GPU: slots of rings are
overwritten when they are released, and uses, deadlocks and awaits are checked. An eighth of the kernels also runs with --check: it must agree. The last line counts.
"""

import re

import runner
from execute import Case, execute, small, whole

LARGEST = 9000  # elements of an argument at a small shape


def persistent(kernel, folder):
    """The kernel's file with `persistent`; as it is where it has attributes already."""
    path = folder / kernel["file"]
    text, count = re.subn(r"(threads\(\d+\)) \{", r"\1 attributes {persistent = 1} {", path.read_text(), count=1)
    if not count:
        return path
    path = folder / f"persistent_{kernel['file']}"
    path.write_text(text)
    return path


def cases_of(index, kernel, folder):
    arch = f"sm_{max(80, kernel['min_arch'])}"
    latest = "sm_100a" if kernel.get("archs") == ["sm_100a"] else "sm_90a"
    hopper = ["--stage=scheduled", f"--arch={latest}", f"--blocks={index % 4}"]
    if index % 2:
        hopper.append("--lazy-async")
    path = folder / kernel["file"]
    found = [
        Case(kernel, whole(kernel), path, ["--stage=source"] + ["--check"] * (index % 8 == 0)),
        Case(kernel, whole(kernel), persistent(kernel, folder) if index // 2 % 2 else path, hopper),
    ]
    if "sm_80" in kernel.get("archs", ["sm_80"]):
        run = small(kernel, LARGEST, index // 2) if index % 2 else whole(kernel)
        found.append(Case(kernel, run, path, ["--stage=scheduled", f"--arch={arch}"]))
    return found


if __name__ == "__main__":
    runner.execute("matrix-cpu", __doc__.splitlines()[0], cases_of, execute)
