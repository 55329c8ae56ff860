# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shapes that are measured, the configurations that are packed for them, and the rule that picks one.

A configuration is a `Gemm` program; `pick` models its time as waves of tiles over the multiprocessors. `--tune` measures
the packed ones instead.
"""

import dataclasses

from .gemm import Gemm

SMS = 132  # of an H200
LLM_NK = (
    (4096, 4096),
    (6144, 4096),
    (28672, 4096),
    (4096, 14336),
    (10240, 8192),
    (8192, 8192),
    (8192, 28672),
    (7168, 2048),
    (24576, 1536),
    (7168, 16384),
)
LLM_M = (1024, 2048, 4096, 8192)
DEEPSEEK_NK = LLM_NK[6:]
SMALL_M = (1, 8, 16, 32, 64, 128)
HEADLINE = ((4096, 4096, 4096), (8192, 8192, 8192), (16384, 16384, 16384))
PEER_SHAPES = (
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (2048, 6144, 4096),
    (8192, 8192, 28672),
    (4096, 24576, 1536),
    (4096, 7168, 16384),
)
RAGGED = (4093, 4099, 4001)
# What one multiprocessor reaches with a tile, relative to the best: larger tiles move fewer bytes an operation.
TILE_SPEED = {
    (128, 256): 1.0,
    (256, 128): 0.99,
    (192, 256): 1.0,
    (256, 192): 1.0,
    (256, 160): 0.98,
    (128, 224): 0.97,
    (192, 192): 0.97,
    (128, 192): 0.95,
    (192, 128): 0.95,
    (128, 128): 0.86,
    (64, 256): 0.80,
    (64, 128): 0.65,
    (64, 64): 0.45,
}


@dataclasses.dataclass(frozen=True)
class Problem:
    m: int
    n: int
    k: int
    tb: bool = False
    a: str = "f16"
    out: str = ""
    batch: int = 1

    def flops(self):
        return 2 * self.m * self.n * self.k * self.batch

    def label(self):
        head = f"{self.batch}x" if self.batch > 1 else ""
        return f"{head}{self.m}x{self.n}x{self.k} {'NxK' if self.tb else 'KxN'}"


def llm_set(ms=LLM_M):
    return [Problem(m, n, k, tb) for m in ms for n, k in LLM_NK for tb in (False, True)]


def large(tb=False, **fields):
    """Configurations of large 16-bit problems."""
    plain = Gemm(tb=tb, **fields)
    change = lambda **kw: dataclasses.replace(plain, **kw)
    return [
        change(cluster=(1, 2)),
        change(cluster=(1, 2), panel=16),
        change(cluster=(1, 2), panel=32),
        change(panel=16),
        change(cluster=(2, 1)),
        change(cluster=(2, 1), panel=16),
        change(cluster=(2, 2), panel=16),
        change(tile=(256, 128, 64), cluster=(2, 1)),
        change(tile=(256, 128, 64), cluster=(1, 2)),
        change(tile=(256, 128, 64), panel=16),
        change(tile=(128, 224, 64), panel=16),
        change(tile=(256, 192, 64), cluster=(2, 1), stages=3),
        change(tile=(256, 192, 64), cluster=(1, 2), stages=3),
        change(tile=(256, 192, 64), stages=3),
        change(tile=(256, 160, 64), cluster=(2, 1), stages=3),
        change(tile=(256, 160, 64), cluster=(1, 2), stages=3),
        change(tile=(128, 224, 64), cluster=(1, 2)),
        change(tile=(128, 192, 64), cluster=(1, 2)),
        change(tile=(128, 128, 64), cluster=(2, 1), stages=5),
        change(tile=(128, 128, 64), stages=5),
        change(tile=(192, 128, 64), threads=384, cluster=(2, 1)),
        change(tile=(192, 192, 64), threads=384, cluster=(2, 1), stages=3),
    ]


# Of few rows. Weights stream through; what counts is bytes in flight on all multiprocessors, in one block with much
# shared memory or in two with half of it: tile, blocks of a multiprocessor, threads, splits.
SMALL_TILES = (
    ((64, 64, 128), 1, 128, (0, 2)),
    ((64, 64, 128), 2, 128, (2,)),
    ((64, 128, 64), 1, 128, (2,)),
    ((64, 128, 64), 2, 128, (0, 3, 4)),
    ((64, 128, 128), 1, 128, (2,)),
    ((64, 256, 64), 1, 128, (0, 2, 3)),
    ((128, 64, 128), 1, 256, (0, 2)),
    ((128, 128, 64), 1, 256, (0, 2, 3)),
    ((128, 192, 64), 1, 256, (0, 2, 3)),
    ((128, 256, 64), 1, 256, (0, 2, 3)),
)
# With the operands swapped, for 8, 16 and 32 rows: rows that are not there need not be filled with zeros, and leave
# their memory to the weights. Columns and K step, blocks of a multiprocessor, splits.
SWAPPED_ROWS = (8, 16, 32)
SWAPPED_TILES = (
    ((64, 128), 1, (0, 2)),
    ((64, 128), 2, (0, 2, 4)),
    ((128, 64), 1, (0, 2, 3)),
    ((128, 64), 2, (0, 2, 3, 4)),
    ((128, 128), 1, (0, 2, 3)),
    ((256, 64), 1, (0, 2)),
)


def stages_for(tile, blocks):
    """As many stages of 16-bit operands as let so many blocks run, with room to store from."""
    bm, bn, bk = tile
    return (200_000 if blocks == 1 else 99_000) // ((bm + bn) * bk * 2)


def small():
    """Configurations of few rows, whole and with the K loop shared by the blocks of a cluster."""
    plain = Gemm(panel=0, persistent=0)
    found = [(tile, blocks, threads, splits, False) for tile, blocks, threads, splits in SMALL_TILES]
    found += [
        ((rows, *tile), blocks, 128, splits, True) for rows in SWAPPED_ROWS for tile, blocks, splits in SWAPPED_TILES
    ]
    return [
        dataclasses.replace(
            plain, tile=tile, stages=stages_for(tile, blocks), threads=threads, split=split, tb=tb, swap=swap
        )
        for tb in (False, True)
        for tile, blocks, threads, splits, swap in found
        for split in splits
    ]


def eight_bit(a, **fields):
    """fp8 and i8: K steps of one 128-byte swizzle span."""
    plain = Gemm(a=a, tb=True, tile=(128, 256, 128), **fields)
    change = lambda **kw: dataclasses.replace(plain, **kw)
    narrow = [
        change(tile=(128, 128, 128), stages=5, cluster=(2, 1)),
        change(tile=(128, 192, 128), cluster=(2, 1)),
    ]
    if plain.promote_every:
        # Two accumulators: at most 192 columns a warpgroup.
        return narrow + [
            change(tile=(128, 192, 128)),
            change(tile=(128, 192, 128), cluster=(1, 2)),
            change(tile=(128, 192, 128), cluster=(1, 2), panel=16),
            change(tile=(128, 128, 128), stages=5, cluster=(1, 2)),
            change(tile=(128, 160, 128), cluster=(2, 1)),
            change(tile=(192, 128, 128), threads=384, cluster=(2, 1)),
            change(tile=(128, 128, 128), stages=5),
        ]
    return narrow + [
        change(cluster=(2, 1)),
        change(),
        change(cluster=(2, 1), stages=3),
        change(tile=(256, 128, 128), cluster=(1, 2)),
        change(cluster=(1, 2)),
        change(cluster=(1, 2), panel=16),
        change(panel=16),
        change(tile=(256, 192, 128), stages=3),
        change(tile=(256, 192, 128), stages=3, cluster=(1, 2)),
        change(tile=(256, 160, 128), stages=3, cluster=(1, 2)),
        change(tile=(128, 224, 128), cluster=(1, 2)),
    ]


def tf32():
    plain = Gemm(a="f32", tb=True, tile=(128, 256, 32))
    change = lambda **kw: dataclasses.replace(plain, **kw)
    return [
        change(cluster=(2, 1)),
        change(),
        change(cluster=(2, 1), stages=3),
        change(tile=(256, 128, 32), cluster=(1, 2)),
        change(tile=(128, 128, 32), stages=5),
        change(tile=(128, 192, 32), cluster=(2, 1)),
        change(cluster=(1, 2)),
        change(cluster=(1, 2), panel=16),
        change(panel=16),
        change(tile=(128, 224, 32), panel=16),
        change(tile=(256, 192, 32), stages=3),
        change(tile=(256, 192, 32), stages=3, cluster=(1, 2)),
        change(tile=(128, 224, 32), cluster=(1, 2)),
    ]


def predicted(program, problem):
    """Relative time: waves of tiles times the time of one."""
    bm, bn, _ = program.tile
    cx, cy = program.cluster
    columns = -(-problem.n // (bn * cx)) * cx
    rows = -(-problem.m // (bm * cy)) * cy
    blocks = SMS // (cx * cy) * (cx * cy)
    waves = -(-columns * rows * problem.batch // blocks)
    return waves * bm * bn / TILE_SPEED.get((bm, bn), 0.7)


def pick(programs, problem):
    """The program of the least predicted time; the first of equals."""
    return min(programs, key=lambda p: predicted(p, problem))


def small_candidates(programs, problem, count=8):
    """The `count` likeliest programs of few rows: by bytes that a multiprocessor streams, and blocks that stream them."""

    def cost(p):
        bm, bn, bk = p.tile
        splits = max(p.split, 1)
        places = SMS * (2 if p.shared_bytes() < 110_000 and p.threads == 128 else 1)
        # Groups of multiprocessors that clusters do not fill.
        places -= 4 * (splits - 1)
        blocks = -(-problem.n // bn) * -(-problem.m // bm) * splits
        waves = -(-blocks // places)
        # Bytes that the device streams while a wave runs, weights once and rows of A from the L2 cache, as if all
        # places took part; a device that is half empty does not stream as fast.
        steps = -(-problem.k // (bk * splits))
        busy = min(1.0, blocks / places)
        bytes_ = waves * steps * bk * (bn + min(bm, problem.m) / 2) * 2 * places * max(busy, 0.6 + 0.4 * busy)
        # A start, the sum over the cluster where there is one (microseconds), and 4.5 bytes a picosecond.
        return bytes_ / 4.5e6 + 2 * waves + (1 + bm * bn / 16384 if p.split else 0)

    rows = min([x for x in (*SWAPPED_ROWS, 64, 128) if x >= problem.m], default=128)
    fit = [p for p in programs if p.tb == problem.tb and p.tile[0] == rows]
    return sorted(fit, key=cost)[:count]
