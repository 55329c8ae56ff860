# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that are sorted, of which the largest are taken, and that regions combine; scans that carry on from piece to piece.

Keys are small integers, so that many are equal: their order is part of the result.
"""

import numpy as np

from elements import ELEMENTS, Unfit, check_exact
from expressions import const, mul
from moves import Copy, Region
from walks import outputs_of, walk

KEYS = ["f32", "f32", "f16", "bf16", "i32", "i8", "i16", "i64", "f64", "f8E4M3FN"]
LENGTHS = [1, 2, 3, 5, 8, 9, 16, 33, 64, 100, 128, 200, 256, 500, 512, 1000, 1024, 2048]


def read(env, *buffers):
    arrays = [env.array(buffer) for buffer in buffers]
    if any(np.isnan(array).any() for array in arrays):
        raise Unfit("reads what nothing wrote")
    return arrays


def order(keys, dim, descending):
    return np.argsort(-keys if descending else keys, axis=dim, kind="stable")


class Sort:
    def __init__(self, keys, payloads, dim, descending):
        self.keys, self.payloads, self.dim, self.descending = keys, payloads, dim, descending

    def emit(self, out):
        tiles = [self.keys, *self.payloads]
        word = " descending" if self.descending else ""
        out.line(f"tile.sort {', '.join('%' + t.name for t in tiles)} dim({self.dim}){word} : {', '.join(t.type for t in tiles)}")

    def run(self, env):
        arrays = read(env, self.keys, *self.payloads)
        places = order(arrays[0], self.dim, self.descending)
        for array in arrays:
            array[...] = np.take_along_axis(array, places, self.dim)


class TopK:
    def __init__(self, source, values, places, dim, smallest):
        self.source, self.values, self.places, self.dim, self.smallest = source, values, places, dim, smallest

    def emit(self, out):
        word = " smallest" if self.smallest else ""
        out.line(f"tile.topk %{self.source.name} to %{self.values.name}, %{self.places.name} dim({self.dim}){word}"
                 f" : {self.source.type} to {self.values.type}, {self.places.type}")

    def run(self, env):
        (source,) = read(env, self.source)
        count = self.places.shape[self.dim]
        places = order(source, self.dim, not self.smallest).take(range(count), self.dim)
        env.array(self.places)[...] = places
        env.array(self.values)[...] = np.take_along_axis(source, places, self.dim)


def signature(sources, targets):
    def types(tiles):
        return ", ".join(t.type for t in tiles)

    return f"({types(sources)}) to ({types(targets)})"


def names(tiles):
    return ", ".join("%" + t.name for t in tiles)


class Best:
    """The largest value of each row and, of those where it stands, the least place."""

    def __init__(self, sources, targets, dim, accumulate):
        self.sources, self.targets, self.dim, self.accumulate = sources, targets, dim, accumulate

    def emit(self, out):
        value, place = (t.element for t in self.sources)
        is_float = ELEMENTS[value].kind == "float"
        low, none = out.constant(-100, value), out.constant(1000, place)
        word = " accumulate" if self.accumulate else ""
        head = (f"tile.reduce_with ({names(self.sources)}) to ({names(self.targets)}) dim({self.dim})"
                f" neutral({low}, {none} : {value}, {place}){word} : {signature(self.sources, self.targets)} {{")
        with out.region(head):
            a, i, b, j = (out.name() for _ in range(4))
            out.lines.append(f"  ^bb0({a}: {value}, {i}: {place}, {b}: {value}, {j}: {place}):")
            greater = out.op(f"arith.cmpf ogt, {a}, {b} : {value}" if is_float else f"arith.cmpi sgt, {a}, {b} : {value}")
            equal = out.op(f"arith.cmpf oeq, {a}, {b} : {value}" if is_float else f"arith.cmpi eq, {a}, {b} : {value}")
            before = out.op(f"arith.cmpi slt, {i}, {j} : {place}")
            first = out.op(f"arith.andi {equal}, {before} : i1")
            take = out.op(f"arith.ori {greater}, {first} : i1")
            best = out.op(f"arith.select {take}, {a}, {b} : {value}")
            where = out.op(f"arith.select {take}, {i}, {j} : {place}")
            out.line(f"tile.yield {best}, {where} : {value}, {place}")

    def run(self, env):
        values, places = read(env, *self.sources)
        targets = [env.array(t) for t in self.targets]
        if self.accumulate:
            read(env, *self.targets)
            shape = list(values.shape)
            shape[self.dim] = 1
            values, places = (np.concatenate([t.reshape(shape), s], self.dim) for t, s in zip(targets, (values, places)))
        best = values.max(self.dim, keepdims=True)
        where = np.where(values == best, places, 1000).min(self.dim)
        targets[0][...] = best.reshape(targets[0].shape)
        targets[1][...] = where.reshape(targets[1].shape)


class Chain:
    """y[i] = a[i] * y[i - 1] + b[i], as a scan of pairs."""

    def __init__(self, tiles, dim, reverse, exclusive, carries):
        self.tiles, self.dim, self.reverse, self.exclusive, self.carries = tiles, dim, reverse, exclusive, carries

    def emit(self, out):
        element = self.tiles[0].element
        is_float = ELEMENTS[element].kind == "float"
        one, zero = out.constant(1, element), out.constant(0, element)
        words = " reverse" * self.reverse + " exclusive" * self.exclusive
        if self.carries:
            words += f" carry({names(self.carries)} : {', '.join(t.type for t in self.carries)})"
        head = (f"tile.scan_with ({names(self.tiles)}) to ({names(self.tiles)}) dim({self.dim})"
                f" neutral({one}, {zero} : {element}, {element}){words} : {signature(self.tiles, self.tiles)} {{")
        times, plus = ("arith.mulf", "arith.addf") if is_float else ("arith.muli", "arith.addi")
        with out.region(head):
            a, b, c, d = (out.name() for _ in range(4))
            out.lines.append(f"  ^bb0({a}: {element}, {b}: {element}, {c}: {element}, {d}: {element}):")
            both = out.op(f"{times} {a}, {c} : {element}")
            moved = out.op(f"{times} {b}, {c} : {element}")
            result = out.op(f"{plus} {moved}, {d} : {element}")
            out.line(f"tile.yield {both}, {result} : {element}, {element}")

    def run(self, env):
        a, b = read(env, *self.tiles)
        extent = a.shape[self.dim]
        check_exact(np.abs(b).sum(self.dim) + 100, self.tiles[0].element)
        rows = [np.moveaxis(x, self.dim, 0) for x in (a, b)]
        state = [np.ones(rows[0].shape[1:]), np.zeros(rows[0].shape[1:])]
        if self.carries:
            state = [x.reshape(state[0].shape).copy() for x in read(env, *self.carries)]
        for n in reversed(range(extent)) if self.reverse else range(extent):
            own = [rows[0][n].copy(), rows[1][n].copy()]
            after = [state[0] * own[0], state[1] * own[0] + own[1]]
            rows[0][n], rows[1][n] = state if self.exclusive else after
            state = after
        for carry, value in zip(self.carries, state):
            array = env.array(carry)
            array[...] = check_exact(value.reshape(array.shape), carry.element)


class CarriedScan:
    """A scan in place, exclusive or not, whose rows go on from piece to piece."""

    KINDS = {"sum": np.add, "max": np.maximum, "min": np.minimum}

    def __init__(self, kind, tile, carry, dim, reverse, exclusive):
        self.kind, self.tile, self.carry, self.dim, self.reverse, self.exclusive = kind, tile, carry, dim, reverse, exclusive

    def emit(self, out):
        words = " reverse" * self.reverse + " exclusive" * self.exclusive
        if self.carry:
            words += f" carry(%{self.carry.name} : {self.carry.type})"
        out.line(f"tile.scan {self.kind} %{self.tile.name} to %{self.tile.name} dim({self.dim}){words} : {self.tile.type} to {self.tile.type}")

    def run(self, env):
        (tile,) = read(env, self.tile)
        rows = np.moveaxis(tile, self.dim, 0)
        combine = self.KINDS[self.kind]
        if self.carry:
            (carry,) = read(env, self.carry)
            state = carry.reshape(rows.shape[1:]).copy()
        elif self.kind == "sum":
            state = np.zeros(rows.shape[1:])
        elif self.exclusive:
            raise Unfit("the first result is no integer")
        else:
            state = rows[-1 if self.reverse else 0].copy()
        for n in reversed(range(len(rows))) if self.reverse else range(len(rows)):
            after = combine(state, rows[n])
            rows[n] = state if self.exclusive else after
            state = after
        check_exact(tile, self.tile.element)
        if self.carry:
            carry[...] = check_exact(state.reshape(carry.shape), self.carry.element)


def lies(g):
    return g.pick("fragment", "fragment", "shared")


def shaped(g, length):
    """A shape with a row of that length, and which dimension it is."""
    rows = g.pick(1, 1, 2, 3, 4, 8)
    while rows * length > 4096:
        rows //= 2
    return g.pick(([length], 0), ([rows, length], 1), ([rows, length], 1), ([length, rows], 0), ([2, length, rows], 1) if rows * length <= 2048 else ([rows, length], 1))


def loaded(g, shape, element, bound=3, kind="smallint"):
    """A tile with a block's part of an argument."""
    source = g.argument([g.size("R", [shape[0], 2 * shape[0], 2 * shape[0] - 1]), *shape[1:]], element, kind=kind)
    tile = g.tile(shape, element, lies(g), bound=bound, layout=False)
    copy = Copy(Region(source, [mul(g.by, shape[0]), *[const(0)] * (len(shape) - 1)], shape), Region(tile))
    g.put(copy)
    return tile


