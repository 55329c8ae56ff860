# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on expressions: folded where numbers are known, types promoted as in TileLang.

The wider float wins, an integer meets a float in the float's type, a Python float is a float32.
"""

import math
import operator

from .dtypes import dtype
from .errors import fail
from .nodes import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    NUMBERS,
    Const,
    Expr,
    Load,
    Op,
    Variable,
)


def variable(kind):
    """A scalar of this type, as T.float32() says it: an argument, or a symbolic number."""
    return Variable("scalar", "scalar", dtype(kind))


def is_expr(value):
    return isinstance(value, Expr) or getattr(value, "is_var", False)


def as_value(value):
    """The value that an operand stands for: variables are read, references followed."""
    if isinstance(value, Expr) or type(value) in NUMBERS:
        return value
    load = getattr(value, "as_load", None)
    if load is not None:
        return load()
    if isinstance(value, NUMBERS):  # of a class of NumPy's or the user's
        return float(value) if isinstance(value, float) else int(value)
    item = getattr(value, "item", None)
    if item is not None and getattr(value, "shape", None) == ():
        return item()
    return fail(f"expected a value or a number, got {describe(value)}")


def describe(value):
    text = repr(value)
    return f"{text if len(text) < 80 else text[:77] + '...'} ({type(value).__name__})"


def type_of(value):
    """The type of a value: that of a Python number is int32 (or int64), float32 or bool."""
    if isinstance(value, Expr):
        return value.dtype
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT32 if -(2**31) <= value < 2**31 else INT64
    return FLOAT32


def promote(a, b):
    """The type in which two operands meet."""
    ta, tb = type_of(a), type_of(b)
    if ta is tb:
        return ta
    if ta.is_float or tb.is_float:
        if not tb.is_float:
            return ta
        if not ta.is_float:
            return tb
        if ta.bits == tb.bits:
            return dtype("float32") if ta.bits <= 16 else ta
        return ta if ta.bits > tb.bits else tb
    if ta.is_bool or tb.is_bool:
        return tb if ta.is_bool else ta
    # A number that is not negative takes the unsigned type that it meets.
    for x, _y, tx, ty in ((a, b, ta, tb), (b, a, tb, ta)):
        if not isinstance(x, Expr) and ty.is_unsigned and ty.bits >= 32 and 0 <= x < 2**ty.bits:
            return ty
        if not isinstance(x, Expr) and tx is INT32 and ty.bits >= 32:
            return ty
    bits = max(ta.bits, tb.bits)
    unsigned = ta.is_unsigned and tb.is_unsigned
    return dtype(f"{'u' if unsigned else ''}int{max(bits, 8)}")


FOLD = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "shl": operator.lshift,
    "shr": operator.rshift,
    "max": max,
    "min": min,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "truncdiv": lambda a, b: (
        float(math.trunc(a / b))
        if isinstance(a, float) or isinstance(b, float)
        else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
    ),
}


def number_of(value):
    """The Python number that a value is, or None."""
    if type(value) in NUMBERS:
        return value
    if type(value) is Const:
        return value.value
    return None


def true_division(a, b):
    """`a / b`. Of two integers it says too little, here as in TileLang: Python's is a fraction, C's is not."""
    if not _operand(a) or not _operand(b):
        return NotImplemented
    kinds = [type_of(as_value(x)) for x in (a, b)]
    if all(kind.is_integer for kind in kinds):
        fail(
            f"`/` of two integers ({kinds[0]} and {kinds[1]}): expected `//` or T.floordiv, which rounds down,"
            " T.truncdiv or T.div, which rounds towards zero, or T.cast(x, 'float32') / y, which does not round"
        )
    return binary("div", a, b)


def binary(name, a, b):
    """An operation on two values, folded where both are numbers."""
    if not _operand(a) or not _operand(b):
        return NotImplemented
    a, b = as_value(a), as_value(b)
    x, y = number_of(a), number_of(b)
    if (
        x is not None
        and y is not None
        and not (name in ("div", "floordiv", "mod", "truncdiv") and y == 0)
    ):
        kind = promote(a, b)
        if name == "div" and kind.is_integer:
            result = FOLD["truncdiv"](x, y)
        else:
            result = FOLD[name](x, y)
        if type(a) is Const or type(b) is Const:
            return Const(_wrap(result, kind), kind)
        return result
    kind = promote(a, b)
    if kind.is_integer:
        simple = _simplify(name, a, b, x, y)
        if simple is not None:
            if not isinstance(simple, Expr):
                # A number of Python's counts as int32, as what it is computed from would be here.
                plain = kind is INT32 or (kind.bits < 32 and _literal(a, b))
                return simple if plain else Const(simple, kind)
            return simple if type_of(simple) is kind else cast(simple, kind)
        if name in ("and", "or", "xor") and kind.is_bool:
            return Op(name, (a, b), BOOL)
        if kind.is_bool and name in ("add", "sub", "mul"):
            kind = INT32
        if name == "div":
            name = "truncdiv"
        if name in ("shl", "shr"):
            kind = type_of(a)
            if kind.is_bool:
                kind = INT32
            elif kind is type_of(b) and isinstance(b, Expr):
                pass  # a number of the same type, T.uint8(4), keeps it
            elif kind.bits < 32:
                kind = INT32 if isinstance(b, NUMBERS) or type_of(b).bits <= 32 else type_of(b)
            elif not isinstance(a, Expr):
                kind = promote(a, b)
        elif kind.bits < 32 and _literal(a, b) and name not in ("max", "min"):
            kind = INT32
    elif name in ("and", "or", "xor", "shl", "shr"):
        fail(
            f"`{_sign(name)}` needs integers, got {type_of(a)} and {type_of(b)}; cast them or use"
            " T.reinterpret"
        )
    elif name == "floordiv":
        return unary("floor", Op("div", (cast(a, kind), cast(b, kind)), kind))
    elif name == "truncdiv":
        return unary("trunc", Op("div", (cast(a, kind), cast(b, kind)), kind))
    return Op(name, (cast(a, kind), cast(b, kind)), kind)


def _literal(a, b):
    """Whether an operand is a number of Python's, which counts as int32."""
    return not (isinstance(a, Expr) and isinstance(b, Expr))


