# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a value is for given numbers of the indices that it is computed from, as the kernel computes
it: unsigned and narrow integers wrap around, casts cut off.

A value is unknown (None) wherever the kernel's own number is not sure: signed integers of 32 or 64
bits overflow, a number is shifted by more bits than it has, a product of floats is rounded once
with the sum that takes it.
"""

import operator

import numpy

from .nodes import BOOL, FLOAT32, NUMBERS, Const, Expr, Let, Op
from .ranges import limits

_COMPARE = {
    "lt": numpy.less,
    "le": numpy.less_equal,
    "gt": numpy.greater,
    "ge": numpy.greater_equal,
    "eq": numpy.equal,
    "ne": numpy.not_equal,
}
_PLAIN = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
_EXACT = {
    "and": numpy.bitwise_and,
    "or": numpy.bitwise_or,
    "xor": numpy.bitwise_xor,
    "max": numpy.maximum,
    "min": numpy.minimum,
}
_DIVISIONS = ("floordiv", "truncdiv", "mod")
_SHIFTS = ("shl", "shr")
_INTEGERS = {*_PLAIN, *_EXACT, *_DIVISIONS, *_SHIFTS}
_FLOATS = {*_PLAIN, "max", "min", "div"}
_UNARY = ("abs", "neg")
_LONG = -(2**63), 2**63 - 1  # the range of int64


def evaluate(value, values):
    """The numbers that a value is: an array of int64, or of float64; None where it is unknown, or
    depends on anything else. `values`: arrays, by the identity of the index that they are of."""
    with numpy.errstate(all="ignore"):
        return _value(value, values, None)


def _value(value, values, kind):
    """The numbers of a value; a number of Python's has the type `kind`."""
    if not isinstance(value, Expr):
        return _number(value, kind)
    if id(value) in values:
        return numpy.asarray(values[id(value)])
    if type(value) is Const:
        return _number(value.value, value.dtype)
    if type(value) is Let:
        return _value(value.value, values, value.dtype)
    if type(value) is not Op or value.dtype.lanes != 1:
        return None
    name, args = value.name, value.args
    if name == "cast":
        return _converted(args[0], values, value.dtype)
    if name in _COMPARE:
        kinds = {x.dtype for x in args if isinstance(x, Expr)}
        if len(kinds) != 1:
            return None
        kind = kinds.pop()
        a, b = (_converted(x, values, kind) for x in args)
        return None if a is None or b is None else _COMPARE[name](a, b).astype(numpy.int64)
    if name == "select":
        condition = _converted(args[0], values, BOOL)
        a, b = (_converted(x, values, value.dtype) for x in args[1:])
        unknown = condition is None or a is None or b is None
        return None if unknown else numpy.where(condition != 0, a, b)
    if name not in (_FLOATS if value.dtype.is_float else _INTEGERS) and name not in _UNARY:
        return None
    found = [_converted(x, values, value.dtype) for x in args]
    if any(x is None for x in found):
        return None
    if value.dtype.is_float:
        known = name not in ("add", "sub") or all(_keeps_product(x, values) for x in args)
        return _float(name, found, value.dtype) if known else None
    return _integer(name, found, value.dtype)


def _number(number, kind):
    """A number, in its type where that is known."""
    if type(number) not in NUMBERS:
        return None
    if isinstance(number, float):
        return _rounded(numpy.float64(number), kind or FLOAT32)
    if kind is not None and kind.is_float:
        return _rounded(numpy.float64(number), kind)
    if not _LONG[0] <= number <= _LONG[1]:
        return None
    found = numpy.asarray(int(number), numpy.int64)
    return found if kind is None else _wrapped(found, kind)


