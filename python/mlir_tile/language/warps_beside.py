# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arms of an `if` on the thread's index that have work of the block: warps do theirs at a time.

    if tx < 32:
        T.reduce_max(scores, row_max)   # one warp
    else:
        for k in T.Pipelined(steps):    # the others
            T.copy(A[k, 0], A_shared)

Work of the block gives the same result whoever does it, so all threads may do one arm after the
other. Where an arm has a loop around such work, each arm becomes the program of its own warps
(`tile.on_warps`): they need not wait for each other.
"""

from .buffers import Buffer
from .emit_warps import _mentions, by_hand
from .places import _may_write
from .statements import Alloc, For, If, Tile, Warps, While, allocated, written_variables

# Work that any number of warps can do by themselves.
_OF_WARPS = ("copy", "fill", "reduce", "view")


def divide_arms(emitter, body):
    """Makes the arms of such an `if` parts for warps, where nothing but shared memory passes
    between them and the code around."""
    kernel = emitter.kernel
    if kernel.thread_index is None or kernel.cluster or by_hand(body):
        return
    for at, statement in enumerate(body):
        if type(statement) is not If or not emitter.some_threads(statement):
            continue
        arms = (statement.then, statement.otherwise)
        ranges = [_warps(emitter, statement, positive) for positive in (True, False)]
        others = body[:at] + body[at + 1 :]
        if not all(ranges) or not all(map(_works, arms)) or not any(map(_repeats, arms)):
            continue
        if all(_apart(arm, other, others) for arm, other in (arms, arms[::-1])):
            for arm, (first, count) in zip(arms, ranges):
                part = Warps(first, count, loops=0)
                part.location, part.body = statement.location, list(arm)
                arm[:] = [part]


def _warps(emitter, statement, positive):
    """The first warp of those whose threads come to an arm, and how many; None where they are not
    whole warps in a row."""
    threads = emitter.threads_of(statement.condition, range(emitter.kernel.threads), positive)
    if not threads or threads[0] % 32 or len(threads) % 32:
        return None
    if threads[-1] - threads[0] + 1 != len(threads):
        return None
    return threads[0] // 32, len(threads) // 32


def _works(arm):
    """Whether an arm has work of the block, and none that these warps cannot do alone."""
    return _has_work(arm) and _may_work(arm)


def _may_work(block):
    return all(
        (type(x) is not Tile or x.name in _OF_WARPS)
        and not (_parallel(x) and any(type(y) is Tile for y in x.body))
        and all(map(_may_work, x.blocks))
        for x in block
    )


def _parallel(statement):
    return type(statement) is For and statement.kind == "parallel"


def _repeats(arm):
    """Whether an arm has a loop around work of the block: what is worth to be done at a time."""
    return any(
        type(x) in (For, While) and not _parallel(x) and any(map(_has_work, x.blocks)) for x in arm
    )


def _has_work(block):
    return any(
        type(x) is Tile or _parallel(x) or any(map(_has_work, x.blocks)) for x in block
    )


def _apart(arm, other, others):
    """Whether an arm has its fragments and variables for itself, and writes no shared memory that
    the other arm uses."""
    own = allocated(arm)
    if any(v not in own for v in written_variables(arm)):
        return False
    for buffer in _buffers((*others, *arm, *other)):
        if buffer in own or not any(_mentions(x, buffer) for x in arm):
            continue
        used = any(_mentions(x, buffer) for x in other)
        if buffer.space == "shared":
            if used and any(_writes(x, buffer) for x in arm):
                return False
        elif buffer.space != "global" and (
            used or any(_mentions(x, buffer) for x in others if type(x) is not Alloc)
        ):
            return False
    return True


def _writes(statement, buffer):
    """Whether a statement may write a buffer; copies write their targets alone."""
    if type(statement) is Tile and statement.name == "copy":
        target = statement.operands.get("target")
        return target is buffer or getattr(target, "buffer", None) is buffer
    if not statement.blocks:
        return _may_write(statement, buffer)
    return any(_writes(x, buffer) for block in statement.blocks for x in block)


def _buffers(block):
    return [x for x in allocated(block) if isinstance(x, Buffer)]
