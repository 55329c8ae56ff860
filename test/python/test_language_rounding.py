# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic with rounding modes, against exact rational numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.errors import CompileError
from mlir_tile.jit import compile as compile_kernel

KINDS = {"float32": np.float32, "float64": np.float64}
N = 512


def _kernel(make, count, dtype):
    @T.prim_func
    def main(
        A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype),
        D: T.Tensor((N,), dtype),
    ):  # fmt: skip
        with T.Kernel(1, threads=128):
            for i in T.Parallel(N):
                D[i] = make(*[A[i], B[i], C[i]][:count])

    return main


def _inputs(kind):
    rng = np.random.default_rng(0)
    made = []
    for _ in range(3):
        x = rng.standard_normal(N) * 2.0 ** rng.integers(-30, 30, N)
        made.append(x.astype(kind))
    made[1][:8] = made[0][:8]  # exact differences and quotients
    made[1][made[1] == 0] = 1
    return made


def _directed(exact, kind, mode):
    """The neighbour of an exact number in `kind` that the mode wants."""
    low = kind(float(exact)) if kind is np.float64 else _nearest32(exact)
    value = Fraction(float(low))
    if value == exact:
        return low
    below = low if value < exact else np.nextafter(low, kind(-math.inf))
    above = low if value > exact else np.nextafter(low, kind(math.inf))
    if mode == "rz":
        mode = "rd" if exact > 0 else "ru"
    return below if mode == "rd" else above


def _nearest32(exact):
    low = np.float32(float(exact))
    around = [np.nextafter(low, np.float32(x)) for x in (math.inf, -math.inf)]
    return min([low, *around], key=lambda x: abs(Fraction(float(x)) - exact))


OPERATIONS = {
    "add": (T.ieee_add, 2, lambda a, b: a + b),
    "sub": (T.ieee_sub, 2, lambda a, b: a - b),
    "mul": (T.ieee_mul, 2, lambda a, b: a * b),
    "fdiv": (T.ieee_fdiv, 2, lambda a, b: a / b),
    "fmaf": (T.ieee_fmaf, 3, lambda a, b, c: a * b + c),
}


@pytest.mark.parametrize("mode", ["rz", "ru", "rd"])
@pytest.mark.parametrize(
    ("dtype", "name"),
    [(d, n) for d in KINDS for n in OPERATIONS],
)
def test_directed_rounding(dtype, name, mode):
    operation, count, exact = OPERATIONS[name]
    inputs, kind = _inputs(KINDS[dtype]), KINDS[dtype]
    out = np.zeros(N, kind)
    kernel = _kernel(lambda *x: operation(*x, rounding_mode=mode), count, dtype)
    compile_kernel(kernel, target="cpu")(*inputs, out)
    for i in range(N):
        values = [Fraction(float(x[i])) for x in inputs[:count]]
        assert out[i] == _directed(exact(*values), kind, mode), [float(v) for v in values]


@pytest.mark.parametrize("mode", ["rz", "ru", "rd"])
def test_square_roots(mode):
    a = np.abs(_inputs(np.float32)[0])
    a[:4] = [1, 4, 9, 16]
    out = np.zeros(N, np.float32)
    kernel = _kernel(lambda x: T.ieee_fsqrt(x, mode), 1, "float32")
    compile_kernel(kernel, target="cpu")(a, a, a, out)
    for x, root in zip(a, out):
        exact, square = Fraction(float(x)), Fraction(float(root)) ** 2
        step = np.float32(math.inf if mode != "ru" else 0)
        other = Fraction(float(np.nextafter(root, step))) ** 2
        assert other < exact <= square if mode == "ru" else square <= exact < other


def test_overflow_and_exact_results_on_a_gpus_code():
    a, b = np.full(N, 3e38, np.float32), np.full(N, 3e38, np.float32)
    a[1::2] *= -1
    b[1::2] *= -1
    a[:2], b[:2] = 1.5, 2.25
    for mode, high, low in (("rz", 3.4028235e38, -3.4028235e38), ("ru", np.inf, -3.4028235e38)):
        out = np.zeros(N, np.float32)
        kernel = _kernel(lambda x, y, m=mode: T.ieee_add(x, y, m), 2, "float32")
        compile_kernel(kernel, target="lowered:sm_90a")(a, b, b, out)
        assert (out[:2] == 3.75).all()
        assert (out[2::2] == np.float32(high)).all() and (out[3::2] == np.float32(low)).all()


def test_what_is_refused():
    for dtype in ("float16", "bfloat16"):
        with pytest.raises(CompileError, match="Only rounding mode 'rn' is available for half"):
            _kernel(lambda x, y: T.ieee_add(x, y, "rz"), 2, dtype)
    with pytest.raises(CompileError, match="frsqrt is not supported for float64"):
        _kernel(T.ieee_frsqrt, 1, "float64")
    with pytest.raises(CompileError, match="expected a rounding mode of rn, rz, ru, rd"):
        _kernel(lambda x, y: T.ieee_add(x, y, "up"), 2, "float32")
