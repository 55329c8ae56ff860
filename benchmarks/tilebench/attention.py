# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward as a plain tile program: two gemms and an online softmax over blocks of keys.

O = softmax(Q K^T / sqrt(D)) V for each of the batch's heads; Q, K, V and O are [heads of all batches, S, D], row-major.
Any S of 1 or more: keys beyond the end, and with `causal` those behind the query, get no weight. Nothing in the program
names an instruction: rings, roles and fragments are the compiler's.

Fields of `Attention` change the program, and all of them go together unless `check` says something else. Scores are kept in
units of their own: a score times `unit` is the exponent of e. So a scale costs nothing, and what is added to a score is
divided by the unit once.

Where a length is a number of its own (packed, padded), the last step of keys also reads rows of V behind the end, whose weights
are 0: they have to be finite.
"""

import dataclasses
import math

from .gemm import HEAD, SHORT, memref
from .notation import complete


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
    panel: int = 0  # so many heads at a time go through their rows; 0: one
    specialize: bool | None = None
    accurate: bool = False  # exp2 without the approximate form
    # A maximum counts once it is 2^8 times the one that counted before: weights are at most 2^8 then, and sums and
    # products are seldom multiplied.
    lazy: bool = False
    name: str = ""
    # The fields below have defaults that leave the program above as it is.
    dv: int = 0  # columns of V and O; 0: d
    out: str = ""  # the type of O; as element where this is empty
    # heads: [heads of all batches, S, D]. batch: [B, S, H, D]. packed: [total S, H, D], sequence i has the rows from CUQ[i]
    # to CUQ[i + 1] of Q and O, and from CUK[i] on of K and V; `longest` is the most queries of a sequence.
    layout: str = "heads"
    grouped: bool = False  # K and V have fewer heads; a group of neighbouring heads of Q shares one
    unequal: bool = False  # Q and K differ in length: the last query sees the last key
    window: bool = False  # only keys from `left` before the query to `right` behind it (0 with causal)
    padded: bool = False  # LEN[batch] keys count
    sinks: bool = False  # SINK[head] joins the sum of the weights, as a key whose value is zero
    bias: str = ""  # add: BIAS[head modulo its heads, query, key] is added to scores. alibi: -SLOPE[head] |query - key|
    softcap: float = 0  # scores become softcap tanh(score / softcap)
    lse: bool = False  # LSE [B, H, S] (packed: [H, S]) gets the logarithm of the sum of exp(score), -inf where there are no keys
    # Of fp8: Q, K and V times SQ[head], SK and SV[head of K]; V is [heads, D, S], for wgmma reads bytes along S only.
    scaled: bool = False
    # Promises that rows of BIAS, and of V where it is [heads, D, S], are whole pieces of 16 bytes; the launcher checks it.
    # Without, every length is right, and such rows are copied in smaller pieces.
    whole: bool = False
    staged: bool = False  # O leaves through the memory of Q, where there is no other (dv is d)

    def ident(self):
        if self.name:
            return self.name
        parts = [
            "attention",
            SHORT.get(self.element, self.element),
            f"d{self.d}" + f"v{self.dv}" * bool(self.dv),
            "causal" if self.causal else "full",
            f"{self.rows}x{self.keys}",
            f"s{self.stages}",
            f"t{self.threads}",
        ]
        parts += [f"P{self.persistent}"] * bool(self.persistent) + [f"G{self.panel}"] * bool(self.panel)
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        parts += [self.layout] * (self.layout != "heads") + [self.bias] * bool(self.bias)
        parts += [f"cap{self.softcap:g}".replace(".", "p")] * bool(self.softcap)
        parts += [n for n in ("grouped", "unequal", "window", "padded", "sinks", "lse", "scaled", "whole", "staged") if getattr(self, n)]
        return "_".join(parts + ["accurate"] * self.accurate + ["lazy"] * self.lazy)

    @property
    def columns(self):
        return self.dv or self.d

    @property
    def plain(self):
        """Nothing beyond the program with one length and as many heads of K as of Q."""
        more = dataclasses.fields(self)[13:]  # behind `name`
        return all(getattr(self, f.name) == f.default for f in more if f.name not in ("dv", "out", "lse", "grouped", "staged"))

    def arguments(self):
        shapes = {"heads": ["heads", "S", "D"], "batch": ["B", "S", "H", "D"], "packed": ["S", "H", "D"]}
        shape = shapes[self.layout]
        found = [(n, self.element, shape, "r", False) for n in "QKV"]
        found += [(n, "i32", ["B"], "r", False) for n in ("CUQ", "CUK") if self.layout == "packed"]
        found += [("LEN", "i32", ["B"], "r", False)] * self.padded
        found += [("SINK", "f32", ["H"], "r", False)] * self.sinks
        found += [("BIAS", self.element, ["H", "S", "S"], "r", False)] * (self.bias == "add")
        found += [("SLOPE", "f32", ["H"], "r", False)] * (self.bias == "alibi")
        found += [(n, "f32", ["H"], "r", False) for n in ("SQ", "SK", "SV") if self.scaled]
        found += [("O", self.out or self.element, shape, "w", False)]
        rows = {"heads": ["heads", "S"], "batch": ["B", "H", "S"], "packed": ["H", "S"]}[self.layout]
        found += [("LSE", "f32", rows, "w", False)] * self.lse
        found += [("longest", "i32", None, "r", False)] * (self.layout == "packed")
        found += [("left", "i32", None, "r", False)] * self.window
        return found + [("right", "i32", None, "r", False)] * (self.window and not self.causal)

    def check(self):
        if self.scaled and (self.bias or self.softcap or self.sinks or self.layout != "heads"):
            raise ValueError("scaled: expected no bias, softcap or sinks, and the layout heads")
        if self.bias == "add" and self.layout == "packed":
            raise ValueError("bias=add: expected a layout of equal lengths")

    def text(self):
        self.check()
        return attention_text(self)


def tensor(p, name):
    """The type of Q, K, V or O; with its promise of an alignment."""
    columns, kind = p.columns if name in "VO" else p.d, (p.out or p.element) if name == "O" else p.element
    shape = ["?", columns, "?"] if name == "V" and p.scaled else ["?"] * (3 if p.layout == "batch" else 2) + [columns]
    return f"%{name}: {memref(shape, kind)} {{tile.alignment = 16}}"


def parameters(p):
    """The kernel's arguments, in the order of `arguments`."""
    found = []
    for name, kind, shape, *_ in p.arguments():
        if shape is None:
            found.append(f"%{name}: {kind}")
        elif name in ("Q", "K", "V", "O"):
            found.append(tensor(p, name))
        else:
            aligned = " {tile.alignment = 16}" if name == "BIAS" else ""
            found.append(f"%{name}: {memref(['?'] * len(shape), kind)}{aligned}")
    return ", ".join(found)


