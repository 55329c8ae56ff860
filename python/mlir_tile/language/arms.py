# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of warps by hand, the arms of one `if` on the thread's index: what each arm has alone.

A thread runs one arm. So memory of threads that no other statement uses is a memory of each arm,
and what all threads of an arm would hold alike can be a variable of its warps.
"""

import copy

from .barriers import Barriers
from .buffers import Region
from .emit_warps import by_hand
from .places import nodes
from .statements import Alloc, Assign, Define, For, If, Store, Tile, Warps, While
from .values import Load, Op, number_of, walk


def divide(emitter, body):
    """Gives the arms of each `if` on warps memory and variables of their own."""
    for at, statement in reversed(list(enumerate(body))):
        if type(statement) is not If or not emitter.some_threads(statement):
            continue
        arms, threads = [], emitter.kernel.threads
        every = _arms(emitter, statement, range(threads), arms)
        if not any(map(by_hand, arms)):
            continue
        if every:
            _meet(threads, body, at, arms)
        for alloc in [x for x in body if type(x) is Alloc]:
            if alloc.buffer.is_var or alloc.buffer.space == "local":
                _own_copies(body, alloc, statement, arms)


def _arms(emitter, statement, threads, arms):
    """The programs of an `if` and its `elif`; whether each of these threads has one."""
    every = True
    for positive, arm in ((True, statement.then), (False, statement.otherwise)):
        mine = emitter.threads_of(statement.condition, threads, positive)
        only = arm[0] if len(arm) == 1 else None
        if type(only) is If and emitter.some_threads(only):
            every &= _arms(emitter, only, mine, arms)
        elif mine and arm:
            arms.append(arm)
        elif mine:
            every = False
    return every


def _waits(statement):
    return (type(statement) is Tile and statement.name == "mbarrier_wait") or any(
        _waits(x) for block in statement.blocks for x in block
    )


def _syncs(arm):
    """The places of T.sync_threads() that an arm comes to before it waits for anything."""
    found = []
    for at, statement in enumerate(arm):
        if type(statement) is Tile and statement.name == "sync" and statement.operands.get("all"):
            found.append(at)
        elif _waits(statement):
            break
    return found


def _meet(threads, body, at, arms):
    """T.sync_threads() in every arm, in front of what they wait for: all threads meet there."""
    places = [_syncs(arm) for arm in arms]
    count = min(map(len, places))
    if not count:
        return
    barriers = Barriers([threads])
    for arm, mine in zip(arms, places, strict=True):
        for phase, place in reversed(list(enumerate(mine[:count]))):
            one = {"barriers": barriers, "index": 0}
            made = (
                Tile("mbarrier_arrive", **one, block=None, after_copies=False),
                Tile("mbarrier_wait", **one, parity=phase & 1),
            )
            for x in made:
                x.location = arm[place].location
            arm[place : place + 1] = made
    create = Tile("mbarrier_create", barriers=barriers)
    create.location = body[at].location
    body.insert(at, create)


# Memory of the arms.
def _own_copies(body, alloc, statement, arms):
    """Allocates a buffer in each arm that uses it, where nothing else does."""
    buffer = alloc.buffer
    users = [x for x in body if x is not alloc and mentions(x, buffer)]
    first = users[:-1]
    if not users or users[-1] is not statement or body.index(alloc) > body.index(statement):
        return
    if not all(type(x) is Assign and number_of(x.value) is not None for x in first):
        return
    using = [arm for arm in arms if any(mentions(x, buffer) for x in arm)]
    plain = all(_only_elements(x, buffer) for arm in using for x in arm)
    if len(using) > 1 and not plain or any(x.buffer is buffer for x in _conditions(statement)):
        return
    for x in (alloc, *first):
        body.remove(x)
    for number, arm in enumerate(using):
        made = [alloc, *first]
        if number:
            own = copy.copy(buffer)
            made = [copy.copy(x) for x in made]
            made[0].buffer = own
            for x in made[1:]:
                x.variable = own
            for x in arm:
                _rename(x, buffer, own)
        arm[:0] = made


def _conditions(statement):
    """Elements that the conditions of an `if` and its `elif` read."""
    yield from (x for x in nodes(statement) if isinstance(x, Load))
    for arm in statement.blocks:
        if len(arm) == 1 and type(arm[0]) is If:
            yield from _conditions(arm[0])


def mentions(statement, buffer):
    """Whether a statement, or one inside of it, uses a buffer in any way."""
    return not _without(statement, buffer, elements=False)


def _only_elements(statement, buffer):
    """Whether a statement, and those inside of it, use a buffer by its elements only."""
    return _without(statement, buffer, elements=True)


def _without(statement, buffer, elements):
    """Whether nothing uses a buffer; `elements`: but for loads, stores and assignments."""
    if not elements:
        own = (getattr(statement, x, None) for x in ("variable", "buffer"))
        if type(statement) is not Alloc and any(x is buffer for x in own):
            return False
        if any(isinstance(x, Load) and x.buffer is buffer for x in _values(statement)):
            return False
    for x in _values(statement):
        if type(x) is Op and x.name == "atomic" and x.args[1] is buffer:
            return False
    if type(statement) is Tile:
        for x in statement.operands.values():
            part = not isinstance(x, Load) or not elements
            if x is buffer or part and getattr(x, "buffer", None) is buffer:
                return False
    return all(_without(x, buffer, elements) for block in statement.blocks for x in block)


def _values(statement):
    """Every node of the values of a statement, those of a barrier's index, too."""
    yield from nodes(statement)
    if type(statement) is Tile:
        for x in statement.operands.values():
            index = getattr(x, "index", None)
            for root in (index, *getattr(x, "extents", ())):
                if root is not None and not callable(root):
                    yield from walk(root)


