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


@pytest.mark.parametrize("target", TARGETS)
def test_parts_meet_at_barriers_by_number(target):
    """A part hands a tile to the other one, which takes it before the next is written."""

    @T.prim_func
    def main(X: T.Tensor((5, 128), "float32"), Y: T.Tensor((5, 128), "float32")):
        with T.Kernel(1, threads=256):
            s = T.alloc_shared((128,), "float32")
            with T.ws(0):
                mine = T.alloc_fragment((128,), "float32")
                for half in T.serial(2):  # a part's phases go on from one loop to the next
                    for k in T.serial(half * 2, 2 + half * 3):
                        T.copy(X[k, 0:128], mine)
                        T.copy(mine, s)
                        T.named_barrier_arrive(1, 256)
                        T.sync_threads(2, 256)
            with T.ws(1):
                own = T.alloc_fragment((128,), "float32")
                for half in T.serial(2):
                    for k in T.serial(half * 2, 2 + half * 3):
                        T.sync_threads(1, 256)
                        for i in T.Parallel(128):
                            own[i] = s[127 - i] + 1.0
                        T.sync_threads(2, 128)  # of its own threads
                        T.named_barrier_arrive(2, 256)
                        T.copy(own, Y[k, 0:128])

    x = np.random.default_rng(0).standard_normal((5, 128)).astype(np.float32)
    y = np.zeros_like(x)
    compile_kernel(main, target=target)(x, y)
    np.testing.assert_array_equal(y, x[:, ::-1] + 1)


def test_parts_meet_at_barriers_by_number_errors():
    def program(body):
        @T.prim_func
        def main(A: T.Tensor((128,), "float32")):
            with T.Kernel(1, threads=256):
                with T.ws(0):
                    body()

        return main

    def different_counts():
        T.sync_threads(1, 256)
        T.named_barrier_arrive(1, 192)

    for body, message in (
        (lambda: T.sync_threads(1, 512), "at most the block's 256, got 512"),
        (lambda: T.named_barrier_arrive(1, 100), "in whole warps, at most the block's 256, got 100"),
        (lambda: T.named_barrier_arrive(16, 256), "the number of a barrier, 0 to 15, got 16"),
        (different_counts, "expected 256 threads at barrier 1, as where it is used before, got 192"),
    ):
        with pytest.raises(CompileError, match=message):
            program(body)
    with pytest.raises(CompileError, match="in two `with T.ws"):

        @T.prim_func
        def twice(A: T.Tensor((128,), "float32")):
            with T.Kernel(1, threads=256):
                for _ in T.serial(2):
                    with T.ws(0):
                        T.named_barrier_arrive(1, 256)

    with pytest.raises(CompileError, match="inside of `with T.ws"):

        @T.prim_func
        def main(A: T.Tensor((128,), "float32")):
            with T.Kernel(1, threads=256):
                T.named_barrier_arrive(1, 256)


@pytest.mark.parametrize("target", TARGETS)
def test_parts_under_a_condition_on_their_threads(target):
    @T.prim_func
    def main(X: T.Tensor((4, 128), "float32"), Y: T.Tensor((4, 128), "float32")):
        with T.Kernel(1, threads=256):
            s = T.alloc_shared((128,), "float32")
            full, free = T.alloc_barrier(128), T.alloc_barrier(128)
            tx = T.get_thread_binding()
            if tx >= 128:
                with T.ws(1):
                    for k in T.serial(4):
                        T.mbarrier_wait_parity(free, (k + 1) % 2)
                        s[tx - 128] = X[k, tx - 128]
                        T.mbarrier_arrive(full)
            else:
                with T.ws(0):
                    for k in T.serial(4):
                        T.mbarrier_wait_parity(full, k % 2)
                        Y[k, tx] = s[127 - tx] * 2.0
                        T.mbarrier_arrive(free)

    x = np.random.default_rng(0).standard_normal((4, 128)).astype(np.float32)
    y = np.zeros_like(x)
    compile_kernel(main, target=target)(x, y)
    np.testing.assert_array_equal(y, x[:, ::-1] * 2)


def test_parts_that_the_condition_keeps_out():
    with pytest.raises(CompileError, match="T.ws of warps that the condition around it keeps out"):

        @T.prim_func
        def main(X: T.Tensor((128,), "float32")):
            with T.Kernel(1, threads=256):
                ready = T.alloc_barrier(128)
                tx = T.get_thread_binding()
                if tx >= 128:
                    with T.ws(0):
                        T.mbarrier_arrive(ready)


def test_budgets_of_parts_under_conditions_on_threads():
    @T.prim_func
    def main(X: T.Tensor((128,), "float32"), Y: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=256):
            s = T.alloc_shared((32,), "float32")
            full = T.alloc_barrier(32)
            tx = T.get_thread_binding()
            if tx >= 128:
                T.set_max_nreg(24, 0)
            if tx >= 128 and tx < 160:
                s[tx - 128] = X[tx - 128]
                T.mbarrier_arrive(full)
            with T.ws(0):
                T.set_max_nreg(240, 1)
                T.mbarrier_wait_parity(full, 0)
                Y[tx] = s[tx % 32]

    text = str(main.modules[0])
    assert "tile.on_warps 4 count 1 registers 24 {" in text
    assert "tile.on_warps 0 count 4 registers 240 {" in text


@pytest.mark.parametrize("target", TARGETS)
def test_variables_that_parts_assign_are_their_own(target):
    @T.prim_func
    def main(X: T.Tensor((8, 128), "float32"), Y: T.Tensor((8, 128), "float32")):
        with T.Kernel(1, threads=256):
            row = T.alloc_var("int32", init=2)
            with T.ws(0):
                for k in T.serial(2):
                    row = row + 1
                T.copy(X[row, 0:128], Y[row, 0:128])
            with T.ws(1):
                T.copy(X[row, 0:128], Y[row, 0:128])
                row = row + 4
                T.copy(X[row, 0:128], Y[row, 0:128])
            row = 0
            T.copy(X[row, 0:128], Y[row, 0:128])

    x = np.random.default_rng(0).standard_normal((8, 128)).astype(np.float32)
    y = np.zeros_like(x)
    compile_kernel(main, target=target)(x, y)
    for row in range(8):
        expected = x[row] if row in (0, 2, 4, 6) else np.zeros(128, np.float32)
        np.testing.assert_array_equal(y[row], expected)


def test_variables_of_parts_are_not_read_after_them():
    for after in (False, True):
        with pytest.raises(CompileError, match="is read after only some warps assigned it"):

            @T.prim_func
            def main(X: T.Tensor((8, 128), "float32"), Y: T.Tensor((8, 128), "float32")):
                with T.Kernel(1, threads=256):
                    row = T.alloc_var("int32", init=2)
                    with T.ws(0):
                        row = row + 1
                    if after:
                        T.copy(X[row, 0:128], Y[row, 0:128])
                    else:
                        with T.ws(0, 1):
                            T.copy(X[row, 0:128], Y[row, 0:128])
