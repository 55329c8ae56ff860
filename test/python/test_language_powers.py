# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Powers, bounds and divisions: of which type the result is, and what it is."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.errors import ArgumentError
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError

TARGETS = ["cpu", "lowered:sm_90a"]
VALUES = {
    "int8": np.array([-128, -100, -3, -1, 0, 1, 2, 127] * 4, np.int8),
    "uint8": np.array([0, 1, 43, 44, 45, 100, 200, 255] * 4, np.uint8),
    "int32": np.array([-7, -3, -2, -1, 0, 1, 2, 8] * 4, np.int32),
    "uint32": np.array([0, 1, 2, 3, 0x10001, 0x80000000, 0xFFFFFFFF, 300] * 4, np.uint32),
    "float32": np.array([-2.5, -1.75, -1, -0.5, 0, 0.25, 3.5, 1e30] * 4, np.float32),
    "float16": np.array([-2.5, -1, -0.5, 0, 0.25, 3.5, 60000, np.inf] * 4, np.float16),
}


def power(a, exponent):
    result = np.ones_like(a)
    for _ in range(exponent):
        result = result * a
    return result


def wide(a):
    return a.astype(np.int64)


CASES = {
    # name: (type of A, type of B, kernel's expression, numpy's)
    "power_9": ("int32", "int32", lambda a: a**9, lambda a: power(a, 9)),
    "power_0": ("int32", "int32", lambda a: a**0, lambda a: power(a, 0)),
    "power_31": ("uint32", "uint32", lambda a: a**31, lambda a: power(a, 31)),
    "power_100": ("uint32", "uint32", lambda a: T.pow(a, 100), lambda a: power(a, 100)),
    "power_of_a_float": ("float32", "float32", lambda a: a**3, lambda a: a * (a * a)),
    "power_-1": ("int32", "int32", lambda a: T.if_then_else(a == 0, 5, a**-1), lambda a: np.where(a == 0, 5, np.where(abs(a) == 1, a, 0))),
    "power_-3": ("uint8", "float32", lambda a: (a | 1) ** -3, lambda a: (1 / (a | 1).astype(np.float32) ** 3)),
    "not_int8": ("int8", "int64", lambda a: T.cast(~a, "int64"), lambda a: ~a),
    "not_uint8": ("uint8", "int64", lambda a: ~a, lambda a: ~a),
    "not_uint8_by_name": ("uint8", "int64", lambda a: T.bitwise_not(a) >> 1, lambda a: ~a >> 1),
    "minus_int8": ("int8", "int64", lambda a: -a, lambda a: -a),
    "minus_uint8": ("uint8", "int64", lambda a: -a, lambda a: -a),
    "clamp_beyond_uint8": ("uint8", "int32", lambda a: T.clamp(a, 0, 300), wide),
    "clamp_below_uint8": ("uint8", "int32", lambda a: T.clamp(a, -5, 100), lambda a: wide(a).clip(-5, 100)),
    "clamp_beyond_int8": ("int8", "int32", lambda a: T.clamp(a, -200, 200), wide),
    "clamp_inside": ("int8", "int8", lambda a: T.clamp(a, -5, 100), lambda a: a.clip(-5, 100)),
    "clamp_above": ("int8", "int32", lambda a: T.clamp(a, 150, 300), lambda a: wide(a).clip(150, 300)),
    "clamp_uint32": ("uint32", "uint32", lambda a: T.clamp(a, -5, 300), lambda a: wide(a).clip(0, 300)),
    "clamp_by_floats": ("int32", "float32", lambda a: T.clamp(a, 0.5, 2.5), lambda a: a.clip(0.5, 2.5)),
    "clamp_float16": ("float16", "float16", lambda a: T.clamp(a, -0.5, 0.5), lambda a: a.clip(-0.5, 0.5)),
    "clamp_beyond_float16": ("float16", "float32", lambda a: T.clamp(a, 0, 1e6), lambda a: a.astype(np.float32).clip(0, 1e6)),
    "clamp_by_values": ("uint8", "int32", lambda a: T.clamp(a, T.int32(-3), T.cast(a, "int32") + 300), wide),
    "truncdiv": ("float32", "float32", lambda a: T.truncdiv(a, 0.75), lambda a: np.trunc(a / np.float32(0.75))),
    "truncmod": ("float32", "float32", lambda a: T.truncmod(a, 0.75), lambda a: np.fmod(a, np.float32(0.75))),
    "truncmod_of_integers": ("int32", "int32", lambda a: T.truncmod(a, 3), lambda a: np.fmod(a, 3)),
    "bool_of_a_half": ("int32", "int32", lambda a: T.cast(T.cast(0.5, "bool"), "int32") + a, lambda a: a + 1),
    "bool_of_a_typed_half": ("int32", "int32", lambda a: T.cast(T.cast(T.float32(0.5), "bool"), "int32") + a, lambda a: a + 1),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_values(name, target):
    source, result, expression, expected = CASES[name]

    @T.prim_func
    def main(A: T.Tensor((32,), source), B: T.Tensor((32,), result)):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(32):
                B[i] = expression(A[i])

    found = np.zeros(32, result)
    compile_kernel(main, target=target)(VALUES[source], found)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, expected(VALUES[source]).astype(result))


REFUSED = {
    "power": (lambda a: 3**a, "exponent only the kernel knows.*1 << n"),
    "power_of_a_value": (lambda a: T.pow(a, a), "exponent only the kernel knows"),
    "power_of_zero": (lambda a: T.int64(0) ** -1, "0 to the power of -1 has no value"),
    "not_of_a_float": (lambda a: ~T.cast(a, "float32"), "`~` needs an integer, got float32"),
    "popcount": (lambda a: T.popcount(T.cast(a, "float32")), "T.popcount: expected an integer"),
    "clz": (lambda a: T.clz(0.5), "T.clz: expected an integer"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    expression, message = REFUSED[name]
    with pytest.raises((LanguageError, ArgumentError), match=message):

        @T.prim_func
        def main(A: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(32):
                    A[i] = T.cast(expression(A[i]), "int32")


def test_numbers():
    assert T.truncdiv(-7.5, 2.0) == -3.0 and isinstance(T.truncdiv(-7.5, 2.0), float)
    assert T.truncdiv(-7, 2) == -3 and T.truncmod(-7, 2) == -1
