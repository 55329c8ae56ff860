# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar expressions: the operations that compute them, and their numpy meaning.

One kind of expression serves block-level indices and the bodies of `tile.parallel`: there a loop
index is an array, and everything is computed for all iterations at once.
"""

import numpy as np

from elements import ELEMENTS, Unfit, check_exact


def kind_of(element):
    return ELEMENTS[element].kind


class Expr:
    element = "index"
    bound = 2**40  # no value is larger in magnitude

    def emit(self, out):
        """Writes the operations; the name of the result."""
        raise NotImplementedError

    def value(self, env):
        raise NotImplementedError


class Const(Expr):
    def __init__(self, number, element="index"):
        self.number, self.element, self.bound = number, element, abs(number)

    def emit(self, out):
        return out.constant(self.number, self.element)

    def value(self, env):
        return np.float64(self.number)


class Var(Expr):
    """A block index, a loop index or a scalar argument, by its name."""

    def __init__(self, name, element="index", bound=4096):
        self.name, self.element, self.bound = name, element, bound

    def emit(self, out):
        return f"%{self.name}"

    def value(self, env):
        return env.vars[self.name]


class Dim(Expr):
    def __init__(self, buffer, dim):
        self.buffer, self.dim = buffer, dim

    def emit(self, out):
        return out.op(f"memref.dim %{self.buffer.name}, {out.constant(self.dim, 'index')} : {self.buffer.type}")

    def value(self, env):
        return np.float64(env.array(self.buffer).shape[self.dim])


def _floordiv(a, b):
    if np.any(np.asarray(b) == 0):
        raise Unfit("division by zero")
    return np.floor(a / b)


def _unsigned(f):
    def checked(a, b):
        if np.any(np.asarray(a) < 0) or np.any(np.asarray(b) < 0):
            raise Unfit("an unsigned operation on a negative number")
        return f(a, b)

    return checked


def _bits(f):
    return lambda a, b: f(np.asarray(a).astype(np.int64), np.asarray(b).astype(np.int64)).astype(np.float64)


# name: (operation on floats, on integers, meaning, bound of the result)
BINARY = {
    "add": ("addf", "addi", np.add, lambda a, b: a + b),
    "sub": ("subf", "subi", np.subtract, lambda a, b: a + b),
    "mul": ("mulf", "muli", np.multiply, lambda a, b: a * b),
    "max": ("maximumf", "maxsi", np.maximum, max),
    "min": ("minimumf", "minsi", np.minimum, max),
    "maxnum": ("maxnumf", "maxsi", np.maximum, max),
    "minnum": ("minnumf", "minsi", np.minimum, max),
    "floordiv": (None, "floordivsi", _floordiv, lambda a, b: a),
    "divu": (None, "divui", _unsigned(_floordiv), lambda a, b: a),
    "remu": (None, "remui", _unsigned(np.mod), lambda a, b: b),
    "ceildiv": (None, "ceildivsi", lambda a, b: -_floordiv(-a, b), lambda a, b: a),
    "shr": (None, "shrsi", lambda a, b: np.floor(a / 2.0**b), lambda a, b: a),
    "and": (None, "andi", _bits(np.bitwise_and), max),
    "xor": (None, "xori", _bits(np.bitwise_xor), lambda a, b: 2 * max(a, b) + 1),
}


class Binary(Expr):
    def __init__(self, op, a, b):
        self.op, self.a, self.b, self.element = op, a, b, a.element
        assert a.element == b.element, (op, a.element, b.element)
        self.bound = BINARY[op][3](a.bound, b.bound)

    def emit(self, out):
        a, b = self.a.emit(out), self.b.emit(out)
        name = BINARY[self.op][0 if kind_of(self.element) == "float" else 1]
        return out.op(f"arith.{name} {a}, {b} : {self.element}")

    def value(self, env):
        return check_exact(BINARY[self.op][2](self.a.value(env), self.b.value(env)), self.element)


class Fma(Expr):
    def __init__(self, a, b, c):
        self.parts, self.element, self.bound = (a, b, c), a.element, a.bound * b.bound + c.bound

    def emit(self, out):
        return out.op(f"math.fma {', '.join(p.emit(out) for p in self.parts)} : {self.element}")

    def value(self, env):
        a, b, c = (p.value(env) for p in self.parts)
        return check_exact(a * b + c, self.element)


class Unary(Expr):
    NAMES = {("neg", "float"): "arith.negf", ("abs", "float"): "math.absf", ("abs", "int"): "math.absi"}

    def __init__(self, op, a):
        self.op, self.a, self.element, self.bound = op, a, a.element, a.bound

    def emit(self, out):
        return out.op(f"{self.NAMES[self.op, kind_of(self.element)]} {self.a.emit(out)} : {self.element}")

    def value(self, env):
        a = self.a.value(env)
        return -a if self.op == "neg" else np.abs(a)


PREDICATES = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal}


class Compare(Expr):
    element, bound = "i1", 1

    def __init__(self, predicate, a, b):
        self.predicate, self.a, self.b = predicate, a, b

    def emit(self, out):
        a, b = self.a.emit(out), self.b.emit(out)
        if kind_of(self.a.element) == "float":
            return out.op(f"arith.cmpf {'u' if self.predicate == 'ne' else 'o'}{self.predicate}, {a}, {b} : {self.a.element}")
        sign = "" if self.predicate in ("eq", "ne") else "s"
        return out.op(f"arith.cmpi {sign}{self.predicate}, {a}, {b} : {self.a.element}")

    def value(self, env):
        return PREDICATES[self.predicate](self.a.value(env), self.b.value(env))


class Both(Expr):
    """`and` of two conditions."""

    element, bound = "i1", 1

    def __init__(self, a, b):
        self.a, self.b = a, b

    def emit(self, out):
        return out.op(f"arith.andi {self.a.emit(out)}, {self.b.emit(out)} : i1")

    def value(self, env):
        return np.logical_and(self.a.value(env), self.b.value(env))


class Select(Expr):
    """`arith.select`, or an `scf.if` with a result (`lazy`)."""

    def __init__(self, condition, a, b, lazy=False):
        self.condition, self.a, self.b, self.lazy = condition, a, b, lazy
        self.element, self.bound = a.element, max(a.bound, b.bound)

    def emit(self, out):
        condition = self.condition.emit(out)
        if not self.lazy:
            return out.op(f"arith.select {condition}, {self.a.emit(out)}, {self.b.emit(out)} : {self.element}")
        name = out.name()
        with out.region(f"{name} = scf.if {condition} -> ({self.element}) {{"):
            out.line(f"scf.yield {self.a.emit(out)} : {self.element}")
        with out.region("else {", join=True):
            out.line(f"scf.yield {self.b.emit(out)} : {self.element}")
        return name

    def value(self, env):
        return np.where(self.condition.value(env), self.a.value(env), self.b.value(env))


def _cast(source, target):
    """The operation of `arith` that converts."""
    a, b = ELEMENTS[source], ELEMENTS[target]
    if "index" in (source, target):
        return "arith.index_cast"
    if a.kind == b.kind == "float":
        return "arith.extf" if a.bits < b.bits else "arith.truncf"
    if a.kind == b.kind:
        if a.bits < b.bits:
            return "arith.extui" if source == "i1" else "arith.extsi"
        return "arith.trunci"
    if a.kind == "int":
        return "arith.uitofp" if source == "i1" else "arith.sitofp"
    return "arith.fptosi"


def cast(a, element):
    """`a` as `element`, in the steps that `arith` has."""
    source, target = ELEMENTS[a.element], ELEMENTS[element]
    if a.element == element:
        return a
    small = [found for found in (source, target) if found.kind == "float" and found.bits < 16]
    through = None
    if "index" in (a.element, element):
        other = target if a.element == "index" else source
        through = "i32" if other.kind == "float" or other.bits < 8 else None
    elif small and (len(small) == 2 or "int" in (source.kind, target.kind) or "f64" in (a.element, element)):
        through = "f32"
    elif source.kind == target.kind and source.bits == target.bits:
        through = "f32"  # f16 and bf16
    elif source.kind == "float" and target.kind == "int" and target.bits < 8:
        through = "i32"
    if through and through not in (a.element, element):
        return cast(cast(a, through), element)
    return Cast(a, element)


class Cast(Expr):
    def __init__(self, a, element):
        self.a, self.element, self.bound = a, element, a.bound

    def emit(self, out):
        if self.a.element == self.element:
            return self.a.emit(out)
        return out.op(f"{_cast(self.a.element, self.element)} {self.a.emit(out)} : {self.a.element} to {self.element}")

    def value(self, env):
        return check_exact(self.a.value(env), self.element)


class Apply(Expr):
    """affine.apply of a map of dimensions d0, d1, ..."""

    def __init__(self, text, function, *operands):
        self.text, self.function, self.operands, self.bound = text, function, operands, max(o.bound for o in operands)

    def emit(self, out):
        dims = ", ".join(f"d{i}" for i in range(len(self.operands)))
        return out.op(f"affine.apply affine_map<({dims}) -> ({self.text})>({', '.join(o.emit(out) for o in self.operands)})")

    def value(self, env):
        return self.function(*(o.value(env) for o in self.operands))


class Load(Expr):
    def __init__(self, buffer, indices, bound=None):
        self.buffer, self.indices, self.element = buffer, indices, buffer.element
        self.bound = buffer.bound if bound is None else bound

    def emit(self, out):
        indices = ", ".join(index.emit(out) for index in self.indices)
        return out.op(f"memref.load %{self.buffer.name}[{indices}] : {self.buffer.type}")

    def value(self, env):
        array = env.array(self.buffer)
        places = np.broadcast_arrays(*(np.asarray(i.value(env)) for i in self.indices))
        places = tuple(p.astype(np.int64) for p in places)
        for place, extent in zip(places, array.shape):
            if (place < 0).any() or (place >= extent).any():
                raise Unfit("a load outside of its buffer")
        env.note_read(self.buffer, places)
        values = array[places]
        if np.isnan(values).any():
            raise Unfit("reads what nothing wrote")
        return values


class GuardedLoad(Expr):
    """The element where the condition holds, another value elsewhere (an scf.if with a result)."""

    def __init__(self, condition, load, other):
        self.condition, self.load, self.other = condition, load, other
        self.element, self.bound = load.element, max(load.bound, other.bound)

    def emit(self, out):
        return Select(self.condition, self.load, self.other, lazy=True).emit(out)

    def value(self, env):
        mask, other = np.asarray(self.condition.value(env)), self.other.value(env)
        places = np.broadcast_arrays(mask, *(np.asarray(i.value(env)) for i in self.load.indices))
        mask, places = places[0], places[1:]
        found = np.full(mask.shape, other, dtype=np.float64)
        inside = tuple(p[mask].astype(np.int64) for p in places)
        array = env.array(self.load.buffer)
        for place, extent in zip(inside, array.shape):
            if (place < 0).any() or (place >= extent).any():
                raise Unfit("a load outside of its buffer")
        env.note_read(self.load.buffer, inside)
        found[mask] = array[inside]
        if np.isnan(found).any():
            raise Unfit("reads what nothing wrote")
        return found


def clamp(a, bound):
    """Into [-bound, bound]."""
    if a.bound <= bound:
        return a
    found = Binary("min", Binary("max", a, Const(-bound, a.element)), Const(bound, a.element))
    found.bound = bound
    return found


def const(number):
    return Const(number)


def add(a, b):
    b = b if isinstance(b, Expr) else Const(b)
    return a if isinstance(b, Const) and b.number == 0 else Binary("add", a, b)


def mul(a, b):
    b = b if isinstance(b, Expr) else Const(b)
    return a if isinstance(b, Const) and b.number == 1 else Binary("mul", a, b)
