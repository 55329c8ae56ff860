# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of a kernel that a call chooses: what an extent, a grid or a promise (T.assume) such as
n // 4 + 1 is for the sizes of this call, and how it is written in an error."""

import operator

from mlir_tile.language.values import Const, Expr, Op, Variable

_ARITHMETIC = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "truncdiv": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "mod": lambda a, b: a % b,
    "max": max,
    "min": min,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
_SIGNS = {
    "add": ("+", 5),
    "sub": ("-", 5),
    "mul": ("*", 6),
    "floordiv": ("//", 6),
    "truncdiv": ("//", 6),
    "mod": ("%", 6),
    "lt": ("<", 3),
    "le": ("<=", 3),
    "gt": (">", 3),
    "ge": (">=", 3),
    "eq": ("==", 3),
    "ne": ("!=", 3),
    "and": ("and", 2),
    "or": ("or", 1),
}


def written(expr, strength=0):
    """A value as one writes it, with the parentheses that it needs."""
    if type(expr) is Op and expr.name == "cast":
        return written(expr.args[0], strength)
    if type(expr) is Op and expr.name in _SIGNS:
        sign, own = _SIGNS[expr.name]
        text = f"{written(expr.args[0], own)} {sign} {written(expr.args[1], own + 1)}"
        return f"({text})" if own < strength else text
    return str(expr.value) if type(expr) is Const else str(expr)


def evaluate(expr, sizes):
    """The number that a size is, where `sizes` gives those of names; None where one is missing."""
    if not isinstance(expr, Expr):
        return expr
    if type(expr) is Const:
        return expr.value if expr.dtype.is_float else int(expr.value)
    if type(expr) is Variable:
        return sizes.get(expr.name)
    if type(expr) is Op and expr.name == "cast":
        return evaluate(expr.args[0], sizes)
    if type(expr) is Op and expr.name in _ARITHMETIC:
        a, b = (evaluate(x, sizes) for x in expr.args)
        return None if a is None or b is None else _ARITHMETIC[expr.name](a, b)
    return None


def plain(value, kind):
    """A scalar argument as a number of Python's, with which sizes and promises are computed."""
    if kind.is_integer and not kind.is_bool:
        try:
            value = operator.index(value)
        except TypeError:
            return value  # the launcher's error says it
        # The launcher's integers have a sign.
        return value + 2**kind.bits if kind.is_unsigned and value < 0 else value
    item = getattr(value, "item", None)
    return value if item is None else item()
