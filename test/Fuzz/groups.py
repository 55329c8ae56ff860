# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of groups of elements: what casts with scales do. A loop takes for each element the value of its group, by indices
with quotients and remainders, from a fragment that a reduction, another loop or a copy has filled.

Where each thread holds the values of its elements' groups they are read where they are, else through shared memory.
"""

from expressions import Binary, Compare, Const, Load, const
from products import Reduce, View
from program import Buffer
from statements import Loop, Parallel, Store
from walks import into, outputs_of

import steps
from again import combine

SHAPES = [(1, 64), (1, 576), (2, 128), (4, 64), (8, 64), (16, 32), (64, 64), (32, 128), (3, 96), (128, 16), (64, 8)]


def part(g, index, extent):
    """An index that several values of another share, and its extent."""
    by = g.pick(2, 4, 8, 16, 32, 3, extent)
    if g.chance(0.25):
        inner, count = index, extent
        if g.chance(0.3):
            inner, count = Binary("divu", index, Const(2, "index")), -(-extent // 2)
        return Binary("remu", inner, Const(by, "index")), min(by, count)
    return Binary("divu", index, Const(by, "index")), -(-extent // by)


def of_reduction(g, tile, indices):
    """The value of each group of columns, by a view, and the place of an element's among them."""
    rows, columns = tile.shape
    width = g.rng.choice([w for w in (2, 4, 8, 16, 32, 64, columns) if columns % w == 0])
    seen = Buffer(g.name("seen"), [rows, columns // width, width], tile.element, "fragment", tile.bound)
    values = g.tile([rows, columns // width], tile.element, "fragment", bound=tile.bound, layout=False)
    g.put(View(seen, tile), Reduce(g.pick("max", "min", "absmax"), seen, values, 2, False))
    g.tag("of_reduction")
    return g.written(values), [indices[0], Binary("divu", indices[1], Const(width, "index"))]


def changed(g, values):
    """Values computed from values, where they are."""
    variables = g.loop_variables(2)
    g.put(Parallel([v.name for v in variables], values.shape, [Store(combine(g, Load(values, variables)), values, variables)]))


def taken(g):
    shape = list(g.rng.choice(SHAPES))
    element = g.pick("f32", "f32", "f16", "i32")
    tile = g.load(shape, element, g.pick("fragment", "fragment", "shared"))
    i, j = g.loop_variables(2)
    if tile.space == "fragment" and g.chance(0.5):
        values, places = of_reduction(g, tile, [i, j])
    else:
        parts = [part(g, v, e) if g.chance(0.75) else (v, e) for v, e in zip((i, j), shape)]
        if g.chance(0.2):
            parts.reverse()
            g.tag("turned")
        values = g.load([extent for _, extent in parts], element, "fragment")
        places = [place for place, _ in parts]
    if g.chance(0.6):
        changed(g, values)
    result = g.tile(shape, element, g.pick("fragment", "shared", "fragment"), bound=16)
    condition = Compare(g.pick("lt", "ge"), j, const(g.rng.randrange(shape[1]))) if g.chance(0.15) else None
    if condition:
        g.filled(result)
    body = [Store(Binary(g.pick("add", "sub"), Load(tile, [i, j]), Load(values, places)), result, [i, j], condition)]
    loop = Parallel([i.name, j.name], shape, body)
    g.tag("groups")
    if g.chance(0.2):
        loop = Loop(g.name("k"), const(0), const(2), const(1), None, [loop])
        g.tag("repeated")
    g.put(loop)
    g.written(result)
    if g.chance(0.3):
        changed(g, values)
        again = g.tile(shape, element, "fragment", bound=32)
        g.put(Parallel([i.name, j.name], shape, [Store(Binary("sub", Load(result, [i, j]), Load(values, places)), again, [i, j])]))
        result = g.written(again)
    if g.chance(0.5):
        buffer, first = outputs_of(g, shape, element)
        g.put(into(buffer, first, result, [const(0)] * 2))
    else:
        steps.store(g, result)


def program(g):
    if g.chance(0.5):
        g.program.threads = g.pick(32, 64, 128, 256, 512)
    for _ in range(g.rng.randrange(1, 3)):
        taken(g)
