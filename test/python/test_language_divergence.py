# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shuffles and votes that some threads come to, loops whose bounds differ, T.thread_return."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError

TARGETS = ("cpu", "lowered:sm_90a")
rng = np.random.default_rng(0)
pytestmark = pytest.mark.parametrize("target", TARGETS)


def run(function, *arrays, target):
    compile_kernel(function, target=target)(*arrays)
    return arrays[-1]


def test_shuffles_of_the_warps_inside_of_a_condition(target):
    """A warp for each row; the last block has warps without one."""
    rows = 5

    @T.prim_func
    def main(A: T.Tensor((rows, 64), "float32"), B: T.Tensor((rows,), "float32"), C: T.Tensor((rows,), "int32")):
        with T.Kernel(T.ceildiv(rows, 4), threads=128) as b:
            tx = T.get_thread_binding()
            lane, row = tx % 32, b * 4 + tx // 32
            if row < rows:
                best, place = T.alloc_var("float32"), T.alloc_var("int32")
                best = -T.infinity("float32")
                for j in T.serial(2):
                    x = A[row, j * 32 + lane]
                    if x > best:
                        best = x
                        place = j * 32 + lane
                for i in T.unroll(5):
                    other = T.shfl_xor(best, 1 << i)
                    where = T.shfl_xor(place, 1 << i)
                    if other > best or (other == best and where < place):
                        best = other
                        place = where
                if lane == 0:
                    B[row] = best
                    C[row] = place

    a = rng.standard_normal((rows, 64)).astype(np.float32)
    b, c = np.zeros(rows, np.float32), np.zeros(rows, np.int32)
    run(main, a, b, c, target=target)
    assert (b == a.max(1)).all() and (c == a.argmax(1)).all()


