# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that an arm binds which ends with `break` or `continue`: behind the loop, and in the next iteration."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError

TARGETS = ["cpu", "lowered:sm_90a"]


def kernel(body):
    made = T.macro(body)

    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=1):
            made(A, B)

    return main


def refused(body, text):
    with pytest.raises(LanguageError, match=text) as error:
        kernel(body)
    assert str(error.value).startswith(__file__) and "T.alloc_var" in str(error.value)


def run(body, wanted):
    for target in TARGETS:
        a, b = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
        compile_kernel(kernel(body), target=target)(a, b)
        assert b.tolist() == wanted, target


def test_break_behind_the_loop():
    def body(A, B):
        found = -1
        for i in T.serial(8):
            if A[i] == 3:
                found = i
                break
        B[0] = found

    refused(body, "found is bound again in the loop")


def test_break_of_a_construct():
    def body(A, B):
        x = 1
        for i in T.serial(1):
            x = 5
            if A[i] == 0:
                T.loop_break()
            x = 7
        B[0] = x

    refused(body, "x is bound again in the loop")


def test_break_of_the_only_iteration():
    def body(A, B):
        x = 1
        for i in T.serial(1):
            if A[i] == 0:
                x = 6
                break
        B[0] = x

    refused(body, "x is bound again in the loop")


def test_break_of_an_inner_loop():
    def body(A, B):
        x = 0
        for i in T.serial(8):
            B[i] = x
            for j in T.serial(8):
                if A[j] == i:
                    x = 4
                    break

    refused(body, "x is read in the loop")


@pytest.mark.parametrize("loop", ["for", "while"])
def test_continue_and_the_next_iteration(loop):
    def counted(A, B):
        x = 0
        for i in T.serial(8):
            B[i] = x
            if A[i] == 3:
                x = 7
                continue

    def conditional(A, B):
        x = 0
        i = T.alloc_var("int32", init=0)
        while i < 8:
            B[i] = x
            i += 1
            if A[i] == 3:
                x = 7
                continue

    refused(counted if loop == "for" else conditional, "x is read in the loop")


def test_continue_behind_the_loop():
    def body(A, B):
        x = 0
        for i in T.serial(8):
            if A[i] == 3:
                x = 7
                continue
            B[i] = 1
        B[3] = x

    refused(body, "x is bound again in the loop")


def test_variables_are_set():
    def body(A, B):
        found = T.alloc_var("int32", init=-1)
        for i in T.serial(8):
            if A[i] == 3:
                found = i
                break
        B[0] = found

    run(body, [3, 0, 0, 0, 0, 0, 0, 0])


def test_names_that_nobody_reads_behind_it():
    def body(A, B):
        x = 0
        for i in T.serial(8):
            x = 1
            if A[i] == 3:
                x = 2
                B[i] = x
                continue
            if A[i] == 6:
                x = 5
                B[i] = x
                break
            B[i] = x
        x = 9
        B[7] = x

    run(body, [1, 1, 1, 2, 1, 1, 5, 9])


def test_loops_of_pythons_own():
    def body(A, B):
        x = 0
        for i in [1, 2, 3]:
            x = i
            if i == 2:
                break
        B[0] = x

    run(body, [2, 0, 0, 0, 0, 0, 0, 0])
