# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Few rows of A by quantized weights without tensor cores, as plain tile programs: C[M, N] = A[M, K] dequant(W)[N, K]^T for M <= 8.

Threads share K: each adds up what it has in f32, and the block adds the threads' sums once, behind the loop. Two forms by packing:
`rows` accumulates element by element of a tile of weights in their own type; `order` takes W as words of eight elements in order
(the same bytes), four words a thread at a time, and scales the sum of 32 elements.
"""

import dataclasses

from .gemm import HEAD, SHORT, memref
from .notation import complete
from .quantized import SPLIT, STORED, attributes, parameters, promises


@dataclasses.dataclass(frozen=True)
class Gemv:
    """Arguments are those of quantized.Quantized: A, W, S, Z, BIAS, C and splits."""

    element: str = "f16"
    weights: str = "i4"  # of four bits without a table
    group: int = 128
    zeros: bool = False
    packing: str = "order"
    bias: bool = False
    tile: tuple = (1, 16, 1024)  # M, N, K
    stages: int = 3
    threads: int = 128
    split_k: bool = False
    panel: int = 0
    persistent: int = 0
    split: int = 0
    specialize: bool | None = None
    name: str = ""

    scale = "weights"
    form = "gemv"
    narrow = integer = False
    stream_k = 0

    def ident(self):
        if self.name:
            return self.name
        parts = ["gemv", self.weights, SHORT.get(self.element, self.element), f"g{self.group}"] + ["zeros"] * self.zeros
        parts += [self.packing] + ["bias"] * self.bias + ["x".join(map(str, self.tile)), f"s{self.stages}", f"t{self.threads}"]
        parts += ["splitk"] * self.split_k + ([] if self.specialize is None else ["spec" if self.specialize else "nospec"])
        return "_".join(parts)

    @property
    def stored(self):
        return STORED[self.weights][0] if self.packing == "rows" else "i32"

    @property
    def bits(self):
        return STORED[self.weights][1]

    @property
    def per_word(self):
        return 1 if self.packing == "rows" else 32 // self.bits

    @property
    def result(self):
        return "f32" if self.split_k else self.element

    @property
    def scales(self):
        return "f8E8M0FNU" if self.weights == "mxfp4" else self.element

    def arguments(self):
        found = [("A", self.element, ["M", "K"], "r", False), ("W", self.stored, ["N", "words" if self.per_word > 1 else "K"], "r", False)]
        found += [("S", self.scales, ["groups", "N"], "r", False)] + [("Z", self.element, ["groups", "N"], "r", False)] * self.zeros
        found += [("BIAS", self.result, ["N"], "r", False)] * self.bias
        found += [("C", self.result, (["splits"] if self.split_k else []) + ["M", "N"], "w", False)]
        return found + [("splits", "i32", None, "r", False)] * self.split_k

    def text(self):
        if self.bits != 4 or self.weights == "nf4" or self.group % 32 or not self.group or self.bias and self.split_k:
            raise ValueError("gemv: expected four bits without a table, groups of multiples of 32, and no bias of parts")
        return complete(gemv_text(self))


def convert(p, q, f):
    """A stored element in f32."""
    kind = STORED[p.weights][0]
    if kind == "i4":
        return [f"%{f} = arith.{'u' if p.weights == 'u4' else 's'}itofp %{q} : i4 to f32"]
    lines = [] if p.packing == "rows" else [f"%{q}b = arith.bitcast %{q} : i4 to {kind}"]
    return lines + [f"%{f} = arith.extf %{q}{'' if p.packing == 'rows' else 'b'} : {kind} to f32"]


def scale_f32(p):
    if p.weights == "mxfp4":
        return ["%s = arith.extf %s0 : f8E8M0FNU to f32"]
    return [f"%s = arith.extf %s0 : {p.element} to f32"]


def by_elements(p):
    """The body of the loop over a tile of weights: %i of N, %j of K."""
    lines = ["%q = memref.load %Ws[%i, %j]", *convert(p, "q", "f"), "%r = affine.apply #row(%j)"]
    last = "%f"
    if p.zeros:
        lines += ["%z = memref.load %Zs[%r, %i]", f"%z32 = arith.extf %z : {p.element} to f32", "%fz = arith.subf %f, %z32 : f32"]
        last = "%fz"
    lines += ["%s0 = memref.load %Ss[%r, %i]", *scale_f32(p), f"%w = arith.mulf {last}, %s : f32"]
    for m in range(p.tile[0]):
        lines += [f"%a{m} = memref.load %As[%c{m}, %j]", f"%b{m} = arith.extf %a{m} : {p.element} to f32", f"%old{m} = memref.load %sum{m}[%i, %j]"]
        lines += [f"%p{m} = arith.mulf %w, %b{m} fastmath<contract> : f32", f"%new{m} = arith.addf %p{m}, %old{m} fastmath<contract> : f32"]
        lines += [f"memref.store %new{m}, %sum{m}[%i, %j]"]
    return lines


def by_words(p):
    """The same of four words: %i of N, %t of 32 elements of K."""
    lines, a = ["%r = affine.apply #row(%t)"], p.element
    lines += ["%z = memref.load %Zs[%r, %i]", f"%z32 = arith.extf %z : {a} to f32"] if p.zeros else []
    sums = ["%zero"] * p.tile[0]
    for c in range(4):
        lines += [f"%p{c} = affine.apply affine_map<(d0) -> (d0 * 4 + {c})>(%t)", f"%w{c} = memref.load %Ws[%i, %p{c}]"]
        for e in range(8):
            k = 8 * c + e
            lines += [f"%h{k} = arith.shrui %w{c}, %i{4 * e} : i32" if e else f"%h{k} = arith.addi %w{c}, %i0 : i32"]
            lines += [f"%q{k} = arith.trunci %h{k} : i32 to i4", *convert(p, f"q{k}", f"f{k}")]
            last = f"%f{k}"
            if p.zeros:
                lines += [f"%d{k} = arith.subf {last}, %z32 : f32"]
                last = f"%d{k}"
            lines += [f"%k{k} = affine.apply affine_map<(d0) -> (d0 * 32 + {k})>(%t)"]
            for m in range(p.tile[0]):
                n = f"{k}_{m}"
                lines += [f"%a{n} = memref.load %As[%c{m}, %k{k}]", f"%b{n} = arith.extf %a{n} : {a} to f32"]
                lines += [f"%m{n} = arith.mulf {last}, %b{n} fastmath<contract> : f32", f"%s{n} = arith.addf %m{n}, {sums[m]} fastmath<contract> : f32"]
                sums[m] = f"%s{n}"
    lines += ["%s0 = memref.load %Ss[%r, %i]", *scale_f32(p)]
    for m in range(p.tile[0]):
        lines += [f"%old{m} = memref.load %sum{m}[%i, %t]", f"%p_{m} = arith.mulf {sums[m]}, %s fastmath<contract> : f32"]
        lines += [f"%new{m} = arith.addf %p_{m}, %old{m} fastmath<contract> : f32", f"memref.store %new{m}, %sum{m}[%i, %t]"]
    return lines


def gemv_text(p):
    a, (bm, bn, bk) = p.element, p.tile
    words = p.packing == "order"
    columns = bk // 32 if words else bk
    rows = max(1, bk // p.group)
    lines = [promises(p) + f"%m := %by * %c{bm}\n%n := %bx * %c{bn}"]
    lines += [SPLIT.format(above=bk - 1, bk=bk)] if p.split_k else []
    lines += ["%zero = arith.constant 0.0 : f32"] + [f"%i{4 * e} = arith.constant {4 * e} : i32" for e in range(8) if words]
    tiles = [("As", [bm, bk], a), ("Ws", [bn, bk // p.per_word], p.stored), ("Ss", [rows, bn], p.scales)] + [("Zs", [rows, bn], a)] * p.zeros
    lines += [f"%{name} = tile.alloc : {memref(shape, kind, '#shared')}" for name, shape, kind in tiles]
    for m in range(bm):
        lines += [f"%sum{m} = tile.alloc : {memref([bn, columns], 'f32', '#tile.fragment')}", f"tile.fill %sum{m} with %zero"]
    first, last = ("%first", "%last") if p.split_k else ("%c0", "%K")
    body = ["%g = affine.apply #group(%k)"] + ["%kw = affine.apply #words(%k)"] * words
    body += ["tile.copy %A[%m, %k] to %As", f"tile.copy %W[%n, {'%kw' if words else '%k'}] to %Ws", "tile.copy %S[%g, %n] to %Ss"]
    body += ["tile.copy %Z[%g, %n] to %Zs"] * p.zeros
    body += [f"tile.parallel (%i, {'%t' if words else '%j'}) in ({bn}, {columns}) {{"]
    body += ["  " + line for line in (by_words(p) if words else by_elements(p))] + ["}"]
    lines += [f"tile.pipelined %k = {first} to {last} step %c{bk} stages({p.stages}) {{", *("  " + line for line in body), "}"]
    vector = memref([bn], "f32", "#tile.fragment")
    lines += [f"%bias = tile.alloc : {vector}", "tile.copy %BIAS[%n] to %bias"] if p.bias else []
    # Rows of one tile, which C may have fewer of.
    lines += [f"%rows = tile.alloc : {memref([bm, bn], 'f32', '#shared')}"]
    for m in range(bm):
        lines += [f"%row{m} = tile.alloc : {vector}", f"tile.reduce sum %sum{m} to %row{m} dim(1)", f"tile.parallel (%i) in ({bn}) {{"]
        lines += [f"  %x = memref.load %row{m}[%i]"]
        lines += ["  %b = memref.load %bias[%i]", "  %y = arith.addf %x, %b : f32"] if p.bias else []
        lines += [f"  memref.store {'%y' if p.bias else '%x'}, %rows[%c{m}, %i]", "}"]
    lines += ["tile.copy %rows to " + (f"%C[%bz, %m, %n] sizes [1, {bm}, {bn}]" if p.split_k else "%C[%m, %n]")]
    text = "\n".join("  " + line for part in lines for line in part.splitlines())
    indices, grid = "%bx, %by", f"dim(%W, 0) ceildiv {bn}, dim(%A, 0) ceildiv {bm}"
    if p.split_k:
        indices, grid = indices + ", %bz", grid + ", %splits"
    unit = p.group // 32 if words else p.group
    maps = f"#group = affine_map<(d0) -> (d0 floordiv {p.group})>\n"
    maps += f"#row = affine_map<(d0) -> ({f'd0 floordiv {unit}' if rows > 1 else '0'})>\n"
    maps += f"#words = affine_map<(d0) -> (d0 floordiv {p.per_word})>\n" if words else ""
    return f"""{HEAD}{maps}tile.kernel @{p.ident()}({parameters(p)})
    grid({indices}) = ({grid}) threads({p.threads}){attributes(p)} {{
{text}
}}
"""
