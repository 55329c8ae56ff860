# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory-bound operators as plain tile programs: what a kernel author writes first, with a tile and a number of threads.

An operator is a kind, the (static) columns of its rows, and a configuration. `Operator.text` prints the program:
elementwise kinds own a tile of rows x cols, kinds that reduce own whole rows, in registers (`form` "whole") or in
pieces that they walk twice (`form` "pieces"), or the blocks of a cluster share a row (`cluster`, `form` "shared").
Nothing in the programs names an instruction or a layout.
The arguments of each kind, and what it computes, are in operator_peers.py.
"""

import contextlib
import dataclasses

from .operator_text import Program

ELEMENTWISE = ("scale", "add", "swiglu", "gelu", "rope", "dropout", "embedding", "conv1d", "transpose", "permute", "maxpool", "cross_entropy_backward")


@dataclasses.dataclass(frozen=True)
class Problem:
    kind: str
    rows: int
    columns: int

    def label(self):
        return f"{self.kind} {self.rows}x{self.columns}"


@dataclasses.dataclass(frozen=True)
class Operator:
    kind: str
    columns: int
    rows: int = 1  # of a block
    cols: int = 0  # of a block, where it does not own whole rows; of a piece in the form "pieces"
    threads: int = 256
    form: str = "whole"
    cluster: int = 1  # blocks that share a row, in the form "shared"

    def ident(self):
        parts = [self.kind, str(self.columns), f"r{self.rows}", f"t{self.threads}"]
        parts += [f"c{self.cols}"] * bool(self.cols) + [self.form] * (self.form != "whole")
        parts += [f"x{self.cluster}"] * (self.cluster > 1)
        return "op_" + "_".join(parts)

    def arguments(self):
        """name, element type, shape (None: a scalar), access, padded rows."""
        found = []
        for name, element, shape, access in ARGUMENTS[self.kind]:
            found.append((name, element, shape, access, False))
        return found

    def text(self):
        return BUILDERS[self.kind](self, Program(self)).finish()


def _args(words):
    """"X R,N r; s f32" as rows of ARGUMENTS: f16 where no type is named."""
    found = []
    for word in words.split(";"):
        parts = word.split()
        name, rest = parts[0], parts[1:]
        element = rest.pop(0) if rest and rest[0] in ("f32", "i32", "f8E4M3FN") else "f16"
        shape = tuple(rest.pop(0).split(",")) if rest and rest[0] not in ("r", "w") else None
        found.append((name, element, shape, rest[0] if rest else "r"))
    return found


ARGUMENTS = {
    "scale": _args("X R,N; Y R,N w; s f32"),
    "add": _args("X R,N; Y R,N; Z R,N w"),
    "swiglu": _args("X R,2N; Y R,N w"),
    "gelu": _args("X R,N; Y R,N w"),
    "cast_token": _args("X R,N; Y f8E4M3FN R,N w; S f32 R w"),
    "cast_group": _args("X R,N; Y f8E4M3FN R,N w; S f32 R,G w"),
    "rmsnorm": _args("X R,N; W N; eps f32; Y R,N w"),
    "rmsnorm_residual": _args("X R,N; R R,N; W N; eps f32; H R,N w; Y R,N w"),
    "layernorm": _args("X R,N; W N; B N; eps f32; Y R,N w"),
    "layernorm_backward": _args("X R,N; W N; DY R,N; M f32 R; S f32 R; DX R,N w"),
    "layernorm_weights": _args("X R,N; DY R,N; M f32 R; S f32 R; DW f32 N w; DB f32 N w"),
    "rmsnorm_backward": _args("X R,N; W N; DY R,N; S f32 R; DX R,N w"),
    "softmax": _args("X R,N; Y R,N w"),
    "cross_entropy": _args("X R,N; T i32 R; L f32 R w"),
    "cross_entropy_backward": _args("X R,N; T i32 R; L f32 R; g f32; DX R,N w"),
    "rowmax": _args("X R,N; Y f32 R w"),
    "rowsum": _args("X R,N; Y f32 R w"),
    "colsum": _args("X R,N; Y f32 N w"),
    "argmax": _args("X R,N; I i32 R w"),
    "cumsum": _args("X f32 R,N; Y f32 R,N w"),
    "sort": _args("X f32 R,N; Y f32 R,N w; I i32 R,N w"),
    "top8": _args("X f32 R,N; V f32 R,8 w; I i32 R,8 w"),
    "top64": _args("X f32 R,N; V f32 R,64 w; I i32 R,64 w"),
    "rope": _args("X R,H,128; COS f32 R,64; SIN f32 R,64; Y R,H,128 w"),
    "permute": _args("X R,H,128; Y H,R,128 w"),
    "transpose": _args("X R,N; Y N,R w"),
    "conv1d": _args("X R,N; W N,4; B N; Y R,N w"),
    "dropout": _args("X R,N; Y R,N w; p f32; seed i32"),
    "gemv": _args("W R,N; x N; y R w"),
    "gemv_batch": _args("W H,R,N; x H,N; y H,R w"),
    "hadamard": _args("X L,64; Y L,64 w"),
    "maxpool": _args("X R,2,H,2,128; Y R,H,128 w"),
    "embedding": _args("E V,N; I i32 R; Y R,N w"),
}


# --- programs -------------------------------------------------------------


def scale(o, p):
    p.tiles()
    x = p.load("X")
    with p.each() as e:
        v = e.get(x)
        e.put(e.mul(e.max(v, e.const("0.0")), "%s"), x)
    return p.store(x, "Y")


def add(o, p):
    p.tiles()
    x, y = p.load("X"), p.load("Y")
    with p.each() as e:
        e.put(e.add(e.get(x), e.get(y)), x)
    return p.store(x, "Z")


def swiglu(o, p):
    p.tiles()
    gate, up = p.load("X"), p.load("X", column="%n_up")
    with p.each() as e:
        g = e.get(gate)
        e.put(e.mul(e.silu(g), e.get(up)), gate)
    return p.store(gate, "Y")


def gelu(o, p):
    p.tiles()
    x = p.load("X")
    with p.each() as e:
        v = e.get(x)
        inner = e.unary("math.erf", e.mul(v, e.const("0.707106769")))
        e.put(e.mul(e.mul(v, e.const("0.5")), e.add(inner, e.const("1.0"))), x)
    return p.store(x, "Y")


def scaled(p, x, top):
    """x over the largest absolute value of its row or group, in fp8's range; `top` becomes the scale."""
    with p.each_row() as e:
        e.put(e.mul(e.max(e.get(top), e.const("1.0e-4")), e.const("0.00223214296")), top)
    with p.each() as e:
        e.put(e.clamp(e.div(e.get(x), e.get(top)), 448.0), x)
    p.store(x, "Y")