def leave(g, *tiles):
    for tile in tiles:
        buffer, first = outputs_of(g, tile.shape, tile.element)
        g.put(Copy(Region(tile), Region(buffer, [*first, *[const(0)] * tile.rank], [1] * len(first) + tile.shape, True)))


def sorted_rows(g):
    shape, dim = shaped(g, g.pick(*LENGTHS))
    keys = loaded(g, shape, g.pick(*KEYS))
    payloads = [loaded(g, shape, g.pick("i32", "f16", "f32", "i64")) for _ in range(g.pick(0, 1, 1, 2))]
    g.tag("sorted", f"payloads{len(payloads)}")
    g.put(Sort(keys, payloads, dim, g.chance(0.5)))
    leave(g, keys, *payloads)


def selected(g):
    shape, dim = shaped(g, g.pick(*LENGTHS))
    source = loaded(g, shape, g.pick(*KEYS))
    small = list(shape)
    small[dim] = min(shape[dim], g.pick(1, 2, 3, 4, 6, 8, 9, 16, 50))
    values = g.tile(small, source.element, lies(g), bound=3, layout=False)
    places = g.tile(small, g.pick("i32", "i32", "i64"), lies(g), bound=4096, layout=False)
    g.tag("selected", "reductions" if small[dim] <= 8 else "network")
    g.put(TopK(source, values, places, dim, g.chance(0.3)))
    leave(g, values, places)