def _converted(value, values, kind):
    """The numbers of a value after a conversion to a type."""
    found = _value(value, values, kind)
    if found is None or kind is None:
        return found
    if kind.is_bool:
        return (found != 0).astype(numpy.int64)
    if kind.is_float:
        return _rounded(found, kind)
    if not kind.is_integer:
        return None
    if found.dtype == numpy.float64:
        low, high = limits(kind)
        if not numpy.all(numpy.isfinite(found)) or kind.bits > 32:
            return None
        whole = numpy.trunc(found)
        if not numpy.all((whole >= low) & (whole <= high)):
            return None
        return whole.astype(numpy.int64)
    return _wrapped(found, kind)


# Integers.
def _wrapped(found, kind):
    """The number of a type that has the same low bits."""
    low, high = limits(kind)
    if not found.size or (low <= int(found.min()) and int(found.max()) <= high):
        return found
    if kind.bits == 64:
        return None  # it is none of int64's
    found = found & numpy.int64((1 << kind.bits) - 1)
    return found if kind.is_unsigned else found - ((found >> (kind.bits - 1)) << kind.bits)


def _fits(found, kind):
    """The numbers, where a type has them all."""
    low, high = limits(kind)
    inside = not found.size or (low <= int(found.min()) and int(found.max()) <= high)
    return found if inside else None


def _corners(found):
    return (int(found.min()), int(found.max())) if found.size else (0,)


def _integer(name, found, kind):
    if kind.is_bool and name not in _EXACT:
        return None
    a, b = found[0], found[-1]
    if name in _EXACT:
        return _wrapped(_EXACT[name](a, b), kind)
    if name in (*_UNARY, *_DIVISIONS) and _LONG[0] in _corners(a):
        return None  # its absolute value is no int64
    if name in _UNARY:
        return _fits(numpy.abs(a) if name == "abs" else -a, kind)
    if name in _DIVISIONS:
        if not numpy.all(b):
            return None
        if name == "truncdiv":
            result = numpy.abs(a) // numpy.abs(b) * numpy.sign(a) * numpy.sign(b)
        else:
            result = a // b if name == "floordiv" else a - a // b * b
        return _fits(result, kind)
    if name in _SHIFTS:
        if not numpy.all((b >= 0) & (b < kind.bits)):
            return None
        if name == "shr":
            return a >> b
        if kind.bits == 64 and not _whole(x << y for x in _corners(a) for y in _corners(b)):
            return None
        return _wrapped(a << b, kind)
    operation = _PLAIN[name]
    if kind.bits < 32 or (kind.is_unsigned and kind.bits == 32):
        # The low bits are right even where int64 itself wraps around.
        return _wrapped(operation(a, b) & numpy.int64((1 << kind.bits) - 1), kind)
    if not _whole(operation(x, y) for x in _corners(a) for y in _corners(b)):
        return None
    return _fits(operation(a, b), kind)


def _whole(numbers):
    """Whether int64 has all of these numbers."""
    return all(_LONG[0] <= x <= _LONG[1] for x in numbers)


# Floats.
def _rounded(number, kind):
    """Numbers in a type of floats."""
    if kind is FLOAT32:
        return numpy.asarray(number).astype(numpy.float32).astype(numpy.float64)
    return numpy.asarray(number, numpy.float64) if kind == "float64" else None


def _keeps_product(value, values):
    """Whether a value is the same when it is rounded with the sum that takes it: it is no product,
    or one that is not rounded at all."""
    while type(value) is Let:
        value = value.value
    if type(value) is not Op or value.name not in ("mul", "neg"):
        return True
    if value.name == "neg":
        return _keeps_product(value.args[0], values)
    a, b = (_converted(x, values, value.dtype) for x in value.args)
    return value.dtype is FLOAT32 and numpy.all(_rounded(a * b, FLOAT32) == a * b)


def _float(name, found, kind):
    a, b = found[0], found[-1]
    if name in _UNARY:
        return numpy.abs(a) if name == "abs" else -a
    if name in _EXACT:
        return _EXACT[name](a, b) if numpy.all(numpy.isfinite(a) & numpy.isfinite(b)) else None
    if name == "div":
        return _rounded(a / b, kind) if numpy.all(b) else None
    return _rounded(_PLAIN[name](a, b), kind)
