# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments in two layouts whose warps hold the same elements: what the lanes of a warp exchange by shuffles.

Each bit of an element's place belongs to the warp's number, the same in both layouts, or to the lane's or the register's, as it
comes. Lanes may hold the same elements, extents may be no powers of two.
"""

from moves import Copy, Region
from products import ConvertLayout
from statements import Parallel, Store

import expressions as ex
import steps

SHAPES = [[32], [64], [96], [256], [7, 9], [8, 8], [16, 16], [32, 8], [8, 64], [64, 16], [24, 32], [5, 17], [16, 96], [48, 40], [2, 3, 32], [4, 8, 8]]
ELEMENTS = {"f8E4M3FN": 4, "f8E5M2": 2, "i8": 3, "f16": 3, "bf16": 2, "i16": 1, "f32": 3, "i32": 2, "f64": 1, "i64": 1, "i1": 1, "i4": 1}
MOST_REGISTERS = 64


def digits_of(shape):
    """(extent, dimension, stride): powers of two, an odd factor, or bits that reach beyond the last element."""
    found = []
    for dim, extent in enumerate(shape):
        stride = 1
        while extent % 2 == 0:
            found.append((2, dim, stride))
            extent, stride = extent // 2, 2 * stride
        if extent == 3 or extent > 1 and stride > 1:
            found.append((extent, dim, stride))
        else:
            while stride < extent:
                found.append((2, dim, stride))
                stride *= 2
    return found


def axis(digits):
    return "[" + ", ".join(f"({extent}, {dim}:{stride})" if dim is not None else f"({extent}, *)" for extent, dim, stride in digits) + "]"


def warps_of(g, digits, count):
    """The digits of the warp's number, taken out of `digits`."""
    found = []
    while count > 1:
        if count % 2:
            found.append((count, None, 0))
            break
        bits = [d for d in digits if d[0] == 2]
        if bits and g.chance(0.7):
            found.append(g.rng.choice(bits))
            digits.remove(found[-1])
        else:
            found.append((2, None, 0))
        count //= 2
    return found


def layout_of(g, shape, digits, warps):
    """One way to deal the digits to lanes and registers; none where a thread would hold too many elements."""
    digits = g.rng.sample(digits, len(digits))
    lanes = []
    for digit in [d for d in digits if d[0] == 2]:
        if len(lanes) < 5 and g.chance(0.75):
            lanes.append(digit)
            digits.remove(digit)
    while len(lanes) < 5:
        lanes.insert(g.rng.randrange(len(lanes) + 1), (2, None, 0))
    registers = 1
    for extent, _, _ in digits:
        registers *= extent
    if registers > MOST_REGISTERS:
        return ""
    return f"#tile.fragment_layout<shape {shape} reg {axis(digits)} lane {axis(lanes)} warp {axis(warps)}>"


def two_layouts(g, shape):
    for _ in range(100):
        digits = digits_of(shape)
        warps = warps_of(g, digits, g.program.threads // 32)
        first, second = (layout_of(g, shape, digits, warps) for _ in range(2))
        if first and second:
            return first, second
    return None


def exchanged(g):
    shape, element = list(g.rng.choice(SHAPES)), g.weighted(ELEMENTS)
    layouts = two_layouts(g, shape)
    if not layouts:
        return
    one, other = (g.tile(shape, element, "fragment", bound=3 if element != "i1" else 1, layout=False) for _ in range(2))
    one.layout, other.layout = layouts
    g.load(into=one)
    kind = g.weighted({"convert": 5, "copy": 3, "loop": 2})
    g.tag(f"exchanged_{kind}")
    if kind == "convert":
        g.put(ConvertLayout(one, other))
    elif kind == "copy":
        g.put(Copy(Region(one), Region(other)))
    else:
        variables = g.loop_variables(len(shape))
        g.put(Parallel([v.name for v in variables], shape, [Store(ex.Load(one, variables), other, variables)]))
    g.written(other)
    if g.chance(0.3):
        steps.step(g)
    steps.store(g, other)


def program(g):
    for _ in range(g.rng.randrange(1, 4)):
        exchanged(g)
