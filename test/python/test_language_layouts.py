# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts that a kernel states as functions of indices; products by TensorCoreIntrinEmitter."""

import warnings

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile import layout as layouts
from mlir_tile.compat.mma import TensorCoreIntrinEmitter
from mlir_tile.compat.mma_layouts import get_swizzle_layout
from mlir_tile.compat.mma_layouts import shared_16x16_to_mma_a_32x8_layout as operand_a
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.layouts import LayoutError, LayoutWarning


def _transposed_through(layout, kind="shared"):
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float16"), B: T.Tensor((64, 32), "float16")):
        with T.Kernel(1, threads=128):
            S = T.alloc_shared((32, 64), "float16")
            if layout is not None:
                T.annotate_layout({S: layout})
            T.copy(A, S)
            for i, j in T.Parallel(64, 32):
                B[i, j] = S[j, i]

    return main


def _check(kernel, target):
    a = np.arange(2048).reshape(32, 64).astype(np.float16)
    b = np.zeros((64, 32), np.float16)
    compile_kernel(kernel, target=target)(a, b)
    np.testing.assert_array_equal(b, a.T)


PADDED = T.Layout([32, 64], lambda i, j: i * 72 + j)
SWIZZLED = T.Layout([32, 64], lambda i, j: get_swizzle_layout(i, j, 64, "float16"))
COLUMNS = T.Layout([32, 64], lambda i, j: (j, i))


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (PADDED, "modes [(64, 1:1), (32, 0:72)]>"),
        (SWIZZLED, "modes [(64, 1:1), (32, 0:64)] swizzle(3, 4, 3)>"),
        (COLUMNS, "modes [(32, 0:1), (64, 1:32)]>"),
    ],
)
def test_a_layout_in_shared_memory_is_stated(layout, text, target):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel = _transposed_through(layout)
    assert (
        f"tile.alloc layout(#tile.shared_layout<shape [32, 64] bits 16 {text})" in kernel.script()
    )
    _check(kernel, target)


@pytest.mark.parametrize("function", [lambda i, j: (i, j ^ 1), lambda i, j: (i, j + 8)])
def test_a_layout_that_the_compiler_does_not_have_is_said(function):
    with pytest.warns(LayoutWarning, match="the layout of S is none of this compiler's"):
        kernel = _transposed_through(T.Layout([32, 64], function))
    assert "layout(" not in kernel.script()
    _check(kernel, "cpu")


def test_a_layout_must_be_injective():
    with pytest.raises(LayoutError, match=r"shared buffer `S` must be injective.*\[0, 32\]"):
        _transposed_through(T.Layout([32, 64], lambda i, j: (i, j % 32)))


def test_a_layout_has_the_shape_of_its_buffer():
    with pytest.raises(Exception, match=r"S has the shape \[32, 64\], its layout \[64, 32\]"):
        _transposed_through(T.Layout([64, 32], lambda i, j: (i, j)))


def _mma_fragment():
    base = T.Fragment(
        [16, 16],
        forward_thread_fn=lambda i, j: operand_a(i, j)[0],
        forward_index_fn=lambda i, j: operand_a(i, j)[1],
    )
    return base, base.repeat([2, 1], repeat_on_thread=True).replicate(2)


