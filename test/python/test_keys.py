# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys of arguments: what is equal to Python, but another argument, is another key."""

import copy
import dataclasses
import enum
import itertools
import math
import pickle

import ml_dtypes
import numpy as np
import pytest
import tilelang_style  # noqa: F401  (the stand-in for torch)
import torch

import mlir_tile as tilelang
import mlir_tile.language as T
from mlir_tile._keys import freeze, freeze_keywords
from mlir_tile.autotuner.results import digest


@dataclasses.dataclass(frozen=True)
class Config:
    factor: object


class One(enum.IntEnum):
    FIRST = 1


class Uno(enum.IntEnum):
    FIRST = 1


ONES = [1, True, 1.0, 1 + 0j, "1", One.FIRST, Uno.FIRST]
ONES += [np.int32(1), np.int64(1), np.float32(1), np.float64(1), np.bool_(True)]
ONES += [ml_dtypes.bfloat16(1), ml_dtypes.float8_e5m2(1)]
FLOATS = [0, False, 0.0, -0.0, math.inf, math.nan, np.float32(0.0), np.float32(-0.0)]
GROUPS = [
    ONES,
    FLOATS,
    [[1], (1,), [True], (1.0,), {1}, {True}, frozenset({1})],
    [{"a": 1}, {"a": True}, {1: "a"}, {"1": "a"}, {1.0: "a"}],
    [Config(x) for x in ONES],
]


@pytest.mark.parametrize("values", GROUPS)
@pytest.mark.parametrize("key", [freeze, digest])
def test_values_that_differ_are_different_keys(key, values):
    for (i, a), (j, b) in itertools.product(enumerate(values), repeat=2):
        assert (key(a) == key(b)) == (i == j), (a, b)


def test_values_that_are_the_same_are_one_key():
    assert freeze(float("nan")) == freeze(math.nan) and freeze(-0.0) == freeze(-(0.0))
    assert freeze_keywords({"a": 1, "b": 2}) == freeze_keywords({"b": 2, "a": 1})
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    with pytest.raises(TypeError, match="must be hashable"):
        freeze([bytearray()])


def test_functions_are_told_apart_by_what_they_do():
    def scaled(factor):
        return lambda x: x * factor

    def again(n):
        return again(n - 1) if n else 0

    assert digest(scaled(2)) == digest(scaled(2)) and digest(again) == digest(again)
    functions = [scaled(2), scaled(3), scaled(2.0), lambda x: x, lambda x: -x, again]
    assert len({digest(x) for x in functions}) == len(functions)


@tilelang.jit
def multiplied(A, factor):
    N = T.const("N")
    A: T.Tensor((N,), T.float32)
    B = T.empty((N,), T.float32)
    with T.Kernel(1, threads=32):
        for i in T.Parallel(N):
            B[i] = A[i] * factor
    return B


def test_kernels_of_zeros_with_signs():
    ones = torch.ones(32)
    for factor in (0.0, -0.0, 0.0, -0.0, np.float32(0.0), np.float32(-0.0)):
        sign = math.copysign(1, factor)
        for result in (multiplied(ones, factor), multiplied(ones, factor=factor)):
            assert (np.copysign(1, result.numpy()) == sign).all(), factor


@tilelang.jit
def filled(n, kind="float32"):
    @T.prim_func
    def main(A: T.Tensor((n,), kind)):
        with T.Kernel(n > 0, threads=32):
            for i in T.Parallel(n):
                A[i] = 3

    return main


@pytest.mark.parametrize("kind", [np.dtype("float16"), np.float16, "float16", T.float16])
def test_element_types_are_arguments(kind):
    found = np.zeros(8, np.float16)
    filled(8, kind=kind)(found)
    assert (found == 3).all()


def test_a_bool_is_a_number_of_iterations():
    found = np.zeros(1, np.float32)
    filled(True)(found)
    assert found[0] == 3


def test_functions_and_kernels_are_held_by_copies():
    kernel = filled(8)
    holder = {"make": filled, "kernels": [kernel]}
    for made in (copy.copy(holder), copy.deepcopy(holder)):
        assert made["make"] is filled and made["kernels"][0] is kernel
    assert copy.copy(kernel) is kernel and pickle.loads(pickle.dumps(filled)) is filled
    with pytest.raises(TypeError, match="the kernel main cannot be pickled: .* pickle the function"):
        pickle.dumps(kernel)