def region(p, name, first, count, columns):
    """Rows of a tensor from `first` on, as a copy has it."""
    head = "%g" if name in "KV" and p.grouped else "%h"
    if p.layout == "batch":
        return f"%{name}[%z, {first}, {head}, %c0] sizes [1, {count}, 1, {columns}]"
    if p.layout == "packed":
        return f"%{name}[{first}, {head}, %c0] sizes [{count}, 1, {columns}]"
    if name == "V" and p.scaled:
        return f"%{name}[{head}, %c0, {first}] sizes [1, {columns}, {count}]"
    return f"%{name}[{head}, {first}, %c0] sizes [1, {count}, {columns}]"


# Rows are dealt out from the last one up, the blocks with the most keys first, so that none of them is left for the end; a
# block that is not full stands at the beginning, where it has few keys. Rows before the first are read as zeros, and no
# place takes what becomes of them.
FROM_THE_END = """  // The blocks with the most keys first; the first rows, which see few keys, may be less than a block: it begins
  // before them."""


def plain_start(p):
    """Which rows and keys a block has, as the plain program says it."""
    if p.causal:
        return f"""{FROM_THE_END}
  %next_b = arith.addi %b, %c1 : index
  %up = arith.muli %next_b, %crows : index
  %m = arith.subi %queries, %up : index
  %below = arith.addi %m, %crows : index
  %length = arith.minsi %below, %keys : index
  // From this key on a block holds keys behind some query, or beyond the end.
  %behind_m = arith.minsi %m, %keys : index
  %limit = arith.maxsi %behind_m, %c0 : index
"""
    return """  %m = arith.muli %b, %crows : index
  %length = arith.addi %keys, %c0 : index
  // A block that ends beyond this holds keys beyond the end.
  %limit = arith.addi %keys, %c0 : index
"""


