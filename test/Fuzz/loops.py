# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that bring tiles: pipelined ones of every trip count, nested, with tiles rewritten, stored, used afterwards."""

import steps
from expressions import Apply, Binary, Compare, Const, Dim, Load, Var, add, cast, const, mul
from moves import Atomic, Copy, Region
from statements import If, Loop, Parallel, Store

TRIPS = [0, 1, 1, 2, 2, 3, 4, 5, 7]


def trips(g, most=7):
    """An upper bound for a loop of step one: its expression, its least number, a name for the extent of what it brings."""
    numbers = [t for t in TRIPS if t <= most]
    kind = g.pick("constant", "scalar", "dim", "block")
    if kind == "constant":
        number = g.rng.choice(numbers)
        return const(number), number, g.size("T", [max(1, number)])
    name = g.size("T", numbers)
    least = min(run[name] for run in g.program.runs)
    if kind == "scalar":
        scalar = g.name("n")
        g.program.scalars.append((scalar, "index"))
        for run in g.program.runs:
            run[scalar] = run[name]
        return Var(scalar, bound=64), least, name
    if kind == "block":
        g.tag("trips_by_block")
        number = g.rng.randrange(0, 3)
        return add(Binary("remu", g.pick(g.bx, g.by), const(3)), number), number, g.size("T", [number + 2])
    return None, least, name  # the first dimension of what it brings


def body_step(g, fresh, accumulator):
    """One statement of a loop's body."""
    kind = g.weighted({"accumulate": 30, "rewrite": 14, "scratch": 12, "store": 8, "guarded": 8, "step": 6, "reduce": 6})
    if kind == "accumulate":
        if fresh in g.pool and accumulator is not None:
            g.parallel(accumulator)
    elif kind == "rewrite":
        g.tag("stage_rewritten")
        g.parallel(fresh)
    elif kind == "scratch":
        g.computed(depth=1)
    elif kind == "store":
        store_in_loop(g, fresh)
    elif kind == "guarded":
        then = []
        with g.scope(then, True):
            g.parallel(accumulator)
        g.tag("guarded_in_loop")
        g.put(If(Compare(g.pick("lt", "ge", "eq"), g.loops[-1], const(g.rng.randrange(0, 3))), then))
    elif kind == "reduce":
        steps.reduce(g)
    else:
        g.rng.choice([steps.copy_tile, steps.update, steps.fill_part, steps.update_part])(g)


def store_in_loop(g, tile):
    """Iteration t stores to matrix t of a stack, of each block its own."""
    if any(v.name not in g.extent_of for v in g.loops):
        return
    names = [g.extent_of[v.name] for v in g.loops]
    lead = [g.grid(d) for d in reversed(range(len(g.program.grid)))]
    first = [Var(name, bound=64) for name in reversed(g.program.BLOCKS[: len(lead)])]
    g.tag("store_in_loop")
    buffer = g.argument([*names, *lead, *tile.shape], tile.element, out=True, plain=True)
    if buffer.rank > 5:
        g.tag("rank_over_5")  # more dimensions than a tensor copy has
    g.put(Copy(Region(tile), Region(buffer, [*g.loops, *first] + [const(0)] * tile.rank, [1] * (len(names) + len(lead)) + tile.shape, True)))


