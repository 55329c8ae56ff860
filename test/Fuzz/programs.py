#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of a seed: the same on every machine.

    programs.py SEED            prints it
    programs.py SEED --args     prints tile-run's --args for each of its runs
"""

import argparse
import itertools

import again
import ahead
import codes
import common
import elementwise
import gathers
import gemms
import groups
import lanes
import leaving
import loops
import named
import orders
import parts
import pieces
import ragged
import roles
import rows
import sparse
import steps
import sums
import walks
from elements import Unfit
from generator import FIRST_AGAIN, FIRST_AHEAD, FIRST_CODES, FIRST_COMMON, FIRST_GATHERS, FIRST_GROUPS, FIRST_LANES, FIRST_LEAVING, FIRST_NAMED, FIRST_ORDERS, FIRST_PIECES, FIRST_RAGGED, FIRST_SHIFTED, FIRST_SPARSE, FIRST_SPLIT, FIRST_STREAM, FIRST_SUMS, FIRST_WALKS, Generator

# Elements of all arguments of a run; blocks of a grid.
MOST_ELEMENTS, MOST_BLOCKS = 120_000, 24


def moving(g):
    """Straight code: tiles loaded, computed, copied, reduced."""
    if g.chance(0.15):
        g.load([g.pick(2, 3, 4), g.pick(4, 8, 16, 5), g.pick(4, 8, 16, 32, 7)])
    else:
        g.load()
    for _ in range(g.rng.randrange(1, 6)):
        steps.step(g)


def looping(g):
    """One loop or two, with straight code around."""
    if g.chance(0.6):
        g.load()
    for _ in range(g.pick(0, 0, 1, 2)):
        steps.step(g)
    for _ in range(g.pick(1, 1, 1, 2)):
        accumulator = loops.plain_for(g) if g.chance(0.1) else loops.pipelined(g)
        if accumulator:
            steps.store(g, accumulator)
    for _ in range(g.pick(0, 0, 1, 2)):
        steps.step(g)


def multiplying(g):
    """Products, with straight code and loops around."""
    if g.chance(0.05):
        return gemms.use_of(g, gemms.split(g))
    kinds = {"kloop": 40, "wide": 15, "chained": 12, "attention": 12, "any": 12, "conv": 7, "gathered": 7, "sliced": 7}
    for _ in range(g.pick(1, 1, 1, 2)):
        if g.chance(0.3):
            steps.step(g)
        kind = g.weighted(kinds)
        if kind in ("kloop", "wide"):
            gemms.use_of(g, gemms.kloop(g, kind == "wide"))
        elif kind == "gathered":
            rows.gathered_product(g)
        elif kind == "any":
            gemms.use_of(g, gemms.product_of_tiles(g, token=g.chance(0.15)))
        else:
            gemms.use_of(g, {"chained": gemms.chained, "attention": gemms.attention, "conv": gemms.convolution,
                                "sliced": gemms.sliced}[kind](g))
    if g.chance(0.2):
        loops.pipelined(g)


def splitting(g):
    """A product whose loop blocks share, those of a cluster or all, and what follows it, element by element for the most
    part: each block of a cluster may finish a part of the tile."""
    (gemms.stream if g.program.seed >= FIRST_STREAM else gemms.split)(g, wide=g.chance(0.8))
    for _ in range(g.pick(0, 0, 1, 1, 2, 3)):
        g.rng.choice([steps.update, steps.update, steps.update, steps.copy_tile, steps.reduce, steps.store_again])(g)
    steps.store(g, g.pool[0])


def indexing(g):
    """Rows by indices, atomics, counts."""
    for _ in range(g.rng.randrange(1, 4)):
        g.rng.choice([rows.gather, rows.scatter, loops.histogram, loops.block_atomics, rows.gather, rows.scatter])(g)
        if g.chance(0.5):
            steps.step(g)


def dividing(g):
    """Warps divided into roles by hand."""
    (roles.by_hand if g.chance(0.5) else parts.by_barriers)(g)


def spelling(g):
    """What loops over single elements say."""
    elementwise.program(g)


FAMILIES = {moving: 23, looping: 28, multiplying: 27, spelling: 10, indexing: 7, dividing: 5}


def frame(g):
    """Attributes of the kernel."""
    attributes = g.program.attributes
    if "roles" in g.program.tags or "parts" in g.program.tags:
        return
    if g.program.meets:
        if g.chance(0.2):
            attributes["panel"] = f"{g.pick(1, 2, 4)} : i64"
        return
    if g.chance(0.12) and "split" not in attributes and "persistent" not in attributes:
        attributes["persistent"] = f"{g.pick(1, 1, 2)} : i64"
        g.tag("persistent")
    if g.chance(0.08) and "split" not in attributes:
        x, y = ([function(run) for run in g.program.runs] for _, function in g.program.grid[:2])
        cluster = g.pick((2, 1), (1, 2), (2, 2))
        if "persistent" in attributes or all(n % cluster[0] == 0 for n in x) and all(n % cluster[1] == 0 for n in y):
            g.program.cluster = (*cluster, *[1] * (len(g.program.grid) - 2))
            g.tag("cluster")
    if g.chance(0.06):
        attributes["panel"] = f"{g.pick(1, 2, 4)} : i64"
    if g.chance(0.06):
        attributes["specialize"] = "false"
        g.tag("specialize")


def attempt(seed, number):
    g = Generator(seed, number)
    if seed >= FIRST_SUMS:
        family = sums.program
    elif seed >= FIRST_RAGGED:
        family = ragged.program
    elif seed >= FIRST_GATHERS:
        family = gathers.program
    elif seed >= FIRST_LANES:
        family = lanes.program
    elif seed >= FIRST_PIECES:
        family = g.rng.choices([multiplying, looping, splitting], [6, 3, 1])[0]
    elif seed >= FIRST_SPLIT:
        family = splitting
    elif seed >= FIRST_SHIFTED:
        family = g.rng.choices(list(FAMILIES), list(FAMILIES.values()))[0]
    elif seed >= FIRST_COMMON:
        family = common.program
    elif seed >= FIRST_AHEAD:
        family = ahead.program
    elif seed >= FIRST_GROUPS:
        family = groups.program
    elif seed >= FIRST_AGAIN:
        family = again.program
    elif seed >= FIRST_NAMED:
        family = named.program
    elif seed >= FIRST_CODES:
        family = codes.program
    elif seed >= FIRST_LEAVING:
        family = leaving.program
    elif seed >= FIRST_ORDERS:
        family = orders.program
    elif seed >= FIRST_WALKS:
        family = walks.program
    elif seed >= FIRST_SPARSE:
        family = sparse.program
    else:
        family = g.rng.choices(list(FAMILIES), list(FAMILIES.values()))[0]
    g.tag(family.__name__)
    family(g)
    found = g.tiles()
    for tile in g.rng.sample(found, min(len(found), 1 if g.program.outputs else g.rng.randrange(1, 4))):
        steps.store(g, tile)
    if FIRST_PIECES <= seed < FIRST_LANES:
        g.body = pieces.divide(g, g.body)
        if "in_parts" not in g.program.tags:
            raise Unfit("no tile is filled in parts")
    frame(g)
    program = g.finish()
    if not program.outputs:
        raise Unfit("stores nothing")
    return program


def too_large(program):
    for run in program.runs:
        if len(list(program.blocks(run))) > MOST_BLOCKS:
            return True
        total = 0
        for buffer in program.arguments:
            size = 1
            for extent in buffer.extents(run):
                size *= extent
            total += size
        if total > MOST_ELEMENTS:
            return True
    return False


def generate(seed):
    """The program and what each of its runs is expected to leave."""
    for number in itertools.count():
        try:
            program = attempt(seed, number)
            if too_large(program):
                continue
            return program, [program.expected(run) for run in program.runs]
        except Unfit:
            continue


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("--args", action="store_true", help="print tile-run's --args instead")
    options = parser.parse_args()
    program, _ = generate(options.seed)
    if options.args:
        print("\n".join(program.options(run) for run in program.runs))
    else:
        print(program.text(), end="")


if __name__ == "__main__":
    main()
