# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices and slices that count from the end, of sizes that are known and of those that a call
chooses."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a"]
m, n = T.dynamic("m"), T.dynamic("n")


@T.macro
def elements(A, B):
    B[0] = A[-1, -2]
    B[-1] = 5
    B[-2] += A[0, -8]
    for i in T.serial(2):
        B[i + 1] = A[i - 2, i - 3]


@T.macro
def slices(A, B):
    s = T.alloc_shared((4,), "int32")
    T.copy(A[-1, -4:], s)
    T.copy(s[-2:], B[0:2])
    T.copy(A[-2, 1:-4], B[2:5])
    T.fill(B[-2:], 4)


@T.macro
def regions(A, B):
    row = A[1, 4:8]
    B[0] = row[-1]
    part = A[-2:, -4:]
    B[1] = part[-1, -1]
    B[2] = part[0, 0]
    inner = part[-1, 1:-1]
    B[3] = inner[0]
    B[4] = inner[-1]
    T.copy(part[-1, -2:], B[-3:-1])


@T.macro
def halo(A, B):
    for x in T.serial(1):
        row = A[0, x * 8 - 3 : x * 8 + 8]
        B[0] = row[3]
        B[1] = row[0]  # in front of the tensor, not at its end


CASES = {
    "elements": (elements, [30, 21, 30, 0, 0, 0, 100, 5]),
    "slices": (slices, [30, 31, 17, 18, 19, 0, 4, 4]),
    "regions": (regions, [15, 31, 20, 29, 30, 30, 31, 0]),
    "halo": (halo, [100, 0, 0, 0, 0, 0, 0, 0]),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(4, 8), (n, m)], ids=["known", "dynamic"])
@pytest.mark.parametrize("name", CASES)
def test_from_the_end(name, shape, target):
    body, expected = CASES[name]

    @T.prim_func
    def main(A: T.Tensor(shape, "int32"), B: T.Tensor(shape[1:], "int32")):
        with T.Kernel(1, threads=1):
            body(A, B)

    data, found = np.arange(32, dtype=np.int32).reshape(4, 8), np.zeros(8, np.int32)
    data[0, 0] = 100
    compile_kernel(main, target=target)(data, found)
    np.testing.assert_array_equal(found, expected)
