# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code for single threads: statements that depend on the thread's index, or on memory of its own.

The block's program has no threads. Statements in a row that depend on one become the iterations of
a parallel loop, one for each thread; what a thread keeps between two such loops is a row of a
fragment.
"""

import contextlib
import copy

from .buffers import Buffer
from .errors import StructureError, fail
from .kernel import thread_index
from .places import Places, nodes
from .ranges import forms_of, linear
from .statements import Alloc, Assign, Assume, Define, For, If, Store, Tile, Warps, While, allocated
from .thread_fragments import OF_THREADS, thread_fragments
from .values import Const, Let, Load, Op, Variable, binary, unary, walk


def _works_as_block(statement):
    """Whether there is work of the whole block inside, as far as statements alone say it."""
    for block in statement.blocks:
        for x in block:
            if type(x) is Tile:
                sides = (getattr(y, "buffer", y) for y in x.operands.values())
                local = any(isinstance(y, Buffer) and y.space == "local" for y in sides)
                if x.name not in OF_THREADS or (x.name in ("copy", "fill") and not local):
                    return True
            if type(x) is For and x.kind in ("parallel", "pipelined") or _works_as_block(x):
                return True
    return False


class Threads(Places):
    """The part of the emitter that finds and writes code for single threads."""

    def find_threads(self, body):
        """Which variables and named values differ from thread to thread."""
        from .arms import without_variables
        from .elements import as_elements, variables_of
        from .emit_warps import by_hand

        self.has_threads = self.kernel.thread_index is not None
        self.tables, self.compared = {}, {}  # of places of which no rule says whose they are
        self.mark_threads(body)
        own = thread_fragments(body, self) if self.has_threads else ()
        for buffer in own:
            buffer.space = "local"
        if own:
            self.mark_threads(body)
        if self.has_threads:
            if self.share_agreed(body):
                self.mark_threads(body)
            if self.without_jumps_apart(body):
                self.mark_threads(body)
            self.spread_all(body)
        # What every thread would hold alike, the block holds once.
        for buffer in without_variables(body, self.outside - self.thread_buffers):
            loops = None if by_hand(body) else as_elements(body, buffer)
            if loops is not None:
                buffer.elements = variables_of(buffer)
                self.written_out |= loops
                continue
            buffer.space = "shared"
            self.small.add(buffer)
        self.kinds = {}  # by identity, and statements have been replaced

    def mark_threads(self, body):
        """Finds what differs from thread to thread in statements as they are now."""
        self.thread_lets, self.thread_variables, self.thread_buffers = set(), set(), set()
        self.uses, self.spilled, self.kinds = {}, {}, {}
        self.outside, self.thread_loops = set(), set()  # indices of loops by identity
        self.in_parallel_only(body)
        self.count_uses(body)
        while self.has_threads and self.mark(body, False):
            pass

    def in_parallel_only(self, body, parallel=False):
        """Local buffers that code outside of T.Parallel touches: memory of the threads."""
        for statement in body:
            if not parallel:
                if type(statement) is Store and statement.buffer.space == "local":
                    self.outside.add(statement.buffer)
                for node in nodes(statement):
                    if isinstance(node, Load) and node.buffer.space == "local":
                        self.outside.add(node.buffer)
                if type(statement) is Tile:
                    for x in statement.operands.values():
                        buffer = x if isinstance(x, Buffer) else getattr(x, "buffer", None)
                        if isinstance(buffer, Buffer) and buffer.space == "local":
                            self.outside.add(buffer)
            inside = parallel or (type(statement) is For and statement.kind == "parallel")
            for block in statement.blocks:
                self.in_parallel_only(block, inside)

    def count_uses(self, body):
        for statement in body:
            for node in nodes(statement):
                node = self.kernel.thread_indices.get(id(node), node)
                if type(node) is Let:
                    self.uses[id(node)] = self.uses.get(id(node), 0) + 1
            for block in statement.blocks:
                self.count_uses(block)

    def of_thread(self, node):
        """Whether a node of a value differs from thread to thread; an atomic update is each
        thread's."""
        if type(node) is Op:
            return node.name == "atomic"
        if type(node) is Variable:
            return node.kind == "thread" or id(node) in self.thread_loops
        if type(node) is Let:
            return id(node) in self.thread_lets
        if isinstance(node, Load):
            return node.buffer in self.thread_variables or node.buffer in self.thread_buffers
        return False

    def reads_threads(self, statement):
        """Whether a statement differs from thread to thread."""
        return any(map(self.of_thread, nodes(statement)))

    def mark(self, body, inside, own=None):
        """One pass of the search; whether it found anything new.

        `inside`: under a condition that differs from thread to thread, or behind a jump under one.
        `own`: in the arm of one that has work of the block, what the arm allocates; all else that
        it assigns differs from then on.
        """
        changed = False
        for statement in body:
            threaded = inside or self.reads_threads(statement)
            if type(statement) is Tile and statement.name in ("copy",):
                source = statement.operands["source"].buffer
                threaded = threaded or source in self.thread_buffers
            if type(statement) is Define and threaded and id(statement.let) not in self.thread_lets:
                self.thread_lets.add(id(statement.let))
                changed = True
            if type(statement) is Assign:
                variable = statement.variable
                outer = own is not None and variable not in own
                if (threaded or outer) and variable not in self.thread_variables:
                    self.thread_variables.add(variable)
                    changed = True
            target = self.local_target(statement)
            if target is not None and target not in self.thread_buffers:
                if threaded or (own is not None and target not in own):
                    self.thread_buffers.add(target)
                    changed = True
            if type(statement) is For and statement.kind == "parallel":
                continue
            if type(statement) is For and self.reads_threads(statement):
                index = id(statement.indices[0])
                changed |= index not in self.thread_loops
                self.thread_loops.add(index)
            arm = own
            if threaded and self.some_threads(statement) and _works_as_block(statement):
                threaded, arm = inside, allocated((statement,), set(own or ()))
            threaded = threaded and type(statement) in (If, While, For)
            # Some threads come to the next round only.
            left = "break" in self.jumps_of(statement)
            for block in statement.blocks:
                changed |= self.mark(block, threaded or left, arm)
            inside = inside or bool(self.jumps_apart([statement]))
        return changed

    def local_target(self, statement):
        """The local buffer that a statement writes; operations between threads count as the
        threads'."""
        target = statement.buffer if type(statement) is Store else None
        if type(statement) is Tile:
            target = statement.operands.get("target")
            target = target if isinstance(target, Buffer) else getattr(target, "buffer", None)
            if statement.name in ("exchange", "thread_reduce"):
                for x in (target, statement.operands["source"]):
                    self.thread_buffers.add(x)
        return target if isinstance(target, Buffer) and target.space == "local" else None

    # What kind a statement is.
    def kind_of(self, statement):
        """`thread`: for each thread alone; `mixed`: has both kinds inside; else `block`."""
        if not self.has_threads:
            return "block"
        found = self.kinds.get(id(statement))
        if found is None:
            found = self.kinds[id(statement)] = self.find_kind(statement)
        return found

    def find_kind(self, statement):
        kind = type(statement)
        if kind is Tile:
            touches = any(
                (x if isinstance(x, Buffer) else getattr(x, "buffer", None)) in self.thread_buffers
                for x in statement.operands.values()
                if isinstance(x if isinstance(x, Buffer) else getattr(x, "buffer", None), Buffer)
            )
            return (
                "thread"
                if statement.name in OF_THREADS and (touches or self.reads_threads(statement))
                else "block"
            )
        if kind is Store:
            return (
                "thread"
                if statement.buffer in self.thread_buffers or self.reads_threads(statement)
                else "block"
            )
        if kind is Define:
            return "thread" if id(statement.let) in self.thread_lets else "block"
        if kind is Assign:
            return "thread" if statement.variable in self.thread_variables else "block"
        if kind is For and statement.kind in ("parallel",):
            return "block"
        if kind is Warps:
            return "mixed"
        if not statement.blocks:
            return "block"
        inner = set()
        for number, block in enumerate(statement.blocks):
            with self.narrowed(statement, number == 0):
                inner |= {self.kind_of(x) for x in block if type(x) is not Alloc}
        own = self.reads_threads(statement) or "break" in self.jumps_of(statement)
        if (
            not own
            and "thread" in inner
            and any(
                self.conflicts(block, statement if kind in (For, While) else None)
                for block in statement.blocks
            )
        ):
            return "mixed"
        if own and self.has_tiles(statement):
            if self.some_threads(statement):
                return "mixed"
            fail(
                "work of the whole block (a tile operation, T.Parallel or a barrier) under a"
                " condition or in a loop that differs from thread to thread (what follows"
                " T.thread_return, `break` or `continue` under a condition stands under it, too);"
                " move that work out of it, or write it for single threads, with loops of T.serial",
                statement.location,
            )
        alone = "thread" in inner and "mixed" not in inner and not self.has_tiles(statement)
        if own or (alone and self.only_threads(statement)):
            return "thread"
        return "mixed" if inner & {"thread", "mixed"} else "block"

    @contextlib.contextmanager
    def narrowed(self, statement, holds):
        """While the statements under a condition are looked at: the thread's index is one that the
        condition lets pass (or, where it does not hold, keeps out)."""
        thread = thread_index(self.kernel)
        outer = thread.low, thread.high
        for terms, rest in forms_of(statement.condition, holds) if type(statement) is If else []:
            if len(terms) != 1:
                continue
            factor, atom = next(iter(terms.values()))
            if atom is thread and factor == 1:
                thread.low = max(thread.low, -rest)
            elif atom is thread and factor == -1:
                thread.high = min(thread.high, rest)
        if thread.low > thread.high:  # nobody comes here
            thread.low, thread.high = outer
        try:
            yield
        finally:
            thread.low, thread.high = outer

    def some_threads(self, statement):
        """`if` of nothing but the thread's index and numbers: the work of the block inside is done
        by some threads."""
        if type(statement) is not If:
            return False
        alone = all(
            type(x) in (Op, Const) or x is self.kernel.thread_index for x in nodes(statement)
        )
        return alone and self.threads_of(statement.condition, ()) is not None

    def threads_of(self, condition, threads, positive=True):
        """Those of these threads for which a condition holds (or, `positive=False`, does not); None
        where its value is not known."""
        import numpy

        from .evaluation import evaluate

        found = self.at_threads.get(id(condition))
        if found is None:
            threads_alone = {id(self.kernel.thread_index): numpy.arange(self.kernel.threads)}
            numbers = evaluate(condition, threads_alone)
            if numbers is not None:
                numbers = numpy.broadcast_to(numbers != 0, self.kernel.threads)
            found = self.at_threads[id(condition)] = condition, numbers
        numbers = found[1]
        return None if numbers is None else [x for x in threads if numbers[x] == positive]

    def of_some_threads(self, statement):
        """Such an `if`: the condition stays on what threads do for themselves; one arm after the
        other, without those that no thread comes to."""
        self.prune(statement, range(self.kernel.threads))
        body = []
        for positive, arm in ((True, statement.then), (False, statement.otherwise)):
            condition = statement.condition if positive else unary("not", statement.condition)
            body += self.under_condition(arm, condition)
        self.kept.append(body)
        self.block(body)

    def prune(self, statement, threads):
        """Empties the arms that none of these threads comes to, those further inside, too."""
        if not self.some_threads(statement):
            for block in statement.blocks:
                for x in block:
                    self.prune(x, threads)
            return
        for positive, arm in ((True, statement.then), (False, statement.otherwise)):
            mine = self.threads_of(statement.condition, threads, positive)
            if not mine:
                arm.clear()
            for x in arm:
                self.prune(x, mine)
        self.check_arms(statement, threads)

    def check_arms(self, statement, threads):
        """Threads of one warp do not do different works of the block."""
        sides = (self.threads_of(statement.condition, threads, x) for x in (True, False))
        first, second = ({thread // 32 for thread in side} for side in sides)
        if not first & second:
            return
        works = [self.work_of_block(x) for x in (statement.then, statement.otherwise)]
        if all(works):
            fail(
                "threads of one warp part at this condition, and both arms have operations on tiles,"
                f" which are the work of the whole block (at {works[0].location} and"
                f" {works[1].location}); put them outside of the condition, or divide whole warps"
                " (32 threads)",
                statement.location,
                StructureError,
            )

    def work_of_block(self, arm):
        """The first operation on tiles of an arm, under further conditions on threads, too."""
        for x in arm:
            if type(x) is Tile and self.kind_of(x) == "block":
                return x
            if self.some_threads(x):
                found = self.work_of_block(x.then) or self.work_of_block(x.otherwise)
                if found:
                    return found
        return None

    def under_condition(self, block, condition):
        """Statements with a condition on those that threads do for themselves."""
        self.kept.append(condition)
        body, group, seen = [], None, set()
        for x in block:
            if self.kind_of(x) == "thread" and type(x) is not Alloc:
                made = self.shared_accesses(x, set())
                if group is None or self.meet(seen, made):
                    seen = set()
                    group = If(condition)
                    group.location = x.location
                    body.append(group)
                group.then.append(x)
                seen |= made
            elif self.kind_of(x) == "mixed" and type(x) is not Warps:
                body += self.with_condition(x, condition)
                group = None
            else:
                body.append(x)
                group = None if type(x) not in (Alloc, Assume) else group
        self.kept.append(body)
        return body

    def with_condition(self, statement, condition):
        """A statement that has work of the block and of threads inside, with a condition more on
        what threads do."""
        if type(statement) is If and self.reads_threads(statement):
            body = []
            for positive, arm in ((True, statement.then), (False, statement.otherwise)):
                own = statement.condition if positive else unary("not", statement.condition)
                body += self.under_condition(arm, binary("and", condition, own))
            return body
        made = copy.copy(statement)
        for name in ("then", "otherwise", "body"):
            if hasattr(statement, name):
                setattr(made, name, self.under_condition(getattr(statement, name), condition))
        self.kept += [statement, made]
        return [made]

    def has_tiles(self, statement):
        """Whether there is work of the whole block inside."""
        for block in statement.blocks:
            for x in block:
                if (
                    type(x) is Tile
                    and self.kind_of(x) == "block"
                    and x.name not in ("evaluate", "print", "assert")
                ):
                    return True
                if type(x) is For and x.kind in ("parallel", "pipelined"):
                    return True
                if self.has_tiles(x):
                    return True
        return False

    def only_threads(self, statement):
        """Whether a compound statement can be run by each thread alone: it assigns nothing of the
        block's."""
        for block in statement.blocks:
            for x in block:
                if (
                    type(x) is Assign
                    and x.variable not in self.thread_variables
                    and x.variable in self.variables
                ):
                    return False
                if not self.only_threads(x):
                    return False
        return True

    def gaps(self, indices):
        """Parts of the thread's index, as (from, to), that the indices of an element do not depend
        on."""
        covered = []
        for index in indices:
            for _, atom in linear(index)[0].values():
                for node in walk(atom):
                    if node is not self.kernel.thread_index and self.of_thread(node):
                        return []
                if any(node is self.kernel.thread_index for node in walk(atom)):
                    part = self.digits(atom)
                    if part is None:
                        return []
                    covered.append(part)
        found, at = [], 1
        for low, high in sorted(covered):
            if low > at:
                found.append((at, low))
            at = max(at, high)
        if at < self.kernel.threads:
            found.append((at, self.kernel.threads))
        return [(a, b) for a, b in found if b % a == 0]

    def digits(self, value):
        """(from, to) of the part of the thread's index that a value is; None of any other value."""
        if value is self.kernel.thread_index:
            return 1, self.kernel.threads
        if type(value) is Op and value.name in ("floordiv", "mod") and type(value.args[1]) is int:
            inner, number = self.digits(value.args[0]), value.args[1]
            if inner is not None:
                low, high = inner
                return (
                    (low * number, high)
                    if value.name == "floordiv"
                    else (low, min(high, low * number))
                )
        return None

    # Groups.
    def run_group(self, statements):
        """One parallel loop over the threads; what is named here and used elsewhere is kept in
        fragments."""
        self.allocate_within(statements, ("local", "shared"))
        inside = {}
        self._count_into(statements, inside)
        self._spill(statements, inside)
        index, loc = thread_index(self.kernel), self.loc
        self.count += 1
        name = f"%{self.count}"
        self.mode = "thread"
        first, count = self.threads_here()
        with self.region():
            place = name
            if first:
                place = self.op(f"arith.addi {name}, {self.constant(first, 'index')} : index")
            self.scopes[-1][("index", id(index))] = place
            self.scopes[-1][("row", first)] = name
            self.block(statements)
            lines = self.lines
        self.mode = "block"
        self.lines += [
            f"tile.parallel ({name}) in ({count}) attributes"
            f" {{coalesced_width = 1 : i64}} {{",
            *lines,
            f"}} {loc}",
        ]

    def _count_into(self, statements, found):
        for statement in statements:
            for node in nodes(statement):
                node = self.kernel.thread_indices.get(id(node), node)
                if type(node) is Let:
                    found[id(node)] = found.get(id(node), 0) + 1
            for block in statement.blocks:
                self._count_into(block, found)

    def _spill(self, statements, inside):
        """Memory for what is named in a group, in its branches, too, and used in another one."""
        for statement in statements:
            for block in statement.blocks:
                self._spill(block, inside)
            if type(statement) is Define:
                let = statement.let
                if self.uses.get(id(let), 0) > inside.get(id(let), 0):
                    first, count = self.threads_here()
                    space = self.space_of_threads(let)
                    kind = f"memref<{count}x{let.dtype.mlir}, {space}>"
                    self.spilled[id(let)] = (self.op(f"tile.alloc : {kind}"), kind, first)

    def keep_for_threads(self, let, name):
        """Stores a named value that other groups use."""
        place = self.spilled.get(id(let))
        if place is None or self.mode != "thread":
            return
        fragment, kind, first = place
        self.effect(f"memref.store {name}, {fragment}[{self.row(first)}] : {kind}")

    def recompute(self, let):
        """A named value of the threads, from another group; None where it is none."""
        place = self.spilled.get(id(let)) if self.mode == "thread" else None
        if place is None:
            return None
        fragment, kind, first = place
        return self.op(f"memref.load {fragment}[{self.row(first)}] : {kind}")

    def row(self, first):
        """The row of a thread in what holds one for each thread from `first` on."""
        return self.find(("row", first)) or self.index(thread_index(self.kernel))

    def space_of_threads(self, name):
        """Where a row for each thread is: in a fragment, or where other warps find it, too."""
        return "#gpu.address_space<workgroup>" if id(name) in self.crossing else "#tile.fragment"

    def thread_memory(self, buffer):
        """Memory of a thread's own: a row for each."""
        shape = "x".join(map(str, buffer.shape))
        first, count = self.threads_here()
        kind = f"memref<{count}x{shape}x{buffer.dtype.mlir}, {self.space_of_threads(buffer)}>"
        name = self.op(f"tile.alloc : {kind}")
        self.scopes[-1][("buffer", id(buffer))] = name
        self.scopes[-1][("rows", id(buffer))] = kind
        self.scopes[-1][("threads", id(buffer))] = first, count

    # Work that a thread does for itself.
