# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of straight code: tiles computed, copied, reduced, filled in part, changed under a guard; and what is stored."""

from elements import ELEMENTS, largest
from expressions import Binary, Compare, Const, Dim, Load, Var, add, cast, const, mul
from generator import FIRST_SHIFTED, OUT_WEIGHTS
from moves import Atomic, Await, Copy, Fill, Region
from products import ConvertLayout, CopyReshaped, Reduce, Scan
from statements import If, Loop, Parallel, Store, inside

SUMMED = ("f32", "f16", "bf16", "f64", "i32", "i16", "i64", "i8")


def copy_tile(g):
    """A tile into another of any space and type, whole or in part."""
    source = g.rng.choice(g.tiles() or [g.load()])
    element = source.element
    if g.chance(0.35) and element != "i1":
        element = g.weighted(OUT_WEIGHTS)
        if largest(element) < source.bound:
            element = source.element
    target = g.tile(source.shape, element, bound=source.bound)
    g.tag(f"copy_{source.space}_{target.space}")
    if source.space == target.space == "fragment" and source.element == element and g.chance(0.4):
        g.tag("convert_layout")
        g.put(ConvertLayout(source, target))
    elif g.chance(0.3):
        part_copy(g, source, target)
    else:
        g.put(Copy(Region(source), Region(target)))
    return g.written(target)


def part_copy(g, source, target):
    """Two parts; the rest of the target is filled before."""
    g.tag("part_copy")
    g.put(Fill(Region(target), 1 if target.element == "i1" else g.rng.randrange(-2, 3)))
    d = g.rng.randrange(source.rank)
    if source.shape[d] < 2:
        return g.put(Copy(Region(source), Region(target)))
    cut = g.rng.randrange(1, source.shape[d])
    sizes, rest = list(source.shape), list(source.shape)
    sizes[d], rest[d] = cut, source.shape[d] - cut
    start = [const(0)] * source.rank
    behind = list(start)
    behind[d] = const(cut)
    g.put(Copy(Region(source, start, sizes, True), Region(target, start, sizes, True)))
    if g.chance(0.5):
        g.put(Copy(Region(source, behind, rest, True), Region(target, behind, rest, True)))
    elif rest[d] <= cut:  # the first elements once more, further down
        g.put(Copy(Region(source, start, rest, True), Region(target, behind, rest, True)))


def fill_part(g):
    tile = g.rng.choice(g.tiles() or [g.computed()])
    d = g.rng.randrange(tile.rank)
    size = g.rng.randrange(1, tile.shape[d] + 1)
    at = g.rng.randrange(tile.shape[d] - size + 1)
    sizes, offsets = list(tile.shape), [const(0)] * tile.rank
    sizes[d], offsets[d] = size, const(at)
    g.tag(f"part_fill_{tile.space}")
    g.put(Fill(Region(tile, offsets, sizes, True), 1))


