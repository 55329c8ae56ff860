# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention backward as plain tile programs.

  prepare   D = sum over columns of O DO, and L, the forward's LSE as a power of two; with `atomic` DQ is cleared
  keys      DK and DV of a block of keys, over the queries that see it; with `atomic` its part of DQ (f32) is added, too
  queries   DQ of a block of queries, over the keys that they see: with `keys` the form whose sums have one order
  convert   DQ from f32 to the type of Q, with the scale of the scores

Layouts are those of attention.py; D and L are [heads, S], [B, H, S] or [H, total S], with S rounded up to a multiple of 4, so
that their rows begin at multiples of 16 bytes.
"""

import dataclasses
import math

from .attention import packed_lengths
from .gemm import HEAD, SHORT, memref
from .notation import complete


@dataclasses.dataclass(frozen=True)
class Backward:
    kind: str = "keys"  # prepare, keys, queries, convert
    element: str = "bf16"
    d: int = 128
    dv: int = 0  # columns of V and O; 0: d
    layout: str = "heads"
    causal: bool = False  # the last query sees the last key
    grouped: bool = False
    window: bool = False
    atomic: bool = False
    rows: int = 64  # queries of a step (keys), or of a block (all others)
    keys: int = 128  # keys of a block (keys), or of a step (queries)
    stages: int = 2
    threads: int = 256
    persistent: int = 0
    specialize: bool | None = None
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = ["backward", self.kind, SHORT.get(self.element, self.element), f"d{self.d}" + f"v{self.dv}" * bool(self.dv), self.layout]
        parts += [n for n in ("causal", "grouped", "window", "atomic") if getattr(self, n)]
        parts += [f"{self.rows}x{self.keys}", f"s{self.stages}", f"t{self.threads}"]
        parts += [f"p{self.persistent}"] * bool(self.persistent)
        return "_".join(parts + ([] if self.specialize is None else ["spec" if self.specialize else "nospec"]))

    @property
    def columns(self):
        return self.dv or self.d

    def arguments(self):
        tensor = {"heads": ["heads", "S", "D"], "batch": ["B", "S", "H", "D"], "packed": ["S", "H", "D"]}[self.layout]
        row = {"heads": ["heads", "S"], "batch": ["B", "H", "S"], "packed": ["H", "S"]}[self.layout]
        t = self.element
        of = lambda names, kind, shape, access: [(n, kind, shape, access, False) for n in names.split()]
        if self.kind == "prepare":
            found = of("O DO", t, tensor, "r") + of("LSE", "f32", row, "r") + of("D L", "f32", row, "w")
            return found + of("DQ", "f32", tensor, "w") * self.atomic
        if self.kind == "convert":
            return of("DQ", "f32", tensor, "r") + of("DQO", t, tensor, "w")
        found = of("Q K V DO", t, tensor, "r") + of("D L", "f32", row, "r")
        found += of("CUQ CUK", "i32", ["B"], "r") * (self.layout == "packed")
        if self.kind == "queries":
            found += of("DQ", t, tensor, "w")
        else:
            found += of("DQ", "f32", tensor, "w") * self.atomic + of("DK DV", t, tensor, "w")
        found += of("longest", "i32", None, "r") * (self.layout == "packed") + of("left", "i32", None, "r") * self.window
        return found + of("right", "i32", None, "r") * (self.window and not self.causal)

    def text(self):
        return {"prepare": prepare_text, "keys": keys_text, "queries": queries_text, "convert": convert_text}[self.kind](self)


def kernel(p, grid, body):
    found = []
    for name, kind, shape, *_ in p.arguments():
        extents = shape and ["?"] * len(shape)
        if shape and shape[-1] == "D":
            extents[-1] = p.columns if name in ("V", "DV", "O", "DO") else p.d
        found.append(f"%{name}: {kind if shape is None else memref(extents, kind)}" + " {tile.alignment = 16}" * bool(shape and name not in ("CUQ", "CUK")))
    said = [f"persistent = {p.persistent} : i64"] * bool(p.persistent) + [f"specialize = {str(p.specialize).lower()}"] * (p.specialize is not None)
    kernel = f" attributes {{{', '.join(said)}}}" if said else ""
    return complete(f"{HEAD}tile.kernel @{p.ident()}({', '.join(found)})\n    grid{grid} threads({p.threads}){kernel} {{\n{body}}}\n")


def region(p, name, head, first, count, columns):
    """Rows of a tensor. `first` is a row of the argument: of a packed one, that of all sequences."""
    return f"%{name}" + {
        "heads": f"[{head}, {first}, %c0] sizes [1, {count}, {columns}]",
        "batch": f"[%z, {first}, {head}, %c0] sizes [1, {count}, 1, {columns}]",
        "packed": f"[{first}, {head}, %c0] sizes [{count}, 1, {columns}]",
    }[p.layout]


def row_region(p, name, head, first, count):
    return f"%{name}" + (f"[%z, {head}, {first}] sizes [1, 1, {count}]" if p.layout == "batch" else f"[{head}, {first}] sizes [1, {count}]")


def store(p, name, source, head, first, count, columns, side):
    """Rows of a block's result. Of a tile that ends in another sequence's rows, its own are stored."""
    whole = f"tile.copy %{source} to {region(p, name, head, first, count, columns)}"
    if p.layout != "packed":
        return f"  {whole}\n"
    local, rows = ("%m", "%queries") if side == "Q" else ("%n", "%keys")
    return f"""  %{name}_left := {rows} - {local}
  %{name}_inside := %{name}_left >= {count}
  scf.if %{name}_inside {{
    {whole}
  }} else {{
    tile.parallel (%i, %j) in ({count}, {columns}) {{
      %own := %i < %{name}_left
      scf.if %own {{
        %value := %{source}[%i, %j]
        %{name}[{first} + %i, {head}, %j] := {p.element}(%value)
      }}
    }}
  }}
