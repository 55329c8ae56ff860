# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of CUDA C++ and its operators on numbers that are known.

An integer that is known is a `Const` of its type, which its arithmetic keeps: unsigned integers
wrap around. A float as it is written is a number of Python's, which takes the type that it meets.
"""

import math
import re
import struct

from .dtypes import dtype
from .nodes import BOOL, FLOAT32, INT32, INT64
from .values import Const, Expr, cast, number_of, type_of

__all__ = ["combine", "common", "known", "literal", "negated", "promoted", "typed", "unsigned"]

COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


def unsigned(bits):
    """The unsigned integer of so many bits."""
    return dtype(f"uint{bits}")


def literal(text):
    """The number that a text is: of the first type that holds it, as C++ has it. None of an integer
    that no type holds."""
    if not re.match(r"0[xXbB]", text) and re.search(r"[.f]|[eE][-+]?\d", text):
        return float(text.rstrip("f"))
    digits = text.rstrip("uUlL")
    tail = text[len(digits) :].lower()
    octal = re.match(r"0\d", digits)
    if octal and re.search(r"[89]", digits):
        return None
    value = int(digits, 8 if octal else 0)
    kinds = (unsigned(32), unsigned(64)) if "u" in tail else (INT32, INT64)
    if "u" not in tail and (octal or re.match(r"0[xXbB]", digits)):
        kinds = (INT32, unsigned(32), INT64, unsigned(64))
    for kind in kinds:
        positive = kind.bits if kind.is_unsigned else kind.bits - 1
        if value < 2**positive and ("l" not in tail or kind.bits > 32):
            return Const(value, kind)
    return None


def known(value):
    """The number of Python's that a value is; None of what only the kernel knows."""
    return number_of(value) if isinstance(value, (Expr, int, float)) else None


def typed(value, kind):
    """A value converted to a type, as C does it."""
    number = known(value)
    if number is None:
        return cast(value, kind)
    if kind.is_bool:
        return Const(bool(number), kind)
    if kind.is_float:
        return Const(float(number), kind)
    value = int(number) & ((1 << kind.bits) - 1)
    negative = not kind.is_unsigned and value >> (kind.bits - 1)
    return Const(value - (1 << kind.bits) if negative else value, kind)


def promoted(kind):
    """The type in which C computes with one: narrow integers become int."""
    return INT32 if kind.is_integer and kind.bits < 32 else kind


def common(a, b):
    """The type in which C combines two values."""
    kinds = [type_of(x) for x in (a, b) if isinstance(x, Expr)]
    floats = [x for x in kinds if x.is_float]
    if not floats and any(isinstance(x, float) for x in (a, b)):
        return FLOAT32
    widest = max(floats or kinds, key=lambda x: x.bits)
    if widest.is_float or widest.bits < 32:
        return promoted(widest)
    return unsigned(widest.bits) if any(_same_unsigned(x, widest) for x in kinds) else widest


def _same_unsigned(kind, widest):
    return kind.is_unsigned and kind.bits == widest.bits


def _rounded(value, kind):
    """A number as a float of a type has it."""
    letter = {"float32": "f", "float16": "e"}.get(str(kind))
    if letter is None or not math.isfinite(value):
        return value
    try:
        return struct.unpack(letter, struct.pack(letter, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def negated(sign, value, refuse):
    """A sign in front of a number that is known."""
    number = known(value)
    if sign == "!":
        return Const(not number, BOOL)
    if isinstance(value, float) or type_of(value).is_float:
        if sign == "~":
            refuse("~ of a float")
        result = -number if sign == "-" else number
        return result if isinstance(value, float) else typed(result, value.dtype)
    number = int(number)
    result = {"-": -number, "+": number, "~": ~number}[sign]
    return typed(result, promoted(type_of(value)))


def combine(sign, a, b, refuse):
    """C's operator on two numbers that are known."""
    x, y = known(a), known(b)
    if sign in ("<<", ">>") and not isinstance(x, float) and not isinstance(y, float):
        kind = promoted(type_of(a))
        if not 0 <= y < kind.bits:
            refuse(f"a shift of a value of {kind.bits} bits by {y}")
        return typed(int(x) << y if sign == "<<" else int(x) >> y, kind)
    kind = common(a, b)
    x, y = (number_of(typed(value, kind)) for value in (a, b))
    if kind.is_float:
        x, y = _rounded(x, kind), _rounded(y, kind)
    if sign in COMPARISONS:
        found = {
            "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y,
        }  # fmt: skip
        return Const(found[sign], BOOL)
    if sign in ("/", "%") and not y:
        refuse("a division by zero")
    if kind.is_float:
        if sign not in ("+", "-", "*", "/"):
            refuse(f"{sign} of floats")
        result = {"+": x + y, "-": x - y, "*": x * y, "/": x / y if y else 0.0}[sign]
        both = isinstance(a, float) and isinstance(b, float)
        return result if both else Const(_rounded(result, kind), kind)
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) if y else 0
    result = {
        "+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y,
        "/": quotient, "%": x - quotient * y,
    }[sign]  # fmt: skip
    return typed(result, kind)
