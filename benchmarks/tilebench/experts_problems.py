# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems of benchmarks/experts.py, the programs that solve each, and how much work each is."""

import dataclasses

from .block_scaled import BlockScaled, Cast
from .experts import Grouped
from .experts_backward import WeightGradient
from .experts_route import Combine, Count, Gate, Offsets, Place

FP8 = "f8E4M3FN"


@dataclasses.dataclass(frozen=True)
class Problem:
    # product, fp8, gate_up, down, input_gradient, weight_gradient, masked; block, block_experts; gating, route, combine, cast
    family: str
    label: str
    experts: int = 8
    k: int = 2  # experts of a token
    tokens: int = 4096
    n: int = 4096
    depth: int = 4096  # K
    even: bool = False  # all experts have equally many rows
    scales: str = "f32"

    @property
    def copies(self):
        return self.tokens * self.k


# Experts, experts of a token, columns of a token, columns between gate and down.
MODELS = {
    "mixtral 8x7b": (8, 2, 4096, 14336),
    "mixtral 8x22b": (8, 2, 6144, 16384),
    "qwen2 57b": (64, 8, 3584, 2560),
    "qwen3 30b": (128, 8, 2048, 768),
    "qwen3 235b": (128, 8, 4096, 1536),
    "deepseek v3": (256, 8, 7168, 2048),
}
# N, K of the layers of DeepSeek-V3.
DEEPSEEK = ((2112, 7168), (24576, 1536), (7168, 16384), (4096, 7168), (7168, 2048))


def of_model(family, model, tokens, up=True, even=False, scales="f32"):
    """The product into twice the columns between gate and down, or the one out of them."""
    experts, k, hidden, between = MODELS[model]
    n, depth = (2 * between, hidden) if up else (hidden, between)
    label = f"{model} {'up' if up else 'down'} {tokens}{' even' if even else ''}{'' if scales == 'f32' else ' ' + scales}"
    return Problem(family, label, experts, k, tokens, n, depth, even, scales)


PROBLEMS = [
    *(of_model("product", m, t, up) for m in ("mixtral 8x7b", "qwen2 57b", "qwen3 235b", "deepseek v3") for t in (1024, 16384) for up in (True, False)),
    of_model("product", "qwen3 30b", 4096),
    of_model("product", "deepseek v3", 16384, even=True),
    *(of_model("fp8", m, t, up) for m in ("mixtral 8x7b", "deepseek v3") for t in (1024, 16384) for up in (True, False)),
    *(of_model("gate_up", m, t) for m in ("mixtral 8x7b", "qwen3 235b", "deepseek v3") for t in (1024, 8192)),
    *(of_model("down", m, t, False) for m in ("mixtral 8x7b", "qwen3 235b", "deepseek v3") for t in (1024, 8192)),
    *(of_model("masked", m, 64, up) for m in ("qwen3 235b", "deepseek v3") for up in (True, False)),
    *(of_model(f, m, 8192, up) for f in ("input_gradient", "weight_gradient") for m in ("mixtral 8x7b", "qwen3 235b") for up in (True, False)),
    *(Problem("block", f"block {m}x{n}x{k}", 1, 1, m, n, k) for n, k in DEEPSEEK for m in (64, 512, 4096, 8192)),
    *(Problem("block", f"block e8m0 {m}x{n}x{k}", 1, 1, m, n, k, scales="e8m0") for n, k in DEEPSEEK[2:4] for m in (512, 4096)),
    *(of_model("block_experts", "deepseek v3", t, up) for t in (1024, 8192) for up in (True, False)),
    *(Problem("gating", f"gating {k} of {e}, {t}", e, k, t) for e, k in ((64, 8), (128, 8), (256, 8)) for t in (512, 16384)),
    *(Problem("route", f"route {k} of {e}, {t}", e, k, t) for e, k in ((64, 8), (256, 8)) for t in (512, 16384)),
    *(Problem("combine", f"combine {t} x {n}", 256, 8, t, n) for n in (4096, 7168) for t in (512, 8192)),
    *(Problem("cast", f"cast {s} {t} x {n}", 1, 1, t, depth=n, scales=s) for n in (7168,) for t in (4096, 16384) for s in ("f32", "e8m0")),
]


def work(p):
    """Operations of a problem; of what only moves data its bytes, so that a rate of T a second is TB/s."""
    if p.family == "gating":
        return p.tokens * (p.experts * 4 + p.k * 8)
    if p.family == "route":
        return p.copies * (2 * 4 + 2 * 4 + 4)
    if p.family == "combine":
        return (p.copies + p.tokens) * p.n * 2
    if p.family == "cast":
        return p.tokens * p.depth * 3 + p.tokens * p.depth // 128 * 4
    return 2 * p.copies * p.n * p.depth


def changed(base, *variants):
    return [dataclasses.replace(base, **fields) for fields in variants]


# Tiles, stages and threads of a grouped product; the last ones suit few rows an expert.
TILES = (
    dict(columns=128, stages=4, store="staged"),
    dict(columns=128, stages=4, store="staged", persistent=1, panel=8),
    dict(columns=128, stages=4, persistent=1, panel=8),
    dict(columns=256, stages=4, panel=8),
    dict(columns=256, stages=4, persistent=1, panel=8),
    dict(columns=256, stages=4, store="branch", persistent=1, panel=8),
    dict(columns=256, stages=3, store="staged", persistent=1, panel=8),
    dict(rows=64, columns=256, stages=4, threads=128, store="staged"),
    dict(rows=64, columns=128, stages=6, threads=128, store="staged"),
)


