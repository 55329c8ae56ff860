# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices in TileLang's style, on the CPU target against float32."""

import pytest
from tilelang_style import T, tilelang, torch


@tilelang.jit
def product(A, B, transpose_a: bool, transpose_b: bool, out_dtype: T.dtype, stages: int):
    """C = A' B', tiles of 32 x 32 x 16."""
    M, N, K = T.const("M, N, K")
    shape_a = (K, M) if transpose_a else (M, K)
    shape_b = (N, K) if transpose_b else (K, N)
    in_dtype = T.int8 if out_dtype == T.int32 else T.float16
    accum = T.int32 if out_dtype == T.int32 else T.float32
    A: T.Tensor(shape_a, in_dtype)
    B: T.Tensor(shape_b, in_dtype)
    C = T.empty((M, N), out_dtype)
    with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
        A_shared = T.alloc_shared((16, 32) if transpose_a else (32, 16), in_dtype)
        B_shared = T.alloc_shared((32, 16) if transpose_b else (16, 32), in_dtype)
        C_local = T.alloc_fragment((32, 32), accum)
        T.clear(C_local)
        for k in T.Pipelined(T.ceildiv(K, 16), num_stages=stages):
            if transpose_a:
                T.copy(A[k * 16, by * 32], A_shared)
            else:
                T.copy(A[by * 32, k * 16], A_shared)
            if transpose_b:
                T.copy(B[bx * 32, k * 16], B_shared)
            else:
                T.copy(B[k * 16, bx * 32], B_shared)
            T.gemm(A_shared, B_shared, C_local, transpose_A=transpose_a, transpose_B=transpose_b)
        T.copy(C_local, C[by * 32, bx * 32])
    return C


@pytest.mark.parametrize("transpose_a, transpose_b", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_operands_may_be_transposed(transpose_a, transpose_b):
    a = torch.randn(*((48, 64) if transpose_a else (64, 48)), device="cuda", dtype=torch.float16)
    b = torch.randn(*((96, 48) if transpose_b else (48, 96)), device="cuda", dtype=torch.float16)
    c = product(a, b, bool(transpose_a), bool(transpose_b), T.float32, 2)
    left = (a.T if transpose_a else a).float()
    right = (b.T if transpose_b else b).float()
    torch.testing.assert_close(c, left @ right, rtol=1e-3, atol=1e-3)


def test_sizes_that_tiles_do_not_divide():
    a = torch.randn(40, 24, dtype=torch.float16)
    b = torch.randn(24, 56, dtype=torch.float16)
    c = product(a, b, False, False, T.float16, 3)
    torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=1e-2)


def test_integers_are_exact():
    a = torch.randint(-128, 128, (64, 64), dtype=torch.int8)
    b = torch.randint(-128, 128, (64, 64), dtype=torch.int8)
    c = product(a, b, False, True, T.int32, 0)
    assert torch.equal(c, a.int() @ b.int().T)


@tilelang.jit(out_idx=[-1])
def matmul_fp8(M, N, K, dtype):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), "float32")
    ):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            A_shared = T.alloc_shared((64, 32), dtype)
            B_shared = T.alloc_shared((64, 32), dtype)
            C_local = T.alloc_fragment((64, 64), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], A_shared)
                T.copy(B[bx * 64, k * 32], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * 64, bx * 64])

    return main


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_eight_bit_floating_point(name):
    a, b = (torch.randn(64, 64).to(getattr(torch, name)) for _ in range(2))
    c = matmul_fp8(64, 64, 64, name)(a, b)
    torch.testing.assert_close(c, a.float() @ b.float().T, rtol=1e-4, atol=1e-4)


