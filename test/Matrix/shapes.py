# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shapes that kernels of the matrix run at: at one of them each tiled extent has a whole tile and a part of one.

A kernel's `tile` names the extents that it cuts into tiles and how large these are; `even` those of which no part of a
tile can be left over, each with the reason. Kernels whose extents are constants say in `fixed` what they are for.
"""

CLOSE = 7  # a part of a tile that starts no vector of any type where it may be of any length


def part(tile, step):
    """The length of a part of a tile that is a multiple of `step`; 0 where there is none."""
    return min(CLOSE, tile - 1) if step == 1 else step * (tile > step)


def whole_run(tile, steps=None, trips=None):
    """Extents of `trips` whole tiles (one, where not stated) and a part. `steps`: what extents are multiples of."""
    steps, trips = steps or {}, trips or {}
    return {name: trips.get(name, 1) * size + part(size, steps.get(name, 1)) for name, size in tile.items()}


def uneven(tile, steps):
    """Why extents cannot have a part of a tile, by name."""
    return {name: f"multiples of {steps.get(name, 1)} are whole tiles" for name, size in tile.items() if not part(size, steps.get(name, 1))}


def is_whole(kernel, run):
    """Whether a run has a whole tile of every extent, and a part of one where there can be one."""
    return all(run[name] >= size and (name in kernel.get("even", {}) or run[name] % size) for name, size in kernel["tile"].items())
