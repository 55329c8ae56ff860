# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warps by hand, as arms of an `if`: memory of threads that several arms use, and meetings of all
threads in every arm."""

import re

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a"]
ROWS, COLUMNS, WAVES = 16, 64, 6


def _sums(meet=True):
    """A producer finds a row for each wave, by scalars that each arm keeps, and two groups of warps
    add the halves of the rows."""

    @T.macro
    def find(wave, table, at, row):
        at[0] = T.int32(0)
        for _ in T.serial(3):
            if table[at[0]] < wave * 3:
                at[0] = at[0] + 1
        row[0] = table[at[0]]

    @T.macro
    def consume(tile, full, free, table, at, row, half, B):
        total = T.alloc_fragment((32,), "float32")
        T.clear(total)
        for w in T.serial(WAVES):
            find(w, table, at, row)
            if row[0] < ROWS:
                T.barrier_wait(full, w & 1)
                for i in T.Parallel(32):
                    total[i] = total[i] + tile[half * 32 + i]
                T.barrier_arrive(free)
        T.copy(total, B[half * 32])

    @T.prim_func
    def main(
        A: T.Tensor((ROWS, COLUMNS), "float32"),
        N: T.Tensor((4,), "int32"),
        B: T.Tensor((COLUMNS,), "float32"),
    ):
        with T.Kernel(1, threads=384):
            tile = T.alloc_shared((COLUMNS,), "float32")
            table = T.alloc_shared((4,), "int32")
            at = T.alloc_local((1,), "int32")
            row = T.alloc_local((1,), "int32")
            valid = T.alloc_local((1,), "int32")
            full = T.alloc_barrier(128)
            free = T.alloc_barrier(256)
            tx = T.get_thread_binding()
            if tx < 128:
                if tx == 0:
                    for i in T.serial(4):
                        table[i] = N[i]
                if meet:
                    T.sync_threads()
                for w in T.serial(WAVES):
                    find(w, table, at, row)
                    if row[0] < ROWS:
                        valid[0] = T.int32(1)
                    else:
                        valid[0] = T.int32(0)
                    if valid[0] != 0:
                        T.barrier_wait(free, (w & 1) ^ 1)
                        T.copy(A[row[0], 0], tile)
                        T.barrier_arrive(full)
            elif tx < 256:
                if meet:
                    T.sync_threads()
                consume(tile, full, free, table, at, row, 0, B)
            else:
                if meet:
                    T.sync_threads()
                consume(tile, full, free, table, at, row, 1, B)

    return main


def _want(a, n):
    total = np.zeros(COLUMNS, np.float32)
    for wave in range(WAVES):
        at = 0
        for _ in range(3):
            at += n[at] < wave * 3
        total += a[n[at]]
    return total


@pytest.mark.parametrize("target", TARGETS)
def test_scalars_that_every_arm_uses(target):
    a = np.random.default_rng(0).integers(-8, 9, (ROWS, COLUMNS)).astype(np.float32)
    n = np.array([2, 5, 9, 15], np.int32)
    b = np.zeros(COLUMNS, np.float32)
    compile_kernel(_sums(), target=target)(a, n, b)
    np.testing.assert_array_equal(b, _want(a, n))


def test_scalars_of_warps_are_variables():
    text = _sums().modules[0]
    assert not re.search(r"tile\.alloc : memref<(128x)?1xi32", text)


def test_all_threads_meet_where_every_arm_says_so():
    """What one thread of the first arm wrote is there for the others."""
    assert "tile.mbarrier.create arrivals [384]" in _sums().modules[0]
    assert "arrivals [384]" not in _sums(meet=False).modules[0]


@pytest.mark.parametrize("target", TARGETS)
def test_memory_of_threads_in_two_arms(target):
    """Each thread has its own value; an array stays one."""

    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=256):
            mine = T.alloc_local((2,), "float32")
            tile = T.alloc_shared((128,), "float32")
            full = T.alloc_barrier(128)
            tx = T.get_thread_binding()
            if tx < 128:
                mine[0] = A[tx]
                mine[1] = A[tx + 128]
                tile[tx] = mine[0] * mine[1]
                T.barrier_arrive(full)
                B[tx] = mine[1]
            else:
                mine[0] = A[tx] + 1.0
                mine[1] = 0.0
                T.barrier_wait(full, 0)
                mine[1] = mine[1] + tile[tx - 128]
                B[tx] = mine[0] + mine[1]

    a = np.random.default_rng(1).integers(-8, 9, 256).astype(np.float32)
    b = np.zeros(256, np.float32)
    compile_kernel(main, target=target)(a, b)
    want = np.concatenate([a[128:], a[128:] + 1 + a[:128] * a[128:]])
    np.testing.assert_array_equal(b, want)


@pytest.mark.parametrize("target", TARGETS)
def test_arms_of_single_warps_in_an_arm(target):
    """The last four warps have a budget of registers and a variable in common, then programs of
    their own: two of them copy, the rest do nothing else."""

    @T.prim_func
    def main(A: T.Tensor((2, 64), "float32"), C: T.Tensor((2, 64), "float32"), B: T.Tensor((2, 64), "float32")):
        with T.Kernel(1, threads=256):
            a = T.alloc_shared((64,), "float32")
            c = T.alloc_shared((64,), "float32")
            row = T.alloc_var("int32")
            full = T.alloc_barrier([64])
            free = T.alloc_barrier([128])
            tx = T.get_thread_binding()
            if tx < 128:
                T.set_max_nreg(160, 1)
                for i in T.serial(2):
                    T.barrier_wait(full[0], i & 1)
                    for j in T.Parallel(64):
                        B[i, j] = a[j] + c[j]
                    T.barrier_arrive(free[0])
            else:
                T.set_max_nreg(32, 0)
                row = 0
                if tx < 160:
                    for i in T.serial(2):
                        T.barrier_wait(free[0], (i & 1) ^ 1)
                        T.copy(A[row + i, 0], a)
                        T.barrier_arrive(full[0])
                elif tx < 192:
                    for i in T.serial(2):
                        T.barrier_wait(free[0], (i & 1) ^ 1)
                        T.copy(C[row + i, 0], c)
                        T.barrier_arrive(full[0])

    kernel = compile_kernel(main, target=target)
    a, c = np.random.default_rng(0).standard_normal((2, 2, 64), dtype=np.float32)
    b = np.zeros_like(a)
    kernel(a, c, b)
    assert (b == a + c).all()
    parts = re.findall(r"tile.on_warps (\d+) count (\d+) registers (\d+)", kernel.get_ir())
    assert parts == [("0", "4", "160"), ("4", "1", "32"), ("5", "1", "32"), ("6", "1", "32"), ("7", "1", "32")]


def test_products_by_the_names_of_older_versions():
    assert T.gemm_v1 is T.gemm and T.gemm_v2 is T.gemm


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("reads", [False, True])
def test_a_variable_from_variables_that_one_arm_reads(target, reads):
    """What is computed in front of the arms is computed there, whichever arms read its parts."""

    @T.prim_func
    def main(A: T.Tensor((200,), "float32"), B: T.Tensor((512,), "int32")):
        with T.Kernel(1, threads=512):
            first = T.alloc_var("int32")
            end = T.alloc_var("int32")
            first = 0
            end = A.shape[0]
            count = T.alloc_var("int32")
            count = T.ceildiv(end - first, 64)
            done = T.alloc_shared((512,), "int32")
            bar = T.alloc_barrier(512)
            tx = T.get_thread_binding()
            done[tx] = 0
            if tx < 256:
                T.set_max_nreg(168, 1)
                for i in T.serial(count):
                    done[tx] = i + 1
                T.barrier_arrive(bar)
                T.barrier_wait(bar, 0)
            else:
                T.set_max_nreg(24, 0)
                if tx < 384:
                    for i in T.serial(count):
                        done[tx] = i + 1 + (first if reads else 0)
                    T.barrier_arrive(bar)
                else:
                    for i in T.serial(count):
                        done[tx] = i + 1 + (first if reads else 0)
                    T.barrier_arrive(bar)
                T.barrier_wait(bar, 0)
            T.sync_threads()
            B[tx] = done[tx]

    b = np.zeros(512, np.int32)
    compile_kernel(main, target=target)(np.zeros(200, np.float32), b)
    np.testing.assert_array_equal(b, 4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("barrier", [False, True])
def test_memory_of_threads_through_arms(target, barrier):
    """A thread's own memory, a variable and a named value from in front of the arms are there in
    them, and behind them what the thread's arm has made of them. An inner arm keeps the condition
    of the outer one."""

    @T.prim_func
    def main(A: T.Tensor((512,), "int32"), B: T.Tensor((3, 512), "int32")):
        with T.Kernel(1, threads=512):
            own = T.alloc_local((1,), "int32")
            variable = T.alloc_var("int32")
            bar = T.alloc_barrier(512)
            tx = T.get_thread_binding()
            own[0] = A[tx]
            variable = A[tx] * 2
            named = A[tx] + 7
            if tx < 128:
                T.set_max_nreg(168, 1)
                own[0] += 1 + variable
                if barrier:
                    T.barrier_arrive(bar)
                    T.barrier_wait(bar, 0)
            elif tx < 256:
                T.set_max_nreg(160, 1)
                own[0] += 10 + named
                if barrier:
                    T.barrier_arrive(bar)
                    T.barrier_wait(bar, 0)
            else:
                T.set_max_nreg(24, 0)
                own[0] += 100
                if barrier:
                    T.barrier_arrive(bar)
                    T.barrier_wait(bar, 0)
            T.sync_threads()
            B[0, tx] = own[0]
            B[1, tx] = variable
            B[2, tx] = named

    a = np.random.default_rng(3).integers(-50, 50, 512).astype(np.int32)
    b = np.zeros((3, 512), np.int32)
    compile_kernel(main, target=target)(a, b)
    added = np.concatenate([1 + 2 * a[:128], 17 + a[128:256], np.full(256, 100)])
    np.testing.assert_array_equal(b, [a + added, 2 * a, a + 7])


@pytest.mark.parametrize("target", TARGETS)
def test_a_tile_that_both_arms_read_sums_and_reductions_in_arms(target):
    @T.prim_func
    def main(X: T.Tensor((64, 8), "float32"), O: T.Tensor((3, 128), "float32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding()
            s = T.alloc_shared((64, 8), "float32")
            T.copy(X, s)
            with T.ws(1):
                best = T.alloc_fragment((64,), "float32")
                T.fill(best, -9.0)
                for i, j in T.Parallel(64, 8):
                    if s[i, j] > best[i]:
                        best[i] = s[i, j]
                T.copy(best, O[1, :64])
            with T.ws(0):
                acc = T.alloc_fragment((64,), "float32")
                T.clear(acc)
                for i, j in T.Parallel(64, 8):
                    if s[i, j] > 0:
                        acc[i] += s[i, j]
                T.copy(acc, O[0, :64])
                O[2, tx] = T.warp_reduce_max(s[tx % 64, 3])

    x = np.random.default_rng(0).integers(-4, 5, (64, 8)).astype(np.float32)
    found = np.zeros((3, 128), np.float32)
    compile_kernel(main, target=target)(x, found)
    assert (found[0, :64] == np.where(x > 0, x, 0).sum(1)).all()
    assert (found[1, :64] == x.max(1)).all()
    assert (found[2] == np.tile(x[:, 3].reshape(2, 32).max(1).repeat(32), 2)).all()