def _rename(statement, old, new):
    """Replaces a buffer, in place, in a statement and those inside of it."""
    for field in ("variable", "buffer"):
        if getattr(statement, field, None) is old:
            setattr(statement, field, new)

    def moved(value):
        return renamed(value, old, new)

    kind = type(statement)
    if kind is Store:
        statement.value, statement.indices = moved(statement.value), moved(statement.indices)
    elif kind is Define:
        statement.let.value = moved(statement.let.value)
    elif kind is Assign:
        statement.value = moved(statement.value)
    elif kind in (If, While):
        statement.condition = moved(statement.condition)
    elif kind is For:
        statement.start, statement.step = moved(statement.start), moved(statement.step)
        statement.extents = [moved(x) for x in statement.extents]
    elif kind is Tile:
        statement.operands = {k: _operand(x, moved) for k, x in statement.operands.items()}
    for block in statement.blocks:
        for x in block:
            _rename(x, old, new)


def _operand(value, moved):
    """An operand of an operation on tiles, with other values."""
    if isinstance(value, Region):
        return Region(value.buffer, moved(value.offsets), moved(value.extents))
    if hasattr(value, "index") and hasattr(value, "barriers"):
        made = copy.copy(value)
        made.index = moved(value.index)
        return made
    return moved(value)


def renamed(value, old, new):
    """A value that reads another buffer."""
    if type(value) is tuple:
        return tuple(renamed(x, old, new) for x in value)
    if isinstance(value, Load):
        buffer = new if value.buffer is old else value.buffer
        return type(value)(buffer, renamed(value.indices, old, new))
    if type(value) is Op:
        return Op(value.name, renamed(value.args, old, new), value.dtype)
    return value


# Memory that all threads of an arm hold alike.
def without_variables(body, buffers):
    """Local buffers without those of one element that become variables: in programs of warps by
    hand, where memory of the block would need a barrier between its warps."""
    if not by_hand(body):
        return buffers
    kept = set()
    for buffer in buffers:
        alone = list(buffer.shape) == [1] and buffer.space == "local" and buffer.base is None
        if alone and all(_as_variable(x, buffer) for x in body) and _inside(body, buffer):
            buffer.space, buffer.is_var = "var", True
            _assign(body, buffer)
        else:
            kept.add(buffer)
    return kept


def _as_variable(statement, buffer, parallel=False):
    """Whether a statement uses a buffer as it may use a variable: T.Parallel only reads it."""
    if not _only_elements(statement, buffer):
        return False
    loads = [x for x in _values(statement) if isinstance(x, Load) and x.buffer is buffer]
    stored = type(statement) is Store and statement.buffer is buffer
    if any(number_of(x.indices[0]) != 0 for x in loads + [statement] * stored):
        return False
    if stored and parallel:
        return False
    parallel |= type(statement) is For and statement.kind == "parallel"
    return all(_as_variable(x, buffer, parallel) for block in statement.blocks for x in block)


def _inside(body, buffer):
    """Whether a buffer is allocated in the arm that uses it, not around T.ws."""
    for statement in body:
        if type(statement) is Warps and mentions(statement, buffer):
            return any(type(x) is Alloc and x.buffer is buffer for x in statement.body)
        if not all(_inside(inner, buffer) for inner in statement.blocks):
            return False
    return True


def _assign(body, buffer):
    """Stores to a buffer become assignments; it begins with zero."""
    result = []
    for statement in body:
        made = statement
        if type(statement) is Store and statement.buffer is buffer:
            made = Assign(buffer, statement.value)
            made.location = statement.location
        for inner in statement.blocks:
            _assign(inner, buffer)
        result.append(made)
    body[:] = result
