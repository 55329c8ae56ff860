# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product whose weights are stored in four or eight bits, as plain tile programs: C[M, N] = A[M, K] dequant(W)[N, K]^T + BIAS[N].

Weights become A's type in registers, (q - Z[g, n]) S[g, n], where g is the group of `group` elements along K. With group 0 a row of W
has one scale, S[n], which multiplies the sums. Forms:

  swap      the product is W A^T: weights are the operand that wgmma takes from registers, and C is turned over through shared memory
  shared    the product is A W^T: dequantized weights are written to a tile in shared memory
  fragment  the product is A W^T of weights in a fragment: the compiler brings them where the instruction reads them

Packings of W: `rows` [N, K] in the weights' own type, two elements of four bits to a byte; `pairs` and `split` [N, K bits / 32] of i32,
in which the elements that a thread of the instruction holds lie in 16 bytes (packings.py has the order). quantized_gemv.py has the
programs that multiply without tensor cores.
"""

import dataclasses

from .gemm import HEAD, SHORT, memref
from .notation import complete

# Of each kind of weights: the type of a stored element, its bits.
STORED = {
    "i4": ("i4", 4),
    "u4": ("i4", 4),
    "f4": ("f4E2M1FN", 4),
    "mxfp4": ("f4E2M1FN", 4),
    "nf4": ("i4", 4),
    "i8": ("i8", 8),
    "f8": ("f8E4M3FN", 8),
}


@dataclasses.dataclass(frozen=True)
class Quantized:
    element: str = "f16"  # of A: f16, bf16, or i8 and f8E4M3FN, which have a scale of each row, SA[M], and multiply as they are
    weights: str = "i4"
    group: int = 128  # along K; 0: one scale a row of W
    zeros: bool = False  # zero points Z, of A's type; u4 without them has none
    packing: str = "rows"
    form: str = "swap"
    # What the scales of groups multiply: weights, or the sums of a group (then a step of K is a group; i8 has no other way).
    scale: str = "weights"
    bias: bool = False
    out: str = ""  # the type of C: A's; f16 where A has eight bits
    tile: tuple = (16, 64, 128)  # M, N, K
    # Products that a step of K is multiplied in, one after the other: weights of the next are dequantized while one runs.
    parts: int = 1
    stages: int = 4
    threads: int = 128
    cluster: int = 1  # blocks along N, which read the same rows of A
    split: int = 0  # by the compiler: blocks of a cluster that share the loop over K
    stream_k: int = 0  # by the compiler: parts of the loop over K of tiles that persistent blocks share
    split_k: bool = False  # in the program: C is f32 [splits, M, N], parts for tilebench.gemm.Reduce
    panel: int = 0
    persistent: int = 0
    specialize: bool | None = None
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = ["quantized", self.weights, SHORT.get(self.element, self.element), f"g{self.group}" if self.group else "column"]
        parts += ["zeros"] * self.zeros + [self.packing, self.form] + ["sums"] * (self.scale == "sums") + ["bias"] * self.bias
        parts += [self.out] * bool(self.out) + ["x".join(map(str, self.tile)), f"s{self.stages}", f"t{self.threads}"]
        parts += [f"parts{self.parts}"] * (self.parts > 1)
        parts += [f"c{self.cluster}"] * (self.cluster > 1) + [f"k{self.split}"] * bool(self.split) + [f"S{self.stream_k}"] * bool(self.stream_k) + ["splitk"] * self.split_k + [f"p{self.panel}"] * bool(self.panel)
        parts += [f"P{self.persistent}"] * bool(self.persistent)
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        return "_".join(parts)

    @property
    def stored(self):
        """The type that elements of W have in memory."""
        return STORED[self.weights][0] if self.packing == "rows" else "i32"

    @property
    def bits(self):
        return STORED[self.weights][1]

    @property
    def per_word(self):
        """Elements of a stored element of W."""
        return 1 if self.packing == "rows" else 32 // self.bits

    @property
    def result(self):
        return "f32" if self.split_k else self.out or ("f16" if self.narrow else self.element)

    @property
    def scales(self):
        """The type of S: f32 where it multiplies sums."""
        if self.weights == "mxfp4":
            return "f8E8M0FNU"
        return "f32" if self.narrow or self.scale == "sums" or not self.group else self.element

    @property
    def integer(self):
        return self.element == "i8"

    @property
    def narrow(self):
        """Whether A has eight bits: steps of the instruction are 32 long."""
        return self.element in ("i8", "f8E4M3FN")

    def arguments(self):
        """name, element type, shape (in M, N, K, groups), access, padded rows; scalars have no shape."""
        grouped = ["groups", "N"] if self.group else ["N"]
        found = [("A", self.element, ["M", "K"], "r", False), ("W", self.stored, ["N", "words" if self.per_word > 1 else "K"], "r", False)]
        found += [("S", self.scales, grouped, "r", False)]
        found += [("Z", self.element, grouped, "r", False)] * self.zeros
        found += [("TABLE", self.element, ["16"], "r", False)] * (self.weights == "nf4")
        found += [("SA", "f32", ["M"], "r", False)] * self.narrow
        found += [("BIAS", self.result, ["N"], "r", False)] * self.bias
        found += [("C", self.result, (["splits"] if self.split_k else []) + ["M", "N"], "w", False)]
        return found + [("splits", "i32", None, "r", False)] * self.split_k

    def check(self):
        alike = ("i4", "u4", "i8" if self.integer else "f8")
        if self.narrow and not (self.weights in alike and not self.zeros and (self.scale == "sums") == bool(self.group)):
            raise ValueError(f"quantized: A of eight bits takes {', '.join(alike)} without zero points, and scales of groups multiply sums")
        if self.scale == "sums" and self.group != self.tile[2]:
            raise ValueError("quantized: a step of K is a group where scales multiply sums")
        if self.zeros and not self.group:
            raise ValueError("quantized: zero points have groups")
        if self.parts > 1 and self.packing == "rows":
            raise ValueError("quantized: weights in words are multiplied in parts")
        if self.bias and self.split_k:
            raise ValueError("quantized: parts have no bias")
        if self.packing != "rows" and self.tile[2] % period(self.bits):
            raise ValueError(f"quantized: a step of K is a multiple of {period(self.bits)} where W is packed in words")

    def text(self):
        self.check()
        return complete(quantized_text(self))


def period(bits):
    """Elements along K after which an order of words repeats: those of 16 words."""
    return 16 * 32 // bits


def word_maps(p):
    """Of column d0 of a tile of weights: the word that holds it, and its first bit. A thread t of four holds of each step of the
    instruction, 16 elements or 32 of eight bits, `run` next to each other from run t on, in both halves."""
    run, count = (4, 32) if p.narrow else (2, 16)
    base = f"(d0 floordiv {period(p.bits)}) * 16 + " if p.tile[2] > period(p.bits) else ""
    inner = f"(d0 mod {period(p.bits)})" if base else "d0"
    in_word = p.per_word // (2 * run)  # steps that share a word
    thread = f"((d0 mod {4 * run}) floordiv {run}) * 4"
    half, element = f"(d0 mod {count}) floordiv {count // 2}", f"d0 mod {run}"
    if not in_word:  # a step of eight bits fills two words
        return f"affine_map<(d0) -> ({base}{thread} + {inner} floordiv {count // 2})>", f"affine_map<(d0) -> (({element}) * 8)>"
    word = f"affine_map<(d0) -> ({base}{thread} + {inner} floordiv {count * in_word})>"
    step = f"(d0 mod {count * in_word}) floordiv {count}"
    b = p.bits
    if b == 8:
        weights = {"half": 16, "element": 8} if p.packing == "pairs" else {"half": 8, "element": 16}
    elif p.packing == "pairs":
        weights = {"half": 4 * run, "element": 4, "step": 8 * run}
    else:  # the two elements of a pair in the two halves of the word (where A has eight bits, the four in the four bytes)
        weights = {"half": 4, "element": 32 // run, "step": 8}
    terms = [f"({half}) * {weights['half']}", f"({element}) * {weights['element']}"]
    terms += [f"({step}) * {weights['step']}"] if in_word > 1 else []
    return word, f"affine_map<(d0) -> ({' + '.join(terms)})>"


def converted(p):
    """What makes %f of A's type from the stored element %q."""
    a, (kind, _) = p.element, STORED[p.weights]
    if p.weights == "nf4":
        return "%q32 = arith.extui %q : i4 to i32\n%qx = arith.index_cast %q32 : i32 to index\n%f = memref.load %Ts[%qx]"
    if p.integer:
        return f"%f = arith.ext{'u' if p.weights == 'u4' else 's'}i %q : i4 to i8"
    if kind.startswith("i"):
        return f"%f = arith.{'u' if p.weights == 'u4' else 's'}itofp %q : {kind} to {a}"
    return f"%f = arith.extf %q : {kind} to {a}"


