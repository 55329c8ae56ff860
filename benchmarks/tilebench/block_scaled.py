# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fp8 GEMM with scales of blocks as plain tile programs, of one matrix of weights or of experts, and the cast that makes such A.

C = A B^T; A [M, K], B [N, K] e4m3. The product of each `group` columns of K has an accumulator of its own, which is multiplied by the
scales of its rows and columns and added in f32: tensor cores keep fewer bits of long sums, and scales change there.

  SA  one scale for 1 x group of A, stored as [K / group, M], so that a tile of rows has its scales next to each other
  SB  one for 128 x 128 of B, [N / 128, K / 128]; with `fine` one for 1 x group, as SA: [K / group, N] (the mx formats: group 32)

`scales` e8m0: scales are powers of two, held as the exponents of f32 (1 to 254), those of four groups of K in a word of i32, the first in
its lowest byte: SA is [K / (4 group), M], SB [N / 128, K / 512] (`fine`: [K / (4 group), N]). K is a multiple of what a word holds.

Experts (`form`): A is [T, K], B [E, N, K] and SB has E in front; contiguous and table as in tilebench.experts.
"""

import dataclasses
import math

from .experts import attributes, indented, leave_rows, search
from .gemm import HEAD, memref
from .notation import complete

FP8 = "f8E4M3FN"
LARGEST = 448.0  # of e4m3


@dataclasses.dataclass(frozen=True)
class BlockScaled:
    out: str = "bf16"
    group: int = 128
    fine: bool = False
    scales: str = "f32"
    form: str = ""  # of experts: contiguous or table
    rows: int = 128
    columns: int = 128
    # Products of a step that have accumulators of their own: with two, one is multiplied while the other is added.
    parts: int = 1
    stages: int = 4
    threads: int = 256
    panel: int = 0
    persistent: int = 0
    specialize: bool | None = None
    store: str = "scatter"  # of experts, as tilebench.experts has it: scatter, staged or view
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = ["block_scaled", self.scales, f"g{self.group}", *([self.form] if self.form else []), f"{self.rows}x{self.columns}"]
        parts += ["fine"] * self.fine + [f"x{self.parts}"] * (self.parts > 1) + [f"s{self.stages}", f"t{self.threads}"]
        parts += [f"p{self.panel}"] * bool(self.panel) + [f"P{self.persistent}"] * bool(self.persistent)
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        return "_".join(parts + [self.store] * (self.store != "scatter") + [self.out] * (self.out != "bf16"))

    @property
    def packed(self):
        return self.scales == "e8m0"

    @property
    def result(self):
        return self.out

    def check(self):
        if self.scales not in ("f32", "e8m0"):
            raise ValueError(f"scales: expected f32 or e8m0, got '{self.scales}'")
        if not self.fine and self.group != 128:
            raise ValueError("group: expected 128 without `fine`")
        if 128 % self.columns and self.columns % 128 or self.columns > 256:
            raise ValueError("columns: expected 256, 128 or a divisor of 128")
        if self.form not in ("", "contiguous", "table"):
            raise ValueError(f"form: expected contiguous, table or none, got '{self.form}'")

    def arguments(self):
        scale, experts = "i32" if self.packed else "f32", ["E"] * bool(self.form)
        found = [("A", FP8, ["M", "K"], "r", False), ("SA", scale, ["KG", "M"], "r", False), ("B", FP8, [*experts, "N", "K"], "r", False)]
        found += [("SB", scale, [*experts, "KG", "N"] if self.fine else [*experts, "NB", "KB"], "r", False)]
        found += [("OFF", "i32", ["E1"], "r", False)] * (self.form == "contiguous")
        found += [("TILE", "i32", ["tiles", 4], "r", False)] * (self.form == "table")
        return found + [("C", self.out, ["M", "N"], "w", False)]

    def text(self):
        self.check()
        return block_scaled_text(self)


def word(value, byte):
    """Lines that make %NAME, f32, of a byte of the word %NAMEw."""
    lines = [f"%{value}s = arith.shrui %{value}w, {byte} : i32", f"%{value}m = arith.andi %{value}s, %mask : i32"]
    return [*lines, f"%{value}e = arith.shli %{value}m, %c23 : i32", f"%{value} = arith.bitcast %{value}e : i32 to f32"]


def scale_of_columns(p, e, x):
    """Of part x of a step: lines before the loop over the elements of a product, and those in it that make %sb."""
    if p.fine:
        return [], ([f"%sbw := %Sb{x}[%j]", *word("sb", f"%byte{x}")] if p.packed else [f"%sb := %Sb{x}[%j]"])
    names, lines = [], []
    for c in range(-(-p.columns // 128)):
        row = f"min((%n + {128 * c}) // 128, %NB - 1)" if c else "%n // 128"
        name = f"sb{x}_{c}"
        lines += [f"%nb{x}_{c} := {row}"]
        if p.packed:
            lines += [f"%{name}w := %SB[{e}%nb{x}_{c}, %g{x} // 4]", *word(name, f"%byte{x}")]
        else:
            # The last step may hold less than it has room for: zeros, whose scale is any.
            lines += [f"%{name} := %SB[{e}%nb{x}_{c}, {f'min(%g{x}, %K // {p.group} - 1)' if x else f'%g{x}'}]"]
        names.append(name)
    return lines, [] if len(names) == 1 else [f"%sb := %sb{x}_0 if %j < 128 else %sb{x}_1"]


def parts_of_step(p, e, row):
    """The products of a step, each in an accumulator of its own, and then their sum with the scales."""
    lines = []
    one = "1, " if p.form else ""
    first, many = ("%base", p.rows + 4) if p.form else ("%m", p.rows)
    for x in range(p.parts):
        lines += [f"%k{x} := %k + {x * p.group}", f"%g{x} := %k{x} // {p.group}"]
        at = f"%g{x}"
        if p.packed:
            lines += [f"%word{x} := %g{x} // 4", f"%byte{x} := i32(%g{x} % 4) * 8"]
            at = f"%word{x}"
        region = f"%B[{e}%n, %k{x}] sizes [{one}{p.columns}, {p.group}]" if p.form else f"%B[%n, %k{x}]"
        lines += [f"tile.copy %A[%m, %k{x}] to %As{x}", f"tile.copy {region} to %Bs{x}"]
        lines += [f"tile.copy %SA[{at}, {first}] sizes [1, {many}] to %Sa{x}"]
        lines += [f"tile.copy %SB[{e}{at}, %n] sizes [{one}1, {p.columns}] to %Sb{x}"] * p.fine
        lines += scale_of_columns(p, e, x)[0]
    lines += [f"tile.gemm %As{x}, %Bs{x}, %part{x} {{clear, transpose_b}}" for x in range(p.parts)]
    for x in range(p.parts):
        column = "sb" if p.fine or p.columns > 128 else f"sb{x}_0"
        inner = [f"%saw := %Sa{x}[{row}]", *word("sa", f"%byte{x}")] if p.packed else [f"%sa := %Sa{x}[{row}]"]
        inner += [*scale_of_columns(p, e, x)[1], f"%s := %sa * %{column}", f"%x = memref.load %part{x}[%i, %j]", "%a = memref.load %acc[%i, %j]"]
        inner += ["%y = math.fma %x, %s, %a : f32", "memref.store %y, %acc[%i, %j]"]
        lines += [f"tile.parallel (%i, %j) in ({p.rows}, {p.columns}) {{", *indented(inner), "}"]
    return lines


def block_scaled_text(p):
    shared, fragment, g = "#shared", "#tile.fragment", p.group
    scale = "i32" if p.packed else "f32"
    e = "%e, " if p.form else ""
    rank = 1 if p.form else 0
    lines = ["  %K = memref.dim %A, %c1", f"  %KB = memref.dim %B, %c{1 + rank}", "  %NY = memref.dim %C, %c1"]
    lines += ["  %MS = memref.dim %SA, %c1"] + [f"  %NS = memref.dim %SB, %c{1 + rank}"] * p.fine + [f"  %NB = memref.dim %SB, %c{rank}"] * (not p.fine)
    promised = [("K", 128), ("KB", 128), ("NY", 8), ("MS", 4)] + [("NS", 4)] * p.fine
    lines += [f"  tile.assume %{n} {{divisible_by = {d} : i64}} : index" for n, d in promised]
    # Rows of an expert begin anywhere: its scales are loaded from whole pieces of 16 bytes on.
    many, row = (p.rows + 4, "%i + %shift") if p.form else (p.rows, "%i")
    acc, body = memref([p.rows, p.columns], "f32", fragment), []
    for x in range(p.parts):
        body += [f"%As{x} = tile.alloc : {memref([p.rows, g], FP8, shared)}", f"%Bs{x} = tile.alloc : {memref([p.columns, g], FP8, shared)}"]
        body += [f"%Sa{x} = tile.alloc : {memref([many], scale, shared)}"] + [f"%Sb{x} = tile.alloc : {memref([p.columns], scale, shared)}"] * p.fine
        body += [f"%part{x} = tile.alloc : {acc}"]
    body += [f"%acc = tile.alloc : {acc}", "tile.fill %acc with %zero"]
    body += [f"tile.pipelined %k = %c0 to %K step %c{g * p.parts} stages({p.stages}) {{", *indented(parts_of_step(p, e, row)), "}"]
    if not p.form:
        lines += [f"  %m := %by * {p.rows}", f"  %n := %bx * {p.columns}", *indented(body), "  tile.copy %acc to %C[%m, %n]"]
        names, grid = "%bx, %by", f"dim(%C, 1) ceildiv {p.columns}, dim(%C, 0) ceildiv {p.rows}"
    else:
        lines += [*search(p), "  scf.if %some {", f"    %n := %bx * {p.columns}", "    %base := %m // 4 * 4", "    %shift := %m - %base", *indented(body, 2), *indented(leave_rows(p, "C")), "  }"]
        tiles = "dim(%TILE, 0)" if p.form == "table" else f"dim(%A, 0) ceildiv {p.rows} + dim(%OFF, 0)"
        names, grid = "%bx, %t", f"dim(%C, 1) ceildiv {p.columns}, {tiles}"
    shapes = {n: memref([d if isinstance(d, int) else "?" for d in s], k) for n, k, s, *_ in p.arguments()}
    aligned = {"A", "B", "SA", "C", "TILE"} | ({"SB"} if p.fine else set())
    parameters = ", ".join(f"%{n}: {k}" + " {tile.alignment = 16}" * (n in aligned) for n, k in shapes.items())
    constants = ["  %mask = arith.constant 255 : i32", "  %c23 = arith.constant 23 : i32"] * p.packed
    return complete(f"""{HEAD}tile.kernel @{p.ident()}({parameters})
    grid({names}) = ({grid}) threads({p.threads}){attributes(p)} {{
  %zero = arith.constant 0.0 : f32
{chr(10).join([*constants, *lines])}
}}
""")


@dataclasses.dataclass(frozen=True)
class Cast:
    """A [M, K] e4m3 and SA of X: the greatest magnitude of each 1 x `group` becomes 448 or, with e8m0, at most that.

    X is [M, K]; with `gate` [M, 2 K], and what is cast is silu of its first K columns times the others.
    """

    element: str = "bf16"
    group: int = 128
    scales: str = "f32"
    gate: bool = False
    rows: int = 16
    groups: int = 8  # of columns that a block takes, a multiple of 4 with e8m0
    threads: int = 256
    name: str = ""

    def ident(self):
        parts = ["cast_groups", self.element, self.scales, f"g{self.group}", f"{self.rows}x{self.groups}", f"t{self.threads}"]
        return self.name or "_".join(parts + ["gate"] * self.gate)

    @property
    def packed(self):
        return self.scales == "e8m0"

    def arguments(self):
        found = [("X", self.element, ["M", "2K" if self.gate else "K"], "r", False), ("A", FP8, ["M", "K"], "w", False)]
        return found + [("SA", "i32" if self.packed else "f32", ["KG", "M"], "w", False)]

    def text(self):
        if self.packed and self.groups % 4:
            raise ValueError("groups: expected a multiple of 4 with e8m0")
        return cast_text(self)


def cast_text(p):
    fragment, rows, g, groups = "#tile.fragment", p.rows, p.group, p.groups
    columns = g * groups
    flat, parts, row = memref([rows, columns], "f32", fragment), memref([rows, groups, g], "f32", fragment), memref([rows, groups], "f32", fragment)
    lines = [f"  %m := %by * {rows}", f"  %n := %bx * {columns}", f"  %x = tile.alloc : {flat}", "  tile.copy %X[%m, %n] to %x"]
    if p.gate:
        lines += [f"  %u = tile.alloc : {flat}", "  %nu := %n + %KA", "  tile.copy %X[%m, %nu] to %u", f"  tile.parallel (%i, %j) in ({rows}, {columns}) {{"]
        lines += ["    %y := %x[%i, %j]", f"    %x[%i, %j] := %y / (exp2(%y * {-math.log2(math.e)!r}) + 1.0) * %u[%i, %j]", "  }"]
    lines += [f"  %xg = tile.view %x : {flat} to {parts}", f"  %peak = tile.alloc : {row}", "  tile.reduce absmax %xg to %peak dim(2)"]
    # In the order of SA: groups first.
    turned = memref([groups, rows], "i32" if p.packed else "f32", "#shared")
    lines += [f"  %scale = tile.alloc : {turned}", f"  tile.parallel (%i, %q) in ({rows}, {groups}) {{"]
    lines += [f"    %s := max(%peak[%i, %q], 1.0e-30) * {1 / LARGEST!r}"]
    if p.packed:
        # The exponent of the next power of two: adding all bits of the fraction carries into it.
        lines += ["    %bits = arith.bitcast %s : f32 to i32", "    %carried = arith.addi %bits, %fraction : i32", "    %exponent = arith.shrui %carried, %c23 : i32"]
        lines += ["    memref.store %exponent, %scale[%q, %i]", "    %power = arith.shli %exponent, %c23 : i32", "    %p = arith.bitcast %power : i32 to f32"]
        lines += ["    %peak[%i, %q] := 1.0 / %p"]
    else:
        lines += ["    %scale[%q, %i] := %s + 0.0", "    %peak[%i, %q] := 1.0 / %s"]
    lines += ["  }", f"  tile.parallel (%i, %q, %j) in ({rows}, {groups}, {g}) {{", "    %xg[%i, %q, %j] := %xg[%i, %q, %j] * %peak[%i, %q]", "  }"]
    lines += ["  tile.copy %x to %A[%m, %n]", f"  %g := %bx * {groups // 4 if p.packed else groups}"]
    if p.packed:
        words = memref([groups // 4, rows], "i32", fragment)
        lines += [f"  %words = tile.alloc : {words}", f"  tile.parallel (%q, %i) in ({groups // 4}, {rows}) {{"]
        for x in range(4):
            lines += [f"    %e{x} := %scale[%q * 4 + {x}, %i]"] + ([f"    %f{x} = arith.shli %e{x}, %by{x} : i32"] if x else [])
        lines += ["    %w1 = arith.ori %e0, %f1 : i32", "    %w2 = arith.ori %w1, %f2 : i32", "    %w3 = arith.ori %w2, %f3 : i32", "    memref.store %w3, %words[%q, %i]"]
        lines += ["  }", "  tile.copy %words to %SA[%g, %m]"]
    else:
        lines += ["  tile.copy %scale to %SA[%g, %m]"]
    constants = ["  %c23 = arith.constant 23 : i32", "  %fraction = arith.constant 8388607 : i32"]
    constants = (constants + [f"  %by{x} = arith.constant {8 * x} : i32" for x in (1, 2, 3)]) * p.packed
    shapes = {n: memref(["?"] * len(s), k) for n, k, s, *_ in p.arguments()}
    parameters = ", ".join(f"%{n}: {k} {{tile.alignment = 16}}" for n, k in shapes.items())
    promised = [("KA", "A", 128), ("KX", "X", 128), ("MS", "SA", 4)]
    assumed = [line for n, t, d in promised for line in (f"  %{n} = memref.dim %{t}, %c1", f"  tile.assume %{n} {{divisible_by = {d} : i64}} : index")]
    return complete(f"""{HEAD}tile.kernel @{p.ident()}({parameters})
    grid(%bx, %by) = (dim(%A, 1) ceildiv {columns}, dim(%A, 0) ceildiv {rows}) threads({p.threads}) {{
{chr(10).join([*constants, *assumed, *lines])}
}}
""")