def start(p):
    """The same for lengths that differ, and windows."""
    lines = []
    if p.causal and p.layout == "packed":
        # Rows before a sequence's first are another one's, so the last block is the one that is not full.
        lines += ["  // The blocks with the most keys first, so that none of them is left for the end."]
        lines += [f"  %m := ((index(%longest) - 1) // {p.rows} - %b) * {p.rows}"]
    elif p.causal:
        lines += [FROM_THE_END, f"  %m := %queries - (%b + 1) * {p.rows}"]
    else:
        lines += [f"  %m := %b * {p.rows}"]
    begin, end = "%c0", "%keys"
    if p.causal or p.window:
        lines += ["  // The key that the block's first query stands at: the last query stands at the last key."]
        lines += ["  %at := %m + %keys - %queries"]
    if p.window:
        lines += ["  %first := %at - index(%left)", "  %begin := max(%first, 0)"]
        begin = "%begin"
    if p.causal or p.window:
        lines += [f"  %last := %at + {'0' if p.causal else 'index(%right)'}"]
        end = f"max(min(%last + {p.rows}, %keys), {begin})"
    if p.layout == "packed":
        end = f"{end} if %m < %queries else {begin}"
    lines += [f"  %length := {end}", "  // A block that ends beyond this holds keys that some query does not see."]
    lines += ["  %limit := " + ("min(%last + 1, %keys)" if p.causal or p.window else "%keys + 0")]
    if p.window:
        lines += ["  // And so does one that begins before this.", f"  %whole := %first + {p.rows - 1}"]
    return "\n".join(lines) + "\n"


def plain_mask(p):
    if p.causal:
        return """      %query = arith.addi %m, %i : index
      %key = arith.addi %n, %j : index
      %behind = arith.cmpi sgt, %key, %query : index
      %beyond = arith.cmpi sge, %key, %keys : index
      %out = arith.ori %behind, %beyond : i1
"""
    return """      %key = arith.addi %n, %j : index
      %out = arith.cmpi sge, %key, %keys : index
"""


def mask(p):
    """The last query sees the last key, so causal rows that exist need no look at the end."""
    tests = ["%key > %last + %i"] if p.causal or p.window else []
    tests += [] if p.causal else ["%key >= %keys"]
    tests += ["%key < %first + %i"] if p.window else []
    return "      %key := %n + %j\n      %out := " + " | ".join(f"({t})" for t in tests) + "\n"


def rows_that_matter(p):
    """Which rows a step of keys is for: those of queries that exist and see one of its keys. To others it adds weights of 0."""
    if p.plain and p.causal:
        return f"""    // To queries that see none of these keys they add nothing.
    %seen = arith.subi %n, %m : index
    tile.assume_rows %seen to %crows of {p.rows}
"""
    if p.plain:
        return f"""    // Nobody asks for rows beyond the end.
    %rest = arith.subi %queries, %m : index
    tile.assume_rows %c0 to %rest of {p.rows}
"""
    end = "%queries - %m"
    lines = ["// To queries that see none of these keys, or do not exist, they add nothing."]
    lines += ["%seen := " + ("%n - %last" if p.causal or p.window else "%c0 + 0")]
    lines += ["%unseen := " + (f"min(%n + {p.keys} - %first, {end})" if p.window else end)]
    return "".join(f"    {line}\n" for line in [*lines, f"tile.assume_rows %seen to %unseen of {p.rows}"])


def packed_lengths():
    """Where the sequence %z begins and how long it is. Whatever the tables say, rows are those of the tensors."""
    lines = ["%z1 := %z + 1"]
    for x, tensor, first, count in (("Q", "Q", "q0", "queries"), ("K", "K", "k0", "keys")):
        lines += [f"%all_{x} = memref.dim %{tensor}, %c0", f"%{first} := max(min(index(%CU{x}[%z]), %all_{x}), 0)"]
        lines += [f"%{count} := max(min(index(%CU{x}[%z1]), %all_{x}) - %{first}, 0)"]
    return lines


def lengths(p):
    """Heads and lengths of the block's sequence."""
    lines = []
    if p.layout == "packed":
        lines += ["  " + line for line in packed_lengths()]
    else:
        lines += ["  %queries = memref.dim %Q, %c1"]
        lines += [] if p.padded else ["  %keys = memref.dim %K, %c1"]
    heads = {"heads": 0, "batch": 2, "packed": 1}[p.layout]
    if p.grouped or p.layout == "packed" or (p.padded and p.layout == "heads"):
        lines += [f"  %heads = memref.dim %Q, %c{heads}"]
    if p.grouped or p.layout == "packed":
        lines += [f"  %kvheads = memref.dim %K, %c{heads}"]
    if p.grouped:
        lines += ["  // Neighbouring heads of Q share one of K and V.", "  %g := %h // (%heads // %kvheads)"]
    if p.padded:
        if p.layout == "heads":
            lines += ["  %batches = memref.dim %LEN, %c0", "  %z := %h // (%heads // %batches)"]
        lines += ["  %keys := index(%LEN[%z])"]
    if p.whole:
        name = "V" if p.scaled else "BIAS"
        lines += [f"  %row = memref.dim %{name}, %c2", f"  tile.assume %row {{divisible_by = {16 if p.scaled else 8} : i64}} : index"]
    return "\n".join(lines)


