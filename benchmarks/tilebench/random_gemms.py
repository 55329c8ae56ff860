# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random GEMM problems, and the configurations that a survey times for each of them."""

import dataclasses
import math
import random

from .gemm import Gemm
from .problems import Problem, stages_for

# N and K of linear layers: Llama 8B and 70B, Qwen 7B and 32B, DeepSeek-V3.
LAYERS = (
    (6144, 4096),
    (4096, 4096),
    (28672, 4096),
    (4096, 14336),
    (10240, 8192),
    (8192, 8192),
    (57344, 8192),
    (8192, 28672),
    (4608, 3584),
    (37888, 3584),
    (3584, 18944),
    (55296, 5120),
    (5120, 27648),
    (7168, 2048),
    (24576, 1536),
    (7168, 16384),
)
SEED = 20261128


def problems(count=200, seed=SEED):
    """Every second one a layer; M log-uniform in 1 to 16384."""
    numbers = random.Random(seed)
    found = []
    for index in range(count):
        m = round(math.exp(numbers.uniform(0, math.log(16384))))
        if index % 2:
            n, k = (8 * numbers.randint(64, 4096) for _ in range(2))
        else:
            n, k = numbers.choice(LAYERS)
        found.append(Problem(m, n, k, tb=True))
    return found


def waves(count=40, seed=SEED + 1, places=132):
    """Problems whose tiles of 128 x 256 are one to three waves of the multiprocessors."""
    numbers = random.Random(seed)
    found = []
    while len(found) < count:
        m = 8 * round(math.exp(numbers.uniform(math.log(16), math.log(1024))))
        n, k = (8 * round(math.exp(numbers.uniform(math.log(64), math.log(2048)))) for _ in range(2))
        tiles = -(-m // 128) * -(-n // 256)
        if places < tiles <= 3 * places:
            found.append(Problem(m, n, k, tb=True))
    return found


def groups_of(bm, bn):
    """Warpgroups that share a tile: as few as hold it in 96 accumulators a thread, or in 192."""
    across = bn if bm % 64 else bm
    fitting = [g for g in (1, 2, 3) if across % (64 * g) == 0 and bm * bn // (128 * g) <= 192]
    return min([g for g in fitting if bm * bn // (128 * g) <= 96] or fitting[-1:], default=0)


def pool():
    """Configurations that a survey times: shapes of tiles, split or not, in clusters or alone."""
    few = [(bm, bn) for bm in (8, 16, 32, 48, 64) for bn in (64, 128)]
    middle = [(64, 96), (64, 192), (64, 256), (80, 128), (96, 128), (128, 128), (144, 128)]
    many = [(128, 160), (128, 192), (128, 224), (128, 256), (144, 192), (160, 192), (192, 128), (192, 192)]
    large = [(256, 128), (256, 160), (256, 192), (144, 256), (160, 256)]
    found = []
    for bm, bn in few + middle + many + large:
        bk = 128 if bn == 64 else 64
        stages = min(stages_for((bm, bn, bk), 1), 10)
        plain = Gemm(tb=True, tile=(bm, bn, bk), stages=stages, threads=128 * groups_of(bm, bn))
        found.append(plain)
        if (bm, bn) not in large:
            # What blocks add up passes through shared memory that a persistent block has none of.
            splits = (2, 4) if (bm, bn) in few + middle else (2,)
            found += [dataclasses.replace(plain, split=split, persistent=0) for split in splits]
        if (bm, bn) not in few:
            found += [dataclasses.replace(plain, cluster=cluster) for cluster in ((2, 1), (1, 2))]
    return found


def split_pool():
    """Configurations for few tiles with much K: large tiles, shared by the blocks of a cluster."""
    shapes = [(64, 128), (64, 256), (80, 128), (80, 256), (96, 128), (96, 256), (112, 128), (112, 256), (128, 128), (128, 160)]
    shapes += [(128, 192), (128, 256), (144, 128), (144, 256), (176, 128), (176, 256), (192, 128), (192, 192), (256, 128)]
    found = []
    for bm, bn in shapes:
        # Room for what the blocks add up.
        stages = min(stages_for((bm, bn, 64), 1), 8)
        plain = Gemm(tb=True, tile=(bm, bn, 64), stages=stages, threads=128 * groups_of(bm, bn), persistent=0)
        found += [dataclasses.replace(plain, split=split) for split in (2, 3, 4, 6, 8)]
    return found


# The combinations that the one program lists, by a survey on an H200 of other problems than those that are measured (each adds
# the most to the best of the others): rows, columns and K step of a tile, stages, warpgroups, pairs along N (1) or M (2), splits.
# Tiles of rows that no 64 divides multiply with the operands swapped.
PACKED = (
    (8, 64, 128, 10, 1, 0, 0),
    (16, 64, 128, 9, 1, 0, 0),
    (16, 64, 128, 9, 1, 0, 2),
    (32, 64, 128, 8, 1, 0, 0),
    (32, 64, 128, 8, 1, 0, 4),
    (32, 128, 64, 9, 1, 0, 0),
    (48, 128, 64, 8, 1, 0, 0),
    (64, 64, 128, 6, 1, 0, 0),
    (64, 128, 64, 8, 1, 0, 0),
    (64, 192, 64, 6, 1, 0, 4),
    (64, 192, 64, 6, 1, 1, 0),
    (64, 192, 64, 6, 1, 2, 0),
    (64, 256, 64, 4, 1, 0, 0),
    (80, 128, 64, 7, 1, 0, 0),
    (96, 128, 64, 6, 1, 0, 0),
    (96, 256, 64, 4, 2, 0, 4),
    (128, 128, 64, 6, 2, 0, 0),
    (128, 128, 64, 6, 2, 1, 0),
    (128, 160, 64, 5, 2, 0, 0),
    (128, 160, 64, 5, 2, 0, 4),
    (128, 160, 64, 5, 2, 1, 0),
    (128, 192, 64, 4, 2, 0, 0),
    (128, 192, 64, 4, 2, 1, 0),
    (128, 224, 64, 4, 2, 0, 0),
    (128, 224, 64, 4, 2, 0, 2),
    (128, 224, 64, 4, 2, 1, 0),
    (128, 224, 64, 4, 2, 2, 0),
    (128, 256, 64, 4, 2, 0, 0),
    (128, 256, 64, 4, 2, 1, 0),
    (128, 256, 64, 4, 2, 2, 0),
    (144, 128, 64, 5, 2, 0, 3),
    (144, 128, 64, 5, 2, 1, 0),
    (144, 192, 64, 4, 3, 0, 0),
    (144, 256, 64, 3, 2, 2, 0),
    (160, 192, 64, 4, 3, 1, 0),
    (160, 256, 64, 3, 2, 1, 0),
    (192, 128, 64, 4, 3, 1, 0),
    (192, 192, 64, 4, 3, 1, 0),
    (256, 160, 64, 3, 2, 1, 0),
    (256, 192, 64, 3, 2, 1, 0),
)
NAMES = ("bm", "bn", "bk", "stages", "groups", "pair", "split")


def survey_plan(count=160, configurations=45, seed=SEED + 2):
    """Other problems than those that are measured, of the same kinds, and for each of them some configurations at random."""
    numbers = random.Random(seed)
    names = sorted({p.ident() for p in pool() + split_pool()})
    measured = problems()
    others = [p for p in problems(count, seed) if p not in measured]
    return [dict(problem=[p.m, p.n, p.k], configurations=numbers.sample(names, min(configurations, len(names)))) for p in others]


def program(packed=PACKED):
    """The one program whose artifact serves all problems."""
    values = tuple((name, tuple(sorted({each[i] for each in packed}))) for i, name in enumerate(NAMES))
    return Gemm(tb=True, tunable=True, values=(*values, ("panel", (8,))), versions=tuple((*each, 8) for each in packed), name="gemm_any")