def cast_token(o, p):
    p.whole_rows()
    x, top = p.load("X"), p.rows_tile("absmax")
    p.reduce("absmax", x, top)
    scaled(p, x, top)
    return p.store_rows(top, "S")


def cast_group(o, p):
    p.groups(128)
    x, top = p.load("X"), p.group_values()
    p.reduce("absmax", x, top, dim=2)
    scaled(p, x, top)
    return p.store_groups(top, "S")


def rmsnorm(o, p):
    if o.form == "pieces":
        return rmsnorm_pieces(o, p)
    p.whole_rows()
    x = p.load("X")
    w = p.load_vector("W")
    return normalized(p, x, w).store(x, "Y")


def normalized(p, x, w):
    square, total = p.tile("square"), p.rows_tile("total")
    with p.each() as e:
        v = e.get(x)
        e.put(e.mul(v, v), square)
    p.reduce("sum", square, total)
    with p.each_row() as e:
        mean = e.mul(e.get(total), e.const(repr(1.0 / p.o.columns)))
        e.put(e.unary("math.rsqrt", e.add(mean, "%eps")), total)
    with p.each() as e:
        e.put(e.mul(e.mul(e.get(x), e.get(total)), e.get(w)), x)
    return p


def rmsnorm_pieces(o, p):
    p.pieces()
    total = p.rows_tile("total")
    p.fill(total, "0.0")
    part = p.tile("part")
    p.fill(part, "0.0")
    x = p.tile("x")
    with p.walk():
        p.copy_in("X", x)
        with p.each() as e:
            v = e.get(x)
            e.put(e.fma(v, v, e.get(part)), part)
    p.reduce("sum", part, total)
    with p.each_row() as e:
        mean = e.mul(e.get(total), e.const(repr(1.0 / p.o.columns)))
        e.put(e.unary("math.rsqrt", e.add(mean, "%eps")), total)
    w = p.vector_tile("w")
    with p.walk():
        p.copy_in("X", x)
        p.copy_vector_in("W", w)
        with p.each() as e:
            e.put(e.mul(e.mul(e.get(x), e.get(total)), e.get(w)), x)
        p.copy_out(x, "Y")
    return p