def rounds(g):
    """Pieces of a fragment, one after the other: a loop whose index says where each begins."""
    found = [t for t in g.tiles() if t.space == "fragment" and t.element in SUMMED]
    source = g.rng.choice(found or [g.computed(element=g.pick("f32", "i32"), space="fragment")])
    d = g.rng.randrange(source.rank)
    pieces = [c for c in range(1, source.shape[d] + 1) if source.shape[d] % c == 0 and source.shape[d] // c <= 16]
    piece = g.rng.choice(pieces)
    count = source.shape[d] // piece
    shape = list(source.shape)
    shape[d] = piece
    isSum = source.bound * count <= largest(source.element)
    target = g.tile(shape, source.element, "fragment", bound=source.bound * (count if isSum else 1))
    g.filled(target, 0)
    g.pool.remove(target)
    var = Var(g.name("u"), bound=count)
    body = []
    with g.scope(body, False):
        def value(v):
            at = list(v)
            at[d] = add(mul(var, piece), v[d])
            old = Load(target, v)
            found = Binary("add" if isSum else "max", old, Load(source, at))
            found.bound = target.bound
            return found
        g.parallel(target, value)
    g.put(Loop(var.name, const(0), const(count), const(1), None, body))
    g.tag("rounds")
    return g.written(target)


def reduce(g):
    found = [t for t in g.tiles() if t.rank >= 2 and t.element in SUMMED]
    source = g.rng.choice(found or [g.load(element=g.pick(*SUMMED))])
    d = g.rng.randrange(source.rank)
    kind = g.pick("sum", "max", "min", "abssum", "absmax")
    bound = source.bound
    if kind in ("sum", "abssum"):
        bound *= source.shape[d]
    if bound > largest(source.element):
        kind, bound = "max", source.bound
    shape = [extent for e, extent in enumerate(source.shape) if e != d]
    if g.chance(0.15):
        shape.insert(d, 1)
    target = g.tile(shape, source.element, bound=min(largest(source.element), 2 * bound))
    accumulate = g.chance(0.3)
    if accumulate:
        g.filled(target, g.rng.randrange(-2, 3))
    g.tag(f"reduce_{source.space[0]}{target.space[0]}")
    g.put(Reduce(kind, source, target, d, accumulate))
    return g.written(target)


def scan(g):
    """Of a tile in place, or into another one."""
    found = [t for t in g.tiles() if t.element in SUMMED]
    source = g.rng.choice(found or [g.load(element=g.pick(*SUMMED))])
    d = g.rng.randrange(source.rank)
    kind = g.pick("sum", "max", "min")
    bound = source.bound * (source.shape[d] if kind == "sum" else 1)
    if bound > largest(source.element):
        kind, bound = "max", source.bound
    target = source if g.chance(0.3) and bound == source.bound else g.tile(source.shape, source.element, bound=bound)
    g.tag(f"scan_{source.space[0]}{target.space[0]}")
    g.put(Scan(kind, source, target, d, g.chance(0.4)))
    return g.written(target)


def reshape(g):
    """A tile into one of another shape, through a view."""
    found = [t for t in g.tiles() if t.space in ("shared", "fragment") and not t.layout]
    source = g.rng.choice(found or [g.load()])
    extents = list(source.shape)
    d = g.rng.randrange(len(extents))
    factors = [f for f in (2, 4, 8, 16) if extents[d] % f == 0]
    if source.rank > 1 and g.chance(0.4):
        shape = extents[:-2] + [extents[-2] * extents[-1]]
    elif factors:
        factor = g.rng.choice(factors)
        shape = extents[:d] + [extents[d] // factor, factor] + extents[d + 1:]
    else:
        shape = [1] + extents
    target = g.tile(shape, source.element, bound=source.bound)
    g.tag(f"view_{source.space}")
    g.put(CopyReshaped(g.name("seen"), source, target))
    return g.written(target)


def update(g):
    """A tile changed in place."""
    found = [t for t in g.tiles() if t.element != "i1"]
    if found:
        g.parallel(g.rng.choice(found))


def update_part(g):
    """A loop over some rows of a tile, or over a column of it."""
    found = [t for t in g.tiles() if t.rank == 2 and t.element != "i1"]
    if not found:
        return
    tile = g.rng.choice(found)
    rows = g.rng.randrange(1, tile.shape[0] + 1)
    columns = g.pick(1, tile.shape[1], g.rng.randrange(1, tile.shape[1] + 1))
    start, at = g.rng.randrange(tile.shape[0] - rows + 1), g.rng.randrange(tile.shape[1] - columns + 1)
    i, j = g.loop_variables(2)
    g.pool.remove(tile)
    value = g.expression((i, j), (rows, columns), tile.element, 1)
    g.pool.append(tile)
    g.tag(f"part_update_{tile.space}")
    g.put(Parallel([i.name, j.name], [rows, columns], [Store(g.stored(value, tile), tile, [add(i, start), add(j, at)])]))


def guard(g, *steps):
    """Statements under a condition on the block or a scalar; in some programs others in the `else`."""
    kind = g.pick("block", "block", "scalar", "column")
    if kind == "scalar":
        condition = Compare(g.pick("lt", "ge", "eq"), g.scalar([-1, 0, 1, 2]), Const(g.rng.randrange(-1, 2), "i32"))
    else:
        block = g.by if kind == "block" else g.bx
        condition = Compare(g.pick("eq", "ne", "lt"), block, const(g.rng.randrange(0, 2)))
    then, other = [], []
    with g.scope(then, True):
        g.rng.choice(steps)(g)
    if g.chance(0.3):
        with g.scope(other, True):
            g.rng.choice(steps)(g)
    if then:
        g.tag("guarded")
        g.put(If(condition, then, other))


def reload(g):
    """A tile of the pool loaded once more, what it held is gone."""
    # Matrices and stacks of them have tiles of rank 2 and 3; views may have more.
    found = [t for t in g.tiles() if t.space in ("shared", "fragment") and t.bound >= 3 and t.rank <= 3]
    if found:
        g.tag("reloaded")
        g.load(into=g.rng.choice(found))


# -- results


def _out_element(g, tile):
    if tile.element == "i1" or g.chance(0.6):
        return tile.element
    element = g.weighted(OUT_WEIGHTS)
    enough = min(tile.bound, 512)  # what sums really are; where they are more the seed makes another program
    return element if largest(element) >= enough else tile.element


def begin(g, buffer, dim, block, edge):
    """Where a block's part of an output begins along a dimension: at its multiple of `edge`; of some seeds all blocks by so
    much before or behind, or counted from the last element, so that the first part may begin before the first element."""
    own = mul(block, edge)
    if g.program.seed < FIRST_SHIFTED:
        return own
    # Tensor copies begin at multiples of 16 bytes of a row.
    unit = 1 if dim + 1 < buffer.rank else max(1, 128 // ELEMENTS[buffer.element].bits)
    unit = unit if g.chance(0.8) else 1
    kind = g.weighted({"own": 2, "before": 3, "behind": 1, "number": 3, "end": 3})
    g.tag(f"begins_{kind}")
    if kind == "before":
        return add(own, -unit * g.rng.randrange(1, 1 + max(1, (edge + 9) // unit)))
    if kind == "behind":
        return add(own, unit * g.rng.randrange(1, 1 + max(1, edge // unit)))
    if kind == "number":
        most = max(1, edge // unit)
        return add(own, mul(cast(g.scalar([-most - 1, -most, -1, 0, 1, most]), "index"), unit))
    if kind == "end":
        return add(Dim(buffer, dim), mul(add(block, 1), -edge))
    return own


def target(g, tile, turned=False, element=None, kind=None):
    """An output for a tile of each block: buffer, offsets, sizes, which dimensions may overhang."""
    element = element or _out_element(g, tile)
    shape = list(reversed(tile.shape)) if turned else list(tile.shape)
    if tile.shape == [g.rows, g.columns] and g.chance(0.65):
        names, blocks = ["M", "N"], [(g.by, g.rows), (g.bx, g.columns)]
        if turned:
            names, blocks = names[::-1], blocks[::-1]
        lead, first = (["B"], [g.batch]) if g.batch else ([], [])
        buffer = g.argument(lead + names, element, out=True, kind=kind or "smallint")
        starts = [begin(g, buffer, len(lead) + d, b, edge) for d, (b, edge) in enumerate(blocks)]
        return buffer, first + starts, [1] * len(lead) + shape
    if len(g.program.grid) == 2 and g.chance(0.25):
        # Blocks by number, some beyond the end; one that lies outside of the grid has the number of one inside.
        buffer = g.argument([g.size("L", [4, 9, 24]), *shape], element, out=True, kind=kind or "smallint")
        g.tag("numbered_blocks")
        return buffer, [add(mul(g.by, g.pick(2, 4, 8)), g.bx)] + [const(0)] * len(shape), [1] + shape
    lead = [g.grid(d) for d in reversed(range(len(g.program.grid)))]
    first = [Var(name, bound=64) for name in reversed(g.program.BLOCKS[: len(lead)])]
    buffer = g.argument(lead + shape, element, out=True, kind=kind or "smallint")
    return buffer, first + [const(0)] * len(shape), [1] * len(lead) + shape


def store(g, tile, after=None):
    """The tile into an output, by one of several ways."""
    kinds = {"whole": 40, "parts": 12, "guarded": 8, "turned": 8, "atomic": 4}
    if tile.space == "shared":
        kinds["token"] = 8
    if ELEMENTS[tile.element].bits < 8:
        del kinds["atomic"], kinds["guarded"], kinds["turned"]
    kind = g.weighted(kinds)
    g.tag(f"store_{kind}_{tile.space[0]}")
    if kind in ("guarded", "turned"):
        return _store_by_loop(g, tile, kind == "turned")
    if kind == "atomic":
        if tile.element not in ("f16", "bf16", "f32", "f64", "i32", "i64"):
            kind = "whole"
        else:
            buffer, offsets, sizes = target(g, tile, element=tile.element)
            return g.put(Atomic("add", Region(tile), Region(buffer, offsets, sizes, g.chance(0.5))))
    buffer, offsets, sizes = target(g, tile)
    words = ["prefer = #tile.copy_instruction<scalar>"] if g.chance(0.04) else ["disable_tma"] if g.chance(0.05) else []
    if kind == "token":
        token = g.name("t")
        g.put(Copy(Region(tile), Region(buffer, offsets, sizes, True), None, words, token))
        if after and g.chance(0.5):
            g.put(Await([token], read=True))
            after()
        g.put(Await([token]))
    elif kind == "parts" and tile.shape[0] > 1:
        cut, lead = g.rng.randrange(1, tile.shape[0]), len(sizes) - tile.rank
        for start, rows in ((0, cut), (cut, tile.shape[0] - cut)):
            part = [rows, *tile.shape[1:]]
            there = list(offsets)
            there[lead] = add(there[lead], start)
            here = [const(start)] + [const(0)] * (tile.rank - 1)
            g.put(Copy(Region(tile, here, part, True), Region(buffer, there, sizes[:lead] + part, True), None, words))
    else:
        g.put(Copy(Region(tile), Region(buffer, offsets, sizes, g.chance(0.5)), None, words))


def _store_by_loop(g, tile, turned):
    turned = turned and tile.rank == 2
    buffer, offsets, sizes = target(g, tile, turned)
    variables = g.loop_variables(tile.rank)
    order = list(reversed(variables)) if turned else variables
    lead = len(sizes) - tile.rank
    places = offsets[:lead] + [add(o, v) for o, v in zip(offsets[lead:], order)]
    condition = inside([Dim(buffer, d) for d in range(buffer.rank)], places)
    value = cast(Load(tile, variables), buffer.element)
    g.put(Parallel([v.name for v in variables], tile.shape, [Store(value, buffer, places, condition)]))


def store_again(g):
    """A tile stored, changed and stored again; or stored to two places."""
    found = [t for t in g.tiles() if t.element != "i1"]
    if not found:
        return
    tile = g.rng.choice(found)
    g.tag("stored_twice")
    store(g, tile, after=lambda: g.parallel(tile))
    if g.chance(0.7):
        g.parallel(tile)
    store(g, tile)


def round_trip(g):
    """A block's part of an output is stored and read again by the same block."""
    found = [t for t in g.tiles() if t.shape == [g.rows, g.columns] and t.element != "i1"]
    if not found:
        return
    tile = g.rng.choice(found)
    buffer, offsets, sizes = target(g, tile, element=tile.element)
    g.tag("round_trip")
    g.put(Copy(Region(tile), Region(buffer, offsets, sizes, True)))
    back = g.tile(tile.shape, tile.element, bound=max(3, tile.bound))
    g.put(Copy(Region(buffer, offsets, sizes, True), Region(back)))
    g.written(back)
    if g.chance(0.5):
        g.parallel(back)
    # What threads may still read is stored again: their own tile, or the first one, changed.
    if g.chance(0.6):
        last = g.rng.choice([back, tile])
        if last is tile and g.chance(0.5):
            g.parallel(tile)
        g.put(Copy(Region(last), Region(buffer, offsets, sizes, True)))


def straight_through(g):
    """From one matrix to another without a tile between."""
    element = g.element()
    source = g.argument(["M", "N"], element)
    lead = [g.batch] if g.batch else []
    names = (["B"] if g.batch else []) + ["M", "N"]
    buffer = g.argument(names, element, out=True)
    there = [mul(g.by, g.rows), mul(g.bx, g.columns)]
    g.tag("global_to_global")
    where = [g.offset(g.by, g.rows), g.offset(g.bx, g.columns)] if g.chance(0.5) else there
    g.put(Copy(Region(source, where, [g.rows, g.columns], True), Region(buffer, lead + there, [1] * len(lead) + [g.rows, g.columns], True)))


def fill_output(g):
    """A fill of a matrix itself."""
    shape = [g.rows, g.columns]
    element = g.element()
    names = (["B"] if g.batch else []) + ["M", "N"]
    buffer = g.argument(names, element, out=True)
    lead = [g.batch] if g.batch else []
    g.tag("fill_global")
    g.put(Fill(Region(buffer, lead + [mul(g.by, g.rows), mul(g.bx, g.columns)], [1] * len(lead) + shape, True), 1))


def halo(g):
    """A tile with a border, and sums of its neighbours."""
    element = g.pick("f32", "f16", "i32", "f32")
    wide = [g.rows + 2, g.columns + 2]
    source = g.argument(g.matrix([g.rows, g.columns]), element)
    border = g.tile(wide, element, g.pick("shared", "shared", "fragment"), bound=3)
    g.put(Copy(Region(source, [add(mul(g.by, g.rows), -1), add(mul(g.bx, g.columns), -1)], wide, True), Region(border)))
    g.tag("halo")

    def value(indices):
        i, j = indices
        found = Load(border, [i, add(j, 1)])
        for di, dj in ((1, 0), (1, 2), (2, 1)):
            found = Binary(g.pick("add", "sub", "max"), found, Load(border, [add(i, di), add(j, dj)]))
        return found

    return g.parallel(g.tile([g.rows, g.columns], element, bound=12), value)


def unpack(g):
    """Four bits of each word: tiles of weights in narrow integers."""
    rows, words = g.rows, max(1, g.columns // 8)
    element = g.pick("i32", "i32", "i8")
    count = 8 if element == "i32" else 2
    packed = g.load([rows, words], element, g.pick("shared", "shared", "fragment"))
    g.tag("unpacked")

    def value(indices):
        i, j = indices
        place = Binary("mul", Binary("remu", j, const(count)), const(4))
        word = Load(packed, [i, Binary("divu", j, const(count))])
        found = Binary("sub", Binary("and", Binary("shr", word, cast(place, element)), Const(15, element)), Const(8, element))
        found.bound = 8
        return cast(found, target_element)

    target_element = g.pick("f16", "bf16", "f32", "i32")
    return g.parallel(g.tile([rows, words * count], target_element, bound=8), value)


STEPS = {unpack: 4, copy_tile: 12, fill_part: 4, rounds: 5, reduce: 12, update: 12, update_part: 5, reload: 4, store_again: 6, round_trip: 3, straight_through: 3,
         fill_output: 2, halo: 4, scan: 6, reshape: 5}


def step(g):
    kind = g.rng.choices([*STEPS, "guard", "load", "compute"], [*STEPS.values(), 8, 12, 14])[0]
    if kind == "guard":
        return guard(g, update, copy_tile, reload, fill_part, update_part, reduce)
    if kind == "load":
        return g.load()
    if kind == "compute":
        return g.computed()
    return kind(g)