def best(g):
    shape, dim = shaped(g, g.pick(*LENGTHS))
    sources = [loaded(g, shape, g.pick("f32", "f16", "i32", "f64", "i8")), loaded(g, shape, g.pick("i32", "i64"))]
    small = [extent for d, extent in enumerate(shape) if d != dim]
    if not small or g.chance(0.2):
        small.insert(dim, 1)
    targets = [g.tile(small, s.element, lies(g), bound=100, layout=False) for s in sources]
    accumulate = g.chance(0.4)
    if accumulate:
        for target in targets:
            g.filled(target, g.rng.randrange(-2, 3))
    g.tag("best")
    g.put(Best(sources, targets, dim, accumulate))
    leave(g, *targets)


def carries_of(g, shape, dim, element, starts):
    rows = [extent for d, extent in enumerate(shape) if d != dim]
    if not rows or g.chance(0.2):
        rows.insert(dim, 1)
    tiles = [g.tile(rows, element, lies(g), bound=1 << 20, layout=False) for _ in starts]
    for tile, start in zip(tiles, starts):
        g.filled(tile, start)
    return tiles


def chained(g):
    shape, dim = shaped(g, g.pick(*LENGTHS))
    element = g.pick("f32", "f32", "i32", "f64")
    # a is -1, 0 or 1, so that products stay small.
    tiles = [loaded(g, shape, element, kind=f"range:-1:2:{g.rng.randrange(1000)}"), loaded(g, shape, element)]
    carries = carries_of(g, shape, dim, element, [1, 2]) if g.chance(0.5) else []
    g.tag("chained", "carry" if carries else "alone")
    g.put(Chain(tiles, dim, g.chance(0.4), g.chance(0.4), carries))
    leave(g, *tiles, *carries)


def carried(g):
    element = g.pick("f32", "i32", "f32", "f64", "f16")
    rows, piece = g.pick(1, 2, 4, 8), g.pick(16, 64, 100, 256, 512)
    length = piece * g.pick(1, 2, 3)
    kind = "max" if element == "f16" else g.pick("sum", "sum", "max", "min")
    source = g.argument([g.size("R", [1, 2, 3, rows]), length], element)
    tile = g.tile([rows, piece], element, "fragment", bound=1 << 13, layout=False)
    (carry,) = carries_of(g, [rows, piece], 1, element, [g.pick(-3, 0, 2)])
    g.tag("carried", kind)
    scan = CarriedScan(kind, tile, carry, 1, g.chance(0.3), g.chance(0.4))
    buffer, first = outputs_of(g, [rows, length], element)
    walk(g, source, tile, length, None, lambda var: [scan, Copy(Region(tile), Region(buffer, [*first, const(0), var], [1] * len(first) + tile.shape, True))])
    leave(g, carry)


def scanned(g):
    shape, dim = shaped(g, g.pick(*LENGTHS))
    element = g.pick("f32", "i32", "f16", "f64")
    tile = loaded(g, shape, element)
    g.tag("exclusive")
    g.put(CarriedScan("sum" if element != "f16" or shape[dim] <= 500 else "max", tile, None, dim, g.chance(0.5), element != "f16" or shape[dim] <= 500))
    leave(g, tile)


def program(g):
    if g.chance(0.6):
        g.program.threads = g.pick(32, 64, 96, 128, 160, 256, 384, 512)
    for _ in range(g.pick(1, 1, 2)):
        g.weighted({sorted_rows: 25, selected: 25, best: 20, chained: 15, carried: 15, scanned: 10})(g)
