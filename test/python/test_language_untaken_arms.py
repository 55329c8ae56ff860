# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.if_then_else and casts: the arm that is not taken reads nothing outside, a narrower type cuts numbers off
wherever they are used."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ("cpu", "lowered:sm_90a")
EIGHT = np.arange(8)
pytestmark = pytest.mark.parametrize("target", TARGETS)


ARMS = {
    "then": (lambda f, i: T.if_then_else(i < 4, f[i + 4], 7), np.where(EIGHT < 4, EIGHT + 4, 7)),
    "otherwise": (lambda f, i: T.if_then_else(i < 4, 7, f[i - 4]), np.where(EIGHT < 4, 7, EIGHT - 4)),
    "sum": (lambda f, i: T.if_then_else(i >= 3, f[i - 3] + 1, 0), np.where(EIGHT >= 3, EIGHT - 2, 0)),
    "inside": (lambda f, i: T.if_then_else(i < 4, f[i], f[7 - i]), np.where(EIGHT < 4, EIGHT, 7 - EIGHT)),
    "and": (
        lambda f, i: T.cast(T.And(i < 4, f[i + 4] > 5), "int32"),
        (EIGHT < 4) & (EIGHT + 4 > 5),
    ),
    "or": (lambda f, i: T.cast(T.Or(i >= 4, f[i + 4] > 5), "int32"), (EIGHT >= 4) | (EIGHT + 4 > 5)),
}  # fmt: skip


@pytest.mark.parametrize("space", ["fragment", "shared", "global"])
@pytest.mark.parametrize("name", ARMS)
def test_arms(name, space, target):
    value, expected = ARMS[name]

    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=32):
            if space == "global":
                for i in T.Parallel(8):
                    B[i] = value(A, i)
            else:
                f = (T.alloc_fragment if space == "fragment" else T.alloc_shared)((8,), "int32")
                T.copy(A, f)
                for i in T.Parallel(8):
                    B[i] = value(f, i)

    found = np.full(8, -1, np.int32)
    compile_kernel(main, target=target)(EIGHT.astype(np.int32), found)
    np.testing.assert_array_equal(found, expected.astype(np.int32))


def test_place_that_memory_says(target):
    """Nothing is known of the index but what the condition says."""

    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), I: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=32):
            f = T.alloc_fragment((8,), "int32")
            T.copy(A, f)
            for i in T.Parallel(8):
                B[i] = T.if_then_else(T.And(I[i] >= 0, I[i] < 8), f[I[i]], 9)

    places = np.array([0, -1, 7, 8, 1 << 30, 3, -(1 << 31), 5], np.int32)
    found = np.zeros(8, np.int32)
    compile_kernel(main, target=target)(EIGHT.astype(np.int32) * 2, places, found)
    inside = (places >= 0) & (places < 8)
    np.testing.assert_array_equal(found, np.where(inside, places * 2, 9))


def narrow(i):
    return T.cast(T.cast(i, "int64") * 3000000000, "int32")


CUT = (EIGHT.astype(np.int64) * 3000000000).astype(np.int32)
CASTS = {
    "value": (narrow, CUT),
    "remainder": (lambda i: narrow(i) % 100, CUT % 100),
    "quotient": (lambda i: narrow(i) // 7, CUT // 7),
    "sum": (lambda i: T.cast(narrow(i), "int64") + i, CUT.astype(np.int64) + EIGHT),
    "negative": (lambda i: T.if_then_else(narrow(i) < 0, 1, 0), CUT < 0),
    "compared": (lambda i: T.if_then_else(narrow(i) > i * 1000, 1, 0), CUT > EIGHT * 1000),
    "greatest": (lambda i: T.max(narrow(i), i), np.maximum(CUT, EIGHT)),
    "kept": (lambda i: T.cast(T.cast(i, "int64") * 300000000, "int32") % 77, EIGHT * 300000000 % 77),
}


@pytest.mark.parametrize("name", CASTS)
def test_casts(name, target):
    value, expected = CASTS[name]

    @T.prim_func
    def main(B: T.Tensor((8,), "int64")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(8):
                B[i] = T.cast(value(i), "int64")

    found = np.zeros(8, np.int64)
    compile_kernel(main, target=target)(found)
    np.testing.assert_array_equal(found, np.asarray(expected).astype(np.int64))


def test_cast_of_a_size(target):
    """A size of 64 bits, cut to 32, chooses the element."""

    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32"), n: T.int64):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(8):
                B[i] = A[T.cast(n + i, "int32")] + T.cast(n, "int32") % 5

    found = np.zeros(8, np.int32)
    compile_kernel(main, target=target)(EIGHT.astype(np.int32) + 1, found, (1 << 32) + 3)
    np.testing.assert_array_equal(found, np.where(EIGHT < 5, EIGHT + 4, 0) + 3)
