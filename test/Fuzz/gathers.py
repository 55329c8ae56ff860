# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of a cluster that gather what each of them has: small tiles of any type and space, one after the other or several at
once, in loops and under conditions that are the same in all blocks; what follows reduces, scans or reads them."""

from elements import Unfit, largest
from expressions import Binary, Load, Var, cast, const
from products import ClusterGather, Reduce, Scan
from statements import Loop, Parallel, Store

import steps

MOST_ELEMENTS = 1024  # of what a block gathers
NARROW = ("i1", "i4", "f4E2M1FN")


def small(g):
    """A tile of few elements: what a reduction leaves, or one made for it."""
    found = [t for t in g.tiles() if t.element not in NARROW and elements_of(t) * size_of(g) <= MOST_ELEMENTS]
    if found and g.chance(0.5):
        return g.rng.choice(found)
    if g.chance(0.5):
        target = steps.reduce(g)
        if elements_of(target) * size_of(g) <= MOST_ELEMENTS:
            return target
    shape = g.pick([1], [2], [3], [7], [16], [1, 1], [2, 3], [4, 8], [1, 16], [32])
    return g.computed(shape, g.weighted({"f32": 8, "f16": 4, "bf16": 2, "i32": 4, "i8": 2, "i16": 1, "i64": 1, "f64": 1, "f8E4M3FN": 1}))


def elements_of(tile):
    count = 1
    for extent in tile.shape:
        count *= extent
    return count


def size_of(g):
    return g.program.cluster[0] * g.program.cluster[1]


def gathered(g, source):
    target = g.tile([size_of(g), *source.shape], source.element, bound=source.bound)
    g.put(ClusterGather(source, target))
    g.tag(f"gather_{source.space[0]}{target.space[0]}")
    return g.written(target)


def combined(g, tile):
    """What the blocks have, combined in each of them."""
    size = tile.shape[0]
    fits = tile.bound * size <= largest(tile.element)
    kind = g.pick("sum", "max", "min") if fits else g.pick("max", "min")
    bound = min(largest(tile.element), tile.bound * (size if kind == "sum" else 1))
    if g.chance(0.7):
        target = g.tile(tile.shape[1:], tile.element, bound=bound)
        g.put(Reduce(kind, tile, target, 0))
    elif tile.element in steps.SUMMED:
        target = g.tile(tile.shape, tile.element, bound=bound)
        g.put(Scan(kind, tile, target, 0, g.chance(0.3)))
        g.tag("scan_of_cluster")
    else:
        return tile
    return g.written(target)


def singled(g):
    """A dimension of one element, wherever it comes: loops leave it out, its index is zero; and back."""
    found = [t for t in g.tiles() if t.element not in NARROW]
    source = g.rng.choice(found or [g.load(element=g.pick("f32", "f16", "i32"))])
    d = g.rng.randrange(source.rank + 1)
    shape = list(source.shape)
    shape.insert(d, 1)
    tile = source
    g.tag("singled")
    for extents in (shape, source.shape):
        target = g.tile(extents, source.element, bound=source.bound)
        variables = g.loop_variables(source.rank)
        at = {tile: list(variables), target: list(variables)}
        at[tile if tile.rank > target.rank else target].insert(d, const(0))
        g.put(Parallel([v.name for v in variables], source.shape, [Store(Load(tile, at[tile]), target, at[target])]))
        tile = g.written(target)
    steps.store(g, tile)


def once(g):
    tiles = [gathered(g, small(g)) for _ in range(g.pick(1, 1, 2, 3))]
    for tile in tiles:
        steps.store(g, combined(g, tile) if g.chance(0.7) else tile)


def again(g):
    """In a loop: what is gathered changes from iteration to iteration, and what has been is added up."""
    g.tag("gather_in_loop")
    count = g.rng.randrange(1, 5)
    shape = list(g.pick([1], [3], [8], [2, 2], [33]))
    element = g.pick("f32", "i32", "f16")
    own = g.computed(shape, element, "fragment" if g.chance(0.7) else "shared")
    total = g.tile([size_of(g), *shape], "f32", "fragment", bound=count * (own.bound + 8))
    g.filled(total)
    g.pool.remove(total)
    var = Var(g.name("u"), bound=count)
    body = []
    with g.scope(body, True):
        sent = g.tile(shape, element, bound=min(largest(element), own.bound + 8))
        variables = g.loop_variables(len(shape))
        step = cast(var, element)
        value = Binary("add", Load(own, variables), step)
        g.put(Parallel([v.name for v in variables], shape, [Store(value, sent, variables)]))
        tile = gathered(g, sent)
        variables = g.loop_variables(tile.rank)
        value = Binary("add", Load(total, variables), cast(Load(tile, variables), "f32"))
        g.put(Parallel([v.name for v in variables], tile.shape, [Store(value, total, variables)]))
    g.put(Loop(var.name, const(0), const(count), const(1), None, body))
    steps.store(g, g.written(total))


def program(g):
    g.program.meets, g.program.archs = True, ("sm_90", "sm_90a", "sm_100a")
    g.load()
    for _ in range(g.rng.randrange(1, 4)):
        kind = g.weighted({"step": 3, "once": 5, "again": 2, "singled": 1})
        if kind == "step":
            steps.step(g)
        elif kind == "singled":
            singled(g)
        else:
            (once if kind == "once" else again)(g)
    if not any(tag.startswith("gather_") for tag in g.program.tags):
        raise Unfit("no cluster gathers")