"""


def lengths(p):
    """Lengths of the block's sequence, and which query stands at which key: query i at key i + %shift."""
    if p.layout == "packed":
        lines = packed_lengths()
    else:
        lines = ["%queries = memref.dim %Q, %c1", "%keys = memref.dim %K, %c1"]
    axis = {"heads": 0, "batch": 2, "packed": 1}[p.layout]
    lines += [f"%heads = memref.dim %Q, %c{axis}", f"%kvheads = memref.dim %K, %c{axis}"]
    lines += ["%shift := %keys - %queries"]
    lines += ["%last := %shift + 0"] * (p.causal and not p.window) + ["%last := %shift + " + ("0" if p.causal else "index(%right)")] * p.window
    for name in "LD":
        lines += [f"%row_{name} = memref.dim %{name}, %c{2 if p.layout == 'batch' else 1}", f"tile.assume %row_{name} {{divisible_by = 4 : i64}} : index"]
    return lines + ["%first := %shift - index(%left)"] * p.window


def outside(p, query, key):
    """Whether a query does not see a key."""
    tests = [f"({key} >= %keys)"]
    tests += [f"({key} > {query} + %last)"] * (p.causal or p.window) + [f"({key} < {query} + %first)"] * p.window
    return " | ".join(tests + [f"({query} >= %queries)"] * (p.layout == "packed"))


def leave(p, name, source, through, head, first, count, columns):
    """A result of a block of keys leaves through shared memory, so that rows are stored whole."""
    if p.d != p.columns:
        return store(p, name, source, head, first, count, columns, "K")
    return f"  tile.copy %{source} to %{through}\n" + store(p, name, through, head, first, count, columns, "K")


def mask(p, shape, n, query, key):
    """Scores of keys that are not seen become -inf, in the steps that hold some. n: keys and queries of a step."""
    tests = [f"(%n + {n[0]} > %keys)"]
    tests += [f"(%n + {n[0] - 1} > %m + %last)"] * (p.causal or p.window) + [f"(%n < %m + {n[1] - 1} + %first)"] * p.window
    tests += [f"(%m + {n[1]} > %queries)"] * (p.layout == "packed")
    return f"""    %masked := {' | '.join(tests)}
    scf.if %masked {{
      tile.parallel (%i, %j) in ({shape[0]}, {shape[1]}) {{
        %query := %m + {query}
        %key := %n + {key}
        %out := {outside(p, "%query", "%key")}
        %s[%i, %j] := -inf if %out else %s[%i, %j]
      }}
    }}
"""


