# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention programs (benchmarks/tilebench/attention.py) on the CPU against a reference written here; see printed.py."""

import math

import printed
from tilebench.attention import Attention

# element, D, causal, queries a block, keys a step, stages, heads, S
CASES = [
    ("f16", 64, False, 64, 64, 2, 2, 64),
    ("f16", 64, True, 64, 64, 2, 2, 101),
    ("bf16", 64, False, 64, 32, 3, 1, 77),
    ("bf16", 128, True, 64, 64, 2, 1, 130),
    ("f16", 128, False, 64, 128, 1, 1, 65),
    ("bf16", 64, True, 64, 64, 2, 3, 1),
]
# Units of the weights and of the result: weights are rounded to the element type before the second product.
UNIT = {"f16": 2.0**-10, "bf16": 2.0**-7}


def attention(q, k, v, heads, s, d, causal):
    """The result, and its magnitude: the weighted absolute values; by head, row and element."""
    out, size = {}, {}
    for h in range(heads):
        rows = [[x[(h * s + i) * d : (h * s + i + 1) * d] for i in range(s)] for x in (q, k, v)]
        for i in range(s):
            keys = i + 1 if causal else s
            scores = [sum(map(float.__mul__, rows[0][i], rows[1][j])) / math.sqrt(d) for j in range(keys)]
            top = max(scores)
            weights = [math.exp(x - top) for x in scores]
            total = math.fsum(weights)
            for e in range(d):
                out[h, i, e] = math.fsum(w * rows[2][j][e] for j, w in enumerate(weights)) / total
                size[h, i, e] = math.fsum(w * abs(rows[2][j][e]) for j, w in enumerate(weights)) / total
    return out, size


def check(element, d, causal, rows, keys, stages, heads, s):
    program = Attention(
        element=element, d=d, causal=causal, rows=rows, keys=keys, stages=stages, threads=128, accurate=True
    )
    shape = f"{heads}x{s}x{d}"
    args = ",".join(f"{name}={shape}:normal:{seed}" for seed, name in enumerate("QKV", 1))
    found = printed.results(program, ("h", "m"), (rows, d), f"{args},O={shape}")
    if isinstance(found, str):
        return found
    got = {(h, m + i, e): value for (h, m), i, e, value in found if 0 <= m + i < s}
    data = [printed.normal(seed, heads * s * d, element) for seed in (1, 2, 3)]
    want, size = attention(*data, heads, s, d, causal)
    return printed.compare(got, want, lambda at: UNIT[element] * size[at] + 1e-5)


printed.main(CASES, check)
