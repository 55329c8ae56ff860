# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole kernels in the styles of TileLang, run on the CPU and compared with numpy."""

import math
import warnings

import numpy as np
import pytest

import mlir_tile as tilelang
import mlir_tile.language as T
from mlir_tile.errors import ArgumentError, CompileError
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.atomics import MemoryOrderWarning


def normal(*shape, dtype=np.float16, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@tilelang.jit(target="cpu")
def matmul(A, B, block_M: int, block_N: int, block_K: int, dtype=T.float16, accum_dtype=T.float32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), dtype)
    B: T.Tensor((K, N), dtype)
    C = T.empty((M, N), dtype)
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
        A_shared = T.alloc_shared((block_M, block_K), dtype)
        B_shared = T.alloc_shared((block_K, block_N), dtype)
        C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
        T.use_swizzle(panel_size=10)
        T.clear(C_local)
        for ko in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
            T.copy(A[by * block_M, ko * block_K], A_shared)
            T.copy(B[ko * block_K, bx * block_N], B_shared)
            T.gemm(A_shared, B_shared, C_local)
        for i, j in T.Parallel(block_M, block_N):
            C_local[i, j] = T.max(C_local[i, j], 0)
        T.copy(C_local, C[by * block_M, bx * block_N])
    return C


def test_eager_gemm_allocates_its_output():
    a, b = normal(100, 96), normal(96, 136, seed=1)
    want = np.maximum(a.astype(np.float32) @ b.astype(np.float32), 0)
    got = matmul(a, b, 64, 64, 32)
    assert got.dtype == np.float16 and got.shape == (100, 136)
    np.testing.assert_allclose(got, want, rtol=1e-2, atol=2e-2)
    again = matmul(a[:64].copy(), b, 64, 64, 32)
    np.testing.assert_allclose(again, want[:64], rtol=1e-2, atol=2e-2)


def test_eager_kernel_compiled_for_sizes():
    kernel = matmul.compile(M=64, N=64, K=32, block_M=32, block_N=32, block_K=32)
    assert [p.name for p in kernel.params] == ["A", "B", "C"] and kernel.out_idx == [2]
    a, b = normal(64, 32), normal(32, 64, seed=1)
    np.testing.assert_allclose(
        kernel(a, b), np.maximum(a.astype(np.float32) @ b, 0), rtol=1e-2, atol=2e-2
    )
    assert ".visible .entry matmul" in kernel.get_kernel_source()
    with pytest.raises(ArgumentError, match="expected 2 arguments"):
        kernel(a)
    with pytest.raises(TypeError, match="named Q"):
        matmul.compile(M=64, N=64, K=32, Q=1, block_M=32, block_N=32, block_K=32)


def test_lazy_style_with_out_idx_and_dynamic_sizes():
    @tilelang.jit(out_idx=[-1], target="cpu")
    def scaled(block, dtype="float32"):
        m, n = T.dynamic("m"), T.dynamic("n")

        @T.prim_func
        def main(X: T.Tensor((m, n), dtype), S: T.Tensor((n,), dtype), Y: T.Tensor((m, n), dtype)):
            with T.Kernel(T.ceildiv(n, block), m, threads=64) as (bx, by):
                for j in T.Parallel(block):
                    Y[by, bx * block + j] = X[by, bx * block + j] * S[bx * block + j]

        return main

    kernel = scaled(64)
    assert kernel is scaled(64)
    for shape in ((3, 100), (7, 64)):
        x, s = normal(*shape, dtype=np.float32), normal(shape[1], dtype=np.float32, seed=1)
        np.testing.assert_allclose(kernel(x, s), x * s)
    with pytest.raises(ArgumentError, match="n is"):
        kernel(np.zeros((3, 100), np.float32), np.zeros(99, np.float32))


