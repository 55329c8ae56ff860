# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward as a plain tile program: two gemms and an online softmax over blocks of keys.

O = softmax(Q K^T / sqrt(D)) V for each of the batch's heads; Q, K, V and O are [heads of all batches, S, D], row-major.
Any S of 1 or more: keys beyond the end, and with `causal` those behind the query, get no weight. Nothing in the program
names an instruction: rings, roles and fragments are the compiler's.
"""

import dataclasses
import math

from .gemm import HEAD, SHORT, memref


@dataclasses.dataclass(frozen=True)
class Attention:
    element: str = "bf16"
    d: int = 128
    causal: bool = False
    rows: int = 128  # queries of a block
    keys: int = 128  # keys of a step
    stages: int = 2
    threads: int = 256
    persistent: int = 0
    specialize: bool | None = None
    accurate: bool = False  # exp2 without the approximate form
    # A maximum counts once it is 2^8 times the one that counted before: weights are at most 2^8 then, and sums and
    # products are seldom multiplied.
    lazy: bool = False
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = [
            "attention",
            SHORT.get(self.element, self.element),
            f"d{self.d}",
            "causal" if self.causal else "full",
            f"{self.rows}x{self.keys}",
            f"s{self.stages}",
            f"t{self.threads}",
        ]
        parts += [f"P{self.persistent}"] * bool(self.persistent)
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        return "_".join(parts + ["accurate"] * self.accurate + ["lazy"] * self.lazy)

    def arguments(self):
        shape = ["heads", "S", "D"]
        return [(n, self.element, shape, "w" if n == "O" else "r", False) for n in "QKVO"]

    def text(self):
        return attention_text(self)


def attention_text(p):
    t, d, rows, keys = p.element, p.d, p.rows, p.keys
    g = memref(["?", "?", d], t)
    fragment, shared = "#tile.fragment", "#shared"
    qs, ks = memref([rows, d], t, shared), memref([keys, d], t, shared)
    s, pt = memref([rows, keys], "f32", fragment), memref([rows, keys], t, fragment)
    acc, row = memref([rows, d], "f32", fragment), memref([rows], "f32", fragment)
    scale = math.log2(math.e) / math.sqrt(d)
    fast = "" if p.accurate else " fastmath<afn>"
    policy = "policy = #tile.warp_policy<full_row>"
    if p.lazy:
        largest = f"""      %enough = arith.addf %old, %margin : f32
      %grows = arith.cmpf ogt, %new, %enough : f32
      %both = arith.select %grows, %new, %old : f32"""
        margin = f"""
  // A maximum counts once weights against the old one exceed 2^8.
  %margin = arith.constant {8 / scale!r} : f32"""
    else:
        largest, margin = "      %both = arith.maximumf %old, %new : f32", ""
    kernel = [f"persistent = {p.persistent} : i64"] * bool(p.persistent)
    kernel += [] if p.specialize is None else [f"specialize = {str(p.specialize).lower()}"]
    attributes = f" attributes {{{', '.join(kernel)}}}" if kernel else ""
    if p.causal:
        # The blocks with the most keys first, so that none of them is left for the end.
        start = """  %lastrow = arith.subi %queries, %c1 : index
  %lastblock = arith.divui %lastrow, %crows : index
  %block = arith.subi %lastblock, %b : index
  %m = arith.muli %block, %crows : index
  %below = arith.addi %m, %crows : index
  %length = arith.minui %below, %keys : index
  // From this key on a block holds keys behind some query, or beyond the end.
  %limit = arith.minui %m, %keys : index
"""
        test = """      %behind = arith.cmpi sgt, %key, %query : index
      %beyond = arith.cmpi sge, %key, %keys : index
      %out = arith.ori %behind, %beyond : i1
"""
        query = "      %query = arith.addi %m, %i : index\n"
    else:
        start = """  %m = arith.muli %b, %crows : index
  %length = arith.addi %keys, %c0 : index
  // A block that ends beyond this holds keys beyond the end.
  %limit = arith.addi %keys, %c0 : index
