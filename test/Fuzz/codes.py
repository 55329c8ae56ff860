# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices with quotients and remainders: codes of four bits in words, in the orders in which quantized weights lie, and the
groups that scale them; tiles read and written through such maps.

What indices of a thread's digits, codes that are converted in pairs, and loads that find their words again are for.
"""

import numpy as np

import loops
from elements import check_exact
from expressions import Apply, Binary, Const, Dim, Expr, Load, Var, add, cast, const, mul
from moves import Copy, Region
from products import Gemm
from statements import Loop, Parallel, Store
from walks import into, outputs_of

PER_WORD = 8


class Code(Expr):
    """The four bits of a word from `shift` on, as a number."""

    def __init__(self, word, shift, element, unsigned):
        self.word, self.shift, self.element, self.unsigned, self.bound = word, shift, element, unsigned, 15 if unsigned else 8

    def emit(self, out):
        word, shift = self.word.emit(out), out.op(f"arith.index_cast {self.shift.emit(out)} : index to i32")
        moved = out.op(f"arith.shrui {word}, {shift} : i32")
        code = out.op(f"arith.trunci {moved} : i32 to i4")
        if self.element.startswith("i"):
            return out.op(f"arith.ext{'u' if self.unsigned else 's'}i {code} : i4 to {self.element}")
        return out.op(f"arith.{'u' if self.unsigned else 's'}itofp {code} : i4 to {self.element}")

    def value(self, env):
        word = np.asarray(self.word.value(env)).astype(np.int64)
        code = word >> np.asarray(self.shift.value(env)).astype(np.int64) & 15
        return check_exact((code if self.unsigned else (code ^ 8) - 8).astype(np.float64), self.element)


def some_map(g, depth, dims):
    """The text of an affine map of some dimensions with quotients and remainders, and its meaning."""
    if depth == 0:
        d = g.rng.randrange(dims)
        return f"d{d}", lambda *v: v[d]
    text, f = some_map(g, depth - 1, dims)
    kind, n = g.pick("floordiv", "floordiv", "mod", "mod", "mul", "add", "sum"), g.pick(1, 2, 2, 3, 4, 4, 8, 8, 16, 32, 5, 12)
    if kind == "floordiv":
        return f"({text}) floordiv {n}", lambda *v: np.floor(f(*v) / n)
    if kind == "mod":
        return f"({text}) mod {n}", lambda *v: np.mod(f(*v), n)
    if kind == "mul":
        n = g.pick(-3, 2, 2, 4, 8, 16)
        return f"({text}) * {n}", lambda *v: f(*v) * n
    if kind == "add":
        n = g.rng.randrange(-20, 40)
        return f"({text}) + {n}", lambda *v: f(*v) + n
    other, h = some_map(g, depth - 1, dims)
    return f"({text}) + ({other})", lambda *v: f(*v) + h(*v)


def place(g, operands, extent):
    """An index below `extent` of some operands, in one map or in two, one of the other's result."""
    text, f = some_map(g, g.rng.randrange(1, 4), len(operands))
    index = Apply(text, f, *operands)
    if g.chance(0.3):
        text, f = some_map(g, g.rng.randrange(1, 3), 2)
        index = Apply(text, f, index, g.rng.choice(operands))
    return Apply(f"d0 mod {extent}", lambda v: np.mod(v, extent), index)


def read_across(g):
    """A tile whose elements come from places of another one."""
    shape = [g.rows, g.columns]
    source = g.load(element=g.pick("f32", "f16", "i8", "i32", "f16"), space="shared")
    target = g.tile(shape, g.pick("f32", "f16"), g.pick("fragment", "fragment", "shared"), bound=3)
    i, j = g.loop_variables(2)
    operands = [i, j, *g.loops]
    if g.chance(0.3):
        operands.append(g.pick(g.by, g.bx))
    where = [place(g, operands, shape[0]) if g.chance(0.7) else i, place(g, operands, shape[1])]
    g.tag("read_across")
    g.put(Parallel([i.name, j.name], shape, [Store(cast(Load(source, where), target.element), target, [i, j])]))
    g.written(target)
    return target


def turned_groups(g):
    """Columns in another order, which the loop writes: (j mod a) * b + j floordiv a."""
    shape = [g.rows, g.columns]
    a = g.rng.choice([n for n in (2, 3, 4, 8, 16, 1) if shape[1] % n == 0])
    b = shape[1] // a
    source = g.load(element=g.pick("f32", "f16", "i32"))
    target = g.tile(shape, source.element, "shared", bound=3)
    i, j = g.loop_variables(2)
    to = Apply(f"(d0 mod {a}) * {b} + d0 floordiv {a}", lambda v: np.mod(v, a) * b + np.floor(v / a), j)
    g.tag("turned_groups")
    g.put(Parallel([i.name, j.name], shape, [Store(Load(source, [i, j]), target, [i, to])]))
    g.written(target)


