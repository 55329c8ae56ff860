# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block-sparse attention forward as plain tile programs: blocks of keys that no query of a tile sees are skipped.

  list   COUNT[heads, tiles of queries] blocks, their numbers in INDEX[heads, tiles, most], each once
  mask   MASK[heads, tiles of queries, blocks of keys], not zero where a block counts

Q, K, V and O are [heads, S, D]; tables may have fewer heads, which repeat. With `causal` the last query sees the last key.
"""

import dataclasses
import math

from .attention import softmax
from .gemm import HEAD, SHORT, memref
from .notation import complete


@dataclasses.dataclass(frozen=True)
class Sparse:
    form: str = "list"
    element: str = "bf16"
    d: int = 128
    causal: bool = False
    grouped: bool = False
    rows: int = 128  # of a tile of queries
    keys: int = 128  # of a block
    stages: int = 2
    threads: int = 256
    specialize: bool | None = None
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = ["sparse", self.form, SHORT.get(self.element, self.element), f"d{self.d}", "causal" if self.causal else "full"]
        parts += ["grouped"] * self.grouped + [f"{self.rows}x{self.keys}", f"s{self.stages}", f"t{self.threads}"]
        return "_".join(parts + ([] if self.specialize is None else ["spec" if self.specialize else "nospec"]))

    def arguments(self):
        found = [(n, self.element, ["heads", "S", "D"], "r", False) for n in "QKV"]
        if self.form == "list":
            found += [("COUNT", "i32", ["H", "tiles"], "r", False), ("INDEX", "i32", ["H", "tiles", "most"], "r", False)]
        else:
            found += [("MASK", "i8", ["H", "tiles", "blocks"], "r", False)]
        return found + [("O", self.element, ["heads", "S", "D"], "w", False), ("LSE", "f32", ["heads", "S"], "w", False)]

    def text(self):
        return sparse_text(self)


def sparse_text(p):
    t, d, rows, keys = p.element, p.d, p.rows, p.keys
    fragment, shared = "#tile.fragment", "#shared"
    found = []
    for name, kind, shape, *_ in p.arguments():
        extents = ["?", "?", d] if shape[-1] == "D" else ["?"] * len(shape)
        found.append(f"%{name}: {memref(extents, kind)}" + " {tile.alignment = 16}" * (name in "QKVO"))
    scale = math.log2(math.e) / math.sqrt(d)
    policy = "policy = #tile.warp_policy<full_row>"
    kernel = f" attributes {{specialize = {str(p.specialize).lower()}}}" if p.specialize is not None else ""
    table = "COUNT" if p.form == "list" else "MASK"
    head = ["%queries = memref.dim %Q, %c1", "%keys = memref.dim %K, %c1", f"%m := %b * {rows}"]
    head += [f"%tables = memref.dim %{table}, %c0", "%ht := %h % %tables", "%last := %m + %keys - %queries"]
    head += ["%heads = memref.dim %Q, %c0", "%kvheads = memref.dim %K, %c0", "%g := %h // (%heads // %kvheads)"] * p.grouped
    g = "%g" if p.grouped else "%h"
    if p.form == "list":
        head += ["%most = memref.dim %INDEX, %c2", "%count := max(min(index(%COUNT[%ht, %b]), %most), 0)"]
        loop, opening, end = "tile.pipelined %it = %c0 to %count step %c1", [f"%n := max(index(%INDEX[%ht, %b, %it]), 0) * {keys}"], ""
    else:
        head += [f"%all := (%keys + {keys - 1}) // {keys}"]
        head += [f"%seen := max(%last + {rows + keys - 1}, 0) // {keys}", "%count := min(%all, %seen)"] if p.causal else ["%count := %all + 0"]
        loop = "tile.pipelined %it = %c0 to %count step %c1"
        opening = ["%flag := %MASK[%ht, %b, %it]", "%on = arith.cmpi ne, %flag, %nothing : i8", "scf.if %on {", f"%n := %it * {keys}"]
        end = "    }\n"
    tests = ["(%n + %j >= %keys)"] + ["(%n + %j > %last + %i)"] * p.causal
    edge = [f"(%n + {keys} > %keys)"] + [f"(%n + {keys - 1} > %last)"] * p.causal
    row = memref([rows], "f32", fragment)
    nothing = "  %nothing = arith.constant 0 : i8\n" * (p.form == "mask")
    return complete(f"""{HEAD}tile.kernel @{p.ident()}({', '.join(found)})
    grid(%b, %h) = (dim(%Q, 1) ceildiv {rows}, dim(%Q, 0)) threads({p.threads}){kernel} {{
  %zero = arith.constant 0.0 : f32
{nothing}  %lowest = arith.constant -1.0e+30 : f32
  %scale = arith.constant {scale!r} : f32
{chr(10).join("  " + line for line in head)}
  %Qs = tile.alloc : {memref([rows, d], t, shared)}
  %Ks = tile.alloc : {memref([keys, d], t, shared)}
  %Vs = tile.alloc : {memref([keys, d], t, shared)}
  %S = tile.alloc : {memref([rows, keys], "f32", fragment)}
  %P = tile.alloc : {memref([rows, keys], t, fragment)}
  %acc = tile.alloc : {memref([rows, d], "f32", fragment)}
  %largest = tile.alloc : {row}
  %blockmax = tile.alloc : {row}
  %correction = tile.alloc : {row}
  %sum = tile.alloc : {row}
  tile.copy %Q[%h, %m, %c0] sizes [1, {rows}, {d}] to %Qs
  tile.fill %acc with %zero
  tile.fill %sum with %zero
  tile.fill %largest with %lowest
  {loop} stages({p.stages}) {{
{chr(10).join("    " + line for line in opening)}
    tile.copy %K[{g}, %n, %c0] sizes [1, {keys}, {d}] to %Ks
    tile.copy %V[{g}, %n, %c0] sizes [1, {keys}, {d}] to %Vs
    tile.gemm %Qs, %Ks, %S {{clear, transpose_b, {policy}}}
    %masked := {' | '.join(edge)}
    scf.if %masked {{
      tile.parallel (%i, %j) in ({rows}, {keys}) {{
        %out := {' | '.join(tests)}
        %S[%i, %j] := -inf if %out else %S[%i, %j]
      }}
    }}
{softmax(rows, keys, d, t)}    tile.gemm %P, %Vs, %acc {{{policy}}}
{end}  }}
  tile.parallel (%i, %j) in ({rows}, {d}) {{
    %l := %sum[%i]
    %some := %l if %l > 0.0 else 1.0
    %acc[%i, %j] := %acc[%i, %j] / %some
  }}
  tile.parallel (%i) in ({rows}) {{
    %blockmax[%i] := (%largest[%i] * %scale + log2(%sum[%i])) * {math.log(2)!r}
  }}
  tile.copy %acc to %O[%h, %m, %c0] sizes [1, {rows}, {d}]
  tile.copy %blockmax to %LSE[%h, %m] sizes [1, {rows}]
}}
""")
