# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that several iterations update by indices of all the loop's: sums and multiples of them, quotients, indices from
memory, two updates of an iteration that meet in one element; and updates that the same iteration reads afterwards.

`acc[i + j] += x[i, j]`, `count[x[i]] += 1`, `s[i] += x[i]; s[i + 1] += x[i]`, `if j == 3: acc[i] += x[i, j]; y[i] = acc[i]`.
"""

from expressions import Binary, Compare, Const, Load, cast, const
from statements import Parallel, Store, Update
from walks import into, outputs_of

import steps

SHAPES = [(64,), (128,), (200,), (8, 16), (16, 33), (32, 32), (5, 40), (4, 8, 16)]
KINDS = {"diagonal": 3, "quotient": 2, "memory": 3, "pair": 3, "seen": 3}


class Seen(Update):
    """An update, and a copy of what the element is then."""

    def __init__(self, kind, value, buffer, indices, condition, copy, places):
        super().__init__(kind, value, buffer, indices, condition)
        self.copy = Store(Load(buffer, indices), copy, places, condition)

    def write(self, out):
        super().write(out)
        self.copy.write(out)

    def run(self, env, extents):
        super().run(env, extents)
        self.copy.run(env, extents)


class AtomicSeen(Seen):
    """The same by an atomic operation whose result nobody uses."""

    def __init__(self, kind, value, buffer, indices, condition, copy, places):
        super().__init__("add", value, buffer, indices, condition, copy, places)
        self.sum = Store(value, buffer, indices, condition, atomic="add")

    def write(self, out):
        self.sum.write(out)
        self.copy.write(out)


def index_of(g, variables, shape):
    """An index that several iterations have, and how many there are."""
    kind = g.pick("sum", "sum", "multiple", "remainder")
    if len(shape) == 1 or kind == "remainder":
        count = g.pick(5, 8, 32)
        last = variables[-1] if len(shape) == 1 else Binary("add", variables[-2], variables[-1])
        return Binary("remu", Binary("mul", last, const(g.pick(1, 3))), const(count)), count
    factor = 1 if kind == "sum" else g.pick(2, 3, shape[-1] - 1)
    index = Binary("add", Binary("mul", variables[-2], const(factor)) if factor > 1 else variables[-2], variables[-1])
    return index, factor * (shape[-2] - 1) + shape[-1]


def summed(g):
    shape = list(g.rng.choice(SHAPES))
    element = g.pick("f32", "i32", "i32", "f16")
    given = g.load(shape, element, g.pick("fragment", "shared", "shared"))
    variables = g.loop_variables(len(shape))
    space = g.pick("fragment", "shared", "shared")
    value = Load(given, variables)
    update = g.pick("add", "add", "max", "min")
    kind = g.weighted(KINDS)
    g.tag(kind)
    condition = Compare(g.pick("lt", "ge", "ne"), variables[-1], const(g.rng.randrange(shape[-1]))) if g.chance(0.3) else None
    outputs = []

    def kept(extents):
        outputs.append(g.filled(g.tile(extents, element, space, bound=2048, layout=False), g.pick(0, 0, 1)))
        return outputs[-1]

    if kind == "diagonal":
        index, count = index_of(g, variables, shape)
        body = [Update(update, value, kept([count]), [index], condition)]
    elif kind == "quotient":
        by = g.pick(2, 3, 8)
        tile = kept([*shape[:-1], -(-shape[-1] // by)])
        body = [Update(update, value, tile, [*variables[:-1], Binary("divu", variables[-1], const(by))], condition)]
    elif kind == "memory":
        count = g.pick(16, 17, 40)
        table = g.load(shape, "i32", g.pick("fragment", "shared"))
        place = cast(Binary("and", Load(table, variables), Const(15, "i32")), "index")
        first, extents = ([variables[0]], [shape[0]]) if len(shape) > 1 and g.chance(0.4) else ([], [])
        body = [Update(update, value, kept([*extents, count]), [*first, place], condition)]
    elif kind == "pair":
        tile, shift = kept([*shape[:-1], shape[-1] + 8]), g.pick(1, 2, 8)
        last = variables[-1]
        other = Binary("add", last, const(shift)) if g.chance(0.7) else Binary("sub", const(shape[-1] - 1), last)
        body = [Update(update, value, tile, [*variables[:-1], last], condition),
                Update(update, value, tile, [*variables[:-1], other], g.pick(None, condition))]
    else:
        # One iteration for each element.
        picked = Compare("eq", variables[-1], const(g.rng.randrange(shape[-1])))
        places, extents = (variables[:-1], shape[:-1]) if len(shape) > 1 else ([const(0)], [1])
        space = "shared"
        copy = g.written(g.tile(extents, element, "shared", bound=2048, layout=False))
        steps_of = AtomicSeen if element in ("f32", "i32") and g.chance(0.6) else Seen
        body = [steps_of(update, value, kept(extents), list(places), picked, copy, list(places))]
        outputs.append(copy)
    g.put(Parallel([v.name for v in variables], shape, body))
    for tile in outputs:
        buffer, first = outputs_of(g, tile.shape, tile.element)
        g.put(into(buffer, first, tile, [const(0)] * tile.rank))
    if g.chance(0.2):
        steps.step(g)


def program(g):
    if g.chance(0.5):
        g.program.threads = g.pick(32, 64, 128, 256)
    for _ in range(g.rng.randrange(1, 3)):
        summed(g)