def rmsnorm_residual(o, p):
    p.whole_rows()
    x, r, w = p.load("X"), p.load("R"), p.load_vector("W")
    with p.each() as e:
        e.put(e.add(e.get(x), e.get(r)), x)
    p.store(x, "H")
    return normalized(p, x, w).store(x, "Y")


def layernorm(o, p):
    p.whole_rows()
    x, w, b = p.load("X"), p.load_vector("W"), p.load_vector("B")
    square, mean, total = p.tile("square"), p.rows_tile("mean"), p.rows_tile("total")
    scale = repr(1.0 / o.columns)
    p.reduce("sum", x, mean)
    with p.each() as e:
        d = e.sub(e.get(x), e.mul(e.get(mean), e.const(scale)))
        e.put(d, x)
        e.put(e.mul(d, d), square)
    p.reduce("sum", square, total)
    with p.each_row() as e:
        e.put(e.unary("math.rsqrt", e.add(e.mul(e.get(total), e.const(scale)), "%eps")), total)
    with p.each() as e:
        e.put(e.fma(e.mul(e.get(x), e.get(total)), e.get(w), e.get(b)), x)
    return p.store(x, "Y")


def layernorm_backward(o, p):
    p.whole_rows()
    x, dy, w = p.load("X"), p.load("DY"), p.load_vector("W")
    mean, inverse = p.load_rows("M"), p.load_rows("S")
    product, first, second = p.tile("product"), p.rows_tile("first"), p.rows_tile("second")
    scale = repr(1.0 / o.columns)
    with p.each() as e:
        n = e.mul(e.sub(e.get(x), e.get(mean)), e.get(inverse))
        g = e.mul(e.get(dy), e.get(w))
        e.put(n, x)
        e.put(g, dy)
        e.put(e.mul(n, g), product)
    p.reduce("sum", dy, first)
    p.reduce("sum", product, second)
    with p.each() as e:
        a = e.mul(e.get(first), e.const(scale))
        b = e.mul(e.mul(e.get(second), e.const(scale)), e.get(x))
        e.put(e.mul(e.sub(e.sub(e.get(dy), a), b), e.get(inverse)), x)
    return p.store(x, "DX")


def layernorm_weights(o, p):
    """Gradients of weights and bias: sums over all rows, which a block of columns walks."""
    p.columns_walk()
    x, dy, mean, inverse = p.tile("x"), p.tile("dy"), p.rows_tile("mean"), p.rows_tile("inverse")
    parts = [p.tile(name) for name in ("weights", "bias")]
    for part in parts:
        p.fill(part, "0.0")
    with p.walk():
        p.copy_in("X", x)
        p.copy_in("DY", dy)
        p.copy_rows_in("M", mean)
        p.copy_rows_in("S", inverse)
        with p.each() as e:
            g = e.get(dy)
            n = e.mul(e.sub(e.get(x), e.get(mean)), e.get(inverse))
            e.put(e.fma(g, n, e.get(parts[0])), parts[0])
            e.put(e.add(e.get(parts[1]), g), parts[1])
    for part, name in zip(parts, ("DW", "DB")):
        total = p.vector_tile("total")
        p.reduce("sum", part, total, dim=0)
        p.store_vector(total, name)
    return p


def rmsnorm_backward(o, p):
    p.whole_rows()
    x, dy, w, inverse = p.load("X"), p.load("DY"), p.load_vector("W"), p.load_rows("S")
    product, total = p.tile("product"), p.rows_tile("total")
    with p.each() as e:
        n = e.mul(e.get(x), e.get(inverse))
        g = e.mul(e.get(dy), e.get(w))
        e.put(n, x)
        e.put(g, dy)
        e.put(e.mul(n, g), product)
    p.reduce("sum", product, total)
    with p.each() as e:
        along = e.mul(e.mul(e.get(total), e.const(repr(1.0 / o.columns))), e.get(x))
        e.put(e.mul(e.sub(e.get(dy), along), e.get(inverse)), x)
    return p.store(x, "DX")


