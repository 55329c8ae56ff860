# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands that are read in Python's order: from left to right.

A value is a tree, and a statement that uses it reads its elements. So in `A[0] + T.atomic_add(...)`
the update would come first. Where an operand further right makes statements that write what an
operand further left reads, the left one gets a name in front of these statements.
"""

import operator
import types
from collections import deque

from .arithmetic import as_value, type_of
from .buffers import Buffer, Region
from .statements import Alloc, Assign, Assume, Define, For, If, Store, Tile, While
from .values import NUMBERS, Const, Expr, Load, Op, reads_memory, walk

OPERATORS = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "BitOr": operator.or_,
    "BitAnd": operator.and_,
    "BitXor": operator.xor,
    "MatMult": operator.matmul,
}
# Their functions take values; what others are given may be a place (T.copy, a function of the user's).
_OF_VALUES = tuple(f"{__package__}.{x}" for x in ("mathematics", "rounding", "vectors"))
_CONTAINERS = (list, dict, set, deque)


class Operands:
    """The part of the builder that keeps the order of operands."""

    def mark(self):
        """Where the statements of the next operand begin."""
        return None if self.block is None else (self.block, len(self.block))

    def before(self, value, mark, place=False):
        """An operand that was evaluated in front of `mark`: by its name where statements behind
        the mark write what it reads. `place`: a single element may stand for its place."""
        if mark is None or mark[0] is not self.block or len(self.block) == mark[1]:
            return value
        variable = isinstance(value, Buffer) and value.is_var
        if place and (variable or isinstance(value, Load)):
            return value
        if type(value) in (list, tuple):
            made = [self.before(x, mark, place) for x in value]
            return value if all(map(operator.is_, made, value)) else type(value)(made)
        if not variable and not (isinstance(value, Expr) and reads_memory(value)):
            return value
        block, first = mark
        read = {_root(x.buffer) for x in walk(as_value(value)) if isinstance(x, Load)}
        if not any(_changes(x, read) for x in block[first:]):
            return value
        behind = block[first:]
        del block[first:]
        value = self.read(value) if variable else self.named("_", value)
        block += behind
        return value

    def ordered(self, operation, left, mark, right):
        """`left + right`"""
        return self.operate(operation, self.before(left, mark), right)

    def compared(self, left, mark, right, compare):
        """`left < right`"""
        return compare(self.before(left, mark), right)

    def in_order(self, called, count, names, *values):
        """The arguments of a call, or the elements of a tuple (`called` is None): `values` are they
        with a mark behind each but the last. Gives `count` positional ones and those by names."""
        found = list(values[::2])
        for at in reversed(range(len(found) - 1)):
            place = called is not None and not _takes_value(called, at, count, names)
            found[at] = self.before(found[at], values[2 * at + 1], place)
        return found[:count], dict(zip(names, found[count:]))

    def operate(self, operation, a, b):
        return OPERATORS[operation](a, b)

    def hold(self, value):
        """A value that several targets take: it is computed once, in front of the first store."""
        return self.named("_", value) if isinstance(value, Expr) else value

    @staticmethod
    def attribute(value, name):
        """`T.int32(7).astype(...)`: a number of Python's answers what a value does. Sizes and
        indices that are known are such numbers, too."""
        return getattr(Const(value, type_of(value)) if type(value) in NUMBERS else value, name)

    def kept(self, called, value):
        """What a list, a dictionary or a set takes: what it reads is read now."""
        method = isinstance(called, types.BuiltinMethodType)
        if not method or not isinstance(called.__self__, _CONTAINERS) or self.block is None:
            return value
        if type(value) in (list, tuple, dict):
            return self.items(value)
        return self.named("_", value) if isinstance(value, Expr) else value

    def items(self, values):
        """A list, tuple or dictionary that a name is bound to: what it reads is read now."""
        if type(values) is dict:
            for key, value in values.items():
                values[key] = self.item(value)
            return values
        now = [self.item(x) for x in values]
        if isinstance(values, tuple):
            if all(map(operator.is_, now, values)):
                return values
            return getattr(values, "_make", tuple)(now)  # a named tuple stays one
        values[:] = now
        return values

    def item(self, value):
        if type(value) in (list, dict) or isinstance(value, tuple):
            return self.items(value)
        return self.named("_", value) if isinstance(value, Expr) else value


def _takes_value(called, at, count, names):
    """Whether an argument of a call is a value: an element is read, and not its place named."""
    from .functions import Macro

    if isinstance(called, Macro):
        return called.takes_value(at if at < count else names[at - count])
    return getattr(called, "__module__", None) in _OF_VALUES


def _root(buffer):
    while isinstance(buffer.base, Buffer):
        buffer = buffer.base
    return buffer


def _updates(value, read):
    """Whether a value is computed by an update of what is read."""
    for x in walk(value) if isinstance(value, Expr) else ():
        if type(x) is Op and x.name == "call":
            return True
        if type(x) is Op and x.name == "atomic" and not x.args[0].startswith("load"):
            if _root(x.args[1]) in read:
                return True
    return False


def _changes(statement, read):
    """Whether a statement may write one of these buffers, or orders accesses of memory."""
    kind = type(statement)
    if kind in (Alloc, Assume):
        return False
    if kind is Store:
        return _root(statement.buffer) in read or _updates(statement.value, read)
    if kind is Assign:
        return statement.variable in read or _updates(statement.value, read)
    if kind is Define:
        return _updates(statement.let.value, read)
    if kind is Tile:
        return statement.name not in ("print", "assert") and _tile_changes(statement, read)
    if kind in (If, While) and _updates(statement.condition, read):
        return True
    if kind is For and any(_updates(x, read) for x in (statement.start, *statement.extents)):
        return True
    return any(_changes(x, read) for block in statement.blocks for x in block)


def _tile_changes(statement, read):
    sides, memory = list(statement.operands.values()), False
    for x in sides:
        buffer = x if isinstance(x, Buffer) else getattr(x, "buffer", None)
        if isinstance(x, (Buffer, Region, Load)) and isinstance(buffer, Buffer):
            memory = True
            if _root(buffer) in read:
                return True
    if statement.name == "evaluate":
        return any(_updates(x, read) for x in sides)
    return not memory  # a barrier
