# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.alloc_tmem, T.tcgen05_gemm: TileLang's programs for Blackwell, on every target."""

import numpy as np
import pytest
import tilelang_style  # noqa: F401  (the stand-in for torch)

import mlir_tile.language as T
from mlir_tile.errors import CompileError
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a", "lowered:sm_100a"]


def _operands(m, n, k, seed=0):
    random = np.random.default_rng(seed)
    return [random.integers(-3, 4, shape).astype(np.float16) for shape in ((m, k), (n, k))]


def _gemm(threads=128, api="tcgen05", stages=2):
    M, N, K, block = 128, 64, 96, 32

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((M, block), "float16")
            b = T.alloc_shared((N, block), "float16")
            acc = T.alloc_tmem([M, N], "float32")
            done = T.alloc_barrier(1)
            local = T.alloc_fragment((M, N), "float32")
            for k in T.Pipelined(K // block, num_stages=stages):
                T.copy(A[0, k * block], a)
                T.copy(B[0, k * block], b)
                if api == "tcgen05":
                    T.tcgen05_gemm(a, b, acc, transpose_B=True, mbar=done, clear_accum=k == 0)
                    T.mbarrier_wait_parity(done, k % 2)
                else:
                    T.gemm(a, b, acc, transpose_B=True, mbar=done, clear_accum=k == 0)
            T.tcgen05_after_thread_sync()
            T.copy(acc, local)
            T.deallocate_tmem(acc)
            T.copy(local, C)

    return main


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("api", ["tcgen05", "plain"])
def test_a_product_in_tensor_memory(api, target):
    a, b = _operands(128, 64, 96)
    c = np.zeros((128, 64), np.float32)
    compile_kernel(_gemm(api=api), target=target)(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.T.astype(np.float32))


def test_a_barrier_of_products_alone_is_none():
    assert "mbarrier" not in _gemm().script()


@pytest.mark.parametrize("target", TARGETS)
def test_the_left_operand_in_tensor_memory(target):
    @T.prim_func
    def main(
        A: T.Tensor((64, 64), "float16"),
        B: T.Tensor((64, 64), "float16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            b = T.alloc_shared((64, 64), "float16")
            p = T.alloc_tmem((64, 64), "float16")
            acc = T.alloc_tmem((64, 64), "float32")
            T.copy(A, p)
            T.copy(B, b)
            T.tcgen05_gemm(p, b, acc, clear_accum=True)
            T.copy(acc, C)

    a, b = _operands(64, 64, 64, 1)
    c = np.zeros((64, 64), np.float32)
    compile_kernel(main, target=target)(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_other_warps_wait_for_a_product(target):
    @T.prim_func
    def main(
        A: T.Tensor((64, 64), "float16"),
        B: T.Tensor((64, 64), "float16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=256):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            out = T.alloc_shared((64, 64), "float32")
            acc = T.alloc_tmem((64, 64), "float32")
            done = T.alloc_barrier([1])
            T.copy(A, a)
            T.copy(B, b)
            with T.ws(0):
                T.tcgen05_gemm(a, b, acc, clear_accum=True)
                T.copy(acc, out)
                T.tcgen05_mma_arrive(done)
            with T.ws(1):
                T.mbarrier_wait_parity(done, 0)
                T.copy(out, C)

    assert "arrivals [128]" in main.script()
    a, b = _operands(64, 64, 64, 2)
    c = np.zeros((64, 64), np.float32)
    compile_kernel(main, target=target)(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda a, c: T.tcgen05_gemm(a, a, c, use_2cta=True), r"T.tcgen05_gemm\(use_2cta=True\)"),
        (
            lambda a, c: T.tcgen05_gemm(a, a, c, mbar=T.alloc_barrier(64)),
            "expected a barrier of one arrival, which a product is, got .64.",
        ),
        (
            lambda a, c: [
                (T.tcgen05_gemm(a, a, c, mbar=bar), T.mbarrier_arrive(bar))
                for bar in [T.alloc_barrier(1)]
            ],
            "T.tcgen05_gemm at a barrier at which threads arrive, too",
        ),
        (lambda a, c: T.tcgen05_mma_arrive(T.alloc_barrier(1), arrive_2cta=True), "arrive_2cta"),
    ],
)
def test_what_has_no_meaning_is_refused(body, message):
    with pytest.raises(CompileError, match=f"tensor_memory.py:.*{message}"):

        @T.prim_func
        def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
            with T.Kernel(1, threads=128):
                a = T.alloc_shared((64, 64), "float16")
                c = T.alloc_tmem((64, 64), "float32")
                T.copy(A, a)
                body(a, c)
                T.copy(c, C)