LOG2E = "1.44269504"


def softmax(o, p):
    if o.form == "pieces":
        return softmax_pieces(o, p)
    if o.form == "shared":
        return softmax_shared(o, p)
    p.whole_rows()
    x, top, total = p.load("X"), p.rows_tile("top"), p.rows_tile("total")
    p.reduce("max", x, top)
    with p.each() as e:
        e.put(e.exp2(e.mul(e.sub(e.get(x), e.get(top)), e.const(LOG2E))), x)
    p.reduce("sum", x, total)
    with p.each() as e:
        e.put(e.div(e.get(x), e.get(total)), x)
    return p.store(x, "Y")


def softmax_shared(o, p):
    """Each block's part against its own maximum; what the blocks then know of theirs corrects it."""
    p.shared_rows()
    x, top, total, factor = p.tile("x"), p.rows_tile("top"), p.rows_tile("total"), p.rows_tile("factor")
    p.copy_in("X", x, pad="-6.0e+4" if o.columns % o.cluster else None)
    p.reduce("max", x, top)
    with p.each() as e:
        e.put(e.exp2(e.mul(e.sub(e.get(x), e.get(top)), e.const(LOG2E))), x)
    p.reduce("sum", x, total)
    tops, totals = p.gather(top), p.gather(total)
    highest, sum_of_all = p.rows_tile("highest"), p.rows_tile("all")
    p.reduce("max", tops, highest, dim=0)
    with p.each_block() as e:
        weight = e.exp2(e.mul(e.sub(e.get(tops), e.get_row(highest)), e.const(LOG2E)))
        e.put(e.mul(e.get(totals), weight), totals)
    p.reduce("sum", totals, sum_of_all, dim=0)
    with p.each_row() as e:
        weight = e.exp2(e.mul(e.sub(e.get(top), e.get(highest)), e.const(LOG2E)))
        e.put(e.div(weight, e.get(sum_of_all)), factor)
    with p.each() as e:
        e.put(e.mul(e.get(x), e.get(factor)), x)
    return p.store(x, "Y")


def online(p, x):
    """Maximum and sum of a row in one walk: `part` holds the sums of each place of a piece against the maximum so far."""
    top, new, factor, total = (p.rows_tile(n) for n in ("top", "new", "factor", "total"))
    part = p.tile("part")
    p.fill(top, "-6.0e+4")
    p.fill(part, "0.0")
    with p.walk():
        p.copy_in("X", x, pad="-6.0e+4")
        p.reduce("max", x, new)
        with p.each_row() as e:
            old = e.get(top)
            both = e.max(old, e.get(new))
            e.put(e.exp2(e.mul(e.sub(old, both), e.const(LOG2E))), factor)
            e.put(both, top)
        with p.each() as e:
            w = e.exp2(e.mul(e.sub(e.get(x), e.get(top)), e.const(LOG2E)))
            e.put(e.fma(e.get(part), e.get(factor), w), part)
    p.reduce("sum", part, total)
    return top, total


def softmax_pieces(o, p):
    p.pieces()
    x = p.tile("x")
    top, total = online(p, x)
    with p.each_row() as e:
        e.put(e.div(e.const("1.0"), e.get(total)), total)
    with p.walk():
        p.copy_in("X", x, pad="-6.0e+4")
        with p.each() as e:
            w = e.exp2(e.mul(e.sub(e.get(x), e.get(top)), e.const(LOG2E)))
            e.put(e.mul(w, e.get(total)), x)
        p.copy_out(x, "Y")
    return p


def cross_entropy(o, p):
    if o.form == "pieces":
        p.pieces()
        x = p.tile("x")
        top, total = online(p, x)
    else:
        p.whole_rows()
        x, top, total = p.load("X"), p.rows_tile("top"), p.rows_tile("total")
        p.reduce("max", x, top)
        with p.each() as e:
            e.put(e.exp2(e.mul(e.sub(e.get(x), e.get(top)), e.const(LOG2E))), x)
        p.reduce("sum", x, total)
    with p.each_row() as e:
        target = e.element_of("X", e.index_from("T"))
        e.put(e.sub(e.add(e.unary("math.log", e.get(total)), e.get(top)), target), total)
    return p.store_rows(total, "L")


