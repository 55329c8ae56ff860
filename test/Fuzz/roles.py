# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roles by hand: warps that fill rings, and warps that read them (`tile.warp_specialize`)."""

import numpy as np

import loops
import steps
from elements import ELEMENTS
from expressions import Binary, Dim, Load, Var, const, mul
from moves import Copy, Region
from products import Gemm
from program import Buffer
from statements import Alloc, Loop


class Ring:
    """`tile.ring.create` at the top of the kernel; the buffers of its slots are views, tiles of other names."""

    def __init__(self, name, stages, producer, views):
        self.name, self.views = name, views
        slots = ", ".join(view.type for view in views)
        self.type = f"!tile.ring<{stages} x [{slots}], {producer} -> threads>"
        self.layouts = ", ".join(
            f"#tile.shared_layout<shape {v.shape} bits {ELEMENTS[v.element].bits} modes [({v.shape[1]}, 1:1), ({v.shape[0]}, 0:{v.shape[1]})]>"
            for v in views)

    def emit(self, out):
        out.line(f"%{self.name} = tile.ring.create layouts([{self.layouts}]) : {self.type}")

    def run(self, env):
        pass


class RingStep:
    """acquire, commit, wait or release of a use. What is committed is kept by use until it is waited for."""

    def __init__(self, ring, word, use, views=()):
        self.ring, self.word, self.use, self.views = ring, word, use, views

    def emit(self, out):
        names = ", ".join(f"%{view.name}" for view in self.views)
        out.line((f"{names} = " if names and self.word != "commit" else "") +
                 f"tile.ring.{self.word} %{self.ring.name}[{self.use.emit(out)}] : {self.ring.type}")

    def run(self, env):
        key = (self.ring.name, int(self.use.value(env)))
        if self.word == "acquire":
            for view in self.views:
                env.tiles[view.name] = np.full(view.shape, np.nan)
        elif self.word == "commit":
            env.slots[key] = [env.tiles[view.name].copy() for view in self.views]
        elif self.word == "wait":
            for view, values in zip(self.views, env.slots.pop(key)):
                env.tiles[view.name] = values


class WarpSpecialize:
    def __init__(self, parts):
        self.parts = parts  # (name, warps, statements), producers first

    def emit(self, out):
        out.line("tile.warp_specialize")
        for name, warps, body in self.parts:
            with out.region(f'role "{name}" warps({warps}) {{'):
                for statement in body:
                    statement.emit(out)

    def run(self, env):
        env.slots = {}
        for _, _, body in self.parts:
            for statement in body:
                statement.run(env)


def by_hand(g):
    """One or two roles that bring tiles, one that computes with them: sums of tiles, or a product."""
    program = g.program
    program.runs = program.runs[:1]
    warps = [g.pick(1, 2, 4) for _ in range(g.pick(1, 1, 2))]
    uses = g.pick(4, 4, 8) if program.threads > 128 else 4
    start = 0
    for index, count in enumerate(warps):  # a role of four warps starts at a multiple of four
        if count == 4 and start % 4:
            warps[index] = count = 2 if start % 2 == 0 else 1
        start += count
    gap = -start % 4
    program.threads = 32 * (start + gap + uses)
    product = g.chance(0.4)
    m, n = (g.pick(16, 32, 64), g.pick(16, 32, 64)) if product else (g.rows, g.columns)
    k = g.pick(16, 32)
    element = g.pick("f16", "bf16") if product else g.pick("f32", "f16", "i32", "f64", "bf16")
    upper, _, name = loops.trips(g)
    if upper is None:
        upper, name = const(3), g.size("T", [3])
    stages = g.pick(1, 2, 3, 4)
    shapes = [[m, k], [k, n]] if product else [[m, n]] * len(warps)
    if product and len(warps) == 1:
        groups = [shapes]
    else:
        groups = [[shape] for shape in shapes[: len(warps)]] if not product else [[shapes[0]], [shapes[1]]]
    rings, fills, reads = [], [], []
    var = Var(g.name("u"), bound=16)
    for group in groups:
        # An aligned matrix may come by cp.async or TMA; what a role's threads store may lie anywhere.
        aligned = all(shape[1] * ELEMENTS[element].bits % 128 == 0 for shape in group) and g.chance(0.6)
        kind = g.pick("cp_async_mbarrier", "tma") if aligned else "threads_mbarrier"
        if kind == "tma":
            program.archs = ("sm_90a", "sm_100a")
        written = [Buffer(g.name("w"), shape, element, "shared", 3) for shape in group]
        read = [Buffer(g.name("r"), shape, element, "shared", 3) for shape in group]
        ring = Ring(g.name("ring"), stages, kind, written)
        fill = [RingStep(ring, "acquire", var, written)]
        for view in written:
            source = g.argument([name, *(2 * e if aligned else e + g.pick(0, 0, 1, 5, e) for e in view.shape)], element, plain=True)
            if aligned:
                source.attributes = "tile.alignment = 16 : i64"
                source.open = tuple(d for d in source.open if d != 2)
                source.shape = [*source.shape[:2], 2 * view.shape[1]]
            if kind == "tma":  # a tensor that is known to be empty has no tensor map
                source.open = tuple(sorted({0, *source.open}))
            fill.append(Copy(Region(source, [var, mul(g.by, view.shape[0]), mul(g.bx, view.shape[1])], [1, *view.shape], True), Region(view)))
        fill.append(RingStep(ring, "commit", var, written))
        rings.append(ring)
        fills.append(fill)
        reads.append(read)
    g.promises = [p for p in g.promises if not (isinstance(p.value, Dim) and p.value.dim == 2)]
    body = []
    with g.scope(body, False):
        total = Buffer(g.name("f"), [m, n], "f32" if product else element, "fragment", 4096)
        g.put(Alloc(total))
        g.filled(total, 0)
        inner = [RingStep(ring, "wait", var, read) for ring, read in zip(rings, reads)]
        views = [view for read in reads for view in read]
        with g.scope(inner, False):
            if product:
                g.put(Gemm(*views, total))
            else:
                for view in views:
                    g.parallel(total, lambda v, view=view: _sum(total, view, v))
        inner += [RingStep(ring, "release", var) for ring in rings]
        g.put(Loop(var.name, const(0), upper, const(1), None, inner))
        buffer, offsets, sizes = steps.target(g, total, element=total.element)
        g.put(Copy(Region(total), Region(buffer, offsets, sizes, True)))
    parts = [(f"load{i}", count, []) for i, count in enumerate(warps)]
    for i, fill in enumerate(fills):
        parts[i % len(parts)][2].append(Loop(var.name, const(0), upper, const(1), None, fill))
    if gap:
        parts.append(("idle", gap, []))
    parts.append(("use", uses, body))
    g.pool = []
    g.tag("roles", *(ring.type.split("], ")[1].split(" ")[0] for ring in rings))
    g.put(*rings, WarpSpecialize(parts))


def _sum(total, view, indices):
    found = Binary("add", Load(total, indices, bound=2000), Load(view, indices))
    found.bound = 4096
    return found
