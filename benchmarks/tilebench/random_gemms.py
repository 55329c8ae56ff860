# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random GEMM problems, and the configurations that one artifact, or a survey, has for them."""

import json
import math
import random
import subprocess

from .gemm import Gemm
from .problems import Problem

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
    """Numbers of warpgroups that may share a tile: as few as hold it in 96 accumulators a thread, or in 192 (three in 104), by the
    dimension that the instruction's 64 rows divide; and two that share the other one."""
    across, along = (bn, bm) if bm % 64 else (bm, bn)
    held = lambda groups: bm * bn // (128 * groups)
    fitting = [g for g in (1, 2, 3) if across % (64 * g) == 0 and held(g) <= (104 if g == 3 else 192)]
    found = [g for g in fitting if held(g) <= 96][:1] or fitting[-1:]
    if across % 128 and across % 64 == 0 and along % 16 == 0 and 64 <= held(2) <= 192 and 2 not in found:
        found.append(2)
    return found


def stages_of(bm, bn, bk, persistent=True):
    """As many stages as leave room for the smallest piece in which results leave, one of at most four. Where a block has one tile
    and this leaves few stages, results leave through the memory of all of them."""
    stage = (bm + bn) * bk * 2
    if bm % 64:
        parts = max(d for d in (1, 2, 3, 4) if bm // 8 % d == 0)
        piece = bm // parts * bn * 2
    else:
        columns = bn
        for _ in range(2):
            if columns % 2 == 0 and columns // 2 % 16 == 0:
                columns //= 2
        piece = bm * columns * 2
    stages = (232448 - 1280 - -(-piece // 1024) * 1024) // stage
    if not persistent and stages < 4:
        stages = max(stages, (232448 - 2048) // stage)
    return min(12, stages)


NAMES = ("bm", "bn", "bk", "stages", "groups", "cx", "cy", "split", "persistent", "stream_k")
PANEL = 8
PARTS = 16  # of the loop of a tile that blocks share (`stream_k`)
CLUSTERS = ((1, 1), (2, 1), (1, 2), (4, 1), (1, 4), (2, 2))  # blocks along N and along M


SPILLING = {(224, 128), (240, 128), (144, 256), (192, 240)}  # where persistent, by ptxas


def full(values):
    """Values of NAMES; what is left out at the end is 0."""
    return (*values, *[0] * (len(NAMES) - len(values)))


def pool():
    """All configurations that are worth a thought, as values of NAMES: tiles in steps of 8 along one dimension (of rows that 64
    does not divide operands are swapped), alone or in clusters of two or four, a block a tile or persistent, with whole tiles or
    shared ones beyond whole rounds, or K shared by the blocks of a cluster. A persistent block has no room for what those add up."""
    found = []
    for bm in (*range(8, 257, 8), 272, 288, 304):
        for bn in (64, 128, 192, 256) if bm % 64 else (*range(40, 257, 8), 272, 288, 304):
            if max(bm, bn) > 256 and min(bm, bn) != 128:
                continue
            for groups in groups_of(bm, bn):
                # More results than these leave no registers for those that wait.
                spills = (bm, bn) in SPILLING or (bm % 64 and bm * bn // (128 * groups) > 136)
                for bk in (64, 128) if bn == 64 and bm <= 64 else (64,):
                    tile = (bm, bn, bk)
                    for cx, cy in CLUSTERS:
                        for persistent in (0, 1):
                            stages = stages_of(*tile, persistent)
                            if stages >= 3 and not (persistent and spills):
                                found.append(full((*tile, stages, groups, cx, cy, 0, persistent)))
                                if persistent:
                                    found.append((*tile, stages, groups, cx, cy, 0, persistent, PARTS))
                        stages = stages_of(*tile)
                        if stages >= 3:
                            found += [full((*tile, stages, groups, cx, cy, split)) for split in (2, 3, 4, 6, 8) if split * cx * cy <= 8]
    return found


def configuration(values):
    """The program of one configuration alone."""
    bm, bn, bk, stages, groups, cx, cy, split, persistent, stream_k = full(values)
    return Gemm(
        tb=True,
        tile=(bm, bn, bk),
        stages=stages,
        threads=128 * groups,
        cluster=(cx, cy),
        panel=PANEL,
        split=split,
        persistent=persistent,
        stream_k=stream_k,
    )


# The combinations that the one program lists: a greedy choice out of the pool for 3600 problems of the same kinds as those that
# are measured, and none of them, by what the launcher would pick among those chosen so far and how long that is predicted to
# take.
PACKED = (
    (8, 64, 128, 12, 1, 1, 2, 0, 1),
    (8, 256, 64, 6, 1, 1, 1, 8, 0),
    (8, 256, 64, 6, 1, 4, 1, 0, 0),
    (8, 256, 64, 6, 1, 4, 1, 0, 1),
    (16, 64, 64, 12, 1, 1, 1, 0, 0),
    (16, 64, 64, 12, 1, 1, 1, 8, 0),
    (16, 64, 128, 11, 1, 1, 1, 4, 0),
    (24, 64, 64, 12, 1, 1, 1, 8, 0),
    (24, 64, 128, 10, 1, 1, 1, 0, 0),
    (24, 64, 128, 10, 1, 1, 1, 3, 0),
    (24, 128, 64, 11, 1, 1, 1, 0, 0),
    (32, 64, 128, 9, 1, 1, 1, 0, 0),
    (32, 128, 64, 11, 1, 1, 1, 0, 0),
    (32, 128, 64, 11, 1, 1, 1, 3, 0),
    (32, 192, 64, 7, 1, 1, 1, 0, 0),
    (40, 64, 64, 12, 1, 4, 1, 2, 0),
    (40, 64, 128, 8, 1, 1, 1, 0, 0),
    (40, 128, 64, 10, 1, 1, 1, 0, 0),
    (40, 128, 64, 10, 1, 1, 1, 0, 1),
    (40, 192, 64, 7, 1, 1, 1, 4, 0),
    (48, 64, 64, 12, 1, 1, 1, 0, 0),
    (48, 128, 64, 10, 1, 1, 1, 0, 0),
    (56, 64, 128, 7, 1, 1, 1, 0, 0),
    (56, 128, 64, 9, 1, 1, 1, 0, 0),
    (64, 64, 64, 12, 1, 1, 1, 0, 0),
    (64, 64, 128, 6, 1, 4, 1, 2, 0),
    (64, 72, 64, 12, 1, 1, 1, 4, 0),
    (64, 80, 64, 11, 1, 2, 2, 2, 0),
    (64, 80, 64, 11, 1, 4, 1, 0, 1),
    (64, 80, 64, 11, 1, 4, 1, 2, 0),
    (64, 88, 64, 11, 1, 1, 1, 0, 0),
    (64, 96, 64, 10, 1, 1, 1, 4, 0),
    (64, 96, 64, 10, 1, 1, 2, 4, 0),
    (64, 96, 64, 10, 1, 2, 2, 2, 0),
    (64, 104, 64, 10, 1, 1, 1, 0, 0),
    (64, 104, 64, 10, 1, 4, 1, 2, 0),
    (64, 112, 64, 9, 1, 1, 2, 4, 0),
    (64, 112, 64, 9, 1, 2, 2, 2, 0),
    (64, 128, 64, 9, 1, 1, 2, 2, 0),
    (64, 144, 64, 7, 1, 1, 1, 0, 0),
    (64, 144, 64, 7, 1, 2, 2, 2, 0),
    (64, 160, 64, 7, 1, 1, 2, 4, 0),
    (64, 176, 64, 6, 1, 2, 2, 0, 0),
    (64, 192, 64, 6, 1, 1, 1, 0, 0),
    (64, 192, 64, 6, 1, 2, 1, 0, 0),
    (64, 192, 64, 6, 1, 2, 2, 0, 1),
    (64, 192, 64, 6, 1, 2, 2, 2, 0),
    (64, 256, 64, 5, 1, 1, 1, 0, 1),
    (64, 256, 64, 5, 1, 1, 2, 4, 0),
    (72, 64, 64, 12, 1, 1, 1, 0, 0),
    (72, 64, 64, 12, 1, 1, 1, 4, 0),
    (72, 128, 64, 8, 1, 1, 1, 0, 0),
    (72, 192, 64, 6, 3, 1, 1, 0, 0),
    (72, 192, 64, 6, 3, 1, 2, 4, 0),
    (80, 64, 64, 12, 1, 1, 1, 0, 1),
    (80, 128, 64, 8, 1, 1, 1, 0, 0),
    (80, 128, 64, 8, 1, 1, 1, 3, 0),
    (80, 192, 64, 6, 3, 1, 2, 0, 1),
    (80, 256, 64, 4, 2, 1, 1, 0, 1),
    (88, 64, 64, 11, 1, 1, 1, 0, 1),
    (88, 64, 64, 11, 1, 2, 2, 2, 0),
    (88, 128, 64, 7, 1, 1, 1, 0, 0),
    (88, 128, 64, 7, 1, 2, 1, 0, 0),
    (96, 64, 64, 11, 1, 4, 1, 2, 0),
    (96, 128, 64, 7, 1, 1, 1, 0, 1),
    (96, 192, 64, 6, 3, 1, 1, 0, 0),
    (96, 256, 64, 4, 2, 1, 1, 0, 1),
    (104, 64, 64, 10, 1, 1, 1, 0, 0),
    (104, 64, 64, 10, 1, 4, 1, 0, 0),
    (104, 128, 64, 6, 2, 1, 1, 0, 0),
    (104, 192, 64, 5, 3, 1, 2, 0, 0),
    (104, 192, 64, 5, 3, 1, 2, 2, 0),
    (112, 128, 64, 7, 2, 2, 1, 0, 0),
    (112, 192, 64, 5, 3, 1, 2, 0, 0),
    (120, 128, 64, 6, 2, 1, 1, 0, 1),
    (120, 128, 64, 6, 2, 4, 1, 0, 1),
    (120, 192, 64, 5, 3, 4, 1, 0, 1),
    (120, 256, 64, 4, 2, 1, 2, 0, 1),
    (128, 96, 64, 7, 1, 1, 2, 4, 0),
    (128, 104, 64, 6, 2, 4, 1, 0, 0),
    (128, 128, 64, 6, 2, 1, 1, 2, 0),
    (128, 128, 64, 6, 2, 1, 2, 4, 0),
    (128, 144, 64, 5, 2, 2, 2, 0, 1),
    (128, 144, 64, 5, 2, 2, 2, 2, 0),
    (128, 144, 64, 5, 2, 4, 1, 2, 0),
    (128, 152, 64, 5, 2, 2, 2, 0, 0),
    (128, 160, 64, 5, 2, 1, 1, 0, 0),
    (128, 160, 64, 5, 2, 1, 1, 2, 0),
    (128, 160, 64, 5, 2, 2, 1, 0, 0),
    (128, 160, 64, 5, 2, 2, 1, 2, 0),
    (128, 192, 64, 5, 2, 1, 1, 0, 0),
    (128, 192, 64, 5, 2, 1, 2, 0, 1),
    (128, 192, 64, 5, 2, 2, 1, 0, 1),
    (128, 208, 64, 4, 2, 1, 2, 4, 0),
    (128, 224, 64, 4, 2, 1, 1, 0, 1),
    (128, 224, 64, 4, 2, 1, 2, 0, 1),
    (128, 224, 64, 4, 2, 2, 2, 0, 1),
    (128, 256, 64, 4, 2, 1, 1, 0, 1),
    (128, 256, 64, 4, 2, 2, 1, 0, 1),
    (128, 272, 64, 4, 2, 1, 2, 0, 0),
    (128, 288, 64, 4, 2, 1, 1, 0, 0),
    (128, 288, 64, 4, 2, 1, 2, 0, 0),
    (128, 304, 64, 4, 2, 1, 1, 0, 0),
    (136, 128, 64, 5, 2, 1, 1, 0, 0),
    (136, 192, 64, 4, 3, 1, 1, 0, 0),
    (136, 192, 64, 4, 3, 1, 2, 0, 1),
    (136, 256, 64, 4, 2, 2, 1, 0, 0),
    (144, 64, 64, 8, 1, 2, 1, 2, 0),
    (144, 128, 64, 6, 2, 2, 1, 2, 0),
    (144, 128, 64, 6, 2, 2, 2, 0, 1),
    (144, 192, 64, 4, 3, 1, 1, 0, 0),
    (144, 192, 64, 4, 3, 1, 1, 2, 0),
    (144, 192, 64, 4, 3, 1, 2, 0, 1),
    (144, 256, 64, 4, 2, 1, 1, 0, 0),
    (144, 256, 64, 4, 2, 1, 1, 2, 0),
    (144, 256, 64, 4, 2, 1, 1, 3, 0),
    (152, 64, 64, 7, 1, 2, 1, 3, 0),
    (152, 128, 64, 5, 2, 1, 1, 0, 0),
    (152, 128, 64, 5, 2, 4, 1, 0, 0),
    (152, 256, 64, 4, 2, 2, 1, 0, 0),
    (152, 256, 64, 4, 2, 2, 2, 0, 0),
    (160, 128, 64, 5, 2, 1, 1, 0, 0),
    (160, 128, 64, 5, 2, 4, 1, 2, 0),
    (160, 192, 64, 4, 3, 1, 1, 4, 0),
    (160, 192, 64, 4, 3, 1, 2, 0, 1),
    (160, 192, 64, 4, 3, 1, 4, 0, 1),
    (160, 192, 64, 4, 3, 2, 1, 4, 0),
    (160, 192, 64, 4, 3, 2, 2, 2, 0),
    (168, 128, 64, 5, 2, 2, 1, 0, 1),
    (168, 128, 64, 5, 2, 2, 2, 0, 1),
    (168, 192, 64, 4, 3, 1, 1, 0, 1),
    (168, 192, 64, 4, 3, 1, 2, 0, 1),
    (168, 192, 64, 4, 3, 2, 1, 0, 0),
    (168, 192, 64, 4, 3, 2, 2, 0, 1),
    (176, 64, 64, 7, 1, 4, 1, 2, 0),
    (176, 128, 64, 5, 2, 1, 1, 0, 1),
    (176, 128, 64, 5, 2, 4, 1, 2, 0),
    (176, 192, 64, 4, 3, 1, 1, 4, 0),
    (176, 192, 64, 4, 3, 2, 1, 0, 1),
    (176, 192, 64, 4, 3, 2, 1, 2, 0),
    (176, 256, 64, 4, 2, 1, 4, 0, 0),
    (184, 128, 64, 4, 2, 1, 1, 0, 1),
    (184, 192, 64, 4, 3, 1, 1, 0, 0),
    (192, 128, 64, 5, 3, 4, 1, 2, 0),
    (192, 144, 64, 4, 3, 1, 1, 0, 0),
    (192, 144, 64, 4, 3, 1, 2, 4, 0),
    (192, 144, 64, 4, 3, 2, 1, 0, 1),
    (192, 144, 64, 4, 3, 4, 1, 0, 1),
    (192, 144, 64, 4, 3, 4, 1, 2, 0),
    (192, 160, 64, 4, 3, 1, 1, 0, 1),
    (192, 160, 64, 4, 3, 1, 1, 2, 0),
    (192, 160, 64, 4, 3, 2, 1, 0, 1),
    (192, 176, 64, 4, 3, 1, 2, 0, 0),
    (192, 176, 64, 4, 3, 2, 1, 0, 0),
    (192, 192, 64, 4, 2, 1, 2, 0, 0),
    (192, 192, 64, 4, 2, 2, 1, 0, 0),
    (192, 192, 64, 4, 2, 2, 1, 4, 0),
    (192, 192, 64, 4, 3, 1, 1, 0, 1),
    (192, 192, 64, 4, 3, 2, 2, 0, 0),
    (192, 208, 64, 4, 2, 1, 2, 0, 0),
    (192, 224, 64, 4, 2, 1, 1, 0, 0),
    (192, 224, 64, 4, 2, 1, 2, 0, 0),
    (192, 256, 64, 3, 2, 1, 1, 0, 1),
    (192, 256, 64, 4, 2, 4, 1, 0, 0),
    (200, 128, 64, 4, 2, 1, 1, 3, 0),
    (200, 128, 64, 4, 2, 2, 1, 0, 1),
    (208, 64, 64, 6, 1, 4, 1, 2, 0),
    (208, 128, 64, 4, 2, 1, 1, 0, 1),
    (208, 128, 64, 4, 2, 1, 1, 2, 0),
    (208, 128, 64, 4, 2, 2, 1, 0, 1),
    (208, 128, 64, 4, 2, 2, 2, 0, 1),
    (208, 128, 64, 4, 2, 4, 1, 2, 0),
    (208, 192, 64, 4, 2, 1, 1, 0, 0),
    (208, 192, 64, 4, 2, 1, 2, 0, 0),
    (208, 192, 64, 4, 2, 4, 1, 0, 0),
    (216, 128, 64, 4, 2, 1, 1, 0, 1),
    (216, 128, 64, 4, 2, 2, 1, 0, 1),
    (224, 128, 64, 4, 2, 2, 1, 0, 0),
    (224, 128, 64, 4, 2, 4, 1, 2, 0),
    (224, 192, 64, 4, 2, 1, 1, 0, 0),
    (224, 192, 64, 4, 2, 2, 1, 0, 0),
    (232, 128, 64, 5, 2, 1, 1, 0, 0),
    (240, 192, 64, 4, 2, 1, 1, 0, 0),
    (240, 192, 64, 4, 2, 1, 2, 0, 0),
    (256, 128, 64, 4, 2, 2, 1, 0, 1),
    (256, 160, 64, 4, 2, 1, 1, 0, 0),
    (256, 184, 64, 4, 2, 4, 1, 0, 0),
    (256, 192, 64, 3, 2, 1, 2, 0, 1),
    (272, 128, 64, 4, 2, 2, 1, 0, 0),
    (304, 128, 64, 4, 2, 1, 2, 0, 0),
    (304, 128, 64, 4, 2, 2, 1, 0, 0),
)


def program(packed=PACKED):
    """The one program whose artifact serves all problems."""
    packed = tuple(map(full, packed))
    values = [(name, tuple(sorted({each[i] for each in packed}))) for i, name in enumerate(NAMES)]
    if values[-1] == ("stream_k", (0,)):
        values.pop()
    versions = tuple((*each[: len(values)], PANEL) for each in packed)
    return Gemm(tb=True, tunable=True, values=(*values, ("panel", (PANEL,))), versions=versions, name="gemm_any")


def predictions(configurations, shapes, bin_dir, arch):
    """Values -> the microseconds that the compiler predicts for each (M, N, K); those that are not possible are left out."""
    hints = {
        "A": ":".join(f"{m}x{k}" for m, _, k in shapes),
        "B": ":".join(f"{n}x{k}" for _, n, k in shapes),
        "C": ":".join(f"{m}x{n}" for m, n, _ in shapes),
    }
    command = [f"{bin_dir}/tile-translate", "-", "--tile-to-candidates", f"--arch={arch}"]
    command.append("--shape-hints=" + ",".join(f"{name}={sizes}" for name, sizes in hints.items()))
    found, most = {}, 192  # combinations that a program may list
    for first in range(0, len(configurations), most):
        text = program(tuple(configurations[first : first + most])).text()
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.splitlines()[0])
        for line in map(json.loads, done.stdout.splitlines()):
            if "microseconds" in line:
                found[tuple(line["values"].get(name, 0) for name in NAMES)] = line["microseconds"]
    return found


def survey_plan(bin_dir, arch, count=100, best=12, others=6, seed=SEED + 20):
    """Other problems than those that are measured, of the same kinds, and for each of them the configurations that are predicted to
    be the fastest, at most two of a tile, and some at random that are predicted to take at most half as long again."""
    numbers = random.Random(seed)
    shapes = training(count, seed)
    times = predictions(pool(), shapes, bin_dir, arch)
    plan = []
    for i, shape in enumerate(shapes):
        ranked = sorted((t[i], values) for values, t in times.items() if t[i])
        chosen, tiles = [], {}
        for _, values in ranked:
            tile = values[:2]
            tiles[tile] = tiles.get(tile, 0) + 1
            if tiles[tile] <= 2 and len(chosen) < best:
                chosen.append(values)
        near = [values for t, values in ranked if t < 1.5 * ranked[0][0] and values not in chosen]
        chosen += numbers.sample(near, min(others, len(near)))
        plan.append(dict(problem=shape, configurations=chosen))
    return plan


def training(count, seed=777):
    """(M, N, K) of other problems than those that are measured: of 20 three of one to three waves, six of 48 to 700 rows, the others of
    any number of rows."""
    numbers = random.Random(seed)
    measured = {(p.m, p.n, p.k) for p in problems() + waves()}
    found = []

    def rows(low, high):
        return round(math.exp(numbers.uniform(math.log(low), math.log(high))))

    while len(found) < count:
        kind = len(found) % 20
        if kind < 3:
            shape = waves(1, numbers.randrange(1 << 30))[0]
            shape = (shape.m, shape.n, shape.k)
        else:
            m = rows(48, 700) if kind < 9 else rows(1, 16384)
            layer = numbers.choice(LAYERS) if numbers.random() < 0.5 else (8 * numbers.randint(64, 4096), 8 * numbers.randint(64, 4096))
            shape = (m, *layer)
        if shape not in measured:
            found.append(shape)
    return found


def choose(bin_dir, arch, surveyed, most=144, count=2400):
    """A list like PACKED. surveyed: rows that `gemm_random.py survey` wrote, which correct predictions. Needs NumPy.

    Greedy, as the launcher sees it: each next configuration is the one with which the launcher's picks, those with the least
    predicted time, take the least time in the geometric mean; what they take is the predicted time, corrected.
    """
    import numpy

    names = {configuration(values).ident(): values for values in pool()}
    # Three of four lean on what is hard to choose for, the others are of the kind that is measured.
    shapes = training(count - count // 4)
    shapes += [(p.m, p.n, p.k) for p in problems(count // 4, SEED + 3)]
    logs = {}
    for first in range(0, len(shapes), 600):
        for values, times in predictions(pool(), shapes[first : first + 600], bin_dir, arch).items():
            logs.setdefault(values, []).extend(math.log(t) if t else math.inf for t in times)
    values = list(logs)
    predicted = numpy.array([logs[each] for each in values])
    # How much longer a configuration took than predicted, beside the mean of all; few measurements count less.
    expected = predictions(
        sorted({names[name] for row in surveyed for name in row["times"] if name in names}),
        [(row["m"], row["n"], row["k"]) for row in surveyed],
        bin_dir,
        arch,
    )
    errors = {}
    for i, row in enumerate(surveyed):
        for name, milliseconds in row["times"].items():
            if names.get(name) in expected:
                errors.setdefault(names[name], []).append(math.log(milliseconds * 1e3 / expected[names[name]][i]))
    mean = numpy.mean([e for found in errors.values() for e in found]) if errors else 0.0
    corrections = [sum(e - mean for e in errors.get(each, ())) / (len(errors.get(each, ())) + 3) for each in values]
    actual = predicted + numpy.array(corrections)[:, None]
    chosen, least, taken = [], numpy.full(len(shapes), numpy.inf), numpy.full(len(shapes), numpy.inf)
    while len(chosen) < most:
        after = numpy.where(predicted < least, actual, taken)
        sums = numpy.minimum(after, 100).sum(axis=1)
        best = int(numpy.argmin(sums))
        if chosen and numpy.minimum(taken, 100).sum() - sums[best] < 1e-3:
            break
        taken, least = after[best], numpy.minimum(least, predicted[best])
        chosen.append(best)
    wins = numpy.bincount(numpy.argmin(predicted[chosen], axis=0), minlength=len(chosen))
    return sorted(values[index] for index, count_of in zip(chosen, wins) if count_of)
