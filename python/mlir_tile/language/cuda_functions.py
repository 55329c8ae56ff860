# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA's built-in device functions by their names: what T.call_extern and T.import_source call.

`function_of(name)` gives a function of values, or None. Each is built from what the language has,
so that it runs on every target.
"""

from . import cuda_warps, mathematics, rounding, votes
from .builder import current
from .dtypes import dtype
from .float_functions import FLOAT_FUNCTIONS
from .mathematics import popcount, reinterpret
from .values import Const, as_value, binary, cast, compare, number_of, select, type_of, unary
from .vectors import Lanes, lane_of

_I32, _U32, _I64, _U64 = (dtype(x) for x in ("int32", "uint32", "int64", "uint64"))
_F16, _BF16, _F32, _F64 = (dtype(x) for x in ("float16", "bfloat16", "float32", "float64"))
_MODES = ("rn", "rz", "ru", "rd")
_WHOLE = {"rn": "roundeven", "rz": "trunc", "ru": "ceil", "rd": "floor"}
# What CUDA calls the types in names of conversions.
_FLOATS = {"half": _F16, "bfloat16": _BF16, "float": _F32, "double": _F64}
_INTEGERS = {
    "int": _I32, "uint": _U32, "ll": _I64, "ull": _U64, "short": dtype("int16"),
    "ushort": dtype("uint16"), "char": dtype("int8"), "uchar": dtype("uint8"),
}  # fmt: skip
_BITS = {**_INTEGERS, **_FLOATS, "longlong": _I64}

_table = {}


def function_of(name):
    """The device function of a name: takes values and numbers, gives a value (or None)."""
    if not _table:
        for part in (_integers, _conversions, _floats, _halves):
            _table.update(part())
        _table.update(cuda_warps.table())
    return _table.get(name)


def _of(kinds, function):
    """A function whose arguments are converted to types first, as C does."""

    def converted(*given):
        if len(given) != len(kinds):
            raise TypeError(f"it takes {len(kinds)} arguments, got {len(given)}")
        return function(*(cast(x, kind) for x, kind in zip(given, kinds, strict=True)))

    return converted


def _number(value, kind):
    return Const(value, kind)


def _shr(value, count):
    return binary("shr", value, cast(count, type_of(value)))


def _shl(value, count):
    return binary("shl", value, cast(count, type_of(value)))


# Integers.
def _reversed_bits(x):
    kind, step = type_of(x), type_of(x).bits // 2
    while step:
        ones = sum(1 << i for i in range(kind.bits) if not i // step % 2)
        mask = _number(ones, kind)
        low = _shl(binary("and", x, mask), step)
        x = binary("or", binary("and", _shr(x, step), mask), low)
        step //= 2
    return x


def _bytes_chosen(x, y, selector):
    whole = binary("or", cast(x, _U64), _shl(cast(y, _U64), 32))
    found = _number(0, _U32)
    for i in range(4):
        place = binary("and", _shr(selector, 4 * i), _number(7, _U32))
        byte = binary("and", _shr(whole, cast(_shl(place, 3), _U64)), _number(255, _U64))
        found = binary("or", found, _shl(cast(byte, _U32), 8 * i))
    return found


def _funnel(left, clamped):
    def function(low, high, count):
        if clamped:
            count = binary("min", count, _number(32, _U32))
        else:
            count = binary("and", count, _number(31, _U32))
        both = binary("or", cast(low, _U64), _shl(cast(high, _U64), 32))
        if left:
            return cast(_shr(_shl(both, count), 32), _U32)
        return cast(_shr(both, count), _U32)

    return function


def _high(kind, wide):
    def function(x, y):
        product = binary("mul", cast(x, wide), cast(y, wide))
        return cast(_shr(product, kind.bits), kind)

    return function


def _high_of_64(x, y):
    """The high half of a product of 64 bits by 64: sums of four products of 32 by 32."""
    mask = _number(0xFFFFFFFF, _U64)
    xl, xh, yl, yh = binary("and", x, mask), _shr(x, 32), binary("and", y, mask), _shr(y, 32)
    middle = binary("add", binary("mul", xh, yl), _shr(binary("mul", xl, yl), 32))
    other = binary("add", binary("mul", xl, yh), binary("and", middle, mask))
    high = binary("add", binary("mul", xh, yh), _shr(middle, 32))
    return binary("add", high, _shr(other, 32))


def _signed_high_of_64(x, y):
    a, b = cast(x, _U64), cast(y, _U64)
    zero = _number(0, _U64)
    high = _high_of_64(a, b)
    high = binary("sub", high, select(compare("lt", x, 0), b, zero))
    return cast(binary("sub", high, select(compare("lt", y, 0), a, zero)), _I64)


def _dot_of_bytes(a, b, c):
    """c + the products of four bytes; unsigned where all three arguments are."""
    unsigned = all(type_of(as_value(x)).is_unsigned for x in (a, b, c))
    byte, kind = (dtype("uint8"), _U32) if unsigned else (dtype("int8"), _I32)
    a, b, total = cast(a, _U32), cast(b, _U32), cast(c, kind)
    for i in range(4):
        parts = (cast(cast(_shr(x, 8 * i), byte), kind) for x in (a, b))
        total = binary("add", total, binary("mul", *parts))
    return total


def _average(kind, wide, up):
    def function(x, y):
        total = binary("add", cast(x, wide), cast(y, wide))
        return cast(_shr(binary("add", total, _number(up, wide)), 1), kind)

    return function


def _distance(kind):
    def function(x, y, z):
        less = compare("lt", x, y)
        apart = select(less, binary("sub", y, x), binary("sub", x, y))
        return binary("add", cast(apart, _U32), z)

    return _of((kind, kind, _U32), function)


def _low_24(kind):
    def function(x, y):
        parts = (_shr(_shl(z, _number(8, kind)), _number(8, kind)) for z in (x, y))
        return binary("mul", *parts)

    return _of((kind, kind), function)


def _integers():
    """Functions of integers."""
    table = {
        "__byte_perm": _of((_U32,) * 3, _bytes_chosen),
        "__mulhi": _of((_I32,) * 2, _high(_I32, _I64)),
        "__umulhi": _of((_U32,) * 2, _high(_U32, _U64)),
        "__umul64hi": _of((_U64,) * 2, _high_of_64),
        "__mul64hi": _of((_I64,) * 2, _signed_high_of_64),
        "__mul24": _low_24(_I32),
        "__umul24": _low_24(_U32),
        "__dp4a": _dot_of_bytes,
        "__sad": _distance(_I32),
        "__usad": _distance(_U32),
        "__rhadd": _of((_I32,) * 2, _average(_I32, _I64, 1)),
        "__uhadd": _of((_U32,) * 2, _average(_U32, _U64, 0)),
        "__urhadd": _of((_U32,) * 2, _average(_U32, _U64, 1)),
        "__fns": votes.__fns,
        "abs": lambda x: unary("abs", x),
        "min": lambda x, y: binary("min", x, y),
        "max": lambda x, y: binary("max", x, y),
    }
    for tail, kind in (("", _U32), ("ll", _U64)):
        table["__popc" + tail] = _of((kind,), lambda x: cast(popcount(x), _I32))
        table["__clz" + tail] = _of((kind,), mathematics.clz)
        table["__ffs" + tail] = _of((kind,), votes.__ffs)
        table["__brev" + tail] = _of((kind,), _reversed_bits)
    for side in "lr":
        for tail in ("", "c"):
            function = _funnel(side == "l", bool(tail))
            table[f"__funnelshift_{side}{tail}"] = _of((_U32,) * 3, function)
    for name in ("min", "max"):
        for front, kind in (("u", _U32), ("ll", _I64), ("ull", _U64)):
            table[front + name] = _of((kind, kind), lambda x, y, n=name: binary(n, x, y))
    return table


# Conversions.
def _rounded(kind, mode):
    """A float in a narrower type: rounded to the nearest, then moved where the mode wants the other
    side."""

    def function(x):
        near = cast(x, kind)
        if mode == "rn" or type_of(x).bits <= kind.bits:
            return near
        if number_of(x) is not None:  # a number is folded unrounded
            x = current("T.call_extern").define("number", x)
            near = cast(x, kind)
        back, word = cast(near, type_of(x)), dtype(f"uint{kind.bits}")
        bits, one = reinterpret(near, word), Const(1, word)
        less, more = binary("sub", bits, one), binary("add", bits, one)
        if mode == "rz":
            beyond = compare("gt", unary("abs", back), unary("abs", x))
            return reinterpret(select(beyond, less, bits), kind)
        negative = compare("ne", _shr(bits, Const(kind.bits - 1, word)), Const(0, word))
        if mode == "ru":
            beyond, moved = compare("lt", back, x), select(negative, less, more)
        else:
            beyond, moved = compare("gt", back, x), select(negative, more, less)
        return reinterpret(select(beyond, moved, bits), kind)

    return function


def _to_integer(kind, mode):
    """A float as an integer: the nearest one in the type's range, zero of what is no number."""

    def function(x):
        x = x if type_of(x).bits >= 32 else cast(x, _F32)
        x = getattr(mathematics, "nearbyint" if mode == "rn" else _WHOLE[mode])(x)
        low = 0 if kind.is_unsigned else -(1 << (kind.bits - 1))
        high = (1 << (kind.bits if kind.is_unsigned else kind.bits - 1)) - 1
        made = cast(x, kind)
        made = select(compare("ge", x, Const(float(high + 1), type_of(x))), Const(high, kind), made)
        made = select(compare("le", x, Const(float(low), type_of(x))), Const(low, kind), made)
        return select(compare("ne", x, x), Const(0, kind), made)

    return function


