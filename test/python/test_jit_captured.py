# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function of @jit sees beside its arguments, and its text, may change between two calls."""

import importlib
import sys
import types

import numpy as np
import pytest

import mlir_tile as tilelang
import mlir_tile.language as T
from mlir_tile.jit.captured import Captured

ONE = np.ones(4, np.float32)
FACTOR = 2.0


def helper(x):
    return x * FACTOR


@T.macro
def put(B, i, x):
    B[i] = x * FACTOR


@tilelang.jit(target="cpu")
def by_global(A):
    A: T.Tensor((4,), "float32")
    B = T.empty((4,), "float32")
    with T.Kernel(1, threads=1):
        for i in T.serial(4):
            B[i] = A[i] * FACTOR
    return B


@tilelang.jit(target="cpu")
def by_function(A):
    A: T.Tensor((4,), "float32")
    B = T.empty((4,), "float32")
    with T.Kernel(1, threads=1):
        for i in T.serial(4):
            B[i] = helper(A[i])
    return B


@tilelang.jit(target="cpu")
def by_macro(A):
    A: T.Tensor((4,), "float32")
    B = T.empty((4,), "float32")
    with T.Kernel(1, threads=1):
        for i in T.serial(4):
            put(B, i, A[i])
    return B


@tilelang.jit(target="cpu", out_idx=[-1])
def lazy():
    @T.prim_func
    def main(A: T.Tensor((4,), "float32"), B: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=1):
            for i in T.serial(4):
                B[i] = A[i] * FACTOR

    return main


def factor(function):
    """What a call multiplies by: of a lazy function, the kernel that it gives."""
    return float((function()(ONE) if function is lazy else function(ONE))[0])


@pytest.mark.parametrize("function", [by_global, by_function, by_macro, lazy])
def test_globals(function, monkeypatch):
    for value in (2.0, 5.0, 5.0, 2.0):
        monkeypatch.setitem(globals(), "FACTOR", value)
        assert [factor(function) for _ in range(3)] == [value] * 3
        kernel = function.compile(**({} if function is lazy else {"A": ONE}))
        assert kernel(ONE)[0] == value


def test_functions_that_are_called(monkeypatch):
    assert factor(by_function) == 2
    monkeypatch.setitem(globals(), "helper", lambda x: x * 7)
    assert factor(by_function) == 7


def test_variables_of_the_function_around():
    scale, kind = 2.0, "float32"

    @tilelang.jit(target="cpu")
    def scaled(A):
        A: T.Tensor((4,), kind)
        B = T.empty((4,), kind)
        with T.Kernel(1, threads=1):
            for i in T.serial(4):
                B[i] = A[i] * scale
        return B

    assert factor(scaled) == 2
    scale = 3.0
    assert factor(scaled) == 3
    kind = "float64"
    assert scaled(ONE.astype(np.float64))[0] == 3
    del scale
    with pytest.raises(Exception):
        scaled(ONE.astype(np.float64))
    scale = 4.0
    assert scaled(ONE.astype(np.float64))[0] == 4


def test_names_of_modules_of_the_users(monkeypatch):
    config = types.ModuleType("config_of_a_test")
    config.scale = 2.0
    monkeypatch.setitem(sys.modules, "config_of_a_test", config)

    @tilelang.jit(target="cpu")
    def scaled(A):
        A: T.Tensor((4,), "float32")
        B = T.empty((4,), "float32")
        with T.Kernel(1, threads=1):
            for i in T.serial(4):
                B[i] = A[i] * config.scale
        return B

    assert factor(scaled) == 2
    config.scale = 6.0
    assert factor(scaled) == 6


def test_what_stays_is_not_traced_again(monkeypatch):
    first = lazy()
    assert lazy() is first
    monkeypatch.setitem(globals(), "FACTOR", float("2.0"))  # another object, the same number
    assert lazy() is first and lazy() is first


def test_names_that_are_looked_at():
    """Python's own names, and what packages define, need no look: such calls need no Python."""

    def plain(A, n):
        A: T.Tensor((n,), "float32")
        with T.Kernel(1, threads=max(32, len(A.shape))):
            for i in T.serial(4):
                A[i] = np.float32(2) * abs(A[i])

    def more(A):
        A: T.Tensor((4,), FACTOR)
        helper(A[0])

    assert not Captured(plain)
    assert {name for _, name, _ in Captured(more).names} == {"FACTOR", "helper"}


TEXT = """
import mlir_tile, mlir_tile.language as T
@mlir_tile.jit(target="cpu")
def scaled(A, s):
    A: T.Tensor((4,), "float32")
    s: T.{}
    B = T.empty((4,), "float32")
    with T.Kernel(1, threads=1):
        for i in T.serial(4):
            B[i] = A[i] * s
    return B
"""


def test_annotations_alone_change(tmp_path, monkeypatch):
    """The code of both functions is equal: annotations of variables are not in it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    file = tmp_path / "annotated_module.py"
    file.write_text(TEXT.format("float16"))
    module = importlib.import_module("annotated_module")
    assert module.scaled(ONE, 1.0003)[0] == 1
    file.write_text(TEXT.format("float32") + "\n")
    importlib.reload(module)
    assert module.scaled(ONE, 1.0003)[0] == np.float32(1.0003)
