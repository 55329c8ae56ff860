# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that are walked piece by piece, once or several times, as norms and softmax do; groups of columns; tiles read across.

What free layouts, rows that stay in shared memory, realigned loads and reductions over many warps are for: rows of any length
and element type, that start anywhere, threads from 32 to 1,024.
"""

from elements import ELEMENTS
from expressions import Binary, Load, Var, add, cast, const, mul
from moves import Copy, Region
from products import Reduce, View
from program import Buffer
from statements import Loop, Parallel, Store

KEPT_BYTES = 32 * 1024
# Elements of a row: below and above what --tile-keep-rows keeps, whole pieces and not, odd.
LENGTHS = [96, 257, 1000, 1001, 2048, 4096, 4999, 8192, 8200, 9001, 12288, 16384, 16385, 20000, 24576]


def outputs_of(g, shape, element):
    """A buffer in which each block has a part of its own, and the region of it."""
    lead = [g.grid(d) for d in reversed(range(len(g.program.grid)))]
    first = [Var(name, bound=64) for name in reversed(g.program.BLOCKS[: len(lead)])]
    buffer = g.argument([*lead, *shape], element, out=True, plain=True)
    return buffer, first


def into(buffer, first, tile, offsets):
    return Copy(Region(tile), Region(buffer, [*first, *offsets], [1] * len(first) + tile.shape, True))


def walk(g, source, tile, length, pad, body):
    """A loop that brings piece after piece, and does `body` with it."""
    var = Var(g.name("n"), bound=1 << 15)
    rows = tile.shape[0]
    copy = Copy(Region(source, [mul(g.by, rows), var]), Region(tile), pad)
    copy.source.sizes = list(tile.shape)
    g.put(Loop(var.name, const(0), const(length), const(tile.shape[1]), None, [copy, *body(var)]))


def reduced(kind, source, target):
    return Reduce(kind, source, target, 1, True)


def walked(g):
    """Largest element and sum of each row, then what a second walk makes of them."""
    element = g.pick("f16", "f16", "bf16", "i8", "f32", "i32", "f8E4M3FN")
    wide = "i32" if element.startswith("i") else "f32"
    rows, piece = g.pick(1, 1, 1, 2, 4), g.pick(64, 256, 512, 1024, 2048)
    lengths = [n for n in LENGTHS if n >= piece // 2 and n * rows <= 26000]
    kept = [n for n in lengths if n * rows * ELEMENTS[element].bits >= 8 * KEPT_BYTES]
    length = g.rng.choice(kept if kept and g.chance(0.6) else lengths)
    name = g.size("R", [1, 2, 3, rows])
    source = g.argument([name, length], element)
    tile = g.tile([rows, piece], wide, "fragment", bound=3, layout=False)
    top, total = (g.tile([rows], wide, "fragment", bound=1 << 17, layout=False) for _ in range(2))
    g.filled(top, -50)
    g.filled(total, 0)
    pads = [g.pick(None, None, -2), g.pick(None, None, -2)]
    if g.chance(0.5):
        pads[1] = pads[0]
    g.tag("walked", f"threads{g.program.threads}")
    together = g.chance(0.5)
    walk(g, source, tile, length, pads[0], lambda var: [reduced("max", tile, top)] + [reduced("sum", tile, total)] * together)
    if not together:
        walk(g, source, tile, length, pads[1], lambda var: [reduced("sum", tile, total)])
    if g.chance(0.7):
        buffer, first = outputs_of(g, [rows, length], g.pick(wide, wide, "f16" if wide == "f32" else "i32"))
        i, j = g.loop_variables(2)
        value = Binary("sub", Load(tile, [i, j]), Load(top, [i]))
        change = Parallel([i.name, j.name], tile.shape, [Store(value, tile, [i, j])])
        walk(g, source, tile, length, pads[1], lambda var: [change, into(buffer, first, tile, [const(0), var])])
    for result in (top, total):
        buffer, first = outputs_of(g, [rows], wide)
        g.put(into(buffer, first, result, [const(0)]))


def grouped(g):
    """Extrema of groups of columns, seen through a view, taken from each element of its group."""
    rows, groups, width = g.pick(1, 1, 2, 3), g.pick(2, 4, 8, 16), g.pick(16, 32, 64, 128)
    source = g.argument([g.size("R", [rows, 2 * rows, 2 * rows - 1]), groups * width], g.pick("f16", "f32", "bf16"))
    tile = g.tile([rows, groups * width], "f32", "fragment", bound=3, layout=False)
    seen = Buffer(g.name("seen"), [rows, groups, width], "f32", "fragment", 3)
    top = g.tile([rows, groups], "f32", "fragment", bound=3, layout=False)
    copy = Copy(Region(source, [mul(g.by, rows), const(0)], tile.shape), Region(tile))
    i, j, k = g.loop_variables(3)
    change = Parallel([i.name, j.name, k.name], seen.shape, [Store(Binary("sub", Load(seen, [i, j, k]), Load(top, [i, j])), seen, [i, j, k])])
    g.tag("grouped")
    g.put(copy, View(seen, tile), Reduce(g.pick("max", "min", "absmax"), seen, top, 2, False), change)
    for result in (tile, top):
        buffer, first = outputs_of(g, result.shape, g.pick("f32", "f16"))
        g.put(into(buffer, first, result, [const(0), const(0)]))


def across(g):
    """A tile that is read across: through shared memory, or registers alone."""
    m, n = g.pick(8, 16, 32, 64, 48), g.pick(8, 16, 32, 64, 40)
    element = g.pick("f16", "f32", "i8", "bf16", "i32", "f64")
    source = g.argument([g.size("M", [m, 2 * m, 2 * m - 3]), g.size("N", [n, n - 1, n + 8])], element)
    tile = g.tile([m, n], element, g.pick("shared", "shared", "fragment"), bound=3, layout=False)
    turned = g.tile([n, m], element, "fragment", bound=3, layout=False)
    i, j = g.loop_variables(2)
    g.tag("across")
    g.put(Copy(Region(source, [mul(g.by, m), const(0)], [m, n]), Region(tile)),
          Parallel([i.name, j.name], [n, m], [Store(Load(tile, [j, i]), turned, [i, j])]))
    buffer, first = outputs_of(g, [n, m], element)
    g.put(into(buffer, first, turned, [const(0), const(0)]))


def program(g):
    if g.chance(0.6):
        g.program.threads = g.pick(32, 64, 96, 128, 160, 256, 384, 512, 768, 1024)
    for _ in range(g.pick(1, 1, 2)):
        g.weighted({walked: 60, grouped: 20, across: 20})(g)