def cross_entropy_backward(o, p):
    """The gradient of the loss times %g; L is the logarithm of the sum of exponentials of a row (what cross_entropy subtracts from)."""
    p.tiles()
    x, lse, target = p.load("X"), p.load_rows("L"), p.load_rows("T", "i32")
    with p.each() as e:
        weight = e.exp2(e.mul(e.sub(e.get(x), e.get(lse)), e.const(LOG2E)))
        one = e.select(e.cmpi("eq", e.column(), e.get(target)), e.const("1.0"), e.const("0.0"))
        e.put(e.mul(e.sub(weight, one), "%g"), x)
    return p.store(x, "DX")


def row_results(o, p, kind, start, pad=None):
    """A reduction of each row; in pieces, of each place of a piece first."""
    if o.form == "pieces":
        p.pieces()
        x, part, result = p.tile("x"), p.tile("part"), p.rows_tile("total")
        p.fill(part, start)
        with p.walk():
            p.copy_in("X", x, pad=pad)
            with p.each() as e:
                e.put((e.max if kind == "max" else e.add)(e.get(part), e.get(x)), part)
        p.reduce(kind, part, result)
    else:
        p.whole_rows()
        x, result = p.load("X"), p.rows_tile("total")
        p.reduce(kind, x, result)
    return p.store_rows(result, "Y")


def rowmax(o, p):
    return row_results(o, p, "max", "-6.0e+4", pad="-6.0e+4")


def rowsum(o, p):
    return row_results(o, p, "sum", "0.0")


def colsum(o, p):
    p.columns_walk()
    x, part, total = p.tile("x"), p.tile("part"), p.vector_tile("total")
    p.fill(part, "0.0")
    with p.walk():
        p.copy_in("X", x)
        with p.each() as e:
            e.put(e.add(e.get(part), e.get(x)), part)
    p.reduce("sum", part, total, dim=0)
    return p.store_vector(total, "Y")


def argmax(o, p):
    p.whole_rows()
    x, at, top, where = p.load("X"), p.tile("at", "i32"), p.rows_tile("top"), p.rows_tile("where", "i32")
    p.reduce("max", x, top)
    with p.each() as e:
        e.put(e.select(e.cmpf("oeq", e.get(x), e.get(top)), e.column(), e.const("2147483647", "i32"), "i32"), at)
    p.reduce("min", at, where)
    return p.store_rows(where, "I")


def cumsum(o, p):
    p.whole_rows()
    x = p.load("X")
    p.line(f"tile.scan sum {x.name} to {x.name} dim(1) : {x.type} to {x.type}")
    return p.store(x, "Y")


def sort(o, p):
    p.whole_rows()
    x, at = p.load("X"), p.tile("at", "i32")
    with p.each() as e:
        e.put(e.column(), at)
    p.line(f"tile.sort {x.name}, {at.name} dim(1) : {x.type}, {at.type}")
    p.store(x, "Y")
    return p.store(at, "I")


def top8(o, p, count=8):
    p.whole_rows()
    x = p.load("X")
    values, places = (p.tile(name, element, (o.rows, count)) for name, element in (("top", "f32"), ("where", "i32")))
    p.line(f"tile.topk {x.name} to {values.name}, {places.name} dim(1) : {x.type} to {values.type}, {places.type}")
    p.store(values, "V")
    return p.store(places, "I")


def top64(o, p):
    return top8(o, p, 64)


def rope(o, p):
    p.heads()
    a, b = p.load("X", column="%c0"), p.load("X", column="%c64")
    c, s = p.load_vector("COS", row=True), p.load_vector("SIN", row=True)
    with p.each() as e:
        x1, x2, cj, sj = e.get(a), e.get(b), e.get(c), e.get(s)
        e.put(e.sub(e.mul(x1, cj), e.mul(x2, sj)), a)
        e.put(e.add(e.mul(x2, cj), e.mul(x1, sj)), b)
    p.store(a, "Y", column="%c0")
    return p.store(b, "Y", column="%c64")