def scaled(p, at_column):
    """What makes %d, the operand's element, from %f of a column of the tile."""
    a, lines, last = p.element, [], "%f"
    row = "affine.apply #row(%j)" if p.tile[2] > p.group > 0 else None
    if row and (p.zeros or p.scale == "weights"):
        lines += [f"%r = {row.replace('%j', at_column)}"]
    at = "%r" if row else "%c0"
    if p.zeros:
        lines += [f"%z = memref.load %Zs[{at}, %i]", f"%fz = arith.subf {last}, %z : {a}"]
        last = "%fz"
    if p.group and p.scale == "weights":
        lines += [f"%s0 = memref.load %Ss[{at}, %i]"]
        scale = "%s0"
        if p.weights == "mxfp4":
            lines += ["%s1 = arith.extf %s0 : f8E8M0FNU to f32", f"%s2 = arith.truncf %s1 : f32 to {a}"]
            scale = "%s2"
        lines += [f"%d = arith.mulf {last}, {scale} : {a}"]
        last = "%d"
    return lines, last


def dequantize(p, target, first=0):
    """The loop over a part of a tile of weights, from column `first` on, that writes `target`."""
    (bn, bk), (kind, bits) = p.tile[1:], STORED[p.weights]
    bk //= p.parts
    column = "%jj" if first else "%j"
    if p.packing == "rows":
        lines = ["%q = memref.load %wq[%i, %j]"]
    else:
        lines = [f"%jj = affine.apply affine_map<(d0) -> (d0 + {first})>(%j)"] if first else []
        lines += [f"%p = affine.apply #word({column})", f"%sh = affine.apply #shift({column})", "%w = memref.load %Ws[%i, %p]"]
        lines += ["%sh32 = arith.index_cast %sh : index to i32", "%ww = arith.shrui %w, %sh32 : i32"]
        whole = "%q" if kind.startswith("i") else "%qi"
        lines += [f"{whole} = arith.trunci %ww : i32 to i{bits}"]
        lines += [] if kind.startswith("i") else [f"%q = arith.bitcast %qi : i{bits} to {kind}"]
    if kind == p.element:
        last, more = "%q", []
    else:
        lines += converted(p).splitlines()
        more, last = scaled(p, column)
    lines += more + [f"memref.store {last}, %{target}[%i, %j]"]
    return f"tile.parallel (%i, %j) in ({bn}, {bk}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}"


