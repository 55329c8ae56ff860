# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.assume_rows: warps skip what is left of an iteration where it matters for no row of theirs."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.explain import explain
from mlir_tile.jit import compile as compile_kernel

ROWS, KEYS, D, THREADS = 192, 64, 64, 384


def attention(length, promises):
    """Causal attention as TileLang's examples write it, with rows dealt out from the last one up."""
    blocks, scale = -(-length // ROWS), 1.44269504 / D**0.5

    @T.prim_func
    def main(
        Q: T.Tensor((length, D), "float16"),
        K: T.Tensor((length, D), "float16"),
        V: T.Tensor((length, D), "float16"),
        O: T.Tensor((length, D), "float32"),
    ):
        with T.Kernel(blocks, threads=THREADS) as by:
            q = T.alloc_shared((ROWS, D), "float16")
            k = T.alloc_shared((KEYS, D), "float16")
            v = T.alloc_shared((KEYS, D), "float16")
            s = T.alloc_fragment((ROWS, KEYS), "float32")
            p = T.alloc_fragment((ROWS, KEYS), "float16")
            acc = T.alloc_fragment((ROWS, D), "float32")
            top, before = T.alloc_fragment((ROWS,), "float32"), T.alloc_fragment((ROWS,), "float32")
            total, part = T.alloc_fragment((ROWS,), "float32"), T.alloc_fragment((ROWS,), "float32")
            m = by * ROWS
            T.copy(Q[m : m + ROWS, :], q)
            T.clear(acc)
            T.clear(total)
            T.fill(top, -1e30)
            for n in T.Pipelined(T.ceildiv(T.min(m + ROWS, length), KEYS), num_stages=2):
                T.copy(K[n * KEYS : (n + 1) * KEYS, :], k)
                T.copy(V[n * KEYS : (n + 1) * KEYS, :], v)
                if promises:
                    T.assume_rows(n * KEYS - m, length - m, ROWS)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(ROWS, KEYS):
                    s[i, j] = T.if_then_else(n * KEYS + j <= m + i, s[i, j], -1e30)
                T.copy(top, before)
                T.reduce_max(s, top, dim=1, clear=False)
                for i, j in T.Parallel(ROWS, KEYS):
                    s[i, j] = T.exp2((s[i, j] - top[i]) * scale)
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(ROWS):
                    total[i] = total[i] * T.exp2((before[i] - top[i]) * scale) + part[i]
                for i, j in T.Parallel(ROWS, D):
                    acc[i, j] *= T.exp2((before[i] - top[i]) * scale)
                T.copy(s, p)
                T.gemm(p, v, acc)
            for i, j in T.Parallel(ROWS, D):
                acc[i, j] /= total[i]
            T.copy(acc, O[m : m + ROWS, :])

    return main


@pytest.mark.parametrize("target", ("cpu", "lowered:sm_90a"))
@pytest.mark.parametrize("length", (64, 300))
def test_causal_attention(target, length):
    rng = np.random.default_rng(length)
    q, k, v = (rng.standard_normal((length, D)).astype(np.float16) for _ in range(3))
    found = np.full((length, D), np.nan, np.float32)
    compile_kernel(attention(length, True), target=target)(q, k, v, found)
    scores = q.astype(np.float64) @ k.astype(np.float64).T / D**0.5
    scores[np.triu_indices(length, 1)] = -np.inf
    weights = np.exp(scores - scores.max(1, keepdims=True))
    want = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)
    assert np.abs(found - want).max() < 5e-3


def test_the_promise_is_used_and_only_it():
    with_it, without = (explain(attention(300, each), "sm_90a") for each in (True, False))
    words = "leaves the loop once it has none of the rows"
    decisions = [" ".join(each.decision for each in x.decisions) for x in (with_it, without)]
    assert words in decisions[0] and words not in decisions[1]


def test_rows_have_to_be_known():
    with pytest.raises(Exception, match="expected a known number of rows, at least 1, got 0"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=128):
                T.assume_rows(0, 64, 0)
