# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`==` of the kernel's values in code of Python's, which is not rewritten: as with `<`, there is no truth value."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError


def plain(x):
    if x == 0:
        return 5
    return x


def different(x):
    return 1 if x != 0 else 2


def listed(x):
    return 1 if x in [6, 7] else 2


def matched(x):
    match x:
        case 2:
            return 1
        case _:
            return 2


def generated(x):
    return 1 if any(x == y for y in (6, 7)) else 2


@pytest.mark.parametrize("function", [plain, different, listed, matched, generated])
@pytest.mark.parametrize("kind", ["element", "index", "variable"])
def test_functions_that_are_not_rewritten(function, kind):
    def body(A):
        with T.Kernel(1, threads=1):
            v = T.alloc_var("int32", init=3)
            for i in T.serial(8):
                A[i] = function({"element": A[i], "index": i, "variable": v}[kind])

    body.__annotations__ = {"A": T.Tensor((8,), "int32")}
    with pytest.raises(LanguageError, match="has no truth value in Python") as error:
        T.prim_func(body)
    assert str(error.value).startswith(__file__)


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_variables_in_lists(target):
    @T.prim_func
    def main(A: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=1):
            v = T.alloc_var("int32", init=3)
            if 3 in [v]:
                A[0] = 1
            if v in (1, 2):
                A[1] = 1
            if 4 not in (v, 5):
                A[2] = 1

    a = np.zeros(8, np.int32)
    compile_kernel(main, target=target)(a)
    assert a.tolist() == [1, 0, 1, 0, 0, 0, 0, 0]


def test_the_same_value_is_equal():
    m, n = T.dynamic("m"), T.dynamic("n")
    assert m == m and not m != m and m in [n, m][1:] and (m, n) == (m, n) and m + 1 == m + 1
    assert {m: 1}[m] == 1 and [m, n].index(m) == 0
    with pytest.raises(LanguageError, match="has no truth value"):
        bool(m == n)
