# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic by IEEE 754 with a rounding mode: rn (nearest), rz (to zero), ru (up), rd (down).

What is rounded to the nearest is moved by one step where the exact result lies on the other side.
Of float32 the exact result is known from float64; of float64 from the error that an operation
leaves (its results below 2^-960 may be a step off). Narrower types have `rn` alone.
"""

import math

from .dtypes import dtype
from .errors import fail
from .mathematics import And, fma, reinterpret, rsqrt, sqrt
from .values import Const, Op, as_value, binary, cast, promote, select, type_of, unary

MODES = ("rn", "rz", "ru", "rd")
FLOAT64 = dtype("float64")


def _exact(name, a, b):
    """An operation that is rounded on its own, also in front of a sum."""
    kind = type_of(a)
    return Op(f"exact_{name}", (a, b), kind) if kind.is_float else binary(name, a, b)


def _add(a, b):
    return _exact("add", a, b)


def _sub(a, b):
    return _exact("sub", a, b)


def _mul(a, b):
    return _exact("mul", a, b)


def _two_sum(a, b):
    """(a + b, what rounding it left out)."""
    total = _add(a, b)
    of_b = _sub(total, a)
    return total, _add(_sub(a, _sub(total, of_b)), _sub(b, of_b))


def _wide(*values):
    return [cast(x, FLOAT64) for x in values]


def _beyond(high, low, result):
    """A number with the sign of high + low - result, for a result near it."""
    return _add(_sub(high, cast(result, type_of(high))), low)


def _error_of_sum(result, a, b):
    return _beyond(*_two_sum(*(_wide(a, b) if type_of(a).bits == 32 else (a, b))), result)


def _error_of_product(result, a, b):
    if type_of(a).bits == 32:
        return _sub(_mul(*_wide(a, b)), cast(result, FLOAT64))
    return fma(a, b, unary("neg", result))


def _error_of_quotient(result, a, b):
    a, b, q = _wide(a, b, result)
    rest = fma(unary("neg", q), b, a)
    return select(b < 0, unary("neg", rest), rest)


def _error_of_root(result, a):
    a, root = _wide(a, result)
    return fma(unary("neg", root), root, a)


def _error_of_fma(result, a, b, c):
    if type_of(a).bits == 32:
        a, b, c = _wide(a, b, c)
        return _beyond(*_two_sum(_mul(a, b), c), result)
    # The exact result is high + low + rest; each sum below leaves nothing out.
    product = _mul(a, b)
    rest = fma(a, b, unary("neg", product))
    high, low = _two_sum(product, c)
    low, rest = _two_sum(low, rest)
    beyond, left = _two_sum(_sub(high, result), low)
    return _add(beyond, _add(left, rest))


def _finite(x):
    return unary("abs", x) < Const(math.inf, type_of(x))


def _moved(result, error, mode, inputs):
    """The result, or its neighbour where the mode wants the other side of the exact one."""
    kind = type_of(result)
    bits = dtype(f"int{kind.bits}")
    positive, negative = result > 0, result < 0
    down = And(error < 0, True if mode == "rd" else positive if mode == "rz" else False)
    up = And(error > 0, True if mode == "ru" else negative if mode == "rz" else False)
    raw = reinterpret(bits, result)
    one = Const(1, bits)
    # A step in magnitude is a step of the bits; zero has neighbours of either sign.
    least = Const(1, bits)
    most_negative = Const(-(1 << (kind.bits - 1)) + 1, bits)
    above = select(result == 0, least, select(negative, _sub(raw, one), _add(raw, one)))
    below = select(result == 0, most_negative, select(positive, _sub(raw, one), _add(raw, one)))
    made = reinterpret(bits, result)
    made = select(up, above, made) if up is not False else made
    made = select(down, below, made) if down is not False else made
    made = reinterpret(kind, made)
    # What overflowed is the greatest number on the side of zero.
    limit = Const(3.4028234663852886e38 if kind.bits == 32 else 1.7976931348623157e308, kind)
    infinite = unary("abs", result) == Const(math.inf, kind)
    finite = And(*(_finite(x) for x in inputs))
    if mode in ("rz", "rd"):
        made = select(And(infinite, finite, positive), limit, made)
    if mode in ("rz", "ru"):
        made = select(And(infinite, finite, negative), unary("neg", limit), made)
    return made


def _operation(name, nearest, error, values, mode):
    if mode not in MODES:
        fail(f"T.ieee_{name}: expected a rounding mode of {', '.join(MODES)}, got {mode!r}")
    kind = type_of(as_value(values[0]))
    for x in values[1:]:
        kind = promote(Const(0, kind), as_value(x))
    if not kind.is_float:
        fail(f"T.ieee_{name}: expected floating-point numbers, got {kind}")
    values = [cast(x, kind) for x in values]
    result = nearest(*values)
    if mode == "rn":
        return result
    if kind.bits < 32:
        fail(f"T.ieee_{name}: Only rounding mode 'rn' is available for half precision")
    finite = And(*(_finite(x) for x in [*values, result]))
    left = error(result, *values)
    left = select(finite, left, Const(0, type_of(left)))
    return _moved(result, left, mode, values)


def ieee_add(x, y, rounding_mode="rn"):
    """x + y"""
    return _operation("add", _add, _error_of_sum, (x, y), rounding_mode)


def ieee_sub(x, y, rounding_mode="rn"):
    """x - y"""

    def error(result, a, b):
        return _error_of_sum(result, a, unary("neg", b))

    return _operation("sub", _sub, error, (x, y), rounding_mode)


def ieee_mul(x, y, rounding_mode="rn"):
    """x * y"""
    return _operation("mul", _mul, _error_of_product, (x, y), rounding_mode)


def fmul(x, y):
    """x * y, rounded by itself: no sum takes it in."""
    return ieee_mul(x, y)


def ieee_fdiv(x, y, rounding_mode="rn"):
    """x / y"""
    return _operation(
        "fdiv", lambda a, b: binary("div", a, b), _error_of_quotient, (x, y), rounding_mode
    )


def ieee_fmaf(x, y, z, rounding_mode="rn"):
    """x * y + z, rounded once"""
    return _operation("fmaf", fma, _error_of_fma, (x, y, z), rounding_mode)


def ieee_frcp(x, rounding_mode="rn"):
    """1 / x"""
    x = as_value(x)
    return ieee_fdiv(Const(1.0, type_of(x)), x, rounding_mode)


def ieee_fsqrt(x, rounding_mode="rn"):
    """The square root of x"""
    return _operation("fsqrt", sqrt, _error_of_root, (x,), rounding_mode)


def ieee_frsqrt(x):
    """1 / the square root of x"""
    if type_of(as_value(x)) == "float64":
        fail("T.ieee_frsqrt: frsqrt is not supported for float64; use 1 / T.sqrt")
    return rsqrt(x)