def modulo(p, name, of):
    """The head of a table that may be the same for all batches."""
    if p.layout == "heads":
        return f"  %{name}_heads = memref.dim %{of}, %c0\n  %{name} := %h % %{name}_heads"
    return f"  %{name} := %h + 0"


def changes(p, unit):
    """What is done to scores before they are masked; the loop, and what stands before the program's loop."""
    before, value = [], "%S[%i, %j]"
    if p.softcap:
        value = f"tanh({value} * {1 / (math.sqrt(p.d) * p.softcap)!r})"
    if p.bias == "add":
        before += ["  %bias_heads = memref.dim %BIAS, %c0"]
        if p.layout == "batch":
            before += ["  %all = memref.dim %Q, %c2", "  %hb := (%z * %all + %h) % %bias_heads"]
        else:
            before += ["  %hb := %h % %bias_heads"]
        value += f" + f32(%Bs[%i, %j]) * {1 / unit!r}"
    elif p.bias == "alibi":
        before += [modulo(p, "hs", "SLOPE"), f"  %slope := %SLOPE[%hs] * {-1 / unit!r}"]
        before += [] if p.causal or p.window else ["  %at := %m + %keys - %queries"]
    body = [f"      %S[%i, %j] := {value}"]
    if p.bias == "alibi":
        # In f32 distances below 2^24 are exact, and cost an addition of 32 bits for each element.
        body = [f"      %score := {value}", "      %far := abs(%apart + f32(%i) - f32(%j))"]
        body += ["      %biased = math.fma %far, %slope, %score : f32", "      %S[%i, %j] := %biased"]
    first = ["    %steps := %at - %n", "    %apart := f32(%steps)"] * (p.bias == "alibi")
    loop = [*first, f"    tile.parallel (%i, %j) in ({p.rows}, {p.keys}) {{", *body, "    }"]
    return "\n".join(before), "\n".join(loop) + "\n" if p.bias or p.softcap else ""


# A maximum counts once weights against the old one exceed 2^8: %margin is 8 / %scale.
LAZY = """      %enough = arith.addf %old, %margin : f32
      %grows = arith.cmpf ogt, %new, %enough : f32
      %both = arith.select %grows, %new, %old : f32"""


def softmax(rows, keys, dv, t, fast=" fastmath<afn>", largest="      %both = arith.maximumf %old, %new : f32", raised=""):
    """From scores to weights: what stands between the two products of a step. %largest, %sum and %acc are of all keys so
    far; `largest` says which maximum counts from now on, `raised` multiplies weights."""
    top = "%t8" if raised else "%ts"
    return f"""    tile.reduce max %S to %blockmax dim(1)
    // Sums and products so far were taken against a smaller maximum.
    tile.parallel (%i) in ({rows}) {{
      %old = memref.load %largest[%i]
      %new = memref.load %blockmax[%i]
{largest}
      %less = arith.subf %old, %both : f32
      %e = arith.mulf %less, %scale : f32
      %factor = math.exp2 %e{fast} : f32
      memref.store %factor, %correction[%i]
      memref.store %both, %largest[%i]
      %l = memref.load %sum[%i]
      %scaled = arith.mulf %l, %factor : f32
      memref.store %scaled, %sum[%i]
    }}
    tile.parallel (%i, %j) in ({rows}, {keys}) {{
      %x = memref.load %S[%i, %j]
      %top = memref.load %largest[%i]
      %xs = arith.mulf %x, %scale fastmath<contract> : f32
      %ts = arith.mulf %top, %scale : f32
{raised}      %e = arith.subf %xs, {top} fastmath<contract> : f32
      %w = math.exp2 %e{fast} : f32
      memref.store %w, %S[%i, %j]
      %narrow = arith.truncf %w : f32 to {t}
      memref.store %narrow, %P[%i, %j]
    }}
    tile.reduce sum %S to %sum dim(1) accumulate
    tile.parallel (%i, %j) in ({rows}, {dv}) {{
      %x = memref.load %acc[%i, %j]
      %factor = memref.load %correction[%i]
      %y = arith.mulf %x, %factor : f32
      memref.store %y, %acc[%i, %j]
    }}
"""


