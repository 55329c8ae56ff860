# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the families of programs share: arguments, tiles, loads, expressions over tiles.

A program grows statement by statement. `pool` holds the tiles that are written at this place;
every tile keeps to a bound, so that whatever reads it stays exact.
"""

import contextlib
import random

import expressions as ex
import layouts
from elements import ELEMENTS, largest
from expressions import Binary, Const, Load, Var, add, const, mul
from moves import Copy, Fill, Region
from program import Buffer, Program
from statements import Alloc, Assume, Parallel, Store

THREADS = [32, 64, 96, 128, 128, 128, 128, 160, 256, 256, 256, 384, 512]
EDGES = [8, 16, 16, 32, 32, 32, 64, 64, 64, 128, 24, 48, 96, 5, 17, 33, 40]
# Programs of the seeds from here on have tiles of more elements than a thread has registers, over few threads.
FIRST_WIDE = 1_000_000_000
# Seeds from here on multiply a sparse A (sparse.py).
FIRST_SPARSE = 2_000_000_000
# And of those from here on rows that are walked piece by piece.
FIRST_WALKS = 3_000_000_000
# And from here on rows that are sorted, selected from and combined by regions.
FIRST_ORDERS = 4_000_000_000
# Seeds from here on are of results that leave within a loop (leaving.py).
FIRST_LEAVING = 5_000_000_000
# Seeds from here on are of indices with quotients and remainders (codes.py).
FIRST_CODES = 6_000_000_000
# Seeds from here on are of loops that gather rows by hand (named.py).
FIRST_NAMED = 7_000_000_000
# Seeds from here on are of elements that loops use again (again.py).
FIRST_AGAIN = 8_000_000_000
# Seeds from here on are of values that groups of elements share (groups.py).
FIRST_GROUPS = 9_000_000_000
# Seeds from here on are of programs that copy ahead by themselves (ahead.py).
FIRST_AHEAD = 10_000_000_000
# Seeds from here on are of elements that several iterations of a loop name (common.py).
FIRST_COMMON = 11_000_000_000
# Seeds from here on store where no block of the grid begins: before the first element, or counted from the last one.
FIRST_SHIFTED = 12_000_000_000
# Seeds from here on are of products whose loop the blocks of a cluster share, and of what follows it.
FIRST_SPLIT = 13_000_000_000
# Seeds from here on are of the same, with blocks that share the tiles beyond whole rounds (`stream_k`).
FIRST_STREAM = 14_000_000_000
# Seeds from here on are of loops whose tiles several copies fill (pieces.py).
FIRST_PIECES = 15_000_000_000
# Seeds from here on are of fragments in two layouts whose warps hold the same elements (lanes.py).
FIRST_LANES = 16_000_000_000
# Seeds from here on are of blocks of a cluster that gather what each of them has (gathers.py).
FIRST_GATHERS = 17_000_000_000
# Seeds from here on are of rows that start anywhere, in runs of 16 bytes of lanes next to each other (ragged.py).
FIRST_RAGGED = 18_000_000_000
# Seeds from here on are of elements that several iterations update by sums of indices, by indices from memory or twice (sums.py).
FIRST_SUMS = 19_000_000_000
GATHERING = [(2, 1), (4, 1), (8, 1), (1, 2), (1, 4), (2, 2), (4, 2), (3, 1), (1, 3), (1, 1)]  # their clusters
WIDE = [(96, 96), (128, 96), (64, 160), (40, 264), (17, 512), (128, 160), (5, 1800), (1000, 9)]
WEIGHTS = {"f32": 30, "f16": 20, "bf16": 10, "i32": 10, "i8": 8, "f64": 4, "f8E4M3FN": 4, "f8E5M2": 3, "f4E2M1FN": 3, "i4": 3,
           "i16": 3, "i64": 2, "i1": 1}
OUT_WEIGHTS = {"f32": 8, "f16": 5, "bf16": 3, "i32": 4, "f64": 1, "i64": 1}


class Generator:
    def __init__(self, seed, attempt):
        self.rng = random.Random(f"{seed}.{attempt}")
        self.program = Program(seed)
        self.count = 0
        self.pool = []
        self.allocations, self.promises = [], []
        self.loops = []  # the loops around this place: variables
        self.extent_of = {}  # the extent of what a loop brings, by its variable's name
        self.body, self.depth = [], 0
        self.setup()

    # -- choices

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, *choices):
        return self.rng.choice(choices)

    def weighted(self, weights):
        names = list(weights)
        return self.rng.choices(names, [weights[n] for n in names])[0]

    def tag(self, *words):
        self.program.tags += words

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def element(self):
        return self.weighted(WEIGHTS)

    # -- the frame of a program

    def setup(self):
        rng, program = self.rng, self.program
        program.threads = rng.choice(THREADS)
        is_wide = FIRST_WIDE <= program.seed < FIRST_SPARSE
        if is_wide:
            program.threads = 32
        while True:
            self.rows, self.columns = rng.choice(WIDE) if is_wide else (rng.choice(EDGES), rng.choice(EDGES))
            if is_wide:
                break
            if self.rows * self.columns <= 64 * 128 and self.rows * self.columns <= 80 * program.threads:
                break
        runs = 2 if self.chance(0.2) else 1
        x, y = rng.choice(GATHERING) if FIRST_GATHERS <= program.seed < FIRST_RAGGED else (0, 0)
        for _ in range(runs):
            program.runs.append({name: self.extent(edge, blocks) for name, edge, blocks in (("M", self.rows, y), ("N", self.columns, x))})
        self.by, self.bx = Var("by", bound=64), Var("bx", bound=64)
        self.batch = None
        if self.chance(0.2):
            self.batch = Var("bz", bound=8)
            for run in program.runs:
                run["B"] = rng.randint(1, 3)
        base = ["B", "M", "N"] if self.batch else ["M", "N"]
        self.base = self.argument(base, self.element())
        more = int(self.chance(0.15) and not x)
        d = len(base)
        program.grid = [self.blocks(d - 1, "N", self.columns, 0), self.blocks(d - 2, "M", self.rows, more)]
        if x:
            program.cluster = (x, y, 1) if self.batch else (x, y)
        if self.batch:
            text = f"dim(%{self.base.name}, 0)" if 0 in self.base.open else str(program.runs[0]["B"])
            program.grid.append((text, lambda run: run["B"]))

    def extent(self, edge, blocks=0):
        """The extent of a matrix of tiles `edge` wide; `blocks`: of which a multiple covers it."""
        if blocks:
            return edge * blocks * self.pick(1, 1, 2) - (self.rng.randrange(edge) if self.chance(0.4) else 0)
        found = edge * self.rng.choice([1, 1, 1, 2, 2, 3] if edge <= 64 else [1, 1, 2])
        if self.chance(0.35):
            found -= self.rng.randrange(edge)
        elif self.chance(0.15):
            found += 16 - found % 16
        return max(1, found)

    def blocks(self, dim, name, edge, more):
        if dim in self.base.open:
            text = f"dim(%{self.base.name}, {dim}) ceildiv {edge}" + (" + 1" if more else "")
        else:
            text = str(-(-self.program.runs[0][name] // edge) + more)
        return text, lambda run: -(-run[name] // edge) + more

    def grid(self, d):
        """An extent of the grid, as the name of a run's number."""
        name = ("GX", "GY", "GZ")[d]
        for run in self.program.runs:
            run[name] = self.program.grid[d][1](run)
        return name

    def size(self, prefix, numbers):
        """A name for an extent, with a number for each run."""
        name = self.name(prefix)
        for run in self.program.runs:
            run[name] = self.rng.choice(numbers)
        return name

    # -- arguments and tiles

    def argument(self, shape, element, out=False, plain=False, kind="smallint"):
        """An argument: which extents its type leaves open, how it lies in memory, what it promises."""
        rng, runs = self.rng, self.program.runs
        shape, opened, promised = list(shape), [], self.chance(0.55)
        for d, extent in enumerate(shape):
            named = isinstance(extent, str)
            if (named and len({run[extent] for run in runs}) > 1) or self.chance(0.7 if named else 0.3):
                opened.append(d)
            elif named:
                shape[d] = runs[0][extent]
        buffer = Buffer(self.name("O" if out else "A"), shape, element, "global", open=tuple(opened))
        last = len(shape) - 1
        width = max(1, 128 // ELEMENTS[element].bits)
        if not plain and len(shape) > 1 and self.chance(0.2):
            memory = self.pick("pad", "pad", "columns", "step")
            if memory == "step" and ELEMENTS[element].bits < 8:
                memory = "pad"
            number = rng.choice([0, width, 2 * width] if promised else [0, 1, 3, 5, width]) if memory != "step" else rng.choice([2, 3])
            buffer.memory = f"{memory} {number}"
            one = last - 1 if memory == "columns" else last
            buffer.strides = tuple(1 if d == one and memory != "step" else None for d in range(len(shape)))
            if memory != "pad":
                promised = promised and memory == "columns"
            self.tag(f"strided_{memory}")
            buffer.open = tuple(range(len(shape)))  # strides that are stated for open ones only
        if promised and self.chance(0.9):
            buffer.attributes = "tile.alignment = 16 : i64"
            extents = [run[shape[last]] if isinstance(shape[last], str) else shape[last] for run in runs]
            if last in buffer.open and all(e % width == 0 for e in extents):
                self.promises.append(Assume(ex.Dim(buffer, last), width))
        buffer.fill = kind if ":" in kind or kind in ("zeros", "ones", "iota") else f"{kind}:{rng.randrange(1000)}"
        self.program.arguments.append(buffer)
        if out:
            self.program.outputs.append(buffer.name)
        return buffer

    def scalar(self, numbers, element="i32"):
        name = self.name("n" if element == "index" else "s")
        self.program.scalars.append((name, element))
        for run in self.program.runs:
            run[name] = self.rng.choice(numbers)
        return Var(name, element, bound=max(abs(n) for n in numbers))

    def tile(self, shape, element, space=None, bound=None, layout=True):
        """A new tile, whose contents are undefined so far."""
        space = space or self.pick("shared", "fragment")
        buffer = Buffer(self.name(space[0]), list(shape), element, space, bound)
        if layout and self.chance(0.06):
            self.state_layout(buffer)
        statement = Alloc(buffer)
        (self.body if self.depth == 0 and self.chance(0.1) else self.allocations).append(statement)
        return buffer

    def state_layout(self, buffer):
        """A layout that the program states; layouts.py has them."""
        buffer.layout = layouts.choose(self.rng, buffer, self.program.threads)
        if buffer.layout:
            self.tag(f"layout_{buffer.space}")

    def put(self, *statements):
        self.body += statements

    @contextlib.contextmanager
    def scope(self, body, may_be_empty):
        """What follows goes to `body`; tiles first written there are known behind it only where it runs for sure."""
        outer, pool = self.body, list(self.pool)
        self.body, self.depth = body, self.depth + 1
        yield
        self.body, self.depth = outer, self.depth - 1
        if may_be_empty:
            self.pool = pool

    def written(self, buffer):
        if buffer not in self.pool:
            self.pool.append(buffer)
        return buffer

    def tiles(self, shape=None, **wanted):
        """Tiles of the pool."""
        return [t for t in self.pool if (shape is None or t.shape == list(shape)) and all(getattr(t, k) == v for k, v in wanted.items())]

    # -- loads

    def offset(self, block, edge, extent=None):
        """The first row or column of a region: a block's own, or somewhere else."""
        kind = self.weighted({"block": 60, "shifted": 14, "zero": 8, "constant": 6, "outside": 2, "negative": 3, "scalar": 4, "loop": 3})
        own = mul(block, edge)
        if kind == "shifted":
            self.tag("shifted")
            return add(own, self.rng.choice([-9, -5, -4, -3, -2, -1, 1, 2, 3, 4, 7, 8, 16]))
        if kind == "zero":
            return const(0)
        if kind == "constant":
            return const(self.rng.randrange(0, 40))
        if kind == "outside":
            self.tag("outside")
            return const(self.pick(4000, 1 << 20, -(1 << 20)))
        if kind == "negative":
            self.tag("negative")
            return const(-self.rng.randrange(1, edge + 9))
        if kind == "scalar":
            self.tag("scalar_offset")
            return add(own, ex.cast(self.scalar([-4, -3, -1, 0, 1, 2, 4, 8]), "index"))
        if kind == "loop" and self.loops:
            self.tag("loop_offset")
            return add(own, self.rng.choice(self.loops))
        return own

    def load(self, shape=None, element=None, space=None, into=None, lead=None, source=None):
        """A tile of a matrix; `lead` is the index of the matrix in a stack of them."""
        shape = list(into.shape if into else shape or (self.rows, self.columns))
        element = into.element if into else element or self.element()
        if source is None:
            stored = element
            if self.chance(0.12) and element not in ("i1",):
                stored = self.weighted(OUT_WEIGHTS)
                self.tag("converted_load")
            extents = self.matrix(shape)
            source = self.argument(([lead[1]] if lead else []) + extents, stored)
        target = into or self.tile(shape, element, space, bound=3 if element != "i1" else 1)
        edges = [1] * (source.rank - len(shape)) + shape
        offsets = [lead[0]] if lead else []
        if len(shape) == 3:
            self.tag("rank_3")
            offsets.append(const(self.pick(0, 0, 1, -1, 2)))
        blocks = (self.by, self.bx) if len(shape) >= 2 else (self.pick(self.by, self.bx),)
        offsets += [self.offset(block, edge) for block, edge in zip(blocks, shape[-2:])]
        pad = None
        if self.chance(0.12) and element != "i1":
            pad = self.pick(1, 2, -1, 3)
            self.tag("pad")
        words = []
        if self.chance(0.06):
            words.append("disable_tma")
        if self.chance(0.05):
            words.append(f"coalesced_width = {self.pick(1, 2, 4)} : i64")
        self.put(Copy(Region(source, offsets, edges, says=self.chance(0.4)), Region(target), pad, words))
        return self.written(target)

    def matrix(self, shape):
        """Extents of a matrix whose tiles have this shape."""
        if len(shape) == 1:
            return [self.pick("M" if shape[0] == self.rows else "N", self.size("L", [shape[0], 2 * shape[0], shape[0] + 3]))]
        if len(shape) == 3:
            return [self.size("L", [shape[0], shape[0] + 1, 2]), *self.matrix(shape[1:])]
        names = []
        for name, edge, own in (("M", shape[0], self.rows), ("N", shape[1], self.columns)):
            names.append(name if edge == own and self.chance(0.9) else self.size("L", [edge, 2 * edge, max(1, edge - 3), 3 * edge]))
        return names

    # -- expressions over tiles

    def leaf(self, indices, shape, element):
        """A number of type `element` for each iteration."""
        rng = self.rng
        found = []
        for tile in self.pool:
            if tile.space == "local":
                continue
            if tile.shape == list(shape):
                found += [(tile, list(indices))] * 5
                last = shape[-1] - 1
                turned = list(indices[:-1]) + [ex.Apply(f"{last} - d0", lambda v, last=last: last - v, indices[-1])]
                shift = rng.randrange(shape[-1])
                rolled = list(indices[:-1]) + [Binary("remu", add(indices[-1], shift), const(shape[-1]))]
                found += [(tile, turned), (tile, rolled)]
            elif len(shape) == 2 and tile.rank == 2 and tile.shape == list(reversed(shape)):
                found += [(tile, list(reversed(indices)))]
            elif len(shape) == 2 and tile.rank == 1 and tile.shape[0] in shape:
                found += [(tile, [indices[list(shape).index(tile.shape[0])]])] * 3
            elif tile.rank == 2 and len(shape) == 1 and shape[0] == tile.shape[0]:
                found += [(tile, [indices[0], Binary("remu", indices[0], const(tile.shape[1]))])]
        if found and self.chance(0.8):
            tile, where = rng.choice(found)
            if where != list(indices):
                self.tag(f"permuted_{tile.space}")
            return self.fit(Load(tile, where), element)
        if self.chance(0.6) or not found:
            value = add(mul(indices[0], rng.randrange(1, 4)), mul(indices[-1], rng.choice([1, 1, -1, 2])))
            value = Binary("sub", Binary("and", value, const(7)), const(3))
            value.bound = 4
            return self.fit(ex.cast(value, "i32"), element)
        return Const(rng.randrange(-3, 4) if ELEMENTS[element].bits > 1 else 1, element)

    def fit(self, value, element):
        """`value` as `element`, cut off where that does not hold it."""
        bound = largest(element)
        if value.bound > bound:
            value = ex.clamp(ex.cast(value, ELEMENTS[value.element].arithmetic), bound)
        return ex.cast(value, element)

    def expression(self, indices, shape, element, depth=2):
        """Of the type that expressions of `element` are computed in."""
        element, rng = ELEMENTS[element].arithmetic, self.rng
        if depth == 0 or self.chance(0.15):
            return self.leaf(indices, shape, element)
        a, b = (self.expression(indices, shape, element, depth - 1) for _ in range(2))
        kind = rng.choice(["add", "sub", "mul", "max", "min", "maxnum", "minnum", "select", "if", "unary", "fma"])
        if kind == "mul" and a.bound * b.bound > largest(element) or kind in ("add", "sub") and a.bound + b.bound > largest(element):
            kind = "max"
        if kind == "fma" and (ELEMENTS[element].kind != "float" or a.bound * b.bound + 4 > largest(element)):
            kind = "min"
        if kind in ("select", "if"):
            condition = ex.Compare(rng.choice(list(ex.PREDICATES)), a, self.leaf(indices, shape, element))
            return ex.Select(condition, a, b, lazy=kind == "if")
        if kind == "unary":
            return ex.Unary("abs" if ELEMENTS[element].kind == "int" or self.chance(0.5) else "neg", a)
        if kind == "fma":
            return ex.Fma(a, b, Const(rng.randrange(-3, 4), element))
        return Binary(kind, a, b)

    def stored(self, value, tile):
        """The value as `tile` holds it."""
        if tile.element == "i1":
            return ex.Compare("gt", value, Const(0, value.element))
        value = ex.clamp(value, min(tile.bound, largest(tile.element)))
        return ex.cast(value, tile.element)

    def loop_variables(self, rank):
        return [Var(self.name("i"), bound=512) for _ in range(rank)]

    def parallel(self, tile, value=None, depth=2, condition=None):
        """tile[...] = an expression over the pool. In place where the tile is in the pool."""
        variables = self.loop_variables(tile.rank)
        if value is None:
            old = tile in self.pool
            if old:  # only its own element may be read
                self.pool.remove(tile)
            expr = self.expression(variables, tile.shape, tile.element, depth)
            if old:
                self.pool.append(tile)
                mine = self.fit(Load(tile, variables), expr.element)
                kind = self.pick("add", "sub", "max", "min")
                if kind in ("add", "sub") and mine.bound + expr.bound > largest(expr.element):
                    kind = "max"
                expr = Binary(kind, mine, expr)
        else:
            expr = value(variables)
        words = f"coalesced_width = {self.pick(1, 2, 4)} : i64" if self.chance(0.05) else ""
        guard = condition(variables) if condition else None
        self.put(Parallel([v.name for v in variables], tile.shape, [Store(self.stored(expr, tile), tile, variables, guard)], words))
        return self.written(tile)

    def computed(self, shape=None, element=None, space=None, depth=2):
        """A new tile of an expression."""
        element = element or self.element()
        bound = min(largest(element), self.pick(4, 8, 100, 4000))
        return self.parallel(self.tile(shape or (self.rows, self.columns), element, space, bound), depth=depth)

    def filled(self, tile, number=0):
        self.put(Fill(Region(tile), number))
        return self.written(tile)

    def finish(self):
        self.program.body = self.promises + self.allocations + self.body
        return self.program
