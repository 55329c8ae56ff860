# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that are read before anything wrote them, in the order of the program's text.

What one branch or one element wrote counts as written, so what is reported is read unwritten in the
first iteration of the loops around it. Behind a barrier that a program waits at itself, other warps
and blocks may have written anything.
"""

from .buffers import Buffer
from .statements import Define, For, Store, Tile, While
from .values import Load, Op, walk

_SPACES = ("shared", "fragment", "local")
# Operations whose target is read, too.
_ACCUMULATES = {"gemm": lambda x: not x["clear"], "reduce": lambda x: x["accumulate"]}


def unwritten_reads(kernel):
    """[(buffer, location of the read)] of one kernel, each buffer once."""
    found = _found(kernel)
    return [(buffer, statement.location) for buffer, (statement, _) in found.items()]


def first_reductions(kernel):
    """Reductions, by identity, that combine with a tile that nothing wrote, outside of loops: what
    the tile holds is not defined, so they may begin without it."""
    found = _found(kernel).values()
    return {id(x): x for x, loops in found if type(x) is Tile and x.name == "reduce" and not loops}


def _found(kernel):
    """{buffer: (the statement that reads it unwritten, whether in a loop)}"""
    found = {}
    _search(kernel.body, set(), found, _written_anywhere(kernel.body), False)
    return found


def base_of(buffer):
    """The buffer whose memory it is."""
    while getattr(buffer, "base", None) is not None:
        buffer = buffer.base
    return buffer


def _written_anywhere(block):
    result = set()
    for statement in block:
        result.update(map(base_of, accesses(statement)[1]))
        for inner in statement.blocks:
            result |= _written_anywhere(inner)
    return result


def _search(block, written, found, by_others, loops):
    for statement in block:
        if type(statement) is Tile and statement.name in ("mbarrier_wait", "cluster_barrier"):
            written |= by_others
        reads, writes = accesses(statement)
        for buffer in map(base_of, reads):
            if buffer.space in _SPACES and buffer not in written:
                found.setdefault(buffer, (statement, loops))
        written.update(map(base_of, writes))
        inside = loops or type(statement) in (For, While)
        for inner in statement.blocks:
            _search(inner, written, found, by_others, inside)


def accesses(statement):
    """(buffers that a statement itself, without its blocks, reads; those that it writes)."""
    from .places import nodes

    reads, writes = [], []
    for node in nodes(statement):
        if isinstance(node, Load):
            reads.append(node.buffer)
        if type(node) is Op and node.name == "atomic":
            writes.append(node.args[1])
            if type(statement) is Define:
                reads.append(node.args[1])  # its value is used
    if type(statement) is Store:
        writes.append(statement.buffer)
    if type(statement) is Define and not isinstance(statement.let.value, Op):
        reads += [x.buffer for x in walk(statement.let.value) if isinstance(x, Load)]
    if type(statement) is Tile and statement.name not in ("view", "from_address"):
        for key, x in statement.operands.items():
            buffer = x if isinstance(x, Buffer) else getattr(x, "buffer", None)
            if not isinstance(buffer, Buffer) or isinstance(x, Load):
                continue
            target = key in ("target", "c", "result", "values", "places")
            (writes if target else reads).append(buffer)
            if statement.updates(key):
                writes.append(buffer)
            if target and _ACCUMULATES.get(statement.name, lambda _: False)(statement.operands):
                reads.append(buffer)
    return reads, writes