def transpose(o, p):
    p.tiles()
    x = p.load("X", element="f16")
    y = p.transposed_tile("f16")
    with p.each(swapped=True) as e:
        e.put(e.get(x, swapped=True, wide=False), y, narrow=False)
    return p.store(y, "Y", swapped=True)


def permute(o, p):
    p.rows_of_head()
    x = p.tile("x", "f16")
    size = f"sizes [{o.rows}, 1, 128]"
    p.line(f"tile.copy %X[%m, %h, %n] {size} to {x.name} : {p.types['X']} to {x.type}")
    p.line(f"tile.copy {x.name} to %Y[%h, %m, %n] {size.replace(f'{o.rows}, 1', f'1, {o.rows}')} : {x.type} to {p.types['Y']}")
    return p


def conv1d(o, p):
    p.tiles()
    xs = p.load_shared("X", above=3)
    w, b = p.load_taps("W"), p.load_vector("B")
    y = p.tile("y")
    with p.each() as e:
        z = e.get(b)
        for k in range(4):
            z = e.fma(e.get_at(xs, k), e.get_tap(w, k), z)
        e.put(e.silu(z), y)
    return p.store(y, "Y")


def dropout(o, p):
    p.tiles()
    x = p.load("X")
    with p.each() as e:
        word = e.random("%seed")
        keep = e.cmpf("oge", e.unit(word), "%p")
        kept = e.mul(e.get(x), "%scale")
        e.put(e.select(keep, kept, e.const("0.0")), x)
    return p.store(x, "Y")


