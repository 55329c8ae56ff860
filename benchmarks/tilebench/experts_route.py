# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routing of tokens to experts as plain tile programs: gating, counting and sorting the copies of tokens, and adding their results.

A token has `k` copies, one for each of its experts; copy c is that of token c / k. The kernels, one after the other:

  Gate     LOGITS [T, E] -> WEIGHT [T, k], ID [T, k]: the k best experts of each token and their weights
  Count    ID -> COUNT [blocks, E]: how many copies each expert has in each `chunk` of them; an ID that is no expert counts nowhere
  Offsets  COUNT -> BASE [blocks, E], OFF [E + 1], the tiles and TOTAL [1], how many they are: where an expert's rows begin, and of
           it those of each chunk
  Place    ID, BASE, OFF -> SLOT [copies], ROW [rows]: the row of each copy (-1: none), and the token of each row
  Combine  Y [rows, N], SLOT, WEIGHT -> OUT [T, N]: the sum of a token's copies, in the order of its experts
"""

import dataclasses
import math

from .gemm import HEAD, memref
from .notation import complete

FRAGMENT, SHARED = "#tile.fragment", "#shared"


def scan(source, target, kind, options=""):
    return f"tile.scan sum %{source} to %{target} dim(0) exclusive{options} : {kind} to {kind}"


def parameters(p, shapes, aligned=()):
    """Arguments; `shapes` has the dimensions of those that are not open."""
    found = []
    for name, kind, shape, *_ in p.arguments():
        text = memref(shapes.get(name, ["?"] * len(shape)), kind) if shape is not None else kind
        found.append(f"%{name}: {text}" + " {tile.alignment = 16}" * (name in aligned))
    return ", ".join(found)


@dataclasses.dataclass(frozen=True)
class Gate:
    """The k largest logits of each token, the first of equals first; weights are their softmax.

    `score` sigmoid: a logit becomes its sigmoid, BIAS [E] is added for the choice, and weights are the sigmoids over their sum.
    Without `renormalise` weights are shares of the softmax over all experts, or the sigmoids themselves.
    """

    experts: int = 256
    k: int = 8
    element: str = "f32"  # of the logits
    score: str = "softmax"
    renormalise: bool = True
    rows: int = 16  # tokens of a block
    threads: int = 128
    # The program says that a warp has whole rows: experts are a multiple of 32, rows one of the warps.
    warps: bool = False
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = ["gate", self.element, self.score, f"{self.k}of{self.experts}", f"r{self.rows}", f"t{self.threads}"]
        return "_".join(parts + ["shares"] * (not self.renormalise) + ["warps"] * self.warps)

    def layout(self):
        """Of the tile of logits: each lane has pieces of 16 bytes of a row where these are enough, one warp has whole rows."""
        if not self.warps:
            return ""
        warps = self.threads // 32
        if self.experts % 32 or self.rows % warps:
            raise ValueError("warps: expected a multiple of 32 experts and of as many rows as there are warps")
        piece = next(v for v in (4, 2, 1) if self.experts % (32 * v) == 0)
        registers = [f"({piece}, 1:1)", f"({self.experts // (32 * piece)}, 1:{32 * piece})", f"({self.rows // warps}, 0:1)"]
        registers = ", ".join(r for r in registers if not r.startswith("(1,"))
        across = f" warp [({warps}, 0:{self.rows // warps})]" if warps > 1 else ""
        return f"layout(#tile.fragment_layout<shape [{self.rows}, {self.experts}] reg [{registers}] lane [(32, 1:{piece})]{across}>) "

    def arguments(self):
        found = [("LOGITS", self.element, ["T", "E"], "r", False)]
        found += [("BIAS", "f32", ["E"], "r", False)] * (self.score == "sigmoid")
        return found + [("WEIGHT", "f32", ["T", "k"], "w", False), ("ID", "i32", ["T", "k"], "w", False)]

    def text(self):
        rows, e, k, log2e = self.rows, self.experts, self.k, math.log2(math.e)
        x, best, row = memref([rows, e], "f32", FRAGMENT), memref([rows, k], "f32", FRAGMENT), memref([rows], "f32", FRAGMENT)
        places = memref([rows, k], "i32", FRAGMENT)
        every, chosen = f"  tile.parallel (%i, %j) in ({rows}, {e}) {{", f"  tile.parallel (%i, %j) in ({rows}, {k}) {{"
        lines = [f"  %m := %b * {rows}", f"  %x = tile.alloc {self.layout()}: {x}", f"  %best = tile.alloc : {best}", f"  %place = tile.alloc : {places}"]
        lines += [f"  %top = tile.alloc : {row}", f"  %sum = tile.alloc : {row}", "  tile.copy %LOGITS[%m, %c0] to %x"]
        if self.score == "sigmoid":
            lines += [f"  %bias = tile.alloc : {memref([e], 'f32', FRAGMENT)}", "  tile.copy %BIAS to %bias", every]
            lines += [f"    %x[%i, %j] := 1.0 / (exp2(%x[%i, %j] * {-log2e!r}) + 1.0) + %bias[%j]", "  }"]
        lines += [f"  tile.topk %x to %best, %place dim(1) : {x} to {best}, {places}"]
        if self.score == "sigmoid":
            lines += [chosen, "    %best[%i, %j] := %best[%i, %j] - %BIAS[index(%place[%i, %j])]", "  }"]
        else:
            lines += ["  tile.reduce max %best to %top dim(1)", chosen]
            lines += [f"    %best[%i, %j] := exp2((%best[%i, %j] - %top[%i]) * {log2e!r})", "  }"]
        if self.renormalise:
            lines += ["  tile.reduce sum %best to %sum dim(1)"]
        elif self.score == "softmax":
            lines += [every, f"    %x[%i, %j] := exp2((%x[%i, %j] - %top[%i]) * {log2e!r})", "  }", "  tile.reduce sum %x to %sum dim(1)"]
        if self.renormalise or self.score == "softmax":
            lines += [chosen, "    %best[%i, %j] := %best[%i, %j] / %sum[%i]", "  }"]
        lines += ["  tile.copy %best to %WEIGHT[%m, %c0]", "  tile.copy %place to %ID[%m, %c0]"]
        shapes = dict(LOGITS=["?", e], BIAS=[e], WEIGHT=["?", k], ID=["?", k])
        return complete(f"""{HEAD}tile.kernel @{self.ident()}({parameters(self, shapes, shapes)})
    grid(%b) = (dim(%LOGITS, 0) ceildiv {rows}) threads({self.threads}) {{
{chr(10).join(lines)}
}}
""")


@dataclasses.dataclass(frozen=True)
class Count:
    experts: int = 256
    chunk: int = 1024
    threads: int = 256
    name: str = ""

    def ident(self):
        return self.name or f"route_count_{self.experts}_c{self.chunk}_t{self.threads}"

    def arguments(self):
        return [("ID", "i32", ["copies"], "r", False), ("COUNT", "i32", ["blocks", "E"], "w", False)]

    def text(self):
        e, chunk = self.experts, self.chunk
        counts = memref([e], "i32", SHARED)
        return complete(f"""{HEAD}tile.kernel @{self.ident()}({parameters(self, dict(COUNT=["?", e]), ("ID", "COUNT"))})
    grid(%b) = (dim(%ID, 0) ceildiv {chunk}) threads({self.threads}) {{
  %none = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %experts = arith.constant {e} : i32
  %n := %b * {chunk}
  %id = tile.alloc : {memref([chunk], "i32", FRAGMENT)}
  %count = tile.alloc : {counts}
  tile.fill %count with %zero
  tile.copy %ID[%n] to %id pad(%none : i32)
  tile.parallel (%i) in ({chunk}) {{
    %e32 := %id[%i]
    %is = arith.cmpi ult, %e32, %experts : i32
    scf.if %is {{
      %e := index(%e32)
      memref.atomic_rmw addi %one, %count[%e] : (i32, {counts}) -> i32
    }}
  }}
  tile.copy %count to %COUNT[%b, %c0] sizes [1, {e}]
}}
""")


@dataclasses.dataclass(frozen=True)
class Offsets:
    """One block. `tiles` table: TILE [tiles, 4] as tilebench.experts reads it. padded: experts begin at multiples of `rows`, and
    EXPERT [tiles] has the expert of each run of `rows` rows."""

    experts: int = 256
    rows: int = 128  # of a tile of the product
    tiles: str = "table"
    step: int = 16  # chunks at a time
    threads: int = 256
    name: str = ""

    def ident(self):
        return self.name or f"route_offsets_{self.experts}_{self.tiles}{self.rows}_t{self.threads}"

    def arguments(self):
        table = ("EXPERT", "i32", ["tiles"], "w", False) if self.tiles == "padded" else ("TILE", "i32", ["tiles", 4], "w", False)
        found = [("COUNT", "i32", ["blocks", "E"], "r", False), ("BASE", "i32", ["blocks", "E"], "w", False)]
        return found + [("OFF", "i32", ["E1"], "w", False), table, ("TOTAL", "i32", [1], "w", False)]

    def text(self):
        e, rows, padded = self.experts, self.rows, self.tiles == "padded"
        part, one = memref([self.step, e], "i32", FRAGMENT), memref([e], "i32", SHARED)
        total = f"carry(%total : {one})"
        table = "EXPERT" if padded else "TILE"
        store = ["      %at := index(%tile[%e]) + %x"]
        if padded:
            store += ["      %EXPERT[%at] := i32(%e)"]
        else:
            store += ["      %TILE[%at, 0] := i32(%e)"]
            store += [f"      %TILE[%at, 1] := %first + i32(%x) * {rows}", "      %TILE[%at, 2] := %first + %have"]
            store += ["      memref.store %zero, %TILE[%at, %c3]"]
        start = f"  tile.parallel (%e) in ({e}) {{\n    %start[%e] := %tile[%e] * {rows}\n  }}" if padded else "  " + scan("total", "start", one)
        shapes = dict(COUNT=["?", e], BASE=["?", e], TILE=["?", 4], TOTAL=[1])
        return complete(f"""{HEAD}tile.kernel @{self.ident()}({parameters(self, shapes, ("COUNT", "BASE", "TILE"))})
    grid(%b) = (1) threads({self.threads}) {{
  %zero = arith.constant 0 : i32
  %none = arith.constant -1 : i32
  %blocks = memref.dim %COUNT, %c0
  %tiles = memref.dim %{table}, %c0
  %part = tile.alloc : {part}
  %total = tile.alloc : {one}
  %count = tile.alloc : {one}
  %tile = tile.alloc : {one}
  %start = tile.alloc : {one}
  tile.fill %total with %zero
  // Of each expert, the copies in chunks before.
  scf.for %c = %c0 to %blocks step %c{self.step} {{
    tile.copy %COUNT[%c, %c0] to %part
    {scan("part", "part", part, " " + total)}
    tile.copy %part to %BASE[%c, %c0]
  }}
  tile.parallel (%e) in ({e}) {{
    %count[%e] := (%total[%e] + {rows - 1}) // {rows}
  }}
  {scan("count", "tile", one)}
{start}
  tile.parallel (%e) in ({e}) {{
    %first := %start[%e]
    %have := %total[%e]
    %OFF[%e] := %first + 0
    %last := %e == {e - 1}
    scf.if %last {{
      %OFF[%e + 1] := %first + {f"%count[%e] * {rows}" if padded else "%have"}
      %TOTAL[0] := %tile[%e] + %count[%e]
    }}
    %many := index(%count[%e])
    scf.for %x = %c0 to %many step %c1 {{
{chr(10).join(store)}
    }}
  }}
  // Tiles that nobody has.
  %used32 := %tile[{e - 1}] + %count[{e - 1}]
  %used := index(%used32)
  scf.for %s = %used to %tiles step %c{self.threads} {{
    tile.parallel (%i) in ({self.threads}) {{
      %at := %s + %i
      %in := %at < %tiles
      scf.if %in {{
        memref.store %none, %{table}[{"%at" if padded else "%at, %c0"}]
      }}
    }}
  }}
}}
""")


@dataclasses.dataclass(frozen=True)
class Place:
    """`ordered`: the rows of an expert have the order of the copies; else that of a chunk's copies is any."""

    experts: int = 256
    k: int = 8
    chunk: int = 1024
    ordered: bool = False
    weights: bool = False  # WEIGHT of a copy goes to SORTED of its row, too
    threads: int = 256
    name: str = ""

    def ident(self):
        parts = [f"route_place_{self.experts}_k{self.k}_c{self.chunk}_t{self.threads}"]
        return self.name or "_".join(parts + [n for n in ("ordered", "weights") if getattr(self, n)])

    def arguments(self):
        found = [("ID", "i32", ["copies"], "r", False), ("BASE", "i32", ["blocks", "E"], "r", False), ("OFF", "i32", ["E1"], "r", False)]
        found += [("COUNT", "i32", ["blocks", "E"], "r", False)] * self.ordered + [("WEIGHT", "f32", ["copies"], "r", False)] * self.weights
        found += [("SLOT", "i32", ["copies"], "w", False), ("ROW", "i32", ["R"], "rw", False)]
        return found + [("SORTED", "f32", ["R"], "rw", False)] * self.weights

    def text(self):
        e, chunk = self.experts, self.chunk
        ids, counts = memref([chunk], "i32", SHARED if self.ordered else FRAGMENT), memref([e], "i32", SHARED)
        lines = [f"  %n := %b * {chunk}", f"  %id = tile.alloc : {ids}", f"  %next = tile.alloc : {counts}"]
        lines += ["  tile.copy %ID[%n] to %id pad(%none : i32)", f"  tile.copy %BASE[%b, %c0] sizes [1, {e}] to %next"]
        lines += [f"  tile.parallel (%e) in ({e}) {{", "    %next[%e] := %next[%e] + %OFF[%e]", "  }"]
        write = ["      %SLOT[%c] := %at32 + 0", f"      %ROW[%at] := i32(%c // {self.k})"] + ["      %SORTED[%at] := %WEIGHT[%c]"] * self.weights
        if self.ordered:
            lines += [f"  %which = tile.alloc : {ids}", f"  %own = tile.alloc : {counts}", f"  tile.copy %COUNT[%b, %c0] sizes [1, {e}] to %own"]
            lines += ["  " + scan("own", "own", counts), f"  tile.parallel (%i) in ({chunk}) {{", "    %which[%i] := i32(%i)", "  }"]
            lines += ["  // What is no expert is the greatest.", f"  tile.sort %id, %which dim(0) {{is_unsigned}} : {ids}, {ids}"]
            c = "%n + index(%which[%i])"
            place = ["      %at32 := %next[%e] + i32(%i) - %own[%e]"]
        else:
            c, place = "%n + %i", [f"      %got = memref.atomic_rmw addi %one, %next[%e] : (i32, {counts}) -> i32", "      %at32 = arith.addi %got, %zero : i32"]
        lines += [f"  tile.parallel (%i) in ({chunk}) {{", "    %e32 := %id[%i]", f"    %c := {c}", "    %is = arith.cmpi ult, %e32, %experts : i32"]
        lines += ["    scf.if %is {", "      %e := index(%e32)", *place, "      %at := index(%at32)", *write, "    } else {"]
        lines += ["      %in := %c < %copies", "      scf.if %in {", "        memref.store %none, %SLOT[%c]", "      }", "    }", "  }"]
        shapes = dict(BASE=["?", e], COUNT=["?", e])
        return complete(f"""{HEAD}tile.kernel @{self.ident()}({parameters(self, shapes, ("ID", "BASE", "COUNT"))})
    grid(%b) = (dim(%ID, 0) ceildiv {chunk}) threads({self.threads}) {{
  %none = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %experts = arith.constant {e} : i32
  %copies = memref.dim %ID, %c0
{chr(10).join(lines)}
}}
""")


