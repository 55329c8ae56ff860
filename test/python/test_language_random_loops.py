# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers in loops: each iteration of each loop has its own, `while` included."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError

TARGETS = ["cpu", "lowered:sm_90a"]


@T.macro
def of_one_thread(B):
    i = T.alloc_var("int32", init=0)
    while i < 8:
        B[0, i] = T.rng_rand()
        i += 1


@T.macro
def of_each_thread(B):
    thread, i = T.get_thread_binding(), T.alloc_var("int32", init=0)
    while i < 8:
        if i % 4 == 0:
            for j in T.serial(2):
                B[thread, i + j] = T.rng_rand()
            B[thread, i + 2] = T.rng_rand()
            B[thread, i + 3] = T.rng_rand()
        i += 1


@T.macro
def around_parallel(B):
    i = T.alloc_var("int32", init=-1)
    while i < 7:
        i += 1
        if i == 3:
            continue
        for j in T.Parallel(32):
            B[j, i] = T.rng_rand()


@T.macro
def nested(B):
    i, j = T.alloc_var("int32", init=0), T.alloc_var("int32", init=0)
    for row in T.serial(32):
        i = 0
        while i < 2:
            j = 0
            while j < 4:
                B[row, i * 4 + j] = T.rng_rand()
                j += 1
            i += 1


CASES = {
    # name: (kernel, threads, how many numbers it stores)
    "of_one_thread": (of_one_thread, 1, 8),
    "of_each_thread": (of_each_thread, 32, 256),
    "around_parallel": (around_parallel, 32, 224),
    "nested": (nested, 1, 256),
}


@pytest.mark.parametrize("name", CASES)
def test_numbers_differ(name):
    body, threads, count = CASES[name]

    @T.prim_func
    def main(B: T.Tensor((32, 8), "uint32")):
        with T.Kernel(1, threads=threads):
            T.rng_init(7)
            body(B)

    results = []
    for target in TARGETS:
        found = np.zeros((32, 8), np.uint32)
        compile_kernel(main, target=target)(found)
        assert len(np.unique(found[found != 0])) == count
        results.append(found)
    np.testing.assert_array_equal(*results)


def test_numbers_in_a_condition_are_refused():
    with pytest.raises(LanguageError, match="T.rng_rand in the condition of a `while`"):

        @T.prim_func
        def main(B: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=1):
                T.rng_init(7)
                i = T.alloc_var("int32", init=0)
                while T.rng_rand() > T.uint32(5):
                    i += 1
                B[0] = i
