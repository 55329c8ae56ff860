# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of a cluster: their numbers, barriers between them, and copies from one to another."""

import re

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


TARGETS = ["cpu", "lowered:sm_90a", "lowered:sm_100a"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("atomic", [False, True])
def test_blocks_exchange_values_through_global_memory(atomic, target):
    @T.prim_func
    def main(A: T.Tensor((16,), "int32"), B: T.Tensor((16,), "int32")):
        with T.ClusterKernel(16, threads=32, cluster_dims=4) as bx:
            if atomic:
                T.atomic_add(A[bx ^ 1], bx + 1)
            else:
                A[bx] = bx + 1
            T.cluster_sync()
            B[bx] = A[bx] if atomic else A[bx ^ 1]

    a, b = np.zeros(16, np.int32), np.zeros(16, np.int32)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(b, (np.arange(16) ^ 1) + 1)


def test_barriers_that_order_nothing_are_left_to_the_compiler():
    @T.prim_func
    def main(A: T.Tensor((16,), "int32"), B: T.Tensor((16,), "int32")):
        with T.ClusterKernel(16, threads=32, cluster_dims=4) as bx:
            B[bx] = A[bx]
            T.cluster_sync()

    assert "tile.cluster_barrier" not in main.script()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("arrives", [False, True])
def test_a_tile_is_copied_to_another_block(arrives, target):
    N = 128

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.ClusterKernel(2, threads=128, cluster_dims=(2, 1, 1)) as pid:
            source = T.alloc_shared((N,), "float32")
            target = T.alloc_shared((N,), "float32")
            barrier = T.alloc_cluster_barrier([1])
            T.fill(source, 0.0)
            T.fill(target, 0.0)
            T.cluster_sync()
            if pid == 0:
                for i in T.Parallel(N):
                    source[i] = A[i]
                if arrives:
                    T.copy_cluster(source, target, dst_block=1, remote_barrier=barrier[0])
                else:
                    T.copy_cluster(source, target, dst_block=1)
            if not arrives:
                T.cluster_sync()
            if pid == 1:
                if arrives:
                    T.mbarrier_wait_parity(barrier[0], 0)
                for i in T.Parallel(N):
                    B[i] = target[i]

    a, b = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("target", TARGETS)
def test_regions_of_tiles_are_copied_and_added_up(target):
    @T.prim_func
    def main(A: T.Tensor((8, 16, 32), "float32"), B: T.Tensor((2, 16, 32), "float32")):
        with T.ClusterKernel(8, threads=128, cluster_dims=4) as bx:
            parts = T.alloc_shared((4, 16, 48), "float32")
            total = T.alloc_fragment((16, 32), "float32")
            barrier = T.alloc_cluster_barrier([3])
            rank = T.block_rank_in_cluster()
            T.copy(A[bx, :, :], parts[rank, :, 0:32])
            if rank != 0:
                T.copy_cluster(
                    parts[rank, :, 0:32],
                    parts[rank, :, 0:32],
                    dst_block=0,
                    remote_barrier=barrier[0],
                    coalesced_width=2,
                )
            if rank == 0:
                T.mbarrier_wait_parity(barrier[0], 0)
                T.clear(total)
                for k in T.serial(4):
                    for i, j in T.Parallel(16, 32):
                        total[i, j] += parts[k, i, j]
                T.copy(total, B[bx // 4, :, :])

    a = np.random.default_rng(0).integers(0, 9, (8, 16, 32)).astype(np.float32)
    b = np.zeros((2, 16, 32), np.float32)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(b, a.reshape(2, 4, 16, 32).sum(1))


@pytest.mark.parametrize("target", TARGETS)
def test_threads_arrive_at_the_barrier_of_another_block(target):
    @T.prim_func
    def main(A: T.Tensor((8,), "int32")):
        with T.ClusterKernel(8, threads=32, cluster_dims=4) as bx:
            ready = T.alloc_cluster_barrier([128, 32])
            rank = T.block_rank_in_cluster()
            T.cluster_sync()
            T.mbarrier_arrive(ready[0], 2)
            T.ptx_arrive_cluster_barrier(ready[1], rank)
            T.mbarrier_wait_parity(ready[1], 0)
            if rank == 2:
                T.mbarrier_wait_parity(ready[0], 0)
            T.cluster_sync()
            A[bx] = rank

    a = np.zeros(8, np.int32)
    compile_kernel(main, target=target)(a)
    np.testing.assert_array_equal(a, np.arange(8) % 4)


def test_a_kernel_without_clusters_has_barriers_of_its_own():
    @T.prim_func
    def main(A: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=32):
            ready = T.alloc_cluster_barrier(32)
            T.cluster_sync()
            T.mbarrier_arrive(ready, 0)
            T.mbarrier_wait_parity(ready, 0)
            T.fill(A, 7)

    a = np.zeros(32, np.int32)
    compile_kernel(main, target="lowered:sm_90a")(a)
    assert (a == 7).all()


@pytest.mark.parametrize("tma", [False, True])
@pytest.mark.parametrize("mask", [0b0011, 0b1100, 0b1111, 0b0100])
@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_blocks_of_a_mask_get_what_the_first_of_them_names(mask, tma, target):
    @T.prim_func
    def main(A: T.Tensor((32, 128), "float16"), B: T.Tensor((32, 128), "float16")):
        with T.ClusterKernel(8, 2, threads=64, cluster_dims=(4, 1, 1)) as (bx, by):
            shared = T.alloc_shared((16, 16), "float16")
            if tma:
                T.tma_copy(A[by * 16, bx * 16], shared, cluster_mask=mask)
            else:
                T.copy_cluster(A[by * 16, bx * 16], shared, cluster_mask=mask)
            T.copy(shared, B[by * 16, bx * 16])

    a = np.random.default_rng(1).standard_normal((32, 128)).astype(np.float16)
    b = np.zeros_like(a)
    compile_kernel(main, target=target)(a, b)
    inside = [rank for rank in range(4) if mask >> rank & 1]
    for block in range(8):
        rank = block % 4
        source = block - rank + inside[0] if rank in inside else block
        np.testing.assert_array_equal(
            b[:, block * 16 : block * 16 + 16], a[:, source * 16 : source * 16 + 16]
        )


def test_a_mask_in_two_dimensions():
    @T.prim_func
    def main(A: T.Tensor((4, 4), "int32"), B: T.Tensor((4, 4), "int32")):
        with T.ClusterKernel(4, 4, threads=32, cluster_dims=(2, 2, 1)) as (bx, by):
            shared = T.alloc_shared((1,), "int32")
            row = by * 1
            T.copy_cluster(A[row, bx : bx + 1], shared, cluster_mask=0b1010)
            T.copy(shared, B[by, bx : bx + 1])

    a, b = np.arange(16, dtype=np.int32).reshape(4, 4), np.zeros((4, 4), np.int32)
    compile_kernel(main, target="cpu")(a, b)
    y, x = np.mgrid[:4, :4]
    rank = x % 2 + y % 2 * 2
    first = (y - y % 2) * 4 + x - x % 2 + 1
    np.testing.assert_array_equal(b, np.where((rank == 1) | (rank == 3), first, a))


def _kernel(body, clusters=True):
    def build():
        @T.prim_func
        def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "float32")):
            with (
                T.ClusterKernel(4, threads=32, cluster_dims=2)
                if clusters
                else T.Kernel(4, threads=32)
            ) as bx:
                a = T.alloc_shared((16,), "float32")
                b = T.alloc_shared((16,), "float32")
                body(A, B, a, b, bx)

        return main

    return build


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            lambda A, B, a, b, bx: T.copy_cluster(a, b, dst_block=1, cluster_mask=3),
            "expected dst_block or cluster_mask, got both",
        ),
        (
            lambda A, B, a, b, bx: T.copy_cluster(B[0:16], b, remote_barrier=1),
            "remote_barrier goes with dst_block",
        ),
        (
            lambda A, B, a, b, bx: T.copy_cluster(B[0:16], b, cluster_mask=5),
            "expected a cluster_mask of bits of the cluster's 2 blocks, got 5",
        ),
        (
            lambda A, B, a, b, bx: T.copy_cluster(B[A[bx] : A[bx] + 16], b, cluster_mask=3),
            "where another block would copy from does not follow from",
        ),
        (
            lambda A, B, a, b, bx: T.copy_cluster(
                a, b, dst_block=1, remote_barrier=T.alloc_barrier(1)
            ),
            "expected a remote_barrier of T.alloc_cluster_barrier",
        ),
        (
            lambda A, B, a, b, bx: T.mbarrier_arrive(T.alloc_barrier(32), 1),
            "other blocks arrive at barriers of T.alloc_cluster_barrier only",
        ),
        (
            lambda A, B, a, b, bx: T.copy_cluster(a[0 : bx + 1], b[0:8], dst_block=1),
            "expected regions of known extents inside their tiles",
        ),
    ],
)
def test_what_is_wrong_is_said(body, message):
    with pytest.raises(CompileError, match=re.escape(message)):
        _kernel(body)()


