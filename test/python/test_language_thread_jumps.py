# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`break`, `continue` and T.thread_return under a condition on the thread: what a thread then leaves out."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError

TARGETS = ("cpu", "lowered:sm_90a")
THREADS = np.arange(32, dtype=np.int32)


@T.macro
def leaves_a_loop(A, B, tx):
    n = T.alloc_var("int32", init=0)
    for i in T.serial(8):
        if A[i] == tx:
            break
        n += 1
    B[tx] = n


@T.macro
def skips_a_round(A, B, tx):
    n = T.alloc_var("int32", init=0)
    for i in T.serial(8):
        if i > tx:
            continue
        n += 1
    B[tx] = n


@T.macro
def skips_an_unrolled_round(A, B, tx):
    n = T.alloc_var("int32", init=0)
    for i in T.unroll(4):
        if i == A[tx]:
            continue
        n += i
    B[tx] = n


@T.macro
def returns(A, B, tx):
    n = T.alloc_var("int32", init=0)
    for i in T.serial(8):
        if i > tx:
            T.thread_return()
        n += 1
        B[tx] = n


@T.macro
def returns_from_two_loops(A, B, tx):
    n = T.alloc_var("int32", init=0)
    for i in T.serial(4):
        for j in T.serial(4):
            if i * 4 + j == tx:
                T.thread_return()
            n += 1
            B[tx] = n
    B[tx] = n * 100


@T.macro
def leaves_while(A, B, tx):
    n = T.alloc_var("int32", init=0)
    while n < 100:
        n += 1
        if n > tx:
            break
    B[tx] = n


@T.macro
def nested(A, B, tx):
    """Both loops, memory of the thread's own, a jump behind one."""
    n = T.alloc_local((1,), "int32")
    n[0] = 0
    for i in T.serial(4):
        for j in T.serial(4):
            if i * 4 + j == tx:
                break
            if j == 2:
                continue
            n[0] += 1
    B[tx] = n[0]


def nested_of(thread):
    n = 0
    for i in range(4):
        for j in range(4):
            if i * 4 + j == thread:
                break
            n += j != 2
    return n


@T.macro
def jumps_of_the_block(A, B, tx):
    """Their conditions are of the block, the one around them is not."""
    n = T.alloc_var("int32", init=0)
    for i in T.serial(6):
        if tx < 16:
            if A[i] == 2:
                continue
            if i == 4:
                break
        n += 1
    B[tx] = n


@T.macro
def shuffle_behind_break(A, B, tx):
    n = T.alloc_var("int32", init=0)
    v = T.alloc_var("int32", init=0)
    for i in T.serial(4):
        if i == A[tx] // 8:
            break
        n += 1
        v += T.shfl_xor(n + tx, 1)
    B[tx] = v


@T.macro
def shuffle_behind_continue(A, B, tx):
    """The variable is the thread's before the loop, too."""
    v = T.alloc_var("int32", init=0)
    v = tx
    for i in T.serial(4):
        if A[tx] // 2 == i:
            continue
        v += T.shfl_xor(A[tx], 1)
    B[tx] = v


@T.macro
def shuffle_in_while(A, B, tx):
    v, i = T.alloc_var("int32", init=0), T.alloc_var("int32", init=0)
    while i < 10:
        if i == A[tx] // 8:
            break
        v += T.shfl_xor(i + tx, 1)
        i += 1
    B[tx] = v


@T.macro
def tile_ahead_of_continue(A, B, tx):
    s, v = T.alloc_shared((32,), "int32"), T.alloc_var("int32", init=0)
    for i in T.serial(4):
        T.copy(A, s)
        if i == A[tx]:
            continue
        v += s[(tx + 1) % 32]
    B[tx] = v


@T.macro
def exchange_around_continue(A, B, tx):
    """Threads meet between what they write and what others read."""
    s, v = T.alloc_shared((32,), "int32"), T.alloc_var("int32", init=0)
    for i in T.serial(4):
        s[tx] = A[tx] * i
        if i == A[tx]:
            continue
        v += s[(tx + 1) % 32]
    B[tx] = v


