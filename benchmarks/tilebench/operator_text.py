# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the tile programs of operators.py: kernels, tiles, walks along rows, and the bodies of parallel loops.

`Program` holds the lines of one kernel. Its geometry (`tiles`, `whole_rows`, `pieces`, ...) says what a block owns:
%m is the first row, %n the first column of the tile that statements speak of. `Body` holds a `tile.parallel`.
"""

import contextlib
import dataclasses

HEAD = "#shared = #gpu.address_space<workgroup>\n"


@dataclasses.dataclass(frozen=True)
class Tile:
    name: str
    type: str
    element: str
    index: str  # how an iteration names its element: "ij", "ji", "i", "j", "ijk", "ig"


class Program:
    def __init__(self, operator):
        self.o = operator
        self.lines, self.depth, self.values, self.tiles_made = [], 1, 0, 0
        self.constants, self.grid, self.cluster = {}, "", ""
        self.types = {name: self._argument_type(element, shape) for name, element, shape, *_ in operator.arguments()}
        self.elements = {name: element for name, element, *_ in operator.arguments()}
        self.rank, self.batch, self.stages = 2, "", 0

    # --- what a block owns

    def tiles(self):
        rows, cols = self.o.rows, self.o.cols
        first = self.o.arguments()[-1 if self.o.kind != "dropout" else 1][0]
        if self.o.kind == "scale":
            first = "Y"
        rows_dim = f"dim(%{first}, {1 if self.o.kind == 'transpose' else 0})"
        self.grid = f"(%bx, %by) = ({self.o.columns} ceildiv {cols}, {rows_dim} ceildiv {rows})"
        self.shape = (rows, cols)
        self.line(f"%m = arith.muli %by, {self.index(rows)} : index")
        self.line(f"%n = arith.muli %bx, {self.index(cols)} : index")
        if self.o.kind == "swiglu":
            self.line(f"%n_up = arith.addi %n, {self.index(self.o.columns)} : index")
        if self.o.kind == "transpose":
            self.line(f"%long = memref.dim %Y, {self.index(1)} : {self.types['Y']}")
            self.line("tile.assume %long {divisible_by = 8 : i64} : index")
        if self.o.kind == "dropout":
            one = self.value("arith.constant 1.0 : f32")
            left = self.value(f"arith.subf {one}, %p : f32")
            self.line(f"%scale = arith.divf {one}, {left} : f32")

    def whole_rows(self):
        self._rows_of(self.o.arguments()[0][0])
        self.line("%n = arith.constant 0 : index")
        self.shape = (self.o.rows, self.o.columns)

    def shared_rows(self):
        """Blocks of a cluster each own a part of a row, in whole groups of eight columns."""
        blocks = self.o.cluster
        part = -(-self.o.columns // (8 * blocks)) * 8
        self.grid, self.cluster = f"(%bx, %m) = ({blocks}, dim(%X, 0))", f" cluster({blocks}, 1)"
        self.line(f"%n = arith.muli %bx, {self.index(part)} : index")
        self.shape = (1, part)

    def pieces(self, matrix="X", rows=None):
        self._rows_of(rows or matrix)
        self.shape, self.step = (self.o.rows, self.o.cols), ("%n", f"{self.o.columns}", self.o.cols)

    def pieces_of_batch(self):
        """As `pieces`, of the matrix of an element of the batch: %h, of which there are as many as heads."""
        self.grid = f"(%by, %h) = (dim(%y, 1) ceildiv {self.o.rows}, {self.o.columns // 128})"
        self.line(f"%m = arith.muli %by, {self.index(self.o.rows)} : index")
        self.batch = "%h, "
        self.shape, self.step = (self.o.rows, self.o.cols), ("%n", f"{self.o.columns}", self.o.cols)

    def columns_walk(self):
        self.grid = f"(%bx) = ({self.o.columns} ceildiv {self.o.cols})"
        self.line(f"%n = arith.muli %bx, {self.index(self.o.cols)} : index")
        self.line(f"%count = memref.dim %X, {self.index(0)} : {self.types['X']}")
        self.shape, self.step = (self.o.rows, self.o.cols), ("%m", "%count", self.o.rows)

    def heads(self):
        heads = self.o.columns // 128
        self.grid = f"(%bx, %m) = ({heads} ceildiv {self.o.rows}, dim(%X, 0))"
        self.line(f"%h = arith.muli %bx, {self.index(self.o.rows)} : index")
        self.index(0), self.index(64)
        self.shape = (self.o.rows, 64)

    def rows_of_head(self):
        self.grid = f"(%h, %by) = ({self.o.columns // 128}, dim(%X, 0) ceildiv {self.o.rows})"
        self.line(f"%m = arith.muli %by, {self.index(self.o.rows)} : index")
        self.line("%n = arith.constant 0 : index")
        self.shape = (self.o.rows, 128)

    def pixels(self):
        """%m is the first row of the result, %n its first pixel of 128 channels."""
        pixels = self.o.cols // 128
        self.grid = f"(%bx, %by) = ({self.o.columns // 128} ceildiv {pixels}, dim(%Y, 0) ceildiv {self.o.rows})"
        self.line(f"%m = arith.muli %by, {self.index(self.o.rows)} : index")
        self.line(f"%n = arith.muli %bx, {self.index(pixels)} : index")
        self.shape, self.width, self.rank = (self.o.rows, self.o.cols), 128, 3

    def lines_of_64(self):
        """Lines of 64 elements, 64 of them a tile. In the form "pieces" a block walks the tiles of its rows, of which three are loaded ahead."""
        lines = self.o.rows * self.o.columns // 64
        first = "%first" if self.o.form == "pieces" else "%m"
        self.grid = f"(%by) = (dim(%X, 0) ceildiv {lines})"
        self.line(f"{first} = arith.muli %by, {self.index(lines)} : index")
        self.index(0)
        self.shape, self.step, self.stages = (64, 64), ("%at", str(lines), 64), 3

    def groups(self, width):
        self.grid = f"(%bx, %by) = ({self.o.columns} ceildiv {self.o.cols}, dim(%X, 0) ceildiv {self.o.rows})"
        self.line(f"%m = arith.muli %by, {self.index(self.o.rows)} : index")
        self.line(f"%n = arith.muli %bx, {self.index(self.o.cols)} : index")
        self.line(f"%g = arith.divui %n, {self.index(width)} : index")
        self.shape, self.width, self.rank = (self.o.rows, self.o.cols), width, 3

    def _rows_of(self, name):
        if self.o.rows == 1:
            self.grid = f"(%m) = (dim(%{name}, 0))"
        else:
            self.grid = f"(%by) = (dim(%{name}, 0) ceildiv {self.o.rows})"
            self.line(f"%m = arith.muli %by, {self.index(self.o.rows)} : index")

    # --- tiles and what moves them

    def tile(self, name, element="f32", shape=None, index="ij", space="#tile.fragment"):
        shape = shape or self.shape
        kind = f"memref<{'x'.join(map(str, shape))}x{element}, {space}>"
        self.tiles_made += 1
        name = f"%{name}_{self.tiles_made}"
        self.line(f"{name} = tile.alloc : {kind}")
        return Tile(name, kind, element, index)

    def rows_tile(self, name, element="f32"):
        return self.tile(name, element, self.shape[:1], "i")

    def vector_tile(self, name, element="f32"):
        return self.tile(name, element, self.shape[1:], "j")

    def transposed_tile(self, element):
        return self.tile("turned", element, self.shape[::-1], "ij")

    def group_values(self):
        return self.tile("scales", "f32", (self.shape[0], self.shape[1] // self.width), "ig")

    def load(self, name, column="%n", element="f32"):
        if self.o.kind == "transpose" and self.o.form == "whole":
            tile = self.tile(name.lower(), element, space="#shared")
        else:
            tile = self.tile(name.lower(), element)
        self.copy_in(name, tile, column)
        if self.rank == 3:
            shape = (self.shape[0], self.shape[1] // self.width, self.width)
            kind = f"memref<{'x'.join(map(str, shape))}x{element}, #tile.fragment>"
            self.line(f"{tile.name}_groups = tile.view {tile.name} : {tile.type} to {kind}")
            return Tile(tile.name + "_groups", kind, element, "ijk")
        return tile

    def copy_in(self, name, tile, column="%n", pad=None):
        padding = ""
        if pad is not None:
            number = self.value(f"arith.constant {pad} : {tile.element}")
            padding = f" pad({number} : {tile.element})"
        where = f"[{self.batch}%m, {column}]"
        if self.o.kind == "rope":
            where = f"[%m, %h, {column}] sizes [1, {self.shape[0]}, 64]"
        self.line(f"tile.copy %{name}{where} to {tile.name}{padding} : {self.types[name]} to {tile.type}")

    def copy_vector_in(self, name, tile):
        self.line(f"tile.copy %{name}[{self.batch}%n] to {tile.name} : {self.types[name]} to {tile.type}")

    def load_vector(self, name, row=False):
        tile = self.vector_tile(name.lower())
        if row:
            self.line(f"tile.copy %{name}[%m, {self.index(0)}] to {tile.name} : {self.types[name]} to {tile.type}")
        else:
            self.copy_vector_in(name, tile)
        return tile

    def copy_rows_in(self, name, tile):
        self.line(f"tile.copy %{name}[%m] to {tile.name} : {self.types[name]} to {tile.type}")

    def load_rows(self, name, element="f32"):
        tile = self.rows_tile(name.lower(), element)
        self.copy_rows_in(name, tile)
        return tile

    def load_shared(self, name, above):
        rows, cols = self.shape
        tile = self.tile(name.lower(), "f16", (rows + above, cols), "ij", "#shared")
        start = self.value(f"arith.subi %m, {self.index(above)} : index")
        self.line(f"tile.copy %{name}[{start}, %n] to {tile.name} : {self.types[name]} to {tile.type}")
        return tile

    def load_taps(self, name):
        tile = self.tile(name.lower(), "f16", (self.shape[1], 4), "j", "#shared")
        self.line(f"tile.copy %{name}[%n, {self.index(0)}] to {tile.name} : {self.types[name]} to {tile.type}")
        return tile

    def copy_out(self, tile, name, where="[%m, %n]"):
        self.line(f"tile.copy {tile.name} to %{name}{where} : {tile.type} to {self.types[name]}")

    def store(self, tile, name, column="%n", swapped=False):
        if self.rank == 3:
            base = tile.name.removesuffix("_groups")
            tile = Tile(base, f"memref<{self.shape[0]}x{self.shape[1]}x{tile.element}, #tile.fragment>", tile.element, "ij")
        if self.o.kind == "rope":
            self.copy_out(tile, name, f"[%m, %h, {column}] sizes [1, {self.shape[0]}, 64]")
        else:
            self.copy_out(tile, name, "[%n, %m]" if swapped else "[%m, %n]")
        return self

    def store_rows(self, tile, name):
        self.copy_out(tile, name, f"[{self.batch}%m]")
        return self

    def store_vector(self, tile, name):
        self.copy_out(tile, name, "[%n]")
        return self

    def store_groups(self, tile, name):
        self.copy_out(tile, name, "[%m, %g]")
        return self

    def reduce(self, kind, source, target, dim=1):
        self.line(f"tile.reduce {kind} {source.name} to {target.name} dim({dim}) : {source.type} to {target.type}")

    def gather(self, tile):
        """What each block of the cluster has of `tile`, along a dimension in front."""
        shape = [self.o.cluster, *self.shape[:1]]
        all_blocks = self.tile("blocks", tile.element, shape, "ij")
        self.line(f"tile.cluster_gather {tile.name} to {all_blocks.name} : {tile.type} to {all_blocks.type}")
        return all_blocks

    def gemm(self, a, b, c):
        self.line(f"tile.gemm {a.name}, {b.name}, {c.name} {{clear}} : {a.type}, {b.type}, {c.type}")

    def fill(self, tile, value):
        number = self.value(f"arith.constant {value} : {tile.element}")
        self.line(f"tile.fill {tile.name} with {number} : {tile.type}, {tile.element}")

    @contextlib.contextmanager
    def walk(self):
        variable, end, step = self.step
        end = end if end.startswith("%") else self.index(int(end))
        kind, stages = ("tile.pipelined", f" stages({self.stages})") if self.stages else ("scf.for", "")
        self.line(f"{kind} {variable} = {self.index(0)} to {end} step {self.index(step)}{stages} {{")
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    @contextlib.contextmanager
    def each(self, swapped=False):
        shape = self.shape[::-1] if swapped else self.shape
        if self.rank == 3:
            shape = (self.shape[0], self.shape[1] // self.width, self.width)
        with self._parallel(shape) as body:
            yield body

    @contextlib.contextmanager
    def each_row(self):
        shape = (self.shape[0], self.shape[1] // self.width) if self.rank == 3 else self.shape[:1]
        with self._parallel(shape) as body:
            yield body

    @contextlib.contextmanager
    def each_block(self):
        """%i is a block of the cluster, %j a row."""
        with self._parallel((self.o.cluster, *self.shape[:1])) as body:
            yield body

    @contextlib.contextmanager
    def _parallel(self, shape):
        names = ["%i", "%j", "%k"][: len(shape)]
        self.line(f"tile.parallel ({', '.join(names)}) in ({', '.join(map(str, shape))}) {{")
        self.depth += 1
        yield Body(self)
        self.depth -= 1
        self.line("}")

    # --- text

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, text):
        self.values += 1
        name = f"%v{self.values}"
        self.line(f"{name} = {text}")
        return name

    def index(self, number):
        self.constants[number] = f"%c{number}"
        return self.constants[number]

    def _argument_type(self, element, shape):
        if shape is None:
            return element
        n = self.o.columns
        extents = {"R": "?", "V": "?", "N": n, "2N": 2 * n, "G": n // 128, "H": n // 128, "L": "?"}
        return f"memref<{''.join(f'{extents.get(s, s)}x' for s in shape)}{element}>"

    def finish(self):
        arguments = []
        for name, element, shape, *_ in self.o.arguments():
            aligned = " {tile.alignment = 16}" if shape else ""
            arguments.append(f"%{name}: {self.types[name]}{aligned}")
        constants = [f"  {name} = arith.constant {number} : index" for number, name in sorted(self.constants.items())]
        head = f"tile.kernel @{self.o.kind}({', '.join(arguments)})\n    grid{self.grid} threads({self.o.threads}){self.cluster} {{"
        return HEAD + "\n".join([head] + constants + self.lines + ["}"]) + "\n"


class Body:
    """The statements of one iteration; every value is a float (f32) unless its method says so."""

    def __init__(self, program):
        self.p = program

    def place(self, tile, swapped=False):
        names = {"ij": ["%i", "%j"], "i": ["%i"], "j": ["%j"], "ijk": ["%i", "%j", "%k"], "ig": ["%i", "%j"]}[tile.index]
        return ", ".join(reversed(names) if swapped else names)

    def get(self, tile, swapped=False, wide=True):
        found = self.p.value(f"memref.load {tile.name}[{self.place(tile, swapped)}] : {tile.type}")
        if wide and tile.element == "f16":
            return self.p.value(f"arith.extf {found} : f16 to f32")
        return found

    def get_row(self, tile):
        """Of a tile of rows, where %j is the row."""
        return self.p.value(f"memref.load {tile.name}[%j] : {tile.type}")

    def put(self, value, tile, narrow=True):
        if narrow and tile.element == "f16":
            value = self.p.value(f"arith.truncf {value} : f32 to f16")
        self.p.line(f"memref.store {value}, {tile.name}[{self.place(tile)}] : {tile.type}")

    def get_at(self, tile, above):
        row = "%i" if not above else self.p.value(f"arith.addi %i, {self.p.index(above)} : index")
        found = self.p.value(f"memref.load {tile.name}[{row}, %j] : {tile.type}")
        return self.p.value(f"arith.extf {found} : f16 to f32")

    def get_tap(self, tile, tap):
        found = self.p.value(f"memref.load {tile.name}[%j, {self.p.index(tap)}] : {tile.type}")
        return self.p.value(f"arith.extf {found} : f16 to f32")

    def const(self, text, kind="f32"):
        return self.p.value(f"arith.constant {text if kind != 'f32' or '.' in text or 'e' in text else text + '.0'} : {kind}")

    def binary(self, name, a, b, flags=""):
        return self.p.value(f"{name} {a}, {b}{flags} : f32")

    def add(self, a, b):
        return self.binary("arith.addf", a, b, " fastmath<contract>")

    def sub(self, a, b):
        return self.binary("arith.subf", a, b, " fastmath<contract>")

    def mul(self, a, b):
        return self.binary("arith.mulf", a, b, " fastmath<contract>")

    def div(self, a, b):
        return self.binary("arith.divf", a, b, " fastmath<afn>")

    def max(self, a, b):
        return self.binary("arith.maximumf", a, b)

    def fma(self, a, b, c):
        return self.p.value(f"math.fma {a}, {b}, {c} : f32")

    def unary(self, name, a):
        return self.p.value(f"{name} {a} fastmath<afn> : f32")

    def exp2(self, a):
        return self.unary("math.exp2", a)

    def silu(self, a):
        e = self.exp2(self.mul(a, self.const("-1.44269504")))
        return self.div(a, self.add(e, self.const("1.0")))

    def clamp(self, a, bound):
        low = self.binary("arith.maximumf", a, self.const(f"-{bound}"))
        return self.binary("arith.minimumf", low, self.const(f"{bound}"))

    def cmpf(self, how, a, b):
        return self.p.value(f"arith.cmpf {how}, {a}, {b} : f32")

    def cmpi(self, how, a, b):
        return self.p.value(f"arith.cmpi {how}, {a}, {b} : i32")

    def select(self, condition, a, b, kind="f32"):
        return self.p.value(f"arith.select {condition}, {a}, {b} : {kind}")

    def column(self):
        """The number of the column, i32."""
        at = self.p.value("arith.addi %n, %j : index")
        return self.p.value(f"arith.index_cast {at} : index to i32")

    def row(self):
        return self.p.value("arith.addi %m, %i : index")

    def row_of(self, name):
        """The row, or the last one that an argument has: its element may be read where nothing will store a result."""
        if self.p.o.rows == 1:
            return self.row()
        count = self.p.value(f"memref.dim %{name}, {self.p.index(0)} : {self.p.types[name]}")
        last = self.p.value(f"arith.subi {count}, {self.p.index(1)} : index")
        return self.p.value(f"arith.minui {self.row()}, {last} : index")

    def index_from(self, name):
        found = self.p.value(f"memref.load %{name}[{self.row_of(name)}] : {self.p.types[name]}")
        return self.p.value(f"arith.index_cast {found} : i32 to index")

    def element_of(self, name, column):
        found = self.p.value(f"memref.load %{name}[{self.row_of(name)}, {column}] : {self.p.types[name]}")
        return self.p.value(f"arith.extf {found} : f16 to f32")

    def random(self, seed):
        """32 random bits by Philox 4x32 with 7 rounds, as in examples/gallery/dropout.mlir."""
        p = self.p
        row = p.value(f"arith.muli {self.row()}, {p.index(p.o.columns)} : index")
        column = p.value("arith.addi %n, %j : index")
        at = p.value(f"arith.addi {row}, {column} : index")
        quad = p.value(f"arith.divui {at}, {p.index(4)} : index")
        word = p.value(f"arith.remui {at}, {p.index(4)} : index")
        zero = self.const("0", "i32")
        a, b, c, d, k0, k1 = p.value(f"arith.index_cast {quad} : index to i32"), zero, zero, zero, seed, zero
        for _ in range(7):
            (lo0, hi0), (lo1, hi1) = self._long(0xD2511F53, a), self._long(0xCD9E8D57, c)
            a = self.xor(self.xor(hi1, b), k0)
            c = self.xor(self.xor(hi0, d), k1)
            b, d = lo1, lo0
            k0 = p.value(f"arith.addi {k0}, {self.const(str(0x9E3779B9), 'i32')} : i32")
            k1 = p.value(f"arith.addi {k1}, {self.const(str(0xBB67AE85), 'i32')} : i32")
        found = d
        for number, which in ((2, c), (1, b), (0, a)):
            same = p.value(f"arith.cmpi eq, {word}, {p.index(number)} : index")
            found = self.select(same, which, found, "i32")
        return found

    def _long(self, factor, a):
        p = self.p
        constant = self.const(str(factor), "i32")
        p.values += 2
        low, high = f"%v{p.values - 1}", f"%v{p.values}"
        p.line(f"{low}, {high} = arith.mului_extended {constant}, {a} : i32")
        return low, high

    def bitand(self, a, b):
        return self.p.value(f"arith.andi {a}, {b} : i32")

    def xor(self, a, b):
        return self.p.value(f"arith.xori {a}, {b} : i32")

    def unit(self, bits):
        """Random bits as a number of [0, 1)."""
        short = self.p.value(f"arith.shrui {bits}, {self.const('8', 'i32')} : i32")
        number = self.p.value(f"arith.uitofp {short} : i32 to f32")
        return self.mul(number, self.const("5.9604644775390625e-08"))