def order_of(g, k):
    """Of a column of a tile of weights: its word and its first bit."""
    words = k // PER_WORD
    kind = g.pick("rows", "rows", "columns", "thread", "thread", "thread", "any") if k % 32 == 0 else g.pick("rows", "columns", "any")
    if kind == "rows":
        return ("d0 floordiv 8", lambda v: np.floor(v / 8)), ("(d0 mod 8) * 4", lambda v: np.mod(v, 8) * 4)
    if kind == "columns":
        return (f"d0 mod {words}", lambda v: np.mod(v, words)), (f"(d0 floordiv {words}) * 4", lambda v: np.floor(v / words) * 4)
    if kind == "any":
        text, f = some_map(g, 3, 1)
        other, h = some_map(g, 3, 1)
        return ((f"({text}) mod {words}", lambda v: np.mod(f(v), words)), (f"(({other}) mod 8) * 4", lambda v: np.mod(h(v), 8) * 4))
    # As a thread of the instruction holds them: benchmarks/tilebench/quantized.py.
    half, element, step = g.pick((8, 4, 16), (4, 16, 8))
    if k >= 128 and k % 128 == 0:
        word = "(d0 floordiv 128) * 16 + ((d0 mod 8) floordiv 2) * 4 + (d0 mod 128) floordiv 32"
        at = lambda v: np.floor(v / 128) * 16 + np.floor(np.mod(v, 8) / 2) * 4 + np.floor(np.mod(v, 128) / 32)
    else:
        many = k // 32
        word = f"((d0 mod 8) floordiv 2) * {many} + d0 floordiv 32"
        at = lambda v: np.floor(np.mod(v, 8) / 2) * many + np.floor(v / 32)
    shift = f"((d0 mod 16) floordiv 8) * {half} + (d0 mod 2) * {element} + ((d0 mod 32) floordiv 16) * {step}"
    return (word, at), (shift, lambda v: np.floor(np.mod(v, 16) / 8) * half + np.mod(v, 2) * element + np.floor(np.mod(v, 32) / 16) * step)


def weights(g):
    """A product with an operand of codes, dequantized in a fragment or in a shared tile, in the loop over K."""
    g.program.threads = g.pick(128, 128, 256, 64, 384)
    element = g.pick("f16", "f16", "bf16", "f32", "i8")
    total = "i32" if element == "i8" else "f32"
    n, m, k = g.pick(64, 64, 128, 32, 16), g.pick(8, 16, 16, 32, 64), g.pick(16, 32, 64, 64, 128, 128, 256)
    trips = loops.trips(g, 4)[2]
    depth, words = g.name("K"), g.name("W")
    for run in g.program.runs:
        run[depth], run[words] = run[trips] * k, run[trips] * k // PER_WORD
    least = min(run[depth] for run in g.program.runs)
    rows, columns = g.size("R", [n, 2 * n, n - 3]), g.size("C", [m, 2 * m, m + 3])
    packed = g.argument([rows, words], "i32")
    other = g.argument([columns, depth], element)
    ws = g.tile([n, k // PER_WORD], "i32", "shared", bound=3, layout=False)
    xs = g.tile([m, k], element, "shared", bound=3, layout=False)
    unsigned = g.chance(0.4)
    target = g.tile([n, k], element, g.pick("fragment", "fragment", "shared"), bound=15 if unsigned else 8, layout=False)
    group = g.pick(0, k, k, max(8, k // 2), 32 if k % 32 == 0 else 0)
    scales = None
    if group and element != "i8":
        scales = g.tile([k // group, n], element, g.pick("shared", "shared", "fragment") if k == group else "shared", bound=3, layout=False)
        g.load(into=scales)
        target.bound *= 3
    sums = g.filled(g.tile([n, m], total, "fragment", bound=1 << 20, layout=False))
    (word, at), (shift, bits) = order_of(g, k)
    var = Var(g.name("k"), bound=4096)
    i, j = g.loop_variables(2)
    # Small numbers in memory; in the loop, words all of whose codes differ.
    small = Binary("and", Load(ws, [i, Apply(word, at, j)]), Const(7, "i32"))
    small.bound = 7
    code = Code(mul32(small, 0x1234567), Apply(shift, bits, j), element, unsigned)
    value = code
    if scales is not None:
        value = Binary("mul", code, Load(scales, [Apply(f"d0 floordiv {group}", lambda v: np.floor(v / group), j), i]))
    g.tag("weights", "pipelined")
    body = []
    with g.scope(body, least == 0):
        kw = Apply(f"d0 floordiv {PER_WORD}", lambda v: np.floor(v / PER_WORD), var)
        g.put(Copy(Region(packed, [mul(g.by, n), kw], sizes=ws.shape), Region(ws)), Copy(Region(other, [mul(g.bx, m), var], sizes=xs.shape), Region(xs)))
        g.put(Parallel([i.name, j.name], [n, k], [Store(value, target, [i, j])]))
        words_of_gemm = [f"policy = #tile.warp_policy<{g.pick('square', 'full_row')}>"] if g.chance(0.4) else []
        g.put(Gemm(target, xs, sums, False, True, False, words_of_gemm))
    g.put(Loop(var.name, const(0), Dim(other, 1), const(k), g.pick(1, 2, 2, 3, 4), body))
    buffer, first = outputs_of(g, [n, m], total)
    g.put(into(buffer, first, sums, [const(0), const(0)]))
    if g.chance(0.3):
        g.program.attributes["specialize"] = g.pick("true", "false")


def mul32(a, number):
    found = Binary("mul", a, Const(number, "i32"))
    found.bound = a.bound * number
    return found


def program(g):
    if g.chance(0.55):
        weights(g)
        return
    for _ in range(g.rng.randrange(1, 3)):
        g.rng.choice([read_across, read_across, turned_groups])(g)
    if g.chance(0.4):
        upper, least, name = loops.trips(g, 4)
        source = g.argument([name, 4], "f32")
        var = Var(g.name("t"), bound=16)
        g.extent_of[var.name] = name
        total = g.filled(g.tile([g.rows, g.columns], "f32", "fragment", bound=64))
        body = []
        with g.scope(body, least == 0):
            g.loops.append(var)
            found = read_across(g)
            i, j = g.loop_variables(2)
            value = Binary("add", Load(total, [i, j]), cast(Load(found, [i, j]), "f32"))
            g.put(Parallel([i.name, j.name], [g.rows, g.columns], [Store(value, total, [i, j])]))
            g.loops.pop()
        g.put(Loop(var.name, const(0), Dim(source, 0) if upper is None else upper, const(1), None, body))
