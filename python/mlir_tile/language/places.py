# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which threads touch which elements of tiles in shared memory, and so where threads must meet.

A place is what one access touches: `exact`, a key of its indices; `owner`, a key of the rule by
which an element says whose it is, where its indices are a number in mixed radix of parts of the
thread's index and of what loops inside add. Two accesses by one rule touch an element by the same
thread only. Where there is no such rule, the elements of all threads and of all iterations inside
are counted. Several threads that write one element by the same indices, and then read it by them,
write the same: they do not wait for each other, unless some of them only write or only read
(`every`: all threads that come to the statement do).
"""

import collections

from .buffers import Buffer
from .ranges import bounds_of, key_of, linear
from .statements import Assign, Define, For, If, Store, Tile, While
from .values import Expr, Let, Load, Op, Variable, walk

Place = collections.namedtuple("Place", "exact owner inner every")

Table = collections.namedtuple("Table", "of_block around columns threads")
"""Elements that an access touches: what of their indices is the block's (terms, left out; loops
around, among the columns), the rest of each index, and the threads."""

_MOST = 1 << 18  # elements that are counted


def expressions(statement):
    """The values that a statement itself (without its blocks) reads."""
    kind = type(statement)
    if kind is Store:
        return (statement.value, *statement.indices)
    if kind is Define:
        return (statement.let.value,)
    if kind is Assign:
        return (statement.value,)
    if kind in (If, While):
        return (statement.condition,)
    if kind is For:
        return (statement.start, statement.step, *statement.extents)
    if kind is Tile:
        found = []
        for x in statement.operands.values():
            if isinstance(x, Expr):
                found.append(x)
            elif hasattr(x, "offsets"):
                found += list(x.offsets)
        return tuple(found)
    return ()


def nodes(statement):
    """Every node of a statement's own values; operands of atomics, too."""
    for root in expressions(statement):
        for node in walk(root):
            if type(node) is Op and node.name == "atomic":
                for x in (*node.args[2], node.args[3]):
                    yield from walk(x)
            yield node


def accesses_of(block):
    """Loads and stores of statements, those of nested blocks, too."""
    for statement in block:
        yield from (x for x in nodes(statement) if isinstance(x, Load))
        if type(statement) is Store:
            yield statement
        for inner in statement.blocks:
            yield from accesses_of(inner)


def steady_buffers(value, block, small):
    """Memory of threads that a value reads and that statements do not write; `small`: such memory
    that the block holds in shared memory. Shared memory else may be written by other warps."""
    read = [x.buffer for x in walk(value) if isinstance(x, Load)]
    own = [x for x in read if x.space not in ("global", "shared") or x in small]
    return [x for x in own if not any(_may_write(statement, x) for statement in block)]


def _may_write(statement, buffer):
    """Whether a statement, or one inside of it, may write a buffer."""
    own = getattr(statement, "variable", None) if type(statement) is Assign else None
    if type(statement) is Store:
        own = statement.buffer
    if own is buffer:
        return True
    if type(statement) is Tile:
        sides = statement.operands.values()
        if any(x is buffer or getattr(x, "buffer", None) is buffer for x in sides):
            return True
    if any(
        type(x) is Op and x.name in ("atomic", "call") and any(y is buffer for y in x.args)
        for x in nodes(statement)
    ):
        return True
    return any(_may_write(x, buffer) for inner in statement.blocks for x in inner)


def behind_names(nodes):
    """Nodes, and those of the values that named ones stand for."""
    for node in nodes:
        yield node
        if type(node) is Let and isinstance(node.value, Expr):
            yield from behind_names(walk(node.value))


def numbers_of(ranges):
    """The numbers of ranges (low, high), along an axis each; None where there are too many, or
    where a bound is not known."""
    import numpy

    values, count = {}, 1
    for axis, (key, (low, high)) in enumerate(ranges.items()):
        if low is None or high is None:
            return None
        count *= high - low + 1
        if not 0 < count <= _MOST:
            return None
        shape = [1] * len(ranges)
        shape[axis] = high - low + 1
        values[key] = numpy.arange(low, high + 1).reshape(shape)
    return values


def alike(first, second):
    """Whether each element that two tables have is of one thread."""
    import numpy

    threads = numpy.concatenate((first.threads, second.threads))
    codes, span = numpy.zeros_like(threads), 1
    for a, b in zip(first.columns, second.columns, strict=True):
        column = numpy.concatenate((a, b))
        size = int(column.max() - column.min()) + 1
        span *= size
        if span >= 1 << 62:
            return False
        codes = codes * size + (column - column.min())
    order = numpy.lexsort((threads, codes))
    codes, threads = codes[order], threads[order]
    return not ((codes[1:] == codes[:-1]) & (threads[1:] != threads[:-1])).any()