"""
        test = "      %out = arith.cmpi sge, %key, %keys : index\n"
        query = ""
    return f"""{HEAD}tile.kernel @{p.ident()}(%Q: {g} {{tile.alignment = 16}}, %K: {g} {{tile.alignment = 16}}, %V: {g} {{tile.alignment = 16}}, %O: {g} {{tile.alignment = 16}})
    grid(%b, %h) = (dim(%Q, 1) ceildiv {rows}, dim(%Q, 0)) threads({p.threads}){attributes} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %crows = arith.constant {rows} : index
  %ckeys = arith.constant {keys} : index
  %zero = arith.constant 0.0 : f32
  // Less than any score; the exponential of what is so far below another is 0.
  %lowest = arith.constant -1.0e+30 : f32
  // log2(e) / sqrt({d}): the softmax is taken in powers of two.
  %scale = arith.constant {scale!r} : f32{margin}
  %queries = memref.dim %Q, %c1 : {g}
  %keys = memref.dim %K, %c1 : {g}
{start}
  %Qs = tile.alloc : {qs}
  %Ks = tile.alloc : {ks}
  %Vs = tile.alloc : {ks}
  %S = tile.alloc : {s}
  %P = tile.alloc : {pt}
  %acc = tile.alloc : {acc}
  %largest = tile.alloc : {row}
  %blockmax = tile.alloc : {row}
  %correction = tile.alloc : {row}
  %sum = tile.alloc : {row}

  tile.copy %Q[%h, %m, %c0] sizes [1, {rows}, {d}] to %Qs : {g} to {qs}
  tile.fill %acc with %zero : {acc}, f32
  tile.fill %sum with %zero : {row}, f32
  tile.fill %largest with %lowest : {row}, f32
  tile.pipelined %n = %c0 to %length step %ckeys stages({p.stages}) {{
    tile.copy %K[%h, %n, %c0] sizes [1, {keys}, {d}] to %Ks : {g} to {ks}
    tile.copy %V[%h, %n, %c0] sizes [1, {keys}, {d}] to %Vs : {g} to {ks}
    tile.gemm %Qs, %Ks, %S {{clear, transpose_b, {policy}}} : {qs}, {ks}, {s}
    %next = arith.addi %n, %ckeys : index
    %masked = arith.cmpi ugt, %next, %limit : index
    scf.if %masked {{
      tile.parallel (%i, %j) in ({rows}, {keys}) {{
{query}      %key = arith.addi %n, %j : index
{test}      %x = memref.load %S[%i, %j] : {s}
      %y = arith.select %out, %lowest, %x : f32
      memref.store %y, %S[%i, %j] : {s}
      }}
    }}
    tile.reduce max %S to %blockmax dim(1) : {s} to {row}
    // Sums and products so far were taken against a smaller maximum.
    tile.parallel (%i) in ({rows}) {{
      %old = memref.load %largest[%i] : {row}
      %new = memref.load %blockmax[%i] : {row}
{largest}
      %less = arith.subf %old, %both : f32
      %e = arith.mulf %less, %scale : f32
      %factor = math.exp2 %e{fast} : f32
      memref.store %factor, %correction[%i] : {row}
      memref.store %both, %largest[%i] : {row}
      %l = memref.load %sum[%i] : {row}
      %scaled = arith.mulf %l, %factor : f32
      memref.store %scaled, %sum[%i] : {row}
    }}
    tile.parallel (%i, %j) in ({rows}, {keys}) {{
      %x = memref.load %S[%i, %j] : {s}
      %top = memref.load %largest[%i] : {row}
      %xs = arith.mulf %x, %scale fastmath<contract> : f32
      %ts = arith.mulf %top, %scale : f32
      %e = arith.subf %xs, %ts fastmath<contract> : f32
      %w = math.exp2 %e{fast} : f32
      memref.store %w, %S[%i, %j] : {s}
      %narrow = arith.truncf %w : f32 to {t}
      memref.store %narrow, %P[%i, %j] : {pt}
    }}
    tile.reduce sum %S to %sum dim(1) accumulate : {s} to {row}
    tile.parallel (%i, %j) in ({rows}, {d}) {{
      %x = memref.load %acc[%i, %j] : {acc}
      %factor = memref.load %correction[%i] : {row}
      %y = arith.mulf %x, %factor : f32
      memref.store %y, %acc[%i, %j] : {acc}
    }}
    tile.gemm %P, %Vs, %acc {{{policy}}} : {pt}, {ks}, {acc}
  }}
  tile.parallel (%i, %j) in ({rows}, {d}) {{
    %x = memref.load %acc[%i, %j] : {acc}
    %l = memref.load %sum[%i] : {row}
    %y = arith.divf %x, %l fastmath<arcp> : f32
    memref.store %y, %acc[%i, %j] : {acc}
  }}
  tile.copy %acc to %O[%h, %m, %c0] sizes [1, {rows}, {d}] : {acc} to {g}
}}
"""
