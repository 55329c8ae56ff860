# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that loops use again: an iteration that stores an element and reads it back, always or under a condition; several
iterations that update one element, by indices with quotients and remainders; rows of fragments at the index of a loop around.
Libraries of others do all three; what threads repeat, or share, has to come out the same.
"""

from expressions import Binary, Compare, Const, Load, Var, const
from products import Reduce
from statements import Loop, Parallel, Store, Update
from walks import into, outputs_of

import steps

SIZES = [(1, 64), (1, 128), (1, 256), (2, 128), (4, 64), (8, 32), (16, 64), (32, 32), (3, 40), (4, 136)]


def combine(g, value):
    """Something of a value, exact."""
    return Binary("add", value, Const(g.pick(1, 2), value.element)) if g.chance(0.5) else value


def read_back(g):
    """s[i, j] = ..., then f[i, j] = s[i, j]; the fragment is reduced along its rows, so that layouts repeat iterations."""
    shape = list(g.rng.choice(SIZES))
    element = g.pick("f16", "f16", "bf16", "f32", "i32")
    given = g.load(shape, element)
    space = g.pick("shared", "shared", "shared", "fragment")
    kept, other = g.filled(g.tile(shape, element, space, bound=8)), g.tile(shape, element, "fragment", bound=8)
    i, j = variables = g.loop_variables(2)
    condition = Compare(g.pick("lt", "ge"), j, const(g.rng.randrange(shape[1]))) if g.chance(0.4) else None
    value = combine(g, Load(given, variables))
    body = [Store(value, kept, variables, condition), Store(combine(g, Load(kept, variables)), other, variables)]
    if g.chance(0.25):
        body.append(Store(Const(g.pick(0, 3), element), kept, variables))
    if g.chance(0.2):
        body[:0] = [Store(Load(kept, variables), g.written(g.tile(shape, element, "fragment", bound=8)), variables)]
    g.tag("read_back")
    g.put(Parallel([v.name for v in variables], shape, body))
    g.written(other)
    reduced(g, other)
    for _ in range(g.rng.randrange(2)):
        steps.step(g)
    if kept in g.pool and g.chance(0.7):
        steps.store(g, kept)


def reduced(g, tile):
    """Along rows, into an output."""
    rows = tile.shape[:1]
    total = g.tile(rows, tile.element, "fragment", bound=tile.bound)
    g.put(Reduce(g.pick("max", "min", "absmax"), tile, total, 1))
    buffer, first = outputs_of(g, rows, tile.element)
    g.put(into(buffer, first, total, [const(0)]))


def quotient(g, index, extent):
    """An index that several values of another share, and its extent."""
    by = g.pick(2, 4, 8, 16, 3, extent)
    if g.chance(0.3):
        return Binary("remu", index, Const(by, "index")), by
    return Binary("divu", index, Const(by, "index")), -(-extent // by)


def updates(g):
    """m[i / a, j / b] = max(m[i / a, j / b], x[i, j]) and the like."""
    shape = list(g.rng.choice(SIZES))
    element, kind = g.pick(("f32", "max"), ("f32", "add"), ("i32", "add"), ("i32", "max"), ("f16", "max"), ("f32", "min"))
    given = g.load(shape, element)
    i, j = variables = g.loop_variables(2)
    at, extents = zip(*(quotient(g, v, e) if g.chance(0.8) else (v, e) for v, e in zip(variables, shape)))
    if all(a is v for a, v in zip(at, variables)):
        at, extents = zip(quotient(g, i, shape[0]), quotient(g, j, shape[1]))
    bound = 4 * 512 if kind == "add" else 8
    kept = g.filled(g.tile(list(extents), element, g.pick("shared", "fragment"), bound=bound))
    condition = Compare(g.pick("lt", "ge"), j, const(g.rng.randrange(shape[1]))) if g.chance(0.3) else None
    g.tag("updates")
    g.put(Parallel([v.name for v in variables], shape, [Update(kind, Load(given, variables), kept, list(at), condition)]))
    buffer, first = outputs_of(g, list(extents), element)
    g.put(into(buffer, first, kept, [const(0)] * 2))


def rows_of_fragments(g):
    """for i: parallel (j): f[i, j] = ..., before f is reduced."""
    shape = list(g.rng.choice(SIZES))
    element = g.pick("f32", "f32", "f16", "i32")
    given = g.load(shape, element)
    first, second = (g.tile(shape, element, "fragment", bound=8) for _ in range(2))
    for target, origin in ((first, given), (second, first)):
        row, (j,) = Var(g.name("k"), bound=64), g.loop_variables(1)
        body = [Parallel([j.name], shape[1:], [Store(combine(g, Load(origin, [row, j])), target, [row, j])])]
        g.put(Loop(row.name, const(0), const(shape[0]), const(1), None, body))
        g.written(target)
        if g.chance(0.4):
            break
    g.tag("rows_of_fragments")
    if g.chance(0.7):
        reduced(g, target)
    else:
        steps.store(g, target)


def program(g):
    for _ in range(g.rng.randrange(1, 3)):
        g.pick(read_back, read_back, updates, rows_of_fragments)(g)