def gradient(shape, at, t, p_too=True):
    """From scores and products with V to weights and the gradients of scores. `at` names the query."""
    narrow = f"      %p[%i, %j] := {t}(%w)\n" if p_too else ""
    # In two loops: the first runs while the product with V does.
    return f"""    tile.parallel (%i, %j) in ({shape[0]}, {shape[1]}) {{
      %x = memref.load %s[%i, %j]
      %l := %Ls[{at}]
      %xs = arith.mulf %x, %scale2 fastmath<contract> : f32
      %e = arith.subf %xs, %l fastmath<contract> : f32
      %w := exp2(%e)
{narrow}      %s[%i, %j] := %w
    }}
    tile.parallel (%i, %j) in ({shape[0]}, {shape[1]}) {{
      %change := %s[%i, %j] * (%dp[%i, %j] - %Ds[{at}])
      %ds[%i, %j] := {t}(%change)
    }}
"""


def scales(p):
    scale = 1 / math.sqrt(p.d)
    return f"""  %zero = arith.constant 0.0 : f32
  // log2(e) / sqrt({p.d}) and 1 / sqrt({p.d}).
  %scale2 = arith.constant {math.log2(math.e) * scale!r} : f32
  %scale = arith.constant {scale!r} : f32
"""


def scaled(shape, name, by="%scale"):
    return f"""  tile.parallel (%i, %j) in ({shape[0]}, {shape[1]}) {{
    %{name}[%i, %j] := %{name}[%i, %j] * {by}
  }}
"""


def grid_of(p, tensor, step):
    if p.layout == "packed":
        return f"(%b, %h, %z) = (%longest ceildiv {step}, dim(%{tensor}, 1), dim(%CUQ, 0) - 1)"
    if p.layout == "batch":
        return f"(%b, %h, %z) = (dim(%{tensor}, 1) ceildiv {step}, dim(%{tensor}, 2), dim(%{tensor}, 0))"
    return f"(%b, %h) = (dim(%{tensor}, 1) ceildiv {step}, dim(%{tensor}, 0))"


