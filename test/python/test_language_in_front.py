# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions on sizes (T.const) in front of T.Kernel, which Python decides once the sizes are known; numbers of NumPy."""

import numpy as np
import pytest

import mlir_tile as tilelang
import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError


@tilelang.jit(target="cpu")
def blocked(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    if N > 1000:
        raise ValueError("too large")
    if N % 2:
        assert N == 1, "odd"
    block = 32
    if N > 64:
        block = 128
    elif N > 32:
        block = 64
    kind = "float32" if N > 3 else "float64"
    B = T.empty((N,), kind)
    with T.Kernel(T.ceildiv(N, block), threads=32) as bx:
        for i in T.Parallel(block):
            if bx * block + i < N:
                B[bx * block + i] = A[bx * block + i] + block
    return B


def test_if_on_a_size():
    for size, block in ((2, 32), (40, 64), (100, 128), (32, 32)):
        result = blocked(np.ones(size, np.float32))
        np.testing.assert_array_equal(result, np.full(size, block + 1))
        assert result.dtype == (np.float32 if size > 3 else np.float64)


def test_what_is_raised_on_a_size():
    with pytest.raises(ValueError, match="too large"):
        blocked(np.ones(1002, np.float32))
    with pytest.raises(AssertionError, match="odd"):
        blocked(np.ones(3, np.float32))


def test_a_loop_over_a_size():
    @tilelang.jit(target="cpu")
    def each(A):
        N = T.const("N")
        A: T.Tensor((N,), "float32")
        for i in range(N):
            with T.Kernel(1, threads=32):
                A[i] = A[i] + i

    a = np.ones(3, np.float32)
    each(a)
    assert a.tolist() == [1, 2, 3]


def test_what_only_the_kernel_knows():
    @tilelang.jit(target="cpu")
    def scaled(A, s):
        A: T.Tensor((4,), "float32")
        s: T.int32
        block = 32
        if s > 64:
            block = 128
        with T.Kernel(1, threads=block):
            A[0] = 1.0

    line = scaled.function.__code__.co_firstlineno + 5
    with pytest.raises(LanguageError, match="known only when the kernel runs") as error:
        scaled(np.ones(4, np.float32), 3)
    assert str(error.value).startswith(f"{__file__}:{line}:9: ")
    assert "x if condition else y" in str(error.value)


def test_while_in_front():
    def main(A: T.Tensor((4,), "float32")):
        block = 1
        while block < 4:
            block *= 2
        with T.Kernel(1, threads=32):
            A[0] = block

    with pytest.raises(LanguageError, match="`while` in front of T.Kernel is not supported"):
        T.prim_func(main)


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_numbers_of_numpy_are_assigned(target):
    @T.macro
    def put(place: T.Ref):
        place = np.int16(7)

    @T.prim_func
    def main(A: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=1):
            v = T.alloc_var("int32", init=0)
            for _ in T.serial(3):
                v = np.int32(4)
            A[0] = v
            v = np.float32(5.0)
            A[1] = v
            v = np.array(6)
            A[2] = v
            v += np.int64(1)
            A[3] = v
            put(A[4])

    a = np.zeros(8, np.int32)
    compile_kernel(main, target=target)(a)
    assert a.tolist() == [4, 5, 6, 7, 7, 0, 0, 0]
