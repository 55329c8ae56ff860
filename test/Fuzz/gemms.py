# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products: a loop over K with everything that may stand in it, products of tiles at hand, chains of two, attention, convolutions."""

import loops
import steps
from elements import ELEMENTS, largest
from expressions import Binary, Compare, Const, Dim, Load, Select, Var, cast, const, mul
from moves import Await, Copy, Im2col, Region
from products import Gemm, Reduce, SlicedGemms
from statements import If, Loop

TYPES = [("f16", "f16", "f32")] * 8 + [("bf16", "bf16", "f32")] * 3 + [
    ("f16", "f16", "f16"), ("f32", "f32", "f32"), ("f32", "f32", "f32"), ("f64", "f64", "f64"), ("i8", "i8", "i32"), ("i8", "i8", "i32"),
    ("f8E4M3FN", "f8E4M3FN", "f32"), ("f8E4M3FN", "f8E5M2", "f32"), ("f8E5M2", "f8E5M2", "f32"), ("f8E4M3FN", "f8E4M3FN", "f16")]
STEPS_OF_K = [8, 16, 16, 32, 32, 32, 64, 64, 24, 48, 4, 128]


def words(g, a):
    found = []
    if a == "f32" and g.chance(0.4):
        found.append("precision = #tile.precision<ieee>")
    if g.chance(0.15):
        found.append(f"policy = #tile.warp_policy<{g.pick('square', 'full_row', 'full_col')}>")
    return found


def split(g, wide=False):
    """A loop over K whose iterations the blocks of a cluster share (`split`): it leaves nothing but its product behind."""
    known = list(g.pool)
    product = kloop(g, wide, plain=True, layouts=not wide)
    g.pool = [*known, product]
    g.program.attributes["split"] = f"{g.pick(2, 3, 4)} : i64"
    g.program.archs = ("sm_90a", "sm_100a")
    g.tag("split")
    return product


def stream(g, wide=False):
    """A loop over K of tiles that blocks share, as far as tiles are left beyond whole rounds (`stream_k`): it leaves nothing but its product behind."""
    known = list(g.pool)
    product = kloop(g, wide, plain=True, layouts=not wide, types=[types for types in TYPES if types[2] != "f16"])
    g.pool = [*known, product]
    g.program.attributes["persistent"] = f"{g.pick(1, 1, 2)} : i64"
    g.program.attributes["stream_k"] = f"{g.pick(2, 3, 4, 8, 16)} : i64"
    # The loops here are short.
    if g.chance(0.9):
        g.program.attributes["tile.stream_least"] = f"{g.pick(0, 0, 0, 1, 2)} : i64"
    g.tag("stream")
    return product


