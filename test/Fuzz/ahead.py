# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that copy ahead by themselves: a tile of shared memory has several slots, or a slot is some columns of it, a loop
copies what a later iteration needs into one and reads another. Copies stand under conditions, in front of the loop and behind
what reads; threads write into slots as well, and the slots of one iteration may be one slot.

What is asked: whether a barrier, and a wait for copies, stands wherever two accesses may touch one element, and nothing is read
that has not landed.
"""

from expressions import Apply, Binary, Compare, Const, Load, Var, add, cast, const, mul
from moves import Copy, Fill, Region
from statements import If, Loop, Parallel, Store
from walks import into, outputs_of

SHAPES = [(1, 64), (1, 256), (1, 512), (4, 64), (8, 32), (16, 64), (32, 32), (2, 128), (64, 16)]


class Slots:
    """A tile with `count` slots of `shape` each: its first index, or parts of its columns."""

    def __init__(self, g, count, shape, element):
        self.shape, self.count = list(shape), count
        self.in_columns = g.chance(0.25)
        rows, columns = shape
        whole = [rows, count * columns] if self.in_columns else [count, rows, columns]
        self.buffer = g.tile(whole, element, "shared", bound=3, layout=False)

    def region(self, slot):
        if self.in_columns:
            return Region(self.buffer, [const(0), mul(slot, self.shape[1])], self.shape, True)
        return Region(self.buffer, [slot, const(0), const(0)], [1, *self.shape], True)

    def place(self, slot, i, j):
        return [i, add(mul(slot, self.shape[1]), j)] if self.in_columns else [slot, i, j]


def slot_of(g, step, count):
    """The slot of a step, written in one of several ways."""
    if isinstance(step, int):
        return const(step % count)
    if count == 2 and g.chance(0.3):
        return Binary("sub", const(1), Binary("remu", add(step, 1), const(2)))
    if g.chance(0.2):
        return Apply(f"d0 mod {count}", lambda v: v % count, step)
    return Binary("remu", step, const(count))


def copy_of(g, source, slots, step, slot):
    """Rows of a step into a slot."""
    rows, columns = slots.shape
    first = const(step * rows) if isinstance(step, int) else mul(step, rows)
    words = ["disable_tma"] if g.chance(0.7) else []
    return Copy(Region(source, [first, const(0)], slots.shape, True), slots.region(slot), None, words)


def read(g, slots, slot, total):
    """The slot is added to a sum."""
    i, j = g.loop_variables(2)
    names, (rows, columns) = [i.name, j.name], slots.shape
    if g.chance(0.35):
        own = g.tile(slots.shape, slots.buffer.element, "fragment", bound=3, layout=False)
        value = cast(Load(own, [i, j]), total.element)
        return [Copy(slots.region(slot), Region(own)),
                Parallel(names, slots.shape, [Store(Binary("add", Load(total, [i, j]), value), total, [i, j])])]
    column = j
    if g.chance(0.3):
        column = Binary("remu", add(j, g.rng.randrange(columns)), const(columns))
        g.tag("rolled")
    value = cast(Load(slots.buffer, slots.place(slot, i, column)), total.element)
    return [Parallel(names, slots.shape, [Store(Binary("add", Load(total, [i, j]), value), total, [i, j])])]


def written(g, slots, slot):
    """Threads change what lies in a slot, or some rows of it."""
    i, j = g.loop_variables(2)
    if g.chance(0.3):
        return [Fill(slots.region(slot), g.pick(1, 2))]
    place = slots.place(slot, i, j)
    value = Binary("sub", Const(0, slots.buffer.element), Load(slots.buffer, place)) if g.chance(0.5) else Const(2, slots.buffer.element)
    rows = g.rng.randint(1, slots.shape[0])
    return [Parallel([i.name, j.name], [rows, slots.shape[1]], [Store(value, slots.buffer, place)])]


def rounds(g, slots_of, totals, steps, distance):
    """One loop over the steps, with what is copied in front of it."""
    count = slots_of[0][1].count
    for n in range(distance):
        for source, slots in slots_of:
            g.put(copy_of(g, source, slots, n, slot_of(g, n, count)))
    var = Var(g.name("n"), bound=64)
    ahead, using = [], []
    for source, slots in slots_of:
        ahead.append(copy_of(g, source, slots, add(var, distance) if distance else var, slot_of(g, add(var, distance) if distance else var, count)))
    if distance and g.chance(0.5):
        g.tag("conditional")
        ahead = [If(Compare("lt", add(var, distance), const(steps)), ahead)]
    for (source, slots), total in zip(slots_of, totals):
        using += read(g, slots, slot_of(g, var, count), total)
        if g.chance(0.15):
            g.tag("written")
            using[g.rng.randrange(len(using) + 1):0] = written(g, slots, slot_of(g, add(var, g.rng.randrange(count)), count))
        if g.chance(0.1):
            g.tag("read_elsewhere")
            using += read(g, slots, slot_of(g, add(var, g.rng.randrange(count)), count), total)
    body = ahead + using if distance == 0 or g.chance(0.7) else using + ahead
    if g.chance(0.1):
        g.tag("shuffled")
        g.rng.shuffle(body)
    g.put(Loop(var.name, const(0), const(steps), const(1), None, body))


def program(g):
    g.program.threads = g.pick(32, 64, 128, 128, 256, 512)
    shape = list(g.rng.choice(SHAPES))
    element = g.pick("f16", "f32", "f32", "bf16", "i32", "i8")
    wide = "i32" if element.startswith("i") else "f32"
    count, steps = g.pick(2, 2, 3, 4), g.rng.randint(1, 6)
    distance = min(g.pick(0, 1, 1, 1, 2, count - 1, count), steps)
    g.tag("ahead", f"slots{count}", f"distance{distance}")
    slots_of, totals = [], []
    for _ in range(g.pick(1, 1, 2)):
        rows = g.size("R", [steps * shape[0], steps * shape[0], max(1, steps * shape[0] - 3), (steps + 2) * shape[0]])
        slots_of.append((g.argument([rows, shape[1]], element), Slots(g, count, shape, element)))
        totals.append(g.filled(g.tile(shape, wide, "fragment", bound=400, layout=False)))
    outer = None
    if g.chance(0.25):
        g.tag("repeated")
        outer = Loop(g.name("o"), const(0), const(g.pick(1, 2, 3)), const(1), None, [])
        with g.scope(outer.body, may_be_empty=False):
            rounds(g, slots_of, totals, steps, distance)
        g.put(outer)
    else:
        rounds(g, slots_of, totals, steps, distance)
    for total in totals:
        buffer, first = outputs_of(g, shape, wide)
        g.put(into(buffer, first, total, [const(0)] * 2))
