# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pointers of a device function (cuda_calls.py) point to: elements of the kernel's
buffers, and the function's own variables and arrays."""

from .builder import current
from .cuda_numbers import typed, unsigned
from .mathematics import reinterpret
from .statements import Store
from .values import Const, Expr, Load, binary, cast

__all__ = ["KernelMemory", "OwnMemory", "Pointer", "bits_of"]


class KernelMemory:
    """Elements of a buffer of the kernel, from one on."""

    def __init__(self, place):
        self.place, self.kind = place, place.buffer.dtype

    def _at(self, index):
        last = binary("add", self.place.indices[-1], index)
        return Load(self.place.buffer, (*self.place.indices[:-1], last))

    def read(self, index):
        return current().define("element", self._at(index))

    def write(self, index, value):
        there = self._at(index)
        current().add(Store(there.buffer, there.indices, value))


class OwnMemory:
    """An array or a variable of the function: values by their places."""

    def __init__(self, kind, count, refuse):
        self.kind, self.values, self.refuse = kind, [None] * count, refuse

    def _at(self, index):
        if not 0 <= index < len(self.values):
            self.refuse(f"element {index} of an array of {len(self.values)}")
        return index

    def read(self, index):
        value = self.values[self._at(index)]
        return self.refuse("a variable that nothing has written") if value is None else value

    def write(self, index, value):
        if isinstance(value, Expr) and type(value) is not Const:
            value = current().define("element", value)
        self.values[self._at(index)] = value


class Pointer:
    """A place in memory, in bits, seen as elements of a type (None: those of the memory).

    `owner`: "variable" or "array" where a name stands for the memory itself.
    """

    owner = None

    def __init__(self, memory, at, kind):
        self.memory, self.at, self.kind = memory, at, kind or memory.kind

    def moved(self, count):
        return Pointer(self.memory, self.at + count * self.kind.bits, self.kind)

    def seen_as(self, kind):
        return Pointer(self.memory, self.at, kind)

    def is_unset(self):
        """Whether this is an element of a variable that nothing has written."""
        own = self.memory
        return isinstance(own, OwnMemory) and own.values[own._at(self.at // own.kind.bits)] is None

    def read(self):
        """The element, as a value of the pointer's type."""
        own, kind = self.memory.kind, self.kind
        if own.bits == kind.bits:
            value = self.memory.read(self.at // own.bits)
            return _as_type(value, own, kind)
        if own.bits > kind.bits:
            whole = bits_of(self.memory.read(self.at // own.bits), own)
            moved = _shifted("shr", whole, self.at % own.bits)
            return _typed(cast(moved, unsigned(kind.bits)), kind)
        parts = range(kind.bits // own.bits)
        result = Const(0, unsigned(kind.bits))
        for i in parts:
            part = bits_of(self.memory.read(self.at // own.bits + i), own)
            result = binary("or", result, _shifted("shl", cast(part, result.dtype), own.bits * i))
        return _typed(current().define("word", result), kind)

    def write(self, value):
        """Replaces the element."""
        own, kind = self.memory.kind, self.kind
        value = typed(value, kind)
        if own.bits == kind.bits:
            self.memory.write(self.at // own.bits, _as_type(value, kind, own))
            return
        bits = current().define("word", bits_of(value, kind))
        if own.bits < kind.bits:
            for i in range(kind.bits // own.bits):
                part = cast(_shifted("shr", bits, own.bits * i), unsigned(own.bits))
                self.memory.write(self.at // own.bits + i, _typed(part, own))
            return
        place, shift = self.at // own.bits, self.at % own.bits
        mask = ~(((1 << kind.bits) - 1) << shift) & ((1 << own.bits) - 1)
        rest = binary("and", bits_of(self.memory.read(place), own), Const(mask, unsigned(own.bits)))
        moved = _shifted("shl", cast(bits, rest.dtype), shift)
        self.memory.write(place, _typed(binary("or", rest, moved), own))


def bits_of(value, kind):
    """The bits of a value, converted to a type, as an unsigned integer."""
    return reinterpret(typed(value, kind), unsigned(kind.bits))


def _typed(bits, kind):
    return reinterpret(bits, kind)


def _as_type(value, have, kind):
    """The same bits as another type of the same width; a number stays one where it may."""
    return value if have is kind else _typed(bits_of(value, have), kind)


def _shifted(name, value, count):
    return binary(name, value, Const(count, value.dtype)) if count else value
