# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A peer that only reads: what a kernel of few rows could reach in the harness that measures it.

Before each call the harness writes to a buffer larger than the L2 cache. What a kernel reads then takes the place of lines that have to be
written back first, and a launch is a few microseconds of its time: of 20 MB an H200 reads 1.8 TB/s there, of 1 GB 4.4.
"""

import triton
import triton.language as tl

BLOCKS = tuple((block, rounds) for block in (1024, 2048, 4096) for rounds in (1, 2, 4, 8))


@triton.jit
def _either(a, b):
    return a ^ b


@triton.jit
def _read(source, result, length, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    found = tl.zeros((BLOCK,), tl.int32)
    for r in range(ROUNDS):
        at = (tl.program_id(0) * ROUNDS + r) * BLOCK + tl.arange(0, BLOCK)
        found ^= tl.load(source + at, mask=at < length, other=0)
    tl.store(result + tl.program_id(0), tl.reduce(found, 0, _either))


def reader(bench, count):
    """A launch that reads `count` bytes of memory once: the fastest of some sizes of blocks."""
    torch, length = bench.torch, count // 4
    source = torch.zeros(length, dtype=torch.int32, device=bench.device)
    result = torch.empty(triton.cdiv(length, 1024), dtype=torch.int32, device=bench.device)

    def launch(block, rounds):
        grid = (triton.cdiv(length, block * rounds),)
        return lambda: _read[grid](source, result, length, BLOCK=block, ROUNDS=rounds, num_warps=4)

    launches = {size: launch(*size) for size in BLOCKS}
    return launches[bench.fastest(launches)[0]]
