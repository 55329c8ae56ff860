# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warps and barriers by hand, reducers of bits; against numpy."""

import re

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.errors import CompileError
from mlir_tile.jit import compile as compile_kernel

TARGETS = ("cpu", "lowered:sm_90a")


def _gemm(form):
    @T.prim_func
    def main(
        A: T.Tensor((128, 256), "float16"),
        B: T.Tensor((256, 128), "float16"),
        C: T.Tensor((128, 128), "float32"),
    ):
        with T.Kernel(1, threads=256):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            ready = T.alloc_barrier(arrive_count=128)
            done = T.alloc_barrier(arrive_count=128)
            if form == "ws":
                with T.ws(0):
                    T.clear(c)
                for ko in T.Pipelined(4, num_stages=2):
                    with T.ws(1):
                        T.barrier_wait(done, (ko + 1) % 2)
                        T.tma_copy(A[0, ko * 64], a, barrier=ready)
                        T.tma_copy(B[ko * 64, 0], b, barrier=ready)
                        T.barrier_arrive(ready)
                    with T.ws(0):
                        T.barrier_wait(ready, ko % 2)
                        T.gemm(a, b, c)
                        T.barrier_arrive(done)
                with T.ws(0):
                    T.copy(c, C)
            else:
                tx = T.get_thread_binding()
                if tx < 128:
                    T.clear(c)
                    for ko in T.serial(4):
                        T.barrier_wait(ready, ko % 2)
                        T.gemm(a, b, c)
                        T.barrier_arrive(done)
                    T.copy(c, C)
                else:
                    for ko in T.serial(4):
                        T.barrier_wait(done, (ko + 1) % 2)
                        T.copy(A[0, ko * 64], a)
                        T.copy(B[ko * 64, 0], b)
                        T.barrier_arrive(ready)

    return main


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", ["ws", "if"])
def test_a_product_of_two_warp_groups(form, target):
    rng = np.random.default_rng(0)
    a = rng.integers(-2, 3, (128, 256)).astype(np.float16)
    b = rng.integers(-2, 3, (256, 128)).astype(np.float16)
    c = np.zeros((128, 128), np.float32)
    compile_kernel(_gemm(form), target=target)(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_what_is_refused():
    def kernel(body):
        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=256):
                body(A)

        return main

    with pytest.raises(CompileError, match="warp group 2 is none of a block of 256 threads"):
        kernel(lambda A: T.ws(2))
    with pytest.raises(CompileError, match="expected counts of arrivals"):
        kernel(lambda A: T.alloc_barrier(0))
    with pytest.raises(CompileError, match="there are 2 barriers, no barrier 2"):
        kernel(lambda A: T.alloc_barrier([1, 1])[2])
    with pytest.raises(CompileError, match="expected a barrier of T.alloc_barrier"):
        kernel(lambda A: T.barrier_arrive(A))
    with pytest.raises(CompileError, match="not one of whole warps in a row"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=256):
                b = T.alloc_barrier(16)
                if T.get_thread_binding() < 16:
                    T.barrier_arrive(b)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["bitand", "bitor", "bitxor"])
