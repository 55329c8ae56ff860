# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work of the block behind a condition that every thread has alike: the result of a vote, of a reduction over
the block or of a shuffle from one thread."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError

TARGETS = ("cpu", "lowered:sm_90a")
N = 32


@T.macro
def while_any(A, B, s, t):
    i = T.alloc_var("int32", init=0)
    while T.syncthreads_or(A[i, t] > 5) != 0:
        T.copy(A[i, :], s)
        B[i, t] = s[N - 1 - t]
        i += 1


def while_any_expected(A, B):
    i = 0
    while (A[i] > 5).any():
        B[i] = A[i][::-1]
        i += 1


@T.macro
def continue_where_few(A, B, s, t):
    for i in range(8):
        if T.syncthreads_count(A[i, t] > 5) < 3:
            continue
        T.copy(A[i, :], s)
        B[i, t] = s[N - 1 - t]


def continue_where_few_expected(A, B):
    for i in range(8):
        if (A[i] > 5).sum() >= 3:
            B[i] = A[i][::-1]


@T.macro
def break_by_a_variable(A, B, s, t):
    found = T.alloc_var("int32", init=0)
    for i in range(8):
        T.copy(A[i, :], s)
        B[i, t] = s[N - 1 - t] + found
        found = T.syncthreads_count(A[i, t] > 5)
        if found < 3:
            break


def break_by_a_variable_expected(A, B):
    found = 0
    for i in range(8):
        B[i] = A[i][::-1] + found
        found = (A[i] > 5).sum()
        if found < 3:
            break


@T.macro
def break_by_a_shuffle(A, B, s, t):
    for i in range(8):
        if T.shfl_sync(A[i, t], 3) > 2:
            break
        T.copy(A[i, :], s)
        B[i, t] = s[N - 1 - t]


def break_by_a_shuffle_expected(A, B):
    for i in range(8):
        if A[i, 3] > 2:
            break
        B[i] = A[i][::-1]


@T.macro
def return_for_all(A, B, s, t):
    T.copy(A[0, :], s)
    B[0, t] = s[N - 1 - t]
    if T.syncthreads_and(A[1, t] < 5) != 0:
        T.thread_return()
    T.copy(A[1, :], s)
    B[1, t] = s[N - 1 - t]


def return_for_all_expected(A, B):
    B[0] = A[0][::-1]
    if not (A[1] < 5).all():
        B[1] = A[1][::-1]


@T.macro
def arms(A, B, s, t):
    for i in range(8):
        if T.any_sync(A[i, t] > 6) != 0:
            for j in T.Parallel(N):
                B[i, j] = A[i, j] * 2
        else:
            T.fill(s, 3)
            B[i, t] = s[N - 1 - t]


def arms_expected(A, B):
    for i in range(8):
        B[i] = A[i] * 2 if (A[i] > 6).any() else 3


@T.macro
def nested(A, B, s, t):
    for i in range(4):
        for j in range(2):
            c = T.syncthreads_count(A[2 * i + j, t] > 5)
            if c == 0:
                break
            if t < c:
                B[2 * i + j, t] = 1
            T.copy(A[2 * i + j, :], s)
            B[2 * i + j, t] += s[N - 1 - t]


def nested_expected(A, B):
    for i in range(4):
        for k in (2 * i, 2 * i + 1):
            c = (A[k] > 5).sum()
            if c == 0:
                break
            B[k, :c] = 1
            B[k] += A[k][::-1]


@T.macro
def local_memory(A, B, s, t):
    r = T.alloc_local((1,), "int32")
    for i in range(8):
        r[0] = T.warp_reduce_sum(A[i, t])
        if r[0] < 50:
            break
        T.copy(A[i, :], s)
        B[i, t] = s[N - 1 - t]


def local_memory_expected(A, B):
    for i in range(8):
        if A[i].sum() < 50:
            break
        B[i] = A[i][::-1]


CASES = {
    while_any: while_any_expected,
    continue_where_few: continue_where_few_expected,
    break_by_a_variable: break_by_a_variable_expected,
    break_by_a_shuffle: break_by_a_shuffle_expected,
    return_for_all: return_for_all_expected,
    arms: arms_expected,
    nested: nested_expected,
    local_memory: local_memory_expected,
}


def kernel(body, threads=N):
    @T.prim_func
    def main(A: T.Tensor((8, N), "int32"), B: T.Tensor((8, N), "int32")):
        with T.Kernel(1, threads=threads):
            body(A, B, T.alloc_shared((N,), "int32"), T.get_thread_binding() % N)

    return main


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", CASES, ids=lambda x: x.name)
def test_work_of_the_block_behind_what_all_threads_have_alike(body, target):
    compiled = compile_kernel(kernel(body), target=target)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        a = rng.integers(0, 6, (8, N)).astype(np.int32)
        a[rng.integers(0, 8, 12), rng.integers(0, N, 12)] = rng.integers(5, 9, 12)
        a[5] = a[7] = 0
        a[1] //= 1 + seed % 2
        found, expected = np.zeros((2, 8, N), np.int32)
        CASES[body](a, expected)
        compiled(a, found)
        np.testing.assert_array_equal(found, expected)


def test_what_warps_have_alike_differs_within_the_block():
    with pytest.raises(LanguageError, match="what follows T.thread_return, `break` or `continue`"):
        compile_kernel(kernel(break_by_a_shuffle, 2 * N), target="cpu")