def results(p, less):
    """What stores O and LSE. Rows beyond the end of a packed sequence are another one's: of a tile that holds some, its own
    are stored one by one."""
    where = {"heads": "[%h, %m] sizes [1, ", "batch": "[%z, %h, %m] sizes [1, 1, ", "packed": "[%h, %qm] sizes [1, "}[p.layout]
    logarithm = f"""  tile.parallel (%i) in ({p.rows}) {{
    %l := %sum[%i]
    %blockmax[%i] := (%largest[%i] * %scale + log2(%l){less}) * {math.log(2)!r}
  }}
"""
    source = "Qs" if p.staged else "acc"
    logarithm = logarithm * p.lse + "  tile.copy %acc to %Qs\n" * p.staged
    stores = [f"tile.copy %{source} to " + region(p, "O", "%qm" if p.layout == "packed" else "%m", p.rows, p.columns)]
    stores += [f"tile.copy %blockmax to %LSE{where}{p.rows}]"] * p.lse
    text = logarithm
    if p.layout != "packed":
        return text + "".join(f"  {line}\n" for line in stores)
    lines = ["%rest := %queries - %m", f"%inside := %rest >= {p.rows}", "scf.if %inside {", *("  " + s for s in stores), "} else {"]
    for extents, at, to, tile in [((p.rows, p.columns), "%i, %j", "%O[%qm + %i, %h, %j]", source)] + [((p.rows,), "%i", "%LSE[%h, %qm + %i]", "blockmax")] * p.lse:
        lines += [f"  tile.parallel ({at}) in ({', '.join(map(str, extents))}) {{", "    %own := %i < %rest", "    scf.if %own {"]
        lines += [f"      %value := %{tile}[{at}]", f"      {to} := {p.out or p.element}(%value)" if len(extents) > 1 else f"      {to} := %value", "    }", "  }"]
    return text + "".join(f"  {line}\n" for line in [*lines, "}"])