def test_fragments_repeat_and_replicate():
    base, block = _mma_fragment()
    assert (base.get_thread_size(), base.get_register_size()) == (32, 8)
    assert (block.shape, block.get_thread_size(), block.replication) == ([32, 16], 128, 2)
    more = block.repeat([2, 1], lower_dim_first=False)
    assert (more.shape, more.get_register_size()) == ([64, 16], 16)
    assert more.map_forward_thread([16, 0]) == 32 and more.map_forward_index([32, 0]) == [8]
    assert block.map_forward_thread([0, 0], 1) == 64


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_a_fragments_layout_is_stated(target):
    _, layout = _mma_fragment()

    @T.prim_func
    def main(A: T.Tensor((32, 16), "float16"), B: T.Tensor((32, 16), "float16")):
        with T.Kernel(1, threads=128):
            F = T.alloc_fragment((32, 16), "float16")
            T.annotate_layout({F: layout})
            T.copy(A, F)
            for i, j in T.Parallel(32, 16):
                B[i, j] = F[i, j] + F[i, j]

    text = "shape [32, 16] reg [(2, 1:1), (2, 0:8), (2, 1:8)] lane [(4, 1:2), (8, 0:1)]"
    assert f"tile.alloc layout(#tile.fragment_layout<{text} warp [(2, 0:16), (2, *)]>)" in (
        main.script()
    )
    a = np.arange(512).reshape(32, 16).astype(np.float16)
    b = np.zeros_like(a)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(b, a + a)