def pipelined(g, level=0):
    """A loop over a stack of matrices, a tile of each in every iteration."""
    upper, least, name = trips(g, 7 if level == 0 else 3)
    shape = [g.rows, g.columns] if g.chance(0.8) else [g.pick(g.rows, g.columns)]
    element = g.element()
    while element == "i1":
        element = g.element()
    var = Var(g.name("t"), bound=16)
    stages = g.pick(1, 2, 2, 3, 3, 4, 5)
    g.tag("pipelined", f"stages{stages}")
    source = g.argument([name, *g.matrix(shape)], element)
    if upper is None:
        upper = Dim(source, 0)
    fresh = g.tile(shape, element, g.pick("shared", "shared", "shared", "fragment"), bound=8)
    accumulator = g.tile(shape if g.chance(0.8) else [g.rows, g.columns], g.pick("f32", "f32", "f16", "i32", "bf16"), bound=64)
    g.filled(accumulator, g.rng.randrange(-1, 3))
    if g.chance(0.15):
        g.filled(fresh, 1)
    g.extent_of[var.name] = name
    body = []
    with g.scope(body, least == 0):
        g.loops.append(var)
        if g.chance(0.12) and fresh in g.pool:
            g.tag("rewrite_before_load")
            g.parallel(fresh)
        index = var
        if g.chance(0.1):
            g.tag("loaded_address")
            table = g.argument([16], "i32", kind="smallint")
            index = cast(Load(table, [var]), "index")
        elif g.chance(0.1):
            index = Apply("d0 floordiv 2", lambda v: v // 2, var)
        bring(g, fresh, source, index, shape)
        for _ in range(g.rng.randrange(1, 4)):
            body_step(g, fresh, accumulator)
        if level == 0 and g.chance(0.2):
            g.tag("nested")
            pipelined(g, 1)
        if g.chance(0.7):
            g.parallel(accumulator, depth=1)
        g.loops.pop()
    stages = None if g.chance(0.12) else stages
    g.put(Loop(var.name, const(0), upper, const(1), stages, body))
    if fresh in g.pool and g.chance(0.35):
        g.tag("used_after_loop")
        g.parallel(accumulator, depth=1)
    elif g.chance(0.2):
        g.tag("reused_after_loop")
        g.load(into=fresh)
    return accumulator


def bring(g, fresh, source, index, shape):
    """The copy of an iteration, in some programs under a condition."""
    blocks = (g.by, g.bx) if len(shape) == 2 else (g.pick(g.by, g.bx),)
    offsets = [index] + [g.offset(b, e) for b, e in zip(blocks, shape)]
    pad = g.pick(1, 2) if g.chance(0.1) else None
    words = ["disable_tma"] if g.chance(0.05) else []
    copy = Copy(Region(source, offsets, [1, *shape], g.chance(0.4)), Region(fresh), pad, words)
    if fresh in g.pool and g.chance(0.25):
        g.tag("conditional_copy")
        g.put(If(Compare(g.pick("lt", "ge"), g.loops[-1], const(g.rng.randrange(0, 3))), [copy]))
    else:
        g.put(copy)
        g.written(fresh)


def plain_for(g):
    """scf.for around statements that load and change tiles."""
    upper, least, name = trips(g, 3)
    if upper is None:
        number = g.rng.randrange(0, 4)
        upper, least, name = const(number), number, g.size("T", [max(1, number)])
    var = Var(g.name("t"), bound=16)
    g.extent_of[var.name] = name
    body = []
    with g.scope(body, least == 0):
        g.loops.append(var)
        for _ in range(g.rng.randrange(1, 4)):
            g.rng.choice([steps.update, steps.reload, steps.copy_tile, g_load, steps.fill_part, steps.reduce])(g)
        g.loops.pop()
    if body:
        g.tag("for")
        g.put(Loop(var.name, const(0), upper, const(1), None, body))


def g_load(g):
    return g.load()


def histogram(g):
    """Counts by atomics of a loop over elements, in shared or global memory."""
    element = g.pick("i32", "f32")
    bins = g.pick(4, 8, 33)
    source = g.rng.choice(g.tiles(element="i32") or [g.load(element="i32")])
    lead = [g.grid(d) for d in reversed(range(len(g.program.grid)))]
    first = [Var(name, bound=64) for name in reversed(g.program.BLOCKS[: len(lead)])]
    variables = g.loop_variables(source.rank)
    place = cast(Binary("remu", Binary("and", Load(source, variables), Const(15, "i32")), Const(bins, "i32")), "index")
    g.tag("histogram")
    one = Const(1, element)
    if g.chance(0.5):
        counts = g.filled(g.tile([bins], element, "shared", bound=4096, layout=False))
        g.put(Parallel([v.name for v in variables], source.shape, [Store(one, counts, [place], atomic="add")]))
        steps.store(g, counts)
    else:
        buffer = g.argument([*lead, bins], element, out=True, kind="zeros")
        g.put(Parallel([v.name for v in variables], source.shape, [Store(one, buffer, [*first, place], atomic="add")]))


def block_atomics(g):
    """Blocks of a column combine their tiles in one place."""
    element = g.pick("f32", "i32", "f32", "f16", "f64", "i64")
    tile = g.rng.choice(g.tiles([g.rows, g.columns], element=element) or [g.load([g.rows, g.columns], element)])
    kind = g.pick("add", "max", "min") if element in ("f32", "i32", "i64") else "add"
    buffer = g.argument([g.rows, "N"], element, out=True)
    g.tag(f"atomic_{kind}_{element}")
    g.put(Atomic(kind, Region(tile), Region(buffer, [const(0), mul(g.bx, g.columns)], [g.rows, g.columns], True)))
