# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers by number between parts: T.sync_threads(number, count), T.named_barrier_arrive.

A phase of such a barrier is complete after `count` threads have come, of one or of several parts:
those of T.sync_threads wait for it, those of T.named_barrier_arrive go on. It is a barrier of
T.alloc_barrier with a count of phases in each part, which each of its threads takes part in once.
"""

from .barriers import mbarrier_arrive, mbarrier_wait_parity
from .buffers import Buffer
from .builder import current
from .errors import fail, unsupported
from .statements import Alloc, Assign, Tile
from .values import Const, as_value, binary, cast


def _at_the_beginning(builder, block, statements):
    for statement in reversed(statements):
        statement.location = builder.kernel.location
        block.insert(0, statement)


def _barrier(builder, construct, number, count):
    """The kernel's barrier of this number."""
    from .barriers import Barriers

    known = builder.kernel.named_barriers.get(number)
    if known is None:
        known = builder.kernel.named_barriers[number] = Barriers([count])
        _at_the_beginning(builder, builder.kernel.body, [Tile("mbarrier_create", barriers=known)])
    if known.counts != [count]:
        fail(
            f"{construct}: expected {known.counts[0]} threads at barrier {number}, as where it is"
            f" used before, got {count}"
        )
    return known


def _next_phase(builder, construct, number):
    """The parity of the part's next phase of the barrier; counts it."""
    warps = builder.warps
    part = (warps.first, warps.count, number)
    where, phase = builder.kernel.named_phases.get(part, (warps, None))
    if where is not warps or warps.loops:
        unsupported(
            f"{construct}: barrier {number} in two `with T.ws(...)` of one part, or in one that"
            " a loop repeats",
            "one `with T.ws(...)` with the loop inside counts the phases",
        )
    if phase is None:
        phase = Buffer((1,), "int32", "local.var", name=f"phase_{number}")
        builder.kernel.named_phases[part] = (warps, phase)
        first = Assign(phase, cast(0, phase.dtype))
        _at_the_beginning(builder, warps.body, [Alloc(phase), first])
    parity = builder.define("parity", as_value(phase))
    builder.add(Assign(phase, binary("xor", parity, Const(1, phase.dtype))))
    return parity


def _checked(construct, number, count):
    builder = current(construct)
    if builder.kernel is None or builder.warps is None:
        fail(f"{construct}: parts meet at a barrier by number inside of `with T.ws(...)` only")
    if not isinstance(number, int) or not 0 <= number < 16:
        fail(f"{construct}: expected the number of a barrier, 0 to 15, got {number!r}")
    threads = builder.kernel.threads
    if not isinstance(count, int) or not 32 <= count <= threads or count % 32:
        fail(
            f"{construct}: expected a number of threads in whole warps, at most the block's"
            f" {threads}, got {count!r}"
        )
    return builder


def meet_parts(number, count):
    """Waits until `count` threads, of this part and of others, have come to the barrier."""
    construct = "T.sync_threads"
    builder = _checked(construct, number, count)
    barrier = _barrier(builder, construct, number, count)
    parity = _next_phase(builder, construct, number)
    mbarrier_arrive(barrier)
    mbarrier_wait_parity(barrier, parity)


def named_barrier_arrive(barrier_id, arrive_count):
    """Comes to the barrier of this number and goes on: T.sync_threads(barrier_id, arrive_count) of
    another part waits for it."""
    construct = "T.named_barrier_arrive"
    builder = _checked(construct, barrier_id, arrive_count)
    barrier = _barrier(builder, construct, barrier_id, arrive_count)
    _next_phase(builder, construct, barrier_id)
    mbarrier_arrive(barrier)