class Places:
    """The part of the emitter that asks where threads meet."""

    def place_of(self, indices, inner, every=True):
        """The place of an access whose indices depend on the thread and on nothing in memory; else
        None. `inner`: indices, by identity, of the loops inside of what is asked about."""
        atoms = [x for index in indices if isinstance(index, Expr) for x in walk(index)]
        if any(isinstance(x, Load) for x in atoms) or not any(map(self.of_thread, atoms)):
            return None
        exact, owner = tuple(map(key_of, indices)), self.owner_of(indices, inner)
        inside = {id(x): x for x in behind_names(atoms) if id(x) in inner}
        place = Place(exact, owner, frozenset(inside), every)
        if owner is None and (exact, place.inner) not in self.tables:
            self.tables[exact, place.inner] = self.table(indices, list(inside.values()))
        return place

    def table(self, indices, inner):
        """What an access touches, counted; None where it cannot be."""
        import numpy

        from .evaluation import evaluate

        forms = [linear(x) for x in indices]
        axes = {id(self.kernel.thread_index): self.kernel.thread_index}
        axes.update((id(x), x) for x in inner)
        of_block = []
        for number, (terms, _) in enumerate(forms):
            for key, (factor, atom) in list(terms.items()):
                found = list(behind_names(walk(atom))) if isinstance(atom, Expr) else []
                if not any(self.of_thread(x) or id(x) in axes for x in found):
                    of_block.append((number, key, factor))
                    del terms[key]
        # Loops around the access whose index stands beside the thread's: for each number of theirs.
        atoms = [atom for terms, _ in forms for _, atom in terms.values()]
        around = {
            id(x): x
            for atom in atoms
            for x in behind_names(walk(atom))
            if type(x) is Variable and id(x) not in axes
        }
        axes.update(around)
        ranges = {x: (v.low, v.high) for x, v in axes.items()}
        # All threads, those that a condition around keeps out, too.
        ranges[id(self.kernel.thread_index)] = 0, self.kernel.threads - 1
        values = numbers_of(ranges)
        if values is None:
            return None
        columns = []
        for terms, constant in forms:
            column = constant
            for factor, atom in terms.values():
                found = evaluate(atom, values)
                if found is None or max(abs(int(found.min())), abs(int(found.max()))) >= 1 << 31:
                    return None
                if abs(factor) >= 1 << 31 or abs(constant) >= 1 << 31:
                    return None
                column = column + factor * found
            columns.append(column)
        sizes = numpy.broadcast_shapes(*(x.shape for x in values.values()))
        columns += [values[x] for x in sorted(around)]
        flat = [numpy.broadcast_to(x, sizes).ravel() for x in columns]
        thread = numpy.broadcast_to(values[id(self.kernel.thread_index)], sizes).ravel()
        return Table(frozenset(of_block), frozenset(around), flat, thread)

    def one_thread(self, place, other, both_every=True):
        """Whether no element of one place is another thread's of the other one, or, where both are
        what every thread touches (`both_every`), whether threads that share one share the other."""
        if place is None or other is None:
            return False
        if place.owner is not None and place.owner == other.owner:
            return True
        if both_every and place.every and other.every and not place.inner:
            if place.exact == other.exact:
                return True
        first, second = (self.tables.get((x.exact, x.inner)) for x in (place, other))
        if first is None or second is None or first[:2] != second[:2]:
            return False
        key = (place.exact, place.inner), (other.exact, other.inner)
        if key not in self.compared:
            self.compared[key] = alike(first, second)
        return self.compared[key]

    def owner_of(self, indices, inner):
        """The rule by which an element says whose it is; None where there is none that is seen.

        Of each index: terms of the thread, terms of the block, and a rest (of inner loops, and a
        number) that is smaller than every factor of the thread's terms.
        """
        if self.gaps(indices):
            return None
        rule, parts = [], []
        for index in indices:
            terms, constant = linear(index)
            of_thread, of_block, rest = {}, {}, {}
            for key, (factor, atom) in terms.items():
                found = list(behind_names(walk(atom))) if isinstance(atom, Expr) else []
                threads = any(map(self.of_thread, found))
                inside = any(id(x) in inner for x in found)
                if threads and inside:
                    return None
                kind = of_thread if threads else rest if inside else of_block
                kind[key] = factor, atom
            low, high = bounds_of((rest, constant))
            at = 1
            if of_thread:
                if None in (low, high) or low < 0:
                    return None
                at = high + 1
            for key, (factor, atom) in sorted(of_thread.items(), key=lambda x: abs(x[1][0])):
                part = self.digits(atom)
                if part is None or factor < at:
                    return None
                parts.append(part)
                at = factor * (part[1] // part[0])
            rule.append((frozenset((k, f) for k, (f, _) in of_thread.items()),
                         frozenset((k, f) for k, (f, _) in of_block.items()) if of_thread else None))
        return tuple(rule)

    def shared_accesses(self, statement, found, inner=frozenset(), known=True, every=True):
        """Shared buffers that a statement reads (False) and writes (True), and the place: None for
        any. `known`: nothing around it makes places unknown; `every`: no condition keeps threads
        from it."""

        def add(buffer, written, indices):
            place = None
            if known and indices is not None:
                place = self.place_of(indices, inner, every)
            found.add((buffer, written, place))

        for node in nodes(statement):
            if isinstance(node, Load) and node.buffer.space == "shared":
                add(node.buffer, False, node.indices)
            if type(node) is Op and node.name == "atomic" and node.args[1].space == "shared":
                add(node.args[1], True, None)
        if type(statement) is Store and statement.buffer.space == "shared":
            add(statement.buffer, True, statement.indices)
        if type(statement) is Tile:
            for key, x in statement.operands.items():
                buffer = getattr(x, "buffer", None)
                if isinstance(buffer, Buffer) and buffer.space == "shared":
                    written = key in ("target", "values", "places") or statement.updates(key)
                    add(buffer, written, None)
        if type(statement) is For:
            inner = inner | set(map(id, statement.indices))
        if type(statement) is While or (type(statement) is For and self.reads_threads(statement)):
            known = False
        every = every and not (type(statement) is If and self.reads_threads(statement))
        for block in statement.blocks:
            for x in block:
                self.shared_accesses(x, found, inner, known, every)
        return found

    def meet(self, earlier, later):
        """Whether threads must meet between statements with these accesses."""
        return any(
            a is b and (first or second) and not self.one_thread(place, other)
            for a, first, place in earlier
            for b, second, other in later
        )

    def conflicts(self, block, loop=None):
        """Whether threads must meet between statements of a block (of a loop: from one iteration to
        the next)."""
        seen = set()
        for statement in block:
            made = self.shared_accesses(statement, set())
            if self.meet(seen, made):
                return True
            seen |= made
        if loop is None or not seen:
            return False
        inner = frozenset(map(id, loop.indices)) if type(loop) is For else frozenset()
        seen = set()
        for statement in block:
            self.shared_accesses(statement, seen, inner)
        written = {buffer for buffer, writes, _ in seen if writes}
        return any(
            self.returns(loop, {p for b, _, p in seen if b is buffer}, buffer, block)
            for buffer in written
        )

    def returns(self, loop, places, buffer, block):
        """Whether an iteration of a loop may touch an element that another thread touches in
        another one."""
        if None in places:
            return True
        pairs = ((a, b) for a in places for b in places)
        if all(self.one_thread(a, b, both_every=False) for a, b in pairs):
            return False
        exact = {x.exact for x in places}
        return len(exact) > 1 or not self.moves_on(loop, buffer, exact.pop(), block)

    def moves_on(self, loop, buffer, exact, block):
        """Whether no iteration of a loop touches an element of a place that another one touches."""
        if type(loop) is not For or len(loop.indices) != 1:
            return False
        counter = loop.indices[0]
        for index in self.indices_at(buffer, exact, block):
            terms, rest = linear(index)
            factor = terms.pop(key_of(counter), (0,))[0]
            low, high = bounds_of((terms, rest))
            if None not in (low, high) and abs(factor) > high - low:
                return True
        return False

    def indices_at(self, buffer, exact, block):
        """The indices of the accesses of a block to a place."""
        for statement in block:
            accesses = [x for x in nodes(statement) if isinstance(x, Load)]
            if type(statement) is Store:
                accesses.append(statement)
            for x in accesses:
                if x.buffer is buffer and tuple(map(key_of, x.indices)) == exact:
                    return x.indices
            for inner in statement.blocks:
                found = self.indices_at(buffer, exact, inner)
                if found:
                    return found
        return ()
