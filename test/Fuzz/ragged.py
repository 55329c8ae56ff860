# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that start anywhere, in runs of 16 bytes of lanes next to each other: what is loaded and stored in aligned pieces.

Matrices have any pitch, tiles any extents, and the fragment's layout is stated: a run of 16 bytes a register, 1 to 32 lanes in a
row, the others in other rows, further on in the row, or with the same elements.
"""

from elements import ELEMENTS
from moves import Copy, Region

import steps

STORED = {"f16": 6, "bf16": 3, "i8": 3, "f8E4M3FN": 2, "i16": 2, "f32": 4, "i32": 2, "f8E5M2": 1}
RUN_BITS = 128


def layout_of(g, shape, element):
    """Runs of 16 bytes of an element, dealt to lanes, warps and registers; empty where a thread would hold too many."""
    run, last = RUN_BITS // ELEMENTS[element].bits, len(shape) - 1
    lanes = g.pick(1, 2, 4, 8, 16, 32)
    reach = run * lanes  # elements of a row that lanes next to each other have
    registers, lane, warp = [(run, last, 1)], [(lanes, last, run)], []
    rows = 1
    other = 32 // lanes
    if other > 1:
        kind = g.pick("rows", "row", "same") if last else g.pick("row", "same")
        if kind == "rows":
            lane.append((other, 0, 1))
            rows = other
        elif kind == "row":
            lane.append((other, last, reach))
            reach *= other
        else:
            lane.insert(g.rng.randrange(2), (other, None, 0))
    warps = g.program.threads // 32
    if warps > 1:
        kind = g.pick("rows", "row", "row", "same") if last else g.pick("row", "row", "same")
        if kind == "rows":
            warp, rows = [(warps, 0, rows)], rows * warps
        elif kind == "row":
            warp, reach = [(warps, last, reach)], reach * warps
        else:
            warp = [(warps, None, 0)]
    registers.append((-(-shape[last] // reach), last, reach))
    if last:
        registers.append((-(-shape[0] // rows), 0, rows))
    count = 1
    for extent, _, _ in registers:
        count *= extent
    if count > 128:
        return ""
    return f"#tile.fragment_layout<shape {shape} reg {axis(registers)} lane {axis(lane)} warp {axis(warp)}>"


def axis(digits):
    return "[" + ", ".join(f"({extent}, {dim}:{stride})" if dim is not None else f"({extent}, *)" for extent, dim, stride in digits) + "]"


def moved(g):
    """A tile of the matrix, stored with its runs; through shared memory, or converted on its way, sometimes."""
    stored = g.weighted(STORED)
    element = stored if g.chance(0.6) else g.weighted({"f32": 3, "f16": 1} if ELEMENTS[stored].kind == "float" else {"i32": 1})
    shape = g.pick([g.rows, g.columns], [g.rows, g.columns], [g.columns], [1, 520], [3, 260], [1000], [16, 64], [7, 96])
    stated = layout_of(g, shape, stored)
    if not stated:
        return
    tile = g.tile(shape, element, "fragment", bound=3, layout=False)
    tile.layout = stated
    g.load(into=tile)
    if g.chance(0.3):
        g.parallel(tile)
    if g.chance(0.2):
        shared = g.tile(shape, element, "shared", bound=tile.bound)
        g.put(Copy(Region(tile), Region(shared)))
        tile = g.written(shared)
        g.tag("ragged_shared")
    buffer, offsets, sizes = steps.target(g, tile, element=stored)
    g.put(Copy(Region(tile), Region(buffer, offsets, sizes, g.chance(0.5)), None, [f"layout = {stated}"] if tile.space == "shared" and shape[0] > 1 else []))
    g.tag(f"ragged_{stored}")


def program(g):
    for _ in range(g.rng.randrange(1, 4)):
        moved(g)
        if g.chance(0.2):
            steps.step(g)
    steps.store(g, g.load())
