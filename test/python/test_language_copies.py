# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of regions whose extents are known at run time, or differ."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.errors import CompileError
from mlir_tile.language.errors import LanguageError
from mlir_tile.jit import compile as compile_kernel

TARGETS = ("cpu", "lowered:sm_90a")


def run(function, *arrays, target="cpu"):
    compile_kernel(function, target=target)(*arrays)
    return arrays[-1]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("count", [0, 5, 40, 64])
def test_a_count_of_run_time(target, count):
    @T.prim_func
    def main(A: T.Tensor((128, 8), "float32"), n: T.int32, B: T.Tensor((64, 8), "float32")):
        with T.Kernel(1, threads=64):
            S = T.alloc_shared((64, 8), "float32")
            T.clear(S)
            T.copy(A[3 : 3 + n, :], S[0:n, :])
            T.copy(S, B)

    a = np.random.default_rng(0).standard_normal((128, 8)).astype(np.float32)
    b = np.ones((64, 8), np.float32)
    compile_kernel(main, target=target)(a, count, b)
    expected = np.zeros((64, 8), np.float32)
    expected[:count] = a[3 : 3 + count]
    np.testing.assert_array_equal(b, expected)


def test_a_count_of_run_time_that_overhangs_the_tile_is_dropped():
    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), n: T.int32, B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            S = T.alloc_shared((32,), "float32")
            T.copy(A[0:n], S[0:n])
            T.copy(S, B)

    a, b = np.arange(128, dtype=np.float32), np.zeros(32, np.float32)
    compile_kernel(main, target="cpu")(a, 100, b)
    np.testing.assert_array_equal(b, a[:32])


def test_a_count_of_run_time_on_one_side():
    """The tile's extents count, as in TileLang: it is nearer to the threads."""

    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), n: T.int32, B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            S = T.alloc_shared((32,), "float32")
            T.copy(A[n : n + n], S)
            T.copy(S, B)

    a, b = np.arange(128, dtype=np.float32), np.zeros(32, np.float32)
    compile_kernel(main, target="cpu")(a, 4, b)
    np.testing.assert_array_equal(b, a[4:36])


def test_extents_that_differ():
    """Both in global memory: the source's count."""

    @T.prim_func
    def main(A: T.Tensor((16, 16), "float32"), B: T.Tensor((16, 16), "float32")):
        with T.Kernel(1, threads=32):
            T.copy(A[:, :2], B[:, :3])

    a = np.random.default_rng(1).standard_normal((16, 16)).astype(np.float32)
    b = run(main, a, np.zeros_like(a))
    np.testing.assert_array_equal(b[:, :2], a[:, :2])
    assert not b[:, 2:].any()


def test_a_tile_smaller_than_the_source_is_an_error():
    with pytest.raises(CompileError, match="the extents of both sides differ"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=32):
                S = T.alloc_shared((32,), "float32")
                T.copy(A[0:64], S)


def test_subnormal_bf16_elements_keep_their_bits():
    """Hosts with bf16 instructions that flush subnormals to zero are not to use them."""

    @T.prim_func
    def transpose(A: T.Tensor((3, 4), "bfloat16"), B: T.Tensor((4, 3), "bfloat16")):
        with T.Kernel(3, threads=32) as bx:
            for i in T.Parallel(4):
                B[i, bx] = A[bx, i]

    a = np.arange(1, 13, dtype=np.uint16).reshape(3, 4)
    b = np.full((4, 3), 7777, np.uint16)
    compile_kernel(transpose, target="cpu")(a, b)
    np.testing.assert_array_equal(b, a.T)


@pytest.mark.parametrize("target", TARGETS)
def test_a_region_copied_to_itself_is_a_prefetch(target):
    @T.prim_func
    def main(A: T.Tensor((100, 72), "float16"), B: T.Tensor((100, 72), "float16")):
        with T.Kernel(2, 2, threads=128) as (column, row):
            C = T.alloc_fragment((64, 64), "float16")
            m, n = row * 64, column * 64
            T.copy(A[m + 64 : m + 128, n : n + 64], A[m + 64 : m + 128, n : n + 64])
            T.copy(A[m, n], C)
            T.copy(C, B[m, n])

    a = np.random.default_rng(0).standard_normal((100, 72)).astype(np.float16)
    kernel = compile_kernel(main, target=target)
    b = np.zeros_like(a)
    kernel(a, b)
    np.testing.assert_array_equal(b, a)
    if target != "cpu":
        assert "cp.async.bulk.prefetch.L2" in kernel.ptx


@pytest.mark.parametrize("target", TARGETS)
def test_the_last_columns_of_a_tensor_in_a_wider_tile(target):
    """What the tile has more of is zero; from a tile it is dropped."""

    @T.prim_func
    def main(
        A: T.Tensor((2, 40, 3, 20), "float32"),
        B: T.Tensor((16, 32), "float32"),
        C: T.Tensor((2, 40, 3, 20), "float32"),
    ):
        with T.Kernel(1, threads=64):
            S = T.alloc_shared((16, 32), "float32")
            T.copy(A[1, 8:24, 2, 0:20], S)
            T.copy(S, B)
            T.copy(S, C[0, 16:32, 1, :])

    a = np.random.default_rng(0).standard_normal((2, 40, 3, 20)).astype(np.float32)
    b, c = np.full((16, 32), np.nan, np.float32), np.zeros_like(a)
    compile_kernel(main, target=target)(a, b, c)
    np.testing.assert_array_equal(b, np.pad(a[1, 8:24, 2], ((0, 0), (0, 12))))
    expected = np.zeros_like(a)
    expected[0, 16:32, 1] = a[1, 8:24, 2]
    np.testing.assert_array_equal(c, expected)


def test_columns_within_a_tensor_do_not_fill_a_wider_tile():
    with pytest.raises(LanguageError, match="the extents of both sides differ"):

        @T.prim_func
        def main(A: T.Tensor((16, 64), "float32"), B: T.Tensor((16, 32), "float32")):
            with T.Kernel(1, threads=64):
                S = T.alloc_shared((16, 32), "float32")
                T.copy(A[0:16, 0:20], S)
                T.copy(S, B)


@pytest.mark.parametrize("target", TARGETS)
def test_an_element_copied_to_a_variable(target):
    @T.prim_func
    def main(A: T.Tensor((4,), "float16"), B: T.Tensor((2, 32), "float32")):
        with T.Kernel(2, threads=32) as b:
            x = T.alloc_var("float32")
            y = T.alloc_var("float32")
            T.copy(A[b], x)
            T.copy(A[2:3], y)
            f = T.alloc_fragment((32,), "float32")
            for i in T.Parallel(32):
                f[i] = x * i + y
            T.copy(f, B[b, :])

    a = np.array([1, 2, 3, 4], np.float16)
    b = np.zeros((2, 32), np.float32)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(b, np.outer([1, 2], np.arange(32)) + 3)


def test_several_elements_do_not_fit_a_variable():
    with pytest.raises(LanguageError, match="expected one element for the variable x"):

        @T.prim_func
        def main(A: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                x = T.alloc_var("float32")
                T.copy(A[0:2], x)
                A[0] = x
