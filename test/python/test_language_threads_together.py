# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Votes of threads, reductions of any kind, of a thread's memory; random numbers."""

import math

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.errors import CompileError, LaunchError
from mlir_tile.jit import compile as compile_kernel

TARGETS = ("cpu", "lowered:sm_90a")


def run(function, *arrays, target="cpu"):
    compile_kernel(function, target=target)(*arrays)
    return arrays[-1]


@pytest.mark.parametrize("target", TARGETS)
def test_votes_of_a_warp(target):
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((8, 64), "int64")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            x = A[tx]
            B[0, tx] = T.cast(T.ballot(x > 2), "int64")
            B[1, tx] = T.any_sync(x > 8)
            B[2, tx] = T.all_sync(x >= 0)
            B[3, tx] = T.all_sync(x > 2, 0x18)
            B[4, tx] = T.syncthreads_count(x > 2)
            B[5, tx] = T.syncthreads_and(x < 10) * 2 + T.syncthreads_or(x > 9)
            B[6, tx] = T.cast(T.match_any_sync(x), "int64")
            B[7, tx] = T.cast(T.shuffle_elect(32), "int64") + T.cast(T.activemask(), "int64")

    a = np.random.default_rng(0).integers(0, 10, 64).astype(np.int32)
    a[40] = -1
    b = run(main, a, np.zeros((8, 64), np.int64), target=target)
    for w in range(2):
        lanes = a[32 * w : 32 * w + 32]
        part = b[:, 32 * w : 32 * w + 32]
        bits = lambda holds: sum(1 << int(i) for i in np.flatnonzero(holds))  # noqa: E731
        assert (part[0] == bits(lanes > 2)).all()
        assert (part[1] == (lanes > 8).any()).all() and (part[2] == (lanes >= 0).all()).all()
        assert (part[3] == (lanes[3:5] > 2).all()).all()
        assert (part[4] == (a > 2).sum()).all() and (part[5] == 2).all()
        assert part[6].tolist() == [bits(lanes == x) for x in lanes]
        assert part[7].tolist() == [0xFFFFFFFF + (i == 0) for i in range(32)]


@pytest.mark.parametrize("vote", [T.any_sync, T.ballot, T.syncthreads_count])
def test_votes_need_integers(vote):
    with pytest.raises(TypeError, match="requires an integer or boolean predicate"):
        vote(T.FloatImm(0.5, T.float32))


def test_a_reduction_by_any_operation():
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=(8, 8)):
            tx, ty = T.get_thread_binding(0), T.get_thread_binding(1)
            out = T.alloc_local((1,), "int32")
            with T.attr(T.comm_reducer(lambda x, y: x * y, 1), "reduce_scope", 0):
                T.tvm_thread_allreduce(T.uint32(1), A[ty * 8 + tx], True, out[0], ty)
            B[ty * 8 + tx] = out[0]

    a = np.random.default_rng(1).integers(1, 4, 64).astype(np.int32)
    b = run(main, a, np.zeros(64, np.int32)).reshape(8, 8)
    np.testing.assert_array_equal(b, np.tile(a.reshape(8, 8).prod(0), (8, 1)))


