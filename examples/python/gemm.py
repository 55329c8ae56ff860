# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix product from Python, on the CPU with numpy's arrays, or on a GPU with PyTorch's tensors."""

import time

import mlir_tile as tilelang
import mlir_tile.language as T
import numpy as np


@tilelang.jit
def matmul(A, B, block_M: int = 128, block_N: int = 128, block_K: int = 32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), T.float16)
    B: T.Tensor((K, N), T.float16)
    C = T.empty((M, N), T.float16)
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
        A_shared = T.alloc_shared((block_M, block_K), T.float16)
        B_shared = T.alloc_shared((block_K, block_N), T.float16)
        C_local = T.alloc_fragment((block_M, block_N), T.float32)
        T.clear(C_local)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
            T.copy(A[by * block_M, k * block_K], A_shared)
            T.copy(B[k * block_K, bx * block_N], B_shared)
            T.gemm(A_shared, B_shared, C_local)
        T.copy(C_local, C[by * block_M, bx * block_N])
    return C


def main(size: int = 1024) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, size, size)).astype(np.float16)

    start = time.perf_counter()
    c = matmul(a, b)
    first = time.perf_counter() - start
    start = time.perf_counter()
    c = matmul(a, b)
    again = time.perf_counter() - start

    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c, expected, rtol=2e-3, atol=5e-2)
    print(f"{size} x {size} x {size}: right; first call {first:.2f} s, with compilation; then {again * 1e3:.1f} ms")

    kernel = matmul.compile(M=4096, N=4096, K=4096, target="cuda:sm_90a")
    ptx = kernel.get_kernel_source()
    print(f"the same for sm_90a: {ptx.count(chr(10))} lines of PTX, {ptx.count('wgmma.mma_async')} of wgmma")


if __name__ == "__main__":
    main()
