# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over elements that gather rows by hand: rows of a tensor of two to four dimensions, which a table of one to three names,
with guards as front ends write them, and with guards that no gather has; as a tile of its own, or as an operand in a loop.
"""

from expressions import Binary, Both, Compare, Const, Dim, GuardedLoad, Load, Var, add, cast, const, mul
from products import Gemm
from statements import Loop, Parallel, Store
from walks import into, outputs_of

import loops


def fixed(g):
    """An index that the loop does not change, and the extent of the dimension that it is of."""
    kind = g.pick("block", "block", "constant", "constant", "counter")
    if kind == "block":
        d = g.pick(0, 1)
        return (g.bx, g.by)[d], g.grid(d)
    if kind == "counter" and g.loops:
        return g.loops[-1], g.extent_of[g.loops[-1].name]
    extent = g.rng.randrange(1, 4)
    return const(g.rng.randrange(extent)), extent


def compare(g, predicate, a, b):
    """A comparison, or the same one mirrored."""
    mirrored = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
    return Compare(mirrored[predicate], b, a) if g.chance(0.3) else Compare(predicate, a, b)


def gathered(g, rows, columns, element, first, length, column, width):
    """A tile in shared memory with rows of a tensor, from a loop over its elements.

    first, length: the table's row that the tile's first is named by, and the extent of the table along it. column, width: likewise
    of the tensor.
    """
    leading = [fixed(g) for _ in range(g.pick(0, 0, 1, 1, 2))]
    along = g.rng.randrange(len(leading) + 1)
    many = g.size("R", [3, 4, 9])
    shape = [extent for _, extent in leading]
    shape.insert(along, many)
    source = g.argument([*shape, width], element)
    names = [fixed(g) for _ in range(g.pick(0, 0, 1, 2))]
    table = g.argument([*(extent for _, extent in names), length], g.pick("i32", "i32", "i64"), plain=g.chance(0.7))
    tile = g.tile([rows, columns], element, "shared", bound=3)
    i, j = g.loop_variables(2)
    row = Load(table, [*(index for index, _ in names), add(first, i)])
    if g.chance(0.07):
        inside = compare(g, "lt", add(first, i), Dim(table, len(names)))
        row = GuardedLoad(inside, row, Const(0, table.element))
    index = cast(row, "index")
    places = [value for value, _ in leading]
    places.insert(along, index)
    element_of = Load(source, [*places, add(column, j)])
    wide = g.chance(0.5)
    named, end = (index, Dim(source, along)) if wide else (row, cast(Dim(source, along), table.element))
    zero, minus = (const(0), const(-1)) if wide else (Const(0, table.element), Const(-1, table.element))
    below = compare(g, "lt", named, end)
    above = compare(g, "ge", named, zero) if g.chance(0.7) else compare(g, "gt", named, minus)
    conditions = [below, above]
    # Guards that a gather has not: other rows are zero, too.
    if g.chance(0.08):
        conditions.append(compare(g, "gt", named, zero))
    if g.chance(0.05):
        conditions.append(compare(g, "lt", i, const(g.rng.randrange(rows + 1))))
    # A tensor of fewer blocks than the grid, or so it may seem.
    for d, (value, _) in enumerate(leading):
        if g.chance(0.1):
            conditions.append(compare(g, "lt", value, Dim(source, d + (d >= along))))
    if g.chance(0.2):
        conditions.append(compare(g, "lt", add(column, j), Dim(source, len(leading) + 1)))
    if g.chance(0.1):
        conditions.append(compare(g, "lt", add(first, i), Dim(table, len(names))))
    g.rng.shuffle(conditions)
    condition = conditions[0]
    for other in conditions[1:]:
        condition = Both(condition, other)
    other = Const(0 if g.chance(0.95) else 1, element)
    g.put(Parallel([i.name, j.name], [rows, columns], [Store(GuardedLoad(condition, element_of, other), tile, [i, j])]))
    g.tag("named")
    return tile


def alone(g):
    """Rows that are gathered once: first of the table those of this block."""
    rows, columns = g.rows, g.columns
    element = g.pick("f16", "f16", "f32", "bf16", "i8", "i32")
    length, width = g.size("L", [4 * rows]), g.size("W", [4 * columns])
    first = g.pick(mul(g.by, rows), const(0), const(g.rng.randrange(rows)))
    column = g.pick(mul(g.bx, columns), const(0), const(g.pick(1, 8, columns)))
    g.written(gathered(g, rows, columns, element, first, length, column, width))


def product(g):
    """A product with one or two operands whose rows are gathered, in a loop: attention over rows that a table names."""
    element = g.pick("f16", "f16", "bf16")
    rows, k, n = g.pick(16, 32, 64), g.pick(16, 32, 64), g.pick(16, 32, 64)
    trips = loops.trips(g, 4)[2]
    length = g.name("L")
    for run in g.program.runs:
        run[length] = run[trips] * rows
    least = min(run[length] for run in g.program.runs)
    counted = g.argument([length, 4], "f32")
    total = g.filled(g.tile([rows, n], "f32", "fragment", bound=1 << 16, layout=False))
    other = g.tile([n, k], element, "shared", bound=3, layout=False)
    g.load(into=other)
    var = Var(g.name("k"), bound=4096)
    g.tag("named_product", "pipelined")
    body = []
    with g.scope(body, least == 0):
        tile = gathered(g, rows, k, element, var, length, g.pick(const(0), const(8)), g.size("W", [k + 8, 2 * k, 2 * k + 4]))
        if g.chance(0.3):
            i, j = g.loop_variables(2)
            doubled = g.tile([rows, k], element, "shared", bound=6)
            twice = Binary("add", Load(tile, [i, j]), Load(tile, [i, j]))
            twice.bound = 6
            g.put(Parallel([i.name, j.name], [rows, k], [Store(twice, doubled, [i, j])]))
            tile = doubled
        g.put(Gemm(tile, other, total, False, True, False, []))
    g.put(Loop(var.name, const(0), Dim(counted, 0), const(rows), g.pick(1, 2, 2, 3, 4), body))
    buffer, at = outputs_of(g, [rows, n], "f32")
    g.put(into(buffer, at, total, [const(0), const(0)]))
    if g.chance(0.3):
        g.program.attributes["specialize"] = g.pick("true", "false")


def program(g):
    if g.chance(0.5):
        g.program.threads = g.pick(128, 128, 256, 64, 384)
        product(g)
        return
    for _ in range(g.rng.randrange(1, 3)):
        alone(g)
