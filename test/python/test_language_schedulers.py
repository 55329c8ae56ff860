# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects with state in a kernel (T.meta_class), and schedulers of tiles."""

import math

import numpy as np
import pytest
from tilelang_style import torch

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel


def _order(rows, columns, swizzle, column_major):
    """Tiles in their order: panels of the slow axis, each swept along the fast one."""
    fast, slow = (rows, columns) if column_major else (columns, rows)
    for first in range(0, slow, swizzle):
        width = min(swizzle, slow - first)
        for i in range(fast):
            for j in range(first, first + width):
                yield (i, j) if column_major else (j, i)


@pytest.mark.parametrize("column_major", [True, False])
@pytest.mark.parametrize(("rows", "columns", "swizzle"), [(4, 2, 1), (3, 5, 2), (5, 3, 4)])
@pytest.mark.parametrize("workers", [1, 3])
def test_tiles_are_dealt_out_in_order(rows, columns, swizzle, column_major, workers):
    @T.prim_func
    def main(A: T.Tensor((rows, columns), "int32")):
        with T.Kernel(workers, threads=32) as b:
            tiles = T.PersistentTileScheduler(
                rows,
                columns,
                num_workers=workers,
                swizzle_size=swizzle,
                column_major=column_major,
                name="tiles",
            )
            tiles.init(b)
            while tiles.valid():
                A[tiles.m_idx, tiles.n_idx] = tiles.linear_idx * 100 + tiles.current_iter
                tiles.next_tile()

    a = np.full((rows, columns), -1, np.int32)
    compile_kernel(main, target="cpu")(a)
    for number, (m, n) in enumerate(_order(rows, columns, swizzle, column_major)):
        assert a[m, n] == number * 100 + number // workers


def test_clusters_take_rows_of_tiles():
    @T.prim_func
    def main(A: T.Tensor((5, 2), "int32")):
        with T.ClusterKernel(4, threads=32, cluster_dims=2) as b:
            tiles = T.PersistentTileScheduler(5, 2, num_workers=2, cluster_size=2)
            tiles.init(b // 2)
            while tiles.valid():
                row = tiles.m_idx * 2 + T.block_rank_in_cluster()
                if row < 5:
                    A[row, tiles.n_idx] += 1
                tiles.next_tile()

    a = np.zeros((5, 2), np.int32)
    compile_kernel(main, target="cpu")(a)
    assert (a == 1).all()


def test_a_scheduler_without_state_says_where_a_tile_is():
    @T.prim_func
    def main(A: T.Tensor((8, 2), "int32")):
        with T.Kernel(8, threads=32) as b:
            tiles = T.PersistentTileScheduler(4, 2, num_workers=1, stateful=False)
            A[b, 0], A[b, 1] = tiles.coord(b)

    a = np.zeros((8, 2), np.int32)
    compile_kernel(main, target="cpu")(a)
    assert a.tolist() == [list(x) for x in _order(4, 2, 1, True)]


def test_workers_are_as_many_as_multiprocessors():
    @T.prim_func
    def main(A: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            A[0] = T.PersistentTileScheduler(4, 2, cluster_size=2, stateful=False).num_workers

    a = np.zeros(1, np.int32)
    compile_kernel(main, target="cpu")(a)
    assert a[0] == torch.cuda.get_device_properties(0).multi_processor_count // 2


def test_a_scheduler_of_the_users_own():
    class Diagonal(T.BaseTileScheduler):
        def __init__(self, n):
            super().__init__()
            self._total_tiles = n

        def update_current_idx(self, linear_idx):
            self._m_idx[0] = linear_idx
            self._n_idx[0] = linear_idx

    @T.prim_func
    def main(A: T.Tensor((6, 6), "int32")):
        with T.Kernel(1, threads=32):
            tiles = Diagonal(6)
            tiles.init(1)
            while tiles.valid():
                A[tiles.m_idx, tiles.n_idx] = 1
                tiles.next_tile(2)

    a = np.zeros((6, 6), np.int32)
    compile_kernel(main, target="cpu")(a)
    assert a.diagonal().tolist() == [0, 1, 0, 1, 0, 1] and a.sum() == 3


@T.meta_class
class _Counter:
    def __init__(self, step):
        self._x = T.alloc_var(T.int32)
        self.step = step

    def begin(self, at):
        self._x[0] = at
        if at > 2:
            self._x[0] = at * 10

    def advance(self):
        self._x[0] += self.step

    def value(self):
        return self._x[0]


def test_methods_that_store_are_macros():
    @T.prim_func
    def main(A: T.Tensor((6,), "int32")):
        with T.Kernel(6, threads=32) as b:
            counter = _Counter(2)
            counter.begin(b)
            counter.advance()
            A[b] = counter.value()

    a = np.zeros(6, np.int32)
    compile_kernel(main, target="cpu")(a)
    assert a.tolist() == [2, 3, 4, 32, 42, 52]


def test_plain_functions_store_into_tiles():
    def put(tile, i, value):
        tile[i] = value

    @T.prim_func
    def main(A: T.Tensor((4,), "float32")):
        with T.Kernel(4, threads=32) as b:
            put(A, b, b * 0.5)

    a = np.zeros(4, np.float32)
    compile_kernel(main, target="cpu")(a)
    assert a.tolist() == [0, 0.5, 1, 1.5]


def test_questions_about_types():
    assert T.is_float4("float4_e2m1fn") and T.is_float4_e2m1fn(T.float4_e2m1fn)
    assert not T.is_float4("float8_e4m3") and not T.is_float4_e2m1_unpacked("float4_e2m1fn")
    family = ("float8_e4m3", "float8_e5m2", "float4_e2m1fn")
    assert all(map(T.is_f8f6f4_family, family)) and not T.is_f8f6f4_family("float16")
    T.validate_gemm_ab_dtypes("float16", "float16")
    T.validate_gemm_ab_dtypes("float8_e4m3", "float8_e5m2", allow_f8f6f4_mixed=True)
    T.validate_gemm_ab_dtypes("float16", "float32", a_in_tmem=True)
    with pytest.raises(ValueError, match="got A=float16, B=float32"):
        T.validate_gemm_ab_dtypes("float16", "float32", allow_f8f6f4_mixed=True)


def test_the_stated_number_of_tiles_is_rounded_up():
    def tiles_of(rows, size):
        found = []

        @T.prim_func
        def main(A: T.Tensor((1,), "int32")):
            with T.Kernel(1, threads=32):
                found.append(
                    T.PersistentTileScheduler(rows, 3, 1, cluster_size=size, stateful=False)
                )
                A[0] = 0

        return found[0]._total_tiles

    for rows in (4, 5, 7):
        assert tiles_of(rows, 2) == math.ceil(rows / 2) * 3
