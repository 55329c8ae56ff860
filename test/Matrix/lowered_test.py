#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the lowered matrix of kernels thread by thread and compares with numpy references (references.py).

Every kernel is lowered for sm_80, sm_90a or sm_100a, by turns (where it is for them), and what would become PTX is
executed with its arena, barriers, addresses, tensor maps and operands, at whole tiles and parts of them, and every other
one at a small shape, every eighth also as it is before LLVM's optimizer: numbers must be right, and the executor must find no race, no read of what nothing wrote and no misuse of an instruction. The order of
threads and the moments of asynchronous operations are seeded by the kernel's place. For the other two architectures the code is loaded: the
executor must know every instruction and every text of inline PTX. The last line counts.
"""

import runner
from execute import Case, Loaded, execute, small, whole

LARGEST = 9000  # elements of an argument at a small shape
ARCHS = ("sm_80", "sm_90a", "sm_100a")


def cases_of(index, kernel, folder):
    archs = [arch for arch in ARCHS if arch in kernel.get("archs", ARCHS) and int(arch[3:].rstrip("a")) >= kernel["min_arch"]]
    modes = ["--stage=lowered", f"--arch={archs[index % len(archs)]}", f"--seed={index + 1}"]
    shapes = [whole(kernel)] + [small(kernel, LARGEST, index // 2)] * (index % 2)
    runs = [(shape, modes) for shape in shapes]
    if index % 8 == 0:
        runs.append((shapes[-1], [*modes, "--unoptimized"]))
    executed = [Case(kernel, shape, folder / kernel["file"], options) for shape, options in runs]
    others = [arch for arch in archs if arch != archs[index % len(archs)]]
    return executed + [Loaded(kernel, shapes[-1], folder / kernel["file"], ["--stage=lowered", f"--arch={arch}"]) for arch in others]


if __name__ == "__main__":
    runner.execute("matrix-lowered", __doc__.splitlines()[0], cases_of, execute)
