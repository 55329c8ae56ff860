# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of a kernel, as they were traced. The emitter turns them into operations of MLIR."""


class Statement:
    __slots__ = ("location",)
    blocks = ()


class Store(Statement):
    """buffer[indices] = value"""

    __slots__ = ("buffer", "indices", "value")

    def __init__(self, buffer, indices, value):
        self.buffer, self.indices, self.value = buffer, indices, value


class Define(Statement):
    """A name for a value that is computed here."""

    __slots__ = ("let",)

    def __init__(self, let):
        self.let = let


class Assign(Statement):
    """A variable (T.alloc_var) takes a value."""

    __slots__ = ("variable", "value")

    def __init__(self, variable, value):
        self.variable, self.value = variable, value


class Assume(Statement):
    """What the program promises of values, from here on."""

    __slots__ = ("condition",)

    def __init__(self, condition):
        self.condition = condition


class Alloc(Statement):
    """A tile in shared memory, a fragment, or local memory; or a variable."""

    __slots__ = ("buffer",)

    def __init__(self, buffer):
        self.buffer = buffer


class For(Statement):
    """A loop. `kind`: serial, unroll, vectorized, parallel or pipelined; one index unless
    parallel."""

    __slots__ = (
        *("kind", "indices", "start", "extents", "step", "body", "stages", "attributes"),
        *("written", "guarded"),
    )

    def __init__(self, kind, indices, extents, start=0, step=1, stages=1, attributes=None):
        self.kind, self.indices, self.extents = kind, indices, extents
        self.start, self.step, self.stages = start, step, stages
        self.attributes = attributes or {}
        self.body = []
        self.written = False  # by the user, not by an operation that is made of loops
        # Of a vector that is not inside as a whole: "guarded", each element has its own condition;
        # "outside", no element of what has one is inside.
        self.guarded = None

    @property
    def blocks(self):
        return (self.body,)


class If(Statement):
    __slots__ = ("condition", "then", "otherwise")

    def __init__(self, condition):
        self.condition, self.then, self.otherwise = condition, [], []

    @property
    def blocks(self):
        return (self.then, self.otherwise)


class While(Statement):
    __slots__ = ("condition", "body")

    def __init__(self, condition):
        self.condition, self.body = condition, []

    @property
    def blocks(self):
        return (self.body,)


class Warps(Statement):
    """What only some warps of the block do: `count` of them from `first` on. `loops`: how many
    loops are around it."""

    __slots__ = ("first", "count", "body", "loops")

    def __init__(self, first, count, loops=0):
        self.first, self.count, self.body, self.loops = first, count, [], loops

    @property
    def blocks(self):
        return (self.body,)


class Leave(Statement):
    """`break` or `continue` of the innermost loop."""

    __slots__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind


class Tile(Statement):
    """An operation on tiles: `name` is a key of the emitter's table, the rest its operands."""

    __slots__ = ("name", "operands")

    def __init__(self, name, **operands):
        self.name, self.operands = name, operands

    @staticmethod
    def updates(key):
        """Whether the operation reads and writes the operand of this name."""
        return key in ("keys", "carry") or key.startswith("payload")


class Undefined:
    """What a variable holds after iterations of T.Parallel assigned it, or only some warps."""

    def __init__(self, location, by_warps=False):
        self.location, self.by_warps = location, by_warps


def written_variables(block, found=None, parallel=True):
    """Variables that statements of a block assign, those of nested blocks too, in order.

    `parallel=False`: without what iterations of T.Parallel assign.
    """
    found = {} if found is None else found
    for statement in block:
        if type(statement) is Assign:
            found[statement.variable] = True
        target = getattr(statement, "buffer", None) if type(statement) is Store else None
        if type(statement) is Tile:
            target = getattr(statement.operands.get("target"), "buffer", None)
        for variable in getattr(target, "elements", None) or ():
            found[variable] = True
        if not parallel and type(statement) is For and statement.kind == "parallel":
            continue
        for inner in statement.blocks:
            written_variables(inner, found, parallel)
    return found


def written_parallel(block):
    """Loops of T.Parallel in a block that the user wrote, those of nested blocks too."""
    for statement in block:
        if type(statement) is For and statement.kind == "parallel" and statement.written:
            yield statement
        for inner in statement.blocks:
            yield from written_parallel(inner)


def allocated(block, found=None):
    """Buffers and variables that statements of a block allocate, those of nested blocks too."""
    found = set() if found is None else found
    for statement in block:
        if type(statement) is Alloc:
            found.add(statement.buffer)
        for inner in statement.blocks:
            allocated(inner, found)
    return found


def leaves(block):
    """Kinds of jumps in a block that belong to the loop around it."""
    found = set()
    for statement in block:
        if type(statement) is Leave:
            found.add(statement.kind)
        elif not isinstance(statement, (For, While)):
            for inner in statement.blocks:
                found |= leaves(inner)
    return found