def test_errors_of_the_compiler_name_the_line():
    with pytest.raises(CompileError, match="the kernel has no clusters; open T.ClusterKernel"):
        _kernel(lambda A, B, a, b, bx: T.copy_cluster(a, b, dst_block=1), clusters=False)()
    wrong = _kernel(lambda A, B, a, b, bx: T.copy_cluster(B[0:16], b, dst_block=1))()
    with pytest.raises(CompileError, match=r"clusters.py:.*expected a fragment or a tile in shared memory"):
        compile_kernel(wrong, target="cpu")
    wrong = _kernel(lambda A, B, a, b, bx: T.copy_cluster(a, b, dst_block=2))()
    with pytest.raises(CompileError, match=r"clusters.py:.*expected a block of the cluster's 2"):
        compile_kernel(wrong, target="cpu")
    right = _kernel(lambda A, B, a, b, bx: T.copy_cluster(a, b, dst_block=1))()
    arguments = np.zeros(64, np.int32), np.zeros(64, np.float32)
    with pytest.raises(CompileError, match="expected a target with clusters, got sm_80"):
        compile_kernel(right, target="lowered:sm_80")(*arguments)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("masked", [False, True])
def test_a_product_whose_range_the_blocks_of_a_cluster_share(masked, target):
    """As in TileLang's guide to clusters: parts of the sum go to the first block."""
    M, N, K, step = 64, 128, 512, 32

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.ClusterKernel(4, N // 64, threads=128, cluster_dims=(4, 1, 1)) as (bx, by):
            rank = T.block_rank_in_cluster()
            a = T.alloc_shared((M, step), "float16")
            b = T.alloc_shared((step, 64), "float16")
            acc = T.alloc_fragment((M, 64), "float32")
            parts = T.alloc_shared((4, M, 64), "float32")
            ready = T.alloc_cluster_barrier([3])
            T.clear(acc)
            for k in T.Pipelined(K // 4 // step, num_stages=3):
                at = (rank + k * 4) * step
                if masked:
                    T.copy_cluster(A[0, at], a, cluster_mask=0b1000)
                else:
                    T.copy(A[0, at], a)
                T.copy(B[at, by * 64], b)
                T.gemm(a, b, acc)
            T.copy(acc, parts[rank, :, :])
            T.cluster_sync()
            if rank != 0:
                T.copy_cluster(
                    parts[rank, :, :], parts[rank, :, :], dst_block=0, remote_barrier=ready[0]
                )
            if rank == 0:
                T.mbarrier_wait_parity(ready[0], 0)
                T.clear(acc)
                for part in T.serial(4):
                    for i, j in T.Parallel(M, 64):
                        acc[i, j] += parts[part, i, j]
                T.copy(acc, C[0:M, by * 64 : by * 64 + 64])

    random = np.random.default_rng(5)
    a = random.integers(-3, 4, (M, K)).astype(np.float16)
    b = random.integers(-3, 4, (K, N)).astype(np.float16)
    c = np.zeros((M, N), np.float32)
    compile_kernel(main, target=target)(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("clusters", [4, 1])
def test_blocks_gather_what_each_of_them_has(clusters, target):
    """A softmax of rows whose parts the blocks of a cluster hold."""
    columns = 96 * clusters

    @T.prim_func
    def main(X: T.Tensor((6, columns), "float32"), Y: T.Tensor((6, columns), "float32")):
        with T.ClusterKernel(clusters, 6, threads=32, cluster_dims=(clusters, 1)) as (bx, by):
            x = T.alloc_fragment((1, 96), "float32")
            top, total = T.alloc_fragment((1,), "float32"), T.alloc_fragment((1,), "float32")
            tops = T.alloc_fragment((clusters, 1), "float32")
            totals = T.alloc_fragment((clusters, 1), "float32")
            T.copy(X[by, bx * 96], x)
            T.reduce_max(x, top, dim=1)
            T.cluster_gather(top, tops)
            T.reduce_max(tops, top, dim=0)
            for i, j in T.Parallel(1, 96):
                x[i, j] = T.exp(x[i, j] - top[i])
            T.reduce_sum(x, total, dim=1)
            T.cluster_gather(total, totals)
            T.reduce_sum(totals, total, dim=0)
            for i, j in T.Parallel(1, 96):
                x[i, j] = x[i, j] / total[i]
            T.copy(x, Y[by, bx * 96])

    x = np.random.default_rng(3).standard_normal((6, columns)).astype(np.float32)
    y = np.full_like(x, np.nan)
    compile_kernel(main, target=target)(x, y)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)


def _gathering(src, dst, dtypes=("float32", "float32"), alloc=T.alloc_fragment):
    def build():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.ClusterKernel(4, threads=32, cluster_dims=2) as bx:
                a = alloc(src, dtypes[0])
                b = alloc(dst, dtypes[1])
                T.fill(a, 0)
                T.cluster_gather(a, b)

        return main

    return build


def test_what_cannot_be_gathered_is_said():
    for build, message in (
        (_gathering((8,), (4, 8)), r"expected a dst of shape \(2, 8\).*got \(4, 8\)"),
        (_gathering((8,), (2, 8), ("float32", "int32")), "tiles of one dtype, got float32 and int"),
    ):
        with pytest.raises(CompileError, match=message):
            compile_kernel(build(), target="cpu")
