# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of a grouped GEMM's weights as a plain tile program: DW[e] = sum over the rows r of expert e of X[r]^T DY[r].

X is [T, K], DY [T, N], DW [E, K, N]; expert e has the rows OFF[e] to OFF[e + 1], OFF is [E + 1] i32. An expert without rows gets zeros.
The sum goes over the rows of an expert, any number of them from any row on, so the last step holds rows of the next expert. What
becomes of these says `tail`:

  view    X and DY are views that end with the expert: what a step has behind it is zero
  mask    in the last step they are set to zero in X, where it lies in shared memory; DY has to be finite
  rest    the loop takes whole steps, and one step in tiles of its own, with zeros, follows it, or some of `rest` rows; DY has to be finite
  none    there are no such rows: experts have multiples of `depth` rows, those that stand for no token are zeros in X or DY

The gradient of X is a grouped GEMM of its own, tilebench.experts.Grouped with the other value of `tb`.
"""

import dataclasses

from .experts import attributes, indented
from .gemm import BITS, HEAD, SHORT, memref
from .notation import complete


@dataclasses.dataclass(frozen=True)
class WeightGradient:
    element: str = "bf16"
    out: str = "f32"  # the type of DW
    tail: str = "view"
    rows: int = 128  # of a tile of DW: columns of X
    columns: int = 128
    depth: int = 64  # rows of a step
    stages: int = 4
    threads: int = 256
    panel: int = 0
    persistent: int = 0
    specialize: bool | None = None
    rest: int = 0  # rows of a step behind the whole ones, of which there may be several; 0: as many as of a whole one
    cluster: tuple = ()  # blocks along columns and rows of DW that share what they copy
    gather: bool = False  # row r of X is X[ROW[r]]
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = ["weight_gradient", SHORT.get(self.element, self.element), self.out, self.tail]
        parts += [f"{self.rows}x{self.columns}x{self.depth}", f"s{self.stages}", f"t{self.threads}"]
        parts += [f"p{self.panel}"] * bool(self.panel) + [f"P{self.persistent}"] * bool(self.persistent)
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        parts += [f"rest{self.rest}"] * bool(self.rest)
        parts += [f"c{self.cluster[0]}{self.cluster[1]}"] if self.cluster else []
        return "_".join(parts + ["gather"] * self.gather)

    def check(self):
        if self.tail not in ("view", "mask", "rest", "none"):
            raise ValueError(f"tail: expected view, mask, rest or none, got '{self.tail}'")
        if BITS[self.element] == 8:
            raise ValueError("weight gradient: expected f16 or bf16, wgmma reads bytes along the sum only")

    def arguments(self):
        found = [("X", self.element, ["T", "K"], "r", False), ("DY", self.element, ["R", "N"], "r", False), ("OFF", "i32", ["E1"], "r", False)]
        found += [("ROW", "i32", ["R"], "r", False)] * self.gather
        return found + [("DW", self.out, ["E", "K", "N"], "w", False)]

    def text(self):
        self.check()
        return gradient_text(self)


def view(p, name, columns):
    """Defines a view of a matrix, or of the indices, that ends with the expert."""
    if name == "ROW":
        kind = "memref<?xi32, strided<[1]>>"
        return f"  %ROWv = memref.subview %ROW[0] [%end] [1] : memref<?xi32> to {kind}"
    kind = f"memref<?x?x{p.element}, strided<[?, 1]>>"
    return f"  %{name}v = memref.subview %{name}[0, 0] [%end, {columns}] [1, 1] : memref<?x?x{p.element}> to {kind}"


def step(p, ends, tiles="s"):
    """Copies of the rows from %r on. ends: from views that end with the expert; tiles: the last letter of their names."""
    suffix = "v" if ends else ""
    load = f"tile.gather %X[%m] rows %ROW{suffix}[%r] to %X{tiles}" if p.gather else f"tile.copy %X{suffix}[%r, %m] to %X{tiles}"
    return [f"  {load}", f"  tile.copy %DY{suffix}[%r, %n] to %D{tiles}"]


def zeros(p, depth, tile="Xs"):
    """Sets to zero the rows of a tile of X from %end on."""
    return [f"  tile.parallel (%i, %j) in ({depth}, {p.rows}) {{", "    %at := %r + %i", f"    %none = arith.constant 0.0 : {p.element}",
            f"    %{tile}[%i, %j] := %{tile}[%i, %j] if %at < %end else %none", "  }"]  # fmt: skip


def gradient_text(p):
    t, shared = p.element, "#shared"
    piece = 128 // BITS[t]
    lines = ["  %K = memref.dim %X, %c1", "  %N = memref.dim %DY, %c1", "  %NW = memref.dim %DW, %c2"]
    lines += [f"  tile.assume %{n} {{divisible_by = {d} : i64}} : index" for n, d in (("K", piece), ("N", piece), ("NW", 128 // BITS[p.out]))]
    lines += ["  %begin := index(%OFF[%e])", "  %end := index(%OFF[%e + 1])", f"  %m := %by * {p.rows}", f"  %n := %bx * {p.columns}"]
    lines += [f"  %Xs = tile.alloc : {memref([p.depth, p.rows], t, shared)}", f"  %Ds = tile.alloc : {memref([p.depth, p.columns], t, shared)}"]
    lines += [f"  %acc = tile.alloc : {memref([p.rows, p.columns], 'f32', '#tile.fragment')}", "  tile.fill %acc with %zero"]
    gemm = ["  tile.gemm %Xs, %Ds, %acc {transpose_a}"]
    last = "%end"
    if p.tail == "view":
        lines += ["  // Views that end with the expert: rows behind it are zeros."]
        lines += [view(p, "ROW", "") if p.gather else view(p, "X", "%K"), view(p, "DY", "%N")]
        body = step(p, True) + gemm
    elif p.tail == "mask":
        body = [*step(p, False), f"  %over := %r + {p.depth} > %end", "  scf.if %over {", *indented(zeros(p, p.depth)), "  }", *gemm]
    elif p.tail == "rest":
        lines += [f"  %whole := (%end - %begin) // {p.depth} * {p.depth} + %begin"]
        body, last = step(p, False) + gemm, "%whole"
    else:
        body = step(p, False) + gemm
    lines += [f"  tile.pipelined %r = %begin to {last} step %c{p.depth} stages({p.stages}) {{", *indented(body), "  }"]
    if p.tail == "rest":
        depth = p.rest or p.depth
        tail = [f"  %Xr = tile.alloc : {memref([depth, p.rows], t, shared)}", f"  %Dr = tile.alloc : {memref([depth, p.columns], t, shared)}"]
        work = [*step(p, False, "r"), *zeros(p, depth, "Xr"), "  tile.gemm %Xr, %Dr, %acc {transpose_a}"]
        if p.rest:
            lines += tail + [f"  scf.for %r = %whole to %end step %c{depth} {{", *indented(work), "  }"]
        else:
            lines += ["  %some := %whole < %end", "  scf.if %some {", *indented([*tail, "  %r := %whole + 0", *work]), "  }"]
    lines += [f"  tile.copy %acc to %DW[%e, %m, %n] sizes [1, {p.rows}, {p.columns}]"]
    types = {n: memref(["?"] * len(s), k) for n, k, s, *_ in p.arguments()}
    blocks = [f"dim(%DW, 2) ceildiv {p.columns}", f"dim(%DW, 1) ceildiv {p.rows}"]
    if p.cluster:
        sizes = zip(("dim(%DW, 2)", "dim(%DW, 1)"), (p.columns, p.rows), p.cluster)
        blocks = [f"({size} ceildiv {tile * count}) * {count}" if count > 1 else f"{size} ceildiv {tile}" for size, tile, count in sizes]
    cluster = f" cluster({p.cluster[0]}, {p.cluster[1]}, 1)" if p.cluster else ""
    parameters = ", ".join(f"%{n}: {k}" + " {tile.alignment = 16}" * (n in ("X", "DY", "DW")) for n, k in types.items())
    return complete(f"""{HEAD}tile.kernel @{p.ident()}({parameters})
    grid(%bx, %by, %e) = ({blocks[0]}, {blocks[1]}, dim(%DW, 0)) threads({p.threads}){cluster}{attributes(p)} {{
  %zero = arith.constant 0.0 : f32
{chr(10).join(lines)}
}}
""")