def kloop(g, wide=False, plain=False, layouts=True, types=TYPES):
    """C += A B over K; `plain`: with nothing else in the loop; `layouts`: some of the program's own."""
    a, b, c = g.rng.choice(types)
    m, n = g.rows, g.columns
    if wide:
        m, n = g.pick(64, 128), g.pick(64, 128, 32, 256 if g.program.threads >= 256 else 64)
    k = g.rng.choice([s for s in STEPS_OF_K if (m + n) * s <= 24576])
    trip = loops.trips(g, 5)[2]
    size = g.name("K")
    for run in g.program.runs:
        run[size] = max(0, run[trip] * k - (g.rng.randrange(0, k) if g.chance(0.3) and run[trip] else 0))
    least = min(run[size] for run in g.program.runs)
    ta, tb = g.chance(0.25), g.chance(0.4)
    own_m = "M" if m == g.rows else g.size("L", [m, 2 * m, m - 3])
    own_n = "N" if n == g.columns else g.size("L", [n, 2 * n, n - 3])
    matrix_a = g.argument([size, own_m] if ta else [own_m, size], a)
    matrix_b = g.argument([own_n, size] if tb else [size, own_n], b)
    fragment_a = g.chance(0.12)
    tile_a = g.tile([k, m] if ta else [m, k], a, "fragment" if fragment_a and not ta else "shared", bound=6, layout=g.chance(0.3) and layouts)
    tile_b = g.tile([n, k] if tb else [k, n], b, "shared", bound=6, layout=g.chance(0.3) and layouts)
    product = g.tile([m, n], c, "fragment", bound=min(largest(c), 36 * 4096), layout=g.chance(0.5) and layouts)
    clear = not plain and g.chance(0.04)
    g.filled(product, g.rng.randrange(-1, 3) if g.chance(0.3) else 0)
    g.tag("kloop", f"gemm_{a}_{c}")
    counted = g.chance(0.35)  # the loop counts steps, not elements
    var = Var(g.name("k"), bound=4096)
    at = mul(var, k) if counted else var
    extent = Dim(matrix_a, 0 if ta else 1)
    upper, step = (Binary("ceildiv", extent, const(k)), 1) if counted else (extent, k)
    body, second = [], None
    if not plain and g.chance(0.1):
        second = g.filled(g.tile([m, n], c, "fragment", bound=product.bound, layout=False))
    row, column = mul(g.by, m), mul(g.bx, n)
    if g.chance(0.12):
        row = g.offset(g.by, m)
    if g.chance(0.12):
        column = g.offset(g.bx, n)
    with g.scope(body, least == 0):
        g.loops.append(var)
        copies = [Copy(Region(matrix_a, [at, row] if ta else [row, at], says=g.chance(0.3), sizes=tile_a.shape), Region(tile_a)),
                  Copy(Region(matrix_b, [column, at] if tb else [at, column], says=g.chance(0.3), sizes=tile_b.shape), Region(tile_b))]
        if g.chance(0.3):
            copies.reverse()
        g.put(*copies)
        for tile in (tile_a, tile_b):
            g.written(tile)
            if not plain and g.chance(0.08):
                g.tag("gemm_scaled")
                scale = g.pick(2, -1)
                g.parallel(tile, lambda v, tile=tile: scaled(tile, v, scale))
        gemm = Gemm(tile_a, tile_b, product, ta, tb, clear, words(g, a))
        if a == "i8" and g.chance(0.25):
            gemm.unsigned = (False, g.chance(0.5))
        g.put(*([gemm] if plain else guarded(g, gemm, var, 1 if counted else k)))
        if second is not None:
            g.tag("two_gemms")
            g.put(Gemm(tile_a, tile_b, second, ta, tb, False, []))
            g.written(second)
        if not plain and g.chance(0.1) and c in ("f32", "i32"):
            g.tag("rescaled")
            limit = g.pick(50, 100)
            g.parallel(product, lambda v: limited(product, v, limit))
        if not plain and g.chance(0.1):
            g.tag("operand_used")
            loops.body_step(g, g.pick(tile_a, tile_b), product)
        g.loops.pop()
    stages = g.pick(1, 2, 2, 3, 3, 4, 5)
    g.tag("pipelined", f"stages{stages}")
    g.put(Loop(var.name, const(0), upper, const(step), stages, body))
    return product


def scaled(tile, indices, number):
    value = cast(Load(tile, indices, bound=3), ELEMENTS[tile.element].arithmetic)
    return Binary("mul", value, Const(number, value.element))


def limited(tile, indices, limit):
    value = Load(tile, indices)
    found = Binary("min", Binary("max", value, Const(-limit, value.element)), Const(limit, value.element))
    found.bound = limit
    return found


def guarded(g, gemm, var, step):
    if g.chance(0.08):
        g.tag("gemm_guarded")
        return [If(Compare(g.pick("lt", "ge"), var, const(step * g.rng.randrange(0, 3))), [gemm])]
    return [gemm]


def product_of_tiles(g, token=False):
    """One product of tiles that are loaded or computed here."""
    a, b, c = g.rng.choice(TYPES)
    m, n, k = g.rows, g.columns, g.pick(8, 16, 32, 64)
    ta, tb = g.chance(0.3), g.chance(0.4)
    space = "fragment" if g.chance(0.25) and not ta else "shared"
    shape_a, shape_b = [k, m] if ta else [m, k], [n, k] if tb else [k, n]
    tile_a = g.load(shape_a, a, space) if g.chance(0.6) else operand(g, shape_a, a, space)
    tile_b = g.load(shape_b, b, "shared") if g.chance(0.6) else operand(g, shape_b, b, "shared")
    product = g.tile([m, n], c, "fragment", bound=min(largest(c), 36 * 64))
    clear = g.chance(0.5)
    if not clear:
        g.filled(product, g.rng.randrange(-1, 2))
    g.tag("gemm_any", f"gemm_{a}_{c}")
    name = g.name("t") if token else None
    g.put(Gemm(tile_a, tile_b, product, ta, tb, clear, words(g, a), token=name))
    if token:
        g.tag("token_gemm")
        if g.chance(0.5):
            g.load()  # something else in the meantime
        g.put(Await([name]))
    return g.written(product)


