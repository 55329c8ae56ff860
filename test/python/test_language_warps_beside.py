# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arms of an `if` on the thread's index that have work of the block: warps do theirs at a time."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_80", "lowered:sm_90a"]
COLUMNS, STEPS = 64, 6


def _softmax_beside_sums(shared_result=False, common=False, threads=96, bound=32):
    """Warps in front of `bound` normalize a matrix of 4 x 4; the others add the rows of tiles,
    weighted by what all threads have put into shared memory."""

    @T.prim_func
    def main(
        W: T.Tensor((4, 4), "float32"),
        A: T.Tensor((4, STEPS * COLUMNS), "float32"),
        P: T.Tensor((4, 4), "float32"),
        S: T.Tensor((STEPS * COLUMNS,), "float32"),
    ):
        with T.Kernel(1, threads=threads):
            weights = T.alloc_shared((4, 4), "float32")
            T.copy(W, weights)
            both = T.alloc_fragment((4,), "float32")
            T.clear(both)
            if T.get_thread_binding() < bound:
                p = T.alloc_fragment((4, 4), "float32")
                total = T.alloc_fragment((4,), "float32")
                T.copy(weights, p)
                for _ in T.serial(3):
                    T.reduce_sum(p, total, dim=1)
                    for i, j in T.Parallel(4, 4):
                        p[i, j] = p[i, j] / total[i]
                if common:
                    for i in T.Parallel(4):
                        both[i] = total[i]
                if shared_result:
                    T.copy(p, weights)
                T.copy(p, P)
            else:
                for k in T.Pipelined(STEPS, num_stages=2):
                    tile = T.alloc_shared((4, COLUMNS), "float32")
                    rows = T.alloc_fragment((4, COLUMNS), "float32")
                    sums = T.alloc_fragment((COLUMNS,), "float32")
                    T.copy(A[0, k * COLUMNS], tile)
                    T.copy(tile, rows)
                    T.clear(sums)
                    for r in T.serial(4):
                        for j in T.Parallel(COLUMNS):
                            sums[j] += weights[r, r] * rows[r, j]
                    T.copy(sums, S[k * COLUMNS])
            if common:
                for i in T.Parallel(4):
                    P[i, 0] = P[i, 0] + both[i]

    return main


def _results(function, target):
    rng = np.random.default_rng(5)
    weights = rng.random((4, 4), dtype=np.float32) + 0.5
    a = rng.standard_normal((4, STEPS * COLUMNS)).astype(np.float32)
    p, s = np.full_like(weights, np.nan), np.full(STEPS * COLUMNS, np.nan, np.float32)
    kernel = compile_kernel(function, target=target)
    kernel(weights, a, p, s)
    expected = weights
    for _ in range(3):
        expected = expected / expected.sum(axis=1, keepdims=True)
    return kernel, (p, expected), (s, (np.diag(weights)[:, None] * a).sum(axis=0))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("bound", [32, 64])
def test_each_arm_is_the_program_of_its_warps(target, bound):
    kernel, *pairs = _results(_softmax_beside_sums(bound=bound), target)
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    text = str(kernel.get_ir())
    assert f"tile.on_warps 0 count {bound // 32} " in text
    assert f"tile.on_warps {bound // 32} count {3 - bound // 32} " in text


def _text(function):
    return str(compile_kernel(function, target="cuda:sm_90a").get_ir())


def test_one_after_the_other_where_an_arm_writes_what_the_other_reads():
    assert "tile.on_warps" not in _text(_softmax_beside_sums(shared_result=True))


def test_one_after_the_other_where_a_fragment_passes_between_an_arm_and_the_code_around():
    assert "tile.on_warps" not in _text(_softmax_beside_sums(common=True))
    kernel, (p, expected), (s, sums) = _results(_softmax_beside_sums(common=True), "lowered:sm_90a")
    np.testing.assert_allclose(p[:, 1:], expected[:, 1:], rtol=1e-5)
    np.testing.assert_allclose(s, sums, rtol=1e-5, atol=1e-5)


def test_one_after_the_other_where_an_arm_is_not_one_of_whole_warps():
    function = _softmax_beside_sums(bound=40)
    assert "tile.on_warps" not in _text(function)
    for found, expected in _results(function, "lowered:sm_90a")[1:]:
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
