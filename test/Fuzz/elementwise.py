# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that say what each element does: copies as loops over elements, rows that a table names, iterations that a
table skips, sums by atomics of many iterations, products a slice of K at a time, loops of a thread in a loop over threads."""

from types import SimpleNamespace

import loops
import steps
from expressions import Binary, Compare, Const, Dim, Load, Select, Var, add, cast, const, mul
from moves import Copy, Region
from products import Gemm
from statements import If, Loop, Parallel, Store, ThreadLoop

ELEMENTS = ["f32", "f16", "f16", "bf16", "i32", "i8"]


def place_of_block(g):
    """The first extents of an output of which each block has its own part, and their indices."""
    lead = [g.grid(d) for d in reversed(range(len(g.program.grid)))]
    return lead, [Var(name, bound=64) for name in reversed(g.program.BLOCKS[: len(lead)])]


def parallel(g, variables, shape, store):
    g.put(Parallel([v.name for v in variables], shape, [store]))


def copy_by_loop(g):
    """Into a tile, from a part of a matrix that lies inside; back into an output. In some programs a stride, or turned."""
    shape, element = [g.rows, g.columns], g.rng.choice(ELEMENTS)
    row, column, step = g.pick(0, 0, 1, 8), g.pick(0, 0, 3, 8, 16), g.pick(1, 1, 1, 1, 2)
    turned = g.chance(0.15)
    extents = [row + shape[0], column + (shape[1] - 1) * step + 1]
    source = g.argument(list(reversed(extents)) if turned else extents, element)
    tile = g.tile(shape, element, "shared", bound=3)
    i, j = variables = g.loop_variables(2)
    where = [add(i, row), add(mul(j, step), column)]
    g.tag("copy_by_loop")
    parallel(g, variables, shape, Store(Load(source, list(reversed(where)) if turned else where), tile, variables))
    g.written(tile)
    steps.step(g)
    if tile in g.pool and g.chance(0.6):
        lead, first = place_of_block(g)
        out = g.argument([*lead, *shape], element, out=True)
        variables = g.loop_variables(2)
        parallel(g, variables, shape, Store(Load(tile, variables), out, [*first, *variables]))


def loop_of_copies(g):
    """A pipelined loop whose tiles come by loops over elements."""
    upper, least, name = loops.trips(g, 5)
    shape, element = [g.rows, g.columns], g.rng.choice(ELEMENTS)
    source = g.argument([name, *shape], element)
    upper = upper or Dim(source, 0)
    tile = g.tile(shape, element, "shared", bound=3)
    total = g.filled(g.tile(shape, "f32", "fragment", bound=64))
    var, body = Var(g.name("t"), bound=16), []
    g.tag("loop_of_copies", "pipelined")
    with g.scope(body, least == 0):
        g.loops.append(var)
        variables = g.loop_variables(2)
        parallel(g, variables, shape, Store(Load(source, [var, *variables]), tile, variables))
        g.written(tile)
        g.parallel(total, depth=1)
        g.loops.pop()
    g.put(Loop(var.name, const(0), upper, const(1), g.pick(1, 2, 3), body))
    steps.store(g, total)


def table_of(g, length):
    return g.argument([length], "i32", plain=True)


def rows_of_table(g):
    """Rows named by a table, zeros where it is negative, an element at a time."""
    shape, element = [g.rows, g.columns], g.rng.choice(ELEMENTS)
    table = table_of(g, g.rows)
    count = g.pick(1, 4, 9)
    source = g.argument([count, g.columns + g.pick(0, 0, 8, 3)], element)
    tile = g.tile(shape, element, g.pick("shared", "shared", "fragment"), bound=3)
    i, j = variables = g.loop_variables(2)
    named = Load(table, [i])
    row = cast(Binary("remu", Binary("and", named, Const(15, "i32")), Const(count, "i32")), "index")
    value = Load(source, [row, j])
    g.tag("rows_of_table")
    if g.chance(0.8):
        value = Select(Compare("ge", named, Const(0, "i32")), value, Const(0, element), lazy=True)
    parallel(g, variables, shape, Store(value, tile, variables))
    g.written(tile)
    steps.step(g)


def skipped(g):
    """A product over K of the blocks that a table names; or a sum of them."""
    element = g.pick("f16", "f16", "bf16", "f32")
    m, n, k = g.rows, g.columns, g.pick(16, 32, 64)
    upper, least, name = loops.trips(g, 5)
    a = g.argument([name, "M", k], element)
    b = g.argument([name, k, "N"], element)
    table = g.argument([name], "i32", plain=True)
    upper = upper or Dim(a, 0)
    tile_a, tile_b = g.tile([m, k], element, "shared", bound=3), g.tile([k, n], element, "shared", bound=3)
    product = g.filled(g.tile([m, n], "f32", "fragment", bound=9 * 64 * 8))
    var = Var(g.name("k"), bound=16)
    then = [Copy(Region(a, [var, mul(g.by, m), const(0)], [1, m, k]), Region(tile_a)),
            Copy(Region(b, [var, const(0), mul(g.bx, n)], [1, k, n]), Region(tile_b)), Gemm(tile_a, tile_b, product)]
    if g.chance(0.3):
        then.append(Copy(Region(tile_a), Region(g.tile([m, k], element, "fragment", bound=3))))
    g.tag("skipped", "pipelined")
    body = [If(Compare(g.pick("ge", "gt", "lt", "ne"), Load(table, [var]), Const(0, "i32")), then)]
    g.put(Loop(var.name, const(0), upper, const(1), g.pick(1, 2, 3, 4), body))
    steps.store(g, g.written(product))


def sums(g):
    """Many iterations add to one element: of a row, of a column, of all."""
    element = g.pick("f32", "f32", "i32", "f16", "f64")
    tile = g.rng.choice(g.tiles([g.rows, g.columns], element=element) or [g.load([g.rows, g.columns], element)])
    if tile.rank != 2 or tile.bound > 64:
        return
    i, j = variables = g.loop_variables(2)
    along = g.pick("row", "row", "column", "all")
    kept, extent = {"row": (i, tile.shape[0]), "column": (j, tile.shape[1]), "all": (const(0), 1)}[along]
    value = g.fit(Load(tile, variables), element)
    guard = Compare("lt", g.pick(i, j), const(5)) if g.chance(0.15) else None
    g.tag(f"sums_{along}_{element}")
    if g.chance(0.5):
        total = g.filled(g.tile([extent + 1], element, "shared", bound=4096, layout=False))
        parallel(g, variables, tile.shape, Store(value, total, [add(kept, g.pick(0, 1))], guard, atomic="add"))
        steps.store(g, total)
    else:
        lead, first = place_of_block(g)
        out = g.argument([*lead, extent], element, out=True, kind="zeros")
        parallel(g, variables, tile.shape, Store(value, out, [*first, kept], guard, atomic="add"))


def loops_of_threads(g):
    """Each thread moves pieces of a few neighbouring elements in loops of its own, some through rows of its own."""
    shape, element = [g.rows, g.columns], g.rng.choice([*ELEMENTS, "f64"])
    total, piece = g.rows * g.columns, g.pick(2, 4, 4, 8, 8, 16, 3)
    pieces = [n for n in (1, 2, 3, 4, 8, 16, 20) if total % (piece * n) == 0 and total // (piece * n) <= 1024]
    if not pieces:
        return
    count = g.rng.choice(pieces)
    threads = total // (piece * count)
    source = g.load(shape, element, "shared") if g.chance(0.6) else g.argument([*shape], element)
    if source.bound is not None and source.bound > 64:
        return
    tile = g.tile(shape, element, g.pick("shared", "shared", "fragment"), bound=128)
    first, step = g.pick(0, 0, 0, 8, 1), g.pick(1, 1, 1, 2)
    i, k, v = (Var(g.name("i"), bound=4096) for _ in range(3))
    inner = add(v, -first) if first else v
    inner = Binary("divu", inner, const(step)) if step > 1 else inner
    flat = add(add(mul(mul(k, threads), piece), mul(i, piece)), inner)
    place = [Binary("divu", flat, const(g.columns)), Binary("remu", flat, const(g.columns))]
    g.tag("loops_of_threads", f"piece_{piece}")

    def loop(body):
        return ThreadLoop(v.name, first, piece, step, body)

    value = Load(source, place)
    kind = g.pick("row", "row", "straight", "twice")
    if kind == "row":
        row = g.tile([threads, piece + (first if step == 1 else first + step * piece)], element, "fragment", bound=128, layout=False)
        body = [loop([Store(value, row, [i, v])])]
        if g.chance(0.6):
            body.append(loop([Store(Binary("add", Load(row, [i, v]), Const(1, element)), row, [i, v])]))
        body.append(loop([Store(Load(row, [i, v]), tile, place)]))
    elif kind == "straight":
        body = [loop([Store(value, tile, place)])]
    else:  # what an iteration has written itself
        body = [loop([Store(value, tile, place), Store(Binary("add", Load(tile, place), Load(source, place)), tile, place)])]
    if tile.space == "fragment":  # by indices that are no fragment's own: through shared memory
        g.tag("piece_of_fragment")
    g.put(Parallel([i.name], [threads], [ThreadLoop(k.name, 0, count, 1, body)]))
    g.written(tile)
    steps.store(g, tile)


class ColumnSlices:
    """A product of each slice along K of two tiles, summed up."""

    def __init__(self, name, gemm, count):
        self.name, self.gemm, self.count = name, gemm, count

    def emit(self, out):
        gemm, name = self.gemm, self.name
        width = gemm.a.shape[0 if gemm.transpose_a else 1] // self.count
        for word, number in (("first", 0), ("one", 1), ("end", self.count), ("width", width)):
            out.line(f"%{name}_{word} = arith.constant {number} : index")
        out.line(f"scf.for %{name} = %{name}_first to %{name}_end step %{name}_one {{")
        out.line(f"  %{name}_at = arith.muli %{name}, %{name}_width : index")
        slices = []
        for side, tile, dim in (("a", gemm.a, 0 if gemm.transpose_a else 1), ("b", gemm.b, 1 if gemm.transpose_b else 0)):
            shape, offsets = list(tile.shape), ["0", "0"]
            shape[dim], offsets[dim] = width, f"%{name}_at"
            seen = tile.type.replace("x".join(map(str, tile.shape)), "x".join(map(str, shape)), 1).replace(
                f"x{tile.element},", f"x{tile.element}, strided<[{tile.shape[1]}, 1], offset: ?>,", 1)
            out.line(f"  %{name}_{side} = memref.subview %{tile.name}[{', '.join(offsets)}] [{shape[0]}, {shape[1]}] [1, 1] : {tile.type} to {seen}")
            slices.append(SimpleNamespace(name=f"{name}_{side}", type=seen))
        Gemm(*slices, gemm.c, gemm.transpose_a, gemm.transpose_b).emit(out)
        out.line("}")

    def run(self, env):
        self.gemm.run(env)


def slices_of_k(g):
    element = g.pick("f16", "f16", "bf16", "f32")
    m, n, k = g.rows, g.columns, g.pick(32, 64)
    transpose_a, transpose_b = g.chance(0.2), g.chance(0.5)
    a = g.load([k, m] if transpose_a else [m, k], element, "shared")
    b = g.load([n, k] if transpose_b else [k, n], element, "shared")
    if a.bound > 3 or b.bound > 3:
        return
    product = g.filled(g.tile([m, n], "f32", "fragment", bound=9 * 64))
    g.tag("slices_of_k")
    g.put(ColumnSlices(g.name("k"), Gemm(a, b, product, transpose_a, transpose_b), g.pick(2, k // 16)))
    steps.store(g, product)


def program(g):
    for _ in range(g.pick(1, 1, 2)):
        g.rng.choice([copy_by_loop, loop_of_copies, rows_of_table, rows_of_table, skipped, skipped, sums, slices_of_k, loops_of_threads, loops_of_threads])(g)
        if g.chance(0.4):
            steps.step(g)
