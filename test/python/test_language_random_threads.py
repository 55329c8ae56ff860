# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels for single threads (random_threads.py), and what it found first."""

import numpy as np
import pytest
import random_threads

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ("cpu", "lowered:sm_90a")


@pytest.mark.parametrize("seed", range(40))
def test_a_random_program(seed, tmp_path):
    wrong = random_threads.check(seed, TARGETS, tmp_path)
    assert wrong is None, f"{wrong}\n{random_threads.Program(seed).text()}"


@pytest.mark.parametrize("target", TARGETS)
def test_threads_meet_inside_of_a_condition(target):
    """128 threads read a tile, then write into it, in one arm."""

    @T.prim_func
    def main(A: T.Tensor((256,), "int32"), B: T.Tensor((256,), "int32")):
        with T.Kernel(1, threads=256):
            tid = T.get_thread_binding()
            s = T.alloc_shared((256,), "int32")
            total = T.alloc_var("int32")
            total = 0
            s[tid] = A[tid]
            if tid < 128 and A[tid] > -100:
                for i in T.serial(tid // 4, 256, 32):
                    total += s[i]
                s[tid] = total
            B[tid] = s[255 - tid]

    a = np.random.default_rng(0).integers(-9, 10, 256, dtype=np.int32)
    b = np.zeros_like(a)
    compile_kernel(main, target=target)(a, b)
    s = a.copy()
    s[:128] = [a[t // 4 :: 32].sum() for t in range(128)]
    assert (b == s[::-1]).all()


@pytest.mark.parametrize("target", TARGETS)
def test_threads_meet_from_one_iteration_to_the_next(target):
    """Iterations of a loop write one element by different threads: the last one's stays."""

    @T.prim_func
    def main(A: T.Tensor((3, 64), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            tid = T.get_thread_binding()
            s = T.alloc_shared((64,), "int32")
            for i in T.serial(3):
                s[(tid + i * 17) % 64] = A[i, tid]
            B[tid] = s[tid]

    a = np.random.default_rng(0).integers(-9, 10, (3, 64), dtype=np.int32)
    b = np.zeros(64, np.int32)
    compile_kernel(main, target=target)(a, b)
    assert (b == np.roll(a[2], 34)).all()


def test_elements_of_one_thread_need_no_barrier():
    """16 rows of 32 lanes, four columns each: the place in shared memory says whose it is."""

    @T.prim_func
    def main(A: T.Tensor((128, 128), "bfloat16"), B: T.Tensor((128, 128), "bfloat16")):
        with T.Kernel(1, threads=256):
            tid = T.get_thread_binding()
            s = T.alloc_shared((128, 128), "bfloat16")
            row, column = tid // 32 * 16, tid % 32 * 4
            for i in T.serial(16):
                for j in T.vectorized(4):
                    s[row + i, column + j] = A[row + i, column + j]
            for i in T.serial(16):
                for j in T.vectorized(4):
                    B[row + i, column + j] = s[row + i, column + j]

    assert "bar.sync" not in compile_kernel(main, target="cuda:sm_90a").ptx


@pytest.mark.parametrize("columns", [60, 62])
@pytest.mark.parametrize("target", TARGETS)
def test_vectors_at_the_edge_of_a_tensor(target, columns):
    """32 lanes of four columns each: with 60 columns, vectors are inside or outside as a whole;
    with 62, one is cut."""

    @T.prim_func
    def main(A: T.Tensor((5, columns), "float32"), B: T.Tensor((5, columns), "float32")):
        with T.Kernel(1, threads=32):
            lane = T.get_thread_binding()
            row = T.alloc_local((4,), "float32")
            for i in T.serial(6):
                for j in T.vectorized(4):
                    row[j] = A[i, lane * 4 + j]
                for j in T.vectorized(4):
                    B[i, lane * 4 + j] = row[j] * 2

    a = np.random.default_rng(0).standard_normal((5, columns), dtype=np.float32)
    b = np.zeros_like(a)
    kernel = compile_kernel(main, target=target)
    kernel(a, b)
    assert (b == a * 2).all()
    ptx = compile_kernel(main, target="cuda:sm_90a").ptx
    if columns == 60:
        assert "ld.global.nc.v4.b32" in ptx and "st.global.v4.b32" in ptx
        assert "ld.global.nc.b32" not in ptx and "st.global.b32" not in ptx


@pytest.mark.parametrize("target", TARGETS)
def test_promises_of_computed_indices(target):
    """T.assume of an index, and of what local memory holds, takes conditions away; multiples that it
    promises of sizes make vectors."""

    n, m = T.dynamic("n"), T.dynamic("m")

    @T.prim_func
    def main(
        A: T.Tensor((n, m), "float32"),
        I: T.Tensor((2,), "int32"),
        B: T.Tensor((2, 64), "float32"),
    ):
        with T.Kernel(1, threads=16):
            tid = T.get_thread_binding()
            T.assume(m % 64 == 0)
            T.assume(m >= 64)
            rows = T.alloc_local((2,), "int32")
            for i in T.serial(2):
                rows[i] = I[i]
            for i in T.serial(2):
                T.assume(rows[i] < n)
                T.assume(rows[i] >= 0)
                T.assume(tid * 4 + 3 < m)
                for j in T.vectorized(4):
                    B[i, tid * 4 + j] = A[rows[i], tid * 4 + j]

    a = np.random.default_rng(0).standard_normal((7, 128), dtype=np.float32)
    rows = np.array([6, 2], np.int32)
    b = np.zeros((2, 64), np.float32)
    kernel = compile_kernel(main, target=target)
    kernel(a, rows, b)
    assert (b == a[rows, :64]).all()
    ir = kernel.get_ir()
    assert "scf.if" not in ir and "divisible_by = 64" in ir
    assert "ld.global.nc.v4.b32" in compile_kernel(main, target="cuda:sm_90a").ptx