def maxpool(o, p):
    """The largest of 2 x 2 pixels of 128 channels; a row of X is two rows of an image, whose pixels stand in pairs."""
    p.pixels()
    corners, shape = [], (o.rows, o.cols // 128, 128)
    for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        x = p.tile("x", shape=shape, index="ijk")
        where = f"[%m, {p.index(row)}, %n, {p.index(column)}, {p.index(0)}] sizes [{o.rows}, 1, {shape[1]}, 1, 128]"
        p.line(f"tile.copy %X{where} to {x.name} sizes {list(shape)} : {p.types['X']} to {x.type}")
        corners.append(x)
    with p.each() as e:
        a, b, c, d = (e.get(x) for x in corners)
        e.put(e.max(e.max(a, b), e.max(c, d)), corners[0])
    p.copy_out(corners[0], "Y", f"[%m, %n, {p.index(0)}]")
    return p


def signs(p, size):
    """A matrix of 64 x 64 in shared memory that has Hadamard matrices of `size` along its diagonal."""
    h = p.tile("h", "f16", (64, 64), space="#shared")
    with p.each() as e:
        row, column = (p.value(f"arith.index_cast {name} : index to i32") for name in ("%i", "%j"))
        ones = p.value(f"math.ctpop {e.bitand(e.bitand(row, column), e.const(str(size - 1), 'i32'))} : i32")
        zero = e.const("0", "i32")
        even = e.cmpi("eq", e.bitand(ones, e.const("1", "i32")), zero)
        sign = e.select(even, e.const("1.0", "f16"), e.const("-1.0", "f16"), "f16")
        if size < 64:
            apart = e.bitand(e.xor(row, column), e.const(str(64 - size), "i32"))
            sign = e.select(e.cmpi("eq", apart, zero), sign, e.const("0.0", "f16"), "f16")
        e.put(sign, h, narrow=False)
    return h


def hadamard(o, p):
    """The Walsh-Hadamard transform of rows, over the root of their length, without a matrix in memory.

    64 lines of 64 elements, of one row or of several, are multiplied from the right and from the left. Between the products
    stands f16, scaled: it is no larger than the largest element of X where a row has 4,096.
    """
    p.lines_of_64()
    x, between = (p.tile(name, "f16", space="#shared") for name in ("x", "between"))
    if o.form == "whole":
        p.copy_in("X", x, p.index(0))
    right = signs(p, 64)
    left = signs(p, o.columns // 64) if o.columns < 4096 else right
    with p.walk() if o.form == "pieces" else contextlib.nullcontext():
        if o.form == "pieces":
            p.line("%m = arith.addi %first, %at : index")
            p.copy_in("X", x, p.index(0))
        along, y = p.tile("along"), p.tile("y")
        p.gemm(x, right, along)
        with p.each() as e:
            e.put(e.mul(e.get(along), e.const(repr(o.columns**-0.5))), along)
        p.line(f"tile.copy {along.name} to {between.name} : {along.type} to {between.type}")
        p.gemm(left, between, y)
        p.copy_out(y, "Y", f"[%m, {p.index(0)}]")
    return p


def gemv(o, p):
    p.pieces(matrix="W", rows="y")
    return products(p)


def gemv_batch(o, p):
    p.pieces_of_batch()
    return products(p)


def products(p):
    w, x, part, total = p.tile("w"), p.vector_tile("xv"), p.tile("part"), p.rows_tile("total")
    p.fill(part, "0.0")
    with p.walk():
        p.copy_in("W", w)
        p.copy_vector_in("x", x)
        with p.each() as e:
            e.put(e.fma(e.get(w), e.get(x), e.get(part)), part)
    p.reduce("sum", part, total)
    return p.store_rows(total, "y")


def embedding(o, p):
    p.tiles()
    x = p.tile("x", "f16")
    p.line(f"tile.gather %E[%n] rows %I[%m] to {x.name} : {p.types['E']}, {p.types['I']} to {x.type}")
    return p.store(x, "Y")


BUILDERS = {name: globals()[name] for name in ARGUMENTS}


# --- problems -------------------------------------------------------------

GIANT = 1 << 28  # elements of an elementwise problem: 512 MB of f16


def _problems():
    found = [Problem(kind, GIANT // 8192, 8192) for kind in ("scale", "add", "swiglu", "gelu", "cast_token", "cast_group", "dropout")]
    for kind in ("rmsnorm", "layernorm"):
        found += [Problem(kind, rows, n) for rows in (2048, 32768) for n in (1024, 2048, 4096, 5120, 8192, 16384)]
    found += [Problem("rmsnorm_residual", 16384, n) for n in (4096, 7168)]
    found += [Problem(kind, 16384, 4096) for kind in ("layernorm_backward", "layernorm_weights", "rmsnorm_backward")]
    found += [Problem("softmax", rows, n) for rows in (2048, 32768) for n in (1024, 4096, 8192, 16384)]
    found += [Problem("softmax", 32768, 1000), Problem("softmax", 4096, 50257), Problem("softmax", 4096, 65536), Problem("softmax", 1024, 262144)]
    found += [Problem(kind, 8192, n) for kind in ("cross_entropy", "cross_entropy_backward") for n in (32000, 50257, 128256)]
    found += [Problem(kind, 16384, 8192) for kind in ("rowsum", "rowmax", "colsum", "argmax")] + [Problem("cumsum", 16384, 4096)]
    found += [Problem("sort", 16384, 1024), Problem("sort", 8192, 4096), Problem("top8", 65536, 256), Problem("top64", 16384, 4096)]
    found += [Problem("rope", 32768, 4096), Problem("permute", 32768, 4096), Problem("transpose", 8192, 8192), Problem("transpose", 16384, 16384)]
    found += [Problem("conv1d", 65536, 4096), Problem("embedding", 32768, 4096)]
    found += [Problem("maxpool", 3584, 7168), Problem("maxpool", 2048, 16384), Problem("hadamard", 32768, 4096), Problem("hadamard", 131072, 1024)]
    found += [Problem("gemv_batch", rows, n) for rows, n in ((1024, 4096), (4096, 4096), (1024, 8192))]
    found += [Problem("gemv", rows, n) for rows, n in ((4096, 4096), (14336, 4096), (4096, 14336), (28672, 8192), (8192, 28672), (128256, 4096))]
    return found


PROBLEMS = _problems()


def candidates(problem):
    """The configurations of a problem that are packed, the default first."""
    kind, n = problem.kind, problem.columns
    if kind in ("transpose",):
        shapes = [(64, 64, 256), (64, 64, 128), (128, 64, 256), (64, 128, 256), (32, 64, 128)]
        return [Operator(kind, n, r, c, t) for r, c, t in shapes]
    if kind == "rope":
        return [Operator(kind, n, r, 0, t) for r, t in ((16, 128), (32, 256), (8, 64), (32, 128))]
    if kind == "permute":
        return [Operator(kind, n, r, 0, t) for r, t in ((64, 256), (32, 128), (128, 256), (16, 128))]
    if kind == "maxpool":
        return [Operator(kind, n, r, c, t) for r, c, t in ((1, 1024, 128), (1, 2048, 256), (2, 1024, 256), (1, 4096, 256), (1, 2048, 128), (4, 1024, 256))]
    if kind == "hadamard":
        tile = 4096 // n  # rows of one
        return [Operator(kind, n, tile, 0, t) for t in (128, 256)] + [Operator(kind, n, tile * count, 0, t, "pieces") for count, t in ((16, 128), (8, 128), (32, 128), (16, 256))]
    if kind == "conv1d":
        return [Operator(kind, n, r, c, t) for r, c, t in ((64, 64, 128), (32, 128, 256), (64, 128, 256), (128, 64, 256))]
    if kind in ELEMENTWISE:
        shapes = [(1, 2048, 256), (1, 4096, 256), (1, 1024, 128), (4, 1024, 256), (2, 4096, 512), (16, 256, 256)]
        return [Operator(kind, n, r, c, t) for r, c, t in shapes]
    if kind == "cast_group":
        return [Operator(kind, n, r, c, t) for r, c, t in ((1, 2048, 256), (1, 4096, 256), (4, 1024, 256), (1, 1024, 128))]
    if kind in ("colsum", "layernorm_weights"):
        return [Operator(kind, n, r, c, t, "pieces") for r, c, t in ((64, 64, 256), (32, 128, 256), (128, 64, 512), (64, 64, 512), (256, 32, 512))]
    if kind in ("gemv", "gemv_batch"):
        return [Operator(kind, n, r, c, t, "pieces") for r, c, t in ((4, 2048, 256), (1, 4096, 256), (2, 2048, 256), (8, 1024, 256), (4, 1024, 128), (1, 2048, 128), (4, 4096, 512))]
    if kind in ("softmax", "cross_entropy") and n > 16384 or kind in ("rowsum", "rowmax") and n > 32768:
        found = [Operator(kind, n, 1, c, t, "pieces") for c, t in ((4096, 512), (8192, 512), (8192, 1024), (4096, 256), (2048, 256))]
        if n <= 65536:
            found.append(Operator(kind, n, 1, 0, 1024))
        if kind == "softmax":
            # Blocks of a cluster share a row, 64 elements a thread and more.
            found += [Operator(kind, n, 1, 0, t, "shared", c) for c, t in ((4, 128), (4, 256), (8, 128), (8, 256), (8, 512), (16, 128), (16, 256)) if 32 <= n / c / t <= 128]
        return found
    if kind in ("sort", "top64"):
        return [Operator(kind, n, r, 0, t) for r, t in ((1, 128), (1, 256), (1, 512), *(((2, 128), (2, 256), (4, 256)) if n <= 2048 else ()))]
    if kind == "top8":
        return [Operator(kind, n, r, 0, t) for r, t in ((4, 128), (8, 128), (16, 128), (16, 256), (2, 64), (1, 32))]
    # A row in registers: 16 elements a thread where that is possible.
    sizes = sorted({min(1024, max(32, 1 << max(0, (n // per - 1).bit_length()))) for per in (8, 16, 32)})
    # And as many threads as share a row out evenly.
    sizes += [n // per for per in (8, 16, 32) if n % (32 * per) == 0 and n // per <= 1024 and n // per not in sizes]
    middle = min(1024, max(32, 1 << max(0, (n // 16 - 1).bit_length())))
    found = [Operator(kind, n, 1, 0, middle)]
    found += [Operator(kind, n, 1, 0, t) for t in sizes if t != middle]
    if n <= 4096:
        found += [Operator(kind, n, 4, 0, min(1024, middle * 4)), Operator(kind, n, 2, 0, min(1024, middle * 2))]
    if kind == "rmsnorm" and n >= 8192:
        found += [Operator(kind, n, 1, 4096, 512, "pieces"), Operator(kind, n, 1, 2048, 256, "pieces")]
    if kind in ("rowsum", "rowmax"):
        found += [Operator(kind, n, 1, 2048, 256, "pieces"), Operator(kind, n, 4, 1024, 256, "pieces")]
    return found
