# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of a cluster: their numbers, and barriers between them."""

import numpy as np
import pytest
import tilelang_style  # noqa: F401  (the stand-in for torch)

import mlir_tile.language as T
from mlir_tile.errors import CompileError
from mlir_tile.jit import compile as compile_kernel


def test_blocks_know_their_place_in_a_cluster():
    @T.prim_func
    def main(A: T.Tensor((4, 8), "int32"), B: T.Tensor((4, 8), "int32")):
        with T.ClusterKernel(8, 4, threads=32, cluster_dims=(2, 2)) as (bx, by):
            A[by, bx] = T.block_rank_in_cluster()
            for i in T.Parallel(1):
                B[by, bx] = T.block_rank_in_cluster() * 10

    a, b = np.zeros((4, 8), np.int32), np.zeros((4, 8), np.int32)
    compile_kernel(main, target="cpu")(a, b)
    y, x = np.mgrid[:4, :8]
    np.testing.assert_array_equal(a, x % 2 + y % 2 * 2)
    np.testing.assert_array_equal(b, a * 10)


def test_a_block_without_a_cluster_is_its_first():
    @T.prim_func
    def main(A: T.Tensor((4,), "int32")):
        with T.Kernel(4, threads=32) as bx:
            A[bx] = T.block_rank_in_cluster() + bx

    a = np.zeros(4, np.int32)
    compile_kernel(main, target="cpu")(a)
    np.testing.assert_array_equal(a, np.arange(4))


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a", "lowered:sm_100a"])
def test_blocks_of_a_cluster_wait_for_each_other(target):
    @T.prim_func
    def main(A: T.Tensor((16,), "int32"), B: T.Tensor((16,), "int32")):
        with T.ClusterKernel(16, threads=32, cluster_dims=(4, 1, 1)) as bx:
            T.cluster_arrive()
            T.cluster_wait()
            rank = T.block_rank_in_cluster()
            if T.get_thread_binding() == 0:
                A[bx] = rank + B[bx]
            T.cluster_sync()
            T.cluster_arrive_relaxed()

    a, b = np.zeros(16, np.int32), np.arange(16, dtype=np.int32) * 100
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(a, np.arange(16) % 4 + b)


def test_a_barrier_of_the_cluster_is_one_of_the_block():
    @T.prim_func
    def main(A: T.Tensor((4, 64), "int32")):
        with T.ClusterKernel(4, threads=64, cluster_dims=2) as bx:
            shared = T.alloc_shared((64,), "int32")
            tx = T.get_thread_binding()
            shared[tx] = tx * 10
            T.cluster_sync()
            A[bx, tx] = shared[63 - tx]

    a = np.zeros((4, 64), np.int32)
    compile_kernel(main, target="lowered:sm_90a")(a)
    np.testing.assert_array_equal(a, np.tile(np.arange(63, -1, -1) * 10, (4, 1)))


@pytest.mark.parametrize("atomic", [False, True])
def test_blocks_that_exchange_values_are_refused(atomic):
    def build():
        @T.prim_func
        def main(A: T.Tensor((16,), "int32"), B: T.Tensor((16,), "int32")):
            with T.ClusterKernel(16, threads=32, cluster_dims=4) as bx:
                if atomic:
                    B[bx] = T.atomic_add(A[bx], 1, return_prev=True)
                else:
                    A[bx] = bx
                T.cluster_sync()
                if not atomic:
                    B[bx] = A[bx ^ 1]

        return main

    refusal = "clusters.py:.*T.cluster_sync of blocks that exchange values through A,"
    with pytest.raises(CompileError, match=refusal):
        build()
