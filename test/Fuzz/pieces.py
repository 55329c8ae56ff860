# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that several copies fill: what a loop copies to a tile of shared memory in one piece is copied part by part, as pages of
a cache are.

Most parts lie side by side and make up the tile, so that its copies may run ahead together. Some have common elements, so that
the last one wins; some leave a part of the tile as it was before the loop; one may be filled with a number. What the parts hold
may come from another place of the source each.
"""

from elements import ELEMENTS
from expressions import add, const
from moves import Copy, Fill, Region
from statements import If, Loop


def bounds_of(g, extent):
    """Where parts of a dimension begin and end: equal ones, or others."""
    count = g.pick(2, 2, 2, 3, 4)
    if extent < count:
        return None
    if extent % count == 0 and g.chance(0.7):
        return [(n * extent // count, (n + 1) * extent // count) for n in range(count)]
    cuts = sorted(g.rng.sample(range(1, extent), count - 1))
    return list(zip([0, *cuts], [*cuts, extent]))


def parts_of(g, copy, before):
    """The copies that stand in a copy's place; what has to stand in front of the loop is added to `before`."""
    tile = copy.target.buffer
    sizes = copy.source.sizes
    lead = len(sizes) - tile.rank
    whole = type(copy) is Copy and tile.space == "shared" and copy.target.offsets is None and copy.target.sizes == tile.shape
    if not whole or lead < 0 or sizes[lead:] != tile.shape or ELEMENTS[tile.element].bits < 8 or copy.token or copy.completes:
        return [copy]
    dim = g.rng.randrange(tile.rank) if g.chance(0.3) else 0
    bounds = bounds_of(g, tile.shape[dim])
    if bounds is None:
        return [copy]
    g.tag("in_parts")
    places = list(range(len(bounds)))
    if g.chance(0.3) and len({end - start for start, end in bounds}) == 1:
        g.tag("parts_elsewhere")
        g.rng.shuffle(places)
    # What outlives an iteration of a loop that blocks share has to be a sum.
    shared = {"split", "stream_k"} & set(g.program.attributes)
    kind = "side_by_side" if shared else g.weighted({"side_by_side": 12, "common": 2, "left_out": 2, "filled": 2})
    g.tag(f"parts_{kind}")
    found = []
    for (start, end), place in zip(bounds, places):
        if kind == "common" and start and g.chance(0.7):
            start -= g.rng.randrange(1, start + 1)
            place = None
        extent = end - start
        here, there = [const(0)] * tile.rank, list(copy.source.offsets or [const(0)] * len(sizes))
        here[dim] = const(start)
        first = start if place is None else bounds[place][0]
        there[lead + dim] = add(there[lead + dim], first) if first else there[lead + dim]
        part = list(tile.shape)
        part[dim] = extent
        found.append(Copy(Region(copy.source.buffer, there, sizes[:lead] + part, True), Region(tile, here, part, True), copy.pad, copy.attributes))
    if kind in ("left_out", "filled"):
        at = g.rng.randrange(len(found))
        if kind == "filled":
            found[at] = Fill(found[at].target, g.pick(0, 1))
        else:
            before.append(Fill(Region(tile), g.pick(0, 1)))
            del found[at]
    if kind != "common" and g.chance(0.3):
        g.rng.shuffle(found)
    return found


def divide(g, statements):
    """The statements with the copies of pipelined loops in parts, but for some."""
    result = []
    for statement in statements:
        if isinstance(statement, If):
            statement.then, statement.other = divide(g, statement.then), divide(g, statement.other)
        if isinstance(statement, Loop):
            statement.body = divide(g, statement.body)
            if statement.stages is not None:
                body = []
                for inner in statement.body:
                    body += parts_of(g, inner, result) if isinstance(inner, Copy) and g.chance(0.75) else [inner]
                statement.body = body
        result.append(statement)
    return result