def heads(p):
    """The maps that a program uses."""
    bk, group = p.tile[2], p.group
    found = []
    if p.packing != "rows":
        word, shift = word_maps(p)
        found += [f"#word = {word}", f"#shift = {shift}", f"#words = affine_map<(d0) -> (d0 floordiv {p.per_word})>"]
    if group:
        found += [f"#group = affine_map<(d0) -> (d0 floordiv {group})>"]
    if group and bk > group:
        found += [f"#row = affine_map<(d0) -> (d0 floordiv {group})>"]
    return HEAD + "".join(f"{line}\n" for line in found)


def parameters(p):
    """The kernel's parameters, with the sizes that are open."""
    found = []
    for name, element, shape, *_ in p.arguments():
        if shape is None:
            found.append(f"%{name}: {element}")
            continue
        extents = [s if s.isdigit() else "?" for s in shape]
        found.append(f"%{name}: {memref(extents, element)} {{tile.alignment = 16}}")
    return ", ".join(found)


def attributes(p):
    kernel = [f"panel = {p.panel} : i64"] * bool(p.panel) + [f"persistent = {p.persistent} : i64"] * bool(p.persistent)
    kernel += [f"split = {p.split} : i64"] * bool(p.split)
    # A step of these is long beside what sums through memory cost.
    kernel += [f"stream_k = {p.stream_k} : i64", "tile.stream_least = 0 : i64"] * bool(p.stream_k)
    kernel += [] if p.specialize is None else [f"specialize = {str(p.specialize).lower()}"]
    return f" attributes {{{', '.join(kernel)}}}" if kernel else ""