def test_both_arms_shuffle(target):
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((3, 64), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            if A[tx // 32] > 0:
                B[0, tx] = T.warp_reduce_max(A[tx])
            else:
                B[0, tx] = T.shfl_sync(A[tx], 3) + T.warp_reduce_sum(1)
            # What a lane outside of the condition has counts nothing.
            if tx % 2 == 0:
                B[1, tx] = T.cast(T.ballot(A[tx] > 5), "int32")
            if A[tx] > 5:
                here = T.call_extern("uint32", "__activemask")
                B[2, tx] = T.call_extern("int32", "__reduce_add_sync", here, 1) * T.popcount(here)

    a = rng.integers(0, 10, 64).astype(np.int32)
    a[:2] = 4, -1
    b = run(main, a, np.zeros((3, 64), np.int32), target=target)
    for w in range(2):
        more = a[32 * w : 32 * w + 32] > 5
        assert (b[2, 32 * w : 32 * w + 32] == np.where(more, more.sum() ** 2, 0)).all()
    assert (b[0, :32] == a[:32].max()).all() and (b[0, 32:] == a[35] + 32).all()
    for w in range(2):
        holds = (a[32 * w : 32 * w + 32] > 5) & (np.arange(32) % 2 == 0)
        bits = np.array(sum(1 << int(i) for i in np.flatnonzero(holds))).astype(np.int32)
        assert (b[1, 32 * w : 32 * w + 32 : 2] == bits).all()
    assert (b[1, 1::2] == 0).all()


def test_votes_in_loops_of_different_length(target):
    """Each warp has a range of its own; each lane begins at its own place."""

    @T.prim_func
    def main(L: T.Tensor((8,), "int32"), B: T.Tensor((3, 64), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            warp, lane = tx // 32, tx % 32
            found = T.alloc_var("int32")
            for i in T.serial(L[warp] + lane, L[warp + 2] + lane, 32):
                mask = T.call_extern("uint32", "__ballot_sync", 0xFFFFFFFF, i % 3 == 0)
                found += T.popcount(mask)
                if i % 2 == 0:
                    found += i
            B[0, tx] = found
            left = T.alloc_var("int32")
            left = L[warp + 4]
            while left > 0:
                B[1, tx] = B[1, tx] + T.warp_reduce_sum(lane + left)
                left -= 1
            for i in T.serial(6):
                if i == L[warp + 6]:
                    break
                B[2, tx] = B[2, tx] + T.shfl_xor(lane * i, 1)

    bounds = np.array([3, 7, 67, 135, 2, 4, 3, 5], np.int32)
    b = run(main, bounds, np.zeros((3, 64), np.int32), target=target)
    lanes = np.arange(32)
    for w in range(2):
        expected = np.zeros((3, 32), int)
        for start in range(bounds[w], bounds[w + 2], 32):
            i = start + lanes
            expected[0] += (i % 3 == 0).sum() + np.where(i % 2 == 0, i, 0)
        expected[1] = sum(lanes.sum() + 32 * x for x in range(1, bounds[w + 4] + 1))
        expected[2] = sum((lanes ^ 1) * i for i in range(bounds[w + 6]))
        assert (b[:, 32 * w : 32 * w + 32] == expected).all()


def test_a_loop_from_each_thread_on_stores_what_it_names(target):
    """The index of such a loop differs from thread to thread, so every thread stores."""

    @T.prim_func
    def main(B: T.Tensor((100,), "int32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            for i in T.serial(tx, 100, 32):
                B[i] = i

    assert run(main, np.zeros(100, np.int32), target=target).tolist() == list(range(100))


def test_an_allocation_under_a_condition(target):
    @T.prim_func
    def main(A: T.Tensor((32,), "int32"), B: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            if A[tx] > 3:
                own = T.alloc_local((2,), "int32")
                own[0] = A[tx]
                own[1] = own[0] + 1
                B[tx] = own[0] * own[1]
            for i in T.Parallel(32):
                of_iteration = T.alloc_local((1,), "int32")
                of_iteration[0] = A[i]
                if A[i] <= 3:
                    B[i] = -of_iteration[0]

    a = rng.integers(0, 10, 32).astype(np.int32)
    b = run(main, a, np.zeros(32, np.int32), target=target)
    assert (b == np.where(a > 3, a * (a + 1), -a)).all()


def test_a_return_of_blocks_and_of_threads(target):
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((3, 64), "int32")):
        with T.Kernel(3, threads=64) as b:
            tx = T.get_thread_binding()
            if b == 2:
                B[b, tx] = -2
                T.thread_return()
            if A[tx] > 10:
                T.thread_return()
            for i in T.serial(3):
                B[b, tx] = i
                if A[tx] == i:
                    T.thread_return()
            T.sync_threads()
            B[b, tx] = A[tx] + 100 * T.warp_reduce_max(A[tx])

    a = rng.integers(0, 20, 64).astype(np.int32)
    b = run(main, a, np.full((3, 64), -1, np.int32), target=target)
    assert (b[2] == -2).all()
    for w in range(2):
        part = a[32 * w : 32 * w + 32]
        left = part[(part <= 10) & (part > 2)]
        expected = np.where(part > 10, -1, np.where(part <= 2, part, part + 100 * left.max()))
        assert (b[:2, 32 * w : 32 * w + 32] == expected).all()


@pytest.mark.parametrize("alone", [True, False])
def test_a_return_in_a_macro_ends_the_kernel(target, alone):
    @T.macro
    def first(A, x, only):
        T.copy(A, x)
        if only:
            T.thread_return()

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((2, 64), "float32")):
        with T.Kernel(2, threads=64) as b:
            x = T.alloc_fragment((64,), "float32")
            first(A, x, alone)
            if b == 1:
                T.thread_return()
            for i in T.Parallel(64):
                x[i] = x[i] + 1
            T.copy(x, B[b, :])

    a = rng.standard_normal(64).astype(np.float32)
    b = run(main, a, np.zeros((2, 64), np.float32), target=target)
    assert (b[1] == 0).all() and (b[0] == (0 if alone else a + 1)).all()


def test_returns_that_are_refused(target):
    with pytest.raises(T.LanguageError, match="T.thread_return in T.Parallel"):

        @T.prim_func
        def parallel(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    if i > 3:
                        T.thread_return()
                    A[i] = 0.0

    with pytest.raises(T.LanguageError, match="what follows T.thread_return"):

        @T.prim_func
        def some(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                x = T.alloc_fragment((64,), "float32")
                if A[T.get_thread_binding()] > 0:
                    T.thread_return()
                T.fill(x, 1.0)
                T.copy(x, A)


def test_a_grid_of_the_greater_of_two_sizes(target):
    n, m = T.dynamic("n"), T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((n,), "int32"), B: T.Tensor((m,), "int32")):
        with T.Kernel(T.max(n, m), T.ceildiv(T.min(n, m), 4), threads=32) as (b, c):
            if c == 0:
                if b < n:
                    A[b] = b + T.get_block_extent(1)
                if b < m:
                    B[b] = b

    kernel = compile_kernel(main, target=target)
    needed = '[["max", ["dim", 0, 0], ["dim", 1, 0]], ["floordiv", ["sub", ["add", ["min", '
    assert f"tile.launched_blocks = {needed}" in str(kernel.prim_func.modules[0])
    for sizes in ((7, 12), (9, 2)):
        a, b = (np.zeros(x, np.int32) for x in sizes)
        kernel(a, b)
        assert a.tolist() == [x + -(-min(sizes) // 4) for x in range(sizes[0])]
        assert b.tolist() == list(range(sizes[1]))


def test_a_grid_of_which_nothing_is_needed(target):
    """The smaller size less three is negative; the larger one, which bounds the grid, is not."""
    n, m = T.dynamic("n"), T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((n,), "int32"), B: T.Tensor((m,), "int32")):
        with T.Kernel(T.min(n, m) - 3, threads=32) as b:
            A[b] = B[b] + 1

    kernel = compile_kernel(main, target=target)
    for size in (1, 3, 5):
        a = np.zeros(8, np.int32)
        kernel(a, np.arange(size, dtype=np.int32))
        assert a.tolist() == [x + 1 if x < size - 3 else 0 for x in range(8)]


def test_a_list_of_tiles_of_one_dimension(target):
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "int32")):
        with T.Kernel(3, threads=32) as b:
            for t in T.Persistent([T.ceildiv(n, 8)], 3, b, group_size=1):
                for i in T.Parallel(8):
                    A[t * 8 + i] = t

    assert run(main, np.zeros(50, np.int32), target=target).tolist() == [x // 8 for x in range(50)]


def test_a_condition_of_some_threads_in_a_condition_of_warps(target):
    """The inner condition is computed once, by threads of the first four warps, and threads meet
    between the two stores that stand under it."""

    @T.prim_func
    def main(A: T.Tensor((256,), "int32"), B: T.Tensor((2, 256), "int32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding()
            s = T.alloc_shared((2, 256), "int32")
            for r in T.serial(2):
                s[r, tx] = A[tx]
            if tx < 128:
                T.set_max_nreg(24, 0)
                if A[tx] > 0:
                    s[0, (tx + 107) % 256] = 7
                    s[1, tx] = s[0, (tx + 1) % 256]
            T.sync_threads()
            for r in T.serial(2):
                B[r, tx] = s[r, tx]

    a = rng.integers(-3, 4, 256).astype(np.int32)
    b = run(main, a, np.zeros((2, 256), np.int32), target=target)
    active = np.flatnonzero(a[:128] > 0)
    want = np.stack([a, a])
    want[0, (active + 107) % 256] = 7
    want[1, active] = want[0, (active + 1) % 256]
    assert (b == want).all()


def filled_by_some(condition, otherwise=False):
    """What 128 threads leave in a tile of ones that is filled under a condition on their index."""

    @T.prim_func
    def main(C: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=128):
            tid = T.get_thread_binding()
            tile, other = T.alloc_shared((64,), "float32"), T.alloc_shared((64,), "float32")
            T.fill(tile, 1)
            if otherwise:
                if condition(tid):
                    T.fill(tile, 9)
                else:
                    T.fill(other, 5)
            else:
                if condition(tid):
                    T.fill(tile, 9)
            T.copy(tile, C)

    return main


def test_no_thread_comes_to_the_work_of_the_block(target):
    conditions = {9: lambda tid: tid >= 64, 1: lambda tid: tid > 500}
    for expected, condition in conditions.items():
        for otherwise in (False, True):
            c = np.zeros(64, np.float32)
            compile_kernel(filled_by_some(condition, otherwise), target=target)(c)
            np.testing.assert_array_equal(c, np.full(64, expected))


def test_threads_of_a_warp_have_no_works_of_the_block_of_their_own(target):
    with pytest.raises(LanguageError, match="threads of one warp part at this condition"):
        compile_kernel(filled_by_some(lambda tid: tid % 2 == 0, otherwise=True), target=target)


def nested(first, second, otherwise):
    """Two conditions on the index of 64 threads, one inside of the other."""

    @T.prim_func
    def main(B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            t = T.get_thread_binding()
            if first(t):
                B[t] = 7
                if second(t):
                    T.fill(B, 1)
                elif otherwise:
                    T.fill(B, 2)

    return main


def test_arms_inside_of_arms_that_no_thread_comes_to(target):
    for second, otherwise, expected in (
        (lambda t: t >= 32, False, [7] * 32 + [0] * 32),
        (lambda t: t < 40, True, [1] * 64),
        (lambda t: t > 31, True, [2] * 64),
    ):
        b = np.zeros(64, np.int32)
        compile_kernel(nested(lambda t: t < 32, second, otherwise), target=target)(b)
        np.testing.assert_array_equal(b, expected)


def test_arms_inside_of_arms_part_the_threads_of_a_warp(target):
    with pytest.raises(LanguageError, match="threads of one warp part at this condition"):
        compile_kernel(nested(lambda t: t < 32, lambda t: t < 16, True), target=target)