def attention_text(p):
    t, d, dv, rows, keys = p.element, p.d, p.columns, p.rows, p.keys
    fragment, shared = "#tile.fragment", "#shared"
    qs, ks = memref([rows, d], t, shared), memref([keys, d], t, shared)
    vs = memref([dv, keys] if p.scaled else [keys, dv], t, shared)
    s, pt = memref([rows, keys], "f32", fragment), memref([rows, keys], t, fragment)
    acc, row = memref([rows, dv], "f32", fragment), memref([rows], "f32", fragment)
    unit = p.softcap or 1 / math.sqrt(d)
    scale = math.log2(math.e) * p.softcap if p.softcap else math.log2(math.e) / math.sqrt(d)
    fast = "" if p.accurate else " fastmath<afn>"
    policy = "policy = #tile.warp_policy<full_row>"
    margin = ""
    if p.lazy:
        largest = LAZY
        margin = f"""
  // A maximum counts once weights against the old one exceed 2^8.
  %margin = arith.constant {8 / scale!r} : f32"""
    else:
        largest = "      %both = arith.maximumf %old, %new : f32"
    kernel = [f"panel = {p.panel} : i64"] * bool(p.panel) + [f"persistent = {p.persistent} : i64"] * bool(p.persistent)
    kernel += [] if p.specialize is None else [f"specialize = {str(p.specialize).lower()}"]
    attributes = f" attributes {{{', '.join(kernel)}}}" if kernel else ""
    grid = {
        "heads": f"(%b, %h) = (dim(%Q, 1) ceildiv {rows}, dim(%Q, 0))",
        "batch": f"(%b, %h, %z) = (dim(%Q, 1) ceildiv {rows}, dim(%Q, 2), dim(%Q, 0))",
        "packed": f"(%b, %h, %z) = (%longest ceildiv {rows}, dim(%Q, 1), dim(%CUQ, 0) - 1)",
    }[p.layout]
    before, changed = changes(p, unit)
    first = "%begin" if p.window else "%c0"
    masked = "    %masked = arith.cmpi ugt, %next, %limit : index"
    lowest, none = "", "%lowest"
    if not p.plain:
        masked = "    %masked := " + ("(%next > %limit) | (%n < %whole)" if p.window else "%next > %limit")
        lowest, none = "  // What a score without weight becomes: its exponential is 0 even where a row has no others.\n  %none = arith.constant 0xFF800000 : f32\n", "%none"
    factor = f"  // log2(e) / sqrt({d}): the softmax is taken in powers of two.\n" if not p.softcap else ""
    if p.scaled:
        head = "%g" if p.grouped else "%h"
        before = f"  %scale := %SQ[%h] * %SK[{head}] * {scale!r}\n  %output := %SV[{head}] + 0.0" + "\n  %margin := 8.0 / %scale" * p.lazy
        margin = ""
    else:
        factor += f"  %scale = arith.constant {scale!r} : f32{margin}\n"
    initial, total = "%lowest", "%zero"
    if p.sinks:
        before += ("\n" if before else "") + modulo(p, "hk", "SINK") + f"\n  // Before the first key stands the sink: weight 1, value 0.\n  %sink := %SINK[%hk] * {1 / unit!r}"
        initial, total = "%sink", "%one"
        factor = "  %one = arith.constant 1.0 : f32\n" + factor
    # Weights of fp8 are multiplied by 2^8, as far as its numbers go; sums are then, too.
    raised = "" if not p.scaled or p.lazy else "      %t8 = arith.subf %ts, %eight : f32\n"
    factor = ("  %eight = arith.constant 8.0 : f32\n" if raised else "") + factor
    start_text = plain_start(p) if p.plain else start(p)
    mask_text = plain_mask(p) if p.plain else mask(p)
    nobody = not p.plain and not p.sinks
    if nobody or p.scaled:
        output = "    %some := %l if %l > 0.0 else 1.0\n    %y := %x / %some" + " * %output" * p.scaled
    else:
        output = "    %y = arith.divf %x, %l fastmath<arcp> : f32"
    offsets, inner = ("  %qm := %q0 + %m\n", "    %kn := %k0 + %n\n") if p.layout == "packed" else ("", "")
    bias = f"    tile.copy %BIAS[%hb, %m, %n] sizes [1, {rows}, {keys}] to %Bs\n" if p.bias == "add" else ""
    bias_tile = f"  %Bs = tile.alloc : {memref([rows, keys], t, shared)}\n" if bias else ""
    transposed = "transpose_b, " * p.scaled
    body = f"""{HEAD}tile.kernel @{p.ident()}({parameters(p)})
    grid{grid} threads({p.threads}){attributes} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %crows = arith.constant {rows} : index
  %ckeys = arith.constant {keys} : index
  %zero = arith.constant 0.0 : f32
  // Less than any score; the exponential of what is so far below another is 0.
  %lowest = arith.constant -1.0e+30 : f32
{lowest}{factor}{lengths(p)}
{start_text}{before}
  %Qs = tile.alloc : {qs}
  %Ks = tile.alloc : {ks}
  %Vs = tile.alloc : {vs}
{bias_tile}  %S = tile.alloc : {s}
  %P = tile.alloc : {pt}
  %acc = tile.alloc : {acc}
  %largest = tile.alloc : {row}
  %blockmax = tile.alloc : {row}
  %correction = tile.alloc : {row}
  %sum = tile.alloc : {row}

{offsets}  tile.copy {region(p, "Q", "%qm" if offsets else "%m", rows, d)} to %Qs
  tile.fill %acc with %zero
  tile.fill %sum with {total}
  tile.fill %largest with {initial}
  tile.pipelined %n = {first} to %length step %ckeys stages({p.stages}) {{
{inner}    tile.copy {region(p, "K", "%kn" if inner else "%n", keys, d)} to %Ks
    tile.copy {region(p, "V", "%kn" if inner else "%n", keys, dv)} to %Vs
{bias}{rows_that_matter(p)}    tile.gemm %Qs, %Ks, %S {{clear, transpose_b, {policy}}}
{changed}    %next = arith.addi %n, %ckeys : index
{masked}
    scf.if %masked {{
      tile.parallel (%i, %j) in ({rows}, {keys}) {{
{mask_text}      %x = memref.load %S[%i, %j]
      %y = arith.select %out, {none}, %x : f32
      memref.store %y, %S[%i, %j]
      }}
    }}
{softmax(rows, keys, dv, t, fast, largest, raised)}    tile.gemm %P, %Vs, %acc {{{transposed}{policy}}}
  }}
  tile.parallel (%i, %j) in ({rows}, {dv}) {{
    %x = memref.load %acc[%i, %j]
    %l = memref.load %sum[%i]
{output}
    memref.store %y, %acc[%i, %j]
  }}
{results(p, " - 8.0" * bool(raised))}}}
"""
    return complete(body)
