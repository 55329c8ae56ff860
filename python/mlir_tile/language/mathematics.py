# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of values: elementary functions, casts, conditions, bits."""

import math as _math

from mlir_tile.errors import ArgumentError

from .dtypes import dtype as element_type
from .errors import fail
from .float_functions import FLOAT_FUNCTIONS
from .loop import ceildiv
from .statements import Assume, Tile
from .values import (
    BOOL,
    FLOAT32,
    Const,
    Expr,
    Load,
    Op,
    Variable,
    as_value,
    binary,
    compare,
    describe,
    number_of,
    power,
    promote,
    select,
    truth,
    type_of,
    unary,
    walk,
)
from .values import (
    cast as _cast,
)
from .vectors import lane_count as _lane_count
from .vectors import reinterpreted as _reinterpreted


def _float_function(name):
    def function(x, *_, **__):
        x = as_value(x)
        if isinstance(x, Expr) and x.dtype.is_float:
            return Op(name, (x,), x.dtype)
        kind = type_of(x)
        if kind.is_integer and name in ("ceil", "floor", "trunc", "round") and isinstance(x, Expr):
            return x
        return Op(name, (_cast(x, FLOAT32),), FLOAT32)

    function.__name__ = name
    function.__doc__ = f"{name} of a value, in its type."
    return function


for _name in FLOAT_FUNCTIONS:
    globals()[_name] = _float_function(_name)

nearbyint = _float_function("roundeven")
__exp, __log, __log2, __log10, __sin, __cos, __tan = (
    _float_function(x) for x in ("exp", "log", "log2", "log10", "sin", "cos", "tan")
)


def exp10(x):
    """10 to the power of x, in its type; of an integer in float32."""
    x = as_value(x)
    have = type_of(x)
    kind = have if have is element_type("float64") else FLOAT32
    x = _cast(x, kind)
    # 2^(whole + rest), where the product's rounding and what the factor lacks are the rest.
    factor = float(_LOG2_10[0]) if kind.bits == 64 else _LOG2_10[1]
    lacks = _LOG2_10[2] if kind.bits == 64 else _math.log2(10.0) - _LOG2_10[1]
    whole = binary("mul", x, Const(factor, kind))
    rest = fma(x, Const(factor, kind), unary("neg", whole))
    rest = fma(x, Const(lacks, kind), rest)
    power = globals()["exp2"](whole)
    exact = fma(power, binary("mul", rest, Const(_math.log(2.0), kind)), power)
    # Without a rest where there is none: of infinities, and where the power is one or zero.
    few = binary("and", power < _math.inf, power > 0.0)
    result = select(few, exact, power)
    return result if have is kind or not have.is_float else _cast(result, have)


# log2(10) in float64, in float32, and what the first lacks.
_LOG2_10 = (_math.log2(10.0), 3.3219280242919922, 1.661617516973592e-16)
__exp10 = exp10


def sigmoid(x):
    """1 / (1 + exp(-x))"""
    x = as_value(x)
    one = Const(1.0, type_of(x)) if type_of(x).is_float else 1.0
    return binary("div", one, binary("add", one, globals()["exp"](unary("neg", x))))


def pow(x, y):
    """x to the power of y."""
    return power(x, y)


def hypot(x, y):
    return globals()["sqrt"](as_value(x) * as_value(x) + as_value(y) * as_value(y))


def atan2(y, x):
    return _two("atan2", y, x)


def copysign(x, y):
    return _two("copysign", x, y)


def _two(name, x, y):
    kind = promote(as_value(x), as_value(y))
    kind = kind if kind.is_float else FLOAT32
    return Op(name, (_cast(x, kind), _cast(y, kind)), kind)


def fma(x, y, z):
    kind = promote(promote_value(x, y), as_value(z))
    return Op("fma", (_cast(x, kind), _cast(y, kind), _cast(z, kind)), kind)


def promote_value(x, y):
    """A value of the type in which two others meet."""
    return Const(0, promote(as_value(x), as_value(y)))


def max(x, y):  # noqa: A001 - TileLang's name
    """The greater of two values (of a NaN and a number, the number)."""
    return binary("max", x, y)


def min(x, y):  # noqa: A001 - TileLang's name
    """The smaller of two values (of a NaN and a number, the number)."""
    return binary("min", x, y)


def abs(x):  # noqa: A001 - TileLang's name
    return unary("abs", x)


def clamp(x, min_val, max_val):
    """x, but at least `min_val` and at most `max_val`: min(max(x, min_val), max_val)."""
    x, low, high = (as_value(value) for value in (x, min_val, max_val))
    kind, least = type_of(x), number_of(low)
    if kind.is_unsigned and least is not None and least < 0:
        low = Const(0, kind)  # which is what the type's numbers are at least
    return binary("min", binary("max", x, _bound(low, kind)), _bound(high, kind))


