# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several iterations that update one element, under conditions: combined into one update, which keeps them."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a", "lowered:sm_80"]


def run(main, target, *arguments):
    compile_kernel(main, target=target)(*arguments)


@pytest.mark.parametrize("target", TARGETS)
def test_rows_beyond_the_last(target):
    """The condition is of the element: it is asked once more."""
    rows = T.dynamic("rows")

    @T.prim_func
    def main(A: T.Tensor((rows, 64), "float32"), W: T.Tensor((rows,), "float32")):
        with T.Kernel(T.ceildiv(rows, 8), threads=64) as b:
            for i, j in T.Parallel(8, 64):
                T.atomic_add(W[b * 8 + i], A[b * 8 + i, j])

    sums = np.zeros(13, np.float32)
    run(main, target, np.ones((13, 64), np.float32), sums)
    np.testing.assert_array_equal(sums, np.full(13, 64, np.float32))


@pytest.mark.parametrize("target", TARGETS)
def test_both_dimensions_guarded(target):
    """The condition is of what is summed, too: whether any iteration updates is combined as well."""
    rows, columns = 45, 37

    @T.prim_func
    def main(G: T.Tensor((rows, columns), "float32"), D: T.Tensor((columns,), "float32")):
        with T.Kernel(2, 3, threads=128) as (bx, by):
            for i, j in T.Parallel(16, 32):
                if by * 16 + i < rows and bx * 32 + j < columns:
                    T.atomic_add(D[bx * 32 + j], G[by * 16 + i, bx * 32 + j])

    sums, data = np.zeros(columns, np.float32), np.ones((rows, columns), np.float32)
    run(main, target, data, sums)
    np.testing.assert_array_equal(sums, data.sum(0))


@pytest.mark.parametrize("space", ["fragment", "shared"])
@pytest.mark.parametrize("target", TARGETS)
def test_tiles_of_fewer_rows(target, space):
    @T.prim_func
    def main(A: T.Tensor((16, 64), "float32"), B: T.Tensor((10,), "float32")):
        with T.Kernel(1, threads=64):
            total = (T.alloc_fragment if space == "fragment" else T.alloc_shared)((10,), "float32")
            T.clear(total)
            for i, j in T.Parallel(16, 64):
                if i < 10:
                    total[i] += A[i, j]
            T.copy(total, B)

    sums = np.zeros(10, np.float32)
    run(main, target, np.arange(1024, dtype=np.float32).reshape(16, 64), sums)
    np.testing.assert_array_equal(sums, np.arange(1024).reshape(16, 64).sum(1)[:10])


@pytest.mark.parametrize("target", TARGETS)
def test_no_iteration_updates(target):
    """An element that nothing updates stays as it is: NaN, too."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), W: T.Tensor((2,), "float32"), n: T.int32):
        with T.Kernel(1, threads=32):
            for k in T.serial(2):
                for i in T.Parallel(64):
                    if i + k * 64 < n:
                        T.atomic_max(W[k], A[i])

    found = np.array([0.0, np.nan], np.float32)
    run(main, target, np.arange(64, dtype=np.float32), found, 10)
    assert found[0] == 9 and np.isnan(found[1])
