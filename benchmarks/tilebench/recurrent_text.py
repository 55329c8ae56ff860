# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the tile programs of recurrent.py: lines of a kernel, tiles, copies, gemms, and bodies of parallel loops.

`Writer` holds the lines of one kernel, `Body` the statements of one iteration of a `tile.parallel`. Arithmetic is in
f32: a load of a narrower type widens, a store into one rounds.
"""

import contextlib
import dataclasses
import re

from .gemm import HEAD, memref

SPACES = {"shared": "#shared", "fragment": "#tile.fragment"}


@dataclasses.dataclass(frozen=True)
class Buffer:
    """A tile, or an argument: its name and its type."""

    name: str
    shape: tuple
    element: str
    space: str = ""

    @property
    def type(self):
        return memref(self.shape, self.element, SPACES.get(self.space, ""))


class Writer:
    def __init__(self, name, arguments, threads, attributes=""):
        """arguments: (name, element, shape or None for a scalar); extents that are no integers are dynamic."""
        self.name, self.threads, self.attributes, self.grid = name, threads, attributes, ""
        self.lines, self.depth, self.indices, self.floats = [], 1, {}, {}
        self.count = {argument[0]: 1 for argument in arguments}  # how often a name was given
        self.arguments = []
        for argument, element, shape in arguments:
            extents = None if shape is None else tuple(e if isinstance(e, int) else "?" for e in shape)
            self.arguments.append((argument, element, extents))
            if extents is not None:
                setattr(self, argument, Buffer(f"%{argument}", extents, element))

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def note(self, text):
        self.line(f"// {text}")

    def fresh(self, name):
        """A name that no other value has."""
        number = self.count.get(name, 0)
        self.count[name] = number + 1
        return f"%{name}_{number}" if number else f"%{name}"

    def value(self, text, name="x"):
        name = self.fresh(name)
        self.line(f"{name} = {text}")
        return name

    def index(self, number):
        return self.indices.setdefault(number, f"%c{number}")

    def f32(self, number):
        known = {0.0: "%zero", 1.0: "%one"}
        return self.floats.setdefault(number, known.get(number, f"%f{len(self.floats)}"))

    def of_index(self, operation, a, b, name="at"):
        b = self.index(b) if isinstance(b, int) else b
        return self.value(f"arith.{operation} {a}, {b} : index", name)

    def dim(self, buffer, dimension, name):
        return self.value(f"memref.dim {buffer.name}, {self.index(dimension)} : {buffer.type}", name)

    def shared(self, name, *shape, element="bf16"):
        return self.tile(name, shape, element, "shared")

    def fragment(self, name, *shape, element="f32"):
        return self.tile(name, shape, element, "fragment")

    def tile(self, name, shape, element, space):
        buffer = Buffer(self.fresh(name), tuple(shape), element, space)
        self.line(f"{buffer.name} = tile.alloc : {buffer.type}")
        return buffer

    def copy(self, source, target, at=(), sizes=()):
        """Between a tile and the region of an argument that begins `at`; sizes with ones for the dimensions it has not."""
        where = f"[{', '.join(at)}]" if at else ""
        if sizes:
            where += f" sizes [{', '.join(map(str, sizes))}]"
        first, second = ("", where) if source.space else (where, "")
        self.line(f"tile.copy {source.name}{first} to {target.name}{second} : {source.type} to {target.type}")

    def fill(self, tile, number=0.0):
        self.line(f"tile.fill {tile.name} with {self.f32(number)} : {tile.type}, {tile.element}")

    def gemm(self, a, b, c, words=""):
        words = f" {{{words}}}" if words else ""
        self.line(f"tile.gemm {a.name}, {b.name}, {c.name}{words} : {a.type}, {b.type}, {c.type}")

    def reduce(self, kind, source, target, dim, words=""):
        self.line(f"tile.reduce {kind} {source.name} to {target.name} dim({dim}){words} : {source.type} to {target.type}")

    def scan(self, source, target):
        self.line(f"tile.scan sum {source.name} to {target.name} dim({len(source.shape) - 1}) : {source.type} to {target.type}")

    @contextlib.contextmanager
    def block(self, head):
        self.line(head + " {")
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    @contextlib.contextmanager
    def parallel(self, *shape):
        names = ["%i", "%j", "%l"][: len(shape)]
        before = dict(self.count)
        with self.block(f"tile.parallel ({', '.join(names)}) in ({', '.join(map(str, shape))})"):
            yield Body(self)
        self.count = before  # the values of a body are its own, so their names may come again

    def text(self):
        arguments = []
        for name, element, extents in self.arguments:
            kind = element if extents is None else memref(extents, element)
            arguments.append(f"%{name}: {kind}" + " {tile.alignment = 16}" * (extents is not None))
        constants = [f"  {name} = arith.constant {number} : index" for number, name in sorted(self.indices.items())]
        constants += [f"  {name} = arith.constant {spelled(number)} : f32" for number, name in self.floats.items()]
        joined = ",\n    ".join(arguments)
        attributes = f" attributes {{{self.attributes}}}" if self.attributes else ""
        head = f"{HEAD}tile.kernel @{self.name}(\n    {joined})\n    grid{self.grid} threads({self.threads}){attributes} {{"
        return "\n".join([head, *constants, *self.lines, "}"]) + "\n"


def spelled(number):
    """A float as MLIR reads it: with a point."""
    text = repr(float(number))
    return text if "." in text else re.sub("e", ".0e", text)


class Body:
    """Statements of one iteration; `where` is indices by name, such as "ij" for [%i, %j], or values."""

    def __init__(self, writer):
        self.w = writer

    def place(self, where):
        return ", ".join([f"%{letter}" for letter in where] if isinstance(where, str) else where)

    def load(self, buffer, where, name="x"):
        found = self.w.value(f"memref.load {buffer.name}[{self.place(where)}] : {buffer.type}", name)
        if buffer.element in ("bf16", "f16"):
            return self.w.value(f"arith.extf {found} : {buffer.element} to f32", name)
        return found

    def store(self, value, buffer, where):
        if buffer.element in ("bf16", "f16"):
            value = self.w.value(f"arith.truncf {value} : f32 to {buffer.element}", "narrow")
        self.w.line(f"memref.store {value}, {buffer.name}[{self.place(where)}] : {buffer.type}")

    def number(self, value):
        return self.w.f32(value) if isinstance(value, float) else value

    def binary(self, operation, a, b, name="x"):
        flags = " fastmath<contract>" if operation != "divf" else " fastmath<afn>"
        return self.w.value(f"arith.{operation} {self.number(a)}, {self.number(b)}{flags} : f32", name)

    def mul(self, a, b, name="x"):
        return self.binary("mulf", a, b, name)

    def add(self, a, b, name="x"):
        return self.binary("addf", a, b, name)

    def sub(self, a, b, name="x"):
        return self.binary("subf", a, b, name)

    def div(self, a, b, name="x"):
        return self.binary("divf", a, b, name)

    def fma(self, a, b, c, name="x"):
        return self.w.value(f"math.fma {self.number(a)}, {self.number(b)}, {self.number(c)} : f32", name)

    def math(self, operation, a, name="x"):
        return self.w.value(f"math.{operation} {a} fastmath<afn> : f32", name)

    def exp2(self, a, name="e"):
        return self.math("exp2", a, name)

    def compare(self, how, a, b, name="past"):
        return self.w.value(f"arith.cmpi {how}, {a}, {b} : index", name)

    def select(self, condition, a, b, name="x"):
        return self.w.value(f"arith.select {condition}, {self.number(a)}, {self.number(b)} : f32", name)