def _from_integer(kind, mode):
    """An integer as a float; only what float64 holds exactly is rounded in another mode."""

    def function(x):
        return cast(x, kind) if mode == "rn" else _rounded(kind, mode)(cast(x, _F64))

    return function


def _as(kind):
    return lambda x: reinterpret(x, kind)


def _pair(kind):
    return lambda x, y: Lanes([cast(x, kind), cast(y, kind)])


def _lane(lane, kind):
    return lambda x: cast(lane_of(as_value(x), lane), kind)


def _between(source, target):
    """Conversions of one type to another: {tail of the name: function}."""
    have, want = _BITS[source], _BITS[target]
    for mode in _MODES:
        if not have.is_float:
            # float64 holds integers of 32 bits; rounding twice would be wrong elsewhere.
            exact = mode == "rn" or (have.bits <= 32 and want.bits >= 32)
            made = _from_integer(want, mode) if exact else None
        elif want.is_float:
            made = _rounded(want, mode)
        else:
            made = _to_integer(want, mode)
        if made is not None:
            yield "_" + mode, _of((have,), made)
            if mode == "rn" and want.is_float:
                yield "", _of((have,), made)


def _conversions():
    """Conversions of floats and integers, and of their bits."""
    table = {}
    for source in (*_FLOATS, *_INTEGERS):
        for target in (*_FLOATS, *_INTEGERS):
            if source != target and (source in _FLOATS or target in _FLOATS):
                for tail, function in _between(source, target):
                    table[f"__{source}2{target}{tail}"] = function
    for source, kind in _BITS.items():
        for target, want in _BITS.items():
            one_is_float = kind.is_float != want.is_float
            if one_is_float and kind.bits == want.bits:
                table[f"__{source}_as_{target}"] = _of((kind,), _as(want))
    for name, kind in (("half", _F16), ("bfloat16", _BF16)):
        short = "half2" if name == "half" else "bfloat162"
        table[f"__float2{short}_rn"] = lambda x, k=kind: _pair(k)(x, x)
        table[f"__floats2{short}_rn"] = _pair(kind)
        table[f"__{name}2{short}"] = lambda x, k=kind: _pair(k)(x, x)
        table[f"__halves2{short}"] = _pair(kind)
        for lane, side in enumerate(("low", "high")):
            table[f"__{side}2{name}"] = _lane(lane, kind)
    table["__low2float"], table["__high2float"] = _lane(0, _F32), _lane(1, _F32)
    return table


