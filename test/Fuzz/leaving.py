# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that leave the block within a loop: products whose sum goes to global memory in each iteration, beside products that
are summed up over all of them, as in the backward pass of attention; blocks that work off several tiles.

What tokens, staged stores that nobody waits for, the order of products and barriers by groups of warps are for.
"""

from elements import largest
from expressions import Binary, Const, Dim, Load, Var, cast, const, mul
from gemms import limited
from moves import Atomic, Copy, Region
from products import Gemm, Reduce
from statements import Loop, Parallel, Store
from walks import into, outputs_of

TAKEN = 8  # the largest operand that is computed


def weights(g, scores, more, target):
    """An operand of the next products, out of one result or of two."""
    def value(v):
        found = limited(scores, v, TAKEN)
        if more:
            other = limited(more, v, 3)
            found = Binary("sub", found, other)
            found.bound = TAKEN + 3
        return cast(found, target.element)

    variables = g.loop_variables(2)
    return Parallel([x.name for x in variables], target.shape, [Store(value(variables), target, variables)])


def leave(g, tile, rows_of, row):
    """What takes a tile of an iteration to global memory: statements, and tiles that they need."""
    kind = g.weighted({"atomic": 5, "store": 4, "sum": 1})
    g.tag(f"leaves_{kind}")
    if kind == "atomic":
        buffer = g.argument([rows_of, tile.shape[1]], "f32", out=True, plain=True)
        words = ["disable_tma"] if g.chance(0.15) else []
        return [Atomic("add", Region(tile), Region(buffer, [row, const(0)], tile.shape, True), words)]
    if kind == "sum":
        total = g.tile([tile.shape[0]], "f32", "fragment", bound=1 << 20, layout=False)
        buffer, first = outputs_of(g, [rows_of], "f32")
        return [Reduce("sum", tile, total, 1), Copy(Region(total), Region(buffer, [*first, row], [1] * len(first) + total.shape, True))]
    element = g.pick("f32", "f32", "bf16", "f16")
    if largest(element) < tile.bound:
        element = "f32"
    buffer, first = outputs_of(g, [rows_of, tile.shape[1]], element)
    to = Region(buffer, [*first, row, const(0)], [1] * len(first) + tile.shape, True)
    if g.chance(0.4):
        g.tag("leaves_staged")
        staged = g.tile(tile.shape, element, "shared", bound=tile.bound, layout=False)
        return [Copy(Region(tile), Region(staged)), Copy(Region(staged), to)]
    return [Copy(Region(tile), to)]


def program(g):
    g.program.threads = g.pick(128, 128, 256, 256, 384, 64)
    element = g.pick("f16", "bf16")
    # Keys of a block, queries of an iteration, columns of both.
    k, q, d = g.pick(64, 64, 128, 32), g.pick(16, 32, 64, 64), g.pick(32, 64, 64, 128)
    keys, queries = g.size("K", [k, 2 * k, 3 * k, 5 * k, 2 * k - 3]), g.size("Q", [q, 2 * q, 3 * q, 4 * q, 2 * q + 5, 0])
    matrices = {name: g.argument([rows, d], element) for name, rows in zip("kvqo", (keys, keys, queries, queries))}
    two = g.chance(0.6)
    tiles = {name: g.tile([rows, d], element, "shared", bound=3, layout=False) for name, rows in zip("kvqo", (k, k, q, q))}
    fragment = lambda shape, kind="f32", bound=1 << 20: g.tile(shape, kind, "fragment", bound=bound, layout=False)
    scores, more = fragment([k, q], bound=9 * d), fragment([k, q], bound=9 * d) if two else None
    taken, changed = fragment([k, q], element, TAKEN), fragment([k, q], element, TAKEN + 3)
    sums = [fragment([k, d]) for _ in range(g.pick(1, 2, 2))]
    part = fragment([q, d], bound=(TAKEN + 3) * 3 * k)
    through = g.tile([k, q], element, "shared", bound=TAKEN + 3, layout=False)
    for name in "kv" if two else "k":
        g.put(Copy(Region(matrices[name], [mul(g.by, k), const(0)], [k, d]), Region(tiles[name])))
    for total in sums:
        g.filled(total)
    g.tag("leaving", "pipelined")
    var = Var(g.name("m"), bound=4096)
    copies = [Copy(Region(matrices[name], [var, const(0)], [q, d]), Region(tiles[name])) for name in "qo"]
    body = [*copies, Gemm(tiles["k"], tiles["q"], scores, False, True, True)]
    if two:
        body.append(Gemm(tiles["v"], tiles["o"], more, False, True, True))
    body += [weights(g, scores, None, taken), weights(g, scores, more, changed)]
    left = leave(g, part, queries, var)
    if g.chance(0.3):
        i, j = g.loop_variables(2)
        left.insert(0, Parallel([i.name, j.name], part.shape, [Store(Binary("mul", Load(part, [i, j]), Const(2, "f32")), part, [i, j])]))
    lone = [Copy(Region(changed), Region(through)), Gemm(through, tiles["k"], part, True, False, True), *left]
    summed = [Gemm(operand, tiles[name], total) for operand, name, total in zip((taken, changed), "oq", sums)]
    # In any order that keeps each list's own: which products are issued first is the compiler's choice.
    order = [lone] * len(lone) + [summed] * len(summed) if g.chance(0.5) else [summed] * len(summed) + [lone] * len(lone)
    if g.chance(0.5):
        g.rng.shuffle(order)
    counts = {id(lone): 0, id(summed): 0}
    for group in order:
        body.append(group[counts[id(group)]])
        counts[id(group)] += 1
    g.put(Loop(var.name, const(0), Dim(matrices["q"], 0), const(q), g.pick(1, 2, 2, 3), body))
    for total in sums:
        element = g.pick("f32", "f32", "bf16")
        buffer, first = outputs_of(g, [k, d], "f32" if largest(element) < total.bound else element)
        g.put(into(buffer, first, total, [const(0), const(0)]))
    if g.chance(0.6):
        g.program.attributes["persistent"] = f"{g.pick(1, 1, 2)} : i64"
        g.tag("persistent")
    if g.chance(0.2):
        g.program.attributes["specialize"] = "false"
