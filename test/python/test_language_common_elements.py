# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that several iterations of T.Parallel name; fragments of single threads."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

pytestmark = pytest.mark.parametrize("target", ("cpu", "lowered:sm_90a"))
M, N = 64, 32
rng = np.random.default_rng(0)


def run(function, target, *arrays):
    compile_kernel(function, target=target)(*arrays)
    return arrays[-1]


def test_sums_with_and_without_a_condition(target):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), n: T.int32, O: T.Tensor((4, M), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((M, N), "float32")
            acc = [T.alloc_fragment((M,), "float32") for _ in range(4)]
            T.copy(X, x)
            for each in acc:
                T.clear(each)
            for i, j in T.Parallel(M, N):
                acc[0][i] += x[i, j]
            for i, j in T.Parallel(M, N):
                if j < n:
                    acc[1][i] -= x[i, j]
                    acc[2][i] = T.max(acc[2][i], x[i, j])
            for i, j in T.Parallel(M, N):
                if x[i, j] > 0:
                    acc[3][i] = acc[3][i] + x[i, j] + 1.0
            for i in T.Parallel(M):
                O[0, i], O[1, i] = acc[0][i], acc[1][i]
                O[2, i], O[3, i] = acc[2][i], acc[3][i]

    x = rng.integers(-4, 5, (M, N)).astype(np.float32)
    found = run(main, target, x, 20, np.zeros((4, M), np.float32))
    part = x[:, :20]
    want = [x.sum(1), -part.sum(1), part.max(1).clip(0), np.where(x > 0, x + 1, 0).sum(1)]
    assert (found == np.stack(want)).all()


def test_the_iteration_that_a_condition_picks(target):
    @T.prim_func
    def main(
        X: T.Tensor((M, N), "float32"), L: T.Tensor((M,), "int32"), O: T.Tensor((3, M), "float32")
    ):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((M, N), "float32")
            one = T.alloc_fragment((M,), "float32")
            last = T.alloc_fragment((M,), "float32")
            scalar = T.alloc_fragment((1,), "float32")
            T.copy(X, x)
            T.fill(one, 9.0)
            T.clear(last)
            T.clear(scalar)
            for i, j in T.Parallel(M, N):
                if j == L[i]:
                    one[i] = x[i, j]
            for i, j in T.Parallel(M, N):
                if j == N - 1:
                    last[i] = last[i] * 2.0 + x[i, j]
            for i in T.Parallel(M):
                if i == 5:
                    scalar[0] = one[i]
            for i in T.Parallel(M):
                O[0, i] = one[i]
                O[1, i] = last[i]
                O[2, i] = scalar[0] + 1.0

    x = rng.integers(-4, 5, (M, N)).astype(np.float32)
    labels = rng.integers(0, N + 2, M).astype(np.int32)
    found = run(main, target, x, labels, np.zeros((3, M), np.float32))
    one = np.where(labels < N, x[np.arange(M), labels.clip(0, N - 1)], 9)
    assert (found[0] == one).all() and (found[1] == x[:, -1]).all() and (found[2] == one[5] + 1).all()


def test_the_place_of_the_greatest_in_the_order_of_the_loop(target):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), O: T.Tensor((2, M), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_shared((M, N), "float32")
            best = T.alloc_fragment((M,), "float32")
            at = T.alloc_fragment((M,), "int32")
            T.copy(X, x)
            T.fill(best, -100.0)
            T.clear(at)
            for i, j in T.Parallel(M, N):
                if x[i, j] > best[i]:
                    best[i] = x[i, j]
                    at[i] = j
            for i in T.Parallel(M):
                O[0, i] = best[i]
                O[1, i] = at[i]

    x = rng.integers(-4, 5, (M, N)).astype(np.float32)
    found = run(main, target, x, np.zeros((2, M), np.float32))
    assert (found[0] == x.max(1)).all() and (found[1] == x.argmax(1)).all()


def test_a_fragment_of_each_thread(target):
    @T.prim_func
    def main(X: T.Tensor((3, 64), "float32"), O: T.Tensor((3, 64), "float32")):
        with T.Kernel(3, threads=32) as b:
            t = T.get_thread_binding(0)
            p = T.alloc_fragment((1,), "float32")
            T.clear(p)
            for j in T.serial(2):
                p[0] += X[b, t * 2 + j]
            total = T.warp_reduce_sum(p[0])
            for j in T.serial(2):
                O[b, t * 2 + j] = total - p[0]

    x = rng.integers(-4, 5, (3, 64)).astype(np.float32)
    found = run(main, target, x, np.zeros((3, 64), np.float32))
    assert (found == x.sum(1)[:, None] - np.repeat(x.reshape(3, 32, 2).sum(2), 2, 1)).all()


def test_threads_that_unrolled_rounds_pick(target):
    @T.prim_func
    def main(X: T.Tensor((2, 4), "float32"), O: T.Tensor((2, 4), "float32")):
        with T.Kernel(2, threads=128) as b:
            tx = T.thread_binding(128, "threadIdx.x")
            for g in T.unroll(4):
                if tx == g:
                    O[b, g] = X[b, g] * 2.0

    x = rng.integers(-4, 5, (2, 4)).astype(np.float32)
    assert (run(main, target, x, np.zeros((2, 4), np.float32)) == 2 * x).all()