# The same for the program's own loop over tiles.
LOOPS = (
    dict(columns=256, stages=4),
    dict(columns=256, stages=3, store="staged"),
    dict(columns=128, stages=4, store="staged"),
    dict(rows=64, columns=256, stages=4, threads=128, store="staged"),
)


def candidates(p):
    """Lists of the programs that together solve a problem."""
    few = p.copies / p.experts < 128
    if p.family in ("product", "fp8"):
        element = dict(element=FP8, tb=True, scaled=True, depth=128) if p.family == "fp8" else dict(tb=True)
        found = changed(Grouped(form="table", **element), *TILES) + changed(Grouped(form="table", loop=True, **element), *LOOPS)
        return [[f] for f in found + changed(Grouped(**element), *TILES[6:7])]
    if p.family == "input_gradient":
        # W is [E, N, K] as the forward product has it, and what is summed are its rows.
        return [[f] for f in changed(Grouped(form="table", tb=False), *TILES) + changed(Grouped(form="table", loop=True), *LOOPS)]
    if p.family == "gate_up":
        tiles = (dict(), dict(stages=3, persistent=1, panel=8, store="staged"), dict(stages=4, columns=64, store="staged"))
        tiles += (dict(persistent=1, panel=8), dict(rows=64, threads=128, stages=4, store="staged"))
        base = Grouped(form="table", tb=True, gate=True, gather=True)
        return [[f] for f in changed(base, *tiles) + changed(base, dict(stages=3, store="staged", loop=True), dict(rows=64, threads=128, store="staged", loop=True))]
    if p.family == "down":
        tiles = (dict(columns=128), dict(columns=256), dict(columns=256, persistent=1, panel=8), dict(rows=64, columns=256, threads=128))
        added = changed(Grouped(form="table", tb=True, weighted=True, store="add"), *tiles)
        ordered = changed(Grouped(form="table", tb=True), *TILES)
        return [[f] for f in added] + [[f, Combine(k=p.k)] for f in ordered]
    if p.family == "masked":
        tiles = (dict(rows=64, threads=128, columns=c, stages=s) for c, s in ((64, 8), (128, 4), (128, 6), (256, 4)))
        return [[f] for f in changed(Grouped(form="masked", tb=True), *tiles, dict(columns=128, stages=4))]
    if p.family == "weight_gradient":
        found = [WeightGradient(out="bf16", tail=t, columns=c, persistent=q) for t in ("rest", "view", "mask") for c in (128, 256) for q in (0, 1)]
        # Blocks that are neighbours share tiles, by the L2 cache or by a cluster.
        base = WeightGradient(out="bf16", tail="rest", columns=256, stages=3, persistent=1, panel=8)
        for r, c in ((32, ()), (32, (1, 2)), (32, (2, 1)), (16, (1, 2)), (0, (1, 2))):
            found += [dataclasses.replace(base, rest=r, cluster=c)]
        for r, c in ((0, ()), (0, (1, 2)), (32, (1, 2)), (32, (2, 1))):
            found += [dataclasses.replace(base, columns=128, stages=5, rest=r, cluster=c)]
        return [[f] for f in found]
    if p.family == "block":
        base = BlockScaled(scales=p.scales)
        tiles = [dict(), dict(persistent=1, panel=8), dict(persistent=1, panel=8, stages=5), dict(columns=64, persistent=1, panel=8, stages=6)]
        tiles += [dict(rows=64, threads=128, stages=5), dict(rows=64, columns=64, threads=128, stages=6)]
        tiles += [dict(parts=2, stages=s, persistent=1, panel=8) for s in (2, 3)] + [dict(parts=2, rows=64, threads=128, stages=3)]
        return [[f] for f in changed(base, *tiles)]
    if p.family == "block_experts":
        base = BlockScaled(form="table", scales=p.scales)
        return [[f] for f in changed(base, dict(), dict(persistent=1, panel=8, store="staged"), dict(persistent=1, panel=8), dict(rows=64, threads=128, stages=5, store="staged"), dict(parts=2, stages=2, persistent=1, panel=8, store="staged"))]
    if p.family == "gating":
        shapes = ((4, 128), (8, 128), (8, 256), (16, 128))
        return [[Gate(p.experts, p.k, rows=r, threads=t, warps=w)] for r, t in shapes for w in (False, True)]
    if p.family == "route":
        rows = 64 if few else 128
        return [[Count(p.experts, c), Offsets(p.experts, rows), Place(p.experts, p.k, c, o)] for c, o in ((1024, False), (1024, True), (4096, False))]
    if p.family == "combine":
        return [[Combine(k=p.k, rows=r, columns=c, threads=t)] for r, c, t in ((4, 1024, 256), (1, 2048, 256), (1, 1024, 128), (2, 1024, 128))]
    if p.family == "cast":
        return [[Cast(scales=p.scales, rows=r, groups=g, threads=t)] for r, g, t in ((16, 8, 256), (4, 8, 128), (8, 4, 128), (16, 4, 256), (4, 56, 256))]
    raise ValueError(f"unknown family {p.family}")


def programs(problems):
    return [program for p in problems for chain in candidates(p) for program in chain]
