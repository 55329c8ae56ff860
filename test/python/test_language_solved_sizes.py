# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that no extent is by itself: they follow from extents that are sums of sizes, as in TileLang."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.errors import Error
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a"]


def behind():
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((m,), "float32"), B: T.Tensor((m + n,), "float32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as b:
            for i in T.Parallel(32):
                if b * 32 + i < n:
                    B[m + b * 32 + i] = 1.0 + b

    return main


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("first, second", [(5, 3), (40, 70), (3, 0), (0, 33)])
def test_what_a_sum_leaves(target, first, second):
    found = np.zeros(first + second, np.float32)
    compile_kernel(behind(), target=target)(np.zeros(first, np.float32), found)
    np.testing.assert_array_equal(found, [0] * first + [1 + i // 32 for i in range(second)])


@pytest.mark.parametrize("target", TARGETS)
def test_multiples_and_several_sizes(target):
    m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")

    @T.prim_func
    def main(
        A: T.Tensor((m, k), "int32"),
        B: T.Tensor((2 * m + 3 * n + k + 1, 4), "int32"),
        C: T.Tensor((3,), "int32"),
    ):
        with T.Kernel(1, threads=32):
            C[0], C[1], C[2] = m, n, k

    found = np.zeros(3, np.int32)
    b = np.zeros((2 * 5 + 3 * 4 + 7 + 1, 4), np.int32)
    compile_kernel(main, target=target)(np.zeros((5, 7), np.int32), b, found)
    np.testing.assert_array_equal(found, [5, 4, 7])


def ends(target, kernel, *arguments):
    """The CPU says what does not fit; lowered, a negative number of elements is none."""
    if target == "cpu":
        with pytest.raises(Error, match="assumed a"):
            compile_kernel(kernel, target=target)(*arguments)
        return
    compile_kernel(kernel, target=target)(*arguments)
    np.testing.assert_array_equal(arguments[-1], 0)


@pytest.mark.parametrize("target", TARGETS)
def test_extents_that_do_not_fit_together(target):
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def behind(A: T.Tensor((m,), "float32"), B: T.Tensor((m + n,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[m + i] = 1.0

    ends(target, behind, np.zeros(9, np.float32), np.zeros(8, np.float32))

    @T.prim_func
    def multiple(B: T.Tensor((2 * n + 3,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[2 * i] = 1.0

    ends(target, multiple, np.zeros(2, np.float32))