def test_a_layout_of_the_package_is_stated():
    kernel = _transposed_through(layouts.swizzled([32, 64], 16))
    assert "swizzle(3, 4, 3)" in kernel.script()
    _check(kernel, "cpu")


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_products_by_warps(target):
    emitter = TensorCoreIntrinEmitter(
        "float16", "float16", "float32", False, True, 2, 2, 32, 32, chunk=32
    )

    @T.prim_func
    def main(
        A: T.Tensor((64, 64), "float16"),
        B: T.Tensor((64, 64), "float16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            A_shared = T.alloc_shared((64, 32), "float16")
            B_shared = T.alloc_shared((64, 32), "float16")
            C_shared = T.alloc_shared((4, 4, 16, 16), "float32")
            A_local = T.alloc_local((16,), "float16")
            B_local = T.alloc_local((16,), "float16")
            C_local = T.alloc_local((32,), "float32")
            T.clear(C_local)
            for ko in T.Pipelined(2, num_stages=2):
                T.copy(A[0, ko * 32], A_shared)
                T.copy(B[0, ko * 32], B_shared)
                for ki in T.serial(2):
                    emitter.ldmatrix_a(A_local, A_shared, ki)
                    emitter.ldmatrix_b(B_local, B_shared, ki)
                    emitter.mma(A_local, B_local, C_local)
            emitter.stmatrix(C_local, C_shared)
            for i, j in T.Parallel(64, 64):
                C[i, j] = C_shared[i // 16, j // 16, i % 16, j % 16]

    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, (64, 64)).astype(np.float16) for _ in range(2))
    c = np.zeros((64, 64), np.float32)
    compile_kernel(main, target=target)(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


def test_products_of_elements_by_thread_are_refused():
    emitter = TensorCoreIntrinEmitter(
        "float16", "float16", "float32", False, True, 1, 1, 16, 16, chunk=16
    )
    with pytest.raises(Exception, match="elements of C_local, which mma adds to, by thread"):

        @T.prim_func
        def main(A: T.Tensor((16, 16), "float16"), C: T.Tensor((16, 16), "float32")):
            with T.Kernel(1, threads=32):
                A_shared = T.alloc_shared((16, 16), "float16")
                A_local = T.alloc_local((8,), "float16")
                C_local = T.alloc_local((8,), "float32")
                T.copy(A, A_shared)
                C_local[0] = 1.0
                emitter.ldmatrix_a(A_local, A_shared, 0)
                emitter.mma(A_local, A_local, C_local)


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_a_layout_of_some_threads_is_copied_to_the_others(target):
    held = T.Fragment([4, 64], lambda i, j: (j, i))  # of 64 threads

    @T.prim_func
    def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((4, 64), "float32")
            total = T.alloc_fragment((4,), "float32")
            T.annotate_layout({x: held})
            T.copy(A, x)
            T.reduce_sum(x, total, dim=1)
            T.copy(total, B)

    assert "reg [(4, 0:1)] lane [(32, 1:1)] warp [(2, 1:32), (2, *)]" in main.script()
    a, b = np.arange(256, dtype=np.float32).reshape(4, 64), np.zeros(4, np.float32)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(b, a.sum(1))


def test_a_layout_of_no_part_of_the_threads_is_named():
    with pytest.warns(LayoutWarning, match="64 threads are no whole part of 96"):

        @T.prim_func
        def main(A: T.Tensor((4, 64), "float32")):
            with T.Kernel(1, threads=96):
                x = T.alloc_fragment((4, 64), "float32")
                T.annotate_layout({x: T.Fragment([4, 64], lambda i, j: (j, i))})
                T.copy(A, x)


def test_a_layout_of_global_memory_is_not_applied_and_named():
    with pytest.warns(LayoutWarning, match="layouts.py:.*the layout of A is not applied"):

        @T.prim_func
        def main(A: T.Tensor((32, 64), "float16"), B: T.Tensor((64, 32), "float16")):
            with T.Kernel(1, threads=128):
                T.annotate_layout({A: COLUMNS})
                for i, j in T.Parallel(64, 32):
                    B[i, j] = A[j, i]

    _check(main, "cpu")


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
@pytest.mark.parametrize("by_rows", [True, False])
def test_registers_that_a_fragment_leaves_open(target, by_rows):
    """Without a function of the index a thread's elements follow each other in row-major order."""
    shape = (64, 8) if by_rows else (8, 64)
    layout = T.Fragment(shape, forward_thread_fn=lambda i, j: i if by_rows else j)
    assert layout.map_forward_index([5, 3]) == [3 if by_rows else 5]
    assert (layout.get_thread_size(), layout.get_register_size()) == (64, 8)

    @T.prim_func
    def main(A: T.Tensor(shape, "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=128):
            F = T.alloc_fragment(shape, "float32")
            most = T.alloc_fragment((64,), "float32")
            T.annotate_layout({F: layout})
            T.copy(A, F)
            for i, j in T.Parallel(*shape):
                F[i, j] = F[i, j] * 2
            T.reduce_max(F, most, dim=1 if by_rows else 0)
            T.copy(most, B)

    text = main.modules[0]
    assert "tile.alloc layout(" in text
    a = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    b = np.zeros(64, np.float32)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(b, 2 * a.max(1 if by_rows else 0))


def test_registers_of_any_function_of_the_thread():
    layout = T.Fragment([4, 8], forward_thread_fn=lambda i, j: (i * 8 + j) // 2 % 4 + 4 * (i // 2))
    table = layout.table()  # an error where two elements meet
    assert len(table) == 32 and max(register for _, register in table) == 3


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
@pytest.mark.parametrize("more", ["", "scale"])
def test_vectors_in_a_parallel_loop_are_its_elements(target, more):
    """T.vectorized inside of T.Parallel, by sums of both indices alone, keeps a fragment in
    registers; an index by itself keeps the loops as they are."""

    @T.prim_func
    def main(
        A: T.Tensor((64, 64), "float16"),
        S: T.Tensor((32,), "float32"),
        B: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "float16")
            s = T.alloc_shared((64, 64), "float32")
            f = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.gemm(a, a, f, clear_accum=True)
            for i, j in T.Parallel(64, 32):
                for v in T.vectorized(2):
                    if more:
                        s[i, j * 2 + v] = f[i, v + 2 * j] * S[j]
                    elif i > 3:
                        s[i, j * 2 + v] = f[i, v + 2 * j] + 1
                    else:
                        s[i, j * 2 + v] = 0
            T.copy(s, B)

    assert ("in (64, 64)" in main.modules[0]) == (not more)
    rng = np.random.default_rng(0)
    a = rng.integers(-2, 3, (64, 64)).astype(np.float16)
    scales, b = rng.integers(1, 4, 32).astype(np.float32), np.full((64, 64), np.nan, np.float32)
    compile_kernel(main, target=target)(a, scales, b)
    product = a.astype(np.float32) @ a.astype(np.float32)
    other = np.where(np.arange(64)[:, None] > 3, product + 1, 0)
    np.testing.assert_array_equal(b, product * np.repeat(scales, 2) if more else other)
