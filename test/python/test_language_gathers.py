# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that a table names, sums of neighbours, and elements that a thread keeps for itself; against numpy."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ("cpu", "lowered:sm_90a")


def _sparse(stages):
    """A sum over rows of X that a table names, of each batch its own; rows that X lacks are zeros."""
    batch, rows = T.dynamic("batch"), T.dynamic("rows")

    @T.prim_func
    def main(
        X: T.Tensor((batch, rows, 2, 72), "float16"),
        Table: T.Tensor((batch, 64), "int32"),
        Y: T.Tensor((batch, 16, 64), "float32"),
    ):
        with T.Kernel(batch, threads=128) as b:
            s = T.alloc_shared((16, 64), "float16")
            y = T.alloc_fragment((16, 64), "float32")
            T.clear(y)
            for k in T.Pipelined(4, num_stages=stages):
                for i, j in T.Parallel(16, 64):
                    s[i, j] = X[b, Table[b, k * 16 + i], 1, j + 8]
                for i, j in T.Parallel(16, 64):
                    y[i, j] += s[i, j]
            T.copy(y, Y[b, :, :])

    return main


@pytest.mark.parametrize("stages", (0, 2, 3))
@pytest.mark.parametrize("target", TARGETS)
def test_rows_that_a_table_names(target, stages):
    rng = np.random.default_rng(stages)
    x = rng.integers(-4, 5, (3, 40, 2, 72)).astype(np.float16)
    table = rng.integers(-3, 44, (3, 64)).astype(np.int32)
    y = np.full((3, 16, 64), np.nan, np.float32)
    kernel = compile_kernel(_sparse(stages), target=target)
    kernel(x, table, y)
    inside = (table >= 0) & (table < 40)
    named = np.where(
        inside[..., None],
        np.stack([x[b, np.clip(table[b], 0, 39), 1, 8:] for b in range(3)]),
        0,
    )
    np.testing.assert_array_equal(y, named.astype(np.float32).reshape(3, 4, 16, 64).sum(axis=1))


def test_rows_that_a_table_names_run_ahead():
    kernel = compile_kernel(_sparse(2), target="cuda:sm_90a")
    remarks = str(kernel.remarks)
    assert "the loop is a gather of rows" in remarks
    assert "cp.async.cg.shared.global" in kernel.ptx


def test_sizes_are_compared_as_such():
    """A size of more than 31 bits is no negative number."""
    text = str(compile_kernel(_sparse(0), target="cpu").prim_func.modules[0])
    assert "index to i32" not in text


@pytest.mark.parametrize("target", TARGETS)
def test_four_sums(target):
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((8, 64), "float32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((32, 64), "float32")
            T.copy(A, s)
            for i, j in T.Parallel(32, 16):
                T.atomic_addx4(B[i % 8, j * 4], s[i, j * 4])

    a = np.random.default_rng(1).integers(-8, 9, (32, 64)).astype(np.float32)
    b = np.ones((8, 64), np.float32)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(b, 1 + a.reshape(4, 8, 64).sum(axis=0))
    if target != "cpu":
        ptx = compile_kernel(main, target="cuda:sm_90a").ptx
        assert "red.relaxed.gpu.global.add.v4.f32" in ptx


def _own(index, count):
    @T.prim_func
    def main(A: T.Tensor((count, 128), "int32"), B: T.Tensor((count, 128), "int32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((count, 160), "int32")
            tx = T.get_thread_binding()
            for r in T.serial(count):
                s[r, index(tx, r)] = A[r, tx] * 2
                B[r, tx] = s[r, index(tx, r)] + 1

    return main


def _loops(kernel):
    return str(kernel.prim_func.modules[0]).count("tile.parallel")


@pytest.mark.parametrize("target", TARGETS)
def test_an_element_of_the_thread_needs_no_meeting(target):
    kernel = compile_kernel(_own(lambda tx, r: tx, 3), target=target)
    a = np.arange(3 * 128, dtype=np.int32).reshape(3, 128)
    b = np.zeros_like(a)
    kernel(a, b)
    np.testing.assert_array_equal(b, 2 * a + 1)
    assert _loops(kernel) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_an_element_of_another_thread_needs_one(target):
    """Some threads write what all of them read: they meet between, and from one round to the next."""

    @T.prim_func
    def main(A: T.Tensor((4, 16), "int32"), B: T.Tensor((4, 128), "int32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((16,), "int32")
            tx = T.get_thread_binding()
            for r in T.serial(4):
                if tx % 8 == 0:
                    s[tx // 8] = A[r, tx // 8]
                B[r, tx] = s[tx // 8]

    kernel = compile_kernel(main, target=target)
    a = np.random.default_rng(3).integers(0, 99, (4, 16)).astype(np.int32)
    b = np.zeros((4, 128), np.int32)
    kernel(a, b)
    np.testing.assert_array_equal(b, np.repeat(a, 8, axis=1))
    assert _loops(kernel) == 2


@pytest.mark.parametrize("target", TARGETS)
def test_an_element_that_moves_from_thread_to_thread_needs_one(target):
    """Round r + 1 of one thread writes what round r of its neighbour reads."""

    @T.prim_func
    def main(A: T.Tensor((4, 128), "int32"), B: T.Tensor((4, 128), "int32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((160,), "int32")
            tx = T.get_thread_binding()
            for r in T.serial(4):
                s[tx + r] = A[r, tx]
                B[r, tx] = s[tx + r]

    kernel = compile_kernel(main, target=target)
    a = np.random.default_rng(4).integers(0, 99, (4, 128)).astype(np.int32)
    b = np.zeros_like(a)
    kernel(a, b)
    np.testing.assert_array_equal(b, a)
