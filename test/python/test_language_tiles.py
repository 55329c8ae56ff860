# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans, reductions of bits, views, slices of tiles, reducers; on the CPU against numpy."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError


def run(function, *arrays):
    compile_kernel(function, target="cpu")(*arrays)
    return arrays[-1]


def normal(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dim, reverse", [(0, False), (1, True), (-1, False)])
def test_running_sums_and_maxima(dim, reverse):
    @T.prim_func
    def main(
        A: T.Tensor((32, 64), "float32"),
        S: T.Tensor((32, 64), "float32"),
        M: T.Tensor((32, 64), "float32"),
    ):
        with T.Kernel(1, threads=64):
            tile, other = T.alloc_shared((32, 64), "float32"), T.alloc_fragment((32, 64), "float32")
            T.copy(A, tile)
            T.cummax(tile, other, dim=dim, reverse=reverse)
            T.copy(other, M)
            T.cumsum(tile, dim=dim, reverse=reverse)
            T.copy(tile, S)

    a, s, m = normal(32, 64), np.zeros((32, 64), np.float32), np.zeros((32, 64), np.float32)
    run(main, a, s, m)
    turned = np.flip(a, dim) if reverse else a
    back = (lambda x: np.flip(x, dim)) if reverse else (lambda x: x)
    np.testing.assert_allclose(s, back(np.cumsum(turned, dim)), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(m, back(np.maximum.accumulate(turned, dim)))


@pytest.mark.parametrize(
    "kind, function",
    [("bitand", np.bitwise_and), ("bitor", np.bitwise_or), ("bitxor", np.bitwise_xor)],
)
def test_reductions_of_bits(kind, function):
    @T.prim_func
    def main(A: T.Tensor((32, 64), "int32"), B: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=64):
            tile, out = T.alloc_fragment((32, 64), "int32"), T.alloc_fragment((32,), "int32")
            T.copy(A, tile)
            T.reduce(tile, out, kind, 1, True)
            T.copy(out, B)

    a = np.random.default_rng(1).integers(0, 2**30, (32, 64)).astype(np.int32)
    np.testing.assert_array_equal(run(main, a, np.zeros(32, np.int32)), function.reduce(a, 1))


def test_views_have_the_same_elements():
    @T.prim_func
    def main(
        A: T.Tensor((16, 64), "float32"),
        B: T.Tensor((1024,), "float32"),
        C: T.Tensor((16, 4), "float32"),
        D: T.Tensor((16, 64), "int32"),
    ):
        with T.Kernel(1, threads=64):
            tile, part = T.alloc_shared((16, 64), "float32"), T.alloc_fragment((16, 4), "float32")
            T.copy(A, tile)
            T.copy(T.reshape(tile, (1024,)), B)
            fragment = T.alloc_fragment((16, 4, 16), "float32")
            T.copy(T.reshape(tile, (16, 4, 16)), fragment)
            T.reduce_sum(fragment, part, dim=2)
            T.copy(part, C)
            T.copy(T.view(tile, dtype="int32"), D)

    a = normal(16, 64)
    b, c, d = (
        np.zeros(1024, np.float32),
        np.zeros((16, 4), np.float32),
        np.zeros((16, 64), np.int32),
    )
    run(main, a, b, c, d)
    np.testing.assert_array_equal(b, a.reshape(-1))
    np.testing.assert_allclose(c, a.reshape(16, 4, 16).sum(2), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(d, a.view(np.int32))


def test_gemm_of_slices():
    @T.prim_func
    def main(
        A: T.Tensor((2, 32, 64), "float16"),
        B: T.Tensor((64, 32), "float16"),
        C: T.Tensor((32, 32), "float32"),
    ):
        with T.Kernel(1, threads=64):
            As, Bs = T.alloc_shared((2, 32, 64), "float16"), T.alloc_shared((64, 32), "float16")
            acc = T.alloc_fragment((32, 32), "float32")
            T.copy(A, As)
            T.copy(B, Bs)
            T.clear(acc)
            for stage in T.serial(2):
                T.gemm(As[stage, :, 0:32], Bs[0:32, :], acc)
                T.gemm(As[stage, :, 32:64], Bs[32:64, :], acc)
            T.copy(acc, C)

    a, b = normal(2, 32, 64, dtype=np.float16), normal(64, 32, dtype=np.float16, seed=1)
    want = (a.astype(np.float32) @ b.astype(np.float32)).sum(0)
    np.testing.assert_allclose(
        run(main, a, b, np.zeros((32, 32), np.float32)), want, rtol=1e-3, atol=1e-2
    )


def test_reducers():
    @T.prim_func
    def main(
        A: T.Tensor((32, 64), "float32"),
        B: T.Tensor((32,), "float32"),
        M: T.Tensor((32,), "float32"),
    ):
        with T.Kernel(1, threads=16) as (bx,):
            total, top = (
                T.alloc_reducer((32,), "float32", op="sum"),
                T.alloc_reducer((32,), "float32", op="max", replication="all"),
            )
            out = T.alloc_fragment((32,), "float32")
            T.reducer_init(total, 1.0)
            T.fill(top, -T.infinity("float32"))
            for k in T.serial(2):
                for i, j in T.Parallel(32, 32):
                    T.reducer_update(total[i], A[i, k * 32 + j])
                    top[i] = T.max(top[i], A[i, k * 32 + j])
            T.finalize_reducer(total, out)
            T.finalize_reducer(top)
            T.copy(out, B)
            T.copy(top, M)

    a, b, m = normal(32, 64), np.zeros(32, np.float32), np.zeros(32, np.float32)
    run(main, a, b, m)
    np.testing.assert_allclose(b, a.sum(1) + 1, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(m, a.max(1))


def test_sizes_that_follow_from_an_extent():
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n * 3 + 1,), "int32")):
        with T.Kernel(n, threads=32) as b:
            A[b * 3] = n
            if b == 0:
                A[n * 3] = -1

    a = run(main, np.zeros(16, np.int32))
    np.testing.assert_array_equal(a, [5, 0, 0] * 5 + [-1])


def test_scans_go_on_from_piece_to_piece():
    @T.prim_func
    def main(A: T.Tensor((4, 192), "float32"), S: T.Tensor((4, 192), "float32")):
        with T.Kernel(1, threads=64):
            tile = T.alloc_fragment((4, 64), "float32")
            sofar = T.alloc_fragment((4,), "float32")
            T.clear(sofar)
            for k in T.serial(3):
                T.copy(A[:, k * 64 : (k + 1) * 64], tile)
                T.cumsum(tile, dim=1, exclusive=True, carry=sofar)
                T.copy(tile, S[:, k * 64 : (k + 1) * 64])

    a, s = np.round(normal(4, 192) * 8), np.zeros((4, 192), np.float32)
    run(main, a, s)
    np.testing.assert_array_equal(s, np.cumsum(a, 1) - a)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32", "float16"])
def test_sort_and_topk(dtype):
    @T.prim_func
    def main(
        A: T.Tensor((3, 100), dtype),
        K: T.Tensor((3, 100), dtype),
        P: T.Tensor((3, 100), "int32"),
        V: T.Tensor((3, 5), dtype),
        I: T.Tensor((3, 5), "int32"),
    ):
        with T.Kernel(1, threads=64):
            keys = T.alloc_shared((3, 100), dtype)
            places = T.alloc_fragment((3, 100), "int32")
            best = T.alloc_fragment((3, 5), dtype)
            where = T.alloc_fragment((3, 5), "int32")
            T.copy(A, keys)
            T.topk(keys, best, where)
            for i, j in T.Parallel(3, 100):
                places[i, j] = j
            T.sort(keys, places, dim=1)
            T.copy(keys, K)
            T.copy(places, P)
            T.copy(best, V)
            T.copy(where, I)

    a = (np.round(normal(3, 100) * 4) + 0.0).astype(dtype)  # without -0, which comes before 0
    k, p = np.zeros_like(a), np.zeros((3, 100), np.int32)
    v, i = np.zeros((3, 5), dtype), np.zeros((3, 5), np.int32)
    run(main, a, k, p, v, i)
    order = np.argsort(a, 1, kind="stable")
    np.testing.assert_array_equal(p, order)
    np.testing.assert_array_equal(k, np.take_along_axis(a, order, 1))
    wide = a.astype(np.float64)
    order = np.argsort(-wide, 1, kind="stable")[:, :5]
    np.testing.assert_array_equal(i, order)
    np.testing.assert_array_equal(v, np.take_along_axis(a, order, 1))


def test_topk_says_what_it_expects():
    with pytest.raises(Exception, match="expected values and indices of one shape"):

        @T.prim_func
        def main(A: T.Tensor((3, 100), "float32")):
            with T.Kernel(1, threads=64):
                tile = T.alloc_shared((3, 100), "float32")
                T.copy(A, tile)
                T.topk(tile, T.alloc_fragment((3, 5), "float32"), T.alloc_fragment((3, 4), "int32"))

        run(main, np.zeros((3, 100), np.float32))


def refused(body, message):
    def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32"), N: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=128):
            body(A, C, N)

    with pytest.raises(LanguageError) as error:
        compile_kernel(T.prim_func(main), target="cpu")
    assert str(error.value).startswith(__file__) and message in str(error.value), str(error.value)


def test_what_is_no_tile_operation_says_what_to_write():
    """Errors that name the buffer and what to do, in place of what MLIR or Python say."""

    @T.macro
    def global_operand(A, C, N):
        c = T.alloc_fragment((64, 64), "float32")
        T.gemm(A, A, c)

    @T.macro
    def tile_as_value(A, C, N):
        c = T.alloc_fragment((64, 64), "float32")
        c[0, 0] = (c + 1.0)[0, 0]

    @T.macro
    def other_extents(A, C, N):
        c = T.alloc_fragment((64, 32), "float32")
        T.atomic_add(C, c)

    @T.macro
    def no_atomic(A, C, N):
        s = T.alloc_shared((8,), "bool")
        T.atomic_add(s[0], True)

    @T.macro
    def stages(A, C, N):
        for _ in T.Pipelined(4, num_stages=-1):
            pass

    @T.macro
    def index_behind(A, C, N):
        for k in T.serial(4):
            N[k] = 1
        N[0] = k

    @T.macro
    def too_large(A, C, N):
        N[0] = 5000000000

    @T.macro
    def shapes(A, C, N):
        s = T.alloc_shared((8, 8), "float32")
        T.reshape(s, (5, 5))

    @T.macro
    def shared_result(A, C, N):
        a, c = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float32")
        T.gemm(a, a, c)

    @T.macro
    def maximum_of_halves(A, C, N):
        a = T.alloc_fragment((64, 64), "float16")
        T.atomic_max(A, a)

    for body, message in (
        (shared_result, "T.gemm: expected the result in a fragment, got c: shared 64x64 float32"),
        (maximum_of_halves, "T.atomic_max of a tile of float16 is not supported yet"),
        (global_operand, "T.gemm: expected tiles, got A: global 64x64 float16; copy it to T.alloc_shared"),
        (tile_as_value, "name an element of it, as in c[i, j], in a loop over its elements"),
        (other_extents, "T.atomic_add: the extents of both sides differ: [64, 32] of c, [64, 64] of C"),
        (no_atomic, "T.atomic_add of bool is not supported yet"),
        (stages, "T.Pipelined: expected num_stages to be a number of tiles, 0 or more, got -1"),
        (index_behind, "is used outside of the loop that defines it; set a variable"),
        (too_large, "expected a number that fits int32, from -2^31 to 2^31 - 1, got 5000000000"),
        (shapes, "T.reshape: s: shared 8x8 float32 has 2048 bits"),
    ):
        refused(body, message)
    with pytest.raises(LanguageError, match="expected extents of 0 or more, got"):
        T.Tensor((-4, 64), "float32")