def _bound(value, kind):
    """A bound in the type of what it bounds, where that is a number in its range; else as it is."""
    number = number_of(value)
    if number is None or kind.is_integer and isinstance(number, float):
        return value
    if kind.is_float and kind.bits >= 16 and not _math.isfinite(number):
        return _cast(value, kind)
    low, high = (_limit(kind, sign).value if _has_limit(kind) else None for sign in (-1, 1))
    return _cast(value, kind) if low is None or low <= number <= high else value


def floordiv(a, b):
    return binary("floordiv", a, b)


def floormod(a, b):
    return binary("mod", a, b)


indexdiv, indexmod = floordiv, floormod


def truncdiv(a, b):
    return binary("truncdiv", a, b)


def truncmod(a, b):
    a, b = as_value(a), as_value(b)
    if promote(a, b).is_float:
        return _two("rem", a, b)
    return binary("sub", a, binary("mul", binary("truncdiv", a, b), b))


def div(a, b):
    return binary("div", a, b)


def fmod(a, b):
    return _two("rem", a, b)


def add(a, b):
    return binary("add", a, b)


def subtract(a, b):
    return binary("sub", a, b)


def multiply(a, b):
    return binary("mul", a, b)


def bitwise_and(a, b):
    return binary("and", a, b)


def bitwise_or(a, b):
    return binary("or", a, b)


def bitwise_xor(a, b):
    return binary("xor", a, b)


def bitwise_not(a):
    return unary("not", a)


def shift_left(a, b):
    return binary("shl", a, b)


def shift_right(a, b):
    return binary("shr", a, b)


def popcount(x):
    return _bits_of("ctpop", "T.popcount", x)


def clz(x):
    return _cast(_bits_of("ctlz", "T.clz", x), "int32")


def _bits_of(name, function, x):
    x = as_value(x)
    if type_of(x).is_float:
        fail(f"{function}: expected an integer, got {describe(x)}; T.reinterpret gives its bits")
    return Op(name, (x,), type_of(x))


def cast(value, dtype=None, *_):
    """A value in another type (TileLang takes the arguments in both orders)."""
    if isinstance(value, (str, type)) and not isinstance(dtype, (str, type)):
        value, dtype = dtype, value
    if element_type(dtype).lanes > 1:
        return element_type(dtype)(value)
    return _cast(value, dtype)


Cast = cast


def reinterpret(value, dtype=None, *_):
    """The same bits as another type of the same width."""
    if isinstance(value, (str, type)) or (
        dtype is not None and not isinstance(dtype, (str, type)) and isinstance(value, element_type)
    ):
        value, dtype = dtype, value
    value, kind = as_value(value), element_type(dtype)
    if kind.lanes > 1 or _lane_count(value) > 1:
        return _reinterpreted(value, kind)
    have = type_of(value)
    if have is kind:
        return value
    if have.bits != kind.bits:
        fail(f"T.reinterpret: {have} has {have.bits} bits, {kind} has {kind.bits}")
    if not isinstance(value, Expr):
        value = Const(value, have)
    return Op("bitcast", (value,), kind)


def if_then_else(condition, yes, no, *_, **__):
    """`yes` where the condition holds, else `no`; only what is taken is read."""
    known = truth(condition)
    if not isinstance(known, Expr):
        return as_value(yes) if known else as_value(no)
    return select(known, yes, no)


def Select(condition, true_value, false_value, span=None):
    return if_then_else(condition, true_value, false_value)


def infinity(dtype="float32"):
    kind = element_type(dtype)
    return Const(_math.inf, kind)


def max_value(dtype):
    """The greatest finite number of a type."""
    return _limit(element_type(dtype), 1)


def min_value(dtype):
    """The least finite number of a type."""
    return _limit(element_type(dtype), -1)


_LARGEST = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
    "float8_e4m3fn": 448.0,
    "float8_e5m2": 57344.0,
    "float4_e2m1fn": 6.0,
}


def _has_limit(kind):
    return kind.is_integer and not kind.is_bool or str(kind) in _LARGEST


def _limit(kind, sign):
    if kind.is_float:
        return Const(sign * _LARGEST[str(kind)], kind)
    if kind.is_unsigned:
        return Const((1 << kind.bits) - 1 if sign > 0 else 0, kind)
    return Const((1 << (kind.bits - 1)) - 1 if sign > 0 else -(1 << (kind.bits - 1)), kind)


def isnan(x):
    return compare("ne", x, x) if number_of(x) is None else _math.isnan(x)


def isinf(x):
    x = as_value(x)
    return compare("eq", unary("abs", x), Const(_math.inf, type_of(x)))


def isfinite(x):
    x = as_value(x)
    return compare("lt", unary("abs", x), Const(_math.inf, type_of(x)))


def likely(condition):
    return condition


