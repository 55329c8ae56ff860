# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warps by hand (`tile.on_warps`): parts of a loop that wait for each other at mbarriers."""

import loops
import steps
from expressions import Binary, Load, Var, add, const, mul
from moves import Copy, Region
from products import Gemm, sliced
from program import Buffer
from statements import Alloc, Loop


class Mbarriers:
    """`tile.mbarrier.create` at the top of the kernel. In order of the program nobody has to wait."""

    def __init__(self, name, count, arrivals):
        self.name, self.arrivals = name, arrivals
        self.type = f"!tile.mbarrier<{count}>"

    def emit(self, out):
        out.line(f"%{self.name} = tile.mbarrier.create arrivals [{self.arrivals}] : {self.type}")

    def run(self, env):
        pass


class Arrive:
    def __init__(self, barriers, index):
        self.barriers, self.index = barriers, index

    def emit(self, out):
        out.line(f"tile.mbarrier.arrive %{self.barriers.name}[{self.index.emit(out)}] : {self.barriers.type}")

    def run(self, env):
        pass


class Wait(Arrive):
    def __init__(self, barriers, index, parity):
        super().__init__(barriers, index)
        self.parity = parity

    def emit(self, out):
        place = f"%{self.barriers.name}[{self.index.emit(out)}] parity {self.parity.emit(out)}"
        out.line(f"tile.mbarrier.wait {place} : {self.barriers.type}")


class SlotGemm:
    """The product of one slot of two tiles of slots."""

    def __init__(self, names, slot, a, b, c):
        self.names, self.slot, self.a, self.b, self.c = names, slot, a, b, c

    def emit(self, out):
        sides = [sliced(out, name, tile, self.slot.emit(out)) for name, tile in zip(self.names, (self.a, self.b))]
        Gemm(*sides, self.c).emit(out)

    def run(self, env):
        slot = int(self.slot.value(env))
        Gemm(self.a, self.b, self.c).multiply(env.array(self.a)[slot], env.array(self.b)[slot], env.array(self.c))


class OnWarps:
    def __init__(self, first, count, body):
        self.first, self.count, self.body = first, count, body

    def emit(self, out):
        with out.region(f"tile.on_warps {self.first} count {self.count} {{"):
            for statement in self.body:
                statement.emit(out)

    def run(self, env):
        for statement in self.body:
            statement.run(env)


def by_barriers(g):
    """One range of warps brings tiles, one or two compute with them; each slot has a barrier for either way."""
    program = g.program
    program.runs = program.runs[:1]
    copies = g.pick(1, 2, 4)
    users = g.pick(1, 1, 2)
    count = g.pick(4, 4, 2)
    first = 4 if copies == 4 or count == 4 else 2  # four warps start at a multiple of four
    program.threads = 32 * (first + users * count)
    product = g.chance(0.4) and count == 4
    m, n = (g.pick(16, 32, 64), g.pick(16, 32, 64)) if product else (g.rows, g.columns)
    k = g.pick(16, 32)
    element = g.pick("f16", "bf16") if product else g.pick("f32", "f16", "i32", "f64", "bf16")
    upper, _, name = loops.trips(g)
    if upper is None:
        upper, name = const(3), g.size("T", [3])
    slots = g.pick(1, 1, 2, 3)
    var = Var(g.name("u"), bound=16)
    slot = Binary("remu", var, const(slots)) if slots > 1 else const(0)
    use = Binary("divu", var, const(slots)) if slots > 1 else var
    full = Mbarriers(g.name("full"), slots, 32 * copies)
    free = Mbarriers(g.name("free"), slots, 32 * count * users)
    g.put(full, free)
    fill, tiles = [Wait(free, slot, add(use, 1))], []
    completes = (full, slot) if g.chance(0.6) else None
    for shape in [[m, k], [k, n]] if product else [[m, n]]:
        stacked = slots > 1
        tile = Buffer(g.name("s"), [slots, *shape] if stacked else shape, element, "shared", 3)
        g.put(Alloc(tile))
        source = g.argument([name, *(e + g.pick(0, 0, 1, 8) for e in shape)], element, plain=True)
        region = Region(tile, [slot, const(0), const(0)], [1, *shape], True) if stacked else Region(tile)
        fill.append(Copy(Region(source, [var, mul(g.by, shape[0]), mul(g.bx, shape[1])], [1, *shape], True), region, completes=completes))
        tiles.append(tile)
    fill.append(Arrive(full, slot))
    parts, ends = [OnWarps(0, copies, fill)], []
    for user in range(users):
        begin = first + user * count
        total = Buffer(g.name("f"), [m, n], "f32" if product else element, "fragment", 4096)
        g.put(Alloc(total))
        start = []
        with g.scope(start, False):
            g.filled(total, 0)
        g.put(OnWarps(begin, count, start))
        body = [Wait(full, slot, use)]
        with g.scope(body, False):
            if product and slots > 1:
                g.put(SlotGemm([g.name("a"), g.name("b")], slot, *tiles, total))
            elif product:
                g.put(Gemm(*tiles, total))
            else:
                g.parallel(total, lambda v, total=total: _sum(total, tiles[0], [slot] if slots > 1 else [], v))
        body.append(Arrive(free, slot))
        parts.append(OnWarps(begin, count, body))
        end = []
        with g.scope(end, False):
            buffer, offsets, sizes = steps.target(g, total, element=total.element)
            g.put(Copy(Region(total), Region(buffer, offsets, sizes, True)))
        ends.append(OnWarps(begin, count, end))
    if g.chance(0.2):
        g.rng.shuffle(ends)
    stages = g.pick(None, 1, 2, 2, 3)  # slots for what the loop waits for
    g.put(Loop(var.name, const(0), upper, const(1), stages, parts), *ends)
    g.pool = []
    g.tag("parts", f"{slots}_slots", f"{users}_users", *(["product"] if product else []))


def _sum(total, tile, slot, indices):
    found = Binary("add", Load(total, indices, bound=2000), Load(tile, [*slot, *indices]))
    found.bound = 4096
    return found
