# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The TileLang peer: its plain pipelined GEMM in a few configurations. Needs the package tilelang on the GPU machine."""

import concurrent.futures

import tilelang
import tilelang.language as T
from tilelang import tvm

# tile M, N, K, stages, threads
CONFIGS = ((128, 256, 64, 3, 256), (128, 256, 64, 4, 256), (128, 128, 64, 4, 256), (256, 128, 64, 3, 256))


def program(m, n, k, tb, config, panel=10):
    """C = A B of f16 with f32 accumulation, B being N x K where tb."""
    tm, tn, tk, stages, threads = config
    half, wide = "float16", "float32"
    b_shape, b_tile = ((n, k), (tn, tk)) if tb else ((k, n), (tk, tn))

    @T.prim_func
    def gemm(A: T.Tensor((m, k), half), B: T.Tensor(b_shape, half), C: T.Tensor((m, n), half)):
        with T.Kernel(T.ceildiv(n, tn), T.ceildiv(m, tm), threads=threads) as (bx, by):
            a_tile = T.alloc_shared((tm, tk), half)
            b_tile_ = T.alloc_shared(b_tile, half)
            acc = T.alloc_fragment((tm, tn), wide)
            T.use_swizzle(panel_size=panel)
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, tk), num_stages=stages):
                T.copy(A[by * tm, step * tk], a_tile)
                if tb:
                    T.copy(B[bx * tn, step * tk], b_tile_)
                else:
                    T.copy(B[step * tk, bx * tn], b_tile_)
                T.gemm(a_tile, b_tile_, acc, transpose_B=tb)
            T.copy(acc, C[by * tm, bx * tn])

    return gemm


def compile_all(problems, jobs=8):
    """{(m, n, k, tb, config): kernel}; what TileLang refuses is left out."""
    wanted = [(m, n, k, tb, config) for m, n, k, tb in problems for config in CONFIGS]

    def build(what):
        try:
            target = tvm.target.Target({"kind": "cuda", "arch": "sm_90a"})
            with target:
                return what, tilelang.compile(program(*what), target=target)
        except Exception as error:  # a configuration that TileLang refuses is no rival
            return what, error

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        built = list(pool.map(build, wanted))
    for what, kernel in built:
        if isinstance(kernel, Exception):
            print(f"tilelang {what}: {str(kernel).splitlines()[0][:100] if str(kernel) else type(kernel)}")
    return {what: kernel for what, kernel in built if not isinstance(kernel, Exception)}
