# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A gemm whose rows are gathered and scattered by index, as a plain tile program: Y[J[i]] = X[I[i]] W.

X is [T, K], W [K, N], Y [U, N]; I and J name M rows of X and Y. A row that X does not have counts as zeros, one that Y does
not have is not stored: what experts of a mixture do with their tokens.
"""

import dataclasses

from .gemm import HEAD, SHORT, memref


@dataclasses.dataclass(frozen=True)
class Rows:
    element: str = "f16"
    index: str = "i32"
    indices: str = "global"  # where they are read from: global, shared or fragment memory
    tile: tuple = (128, 128, 64)
    threads: int = 256
    stages: int = 3
    promise: bool = True  # rows are multiples of 16 bytes
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = ["rows", SHORT.get(self.element, self.element), self.index, self.indices, "x".join(map(str, self.tile))]
        parts += [f"s{self.stages}", f"t{self.threads}"] + ["free"] * (not self.promise)
        return "_".join(parts)

    # Of rows written to one place twice, either may be the last.
    distinct = ("J",)

    def arguments(self):
        return [
            ("X", self.element, ["T", "K"], "r", False),
            ("I", self.index, ["M"], "r", False),
            ("W", self.element, ["K", "N"], "r", False),
            ("J", self.index, ["M"], "r", False),
            ("Y", self.element, ["U", "N"], "w", False),
        ]

    def text(self):
        return rows_text(self)


def rows_text(p):
    t, (bm, bn, bk) = p.element, p.tile
    matrix, vector = memref(["?", "?"], t), memref(["?"], p.index)
    xs, ws = memref([bm, bk], t, "#shared"), memref([bk, bn], t, "#shared")
    acc = memref([bm, bn], "f32", "#tile.fragment")
    aligned = " {tile.alignment = 16}" if p.promise else ""
    promises = "".join(
        f"""  %row{name} = memref.dim %{name}, %c1 : {matrix}
  tile.assume %row{name} {{divisible_by = 8 : i64}} : index
"""
        for name in "XWY" * p.promise
    )
    load, which, at, kind = "", "%I", "%m", vector
    store, to, to_at = "", "%J", "%m"
    if p.indices != "global":
        kind = memref([bm], p.index, {"shared": "#shared", "fragment": "#tile.fragment"}[p.indices])
        which, to, at, to_at = "%rows", "%targets", "%c0", "%c0"
        load = f"""  // Beyond the last index there is no row.
  %rows = tile.alloc : {kind}
  tile.copy %I[%m] to %rows pad(%none : {p.index}) : {vector} to {kind}
"""
        store = f"""  %targets = tile.alloc : {kind}
  tile.copy %J[%m] to %targets pad(%none : {p.index}) : {vector} to {kind}
"""
    none = f"  %none = arith.constant -1 : {p.index}\n" if load else ""
    return f"""{HEAD}tile.kernel @{p.ident()}(%X: {matrix}{aligned}, %I: {vector}, %W: {matrix}{aligned}, %J: {vector}, %Y: {matrix}{aligned})
    grid(%bx, %by) = (dim(%Y, 1) ceildiv {bn}, dim(%I, 0) ceildiv {bm}) threads({p.threads}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant {bm} : index
  %bn = arith.constant {bn} : index
  %bk = arith.constant {bk} : index
  %zero = arith.constant 0.0 : f32
{none}{promises}  %K = memref.dim %X, %c1 : {matrix}
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %Xs = tile.alloc : {xs}
  %Ws = tile.alloc : {ws}
  %acc = tile.alloc : {acc}
{load}  tile.fill %acc with %zero : {acc}, f32
  tile.pipelined %k = %c0 to %K step %bk stages({p.stages}) {{
    tile.gather %X[%k] rows {which}[{at}] to %Xs : {matrix}, {kind} to {xs}
    tile.copy %W[%k, %n] to %Ws : {matrix} to {ws}
    tile.gemm %Xs, %Ws, %acc : {xs}, {ws}, {acc}
  }}
{store}  tile.scatter %acc to %Y[%n] rows {to}[{to_at}] : {acc} to {matrix}, {kind}
}}
"""
