# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shuffles, votes and exchanges through shared memory that only some threads of the block come to.

All threads do them: what threads do for themselves around them keeps its condition, and a loop
whose bounds differ from thread to thread runs as often as the thread that needs it most.
"""

from .buffers import Buffer
from .emit_loops import structured
from .emit_warps import by_hand
from .places import behind_names
from .ranges import is_pure
from .statements import (
    Alloc,
    Assign,
    Define,
    For,
    If,
    Leave,
    Store,
    Tile,
    Warps,
    While,
    leaves,
)
from .thread_fragments import OF_THREADS
from .values import (
    BOOL,
    INT32,
    Const,
    Let,
    Load,
    Op,
    Variable,
    as_value,
    binary,
    cast,
    compare,
    select,
    unary,
    walk,
)

_BETWEEN_THREADS = ("exchange", "thread_reduce")
_MEETINGS = (*_BETWEEN_THREADS, "meet")
_UNGUARDED = (*_MEETINGS, "sync", "view")


def exchanges(statement):
    """Whether there is work between threads inside of a statement."""
    return any(
        (type(x) is Tile and x.name in _MEETINGS) or exchanges(x)
        for block in statement.blocks
        for x in block
    )


def neutral(kind, element):
    """What a reduction leaves as it is."""
    if kind in ("max", "min"):
        from .mathematics import infinity, max_value, min_value

        if element.is_float and element.bits >= 16:
            return unary("neg", infinity(element)) if kind == "max" else infinity(element)
        return min_value(element) if kind == "max" else max_value(element)
    if kind == "prod":
        return Const(1, element)
    return Const(-1 if kind == "bitand" else 0, element)


class Divergence:
    """The part of the emitter that takes such code apart."""

    def spread_all(self, body):
        """Takes the statements of a kernel apart, until none is left that needs it."""
        self.part_threads = self.kernel.threads
        self.meet_inside(body, False)
        self.apart = True
        while self.apart:
            self.apart = False
            body[:] = self.spread(body)
            if self.apart:
                self.mark_threads(body)

    def meet_inside(self, block, some):
        """Puts a place to meet between statements of a block where one thread reads from shared
        memory what another one writes, or writes what it reads. `some`: only some threads come to
        the block; elsewhere groups of statements are ended there as they are written.

        A loop that each thread runs as often as it needs to is left as it is: CUDA's threads
        could not meet in it.
        """
        seen, found = set(), []
        for x in block:
            differs = self.differs(x)
            if not (differs and type(x) is not If):
                for number, inner in enumerate(x.blocks):
                    with self.narrowed(x, number == 0):
                        self.meet_inside(inner, (some or differs) and not self.of_block(x))
            if some:
                made = self.shared_accesses(x, set())
                if self.meet(seen, made):
                    found.append(self.placed(x.location, Tile("meet")))
                    seen = set()
                seen |= made
                if type(x) in (For, While) and not differs and self.conflicts(x.body, x):
                    if not any(type(y) is Tile and y.name == "meet" for y in x.body):
                        x.body.append(self.placed(x.location, Tile("meet")))
            found.append(x)
        block[:] = found

    def spread(self, block):
        """Statements of the block, with those that some threads come to taken apart."""
        found = []
        for x in block:
            if x.blocks and exchanges(x):
                x = self.without_jumps(x)
                for one in x if isinstance(x, list) else [x]:
                    self.spread_one(one, found)
            else:
                found.append(x)
        return found

    def spread_one(self, statement, found):
        """One statement that may have work between threads inside."""
        if self.differs(statement) and not self.of_block(statement):
            self.take_apart(statement, None, found)
            return
        outer = self.part_threads
        if type(statement) is Warps:
            self.part_threads = 32 * statement.count
        for block in statement.blocks:
            block[:] = self.spread(block)
        self.part_threads = outer
        found.append(statement)

    def differs(self, statement):
        """Whether threads come to different parts of a compound statement."""
        return type(statement) in (If, For, While) and self.reads_threads(statement)

    def of_block(self, statement):
        """Whether there is work of the whole block inside that only all of its threads can do."""
        if by_hand(x for block in statement.blocks for x in block):
            return True
        for block in statement.blocks:
            for x in block:
                if type(x) is Tile and x.name not in _UNGUARDED:
                    sides = [getattr(y, "buffer", y) for y in x.operands.values()]
                    local = any(isinstance(y, Buffer) and y.space == "local" for y in sides)
                    if x.name not in OF_THREADS or (x.name in ("copy", "fill") and not local):
                        return True
                if type(x) is For and x.kind in ("parallel", "pipelined") or self.of_block(x):
                    return True
        return False

    # What all threads of the block have alike.
    def share_agreed(self, body):
        """Puts what a vote, a reduction or a shuffle gives to every thread of the block alike into
        shared memory, where work of the block depends on it: then the block has it, too. Says
        whether there was such a value."""
        values, conditions = {}, []
        self.dependences(body, (), values)
        self.deciding(body, False, conditions)
        wanted, seen = set(), set()
        while conditions:
            for x in behind_names(walk(conditions.pop())):
                wanted.add(id(x))
                if isinstance(x, Load) and x.buffer not in seen:
                    seen.add(x.buffer)
                    conditions += values.get(x.buffer, ())
        return bool(wanted) and self.share(body, wanted)

    def dependences(self, block, around, found):
        """What memory of threads is assigned, and the conditions under which it is."""
        for x in block:
            target = x.variable if type(x) is Assign else x.buffer if type(x) is Store else None
            if target is not None and target.space in ("var", "local"):
                found.setdefault(target, []).extend((x.value, *around))
            inner = (*around, x.condition) if type(x) in (If, While) else around
            for arm in x.blocks:
                self.dependences(arm, inner, found)

    def deciding(self, block, work, found):
        """Conditions that differ from thread to thread and decide on work of the block. `work`:
        the loop around has some."""
        for x in block:
            if type(x) is Warps:
                continue
            own = self.has_tiles(x)
            if type(x) in (If, While) and self.reads_threads(x):
                if own or (work and leaves([x])):
                    found.append(x.condition)
            for arm in x.blocks:
                self.deciding(arm, own if type(x) in (For, While) else work, found)

    def share(self, block, wanted):
        changed, found = False, []
        for x in block:
            for arm in x.blocks if type(x) is not Warps else ():
                changed |= self.share(arm, wanted)
            if type(x) is Define and id(x.let) in wanted and found and self.agreed(found[-1], x.let):
                shared = Buffer((1,), x.let.dtype, "shared.dyn", name="agreed")
                shared.location = x.location
                found.append(self.placed(x.location, Alloc(shared)))
                found.append(self.placed(x.location, Store(shared, (0,), x.let.value)))
                x.let.value, changed = Load(shared, (0,)), True
            found.append(x)
        block[:] = found
        return changed

    def agreed(self, statement, let):
        """Whether a named value is the result of an operation that gives all threads the same."""
        if type(statement) is not Tile or statement.name not in _BETWEEN_THREADS:
            return False
        operands, threads = statement.operands, self.kernel.threads
        if type(let.value) is not Load or let.value.buffer is not operands["target"]:
            return False
        if statement.name == "thread_reduce":
            return operands["group"] == threads
        from numpy import arange

        from .evaluation import evaluate

        places = evaluate(operands["place"], {id(self.kernel.thread_index): arange(threads)})
        return places is not None and places.min() == places.max()

    # Jumps.
    def jumps_apart(self, block, inside=False):
        """Kinds of jumps out of a block, of those of the loop around it, that only some threads do.

        `inside`: only some threads come to the block.
        """
        found = set()
        for x in block:
            if type(x) is Leave and inside:
                found.add(x.kind)
            elif type(x) not in (For, While) and x.blocks:
                some = inside or bool(found) or self.reads_threads(x)
                for arm in x.blocks:
                    found |= self.jumps_apart(arm, some)
        return found

    def jumps_of(self, statement):
        """Kinds of jumps of a loop that only some of the threads do that run it."""
        if type(statement) not in (For, While) or getattr(statement, "kind", "") == "parallel":
            return set()
        return self.jumps_apart(statement.body)

    def some_rounds(self, statement):
        """Whether some threads run a loop more often than others, in code of single threads."""
        return self.mode == "thread" and (
            self.differs(statement) or "break" in self.jumps_of(statement)
        )

    def without_jumps_apart(self, block):
        """Takes the jumps that only some threads do out of loops that a thread does not run alone;
        whether there was such a loop."""
        changed, found = False, []
        for x in block:
            made = [x]
            if self.jumps_of(x) and (self.of_all_threads(x) or self.kind_of(x) != "thread"):
                made, changed = self.without_jumps(x), True
            for inner in x.blocks:
                changed |= self.without_jumps_apart(inner)
            found += made
        block[:] = found
        return changed

    def of_all_threads(self, statement):
        """Whether there is work inside that all threads do together, or a place to meet."""
        return (
            self.has_tiles(statement)
            or exchanges(statement)
            or any(type(x) is Warps for block in statement.blocks for x in block)
            or self.meets_inside(statement)
        )

    def meets_inside(self, statement):
        """Whether threads must meet between statements inside, or from one round to the next."""
        loop = statement if type(statement) in (For, While) else None
        return any(
            self.conflicts(block, loop) or any(map(self.meets_inside, block))
            for block in statement.blocks
        )

    def without_jumps(self, statement):
        """A loop with `break` or `continue` as one with variables that say so: they may differ
        from thread to thread."""
        if type(statement) not in (For, While) or not leaves(statement.body):
            return statement
        where, jumps, first = statement.location, leaves(statement.body), []
        flags = []
        for kind in ("break", "continue"):
            flag = Buffer((1,), "bool", "local.var", name=kind) if kind in jumps else None
            flags.append(flag)
            if flag is not None:
                first.append(self.placed(where, Alloc(flag)))
        left, skipped = flags
        body = structured(statement.body, left, skipped, where)
        if skipped is not None:
            body = [self.placed(where, Assign(skipped, as_value(False))), *body]
        if left is not None:
            first.append(self.placed(where, Assign(left, as_value(False))))
            going = unary("not", left.as_load())
            if type(statement) is While:
                statement.condition = Op("and", (going, statement.condition), BOOL)
            else:
                guard = self.placed(where, If(going))
                guard.then, body = body, [guard]
                statement.kind = "serial"
        statement.body[:] = body
        return [*first, statement]

    @staticmethod
    def placed(location, statement):
        statement.location = location
        return statement

    def give_name(self, name, value, found, of_thread=True):
        """A named value; gives its name."""
        let = Let(name, value)
        let.location = self.spread_at
        found.append(self.placed(self.spread_at, Define(let)))
        if of_thread:
            self.thread_lets.add(id(let))
        return let

    # Under a condition.
    def take_apart(self, statement, active, found):
        """A statement with work between threads inside, for the threads for which `active` holds
        (None: all)."""
        self.spread_at, self.apart = statement.location, True
        if not self.differs(statement):
            for block in statement.blocks:
                made = []
                self.guard(block, active, made)
                block[:] = made
            found.append(statement)
        elif type(statement) is If:
            condition = statement.condition
            if not is_pure(condition):
                condition = self.give_name("holds", condition, found)
            for positive, arm in ((True, statement.then), (False, statement.otherwise)):
                if arm:
                    own = condition if positive else unary("not", condition)
                    both = own if active is None else Op("and", (active, own), BOOL)
                    self.guard(arm, both, found)
        elif type(statement) is For:
            self.take_loop_apart(statement, active, found)
        else:
            self.take_while_apart(statement, active, found)

    def guard(self, block, active, found):
        """Statements of threads under a condition; all threads do those between threads."""
        group = None
        for x in block:
            if type(x) is Define and self.may_always(x.let.value):
                found.append(x)
            elif type(x) is Define:
                let = x.let
                if active is not None:
                    let.value = select(active, let.value, Const(0, let.dtype))
                self.thread_lets.add(id(let))
                found.append(x)
            elif type(x) is Alloc:
                found.insert(len(found) - bool(found and found[-1] is group), x)
            elif type(x) is Tile and x.name in _UNGUARDED:
                if x.name == "thread_reduce" and active is not None:
                    source = x.operands["source"]
                    rest = self.placed(x.location, If(unary("not", active)))
                    value = neutral(x.operands["kind"], source.dtype)
                    rest.then = [self.placed(x.location, Store(source, (0,), value))]
                    found.append(rest)
                found.append(x)
            elif x.blocks and exchanges(x):
                for one in self.listed(self.without_jumps(x)):
                    if one.blocks:
                        self.take_apart(one, active, found)
                    elif type(one) is Alloc or active is None:
                        found.append(one)
                    else:
                        found.append(self.under(active, one))
            elif active is None:
                found.append(x)
            else:
                if group is None or found[-1] is not group:
                    group = self.under(active, x)
                    found.append(group)
                else:
                    group.then.append(x)
                self.note(x)

    @staticmethod
    def listed(value):
        return value if isinstance(value, list) else [value]

    def under(self, active, statement):
        """An `if` around a statement."""
        made = self.placed(statement.location, If(active))
        made.then = [statement]
        return made

    def note(self, statement):
        """What a statement under a condition assigns differs from thread to thread."""
        if type(statement) is Assign:
            self.thread_variables.add(statement.variable)
        if type(statement) is Store and statement.buffer.space == "local":
            self.thread_buffers.add(statement.buffer)
        for block in statement.blocks:
            for x in block:
                self.note(x)

    def may_always(self, value):
        """Whether a value may be computed by threads that do not come to its statement."""
        if isinstance(value, Load):
            inside = all(isinstance(x, int) for x in value.indices)
            return value.buffer.space in ("local", "var") and inside
        if type(value) is Op:
            if value.name in ("atomic", "call"):
                return False
            if value.name in ("floordiv", "truncdiv", "mod"):
                number = value.args[1]
                if not (isinstance(number, int) and number > 0):
                    return False
            return all(self.may_always(x) for x in value.args)
        return True

    # Loops.
    def of_all(self, value, found):
        """The greatest of a value of the threads, as a value of the block."""
        where = self.spread_at
        source, target = (Buffer((1,), "int32", "local", name="most") for _ in range(2))
        shared = Buffer((1,), "int32", "shared.dyn", name="most")
        self.thread_buffers |= {source, target}
        for x in (source, target, shared):
            x.location = where
            found.append(self.placed(where, Alloc(x)))
        sides = {"source": source, "target": target}
        reduce = Tile("thread_reduce", **sides, kind="max", group=self.part_threads)
        found += [
            self.placed(where, Store(source, (0,), value)),
            self.placed(where, reduce),
            self.placed(where, Store(shared, (0,), Load(target, (0,)))),
        ]
        return shared

    def take_loop_apart(self, statement, active, found):
        """A loop whose bounds differ: `count` rounds for all, and a thread stands still after its
        own."""
        index = statement.indices[0]
        first = self.give_name("first", cast(statement.start, index.dtype), found)
        span = binary("sub", statement.extents[0], first)
        step = statement.step
        count = binary("floordiv", binary("add", span, binary("sub", step, 1)), step)
        count = cast(binary("max", count, 0), INT32)
        if active is not None:
            count = select(active, count, 0)
        own = self.give_name("rounds", count, found)
        shared = self.of_all(own, found)
        most = self.give_name("most", Load(shared, (0,)), found, of_thread=False)
        round_ = Variable("_", "loop", low=0)
        place = binary("add", first, binary("mul", cast(round_, index.dtype), step))
        made = self.placed(statement.location, For("serial", [round_], [most]))
        index.kind = "thread"
        self.kernel.thread_indices[id(index)] = self.give_name(index.name, place, made.body)
        self.guard(statement.body, compare("lt", round_, own), made.body)
        found.append(made)

    def take_while_apart(self, statement, active, found):
        """A loop that some threads leave earlier: the block goes on while one of them does."""
        where = statement.location
        going = Buffer((1,), "bool", "local.var", name="going")
        going.location = where
        self.thread_variables.add(going)
        condition = statement.condition
        start = condition if active is None else Op("and", (active, condition), BOOL)
        found += [self.placed(where, Alloc(going)), self.placed(where, Assign(going, start))]
        shared = self.of_all(cast(going.as_load(), INT32), found)
        made = self.placed(where, While(compare("ne", Load(shared, (0,)), 0)))
        self.guard(statement.body, going.as_load(), made.body)
        self.spread_at = where
        again = Op("and", (going.as_load(), condition), BOOL)
        made.body.append(self.placed(where, Assign(going, again)))
        after = self.of_all(cast(going.as_load(), INT32), made.body)
        made.body.append(self.placed(where, Store(shared, (0,), Load(after, (0,)))))
        found.append(made)
