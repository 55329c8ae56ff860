# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of block-level code: allocations, loops, guards, loops over elements.

Each writes its operations (`emit`) and does in numpy what they mean (`run`). moves.py has those
that move tiles, products.py those that compute with whole tiles.
"""

import numpy as np

from elements import Unfit, check_exact
from expressions import Both, Compare, Const, kind_of


class Alloc:
    def __init__(self, buffer):
        self.buffer = buffer

    def emit(self, out):
        layout = f" layout({self.buffer.layout})" if self.buffer.layout else ""
        out.line(f"%{self.buffer.name} = tile.alloc{layout} : {self.buffer.type}")

    def run(self, env):
        env.tiles[self.buffer.name] = np.full(self.buffer.shape, np.nan)


class Assume:
    """A promise about an index, which the runs keep."""

    def __init__(self, value, divisor):
        self.value, self.divisor = value, divisor

    def emit(self, out):
        out.line(f"tile.assume {self.value.emit(out)} {{divisible_by = {self.divisor} : i64}} : index")

    def run(self, env):
        if self.value.value(env) % self.divisor:
            raise Unfit("a promise that the run does not keep")


class Let:
    """A name for an index that later statements use."""

    def __init__(self, name, value):
        self.name, self.expr = name, value

    def emit(self, out):
        # The name is the program's own: an addition of zero carries it.
        out.line(f"%{self.name} = arith.addi {self.expr.emit(out)}, {out.constant(0, 'index')} : index")

    def run(self, env):
        env.vars[self.name] = self.expr.value(env)


class Loop:
    """`tile.pipelined` or `scf.for`; `stages` is None for the latter."""

    def __init__(self, var, lower, upper, step, stages, body):
        self.var, self.lower, self.upper, self.step, self.stages, self.body = var, lower, upper, step, stages, body

    def emit(self, out):
        lower, upper, step = (e.emit(out) for e in (self.lower, self.upper, self.step))
        head = f"%{self.var} = {lower} to {upper} step {step}"
        head = f"scf.for {head} {{" if self.stages is None else f"tile.pipelined {head} stages({self.stages}) {{"
        with out.region(head):
            for statement in self.body:
                statement.emit(out)

    def run(self, env):
        lower, upper, step = (int(e.value(env)) for e in (self.lower, self.upper, self.step))
        for k in range(lower, upper, step):
            env.vars[self.var] = np.float64(k)
            for statement in self.body:
                statement.run(env)


class If:
    """`scf.if` on a condition that is the same for the whole block."""

    def __init__(self, condition, then, other=()):
        self.condition, self.then, self.other = condition, then, other

    def emit(self, out):
        with out.region(f"scf.if {self.condition.emit(out)} {{"):
            for statement in self.then:
                statement.emit(out)
        if self.other:
            with out.region("else {", join=True):
                for statement in self.other:
                    statement.emit(out)

    def run(self, env):
        for statement in self.then if self.condition.value(env) else self.other:
            statement.run(env)


class Parallel:
    """`tile.parallel` with stores in its body."""

    def __init__(self, variables, extents, body, attributes=""):
        self.variables, self.extents, self.body, self.attributes = variables, extents, body, attributes

    def emit(self, out):
        names = ", ".join(f"%{name}" for name in self.variables)
        attributes = f" attributes {{{self.attributes}}}" if self.attributes else ""
        with out.region(f"tile.parallel ({names}) in ({', '.join(map(str, self.extents))}){attributes} {{"):
            for store in self.body:
                store.emit(out)

    def run(self, env):
        for d, (name, extent) in enumerate(zip(self.variables, self.extents)):
            shape = [1] * len(self.extents)
            shape[d] = extent
            env.vars[name] = np.arange(extent, dtype=np.float64).reshape(shape)
        for store in self.body:
            store.run(env, self.extents)


class ThreadLoop:
    """A loop in the body of a Parallel: `count` times `step`, from `first`."""

    def __init__(self, var, first, count, step, body):
        self.var, self.first, self.count, self.step, self.body = var, first, count, step, body

    def emit(self, out):
        numbers = (out.constant(n, "index") for n in (self.first, self.first + self.count * self.step, self.step))
        with out.region("scf.for %{} = {} to {} step {} {{".format(self.var, *numbers)):
            for statement in self.body:
                statement.emit(out)

    def run(self, env, extents):
        for k in range(self.count):
            env.vars[self.var] = np.float64(self.first + k * self.step)
            for statement in self.body:
                statement.run(env, extents)


class Store:
    """A store in the body of a Parallel, in every iteration or where a condition holds. `atomic` is
    an operation of memref.atomic_rmw: then several iterations may have one element."""

    def __init__(self, value, buffer, indices, condition=None, atomic=None):
        self.value, self.buffer, self.indices, self.condition, self.atomic = value, buffer, indices, condition, atomic

    def write(self, out):
        value = self.value.emit(out)
        place = f"%{self.buffer.name}[{', '.join(i.emit(out) for i in self.indices)}]"
        if self.atomic:
            kind = self.atomic + ("f" if kind_of(self.buffer.element) == "float" else "i")
            out.op(f"memref.atomic_rmw {kind} {value}, {place} : ({self.buffer.element}, {self.buffer.type}) -> {self.buffer.element}")
        else:
            out.line(f"memref.store {value}, {place} : {self.buffer.type}")

    def emit(self, out):
        if self.condition is None:
            return self.write(out)
        with out.region(f"scf.if {self.condition.emit(out)} {{"):
            self.write(out)

    def run(self, env, extents):
        array = env.array(self.buffer)
        mask = np.ones(extents, bool) if self.condition is None else np.broadcast_to(self.condition.value(env), extents)
        values = np.broadcast_to(check_exact(np.asarray(self.value.value(env)), self.buffer.element), extents)[mask]
        places = tuple(np.broadcast_to(i.value(env), extents)[mask].astype(np.int64) for i in self.indices)
        for place, extent in zip(places, array.shape):
            if (place < 0).any() or (place >= extent).any():
                raise Unfit("a store outside of its buffer")
        self.change(env, array, places, values)

    def change(self, env, array, places, values):
        if self.atomic:
            return self.combine(env, array, places, values, np.add)
        flat = np.ravel_multi_index(places, array.shape)
        if len(np.unique(flat)) != flat.size:
            raise Unfit("two iterations write one element")
        env.note_write(self.buffer, places)
        array[places] = values

    def combine(self, env, array, places, values, operation):
        env.note_write(self.buffer, places, atomic=True)
        operation.at(array, places, values)
        check_exact(array[places], self.buffer.element)


class Update(Store):
    """A load, an operation and a store of one element in the body of a Parallel: several iterations may have one element."""

    KINDS = {"add": ("addf", "addi", np.add), "max": ("maximumf", "maxsi", np.maximum), "min": ("minimumf", "minsi", np.minimum)}

    def __init__(self, kind, value, buffer, indices, condition=None):
        super().__init__(value, buffer, indices, condition)
        self.kind = kind

    def write(self, out):
        name = self.KINDS[self.kind][0 if kind_of(self.buffer.element) == "float" else 1]
        value = self.value.emit(out)
        place = f"%{self.buffer.name}[{', '.join(i.emit(out) for i in self.indices)}]"
        old = out.op(f"memref.load {place} : {self.buffer.type}")
        new = out.op(f"arith.{name} {old}, {value} : {self.buffer.element}")
        out.line(f"memref.store {new}, {place} : {self.buffer.type}")

    def change(self, env, array, places, values):
        self.combine(env, array, places, values, self.KINDS[self.kind][2])


def inside(buffer_dims, indices):
    """The condition that indices lie inside of extents, each an expression, unsigned."""
    found = None
    for index, extent in zip(indices, buffer_dims):
        for part in (Compare("ge", index, Const(0)), Compare("lt", index, extent)):
            found = part if found is None else Both(found, part)
    return found
