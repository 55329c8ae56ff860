# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows named by indices: gathers and scatters, with indices from matrices, loops, shared tiles and fragments."""

import steps
from expressions import Apply, Dim, Var, add, cast, const, mul
from moves import Copy, Gather, Region, Scatter
from products import Gemm
from statements import Loop


def indices(g, rows, unique):
    """A buffer of indices, and the first that belongs to this block."""
    kind = g.pick("fragment", "shared") if unique else g.pick("global", "global", "fragment", "shared")
    element = g.pick("i32", "i32", "i64")
    if kind == "global":
        length = g.size("L", [rows, 2 * rows, 3 * rows - 2])
        return g.argument([length], element, plain=True), mul(g.by, rows)
    tile = g.tile([rows], element, kind, bound=4096, layout=False)
    if unique:
        # Rows of each block its own, in a mixed order.
        turned = g.chance(0.5)
        width = rows + g.pick(0, 3)

        def value(v):
            (i,) = v
            place = Apply(f"{rows - 1} - d0", lambda x: rows - 1 - x, i) if turned else i
            found = add(mul(add(mul(g.by, 64), g.bx), width), add(place, 1))
            return cast(found, element)

        g.parallel(tile, value)
        g.pool.remove(tile)  # indices are no numbers for others
    else:
        source = g.argument([g.size("L", [rows, 2 * rows])], element, plain=True)
        g.put(Copy(Region(source, [mul(g.by, rows)], [rows]), Region(tile)))
    return tile, const(0)


def gather(g):
    rows, columns = g.rows, g.columns
    element = g.element()
    while element == "i1":
        element = g.element()
    named, first = indices(g, rows, False)
    source = g.argument([g.size("L", [3, 4, 9]), "N"], element)
    tile = g.tile([rows, columns], element, bound=3)
    column = g.pick(mul(g.bx, columns), mul(g.bx, columns), const(0), const(3))
    g.tag(f"gather_{named.space}")
    g.put(Gather(source, column, named, first, tile))
    return g.written(tile)


def scatter(g):
    found = [t for t in g.tiles() if t.rank == 2 and t.element != "i1"]
    tile = g.rng.choice(found or [g.load()])
    named, first = indices(g, tile.shape[0], True)
    rows = (64 * 4 + 8) * (tile.shape[0] + 3)
    if rows * tile.shape[1] > 60000:
        return
    if g.batch:
        return
    buffer = g.argument([g.size("R", [rows, rows // 2, 40]), g.size("L", [tile.shape[1], tile.shape[1] - 1 or 1, tile.shape[1] + 9])], tile.element, out=True)
    g.tag("scatter")
    g.put(Scatter(tile, g.pick(const(0), const(0), const(2)), named, first, buffer))


def gathered_product(g):
    """A product whose rows are gathered, in a loop over K."""
    element = g.pick("f16", "f16", "bf16", "f8E4M3FN")
    m, n, k = g.rows, g.columns, g.pick(16, 32, 64)
    size = g.size("K", [k, 2 * k, 3 * k, 3 * k - 8, k - 3])
    named, first = indices(g, m, False)
    x = g.argument([g.size("L", [3, 4, 9]), size], element)
    w = g.argument([size, "N"], element)
    tile_x, tile_w = g.tile([m, k], element, "shared", bound=3), g.tile([k, n], element, "shared", bound=3)
    product = g.filled(g.tile([m, n], "f32", "fragment", bound=9 * 256))
    var = Var(g.name("k"), bound=4096)
    g.tag("gathered_product", "pipelined")
    body = [Gather(x, var, named, first, tile_x), Copy(Region(w, [var, mul(g.bx, n)], [k, n]), Region(tile_w)), Gemm(tile_x, tile_w, product)]
    g.put(Loop(var.name, const(0), Dim(x, 1), const(k), g.pick(1, 2, 3, 4), body))
    steps.store(g, product)
    return product