def keys_text(p):
    """Scores are computed transposed, keys along the rows: so weights and gradients are operands A from registers.

    Queries that do not exist have zeros in DO, D and L, so they add nothing; keys that do not exist are masked.
    """
    t, d, dv, q, k = p.element, p.d, p.columns, p.rows, p.keys
    fragment, shared = "#tile.fragment", "#shared"
    rows, columns = "policy = #tile.warp_policy<full_row>", "policy = #tile.warp_policy<full_col>"
    begin = f"max(%n - %last, 0) // {q} * {q}" if p.causal or p.window else "0"
    end = f"max(min(%n + {k} - %first, %queries), %begin)" if p.window else "max(%queries, %begin)"
    end = f"{end} if %n < %keys else %begin" if p.layout == "packed" else end
    packed = p.layout == "packed"
    lines = lengths(p) + [f"%n := %b * {k}", f"%begin := {begin}", f"%end := {end}"]
    lines += ["%nk := %k0 + %n"] * packed
    if p.grouped:
        lines += ["// The queries of all heads that share these keys, one head after the other."]
        lines += ["%group := %heads // %kvheads", f"%steps := (%end - %begin + {q - 1}) // {q}", "%total := %steps * %group"]
        loop = "tile.pipelined %it = %c0 to %total step %c1"
        inner = ["%hq := %h * %group + %it // %steps", f"%m := %begin + %it % %steps * {q}"]
    else:
        loop, inner = f"tile.pipelined %m = %begin to %end step %c{q}", []
    inner += ["%mq := %q0 + %m"] * packed
    n, m, hq = "%nk" if packed else "%n", "%mq" if packed else "%m", "%hq" if p.grouped else "%h"
    dq = ""
    if p.atomic:
        # Gradients of the step's queries: the sum over this block's keys, across warps, so it goes through shared memory.
        dq = f"""    tile.copy %ds to %DSs
    tile.gemm %DSs, %Ks, %dq {{clear, transpose_a, {columns}}}
    tile.atomic add %dq to {region(p, "DQ", hq, m, q, d)}
"""
    tiles = f"  %DSs = tile.alloc : {memref([k, q], t, shared)}\n  %dq = tile.alloc : {memref([q, d], 'f32', fragment)}\n" if p.atomic else ""
    head = "\n".join("  " + line for line in lines)
    return kernel(p, grid_of(p, "K", k), f"""{scales(p)}{head}
  %Ks = tile.alloc : {memref([k, d], t, shared)}
  %Vs = tile.alloc : {memref([k, dv], t, shared)}
  %Qs = tile.alloc : {memref([q, d], t, shared)}
  %DOs = tile.alloc : {memref([q, dv], t, shared)}
  %Ls = tile.alloc : {memref([q], "f32", shared)}
  %Ds = tile.alloc : {memref([q], "f32", shared)}
{tiles}{f"  %Out = tile.alloc : {memref([k, d], t, shared)}{chr(10)}" if d == dv else ""}  %s = tile.alloc : {memref([k, q], "f32", fragment)}
  %dp = tile.alloc : {memref([k, q], "f32", fragment)}
  %p = tile.alloc : {memref([k, q], t, fragment)}
  %ds = tile.alloc : {memref([k, q], t, fragment)}
  %dk = tile.alloc : {memref([k, d], "f32", fragment)}
  %dv = tile.alloc : {memref([k, dv], "f32", fragment)}
  tile.copy {region(p, "K", "%h", n, k, d)} to %Ks
  tile.copy {region(p, "V", "%h", n, k, dv)} to %Vs
  tile.fill %dk with %zero
  tile.fill %dv with %zero
  {loop} stages({p.stages}) {{
{chr(10).join("    " + line for line in inner)}
    tile.copy {region(p, "Q", hq, m, q, d)} to %Qs
    tile.copy {region(p, "DO", hq, m, q, dv)} to %DOs
    tile.copy {row_region(p, "L", hq, m, q)} to %Ls
    tile.copy {row_region(p, "D", hq, m, q)} to %Ds
    tile.gemm %Ks, %Qs, %s {{clear, transpose_b, {rows}}}
    tile.gemm %Vs, %DOs, %dp {{clear, transpose_b, {rows}}}
{mask(p, (k, q), (k, q), "%j", "%i")}{gradient((k, q), "%j", t)}    tile.gemm %p, %DOs, %dv {{{rows}}}
    tile.gemm %ds, %Qs, %dk {{{rows}}}
{dq}  }}
{scaled((k, d), "dk")}{leave(p, "DK", "dk", "Out", "%h", n, k, d)}{leave(p, "DV", "dv", "Out", "%h", n, k, dv)}""")