# Floats.
_IEEE = {
    "add": ("ieee_add", 2), "sub": ("ieee_sub", 2), "mul": ("ieee_mul", 2), "div": ("ieee_fdiv", 2),
    "rcp": ("ieee_frcp", 1), "sqrt": ("ieee_fsqrt", 1),
}  # fmt: skip


def _ieee(name, count, kind, mode):
    function = getattr(rounding, name)
    return _of((kind,) * count, lambda *x: function(*x, rounding_mode=mode))


def _sign_bit(x):
    return _shr(reinterpret(x, dtype(f"uint{type_of(x).bits}")), type_of(x).bits - 1)


def _saturated(x):
    inside = binary("min", binary("max", x, _number(0.0, _F32)), _number(1.0, _F32))
    return select(compare("ne", x, x), _number(0.0, _F32), inside)


def _above(x, y):
    zero = Const(0.0, type_of(x))
    return select(compare("le", x, y), zero, binary("sub", x, y))


def _floats():
    """Functions of float32 (a name that ends in f) and of float64."""
    table = {"__saturatef": _of((_F32,), _saturated)}
    one = {x: getattr(mathematics, x) for x in FLOAT_FUNCTIONS}
    one.update(rint=mathematics.nearbyint, nearbyint=mathematics.nearbyint)
    one.update(fabs=mathematics.abs, exp10=mathematics.exp10)
    two = {x: getattr(mathematics, x) for x in ("pow", "hypot", "atan2", "copysign", "fmod")}
    two.update(fmin=mathematics.min, fmax=mathematics.max, fdim=_above)
    two["fdivide"] = lambda x, y: binary("div", x, y)
    for kind, tail in ((_F32, "f"), (_F64, "")):
        for name, function in one.items():
            table[name + tail] = _of((kind,), function)
        for name, function in two.items():
            table[name + tail] = _of((kind,) * 2, function)
        table["fma" + tail] = _of((kind,) * 3, mathematics.fma)
        table["ldexp" + tail] = _of((kind, _I32), votes.ldexp)
        front = "f" if tail else "d"
        for name, (function, count) in _IEEE.items():
            for mode in _MODES:
                table[f"__{front}{name}_{mode}"] = _ieee(function, count, kind, mode)
        for mode in _MODES:
            table[f"__fma{tail}_{mode}"] = _ieee("ieee_fmaf", 3, kind, mode)
    table["nextafterf"] = _of((_F32,) * 2, votes.nextafter)
    table["__frsqrt_rn"] = _of((_F32,), mathematics.rsqrt)
    for name in ("exp", "exp10", "log", "log2", "log10", "sin", "cos", "tan", "tanh"):
        table[f"__{name}f"] = table[name + "f"]
    for name in ("pow", "fdivide"):
        table[f"__{name}f"] = table[name + "f"]
    for name in ("isnan", "isinf", "isfinite"):
        table[name] = lambda x, f=getattr(mathematics, name): cast(f(as_value(x)), _I32)
    table["signbit"] = lambda x: cast(_sign_bit(as_value(x)), _I32)
    return table