@dataclasses.dataclass(frozen=True)
class Combine:
    element: str = "bf16"
    out: str = ""  # as element
    k: int = 8
    rows: int = 4  # tokens of a block
    columns: int = 1024
    threads: int = 256
    weighted: bool = True  # else Y is multiplied already
    name: str = ""

    def ident(self):
        parts = ["combine_copies", self.element, f"k{self.k}", f"{self.rows}x{self.columns}", f"t{self.threads}"]
        return self.name or "_".join(parts + [self.out] * bool(self.out) + ["sum"] * (not self.weighted))

    def arguments(self):
        found = [("Y", self.element, ["R", "N"], "r", False), ("SLOT", "i32", ["copies"], "r", False)]
        found += [("WEIGHT", "f32", ["copies"], "r", False)] * self.weighted
        return found + [("OUT", self.out or self.element, ["T", "N"], "w", False)]

    def text(self):
        rows, columns, k = self.rows, self.columns, self.k
        tile = memref([rows, columns], "f32", FRAGMENT)
        weights = [f"  %w = tile.alloc : {memref([rows * k], 'f32', SHARED)}"] * self.weighted
        factor = f" * %w[%x * {rows} + %i]" if self.weighted else ""
        load = ["      %v := %WEIGHT[%c]", "      memref.store %v, %w[%i]"] * self.weighted
        return complete(f"""{HEAD}tile.kernel @{self.ident()}({parameters(self, {}, ("Y", "OUT"))})
    grid(%bx, %by) = (dim(%OUT, 1) ceildiv {columns}, dim(%OUT, 0) ceildiv {rows}) threads({self.threads}) {{
  %zero = arith.constant 0.0 : f32
  %none = arith.constant -1 : i32
  %copies = memref.dim %SLOT, %c0
  %N = memref.dim %OUT, %c1
  %NY = memref.dim %Y, %c1
  tile.assume %N {{divisible_by = 8 : i64}} : index
  tile.assume %NY {{divisible_by = 8 : i64}} : index
  %m := %by * {rows}
  %n := %bx * {columns}
  %slot = tile.alloc : {memref([rows * k], "i32", SHARED)}
{chr(10).join(weights)}
  %part = tile.alloc : {tile}
  %acc = tile.alloc : {tile}
  // Copy x of the block's tokens has the numbers from {rows} x on.
  tile.parallel (%i) in ({rows * k}) {{
    %c := (%m + %i % {rows}) * {k} + %i // {rows}
    %in := %c < %copies
    scf.if %in {{
      %s := %SLOT[%c]
      memref.store %s, %slot[%i]
{chr(10).join(load)}
    }} else {{
      memref.store %none, %slot[%i]
{"      memref.store %zero, %w[%i]" if self.weighted else ""}
    }}
  }}
  tile.fill %acc with %zero
  scf.for %x = %c0 to %c{k} step %c1 {{
    %first := %x * {rows}
    tile.gather %Y[%n] rows %slot[%first] to %part
    tile.parallel (%i, %j) in ({rows}, {columns}) {{
      %acc[%i, %j] := %acc[%i, %j] + %part[%i, %j]{factor}
    }}
  }}
  tile.copy %acc to %OUT[%m, %n]
}}
""")