def sliced(g):
    """Products of the slices of tiles of rank 3: the buffers of a pipeline written by hand."""
    a, b, c = g.rng.choice(TYPES)
    m, n, k, count = g.rows, g.columns, g.pick(16, 32, 64), g.pick(2, 2, 3)
    ta, tb = g.chance(0.3), g.chance(0.4)
    tile_a = g.load([count, k, m] if ta else [count, m, k], a, "shared")
    tile_b = g.load([count, n, k] if tb else [count, k, n], b, "shared")
    product = g.tile([m, n], c, "fragment", bound=min(largest(c), 36 * 64 * count))
    g.filled(product, g.rng.randrange(-1, 2))
    g.tag("gemm_slices", f"gemm_{a}_{c}")
    g.put(SlicedGemms(g.name("s"), Gemm(tile_a, tile_b, product, ta, tb, False, words(g, a))))
    return g.written(product)


def operand(g, shape, element, space):
    return g.parallel(g.tile(shape, element, space, bound=3), depth=1)


def chained(g):
    """The result of a product is an operand of the next one."""
    first = kloop(g)
    element = g.pick("f16", "f16", "bf16", "f8E4M3FN")
    n = g.pick(8, 16, 32, 64)
    middle = g.tile(first.shape, element, g.pick("fragment", "shared"), bound=8)
    g.parallel(middle, lambda v: g.fit(limited(first, v, 8), "f32" if element != "f16" else g.pick("f32", "f16")))
    tb = g.chance(0.5)
    right = g.load([n, first.shape[1]] if tb else [first.shape[1], n], element, "shared")
    product = g.tile([first.shape[0], n], "f32", "fragment", bound=24 * 512)
    clear = g.chance(0.5)
    if not clear:
        g.filled(product, 1)
    g.tag("chained")
    g.put(Gemm(middle, right, product, False, tb, clear))
    return g.written(product)


def attention(g):
    """S = Q K^T, something of S, O += P V, over the rows of K and V: with a running maximum and a rescaled sum in some."""
    element = g.pick("f16", "f16", "bf16")
    m, n, d = g.pick(16, 32, 64, 64), g.pick(16, 32, 64), g.pick(16, 32, 64)
    rows = g.size("L", [m, 2 * m, m + 5])
    length = g.size("T", [n, 2 * n, 3 * n, n - 3, 2 * n + 1])
    if g.chance(0.1):
        length = g.size("T", [0])
    q, k, v = (g.argument([extent, d], element) for extent in (rows, length, length))
    space = g.pick("shared", "shared", "fragment")
    tile_q = g.tile([m, d], element, space, bound=3, layout=False)
    g.put(Copy(Region(q, [mul(g.by, m), const(0)], [m, d]), Region(tile_q)))
    tile_k, tile_v = (g.tile([n, d], element, "shared", bound=3, layout=False) for _ in range(2))
    scores = g.tile([m, n], "f32", "fragment", bound=9 * d, layout=False)
    weights = g.tile([m, n], element, g.pick("fragment", "fragment", "shared"), bound=4, layout=False)
    total = g.tile([m, d], "f32", "fragment", bound=1 << 16, layout=False)
    most = g.tile([m], "f32", "fragment", bound=9 * d, layout=False)
    found = g.tile([m], "f32", "fragment", bound=9 * d, layout=False)
    factor = g.tile([m], "f32", "fragment", bound=2, layout=False)
    g.written(tile_q)
    g.filled(total)
    g.filled(most, -9 * d)
    sums = g.filled(g.tile([m], "f32", "fragment", bound=1 << 20, layout=False)) if g.chance(0.4) else None
    g.tag("attention", "pipelined")
    rescale = g.chance(0.6)
    var = Var(g.name("k"), bound=4096)
    body = []
    with g.scope(body, True):
        g.loops.append(var)
        copies = [Copy(Region(k, [var, const(0)], [n, d]), Region(tile_k)), Copy(Region(v, [var, const(0)], [n, d]), Region(tile_v))]
        late = g.chance(0.5)
        g.put(copies[0], *([] if late else copies[1:]))
        g.put(Gemm(tile_q, tile_k, scores, False, True, True, words(g, element)))
        if rescale:
            g.put(Reduce("max", scores, found, 1))

            def new_factor(i):
                return Select(Compare("gt", Load(found, i), Load(most, i)), Const(0, "f32"), Const(1, "f32"))

            g.parallel(factor, new_factor)
            g.pool.remove(factor)
            g.parallel(most, lambda i: Binary("max", Load(most, i), Load(found, i)))
            g.parallel(total, lambda i: Binary("mul", Load(total, i), Load(factor, [i[0]])))
        g.parallel(weights, lambda i: g.fit(limited(scores, i, 4) if not rescale else
                                            Binary("max", Binary("sub", Load(scores, i), Load(most, [i[0]])), Const(-4, "f32")), "f32"))
        if sums:
            g.tag("running_sum")
            g.put(Reduce(g.pick("sum", "abssum"), scores, sums, 1, True))
        if late:
            g.put(copies[1])
        g.put(Gemm(weights, tile_v, total, False, False, False, words(g, element)))
        g.loops.pop()
    g.pool = [t for t in g.pool if t not in (factor,)]
    g.put(Loop(var.name, const(0), Dim(k, 0), const(n), g.pick(1, 2, 2, 3), body))
    return total