@T.macro
def exchange_behind_break(A, B, tx):
    s, v = T.alloc_shared((32,), "int32"), T.alloc_var("int32", init=0)
    for i in T.serial(4):
        if i == A[tx] // 8:
            break
        s[tx] = A[tx] * i
        v += s[tx // 8 * 8 + (tx + 1) % 8]
    B[tx] = v


def per_thread(function):
    return np.array([function(int(x)) for x in THREADS])


CASES = {
    leaves_a_loop: np.minimum(THREADS, 8),
    skips_a_round: np.minimum(THREADS + 1, 8),
    skips_an_unrolled_round: 6 - np.where(THREADS < 4, THREADS, 0),
    returns: np.minimum(THREADS + 1, 8),
    returns_from_two_loops: np.where(THREADS < 16, THREADS, 1600),
    leaves_while: THREADS + 1,
    nested: per_thread(nested_of),
    jumps_of_the_block: np.where(THREADS < 16, 3, 6),
    shuffle_behind_break: per_thread(lambda t: sum(n + (t ^ 1) for n in range(1, t // 8 + 1))),
    shuffle_behind_continue: THREADS + (THREADS ^ 1) * np.where(THREADS < 8, 3, 4),
    shuffle_in_while: per_thread(lambda t: sum(i + (t ^ 1) for i in range(t // 8))),
    tile_ahead_of_continue: (THREADS + 1) % 32 * np.where(THREADS < 4, 3, 4),
    exchange_around_continue: (THREADS + 1) % 32 * (6 - np.where(THREADS < 4, THREADS, 0)),
    exchange_behind_break: per_thread(lambda t: (t // 8 * 8 + (t + 1) % 8) * sum(range(t // 8))),
}


def kernel(body, threads=32):
    @T.prim_func
    def main(A: T.Tensor((32,), "int32"), B: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=threads):
            body(A, B, T.get_thread_binding())

    return main


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", CASES, ids=lambda x: x.__name__)
def test_jumps(body, target):
    found = np.zeros(32, np.int32)
    compile_kernel(kernel(body), target=target)(THREADS, found)
    np.testing.assert_array_equal(found, CASES[body])


@T.macro
def tile_behind_break(A, B, tx):
    s = T.alloc_shared((32,), "int32")
    for i in T.serial(4):
        T.copy(A, s)
        if i == A[tx]:
            break
        B[tx] = s[tx]


@T.macro
def tile_behind_continue(A, B, tx):
    s = T.alloc_shared((32,), "int32")
    for i in T.serial(4):
        if i == A[tx]:
            continue
        T.copy(A, s)
        B[tx] = s[tx]


@T.macro
def tile_and_break_in_an_arm(A, B, tx):
    f = T.alloc_fragment((32,), "int32")
    for i in T.serial(4):
        if tx < 16:
            T.copy(A, f)
            break
        B[tx] = i


@pytest.mark.parametrize(
    "body",
    [tile_behind_break, tile_behind_continue, tile_and_break_in_an_arm],
    ids=lambda x: x.__name__,
)
def test_work_of_the_block_behind_jumps(body):
    with pytest.raises(LanguageError, match="what follows T.thread_return, `break` or `continue`"):
        kernel(body)


@T.macro
def store_in_while(A, B, tx):
    i = T.alloc_var("int32", init=0)
    while tx == 5:
        B[0] = 7
        i += 1
        if i > 3:
            break


@T.macro
def store_in_for(A, B, tx):
    for _ in range(tx - 30):
        B[0] = 7


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", [store_in_while, store_in_for], ids=lambda x: x.__name__)
def test_store_in_a_loop_that_the_first_thread_does_not_come_to(body, target):
    found = np.zeros(32, np.int32)
    compile_kernel(kernel(body), target=target)(THREADS, found)
    np.testing.assert_array_equal(found, np.where(THREADS == 0, 7, 0))
