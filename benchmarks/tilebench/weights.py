# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A gemm whose weights are of half a byte, as a plain tile program: C = A (W s)^T.

A is [M, K], W [N, K] in i4 or f4E2M1FN, s [N]. Weights become the type of A, scaled, in registers. With `first` the
gemm is W s A^T, and C [N, M]: weights are then the operand that wgmma takes from registers.
"""

import dataclasses

from .gemm import HEAD, memref


@dataclasses.dataclass(frozen=True)
class Weights:
    element: str = "f16"
    weights: str = "i4"
    first: bool = False
    tile: tuple = (64, 64, 64)  # M, N, K
    threads: int = 128
    stages: int = 3
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = ["weights", {"f4E2M1FN": "e2m1"}.get(self.weights, self.weights), self.element]
        parts += ["x".join(map(str, self.tile)), f"s{self.stages}", f"t{self.threads}"] + ["first"] * self.first
        return "_".join(parts)

    def arguments(self):
        return [
            ("A", self.element, ["M", "K"], "r", False),
            ("W", self.weights, ["N", "K"], "r", False),
            ("S", self.element, ["N"], "r", False),
            ("C", "f32", ["N", "M"] if self.first else ["M", "N"], "w", False),
        ]

    def text(self):
        return weights_text(self)


def weights_text(p):
    a, (bm, bn, bk) = p.element, p.tile
    ga, gw, gs, gc = memref("??", a), memref("??", p.weights), memref("?", a), memref("??", "f32")
    at, wt = memref([bm, bk], a, "#shared"), memref([bn, bk], p.weights, "#shared")
    wf, wh = memref([bn, bk], p.weights, "#tile.fragment"), memref([bn, bk], a, "#tile.fragment")
    sf = memref([bn], a, "#tile.fragment")
    acc = memref([bn, bm] if p.first else [bm, bn], "f32", "#tile.fragment")
    convert = "arith.sitofp" if p.weights.startswith("i") else "arith.extf"
    if p.first:
        gemm = f"tile.gemm %wh, %As, %acc {{transpose_b}} : {wh}, {at}, {acc}"
    else:
        gemm = f"tile.gemm %As, %wh, %acc {{transpose_b}} : {at}, {wh}, {acc}"
    aligned = " {tile.alignment = 16}"
    return f"""{HEAD}tile.kernel @{p.ident()}(%A: {ga}{aligned}, %W: {gw}{aligned}, %S: {gs}, %C: {gc})
    grid(%bx, %by) = (dim(%W, 0) ceildiv {bn}, dim(%A, 0) ceildiv {bm}) threads({p.threads}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cbk = arith.constant {bk} : index
  %cbm = arith.constant {bm} : index
  %cbn = arith.constant {bn} : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : {ga}
  %KW = memref.dim %W, %c1 : {gw}
  tile.assume %K {{divisible_by = 32 : i64}} : index
  tile.assume %KW {{divisible_by = 32 : i64}} : index
  %m = arith.muli %by, %cbm : index
  %n = arith.muli %bx, %cbn : index
  %As = tile.alloc : {at}
  %Ws = tile.alloc : {wt}
  %wf = tile.alloc : {wf}
  %wh = tile.alloc : {wh}
  %sf = tile.alloc : {sf}
  %acc = tile.alloc : {acc}
  tile.copy %S[%n] to %sf : {gs} to {sf}
  tile.fill %acc with %zero : {acc}, f32
  tile.pipelined %k = %c0 to %K step %cbk stages({p.stages}) {{
    tile.copy %A[%m, %k] to %As : {ga} to {at}
    tile.copy %W[%n, %k] to %Ws : {gw} to {wt}
    tile.copy %Ws to %wf : {wt} to {wf}
    tile.parallel (%i, %j) in ({bn}, {bk}) {{
      %q = memref.load %wf[%i, %j] : {wf}
      %f = {convert} %q : {p.weights} to {a}
      %s = memref.load %sf[%i] : {sf}
      %w = arith.mulf %f, %s : {a}
      memref.store %w, %wh[%i, %j] : {wh}
    }}
    {gemm}
  }}
  tile.copy %acc to %C[{"%n, %m" if p.first else "%m, %n"}] : {acc} to {gc}
}}
"""
