# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Local memory of the block whose elements are values: positions that all threads read."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

rng = np.random.default_rng(0)
ROWS, COLUMNS, PLACES = 5, 96, 12


def run(function, *arrays, target):
    compile_kernel(function, target=target)(*arrays)
    return arrays[-1]


def is_in_memory(function):
    """Whether a kernel has a barrier or shared memory."""
    text = compile_kernel(function, target="cuda:sm_90a").get_kernel_source()
    return "bar.sync" in text or "tile_shared_arena" in text


@T.prim_func
def scattered(
    X: T.Tensor((ROWS, COLUMNS), "float32"),
    Positions: T.Tensor((ROWS, 4), "int32"),
    Y: T.Tensor((PLACES, COLUMNS), "float32"),
):
    """Rows go to up to four places; those without one become zero. The grid has more blocks than
    there are rows."""
    with T.Kernel(PLACES, threads=32) as b:
        places = T.alloc_local((4,), "int32")
        row = T.alloc_fragment((COLUMNS,), "float32")
        for i in T.Parallel(COLUMNS):
            Y[b, i] = 0
        if b < ROWS:
            T.copy(Positions[b, 0], places)
            T.copy(X[b, :], row)
            for k in T.serial(4):
                if places[k] >= 0:
                    for i in T.Parallel(COLUMNS):
                        Y[places[k], i] = row[i]


@pytest.mark.parametrize("target", ("cpu", "lowered:sm_90a"))
def test_rows_to_their_places(target):
    x = rng.integers(-9, 9, (ROWS, COLUMNS)).astype(np.float32)
    positions = np.full((ROWS, 4), -1, np.int32)
    # A block fills its own place before it moves its row: it may move it there alone.
    for row in range(ROWS):
        positions[row, row % 4] = row
    y = run(scattered, x, positions, np.full((PLACES, COLUMNS), 7, np.float32), target=target)
    assert (y[:ROWS] == x).all() and (y[ROWS:] == 0).all()


def test_places_take_neither_memory_nor_barriers():
    assert not is_in_memory(scattered)


@pytest.mark.parametrize("target", ("cpu", "lowered:sm_90a"))
def test_elements_that_statements_change(target):
    """Under conditions, in loops of loops, by neighbours; filled; read beyond the tensor's end."""

    @T.prim_func
    def main(A: T.Tensor((ROWS, 3), "int32"), Y: T.Tensor((PLACES, 8), "int32")):
        with T.Kernel(PLACES, threads=32) as b:
            a, sums = T.alloc_local((3,), "int32"), T.alloc_local((2, 4), "int32")
            T.copy(A[b, 0], a)
            T.fill(sums, 1)
            for i, k in T.grid(2, 3):
                if a[k] > 0:
                    sums[i, k + 1] = sums[i, k] + a[k] * (i + 1)
                else:
                    sums[i, k] = -a[k]
                a[2 - k] = a[2 - k] + i
            T.assume(sums[0, 0] < 1000)
            for i in T.serial(2):
                for k in T.serial(4):
                    for j in T.Parallel(8):
                        if j == i * 4 + k:
                            Y[b, j] = sums[i, k] + j

    a = rng.integers(-5, 5, (ROWS, 3)).astype(np.int32)
    expected = np.zeros((PLACES, 8), np.int32)
    for b in range(PLACES):
        own, sums = (a[b].copy() if b < ROWS else np.zeros(3, np.int32)), np.ones((2, 4), np.int32)
        for i in range(2):
            for k in range(3):
                if own[k] > 0:
                    sums[i, k + 1] = sums[i, k] + own[k] * (i + 1)
                else:
                    sums[i, k] = -own[k]
                own[2 - k] += i
        expected[b] = sums.reshape(8) + np.arange(8)
    assert (run(main, a, np.full((PLACES, 8), 7, np.int32), target=target) == expected).all()


@pytest.mark.parametrize("target", ("cpu", "lowered:sm_90a"))
@pytest.mark.parametrize("way", ("index of memory", "index of T.Parallel", "break", "many", "fragment"))
def test_what_stays_memory(target, way):
    """An index that is known at run time only, a loop that ends early, more elements than are held,
    a value out of a fragment."""
    size = 40 if way == "many" else 4

    @T.prim_func
    def main(A: T.Tensor((2, size), "int32"), Y: T.Tensor((2, size), "int32")):
        with T.Kernel(2, threads=32) as b:
            a, s = T.alloc_local((size,), "int32"), T.alloc_shared((size,), "int32")
            f = T.alloc_fragment((size,), "int32")
            T.copy(A[b, 0], a)
            T.copy(A[b, 0], f)
            if way == "index of memory":
                for k in T.serial(size):
                    s[k] = a[A[b, k] % size]
            elif way == "index of T.Parallel":
                for k in T.Parallel(size):
                    s[k] = a[size - 1 - k]
            elif way == "break":
                T.fill(s, 0)
                for k in T.serial(size):
                    if a[k] < 0:
                        break
                    s[k] = a[k]
            elif way == "many":
                for k in T.serial(size):
                    s[k] = a[k] + 1
            else:
                for k in T.serial(size):
                    a[k] = f[k] + 2
                for k in T.serial(size):
                    s[k] = a[k]
            T.copy(s, Y[b, 0])

    a = rng.integers(-1, 3, (2, size)).astype(np.int32)
    expected = {
        "index of memory": np.take_along_axis(a, a % size, 1),
        "index of T.Parallel": a[:, ::-1],
        "break": a * (np.cumprod(a >= 0, 1) == 1),
        "many": a + 1,
        "fragment": a + 2,
    }[way]
    assert (run(main, a, np.full((2, size), 7, np.int32), target=target) == expected).all()
