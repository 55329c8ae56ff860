# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes of expressions: numbers of a type, variables, operations, elements, named values."""

import operator

from .dtypes import dtype
from .errors import ValueUseError, called_by_package, fail, here

INT32, INT64, FLOAT32, BOOL = dtype("int32"), dtype("int64"), dtype("float32"), dtype("bool")
NUMBERS = (int, float, bool)


class Expr:
    """A value that the kernel computes."""

    __slots__ = ("dtype",)

    def __add__(self, other):
        return arithmetic.binary("add", self, other)

    def __radd__(self, other):
        return arithmetic.binary("add", other, self)

    def __sub__(self, other):
        return arithmetic.binary("sub", self, other)

    def __rsub__(self, other):
        return arithmetic.binary("sub", other, self)

    def __mul__(self, other):
        return arithmetic.binary("mul", self, other)

    def __rmul__(self, other):
        return arithmetic.binary("mul", other, self)

    def __truediv__(self, other):
        return arithmetic.true_division(self, other)

    def __rtruediv__(self, other):
        return arithmetic.true_division(other, self)

    def __floordiv__(self, other):
        return arithmetic.binary("floordiv", self, other)

    def __rfloordiv__(self, other):
        return arithmetic.binary("floordiv", other, self)

    def __mod__(self, other):
        return arithmetic.binary("mod", self, other)

    def __rmod__(self, other):
        return arithmetic.binary("mod", other, self)

    def __pow__(self, other):
        return arithmetic.power(self, other)

    def __rpow__(self, other):
        return arithmetic.power(other, self)

    def __and__(self, other):
        return arithmetic.binary("and", self, other)

    def __rand__(self, other):
        return arithmetic.binary("and", other, self)

    def __or__(self, other):
        return arithmetic.binary("or", self, other)

    def __ror__(self, other):
        return arithmetic.binary("or", other, self)

    def __xor__(self, other):
        return arithmetic.binary("xor", self, other)

    def __rxor__(self, other):
        return arithmetic.binary("xor", other, self)

    def __lshift__(self, other):
        return arithmetic.binary("shl", self, other)

    def __rlshift__(self, other):
        return arithmetic.binary("shl", other, self)

    def __rshift__(self, other):
        return arithmetic.binary("shr", self, other)

    def __rrshift__(self, other):
        return arithmetic.binary("shr", other, self)

    def __neg__(self):
        return arithmetic.unary("neg", self)

    def __pos__(self):
        return arithmetic.as_value(self)

    def __invert__(self):
        return arithmetic.unary("not", self)

    def __abs__(self):
        return arithmetic.unary("abs", self)

    def __lt__(self, other):
        return arithmetic.compare("lt", self, other)

    def __le__(self, other):
        return arithmetic.compare("le", self, other)

    def __gt__(self, other):
        return arithmetic.compare("gt", self, other)

    def __ge__(self, other):
        return arithmetic.compare("ge", self, other)

    def __eq__(self, other):
        return arithmetic.compare("eq", self, other)

    def __ne__(self, other):
        return arithmetic.compare("ne", self, other)

    def __hash__(self):
        return id(self) >> 4

    def __bool__(self):
        return no_truth(self)

    def __index__(self, *_):
        fail(
            "a value of the kernel is used where Python needs a number; it is known only when the"
            " kernel runs (`for i in range(...)` is a loop of the kernel: to index a list of Python's,"
            " loop over the list, or over enumerate of it; int(x), float(x) and round(x) are"
            " T.cast and T.round in a kernel)",
            kind=ValueUseError,
        )

    __int__ = __float__ = __round__ = __index__

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __iter__(self):
        return no_iteration(self)

    def astype(self, kind):
        return arithmetic.cast(self, kind)

    def equal(self, other):
        return arithmetic.compare("eq", self, other)


def no_iteration(value):
    """Python asked for the items of a value or a buffer. Without this error it would try one index
    after the other, and never end."""
    fail(
        f"expected a list, a tuple or a range to go over, got {value!r}, whose elements are known"
        " only when the kernel runs; name them by an index, as in x[i], in a loop over T.serial or"
        " T.Parallel"
    )


def no_truth(value):
    """Python asked for the truth of a value that only the kernel knows."""
    fail(
        "a value of the kernel has no truth value in Python; use it in an `if`, `and`, `or` of a"
        " kernel "
        "function or a macro (which are rewritten; lambdas, comprehensions and `match` are not), or"
        " in T.if_then_else",
        kind=ValueUseError,
    )


class Const(Expr):
    """A number with an element type of its own."""

    __slots__ = ("value",)

    def __init__(self, value, kind):
        self.value, self.dtype = value, kind

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __round__(self, digits=None):
        return round(self.value, digits)

    def __repr__(self):
        return f"{self.dtype}({self.value})"


class Variable(Expr):
    """A name: a size (`dynamic`, `const`), a scalar argument, an index of a loop, block or thread.

    `low` and `high` bound an index, both included; None is unknown.
    """

    __slots__ = ("name", "kind", "location", "low", "high")

    def __init__(self, name, kind, of=INT32, low=None, high=None):
        self.name, self.kind, self.dtype = name, kind, of
        self.low, self.high = low, high
        self.location = here() if kind not in ("block", "thread") else None

    def __repr__(self):
        return self.name

    @property
    def var(self):
        return self

    def __iter__(self):
        """`with T.Kernel(n) as (bx,)`: the one index of a grid."""
        if self.kind != "block":
            fail(f"cannot unpack {self.name}, which is one value")
        yield self

    @property
    def orig_name(self):
        return self.name


class Op(Expr):
    """An operation on values: `name` is a key of the emitter's tables."""

    __slots__ = ("name", "args")

    def __init__(self, name, args, kind):
        self.name, self.args, self.dtype = name, args, kind

    def __bool__(self):
        if self.name not in ("eq", "ne"):
            return no_truth(self)
        a, b = self.args
        found = arithmetic.same(a, b)
        # Of the same tree it is known, but of floats, one of which does not equal itself. Others
        # may be equal when the kernel runs. This package compares extents and offsets with `==`,
        # there as the trees that they are.
        if not found or arithmetic.type_of(a).is_float:
            if not called_by_package():
                return no_truth(self)
        return found == (self.name == "eq")

    def __repr__(self):
        signs = {
            "add": "+",
            "sub": "-",
            "mul": "*",
            "div": "/",
            "floordiv": "//",
            "mod": "%",
            "lt": "<",
            "le": "<=",
            "gt": ">",
            "ge": ">=",
            "eq": "==",
            "ne": "!=",
        }
        if self.name in signs:
            return f"({self.args[0]!r} {signs[self.name]} {self.args[1]!r})"
        return f"{self.name}({', '.join(map(repr, self.args))})"


class Load(Expr):
    """An element of a buffer: a value where it is read, a place where something is copied to or
    from."""

    __slots__ = ("buffer", "indices")

    def __init__(self, buffer, indices):
        self.buffer, self.indices, self.dtype = buffer, indices, buffer.dtype

    def __repr__(self):
        return f"{self.buffer.name}[{', '.join(map(repr, self.indices))}]"

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        return self.buffer[tuple(self.indices) + key]


class Let(Expr):
    """A value that was computed at its statement, under a name."""

    __slots__ = ("name", "value", "location")

    def __init__(self, name, value):
        self.name, self.value, self.dtype, self.location = name, value, value.dtype, here()

    def __repr__(self):
        return self.name


# Operators are functions of that module, which needs these classes.
from . import arithmetic  # noqa: E402