def convolution(g):
    """An implicit gemm: pixels as a tap sees them, times its weights."""
    dims = g.pick(1, 2, 2)
    element = g.pick("f16", "f16", "bf16", "f32")
    m, n, c = g.pick(16, 32, 64), g.pick(8, 16, 32), g.pick(8, 16, 32)
    taps = [g.pick(1, 2, 3) for _ in range(dims)]
    strides, dilations = [g.pick(1, 1, 2) for _ in taps], [g.pick(1, 1, 2) for _ in taps]
    lower, upper = [g.pick(0, 1, 1, 2) for _ in taps], [g.pick(0, 1, 1) for _ in taps]
    channels = g.size("C", [c, 2 * c, c - 3])
    images = [g.size("I", [5, 7, 9, 12]) for _ in taps]
    source = g.argument([g.size("B", [1, 2]), *images, channels], element, plain=True)
    weights = g.argument([taps[0] if dims == 1 else taps[0] * taps[1], channels, n], element, plain=True)
    tile_x, tile_w = g.tile([m, c], element, g.pick("shared", "shared", "shared", "fragment"), bound=3, layout=False), g.tile([c, n], element, "shared", bound=3)
    product = g.filled(g.tile([m, n], "f32", "fragment", bound=9 * 64 * 9))
    g.tag("im2col", "pipelined")
    count = 1
    for t in taps:
        count *= t
    var = Var(g.name("k"), bound=4096)
    tap, chunk = Binary("remu", var, const(count)), Binary("divu", var, const(count))
    channel = mul(chunk, c)
    places = [tap] if dims == 1 else [Binary("divu", tap, const(taps[1])), Binary("remu", tap, const(taps[1]))]
    body = []
    with g.scope(body, False):
        g.put(Im2col(source, mul(g.by, m), places, channel, tile_x, taps, strides, dilations, lower, upper))
        g.put(Copy(Region(weights, [tap, channel, const(0)], [1, c, n]), Region(tile_w)))
        g.put(Gemm(tile_x, tile_w, product))
    upper_bound = mul(Binary("ceildiv", Dim(source, dims + 1), const(c)), count)
    g.put(Loop(var.name, const(0), upper_bound, const(1), g.pick(1, 2, 3, 4), body))
    return product


def use_of(g, product):
    """What follows a product: something of it, or nothing."""
    for _ in range(g.pick(0, 0, 1, 1, 2)):
        g.rng.choice([steps.update, steps.reduce, steps.copy_tile, steps.update_part, steps.store_again])(g)
    steps.store(g, product)