@pytest.mark.parametrize("kind", ["sum", "max", "min", "absmax"])
def test_a_reduction_of_a_threads_memory(kind):
    @T.prim_func
    def main(A: T.Tensor((32, 4, 3), "float32"), B: T.Tensor((32, 4), "float32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            src = T.alloc_local((4, 3), "float32")
            dst = T.alloc_local((3,), "float32")
            one = T.alloc_var("float32")
            for i, j in T.grid(4, 3):
                src[i, j] = A[tx, i, j]
            T.reduce(src, dst, kind, 0)
            T.reduce(dst, one, kind, 0)
            for j in T.serial(3):
                B[tx, j] = dst[j]
            B[tx, 3] = one

    a = np.random.default_rng(2).standard_normal((32, 4, 3)).astype(np.float32)
    b = run(main, a, np.zeros((32, 4), np.float32))
    of = {"sum": np.sum, "max": np.max, "min": np.min, "absmax": lambda x, axis: abs(x).max(axis)}
    expected = of[kind](a, axis=1)
    np.testing.assert_allclose(b[:, :3], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(b[:, 3], of[kind](expected, axis=1), rtol=1e-5, atol=1e-6)


def _philox(counter, key):
    for turn in range(10):
        k = [(key[i] + turn * w) & 0xFFFFFFFF for i, w in enumerate((0x9E3779B9, 0xBB67AE85))]
        p0, p1 = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (p1 >> 32) ^ counter[1] ^ k[0],
            p1 & 0xFFFFFFFF,
            (p0 >> 32) ^ counter[3] ^ k[1],
            p0 & 0xFFFFFFFF,
        ]
    return counter


def test_philox_is_the_known_function():
    """The first test vector of Random123's kat_vectors for philox4x32-10."""
    assert _philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("target", TARGETS)
def test_random_numbers(target):
    @T.prim_func
    def main(A: T.Tensor((2, 64), "uint32"), B: T.Tensor((2, 64), "float32")):
        with T.Kernel(2, threads=64) as bx:
            T.rng_init(42, 7, bx)
            for i in T.Parallel(64):
                A[bx, i] = T.rng_rand()
            for i in T.Parallel(64):
                B[bx, i] = T.rng_rand_float(dist="normal")

    a, b = np.zeros((2, 64), np.uint32), np.zeros((2, 64), np.float32)
    run(main, a, b, target=target)
    for block in range(2):
        for i in range(64):
            assert a[block, i] == _philox([block, i, 1, 7], [42, 0])[0]
            w = _philox([block, i, 2, 7], [42, 0])
            u, v = ((x + 0.5) / 2**32 for x in (w[0], w[2]))
            normal = math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
            assert abs(b[block, i] - normal) < 1e-4


@pytest.mark.parametrize("target", TARGETS)
def test_random_numbers_differ_between_blocks_and_threads(target):
    @T.prim_func
    def main(A: T.Tensor((2, 3, 64), "uint32"), B: T.Tensor((2, 3, 64), "uint32")):
        with T.Kernel(2, 3, threads=64) as (bx, by):
            T.rng_init(42)
            for i in T.Parallel(64):
                A[bx, by, i] = T.rng_rand()
            tx = T.get_thread_binding()
            B[bx, by, tx] = T.rng_rand()

    a, b = np.zeros((2, 3, 64), np.uint32), np.zeros((2, 3, 64), np.uint32)
    run(main, a, b, target=target)
    assert len(np.unique(np.concatenate([a, b]))) == 2 * a.size
    for bx, by, i in ((0, 0, 0), (1, 0, 5), (1, 2, 63)):
        assert a[bx, by, i] == _philox([0, i, 1, bx + 2 * by], [42, 0])[0]
        assert b[bx, by, i] == _philox([0, i, 2, bx + 2 * by], [42, 0])[0]


@pytest.mark.parametrize("target", TARGETS)
def test_numbers_by_their_bits(target):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((3, 64), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[0, i] = T.ldexp(A[i], i - 32)
                B[1, i] = T.nextafter(A[i], 1e30)
                B[2, i] = T.nextafter(A[i], -1e30)

    a = np.random.default_rng(3).standard_normal(64).astype(np.float32)
    a[5] = 0.0
    b = run(main, a, np.zeros((3, 64), np.float32), target=target)
    np.testing.assert_array_equal(b[0], np.ldexp(a, np.arange(64) - 32))
    np.testing.assert_array_equal(b[1], np.nextafter(a, np.float32(1e30)))
    np.testing.assert_array_equal(b[2], np.nextafter(a, np.float32(-1e30)))


def test_loops_without_order_stand_alone():
    def nested(between):
        @T.prim_func
        def main(A: T.Tensor((8, 8), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(8):
                    if between:
                        A[i, 0] = 0.0
                    for j in T.Parallel(8):
                        A[i, j] = 1.0

        return main

    run(nested(False), np.zeros((8, 8), np.float32))
    with pytest.raises(ValueError, match="T.Parallel inside of T.Parallel") as error:
        nested(True)
    assert isinstance(error.value, CompileError)
    with pytest.raises(ValueError, match="T.Parallel inside of T.Parallel"):

        @T.prim_func
        def main(A: T.Tensor((8, 8), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(8):
                    for _ in T.serial(2):
                        for j in T.Parallel(8):
                            A[i, j] = 1.0


def test_work_of_the_block_is_no_iteration():
    with pytest.raises(ValueError, match="T.copy inside of T.Parallel"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=32):
                S = T.alloc_shared((8,), "float32")
                for _ in T.Parallel(1):
                    T.copy(A, S)


def test_an_empty_grid():
    with pytest.raises(ValueError, match="the grid has an extent of 0"):

        @T.prim_func
        def static(A: T.Tensor((8,), "float32")):
            with T.Kernel(0, threads=32) as b:
                A[b] = 1.0

    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(n, threads=32) as b:
            A[b] = 1.0

    kernel = compile_kernel(main, target="cpu")
    a = np.zeros(3, np.float32)
    kernel(a)
    assert a.all()
    with pytest.raises(LaunchError, match="the extent n of the grid is 0"):
        kernel(a[:0])


def test_a_promise_about_sizes_is_checked():
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32):
            T.assume(n % 4 == 0)
            for i in T.Parallel(n):
                A[i] = 1.0

    kernel = compile_kernel(main, target="cpu")
    a = np.zeros(8, np.float32)
    kernel(a)
    assert a.all()
    with pytest.raises(RuntimeError, match="Assume: n % 4 == 0 does not hold"):
        kernel(a[:6])


def test_a_kernel_as_a_module():
    @T.prim_func
    def main(A: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(8):
                A[i] = 1.0

    kernel = compile_kernel(main, target="cpu")
    module = kernel.adapter.get_exportable_executable().jit()
    assert module.get_function(main.attrs["global_symbol"]) is kernel
    with pytest.raises(AttributeError, match="has no function other"):
        module.get_function("other")