def queries_text(p):
    t, d, dv, q, k = p.element, p.d, p.columns, p.rows, p.keys
    fragment, shared = "#tile.fragment", "#shared"
    rows = "policy = #tile.warp_policy<full_row>"
    begin = "max(%m + %first, 0)" if p.window else "0"
    end = f"max(min(%m + {q} + %last, %keys), %begin)" if p.causal or p.window else "%keys + 0"
    packed = p.layout == "packed"
    end = f"{end} if %m < %queries else %begin" if packed else end
    lines = lengths(p) + [f"%m := %b * {q}", f"%begin := {begin}", f"%end := {end}"] + ["%mq := %q0 + %m"] * packed
    lines += ["%g := %h // (%heads // %kvheads)"] * p.grouped
    head = "\n".join("  " + line for line in lines)
    n, m, g = "%nk" if packed else "%n", "%mq" if packed else "%m", "%g" if p.grouped else "%h"
    return kernel(p, grid_of(p, "Q", q), f"""{scales(p)}{head}
  %Qs = tile.alloc : {memref([q, d], t, shared)}
  %DOs = tile.alloc : {memref([q, dv], t, shared)}
  %Ks = tile.alloc : {memref([k, d], t, shared)}
  %Vs = tile.alloc : {memref([k, dv], t, shared)}
  %Ls = tile.alloc : {memref([q], "f32", fragment)}
  %Ds = tile.alloc : {memref([q], "f32", fragment)}
  %s = tile.alloc : {memref([q, k], "f32", fragment)}
  %dp = tile.alloc : {memref([q, k], "f32", fragment)}
  %ds = tile.alloc : {memref([q, k], t, fragment)}
  %dq = tile.alloc : {memref([q, d], "f32", fragment)}
  tile.copy {region(p, "Q", "%h", m, q, d)} to %Qs
  tile.copy {region(p, "DO", "%h", m, q, dv)} to %DOs
  tile.copy {row_region(p, "L", "%h", m, q)} to %Ls
  tile.copy {row_region(p, "D", "%h", m, q)} to %Ds
  tile.fill %dq with %zero
  tile.pipelined %n = %begin to %end step %c{k} stages({p.stages}) {{
{f"    %nk := %k0 + %n{chr(10)}" if packed else ""}    tile.copy {region(p, "K", g, n, k, d)} to %Ks
    tile.copy {region(p, "V", g, n, k, dv)} to %Vs
    tile.gemm %Qs, %Ks, %s {{clear, transpose_b, {rows}}}
    tile.gemm %DOs, %Vs, %dp {{clear, transpose_b, {rows}}}
{mask(p, (q, k), (k, q), "%i", "%j")}{gradient((q, k), "%i", t, False)}    tile.gemm %ds, %Ks, %dq {{{rows}}}
  }}
{scaled((q, d), "dq")}{store(p, "DQ", "dq", "%h", m, q, d, "Q")}""")


def prepare_text(p):
    q, dv, t = p.rows, p.columns, p.element
    fragment = "#tile.fragment"
    row = memref([q], "f32", fragment)
    # Rows are those of all sequences here: they need nothing of each other.
    clear = ""
    if p.atomic:
        clear = f"  %none = tile.alloc : {memref([q, p.d], 'f32', fragment)}\n  tile.fill %none with %zero\n  tile.copy %none to {region(p, 'DQ', '%h', '%m', q, p.d)}\n"
    grid = f"(%b, %h) = (dim(%O, 0) ceildiv {q}, dim(%O, 1))" if p.layout == "packed" else grid_of(p, "O", q)
    return kernel(p, grid, f"""  %zero = arith.constant 0.0 : f32
  %m := %b * {q}
  %o = tile.alloc : {memref([q, dv], "f32", fragment)}
  %do = tile.alloc : {memref([q, dv], t, fragment)}
  %d = tile.alloc : {row}
  %l = tile.alloc : {row}
  tile.copy {region(p, "O", "%h", "%m", q, dv)} to %o
  tile.copy {region(p, "DO", "%h", "%m", q, dv)} to %do
  tile.copy {row_region(p, "LSE", "%h", "%m", q)} to %l
  tile.parallel (%i, %j) in ({q}, {dv}) {{
    %o[%i, %j] := %o[%i, %j] * f32(%do[%i, %j])
  }}
  tile.reduce sum %o to %d dim(1)
  // A query without keys (LSE is -inf) has weights of 0.
  tile.parallel (%i) in ({q}) {{
    %x := %l[%i]
    %l[%i] := %x * {math.log2(math.e)!r} if %x > -1.0e+30 else 1.0e+30
  }}
  tile.copy %d to {row_region(p, "D", "%h", "%m", q)}
  tile.copy %l to {row_region(p, "L", "%h", "%m", q)}
{clear}""")


def convert_text(p):
    q, d = p.rows, p.d
    grid = f"(%b, %h) = (dim(%DQ, 0) ceildiv {q}, dim(%DQ, 1))" if p.layout == "packed" else grid_of(p, "DQ", q)
    return kernel(p, grid, f"""  %m := %b * {q}
  %dq = tile.alloc : {memref([q, d], "f32", "#tile.fragment")}
  tile.copy {region(p, "DQ", "%h", "%m", q, d)} to %dq
{scaled((q, d), "dq", repr(1 / math.sqrt(d)))}  tile.copy %dq to {region(p, "DQO", "%h", "%m", q, d)}
""")