def test_attention():
    batch, heads, length, dim, block = 1, 2, 128, 64, 64
    scale = 1.44269504 / math.sqrt(dim)
    shape = (batch, length, heads, dim)

    @T.prim_func
    def main(
        Q: T.Tensor(shape, "float16"),
        K: T.Tensor(shape, "float16"),
        V: T.Tensor(shape, "float16"),
        O: T.Tensor(shape, "float16"),
    ):
        with T.Kernel(T.ceildiv(length, block), heads, batch, threads=128) as (bx, by, bz):
            Qs, Ks, Vs = (T.alloc_shared([block, dim], "float16") for _ in range(3))
            S = T.alloc_fragment([block, block], "float32")
            P = T.alloc_fragment([block, block], "float16")
            acc = T.alloc_fragment([block, dim], "float32")
            top, old, factor, row, total = (T.alloc_fragment([block], "float32") for _ in range(5))
            T.copy(Q[bz, bx * block : (bx + 1) * block, by, :], Qs)
            T.fill(acc, 0)
            T.fill(total, 0)
            T.fill(top, -T.infinity("float32"))
            for k in T.Pipelined(bx + 1, num_stages=2):
                T.copy(K[bz, k * block : (k + 1) * block, by, :], Ks)
                for i, j in T.Parallel(block, block):
                    S[i, j] = T.if_then_else(
                        bx * block + i >= k * block + j, 0, -T.infinity("float32")
                    )
                T.gemm(Qs, Ks, S, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(V[bz, k * block : (k + 1) * block, by, :], Vs)
                T.copy(top, old)
                T.reduce_max(S, top, dim=1, clear=False)
                for i in T.Parallel(block):
                    factor[i] = T.exp2(old[i] * scale - top[i] * scale)
                for i, j in T.Parallel(block, block):
                    S[i, j] = T.exp2(S[i, j] * scale - top[i] * scale)
                T.reduce_sum(S, row, dim=1)
                for i in T.Parallel(block):
                    total[i] = total[i] * factor[i] + row[i]
                T.copy(S, P)
                for i, j in T.Parallel(block, dim):
                    acc[i, j] *= factor[i]
                T.gemm(P, Vs, acc, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block, dim):
                acc[i, j] /= total[i]
            T.copy(acc, O[bz, bx * block : (bx + 1) * block, by, :])

    q, k, v = (normal(*shape, seed=i) for i in range(3))
    got = compile_kernel(main, out_idx=3, target="cpu")(q, k, v)
    s = np.einsum("bihd,bjhd->bhij", q.astype(np.float64), k.astype(np.float64)) / math.sqrt(dim)
    s = np.where(np.tril(np.ones((length, length), bool)), s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    want = np.einsum("bhij,bjhd->bihd", p / p.sum(-1, keepdims=True), v.astype(np.float64))
    np.testing.assert_allclose(got, want, rtol=2e-2, atol=2e-2)


def test_split_k_with_atomic_tiles():
    M = N = 64
    K, split, block = 128, 2, 32

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(N // block, M // block, split, threads=64) as (bx, by, bz):
            As, Bs = (
                T.alloc_shared((block, block), "float16"),
                T.alloc_shared((block, block), "float16"),
            )
            Cs = T.alloc_shared((block, block), "float32")
            acc = T.alloc_fragment((block, block), "float32")
            for k in T.Pipelined(K // split // block, num_stages=2):
                T.copy(A[by * block, bz * (K // split) + k * block], As)
                T.copy(B[bx * block, bz * (K // split) + k * block], Bs)
                T.gemm(As, Bs, acc, transpose_B=True, clear_accum=k == 0)
            T.copy(acc, Cs)
            T.atomic_add(C[by * block, bx * block], Cs)

    a, b = normal(M, K), normal(N, K, seed=1)
    c = np.zeros((M, N), np.float32)
    compile_kernel(main, target="cpu")(a, b, c)
    np.testing.assert_allclose(
        c, a.astype(np.float32) @ b.astype(np.float32).T, rtol=1e-2, atol=1e-2
    )


def test_two_kernels_in_one_function_with_a_workspace():
    @T.prim_func
    def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4,), "float32")):
        W = T.alloc_global((4,), "float32")
        with T.Kernel(4, threads=64) as b:
            row, total = T.alloc_fragment((64,), "float32"), T.alloc_fragment((1,), "float32")
            T.copy(A[b, :], row)
            T.reduce_sum(row, total, dim=0)
            W[b] = total[0]
        with T.Kernel(1, threads=32):
            for i in T.Parallel(4):
                B[i] = W[3 - i]

    a, b = normal(4, 64, dtype=np.float32), np.zeros(4, np.float32)
    compile_kernel(main, target="cpu")(a, b)
    np.testing.assert_allclose(b, a.sum(1)[::-1], rtol=1e-4, atol=1e-4)


def test_convolution_by_im2col_and_views_of_arguments():
    n, h, c, f, k, pad = 1, 8, 32, 32, 3, 1

    @tilelang.jit(target="cpu")
    def convolution(X, W):
        X: T.Tensor((n, h, h, c), "float16")
        W: T.Tensor((k, k, c, f), "float16")
        Y = T.empty((n, h, h, f), "float16")
        with T.Kernel(1, n * h * h // 32, threads=128) as (bx, by):
            Xs, Ws = T.alloc_shared((32, 32), "float16"), T.alloc_shared((32, f), "float16")
            acc = T.alloc_fragment((32, f), "float32")
            flat = T.Tensor((k * k * c, f), "float16", W.data)
            out = T.Tensor((n * h * h, f), "float16", Y.data)
            T.clear(acc)
            for i in T.Pipelined(k * k * c // 32, num_stages=2):
                T.im2col(X, Xs, by, i, k, 1, 1, pad)
                T.copy(flat[i * 32, bx * f], Ws)
                T.gemm(Xs, Ws, acc)
            T.copy(acc, out[by * 32, bx * f])
        return Y

    x, w = normal(n, h, h, c), normal(k, k, c, f, seed=1)
    padded = np.pad(x.astype(np.float32), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    want = sum(
        np.einsum("nhwc,cf->nhwf", padded[:, i : i + h, j : j + h], w[i, j].astype(np.float32))
        for i in range(k)
        for j in range(k)
    )
    np.testing.assert_allclose(convolution(x, w), want, rtol=2e-2, atol=5e-2)


@pytest.mark.parametrize(
    "kind, want",
    [
        ("sum", lambda x: x.sum(1)),
        ("max", lambda x: x.max(1)),
        ("min", lambda x: x.min(1)),
        ("abssum", lambda x: abs(x).sum(1)),
        ("absmax", lambda x: abs(x).max(1)),
    ],
)
def test_reductions(kind, want):
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=64):
            tile, out = T.alloc_fragment((32, 64), "float32"), T.alloc_fragment((32,), "float32")
            T.copy(A, tile)
            T.reduce(tile, out, kind, 1, True)
            T.copy(out, B)

    a, b = normal(32, 64, dtype=np.float32), np.zeros(32, np.float32)
    compile_kernel(main, target="cpu")(a, b)
    np.testing.assert_allclose(b, want(a), rtol=1e-4, atol=1e-4)


def test_elementary_functions_and_casts():
    @T.prim_func
    def main(
        A: T.Tensor((64,), "float32"),
        B: T.Tensor((8, 64), "float32"),
        C: T.Tensor((64,), "int8"),
        D: T.Tensor((64,), "uint8"),
    ):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                x = A[i]
                B[0, i] = T.exp(x) + T.log(T.abs(x) + 1.0)
                B[1, i] = T.sigmoid(x) * T.tanh(x)
                B[2, i] = T.rsqrt(x * x + 1.0) ** 2
                B[3, i] = T.clamp(x, -0.5, 0.5)
                B[4, i] = T.floor(x) + T.ceil(x)
                B[5, i] = T.cast(T.cast(x, "float16"), "float32")
                B[6, i] = T.reinterpret(T.reinterpret(x, "uint32") & 0x7FFFFFFF, "float32")
                B[7, i] = x if x > 0.0 else -2.0 * x
                C[i] = T.cast(x * 10.0, "int8")
                D[i] = T.uint8(i) >> 1 | (i % 2) << 7

    a = normal(64, dtype=np.float32)
    b, c, d = np.zeros((8, 64), np.float32), np.zeros(64, np.int8), np.zeros(64, np.uint8)
    compile_kernel(main, target="cpu")(a, b, c, d)
    i = np.arange(64)
    want = [
        np.exp(a) + np.log(abs(a) + 1),
        np.tanh(a) / (1 + np.exp(-a)),
        1 / (a * a + 1),
        np.clip(a, -0.5, 0.5),
        np.floor(a) + np.ceil(a),
        a.astype(np.float16).astype(np.float32),
        abs(a),
        np.where(a > 0, a, -2 * a),
    ]
    for row, x in zip(b, want):
        np.testing.assert_allclose(row, x, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(c, (a * 10).astype(np.int8))
    np.testing.assert_array_equal(d, (i >> 1) | (i % 2) << 7)


def test_atomic_elements_return_what_was_there():
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), H: T.Tensor((4,), "int32"), P: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                P[i] = T.atomic_add(H[A[i]], 1, return_prev=True)

    a = np.random.default_rng(0).integers(0, 4, 64).astype(np.int32)
    h, p = np.zeros(4, np.int32), np.zeros(64, np.int32)
    compile_kernel(main, target="cpu")(a, h, p)
    np.testing.assert_array_equal(h, np.bincount(a, minlength=4))
    for v in range(4):
        assert sorted(p[a == v]) == list(range(h[v]))


@pytest.mark.parametrize("order", [None, "relaxed", "acquire", "seq_cst"])
def test_an_atomic_update_says_that_it_orders_nothing(order):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")

        @T.prim_func
        def main(A: T.Tensor((1,), "int32")):
            with T.Kernel(4, threads=32):
                T.atomic_add(A[0], 1, memory_order=order)

    assert [x.category for x in seen] == [MemoryOrderWarning] * (order in ("acquire", "seq_cst"))
    said = f"memory_order='{order}' of T.atomic_add is taken as 'relaxed'"
    assert all(said in str(x.message) and x.filename == __file__ for x in seen)
    a = np.zeros(1, np.int32)
    compile_kernel(main, target="cpu")(a)
    assert a[0] == 4


def test_one_value_is_added_to_each_element_of_a_region():
    @T.prim_func
    def main(A: T.Tensor((8, 16), "float32")):
        with T.Kernel(2, threads=32) as bx:
            T.atomic_add(A[bx * 4 : bx * 4 + 4, 0:16], 2.0)
            T.atomic_max(A[bx * 4 : bx * 4 + 4, 0:8], 3.0)

    a = np.zeros((8, 16), np.float32)
    compile_kernel(main, target="cpu")(a)
    assert (a[:, :8] == 3).all() and (a[:, 8:] == 2).all()


def test_memory_orders_that_are_none():
    with pytest.raises(CompileError, match="expected a memory order of relaxed, .* got 'strong'"):

        @T.prim_func
        def main(A: T.Tensor((1,), "int32")):
            with T.Kernel(4, threads=32):
                T.atomic_add(A[0], 1, memory_order="strong")



def test_truth_values_and_bytes_in_memory():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), M: T.Tensor((64,), "bool"), B: T.Tensor((64,), "bool")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[i] = M[i] and A[i] > 0.0

    a, m = normal(64, dtype=np.float32), np.random.default_rng(1).integers(0, 2, 64).astype(bool)
    b = np.zeros(64, bool)
    compile_kernel(main, target="cpu")(a, m, b)
    np.testing.assert_array_equal(b, m & (a > 0))


def test_scalars_as_arguments():
    @T.prim_func
    def main(A: T.Tensor((32,), "float32"), s: T.float32, n: T.int32, odd: T.bool):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(32):
                if i < n and (odd or i % 2 == 0):
                    A[i] = s * i

    a = np.zeros(32, np.float32)
    compile_kernel(main, target="cpu")(a, 1.5, 20, False)
    np.testing.assert_allclose(
        a, np.where((np.arange(32) < 20) & (np.arange(32) % 2 == 0), 1.5 * np.arange(32), 0)
    )


def test_copies_read_the_safe_value_outside_of_a_tensor():
    @T.prim_func
    def main(
        A: T.Tensor((40, 30), "float32"),
        B: T.Tensor((64, 32), "float16"),
        C: T.Tensor((64, 32), "float32"),
    ):
        with T.Kernel(1, 2, threads=64) as (bx, by):
            S = T.alloc_shared((32, 32), "float32")
            T.annotate_safe_value({A: -3.0})
            T.copy(A[by * 32, bx * 32], S)
            T.copy(S, C[by * 32, bx * 32])
            T.copy(
                A[by * 32 : (by + 1) * 32, bx * 32 : (bx + 1) * 32],
                B[by * 32 : (by + 1) * 32, bx * 32 : (bx + 1) * 32],
            )

    a, b, c = (
        normal(40, 30, dtype=np.float32),
        np.zeros((64, 32), np.float16),
        np.zeros((64, 32), np.float32),
    )
    compile_kernel(main, target="cpu")(a, b, c)
    want = np.full((64, 32), -3.0, np.float32)
    want[:40, :30] = a
    np.testing.assert_array_equal(c, want)
    np.testing.assert_array_equal(b, want.astype(np.float16))