SPLIT = """%parts = arith.index_cast %splits : i32 to index
%steps := (%K + %c{above}) // %c{bk}
%run := (%steps + %parts - 1) // %parts
%length := %run * %c{bk}
%first := %bz * %length
%klast := %first + %length
%last := min(%klast, %K)
"""


def promises(p):
    """Rows of whole 16-byte pieces: the launcher checks it."""
    bits = {"f16": 16, "bf16": 16, "i8": 8, "f32": 32, "i32": 32, "i4": 4, "f4E2M1FN": 4, "f8E4M3FN": 8, "f8E8M0FNU": 8}
    multiple = max(p.group, 32) if p.packing in ("rows", "order") else max(p.group, period(p.bits))
    lines = ["%K = memref.dim %A, %c1", f"tile.assume %K {{divisible_by = {multiple} : i64}} : index"]
    for name, element, shape, *_ in p.arguments():
        if name != "A" and shape and len(shape) > 1:
            lines += [f"%row{name} = memref.dim %{name}, %c{len(shape) - 1}"]
            lines += [f"tile.assume %row{name} {{divisible_by = {128 // bits[element]} : i64}} : index"]
    return "\n".join(lines) + "\n"


def quantized_text(p):
    a, (bm, bn, bk) = p.element, p.tile
    swap = p.form == "swap"
    sums = [bn, bm] if swap else [bm, bn]
    fragment, shared = "#tile.fragment", "#shared"
    product = "i32" if p.integer else "f32"
    target = "Wh" if p.form == "shared" else "wf"
    rows = max(1, bk // p.group) if p.group else 0
    lines = [promises(p) + f"%m := %by * %c{bm}\n%n := %bx * %c{bn}"]
    lines += [SPLIT.format(above=bk - 1, bk=bk)] if p.split_k else []

    def alloc(name, shape, element, space):
        lines.append(f"%{name} = tile.alloc : {memref(shape, element, space)}")

    ends = [""] if p.parts == 1 else list(map(str, range(p.parts)))
    for end in ends:
        alloc("As" + end, [bm, bk // p.parts], a, shared)
    alloc("Ws", [bn, bk // p.per_word], p.stored, shared)
    if p.packing == "rows":
        alloc("wq", [bn, bk], p.stored, fragment)
    for end in ends:
        alloc(target + end, [bn, bk // p.parts], a, shared if p.form == "shared" else fragment)
    if rows:
        alloc("Ss", [rows, bn], p.scales, shared)
    if p.zeros:
        alloc("Zs", [rows, bn], a, shared)
    if p.weights == "nf4":
        alloc("Ts", [16], a, shared)
        lines += ["tile.copy %TABLE to %Ts"]
    late = p.scale == "sums" and rows
    alloc("acc", sums, "f32" if late else product, fragment)
    if late:
        alloc("part", sums, product, fragment)
    zero = "0.0 : f32" if late or not p.integer else "0 : i32"
    lines += [f"%zero = arith.constant {zero}", "tile.fill %acc with %zero"]
    first, last = ("%first", "%last") if p.split_k else ("%c0", "%K")
    body = []
    for number, end in enumerate(ends):
        body += [f"%k{end} := %k + {number * bk // p.parts}"] if number else []
        body += [f"tile.copy %A[%m, %k{end if number else ''}] to %As{end}"]
    body = (["%g = affine.apply #group(%k)"] if rows else []) + (["%kw = affine.apply #words(%k)"] if p.per_word > 1 else []) + body
    body += [f"tile.copy %W[%n, {'%kw' if p.per_word > 1 else '%k'}] to %Ws"]
    body += ["tile.copy %S[%g, %n] to %Ss"] if rows else []
    body += ["tile.copy %Z[%g, %n] to %Zs"] if p.zeros else []
    body += ["tile.copy %Ws to %wq"] if p.packing == "rows" else []
    for number, end in enumerate(ends):
        body += [dequantize(p, target + end, number * bk // p.parts)]
        options = ["transpose_b"] + ["clear"] * bool(late and not number)
        options += ["policy = #tile.warp_policy<full_row>"] * (swap and p.threads > 128)
        left, right = (target, "As") if swap else ("As", target)
        body += [f"tile.gemm %{left}{end}, %{right}{end}, %{'part' if late else 'acc'} {{{', '.join(options)}}}"]
    if late:
        body += [add_part(p, sums)]
    lines += [f"tile.pipelined %k = {first} to {last} step %c{bk} stages({p.stages}) {{"]
    lines += ["  " + line for part in body for line in part.splitlines()] + ["}"]
    lines += [epilogue(p, sums)]
    text = "\n".join("  " + line for part in lines for line in part.splitlines())
    columns = f"dim(%W, 0) ceildiv {bn}" if p.cluster == 1 else f"(dim(%W, 0) ceildiv {bn * p.cluster}) * {p.cluster}"
    indices, grid = "%bx, %by", f"{columns}, dim(%A, 0) ceildiv {bm}"
    cluster = f" cluster({p.cluster}, 1{', 1' if p.split_k else ''})" if p.cluster > 1 else ""
    if p.split_k:
        indices, grid = indices + ", %bz", grid + ", %splits"
    return f"""{heads(p)}tile.kernel @{p.ident()}({parameters(p)})
    grid({indices}) = ({grid}) threads({p.threads}){cluster}{attributes(p)} {{
{text}
}}
"""


def add_part(p, sums):
    """The sums of a group, scaled, into those of all."""
    n = "%i" if p.form == "swap" else "%j"
    lines = ["%x = memref.load %part[%i, %j]", "%y = memref.load %acc[%i, %j]", f"%s0 = memref.load %Ss[%c0, {n}]"]
    scale, value = "%s0", "%x"
    if p.weights == "mxfp4":
        lines += ["%s1 = arith.extf %s0 : f8E8M0FNU to f32"]
        scale = "%s1"
    if p.integer:
        lines += ["%xf = arith.sitofp %x : i32 to f32"]
        value = "%xf"
    lines += [f"%xs = arith.mulf {value}, {scale} fastmath<contract> : f32", "%d = arith.addf %xs, %y fastmath<contract> : f32"]
    lines += ["memref.store %d, %acc[%i, %j]"]
    return f"tile.parallel (%i, %j) in ({sums[0]}, {sums[1]}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}"


def epilogue(p, sums):
    """Scales of rows and the bias, and C in its own order."""
    bm, bn, _ = p.tile
    swap = p.form == "swap"
    m, n = ("%j", "%i") if swap else ("%i", "%j")
    integer = p.integer and not p.group
    lines, before, last = ["%x = memref.load %acc[%i, %j]"], [], "%x"
    if integer:
        lines += ["%xf = arith.sitofp %x : i32 to f32"]
        last = "%xf"

    def vector(name, argument, size, kind, at, offset):
        nonlocal lines
        tile = memref([size], kind, "#tile.fragment")
        before.extend([f"%{name} = tile.alloc : {tile}", f"tile.copy %{argument}[{offset}] to %{name}"])
        lines += [f"%{name}x = memref.load %{name}[{at}]"]
        return f"%{name}x"

    def multiply(by):
        nonlocal last, lines
        lines += [f"{last}{by[1:]} = arith.mulf {last}, {by} : f32"]
        last = f"{last}{by[1:]}"

    if not p.group:
        multiply(vector("sn", "S", bn, "f32", n, "%n"))
    if p.narrow:
        multiply(vector("sm", "SA", bm, "f32", m, "%m"))
    if p.bias:
        # The copy converts.
        bias = vector("bn", "BIAS", bn, "f32", n, "%n")
        lines += [f"%y = arith.addf {last}, {bias} : f32"]
        last = "%y"
    place = "%C[%bz, %m, %n]" + f" sizes [1, {bm}, {bn}]" if p.split_k else "%C[%m, %n]"
    out = "%acc"
    if swap:
        out = "%Cs"
        before += [f"%Cs = tile.alloc : {memref([bm, bn], p.result, '#shared')}"]
        if p.result != "f32":
            lines += [f"%h = arith.truncf {last} : f32 to {p.result}"]
            last = "%h"
        lines += [f"memref.store {last}, %Cs[%j, %i]"]
    elif integer:
        out = "%done"
        before += [f"%done = tile.alloc : {memref(sums, 'f32', '#tile.fragment')}"]
        lines += [f"memref.store {last}, %done[%i, %j]"]
    elif last == "%x":
        return f"tile.copy %acc to {place}"
    else:
        lines += [f"memref.store {last}, %acc[%i, %j]"]
    loop = f"tile.parallel (%i, %j) in ({sums[0]}, {sums[1]}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
    return "\n".join(before) + "\n" + loop + f"tile.copy {out} to {place}"
