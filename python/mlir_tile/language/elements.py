# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A few elements of a thread's own memory that all threads hold alike, as values.

T.alloc_local outside of code for single threads is memory of the block. Where each index is a
number once the loops around are written out, its elements are variables: they come from global
memory together, and there is neither shared memory nor a barrier. A token's positions among
experts are the case at hand.
"""

from .arms import mentions
from .buffers import Buffer, Region
from .emit_memory import reads_fragment
from .places import nodes
from .ranges import linear
from .statements import For, If, Store, Tile, leaves
from .values import Load, Op, Variable, number_of

_ELEMENTS = 16  # of a buffer
_ROUNDS = 16  # of a loop that is written out
_STATEMENTS = 256  # of all rounds of one


def as_elements(body, buffer):
    """The loops to write out so that each index of a local buffer is a number, by identity; None
    where the buffer stays memory."""
    if any(type(x) is not int for x in buffer.shape) or buffer.base is not None:
        return None
    if not 1 < buffer.numel() <= _ELEMENTS:
        return None
    found = set()
    return found if all(_suits(x, buffer, (), False, found) for x in body) else None


def variables_of(buffer):
    """A variable for each element, the last index fastest."""
    return [Buffer((1,), buffer.dtype, "local.var", name=buffer.name) for _ in range(buffer.numel())]


def rounds_of(loop):
    """How often a loop runs, where it may be written out; else None."""
    if type(loop) is not For or loop.kind not in ("serial", "unroll") or leaves(loop.body):
        return None
    ends = [number_of(x) for x in (loop.start, loop.extents[0], loop.step)]
    if None in ends or ends[2] <= 0:
        return None
    count = len(range(*ends))
    return count if count <= _ROUNDS and count * _size(loop) <= _STATEMENTS else None


def _size(statement):
    return 1 + sum(_size(x) for block in statement.blocks for x in block)


def _suits(statement, buffer, loops, parallel, found):
    """Whether a statement has nothing but single elements of a buffer, and copies and fills of all
    of it; `loops` are around it."""
    mentioned = [x for x in nodes(statement) if isinstance(x, Load) and x.buffer is buffer]
    if any(type(x) is Op and any(y is buffer for y in x.args) for x in nodes(statement)):
        return False
    stores = type(statement) is Store and statement.buffer is buffer
    if stores and (parallel or reads_fragment(statement.value, statement.indices)):
        return False
    for access in [*mentioned, *[statement] * stores]:
        if not _numbers(access.indices, loops, found):
            return False
    if type(statement) is Tile:
        sides = {k: x for k, x in statement.operands.items() if _is_of(x, buffer)}
        if sides and (parallel or not _whole(statement, sides, buffer)):
            return False
    if type(statement) is For and rounds_of(statement) is not None:
        loops = (*loops, statement)
    elif type(statement) is For and statement.kind == "parallel":
        parallel = True
    elif statement.blocks and type(statement) is not If:
        return not any(mentions(x, buffer) for block in statement.blocks for x in block)
    return all(
        _suits(x, buffer, loops, parallel, found) for block in statement.blocks for x in block
    )


def _numbers(indices, loops, found):
    """Whether indices follow from those of `loops` alone; those join `found`."""
    for index in indices:
        for _, atom in linear(index)[0].values():
            loop = next((x for x in loops if x.indices[0] is atom), None)
            if type(atom) is not Variable or loop is None:
                return False
            found.add(id(loop))
    return True


def _is_of(operand, buffer):
    return operand is buffer or getattr(operand, "buffer", None) is buffer


def _whole(statement, sides, buffer):
    """Whether an operation copies all of a buffer out of global memory, or fills it."""
    target = sides.get("target")
    if len(sides) != 1 or not isinstance(target, Region) or statement.name not in ("copy", "fill"):
        return False
    if tuple(target.extents) != tuple(buffer.shape) or any(target.offsets):
        return False
    if statement.name == "fill":
        return True
    source, operands = statement.operands["source"], statement.operands
    extents = [x for x in source.extents if x != 1]
    return (
        source.buffer.space == "global"
        and extents == [x for x in buffer.shape if x != 1]
        and not any(operands.get(x) for x in ("barrier", "layout"))
    )
