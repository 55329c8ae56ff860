# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.isnullptr: arguments that may be absent."""

import numpy as np
import pytest
import tilelang_style  # noqa: F401  (the stand-in for torch)

import mlir_tile as tilelang
import mlir_tile.language as T
from mlir_tile.errors import ArgumentError, CompileError
from mlir_tile.jit import compile as compile_kernel


def _biased():
    @T.prim_func
    def main(
        A: T.Tensor((8, 4), "int32"),
        bias: T.Tensor((4,), "int32"),
        scale: T.Tensor((4,), "int32"),
        C: T.Tensor((8, 4), "int32"),
    ):
        with T.Kernel(8, threads=32) as b:
            for i in T.Parallel(4):
                value = A[b, i]
                if not T.isnullptr(bias):
                    value += bias[i]
                if not T.isnullptr(scale.data):
                    value *= scale[i]
                C[b, i] = value

    return main


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_80"])
def test_tensors_may_be_absent(target):
    kernel = compile_kernel(_biased(), target=target)
    a = np.arange(32, dtype=np.int32).reshape(8, 4)
    bias, scale = np.array([10, 20, 30, 40], np.int32), np.array([2, 3, 4, 5], np.int32)
    for _ in range(2):
        for x in (bias, None):
            for y in (scale, None):
                c = np.zeros_like(a)
                kernel(a, x, y, c)
                expected = (a + (0 if x is None else x)) * (1 if y is None else y)
                np.testing.assert_array_equal(c, expected)


def test_each_set_of_arguments_is_compiled_once():
    kernel = compile_kernel(_biased(), target="cpu")
    a, c = np.ones((8, 4), np.int32), np.zeros((8, 4), np.int32)
    for _ in range(3):
        kernel(a, None, None, c)
        kernel(a, a[0].copy(), None, c)
    assert len(kernel._without) == 2


def test_what_is_used_without_a_question_is_needed():
    kernel = compile_kernel(_biased(), target="cpu")
    bias = np.zeros(4, np.int32)
    with pytest.raises(ArgumentError, match=r"argument 0 \('A'\) is None, but the kernel uses it"):
        kernel(None, bias, bias.copy(), np.zeros((8, 4), np.int32))
    with pytest.raises(ArgumentError, match=r"argument 0 \('A'\) is None, but the kernel uses it"):
        kernel(None, None, None, np.zeros((8, 4), np.int32))


def test_outputs_are_made_without_the_argument():
    kernel = compile_kernel(_biased(), out_idx=[3], target="cpu")
    a, bias = np.ones((8, 4), np.int32), np.full(4, 5, np.int32)
    assert (kernel(a, bias, None) == 6).all()
    assert (kernel(a, None, None) == 1).all()
    assert (kernel(a, bias, bias.copy()) == 30).all()


def test_addresses_may_be_zero():
    @T.prim_func
    def main(P: T.ptr, C: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=32):
            if T.isnullptr(P):
                T.fill(C, 7)
            else:
                T.copy(T.make_tensor(P, (8,), "int32"), C)

    kernel = compile_kernel(main, target="cpu")
    x, c = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    for address, expected in ((x.ctypes.data, x), (0, 7), (None, 7), (x.ctypes.data, x)):
        kernel(address, c)
        assert (c == expected).all()


def test_addresses_of_a_table_are_compared_by_the_kernel():
    @T.prim_func
    def main(P: T.Tensor((3,), T.ptr), C: T.Tensor((3,), "int32")):
        with T.Kernel(3, threads=32) as b:
            address = P[b]
            C[b] = -1
            if not T.isnullptr(address):
                X = T.make_tensor(address, (4,), "int32")
                C[b] = X[2]

    x, y = np.arange(4, dtype=np.int32), np.arange(4, dtype=np.int32) * 10
    table = np.array([x.ctypes.data, 0, y.ctypes.data], np.int64)
    c = np.zeros(3, np.int32)
    compile_kernel(main, target="cpu")(table, c)
    assert c.tolist() == [2, -1, 20]


def test_eager_kernels_ask_too():
    @tilelang.jit(target="cpu")
    def add(A, B):
        n = T.const("n")
        A: T.Tensor((n,), "float32")
        B: T.Tensor((n,), "float32")
        C = T.empty((n,), "float32")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                C[i] = A[i] if T.isnullptr(B) else A[i] + B[i]
        return C

    x = np.ones(16, np.float32)
    assert [float(add(x, y)[0]) for y in (x, None, x, None)] == [2, 1, 2, 1]


def test_other_values_are_no_pointers():
    with pytest.raises(CompileError, match="nulls.py:.*expected an argument or an address"):

        @T.prim_func
        def value(A: T.Tensor((8,), "int32")):
            with T.Kernel(1, threads=32) as b:
                if T.isnullptr(b + 1):
                    A[0] = 1

    with pytest.raises(CompileError, match="T.isnullptr: shared is no argument of the kernel"):

        @T.prim_func
        def tile(A: T.Tensor((8,), "int32")):
            with T.Kernel(1, threads=32):
                shared = T.alloc_shared((8,), "int32")
                if T.isnullptr(shared):
                    A[0] = 1


def test_absent_tensors_whose_shape_is_computed():
    """N is nothing but a part of the shape of a tensor that is not there: 0, as TileLang has it."""
    N, L = T.dynamic("N"), T.dynamic("L")

    @T.prim_func
    def main(
        x: T.Tensor((L,), "float32"),
        out: T.Tensor((L,), "float32"),
        starts: T.Tensor((N + 1,), "int32"),
    ):
        with T.Kernel(T.ceildiv(L, 32), threads=32) as b:
            for i in T.Parallel(32):
                if b * 32 + i < L:
                    out[b * 32 + i] = x[b * 32 + i] * 2.0

    x = np.arange(70, dtype=np.float32)
    for starts in (None, np.array([0, 70], np.int32)):
        out = np.zeros_like(x)
        compile_kernel(main, target="cpu")(x, out, starts)
        assert (out == x * 2).all()
