# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shapes that kernels of the matrix run at: at one of them each tiled extent has a whole tile and a part of one.

A kernel's `tile` names the extents that it cuts into tiles and how large these are; `even` those of which no part of a
tile can be left over, each with the reason. Kernels whose extents are constants say in `fixed` what they are for.
"""

CLOSE = 7  # a part of a tile that starts no vector of any type where it may be of any length


def extent(tile, step, trips):
    """At least so many whole tiles, and a part of one where multiples of `step` leave one."""
    if step % tile == 0:
        return -(-trips * tile // step) * step
    if step == 1:
        return trips * tile + min(CLOSE, tile - 1)
    found = (trips * tile // step + 1) * step
    return found if found % tile else found + step


def whole_run(tile, steps=None, trips=None):
    """Extents of `trips` whole tiles (one, where not stated) and a part. `steps`: what extents are multiples of."""
    steps, trips = steps or {}, trips or {}
    return {name: extent(size, steps.get(name, 1), trips.get(name, 1)) for name, size in tile.items()}


def uneven(tile, steps):
    """Why extents cannot have a part of a tile, by name."""
    return {name: f"multiples of {steps.get(name, 1)} are whole tiles" for name, size in tile.items() if steps.get(name, 1) % size == 0}


def is_whole(kernel, run):
    """Whether a run has a whole tile of every extent, and a part of one where there can be one."""
    return all(run[name] >= size and (name in kernel.get("even", {}) or run[name] % size) for name, size in kernel["tile"].items())