# Halves, and pairs of them.
def _half_or_average(x, y):
    """__hadd is the sum of two halves, or the average of two integers."""
    if type_of(as_value(x)).is_float:
        return binary("add", x, y)
    return _average(_I32, _I64, 0)(x, y)


def _halves():
    """Functions of float16 and bfloat16; those of a name with a 2 work on pairs."""
    two = {x: lambda a, b, n=x: binary(n, a, b) for x in ("add", "sub", "mul", "div", "max", "min")}
    one = {"neg": lambda x: unary("neg", x), "abs": lambda x: unary("abs", x)}
    table = {}
    for name, function in {**one, **two, "fma": mathematics.fma}.items():
        table[f"__h{name}"] = table[f"__h{name}2"] = function
    table["__hadd"] = _half_or_average
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        table[f"__h{name}"] = lambda x, y, n=name: cast(compare(n, x, y), "bool")
    table["__hisnan"] = lambda x: cast(mathematics.isnan(as_value(x)), "bool")
    for name in ("exp", "exp2", "log", "log2", "log10", "sqrt", "rsqrt", "sin", "cos", "tanh"):
        table[f"h{name}"] = table[f"h2{name}"] = getattr(mathematics, name)
    for name in ("ceil", "floor", "trunc"):
        table[f"h{name}"] = table[f"h2{name}"] = getattr(mathematics, name)
    table["hrint"] = table["h2rint"] = mathematics.nearbyint
    table["hrcp"] = table["h2rcp"] = mathematics.fast_rcp
    table["hexp10"] = table["h2exp10"] = mathematics.exp10
    return table
