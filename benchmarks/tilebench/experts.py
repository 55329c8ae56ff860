# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped GEMMs of a mixture of experts as plain tile programs: a block finds its expert on the device, one launch serves all.

Y[r] = X[r] W[e] for each row r of expert e. W is [E, K, N], or [E, N, K] with `tb`. Which rows an expert has (`form`):

  contiguous  X [T, K], expert e has the rows OFF[e] to OFF[e + 1]; OFF is [E + 1] i32
  table       the same, and TILE [tiles, 4] i32 says of each tile its expert (-1: none), first row, and the row it ends before
  padded      X [T, K], each run of `rows` rows has one expert, EXPERT[run] (-1: none)
  masked      X [E, most, K], expert e has its first COUNT[e] rows

Rows behind an expert's last one, up to a whole tile, are written in the masked form (with what X has there) and in the padded one.
Any number of rows is right, none too. K and N are whole pieces of 16 bytes. Nothing in the program names an instruction.
"""

import dataclasses
import math

from .gemm import BITS, HEAD, SHORT, memref
from .notation import complete


@dataclasses.dataclass(frozen=True)
class Grouped:
    element: str = "bf16"
    out: str = ""  # the type of Y; as element, bf16 of fp8
    form: str = "contiguous"
    tb: bool = False  # W is [E, N, K]; of fp8 always
    rows: int = 128  # of a tile
    columns: int = 128
    depth: int = 64  # of a step over K
    stages: int = 4
    threads: int = 256
    panel: int = 0
    persistent: int = 0
    specialize: bool | None = None
    # Row r of the product is X[ROW[r]]. A tile also reads rows of X for the rows behind its expert, which are not stored.
    gather: bool = False
    # W has 2 N columns, those of the gate first: Y = silu(X Wg) (X Wu).
    gate: bool = False
    # Of fp8: products times SX[row of X] and SW[e, column].
    scaled: bool = False
    # Row r is multiplied by WEIGHT[r].
    weighted: bool = False
    # How rows leave. scatter: rows of other experts go to no row. staged: the same from a tile in shared memory, whole pieces
    # of 16 bytes at a time. view: through a view of Y that ends with the expert. element: each element under a condition.
    # branch: a tile of one expert's rows only as a whole, others as scatter does. add: added to OUT[TO[r]], f32, atomically,
    # where TO[r] is not negative.
    store: str = "scatter"
    # In the table form the blocks that are launched, `blocks`, go over the first TOTAL[0] tiles in a loop of the program.
    # Elsewhere there is a block for each tile that there may be, and those that nobody has end at once.
    loop: bool = False
    name: str = ""

    def ident(self):
        if self.name:
            return self.name
        parts = ["grouped", SHORT.get(self.element, self.element), self.form, "nt" if self.tb else "nn"]
        parts += [f"{self.rows}x{self.columns}x{self.depth}", f"s{self.stages}", f"t{self.threads}"]
        parts += [f"p{self.panel}"] * bool(self.panel) + [f"P{self.persistent}"] * bool(self.persistent)
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        parts += [self.out] * bool(self.out) + [self.store] * (self.store != "scatter")
        return "_".join(parts + [n for n in ("gather", "gate", "scaled", "weighted", "loop") if getattr(self, n)])

    @property
    def result(self):
        return "f32" if self.store == "add" else self.out or ("bf16" if BITS[self.element] == 8 else self.element)

    @property
    def whole(self):
        """Tiles hold rows of one expert only, or rows that nobody reads."""
        return self.form in ("padded", "masked")

    def check(self):
        if BITS[self.element] == 8 and not self.tb:
            raise ValueError("fp8: expected tb, wgmma reads bytes along K only")
        if self.form not in ("contiguous", "table", "padded", "masked"):
            raise ValueError(f"form: expected contiguous, table, padded or masked, got '{self.form}'")
        if self.loop and self.form != "table":
            raise ValueError("loop: expected the table form")
        if self.form == "masked" and (self.gather or self.weighted or self.scaled or self.store == "add"):
            raise ValueError("masked: expected no gather, weights, scales or store=add")
        if self.store == "add" and self.out:
            raise ValueError("add: expected no `out`, sums are f32")

    def arguments(self):
        """Name, element type, shape, access, padded rows; scalars have no shape."""
        masked = self.form == "masked"
        found = [("X", self.element, ["E", "most", "K"] if masked else ["T", "K"], "r", False)]
        found += [("W", self.element, ["E", "N", "K"] if self.tb else ["E", "K", "N"], "r", False)]
        table = {"contiguous": ("OFF", ["E1"]), "table": ("TILE", ["tiles", 4]), "padded": ("EXPERT", ["tiles"]), "masked": ("COUNT", ["E"])}
        name, shape = table[self.form]
        found += [(name, "i32", shape, "r", False)]
        found += [("TOTAL", "i32", [1], "r", False)] * self.loop
        found += [("ROW", "i32", ["R"], "r", False)] * self.gather
        found += [("SX", "f32", ["T"], "r", False), ("SW", "f32", ["E", "N"], "r", False)] * self.scaled
        found += [("WEIGHT", "f32", ["R"], "r", False)] * self.weighted
        if self.store == "add":
            found += [("TO", "i32", ["R"], "r", False), ("OUT", "f32", ["tokens", "N"], "rw", False)]
        else:
            found += [("Y", self.result, ["E", "most", "N"] if masked else ["R", "N"], "w", False)]
        return found + [("blocks", "i32", None, "r", False)] * self.loop

    def types(self):
        """The type of each argument, as text."""
        found = {}
        for name, kind, shape, *_ in self.arguments():
            found[name] = kind if shape is None else memref([d if isinstance(d, int) else "?" for d in shape], kind)
        return found

    def text(self):
        self.check()
        return grouped_text(self)


def parameters(p):
    aligned = {"X", "W", "Y", "OUT", "TILE", "SW"}
    return ", ".join(f"%{n}: {t}" + " {tile.alignment = 16}" * (n in aligned) for n, t in p.types().items())


def promises(p):
    """Rows of matrices are whole pieces of 16 bytes; the launcher checks it. Defines %K, %N and the columns of a product %NY."""
    rank = 3 if p.form == "masked" else 2
    target = "OUT" if p.store == "add" else "Y"
    lines = [f"  %K = memref.dim %X, %c{rank - 1}", f"  %N = memref.dim %W, %c{1 if p.tb else 2}", f"  %NY = memref.dim %{target}, %c{rank - 1}"]
    lines += ["  %KW = memref.dim %W, %c2"] * p.tb + ["  %NS = memref.dim %SW, %c1"] * p.scaled
    pieces = {"%K": 128 // BITS[p.element], "%N": 128 // BITS[p.element], "%KW": 128 // BITS[p.element], "%NY": 128 // BITS[p.result], "%NS": 4}
    names = ["%K", "%KW" if p.tb else "%N", "%NY", *(["%NS"] * p.scaled)]
    return lines + [f"  tile.assume {n} {{divisible_by = {pieces[n]} : i64}} : index" for n in names]


def search(p):
    """Defines %e, %m, %end and %some of tile %t: expert, first row, row to end before, and whether there is such a tile."""
    if p.form == "padded":
        return ["  %e32 := %EXPERT[%t]", f"  %m := %t * {p.rows}", f"  %end := %m + {p.rows}", "  %e := index(%e32)", "  %some := %e32 >= 0"]
    if p.form == "table":
        lines = ["  %e32 := %TILE[%t, 0]", "  %e := index(%e32)", "  %m := index(%TILE[%t, 1])", "  %end := index(%TILE[%t, 2])"]
        return lines + ["  %some := %e32 >= 0"]
    if p.form == "masked":
        return [f"  %m := %t * {p.rows}", "  %end := index(%COUNT[%e])", "  %some := %m < %end"]
    return f"""  %E1 = memref.dim %OFF, %c0
  %E := %E1 - 1
  // Which expert has tile t, and from which row on: experts take ceil(rows / {p.rows}) tiles each.
  %ef, %mf, %endf, %tiles = scf.for %x = %c0 to %E step %c1 iter_args(%ex = %E, %mx = %c0, %endx = %c0, %passed = %c0) -> (index, index, index, index) {{
    %before = arith.addi %passed, %c0 : index
    %a := index(%OFF[%x])
    %b := index(%OFF[%x + 1])
    %after := %before + (%b - %a + {p.rows - 1}) // {p.rows}
    %ge := %t >= %before
    %lt := %t < %after
    %mine := %ge & %lt
    %first := %a + (%t - %before) * {p.rows}
    %e2 = arith.select %mine, %x, %ex : index
    %m2 = arith.select %mine, %first, %mx : index
    %end2 = arith.select %mine, %b, %endx : index
    scf.yield %e2, %m2, %end2, %after : index, index, index, index
  }}
  %e = arith.addi %ef, %c0 : index
  %m = arith.addi %mf, %c0 : index
  %end = arith.addi %endf, %c0 : index
  %some := %e < %E""".splitlines()


def product(p, body):
    """Tiles, the loop over K, and what `body` makes of the accumulators; for tile (%m, %n) of expert %e."""
    t, shared, fragment = p.element, "#shared", "#tile.fragment"
    xs, acc = memref([p.rows, p.depth], t, shared), memref([p.rows, p.columns], "f32", fragment)
    ws = memref([p.columns, p.depth] if p.tb else [p.depth, p.columns], t, shared)
    lines = [f"  %Xs = tile.alloc : {xs}", f"  %Ws = tile.alloc : {ws}", f"  %acc = tile.alloc : {acc}"]
    if p.gate:
        lines += [f"  %Us = tile.alloc : {ws}", f"  %up = tile.alloc : {acc}", "  %nu := %n + %NY"]
    lines += ["  tile.fill %acc with %zero"] + ["  tile.fill %up with %zero"] * p.gate
    lines += [f"  tile.pipelined %k = %c0 to %K step %c{p.depth} stages({p.stages}) {{"]
    if p.gather:
        lines += ["    tile.gather %X[%k] rows %ROW[%m] to %Xs"]
    elif p.form == "masked":
        lines += [f"    tile.copy %X[%e, %m, %k] sizes [1, {p.rows}, {p.depth}] to %Xs"]
    else:
        lines += ["    tile.copy %X[%m, %k] to %Xs"]
    region = lambda n: f"%W[%e, {n}, %k] sizes [1, {p.columns}, {p.depth}]" if p.tb else f"%W[%e, %k, {n}] sizes [1, {p.depth}, {p.columns}]"
    transposed = " {transpose_b}" * p.tb
    lines += [f"    tile.copy {region('%n')} to %Ws"] + [f"    tile.copy {region('%nu')} to %Us"] * p.gate
    lines += [f"    tile.gemm %Xs, %Ws, %acc{transposed}"] + [f"    tile.gemm %Xs, %Us, %up{transposed}"] * p.gate + ["  }"]
    return lines + body


def epilogue(p):
    """Scales, the gate and weights, on the accumulators."""
    fragment, lines, body = "#tile.fragment", [], []
    if not (p.scaled or p.gate or p.weighted):
        return []
    row, column = memref([p.rows], "f32", fragment), memref([p.columns], "f32", fragment)
    if p.scaled:
        lines += [f"  %sx = tile.alloc : {row}", f"  %sw = tile.alloc : {column}", f"  tile.copy %SW[%e, %n] sizes [1, {p.columns}] to %sw"]
        lines += [f"  %su = tile.alloc : {column}", f"  tile.copy %SW[%e, %nu] sizes [1, {p.columns}] to %su"] * p.gate
        if p.gather:
            lines += ["  %last = memref.dim %ROW, %c0", f"  tile.parallel (%i) in ({p.rows}) {{", "    %sx[%i] := %SX[index(%ROW[min(%m + %i, %last - 1)])]", "  }"]
        else:
            lines += ["  tile.copy %SX[%m] to %sx"]
    if p.weighted:
        lines += [f"  %weight = tile.alloc : {row}", "  tile.copy %WEIGHT[%m] to %weight"]
    g, u = "%acc[%i, %j]", "%up[%i, %j]"
    if p.scaled:
        g, u = f"{g} * (%sx[%i] * %sw[%j])", f"{u} * (%sx[%i] * %su[%j])"
    y = "%g"
    body += [f"    %g := {g}"]
    if p.gate:
        body += [f"    %u := {u}", f"    %y := %g / (exp2(%g * {-math.log2(math.e)!r}) + 1.0) * %u"]
        y = "%y"
    body += [f"    %acc[%i, %j] := {y}" + " * %weight[%i]" * p.weighted]
    return [*lines, f"  tile.parallel (%i, %j) in ({p.rows}, {p.columns}) {{", *body, "  }"]


def leave(p):
    """Stores the accumulator: rows from %m on, below %end."""
    if p.form == "masked":
        return [f"  tile.copy %acc to %Y[%e, %m, %n] sizes [1, {p.rows}, {p.columns}]"]
    if p.store == "add":
        lines = [f"  %target = tile.alloc : {memref([p.rows], 'i32', '#tile.fragment')}", "  // Rows from the expert's end on belong to no token."]
        lines += [f"  tile.parallel (%i) in ({p.rows}) {{", "    %at := %m + %i", "    %below := %at < %end", "    %to = scf.if %below -> (i32) {"]
        lines += ["      %token := %TO[%at]", "      scf.yield %token : i32", "    } else {", "      scf.yield %nobody : i32", "    }"]
        lines += ["    memref.store %to, %target[%i]", "  }", f"  tile.parallel (%i, %j) in ({p.rows}, {p.columns}) {{", "    %to := %target[%i]"]
        lines += ["    %c := %n + %j", "    %real := %to >= 0", "    %inside := %c < %NY", "    %in := %real & %inside", "    scf.if %in {", "      %token := index(%to)"]
        lines += ["      %v = memref.load %acc[%i, %j]", f"      memref.atomic_rmw addf %v, %OUT[%token, %c] : (f32, {p.types()['OUT']}) -> f32", "    }", "  }"]
        return lines
    if p.whole:
        return ["  tile.copy %acc to %Y[%m, %n]"]
    if p.store == "element":
        return [f"  tile.parallel (%i, %j) in ({p.rows}, {p.columns}) {{", "    %at := %m + %i", "    %c := %n + %j", "    %below := %at < %end", "    %inside := %c < %NY",
                "    %in := %inside & %below", "    scf.if %in {", f"      %Y[%at, %c] := {p.result}(%acc[%i, %j])", "    }", "  }"]  # fmt: skip
    if p.store == "branch":
        lines = indented(leave_rows(p, "Y"))
        return [f"  %full := %m + {p.rows} <= %end", "  scf.if %full {", "    tile.copy %acc to %Y[%m, %n]", "  } else {", *lines, "  }"]
    return leave_rows(p, "Y")


def leave_rows(p, matrix):
    """The rows of an expert from %m on, below %end, of the accumulator to a matrix with %NY columns."""
    if p.store == "view":
        view = f"memref<?x?x{p.result}, strided<[?, 1], offset: ?>>"
        lines = ["  // A view that ends with the expert: what the tile has behind it is dropped.", "  %left := %end - %m"]
        lines += [f"  %mine = memref.subview %{matrix}[%m, 0] [%left, %NY] [1, 1] : memref<?x?x{p.result}> to {view}"]
        return lines + ["  tile.copy %acc to %mine[%c0, %n]"]
    lines = [f"  %to = tile.alloc : {memref([p.rows], 'i32', '#shared')}", "  // Rows from the expert's end on are another's: they go nowhere."]
    lines += [f"  tile.parallel (%i) in ({p.rows}) {{", "    %at := %m + %i", "    %to[%i] := i32(%at) if %at < %end else -1", "  }"]
    if p.store == "staged":
        lines += [f"  %Ys = tile.alloc : {memref([p.rows, p.columns], p.result, '#shared')}", "  tile.copy %acc to %Ys"]
        return [*lines, f"  tile.scatter %Ys to %{matrix}[%n] rows %to[%c0]"]
    return [*lines, f"  tile.scatter %acc to %{matrix}[%n] rows %to[%c0]"]


def indented(lines, by=1):
    return ["  " * by + line for line in lines]


def attributes(p):
    found = [f"panel = {p.panel} : i64"] * bool(p.panel) + [f"persistent = {p.persistent} : i64"] * bool(p.persistent)
    found += [] if p.specialize is None else [f"specialize = {str(p.specialize).lower()}"]
    return f" attributes {{{', '.join(found)}}}" if found else ""


def grouped_text(p):
    target, rank = ("OUT" if p.store == "add" else "Y"), 3 if p.form == "masked" else 2
    columns = f"dim(%{target}, {rank - 1}) ceildiv {p.columns}"
    rows = {
        "contiguous": f"dim(%{'ROW' if p.gather else 'X'}, 0) ceildiv {p.rows} + dim(%OFF, 0)",
        "table": "dim(%TILE, 0)",
        "padded": "dim(%EXPERT, 0)",
        "masked": f"dim(%X, 1) ceildiv {p.rows}, dim(%COUNT, 0)",
    }[p.form]
    names = "%bx, %t" + ", %e" * (p.form == "masked")
    inner = [*search(p), "  scf.if %some {", f"    %n := %bx * {p.columns}"]
    inner += indented(product(p, epilogue(p) + leave(p))) + ["  }"]
    if p.loop:
        # Columns of a tile of rows first: blocks that run together share the rows of X.
        before = [f"  %across := (%NY + {p.columns - 1}) // {p.columns}", "  %rowtiles := index(%TOTAL[0])", "  %all := %across * %rowtiles"]
        before += ["  %every := index(%blocks)", "  scf.for %w = %block to %all step %every {", "    %t := %w // %across", "    %bx := %w % %across"]
        inner, names, grid = [*before, *indented(inner), "  }"], "%block", "%blocks"
    else:
        grid = f"{columns}, {rows}"
    lines = [*promises(p), *inner]
    return complete(f"""{HEAD}tile.kernel @{p.ident()}({parameters(p)})
    grid({names}) = ({grid}) threads({p.threads}){attributes(p)} {{
  %zero = arith.constant 0.0 : f32
{"  %nobody = arith.constant -1 : i32" + chr(10) if p.store == "add" else ""}{chr(10).join(lines)}
}}
""")