@tilelang.jit(out_idx=[3])
def linear_relu(M, N, K):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        bias: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            A_shared = T.alloc_shared((32, K), "float16")
            B_shared = T.alloc_shared((K, 32), "float16")
            C_local = T.alloc_fragment((32, 32), "float32")
            T.copy(A[by * 32, 0], A_shared)
            T.copy(B[0, bx * 32], B_shared)
            T.gemm(A_shared, B_shared, C_local, clear_accum=True)
            for i, j in T.Parallel(32, 32):
                C_local[i, j] = T.max(C_local[i, j] + bias[bx * 32 + j], 0)
            T.copy(C_local, C[by * 32, bx * 32])

    return main


def test_bias_and_relu_behind_the_product():
    a = torch.randn(64, 32, dtype=torch.float16)
    b = torch.randn(32, 64, dtype=torch.float16)
    bias = torch.randn(64)
    c = linear_relu(64, 64, 32)(a, b, bias)
    expected = torch.relu(a.float() @ b.float() + bias).half()
    torch.testing.assert_close(c, expected, rtol=1e-2, atol=1e-2)


@tilelang.jit
def attention(Q, K, V, causal: bool, block: int):
    """softmax(Q K^T / sqrt(dim)) V with the running maximum and sum of each row."""
    batch, heads, length, dim = T.const("batch, heads, length, dim")
    Q: T.Tensor((batch, heads, length, dim), T.float16)
    K: T.Tensor((batch, heads, length, dim), T.float16)
    V: T.Tensor((batch, heads, length, dim), T.float16)
    Out = T.empty((batch, heads, length, dim), T.float16)
    scale = (1.0 / dim) ** 0.5 * 1.44269504
    with T.Kernel(T.ceildiv(length, block), heads, batch, threads=128) as (bx, by, bz):
        Q_shared = T.alloc_shared((block, dim), T.float16)
        K_shared = T.alloc_shared((block, dim), T.float16)
        V_shared = T.alloc_shared((block, dim), T.float16)
        scores = T.alloc_fragment((block, block), T.float32)
        weights = T.alloc_fragment((block, block), T.float16)
        result = T.alloc_fragment((block, dim), T.float32)
        top = T.alloc_fragment((block,), T.float32)
        before = T.alloc_fragment((block,), T.float32)
        factor = T.alloc_fragment((block,), T.float32)
        row_sum = T.alloc_fragment((block,), T.float32)
        total = T.alloc_fragment((block,), T.float32)
        T.copy(Q[bz, by, bx * block : (bx + 1) * block, :], Q_shared)
        T.fill(result, 0)
        T.fill(total, 0)
        T.fill(top, -T.infinity(T.float32))
        count = bx + 1 if causal else T.ceildiv(length, block)
        for k in T.Pipelined(count, num_stages=2):
            T.copy(K[bz, by, k * block : (k + 1) * block, :], K_shared)
            T.clear(scores)
            T.gemm(Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
            if causal:
                for i, j in T.Parallel(block, block):
                    scores[i, j] = T.if_then_else(
                        bx * block + i >= k * block + j, scores[i, j], -T.infinity(T.float32)
                    )
            T.copy(top, before)
            T.reduce_max(scores, top, dim=1, clear=False)
            for i in T.Parallel(block):
                factor[i] = T.exp2((before[i] - top[i]) * scale)
            for i, j in T.Parallel(block, block):
                scores[i, j] = T.exp2((scores[i, j] - top[i]) * scale)
            T.reduce_sum(scores, row_sum, dim=1)
            for i in T.Parallel(block):
                total[i] = total[i] * factor[i] + row_sum[i]
            T.copy(scores, weights)
            for i, j in T.Parallel(block, dim):
                result[i, j] *= factor[i]
            T.copy(V[bz, by, k * block : (k + 1) * block, :], V_shared)
            T.gemm(weights, V_shared, result, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(block, dim):
            result[i, j] /= total[i]
        T.copy(result, Out[bz, by, bx * block : (bx + 1) * block, :])
    return Out


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal):
    q, k, v = (torch.randn(1, 2, 64, 32, dtype=torch.float16) for _ in range(3))
    actual = attention(q, k, v, causal, 32)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    torch.testing.assert_close(actual, expected, rtol=1e-2, atol=1e-2)
