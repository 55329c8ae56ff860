# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that several iterations of a loop name: `acc[i]` in a loop over i and j. Iterations sum it up, replace it in the
order of the indices, keep the best of what they see, or one of them, picked by a condition, writes it.

Threads hold copies of such an element, and iterations are dealt out among threads: nothing of it may show.
"""

import numpy as np

from elements import Unfit, check_exact
from expressions import Binary, Both, Compare, Const, Load, cast, const, kind_of
from statements import Parallel, Store, Update
from walks import into, outputs_of

import steps

SHAPES = [(1, 64), (8, 32), (16, 64), (32, 32), (64, 8), (3, 40), (4, 136), (128, 4), (64, 64), (2, 8, 16), (4, 4, 32), (3, 5, 7)]


class InOrder(Store):
    """Statements of one iteration after the other, in the order of the loop's indices. `beside`: the loop's dimensions that
    do not tell elements apart."""

    def __init__(self, beside, value, buffer, indices, condition=None):
        super().__init__(value, buffer, indices, condition)
        self.beside = beside

    def run(self, env, extents):
        places = [np.broadcast_to(i.value(env), extents).astype(np.int64) for i in self.indices]
        values = np.broadcast_to(check_exact(np.asarray(self.value.value(env)), self.buffer.element), extents)
        mask = np.ones(extents, bool) if self.condition is None else np.broadcast_to(self.condition.value(env), extents)
        for combination in np.ndindex(*(extents[d] for d in self.beside)):
            part = [slice(None)] * len(extents)
            for d, at in zip(self.beside, combination):
                part[d] = at
            part = tuple(part)
            self.step(env, tuple(p[part] for p in places), values[part], mask[part], combination)
        env.note_write(self.buffer, tuple(p[mask] for p in places))


class Fold(InOrder):
    """acc[i] = x[i, j] - acc[i]: the order shows."""

    def write(self, out):
        value = self.value.emit(out)
        place = f"%{self.buffer.name}[{', '.join(i.emit(out) for i in self.indices)}]"
        old = out.op(f"memref.load {place} : {self.buffer.type}")
        letter = "f" if kind_of(self.buffer.element) == "float" else "i"
        new = out.op(f"arith.sub{letter} {value}, {old} : {self.buffer.element}")
        out.line(f"memref.store {new}, {place} : {self.buffer.type}")

    def step(self, env, places, values, mask, combination):
        array = env.array(self.buffer)
        old = array[places]
        array[places] = np.where(mask, check_exact(np.where(mask, values - old, 0), self.buffer.element), old)


class Best(InOrder):
    """if x[i, j] > best[i]: best[i] = x[i, j], at[i] = j: the first of equals stays."""

    def __init__(self, beside, value, buffer, indices, at, index):
        super().__init__(beside, value, buffer, indices)
        self.at, self.index = at, index

    def emit(self, out):
        value = self.value.emit(out)
        indices = ", ".join(i.emit(out) for i in self.indices)
        old = out.op(f"memref.load %{self.buffer.name}[{indices}] : {self.buffer.type}")
        if kind_of(self.buffer.element) == "float":
            better = out.op(f"arith.cmpf ogt, {value}, {old} : {self.buffer.element}")
        else:
            better = out.op(f"arith.cmpi sgt, {value}, {old} : {self.buffer.element}")
        with out.region(f"scf.if {better} {{"):
            out.line(f"memref.store {value}, %{self.buffer.name}[{indices}] : {self.buffer.type}")
            if self.at:
                place = cast(self.index, "i32").emit(out)
                out.line(f"memref.store {place}, %{self.at.name}[{indices}] : {self.at.type}")

    def step(self, env, places, values, mask, combination):
        array = env.array(self.buffer)
        old = array[places]
        if np.isnan(old).any():
            raise Unfit("a maximum of what nothing wrote")
        array[places] = np.where(values > old, values, old)
        if self.at:
            at = env.array(self.at)
            at[places] = np.where(values > old, combination[-1], at[places])


def condition(g, variables, shape, given):
    """For some iterations, or none."""
    d = g.rng.randrange(len(shape))
    found = Compare(g.pick("lt", "ge", "ne"), variables[d], const(g.rng.randrange(shape[d])))
    if g.chance(0.3):
        found = Compare(g.pick("gt", "le", "ne"), Load(given, variables), Const(0, given.element))
    return Both(found, Compare("ge", variables[-1], const(g.rng.randrange(3)))) if g.chance(0.2) else found


def picked(g, variables, shape, beside, places):
    """For one iteration of those that name an element, at most."""
    found = None
    for d in beside:
        number = const(g.rng.randrange(shape[d] + 1))
        if places and d == beside[-1] and g.chance(0.5):
            labels = g.load([shape[k] for k in range(len(shape)) if k not in beside], "i32", g.pick("fragment", "shared"))
            number = cast(Load(labels, places), "index")
        part = Compare("eq", variables[d], number)
        found = part if found is None else Both(found, part)
    return found


def named(g):
    shape = list(g.rng.choice(SHAPES))
    element = g.pick("f32", "f32", "i32", "f16", "bf16")
    given = g.load(shape, element, g.pick("fragment", "fragment", "shared"))
    variables = g.loop_variables(len(shape))
    beside = sorted(g.rng.sample(range(len(shape)), g.rng.randrange(1, len(shape) + g.chance(0.15))))
    own = [d for d in range(len(shape)) if d not in beside]
    if g.chance(0.15):
        own.reverse()
        g.tag("turned")
    places = [variables[d] for d in own]
    extents, indices = [shape[d] for d in own], list(places)
    if not own:
        extents, indices = [1], [const(0)]
    elif g.chance(0.15):
        shift = g.pick(1, 2, 8)
        extents[-1] += shift
        indices[-1] = Binary("add", indices[-1], const(shift))
        g.tag("shifted")
    space = g.pick("fragment", "fragment", "fragment", "shared")
    kept = g.filled(g.tile(extents, element, space, bound=4 * 512, layout=g.chance(0.3)), g.pick(0, 0, 1))
    outputs = [kept]
    value = Load(given, variables)
    if g.chance(0.3):
        value = Binary("add", value, Const(1, element))
    kind = g.pick("update", "update", "update", "fold", "pick", "pick", "best")
    g.tag(kind)
    some = condition(g, variables, shape, given) if g.chance(0.5) else None
    if kind == "update":
        body = [Update(g.pick("add", "max", "min"), value, kept, indices, some)]
        if g.chance(0.3):
            other = g.filled(g.tile(extents, element, g.pick("fragment", "shared"), bound=4 * 512))
            body.append(Update(g.pick("add", "max"), value, other, indices, g.pick(some, None)))
            outputs.append(other)
    elif kind == "fold":
        if g.chance(0.3):
            some = picked(g, variables, shape, beside, [])
        body = [Fold(beside, value, kept, indices, some)]
    elif kind == "pick":
        body = [Store(value, kept, indices, picked(g, variables, shape, beside, places if own == sorted(own) else []))]
    else:
        at = g.filled(g.tile(extents, "i32", space, bound=512)) if g.chance(0.7) else None
        body = [Best(beside, value, kept, indices, at, variables[beside[-1]])]
        outputs += [at] * bool(at)
    if g.chance(0.2):
        copied = g.tile(shape, element, g.pick("fragment", "shared"), bound=8)
        body.insert(g.rng.randrange(len(body) + 1), Store(Load(given, variables), copied, variables))
        g.written(copied)
        g.tag("beside")
    g.put(Parallel([v.name for v in variables], shape, body))
    for tile in outputs:
        buffer, first = outputs_of(g, tile.shape, tile.element)
        g.put(into(buffer, first, tile, [const(0)] * tile.rank))
    if g.chance(0.3):
        steps.step(g)


def program(g):
    if g.chance(0.5):
        g.program.threads = g.pick(32, 64, 128, 256)
    for _ in range(g.rng.randrange(1, 3)):
        named(g)
