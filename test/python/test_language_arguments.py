# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of kernels: None for what is never touched, tables of addresses."""

import numpy as np
import pytest

import mlir_tile as tilelang
import mlir_tile.language as T
from mlir_tile.errors import ArgumentError, LaunchError
from mlir_tile.jit import compile as compile_kernel


def _bias(with_bias):
    @T.prim_func
    def main(
        A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")
    ):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                C[i] = A[i] + B[i] if with_bias else A[i]

    return compile_kernel(main, target="cpu")


def test_none_for_a_tensor_that_the_kernel_never_touches():
    a, c = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    _bias(False)(a, None, c)
    np.testing.assert_array_equal(c, a)


def test_none_for_a_tensor_that_the_kernel_reads():
    a, c = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    kernel = _bias(True)
    with pytest.raises(ArgumentError, match="argument 1 \\('B'\\) is None, but the kernel uses it"):
        kernel(a, None, c)
    kernel(a, a, c)
    np.testing.assert_array_equal(c, a + a)


def test_none_for_tensors_that_share_a_size():
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m,), "int32"), B: T.Tensor((m,), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            C[0] = m

    kernel = compile_kernel(main, target="cpu")
    x, c = np.zeros(7, np.int32), np.zeros(1, np.int32)
    for a, b in ((x, x), (x, None), (None, x)):
        c[0] = 0
        kernel(a, b, c)
        assert c[0] == 7
    with pytest.raises(LaunchError, match="at least one non-null buffer"):
        kernel(None, None, c)


def test_none_for_the_one_tensor_of_a_size():
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m,), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            C[0] = m + 5

    c = np.zeros(1, np.int32)
    compile_kernel(main, target="cpu")(None, c)
    assert c[0] == 5


def test_none_in_an_eager_kernel():
    @tilelang.jit(target="cpu")
    def twice(A, B, C):
        N = T.const("N")
        A: T.Tensor((N,), "float32")
        B: T.Tensor((N,), "float32")
        C: T.Tensor((N,), "float32")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N):
                C[i] = B[i] * 2.0

    b, c = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    twice(None, b, c)
    np.testing.assert_array_equal(c, b * 2)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_addresses(dtype):
    kind = T.dtype(dtype).as_numpy()

    @T.prim_func
    def main(a_ptr: T.ptr, b_ptr: T.ptr, m: T.int32, n: T.int32):
        A = T.make_tensor(a_ptr, (m, n), dtype)
        B = T.make_tensor(b_ptr, (n, m), dtype)
        with T.Kernel(m, threads=32) as bx:
            for i in T.Parallel(n):
                B[i, bx] = A[bx, i]

    bits = (np.arange(12) + 1).astype(np.float32).view(np.uint32).reshape(3, 4)
    a = bits.view(kind) if kind.itemsize == 4 else (bits >> 16).astype(np.uint16).view(kind)
    b = np.zeros((4, 3), kind)
    kernel = compile_kernel(main, target="cpu")
    kernel(a.ctypes.data, b.ctypes.data, 3, 4)
    np.testing.assert_array_equal(b.view(np.uint8), np.ascontiguousarray(a.T).view(np.uint8))
    kernel(a, b, 3, 4)
    with pytest.raises(ArgumentError, match="expected an address of a tensor"):
        kernel(0, b, 3, 4)


def test_a_function_says_which_arguments_are_tensors():
    @T.prim_func
    def main(A: T.Tensor((8, 4), "int32"), n: T.int32, B: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=32):
            B[0] = T.cast(A[0, 0] + n, "float32")

    found = {x.name: (str(x.dtype), list(x.shape)) for x in main.buffer_map.values()}
    assert found == {"A": ("int32", [8, 4]), "B": ("float32", [8])}
    assert [x in main.buffer_map for x in main.params] == [True, False, True]
