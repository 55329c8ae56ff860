#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the lowered matrix of kernels thread by thread, with `tile-run --stage=lowered --check`.

Every kernel is lowered for sm_80, sm_90a or sm_100a, by turns (where it is for them), and what would become PTX is
executed with its arena, barriers, addresses, tensor maps and operands: numbers must be right, and the executor must
find no race, no read of what nothing wrote and no misuse of an instruction. The order of threads and the moments of
asynchronous operations are seeded by the kernel's place. The last line counts.
"""

import runner
from cpu_test import arguments, run

ARCHS = ("sm_80", "sm_90a", "sm_100a")
LARGEST = 40000  # elements of one argument


def check(index, kernel, options, folder):
    candidates = [text for shape in kernel["runs"] if (text := arguments(kernel, shape, LARGEST))]
    if not candidates:
        return None
    archs = [arch for arch in ARCHS if arch in kernel.get("archs", ARCHS) and int(arch[3:].rstrip("a")) >= kernel["min_arch"]]
    if not archs:
        return None
    arch = archs[index % len(archs)]
    modes = ["--stage=lowered", f"--arch={arch}", f"--seed={index + 1}"]
    wrong = run(folder / kernel["file"], options, candidates[index // len(archs) % len(candidates)], modes)
    return [wrong] if wrong else []


def cases(kernels, options, folder):
    found = [kernel for kernel in kernels if "compile_only" not in kernel or kernel.get("archs") == ["sm_100a"]]
    for index, kernel in enumerate(found):
        yield kernel["name"], check, (index, kernel, options, folder)


if __name__ == "__main__":
    runner.main("matrix-lowered", __doc__.splitlines()[0], "tile-run", cases)
