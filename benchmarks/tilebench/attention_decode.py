# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of few queries to many keys (decode), as plain tile programs: the keys split over blocks, and their parts combined.

Q and O are matrices of rows, [B, T, H, D] seen as [B T H, D]: T is 1 to 8 tokens, `tokens`. A block takes the queries of one
head of keys: those of all tokens and of the H / G heads that share it, packed into the rows of one tile. LEN[b] keys count, the
last token's own among them; a token sees the keys up to its own. Values of a page behind the last key are read with weight 0, so they
have to be finite. Parts are f32 and normalized, their LSE is a power of two.
"""

import dataclasses
import math

from .attention import LAZY, softmax
from .gemm import HEAD, SHORT, memref
from .notation import complete


@dataclasses.dataclass(frozen=True)
class Decode:
    """OP[splits B T H, D] and LSE[splits, B T H] of the parts; without `split` O[B T H, D] and the natural LSE[B T H]."""

    element: str = "bf16"
    d: int = 128
    # dense: K [B, S, G, D]. paged: K [pages, page, G, D], TABLE[b, i] is the page of keys i page to (i + 1) page - 1; with
    # page 1 K is [tokens, G D] and TABLE [B most]. latent: K [pages, page, D + 64], its first D columns are V, one head for all
    # (D is 512), `blocks` tiles of rows.
    kv: str = "dense"
    page: int = 64
    rows: int = 16  # of the tile: T H / G at most (latent: of a block)
    keys: int = 64  # of a step
    stages: int = 4
    threads: int = 128
    split: bool = True
    specialize: bool | None = None
    persistent: int = 0  # blocks a multiprocessor that work off several tiles; 0: one block a tile
    lazy: bool = False  # a maximum counts where it has grown 2^8-fold
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        kv = self.kv + (str(self.page) if self.kv != "dense" else "")
        parts = ["decode", SHORT.get(self.element, self.element), f"d{self.d}", kv, f"{self.rows}x{self.keys}", f"s{self.stages}", f"t{self.threads}"]
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        parts += [f"P{self.persistent}"] * bool(self.persistent)
        return "_".join(parts + ["split" if self.split else "whole"] + ["lazy"] * self.lazy)

    @property
    def latent(self):
        return self.kv == "latent"

    def arguments(self):
        t, cache = self.element, ["pages", "page", "D"] if self.latent else ["pages", "page", "G", "D"]
        if self.kv == "paged" and self.page == 1:
            cache = ["keys", "columns"]
        found = [("Q", t, ["rows", "D"], "r", False), ("K", t, cache, "r", False)]
        found += [("V", t, cache, "r", False)] * (not self.latent)
        if self.kv != "dense":
            found += [("TABLE", "i32", ["B", "most"] if self.page > 1 else ["most"], "r", False)]
        found += [("LEN", "i32", ["B"], "r", False)]
        found += [("OP", "f32", ["parts", "D"], "w", False)] if self.split else [("O", t, ["rows", "D"], "w", False)]
        found += [("LSE", "f32", ["splits", "rows"] if self.split else ["rows"], "w", False), ("tokens", "i32", None, "r", False)]
        found += [("splits", "i32", None, "r", False)] * self.split
        return found + [("blocks", "i32", None, "r", False)] * self.latent

    def text(self):
        return decode_text(self)


def parameters(p):
    d = p.d
    full = d + 64 if p.latent else d
    cache = {"dense": ["?", "?", "?", d], "paged": ["?", p.page, "?", d], "latent": ["?", p.page, full]}[p.kv]
    cache = ["?", "?"] if p.kv == "paged" and p.page == 1 else cache
    shapes = dict(Q=["?", full], K=cache, V=cache, TABLE=["?", "?"] if p.page > 1 else ["?"], LEN=["?"], OP=["?", d], O=["?", d])
    shapes["LSE"] = ["?", "?"] if p.split else ["?"]
    found = []
    for name, kind, shape, *_ in p.arguments():
        aligned = " {tile.alignment = 16}" if name in ("Q", "K", "V", "OP", "O") else ""
        found.append(f"%{name}: {kind if shape is None else memref(shapes[name], kind)}{aligned}")
    return ", ".join(found)


def loads(p):
    """Copies of the keys from %n on, and of their values."""
    d, keys, page = p.d, p.keys, p.page
    if p.kv == "dense":
        return [f"tile.copy %{x}[%b, %n, %h, %c0] sizes [1, {keys}, 1, {d}] to %{x}s" for x in "KV"]
    if page == 1:
        return [f"tile.gather %{x}[%column] rows %TABLE[%at] to %{x}s" for x in "KV"]
    lines, step = [], min(page, keys)
    for i in range(0, keys, step):
        name = f"page{i // step}"
        lines += [f"%{name} := index(%TABLE[%b, min((%n + {i}) // {page}, %most - 1)])"]
        where = "%n % " + str(page) if page > keys else "0"
        if not i:
            lines += [f"%within := {where} + 0"]
        if p.latent:
            for tile, column, columns in (("Ks", "%c0", d), ("Rs", f"%c{d}", 64)):
                target = f"%{tile}" if step == keys else f"%{tile}[%c{i}, %c0] sizes [{step}, {columns}]"
                lines += [f"tile.copy %K[%{name}, %within, {column}] sizes [1, {step}, {columns}] to {target}"]
        else:
            for x in "KV":
                target = f"%{x}s" if step == keys else f"%{x}s[%c{i}, %c0] sizes [{step}, {d}]"
                lines += [f"tile.copy %{x}[%{name}, %within, %h, %c0] sizes [1, {step}, 1, {d}] to {target}"]
    return lines


def decode_text(p):
    t, d, rows, keys = p.element, p.d, p.rows, p.keys
    fragment, shared = "#tile.fragment", "#shared"
    tile = lambda r, c, kind=t: memref([r, c], kind, shared)
    scale = math.log2(math.e) / math.sqrt(d + 64 if p.latent else d)
    stated = [] if p.specialize is None else [f"specialize = {str(p.specialize).lower()}"]
    stated += [f"persistent = {p.persistent} : i64"] * bool(p.persistent)
    kernel = f" attributes {{{', '.join(stated)}}}" if stated else ""
    heads = {"dense": "dim(%K, 2)", "paged": "dim(%K, 2)" if p.page > 1 else f"dim(%K, 1) floordiv {d}", "latent": "%blocks"}[p.kv]
    G = {"dense": "memref.dim %K, %c2", "paged": "memref.dim %K, %c2"}.get(p.kv)
    lines = ["  %B = memref.dim %LEN, %c0", "  %R = memref.dim %Q, %c0", "  %T := index(%tokens)"]
    if p.kv != "dense":
        lines += ["  %most = memref.dim %TABLE, %c1"] if p.page > 1 else ["  %entries = memref.dim %TABLE, %c0", "  %most := %entries // %B"]
    if p.kv == "dense":
        lines += ["  %room = memref.dim %K, %c1"]
    else:
        lines += [f"  %room := %most * {p.page}"]
    lines += ["  %len := max(min(index(%LEN[%b]), %room), 0)"]
    if p.latent:
        lines += ["  %H := %R // (%B * %T)", "  %group := %H + 0", f"  %row0 := %h * {rows}", "  %head0 := 0"]
    else:
        lines += [f"  %G = {G}"] if p.page > 1 or p.kv == "dense" else [line for x in "VK" for line in (f"  %{x}_width = memref.dim %{x}, %c1", f"  tile.assume %{x}_width {{divisible_by = {d} : i64}} : index")]
        lines += [f"  %G := %K_width // {d}"] * (p.page == 1 and p.kv == "paged")
        lines += ["  %H := %R // (%B * %T)", "  %group := %H // %G", "  %row0 := 0", "  %head0 := %h * %group"]
    lines += [f"  %column := %h * {d}"] * (p.kv == "paged" and p.page == 1)
    splits, part = ("index(%splits)", "%s") if p.split else ("1", "0")
    lines += [f"  %steps := (%len + {keys - 1}) // {keys}", f"  %share := (%steps + {splits} - 1) // {splits} * {keys}"]
    lines += [f"  %begin := min({part} * %share, %len)", "  %end := min(%begin + %share, %len)"]
    lines += ["  // Keys from here on are behind some token.", "  %limit := %len - %T + 1"]
    table = "\n".join("    " + line for line in (["%at := %b * %most + %n"] * (p.page == 1 and p.kv == "paged") + loads(p)))
    policy = "full_col" if p.latent else "square"
    first = f"""    tile.gemm %Qs, %Ks, %S {{clear, transpose_b, policy = #tile.warp_policy<{policy}>}}
"""
    if p.latent:
        first += f"    tile.gemm %Qr, %Rs, %S {{transpose_b, policy = #tile.warp_policy<{policy}>}}\n"
        second = f"    tile.copy %P to %Ps\n    tile.gemm %Ps, %Ks, %acc {{policy = #tile.warp_policy<{policy}>}}\n"
        tiles = f"  %Qr = tile.alloc : {tile(rows, 64)}\n  %Rs = tile.alloc : {tile(keys, 64)}\n  %Ps = tile.alloc : {tile(rows, keys)}\n"
        gathers = f"  tile.gather %Q[%c{d}] rows %row[%c0] to %Qr\n"
    else:
        second = f"    tile.gemm %P, %Vs, %acc {{policy = #tile.warp_policy<{policy}>}}\n"
        tiles, gathers = f"  %Vs = tile.alloc : {tile(keys, d)}\n", ""
    if p.split:
        store = f"""  tile.parallel (%i) in ({rows}) {{
    %r := %row[%i]
    %to[%i] := %r + i32(%s * %R) if %r >= 0 else -1
  }}
  tile.scatter %acc to %OP[%c0] rows %to[%c0]
"""
        at, logarithm = "[%s, index(%r)]", "%largest[%i] * %scale + log2(%sum[%i])"
    else:
        store = "  tile.scatter %acc to %O[%c0] rows %row[%c0]\n"
        at, logarithm = "[index(%r)]", f"(%largest[%i] * %scale + log2(%sum[%i])) * {math.log(2)!r}"
    lazily = dict(largest=LAZY) if p.lazy else {}
    row = memref([rows], "f32", fragment)
    ids = memref([rows], "i32", shared)
    return complete(f"""{HEAD}tile.kernel @{p.ident()}({parameters(p)})
    grid(%s, %h, %b) = ({"%splits" if p.split else "1"}, {heads}, dim(%LEN, 0)) threads({p.threads}){kernel} {{
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -1.0e+30 : f32
  // log2(e) / sqrt(columns of Q): the softmax is taken in powers of two.
  %scale = arith.constant {scale!r} : f32
{f"  // A maximum counts once weights against the old one exceed 2^8.{chr(10)}  %margin = arith.constant {8 / scale!r} : f32{chr(10)}" if p.lazy else ""}{chr(10).join(lines)}
  %Qs = tile.alloc : {tile(rows, d)}
  %Ks = tile.alloc : {tile(keys, d)}
{tiles}  %row = tile.alloc : {ids}
{f"  %to = tile.alloc : {ids}{chr(10)}" if p.split else ""}  %seen = tile.alloc : {memref([rows], "i32", fragment)}
  %S = tile.alloc : {memref([rows, keys], "f32", fragment)}
  %P = tile.alloc : {memref([rows, keys], t, fragment)}
  %acc = tile.alloc : {memref([rows, d], "f32", fragment)}
  %largest = tile.alloc : {row}
  %blockmax = tile.alloc : {row}
  %correction = tile.alloc : {row}
  %sum = tile.alloc : {row}
  // Row i of the tile is a token's query of one of the heads; rows that are none name no row.
  tile.parallel (%i) in ({rows}) {{
    %k := %row0 + %i
    %token := %k // %group
    %which := (%b * %T + %token) * %H + %head0 + %k % %group
    %row[%i] := i32(%which) if %k < %T * %group else -1
    %seen[%i] := i32(%limit + %token)
  }}
  tile.gather %Q[%c0] rows %row[%c0] to %Qs
{gathers}  tile.fill %acc with %zero
  tile.fill %sum with %zero
  tile.fill %largest with %lowest
  tile.pipelined %n = %begin to %end step %c{keys} stages({p.stages}) {{
{table}
{first}    %masked := %n + {keys} > %limit
    scf.if %masked {{
      tile.parallel (%i, %j) in ({rows}, {keys}) {{
        %S[%i, %j] := %S[%i, %j] if i32(%n + %j) < %seen[%i] else -inf
      }}
    }}
{softmax(rows, keys, d, t, **lazily)}{second}  }}
  tile.parallel (%i, %j) in ({rows}, {d}) {{
    %l := %sum[%i]
    %some := %l if %l > 0.0 else 1.0
    %acc[%i, %j] := %acc[%i, %j] / %some
  }}
{store}  tile.parallel (%i) in ({rows}) {{
    %r := %row[%i]
    %l := {logarithm}
    %exists := %r >= 0
    scf.if %exists {{
      %LSE{at} := %l
    }}
  }}
}}
""")


@dataclasses.dataclass(frozen=True)
class Combine:
    """O = sum over parts of OP 2^LSE / sum over parts of 2^LSE; LSEO is the natural logarithm of that sum."""

    element: str = "bf16"
    d: int = 128
    rows: int = 8
    threads: int = 128
    name: str = ""

    def ident(self):
        return self.name or f"combine_{SHORT.get(self.element, self.element)}_d{self.d}_{self.rows}_t{self.threads}"

    def arguments(self):
        found = [("OP", "f32", ["splits", "rows", "D"], "r", False), ("LSE", "f32", ["splits", "rows"], "r", False)]
        return found + [("O", self.element, ["rows", "D"], "w", False), ("LSEO", "f32", ["rows"], "w", False)]

    def text(self):
        rows, d = self.rows, self.d
        tile, row = memref([rows, d], "f32", "#tile.fragment"), memref([rows], "f32", "#tile.fragment")
        return complete(f"""{HEAD}tile.kernel @{self.ident()}(%OP: memref<?x?x{d}xf32> {{tile.alignment = 16}}, %LSE: memref<?x?xf32>, %O: memref<?x{d}x{self.element}> {{tile.alignment = 16}}, %LSEO: memref<?xf32>)
    grid(%b) = (dim(%O, 0) ceildiv {rows}) threads({self.threads}) {{
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -1.0e+30 : f32
  %splits = memref.dim %OP, %c0
  %m := %b * {rows}
  %part = tile.alloc : {tile}
  %acc = tile.alloc : {tile}
  %l = tile.alloc : {row}
  %top = tile.alloc : {row}
  %old = tile.alloc : {row}
  %sum = tile.alloc : {row}
  tile.fill %acc with %zero
  tile.fill %sum with %zero
  tile.fill %top with %lowest
  scf.for %s = %c0 to %splits step %c1 {{
    tile.copy %OP[%s, %m, %c0] sizes [1, {rows}, {d}] to %part
    tile.copy %LSE[%s, %m] sizes [1, {rows}] to %l
    // Parts so far were weighed against a smaller maximum.
    tile.parallel (%i) in ({rows}) {{
      %new := max(%top[%i], %l[%i])
      %old[%i] := exp2(%top[%i] - %new)
      %l[%i] := exp2(%l[%i] - %new)
      %sum[%i] := %sum[%i] * %old[%i] + %l[%i]
      %top[%i] := %new
    }}
    tile.parallel (%i, %j) in ({rows}, {d}) {{
      %acc[%i, %j] := %acc[%i, %j] * %old[%i] + %part[%i, %j] * %l[%i]
    }}
  }}
  tile.parallel (%i, %j) in ({rows}, {d}) {{
    %all := %sum[%i]
    %some := %all if %all > 0.0 else 1.0
    %acc[%i, %j] := %acc[%i, %j] / %some
  }}
  tile.parallel (%i) in ({rows}) {{
    %l[%i] := (%top[%i] + log2(%sum[%i])) * {math.log(2)!r}
  }}
  tile.copy %acc to %O[%m, %c0] sizes [{rows}, {d}]
  tile.copy %l to %LSEO[%m] sizes [{rows}]
}}
""")
