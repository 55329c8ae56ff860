# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands are read from left to right, as Python does: also where one of them changes memory."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a"]


@T.macro
def bump(A, amount):
    A[0] = A[0] + amount
    return A[0]


@T.macro
def set_variable(v: T.Ref):
    v = v + 10  # noqa: F841 - the variable of the caller
    return 1


@T.macro
def difference(x, y):
    return x * 100 + y


def atomic(A):
    return T.atomic_add(A[0], 1, return_prev=True)


def plus(A, B):
    B[0] = A[0] + T.atomic_add(A[0], 1, return_prev=True)


def three(A, B):
    B[0] = A[0] * 100 + bump(A, 1) * 10 + A[0] - bump(A, 2)


def compared(A, B):
    B[0] = T.cast(A[0] < bump(A, 1), "int32")


def chained(A, B):
    B[0] = T.cast(A[0] < bump(A, 1) < 100, "int32")


def arguments(A, B):
    B[0] = T.max(A[0], T.atomic_add(A[0], -1, return_prev=True) - 1)


def keywords(A, B):
    B[0] = T.max(y=bump(A, -1), x=A[0] - bump(A, 100))


def of_a_macro(A, B):
    B[0] = difference(A[0], bump(A, 1))


def of_a_tuple(A, B):
    x, y = A[0], atomic(A)
    B[0] = x * 100 + y


def of_a_list(A, B):
    found = [A[0], bump(A, 1), A[0] + 1]
    B[0] = found[0] * 100 + found[1] * 10 + found[2]


def updates(A, B):
    A[0] += bump(A, 1)
    B[0] = A[0]


def index_of_an_update(A, B):
    B[A[0]] += bump(A, 1)
    B[A[0]] = 50


def index_behind_the_value(A, B):
    B[bump(A, 1)] = A[0]


def many_targets(A, B):
    A[0] = B[0] = A[0] + 1


def a_variable(A, B):
    v = T.alloc_var("int32", init=3)
    B[0] = v + set_variable(v) * 100
    B[1] = v


def a_variable_updated(A, B):
    v = T.alloc_var("int32", init=3)
    v += set_variable(v) * 100
    B[0] = v


def appended(A, B):
    found = []
    found.append(A[0])
    found.insert(0, A[0] * 10)
    A[0] = 0
    B[0] = found[0] + found[1]


def of_a_dictionary(A, B):
    found = {"a": A[0], "b": [A[0] + 1]}
    A[0] = 0
    B[0] = found["a"] * 100 + found["b"][0]


def added_to_a_list(A, B):
    found = []
    found += [A[0]]
    A[0] = 0
    B[0] = found[0]


def counts_of_pythons(A, B):
    counts = [1]

    def more():
        counts[0] = 10
        return 2

    counts[0] += more()
    B[0] = counts[0]



CASES = [
    *(plus, three, compared, chained, arguments, keywords, of_a_macro, of_a_tuple, of_a_list),
    *(updates, index_of_an_update, index_behind_the_value, many_targets, a_variable),
    *(a_variable_updated, appended, of_a_dictionary, added_to_a_list, counts_of_pythons),
]
EXPECTED = {
    "plus": [10],
    "three": [500 + 60 + 6 - 8],
    "compared": [1],
    "chained": [1],
    "arguments": [5],
    "keywords": [4],
    "of_a_macro": [506],
    "of_a_tuple": [505],
    "of_a_list": [500 + 60 + 7],
    "updates": [11],
    "index_of_an_update": [0, 0, 0, 0, 0, 6, 50],
    "index_behind_the_value": [0, 0, 0, 0, 0, 0, 5],
    "many_targets": [6],
    "a_variable": [103, 13],
    "a_variable_updated": [103],
    "appended": [55],
    "of_a_dictionary": [506],
    "added_to_a_list": [5],
    "counts_of_pythons": [3],
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=lambda x: x.__name__)
def test_operands_are_read_from_left_to_right(case, target):
    body = T.macro(case)

    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=32):
            body(A, B)

    a, b = np.zeros(8, np.int32), np.zeros(8, np.int32)
    a[0] = 5
    compile_kernel(main, target=target)(a, b)
    want = EXPECTED[case.__name__]
    np.testing.assert_array_equal(b[: len(want)], want)
