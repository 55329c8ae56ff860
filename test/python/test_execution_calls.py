# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of functions with several kernels, and promises of their arguments."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.errors import LaunchError
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a"]


@pytest.mark.parametrize("target", TARGETS)
def test_each_kernel_runs_once_where_arguments_overlap(target):
    @T.prim_func
    def main(
        A: T.Tensor((4,), "float32"),
        B: T.Tensor((4,), "float32"),
        W: T.Tensor((4,), "float32"),
        V: T.Tensor((4,), "float32"),
    ):
        with T.Kernel(1, threads=1):
            for i in T.serial(4):
                W[i] += A[i]
        with T.Kernel(1, threads=1):
            for i in T.serial(4):
                B[i] = A[i] * 2
        with T.Kernel(1, threads=1):
            for i in T.serial(4):
                W[i] += 10
        with T.Kernel(1, threads=1):
            for i in T.serial(4):
                V[i] += W[i]

    kernel = compile_kernel(main, target=target)
    for _ in range(2):  # the second call finds the kernels for overlapping arguments
        x, w = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
        kernel(x, x, w, w)
        np.testing.assert_array_equal(x, [0, 2, 4, 6])
        np.testing.assert_array_equal(w, [20, 22, 24, 26])
    x, y, w, v = (np.ones(4, np.float32) for _ in range(4))
    kernel(x, y, w, v)
    np.testing.assert_array_equal(np.stack([y, w, v]), [[2] * 4, [12] * 4, [13] * 4])


def test_promises_of_numpys_numbers():
    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), n: T.int32, x: T.float32, u: T.uint32):
        T.assume(n % 4 == 0)
        T.assume(x > 0.5)
        T.assume(u > 5)
        with T.Kernel(1, threads=1):
            for i in T.serial(n):
                A[i] = i + T.cast(u >> 31, "int32")

    kernel, data = compile_kernel(main, target="cpu"), np.zeros(8, np.int32)
    for n, x, u in ((6, 1.0, 6), (np.int32(6), 1.0, 6), (4, np.float32(0.25), 6), (4, 1.0, 5)):
        with pytest.raises(LaunchError, match="does not hold"):
            kernel(data, n, x, u)
    kernel(data, np.int32(4), np.float32(1), 0x80000000)
    np.testing.assert_array_equal(data, [1, 2, 3, 4, 0, 0, 0, 0])