def _sign(name):
    return {"and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>"}[name]


def _operand(value):
    return (
        isinstance(value, (Expr, int, float))
        or hasattr(value, "as_load")
        or (hasattr(value, "item") and getattr(value, "shape", None) == ())
    )


def _simplify(name, a, b, x, y):
    """Identities of integers, and a product or sum of numbers taken together."""
    if name == "add":
        if x == 0:
            return b
        if y == 0:
            return a
        if (
            y is not None
            and type(a) is Op
            and a.name == "add"
            and type(a.args[1]) is int
            and type(y) is int
        ):
            return binary("add", a.args[0], a.args[1] + y)
    elif name == "sub":
        if y == 0:
            return a
        if (
            y is not None
            and type(y) is int
            and y > 0
            and type(a) is Op
            and a.name == "add"
            and a.args[1] is y
        ):
            return a.args[0]
    elif name == "mul":
        if x == 1 and not isinstance(x, bool):
            return b
        if y == 1 and not isinstance(y, bool):
            return a
        if x == 0 or y == 0:
            return 0
    elif name in ("floordiv", "truncdiv", "div"):
        if y == 1:
            return a
        if x == 0:
            return 0
        if (
            type(y) is int
            and y > 0
            and type(a) is Op
            and a.name == "mul"
            and type(a.args[1]) is int
            and a.args[1] % y == 0
        ):
            return binary("mul", a.args[0], a.args[1] // y)
    elif name == "mod":
        if y == 1 or x == 0:
            return 0
    elif name in ("shl", "shr"):
        if y == 0:
            return a
    elif name == "or" and type_of(a).is_integer:
        if x == 0 and x is not False:
            return b
        if y == 0 and y is not False:
            return a
    return None


def _wrap(value, kind):
    """A number in the range of its type."""
    if kind.is_bool:
        return bool(value)
    if kind.is_float:
        return float(value)
    value = int(value) & ((1 << kind.bits) - 1)
    return value - (1 << kind.bits) if not kind.is_unsigned and value >> (kind.bits - 1) else value


def compare(name, a, b):
    """A comparison; of two numbers a truth value of Python's."""
    if not _operand(a) or not _operand(b):
        if name in ("eq", "ne"):
            return NotImplemented
        return fail(f"cannot compare {describe(a)} with {describe(b)}")
    a, b = as_value(a), as_value(b)
    x, y = number_of(a), number_of(b)
    if x is not None and y is not None:
        return FOLD[name](x, y)
    kind = promote(a, b)
    return Op(name, (cast(a, kind), cast(b, kind)), BOOL)


def unary(name, value):
    """An operation on one value that keeps its type."""
    value = as_value(value)
    number = number_of(value)
    if name == "neg":
        if number is not None:
            return (
                Const(_wrap(-number, value.dtype), value.dtype) if type(value) is Const else -number
            )
        if value.dtype.is_integer:
            narrow = value.dtype.bits < 32 and not value.dtype.is_bool
            return binary("sub", Const(0, value.dtype) if narrow else 0, value)
    elif name == "not":
        if number is not None and type(value) is not Const:
            return not number if isinstance(number, bool) else ~number
        if type_of(value).is_bool:
            return Op("xor", (value, True), BOOL)
        kind = type_of(value)
        if not kind.is_integer:
            fail(f"`~` needs an integer, got {kind}; cast it or use T.reinterpret")
        return binary("xor", value, Const(_wrap(-1, kind), kind))
    elif name == "abs":
        if number is not None and type(value) is not Const:
            return abs(number)
        if type_of(value).is_unsigned:
            return value
    kind = type_of(value)
    if number is not None and not isinstance(value, Expr):
        value = Const(value, kind)
    return Op(name, (value,), kind)


def power(a, b):
    """a to the power of b. Whole exponents are multiplied out: all of integers, small ones of
    floats."""
    a, b = as_value(a), as_value(b)
    x, y = number_of(a), number_of(b)
    kind = promote(a, b)
    if x == 0 and y is not None and y < 0:
        fail(f"0 to the power of {y} has no value: expected an exponent of 0 or more, or another base")
    if x is not None and y is not None:
        typed = type(a) is Const or type(b) is Const
        if typed and (kind.is_float or y >= 0):
            return Const(_wrap(x**y, kind), kind)
        return x**y
    if kind.is_integer and y is None:
        fail(
            "a power of integers whose exponent only the kernel knows: expected a number as the"
            f" exponent, got {describe(b)}; use 1 << n for powers of two, T.cast(x, 'float32') ** y"
            " for a float, or multiply in a loop"
        )
    if y is not None and math.isfinite(y) and y == int(y):
        if type_of(a).is_integer and kind.is_float:
            a = cast(a, kind)
        if y == 0 and kind.is_integer:
            return 1 if kind is INT32 else Const(1, kind)
        if 1 <= y and (kind.is_integer or y <= 8):
            return _multiplied(a, int(y))
        if -8 <= y < 0 and type_of(a).is_integer:
            # A quotient is rounded once: 1 ** -1 is 1, whatever `pow` makes of it.
            kind = kind if kind.is_float else FLOAT32
            return binary("div", Const(1.0, kind), _multiplied(cast(a, kind), -int(y)))
    if not kind.is_float:
        kind = FLOAT32
    return Op("pow", (cast(a, kind), cast(b, kind)), kind)


def _multiplied(square, exponent):
    """A power as products of squares. A value that is used again and again gets a name where the
    exponent is large, since each use of it is a tree of its own elsewhere."""
    from .builder import current_or_none

    builder = current_or_none()
    named = exponent > 16 and builder is not None and builder.block is not None
    if exponent > 64 and not named:
        fail(f"expected an exponent of at most 64 outside of a kernel, got {exponent}")
    result = None
    while exponent:
        if named and isinstance(square, Expr):
            square = builder.define("power", square)
        if exponent & 1:
            result = square if result is None else binary("mul", result, square)
        exponent >>= 1
        if exponent:
            square = binary("mul", square, square)
    return result


def cast(value, kind):
    """A value in another type; numbers stay numbers where the type is the one they have anyway."""
    kind = dtype(kind)
    value = as_value(value)
    if isinstance(value, Expr):
        if value.dtype is kind:
            return value
        if type(value) is Const:
            return Const(_convert(value.value, kind), kind)
        return Op("cast", (value,), kind)
    if isinstance(value, bool) and kind.is_bool:
        return value
    if type(value) is int and kind is INT32:
        return value
    return Const(_convert(value, kind), kind)


def _convert(number, kind):
    if kind.is_bool:
        return bool(number)
    if kind.is_float:
        return float(number)
    if isinstance(number, float) and not math.isfinite(number):
        fail(f"{number} has no value in {kind}")
    return _wrap(int(number), kind)


def select(condition, yes, no):
    """`yes` where the condition holds, else `no`; only the one that is taken is read."""
    condition, yes, no = as_value(condition), as_value(yes), as_value(no)
    truth = number_of(condition)
    if truth is not None:
        return yes if truth else no
    if condition.dtype is not BOOL:
        condition = compare("ne", condition, 0)
    kind = promote(yes, no)
    return Op("select", (condition, cast(yes, kind), cast(no, kind)), kind)


def truth(value):
    """A condition: a bool of Python's where it is known, else a value of type bool."""
    value = as_value(value) if is_expr(value) or hasattr(value, "as_load") else value
    if not isinstance(value, Expr):
        return bool(value)
    if type(value) is Const:
        return bool(value.value)
    return value if value.dtype is BOOL else compare("ne", value, 0)


def same(a, b):
    """Whether two values are the same tree."""
    if a is b:
        return True
    if isinstance(a, NUMBERS) or isinstance(b, NUMBERS):
        return _same_number(number_of(a), number_of(b))
    if type(a) is not type(b):
        return False
    if type(a) is Op:
        return (
            a.name == b.name
            and a.dtype is b.dtype
            and len(a.args) == len(b.args)
            and all(map(same, a.args, b.args))
        )
    if type(a) is Load:
        return (
            a.buffer is b.buffer
            and len(a.indices) == len(b.indices)
            and all(map(same, a.indices, b.indices))
        )
    if type(a) is Const:
        return _same_number(a.value, b.value) and a.dtype is b.dtype
    return False


def _same_number(x, y):
    """Whether two numbers, or None for none, are one: zeros have signs."""
    if x is None or y is None or x != y:
        return False
    return bool(x) or math.copysign(1, x) == math.copysign(1, y)
