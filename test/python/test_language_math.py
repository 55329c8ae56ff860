# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that the language makes of others: powers of ten, small logarithms, neighbours, in each type."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a"]


def applied(function, kind, target, *values):
    count = len(values[0])

    if len(values) == 1:

        @T.prim_func
        def main(X: T.Tensor((count,), kind), R: T.Tensor((count,), kind)):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(count):
                    R[i] = function(X[i])

    else:

        @T.prim_func
        def main(
            X: T.Tensor((count,), kind), Y: T.Tensor((count,), kind), R: T.Tensor((count,), kind)
        ):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(count):
                    R[i] = function(X[i], Y[i])

    result = np.zeros(count, kind)
    made = compile_kernel(main, target=target)
    made(*(np.array(x, kind) for x in values), result)
    return result


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind, units", [("float16", 1), ("float32", 3), ("float64", 3)])
def test_powers_of_ten(kind, units, target):
    most = np.log10(float(np.finfo(kind).max)) * 0.99
    x = np.linspace(-min(most, 30), most, 400).astype(kind)
    got = applied(T.exp10, kind, target, x)
    want = 10.0 ** x.astype(np.longdouble)
    with np.errstate(over="ignore"):
        unit = np.spacing(want.astype(kind)).astype(np.longdouble)
    assert (abs(got.astype(np.longdouble) - want) <= units * unit).all()
    special = applied(T.exp10, kind, target, [0, np.inf, -np.inf, np.nan, 1e4, -1e4])
    np.testing.assert_array_equal(special, [1, np.inf, 0, np.nan, np.inf, 0])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_logarithms_of_nearly_one(kind, target):
    x = (10.0 ** np.arange(-30, 1)).astype(kind)
    np.testing.assert_allclose(
        applied(T.log1p, kind, target, x),
        np.log1p(x.astype(np.float64)),
        rtol=4 * np.finfo(kind).eps,
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_neighbours(kind, target):
    least, most = np.finfo(kind).smallest_subnormal, np.finfo(kind).max
    x = np.array([1.5, 1.5, 0, 0, -1.5, most, -0.0, 2, np.nan, least], kind)
    y = np.array([2, 1, 1, -1, 0, np.inf, 1, 2, 1, 0], kind)
    with np.errstate(over="ignore", under="ignore"):
        want = np.nextafter(x, y)
    np.testing.assert_array_equal(applied(T.nextafter, kind, target, x, y), want)
