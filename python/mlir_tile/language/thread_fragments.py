# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments that only code for single threads uses: each thread has one of its own.

`p = T.alloc_fragment((1,), ...)` and `p[0] += x[tx]`, outside of T.Parallel, is a sum of each
thread; an element of the block's would be one sum of all of them.
"""

from .buffers import Buffer
from .places import nodes
from .statements import For, Store, Tile
from .values import Load, walk

# Operations on tiles that a thread does for itself where a side is memory of its own.
OF_THREADS = ("copy", "fill", "evaluate", "print", "assert")


def thread_fragments(body, emitter):
    """The fragments that are memory of threads: code outside of T.Parallel alone touches them, and
    stores an element there that the thread's index does not tell from others."""
    shared, own = set(), set()
    _look(body, emitter, False, False, shared, own)
    return own - shared


def _look(body, emitter, parallel, threaded, shared, own):
    for statement in body:
        here = threaded or emitter.reads_threads(statement)
        loads = {x.buffer for x in nodes(statement) if isinstance(x, Load)}
        if parallel:
            shared |= loads
        if type(statement) is Store:
            if parallel:
                shared.add(statement.buffer)
            elif statement.buffer.space == "fragment" and here:
                names = (y for x in statement.indices for y in walk(x))
                if not any(map(emitter.of_thread, names)):
                    own.add(statement.buffer)
        if type(statement) is Tile and statement.name not in OF_THREADS:
            sides = (getattr(x, "buffer", x) for x in statement.operands.values())
            shared |= {x for x in sides if isinstance(x, Buffer)}
        inner = parallel or (type(statement) is For and statement.kind == "parallel")
        for block in statement.blocks:
            _look(block, emitter, inner, here, shared, own)