def test_reducers_of_bits(kind, target):
    @T.prim_func
    def main(A: T.Tensor((8, 64), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=128):
            acc = T.alloc_reducer((8,), "int32", op=kind)
            T.reducer_init(acc)
            for i, j in T.Parallel(8, 64):
                T.reducer_update(acc[i], A[i, j])
            out = T.alloc_fragment((8,), "int32")
            T.finalize_reducer(acc, out)
            T.copy(out, B)

    a = np.random.default_rng(1).integers(0, 2**31 - 1, (8, 64)).astype(np.int32)
    b = np.zeros(8, np.int32)
    compile_kernel(main, target=target)(a, b)
    of = {"bitand": np.bitwise_and, "bitor": np.bitwise_or, "bitxor": np.bitwise_xor}[kind]
    np.testing.assert_array_equal(b, of.reduce(a, axis=1))


def _three_ranges():
    """Threads 256 to 383 copy pieces, two groups of warps add them up, each its half of columns."""

    @T.prim_func
    def main(A: T.Tensor((4, 32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=384):
            s = T.alloc_shared((2, 32, 64), "float32")
            left = T.alloc_fragment((32, 32), "float32")
            right = T.alloc_fragment((32, 32), "float32")
            row = T.alloc_var("int32")
            ready = T.alloc_barrier([128] * 2)
            free = T.alloc_barrier([256] * 2)
            tx = T.get_thread_binding()
            if tx < 128:
                T.set_max_nreg(168, 1)
                T.clear(left)
                for k in T.serial(2):
                    for stage in T.unroll(2):
                        T.barrier_wait(ready[stage], k & 1)
                        for i, j in T.Parallel(32, 32):
                            left[i, j] += s[stage, i, j]
                        T.barrier_arrive(free[stage])
                T.copy(left, B[0:32, 0:32])
            elif tx >= 128 and tx < 256:
                T.set_max_nreg(168, 1)
                T.clear(right)
                for k in T.serial(2):
                    for stage in T.unroll(2):
                        T.barrier_wait(ready[stage], k & 1)
                        for i, j in T.Parallel(32, 32):
                            right[i, j] += s[stage, i, 32 + j]
                        T.barrier_arrive(free[stage])
                T.copy(right, B[0:32, 32:64])
            elif tx >= 256:
                T.set_max_nreg(80, 0)
                for k in T.serial(2):
                    for stage in T.unroll(2):
                        T.barrier_wait(free[stage], (k & 1) ^ 1)
                        for r in T.serial(4):
                            row = r * 8 + (tx - 256) // 16
                            T.ptx_cp_async(
                                T.access_ptr(s[stage, row, (tx - 256) % 16 * 4], "w", 4),
                                T.access_ptr(A[2 * k + stage, row, (tx - 256) % 16 * 4], "r", 4),
                                4,
                            )
                        T.cp_async_barrier_noinc(ready[stage])

    return main


@pytest.mark.parametrize("target", TARGETS)
def test_three_ranges_of_warps_and_pieces(target):
    a = np.random.default_rng(2).integers(-8, 9, (4, 32, 64)).astype(np.float32)
    b = np.zeros((32, 64), np.float32)
    compile_kernel(_three_ranges(), target=target)(a, b)
    np.testing.assert_array_equal(b, a.sum(axis=0))


def test_budgets_become_those_of_roles():
    text = compile_kernel(_three_ranges(), target="cpu").prim_func.modules[0]
    for first, registers in ((0, 168), (4, 168), (8, 80)):
        assert f"tile.on_warps {first} count 4 registers {registers} {{" in str(text)


@pytest.mark.parametrize("target", TARGETS)
def test_sizes_that_are_equal(target):
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n, 32), "float32"), B: T.Tensor((n, 32), "float32")):
        with T.Kernel(T.ceildiv(n, 16), threads=64) as block:
            T.copy(A[block * 16 : block * 16 + 16, 0:32], B[block * 16 : block * 16 + 16, 0:32])

    kernel = compile_kernel(main, target=target)
    assert re.search(r"tile\.assume %\w+ equals %\w+ : index", str(kernel.prim_func.modules[0]))
    a, b = np.arange(40 * 32, dtype=np.float32).reshape(40, 32), np.zeros((40, 32), np.float32)
    kernel(a, b)
    np.testing.assert_array_equal(a, b)
    with pytest.raises(Exception, match="dimension 0 of B is 39, but n is 40"):
        kernel(a, np.zeros((39, 32), np.float32))


@pytest.mark.parametrize("target", TARGETS)
def test_one_thread_of_the_warps_stores(target):
    @T.prim_func
    def main(A: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=384):
            b = T.alloc_barrier(128)
            s = T.alloc_shared((2,), "int32")
            tx = T.get_thread_binding()
            if tx >= 128:
                with_group = tx // 256
                s[with_group] = 7 + with_group
                T.barrier_wait(b, 0)
                if tx == 130:
                    A[0], A[1] = s[0], s[1]
            else:
                if tx % 32 == 0:
                    A[2 + tx // 32] = tx // 32
                T.barrier_arrive(b)

    a = np.zeros(8, np.int32)
    compile_kernel(main, target=target)(a)
    assert a.tolist() == [7, 8, 0, 1, 2, 3, 0, 0]


def test_what_other_warps_wrote_is_written(caplog):
    compile_kernel(_gemm("if"), target="cpu")
    assert "before initialization" not in caplog.text


@pytest.mark.parametrize("target", TARGETS)
def test_atomic_loads_and_stores(target):
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                x = T.atomic_load(A[i], memory_order="acquire")
                T.atomic_store(B[63 - i], x + 1, memory_order="release")

    a, b = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(b, a[::-1] + 1)


def test_threads_of_several_parts_meet_at_barriers_of_their_own():
    with pytest.raises(CompileError, match=r"T.sync_threads\(..., 256\) in a part of 128 threads"):

        @T.prim_func
        def main(A: T.Tensor((128,), "float32")):
            with T.Kernel(1, threads=256):
                with T.ws(0):
                    T.sync_threads(1, 128)
                    T.sync_threads(1, 256)