def assume(condition):
    """A promise; one about sizes and scalar arguments is checked with each call. Accesses that are
    inside by what is promised have no condition of their own."""
    from .builder import current_or_none

    builder, known = current_or_none(), truth(condition)
    if not isinstance(known, Expr):
        if not known:
            fail("the assumption is false whenever the kernel runs")
        return
    symbols = [x for x in walk(known) if type(x) not in (Op, Const)]
    kinds = {x.kind if type(x) is Variable else "computed" for x in symbols}
    if builder is None or not symbols:
        return
    if kinds <= {"dynamic", "scalar"}:
        builder.promises.append(known)
    elif builder.block is not None:
        builder.add(Assume(known))


def assume_rows(first, end, rows):
    """A promise about fragments with `rows` rows (their first extent): what follows in the block of statements that this
    stands in, mostly an iteration, matters for rows from `first` on, in front of `end`; nothing depends on what it does
    to others. Warps that hold no such rows may skip it. In attention over blocks of keys, for queries that see none of a
    block's keys: ``T.assume_rows(k * block_N - by * block_M, block_M, block_M)``.

    `first` and `end` are integers, known or not, also below 0 or beyond `rows`; `rows` is known. A false promise gives
    wrong results, which is what comparing the targets "cpu", which skips nothing, and "cuda" shows. TileLang has no
    such function.
    """
    from .builder import current

    known = number_of(as_value(rows))
    if known is None or known < 1:
        fail(f"T.assume_rows: expected a known number of rows, at least 1, got {rows}")
    current().add(Tile("assume_rows", first=as_value(first), end=as_value(end), rows=int(known)))


def And(*values):
    result = truth(values[0])
    for x in values[1:]:
        result = (
            binary("and", result, truth(x))
            if isinstance(result, Expr)
            else (truth(x) if result else False)
        )
    return result


def Or(*values):
    result = truth(values[0])
    for x in values[1:]:
        result = (
            binary("or", result, truth(x))
            if isinstance(result, Expr)
            else (True if result else truth(x))
        )
    return result


logical_and, logical_or = And, Or
all, any = And, Or  # noqa: A001 - TileLang's names


def Not(x):
    known = truth(x)
    return unary("not", known) if isinstance(known, Expr) else not known


logical_not = Not


def const_value(value, dtype=None):
    """A number of a type."""
    return _cast(value, dtype) if dtype is not None else value


def index_to_coordinates(index, shape):
    """The coordinates of a row-major number in a shape."""
    result, index = [], as_value(index)
    for size in reversed(list(shape)):
        result.insert(0, binary("mod", index, size))
        index = binary("floordiv", index, size)
    return result


def fast_rcp(x):
    x = as_value(x)
    return binary("div", Const(1.0, type_of(x)), x)


def _packed(name, count):
    """An operation on pairs of elements (T.Ramp): it is made for each of them."""

    def function(*values):
        if len(values) != count:
            fail(f"T.{name}2 takes {count} values, got {len(values)}")
        kinds = {str(type_of(as_value(x))) for x in values}
        if len(kinds) > 1:
            raise ArgumentError(
                f"T.{name}2 takes values of the same dtype, got {', '.join(sorted(kinds))}"
            )
        if count == 1:
            return unary(name, values[0])
        return fma(*values) if count == 3 else binary(name, *values)

    function.__name__ = f"{name}2"
    function.__doc__ = f"{name} of pairs of elements."
    return function


add2, sub2, mul2, max2, min2 = (_packed(x, 2) for x in ("add", "sub", "mul", "max", "min"))
fma2, abs2 = _packed("fma", 3), _packed("abs", 1)


def _element(value, name, bits):
    """An element of an integer of so many bits; of a buffer or a region the first one."""
    if hasattr(value, "offsets"):
        value = Load(value.buffer, value.offsets)
    elif hasattr(value, "shape") and hasattr(value, "space"):
        value = Load(value, (0,) * len(value.shape))
    if type(value) is not Load or not value.dtype.is_integer or value.dtype.bits != bits:
        fail(f"T.dp4a expects an element of an integer of {bits} bits as {name}, got {value!r}")
    return value


def dp4a(a, b, c):
    """Adds to the element `c` (int32 or uint32) the products of four elements (int8 or uint8) from
    the element `a` on and four from `b` on, along the last dimension."""
    first, second, total = (
        _element(value, name, bits) for value, name, bits in ((a, "a", 8), (b, "b", 8), (c, "c", 32))
    )
    result = total
    for i in range(4):
        parts = (
            _cast(x.buffer[(*x.indices[:-1], binary("add", x.indices[-1], i))], total.dtype)
            for x in (first, second)
        )
        result = binary("add", result, binary("mul", *parts))
    total.buffer[tuple(total.indices)] = result


__all_ceildiv__ = ceildiv
TRUTH = BOOL
