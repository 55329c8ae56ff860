# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warps and barriers by hand to operations of the tile dialect."""

from .buffers import Buffer
from .errors import fail
from .kernel import thread_index
from .places import nodes
from .ranges import forms_of
from .statements import Alloc, Assign, Define, If, Tile, Undefined, Warps
from .values import BOOL, Let, Op, binary


def by_hand(block):
    """Whether statements wait, arrive, or choose warps themselves."""
    return any(
        type(x) is Warps
        or (type(x) is Tile and x.name.startswith("mbarrier_"))
        or any(map(by_hand, x.blocks))
        for x in block
    )


def _mentions(statement, buffer):
    """Whether a statement, or one inside of it, uses a buffer."""
    # `==` of a variable compares its value, so the buffers are compared by `is`.
    if any(getattr(statement, x, None) is buffer for x in ("variable", "buffer")):
        return True
    if any(getattr(node, "buffer", None) is buffer for node in nodes(statement)):
        return True
    if type(statement) is Tile:
        sides = statement.operands.values()
        if any(x is buffer or getattr(x, "buffer", None) is buffer for x in sides):
            return True
    return any(_mentions(x, buffer) for block in statement.blocks for x in block)


def _names_of(statement, kernel):
    """Identities of the buffers, variables and named values that a statement itself uses."""
    own = [getattr(statement, x, None) for x in ("variable", "buffer", "let")]
    if type(statement) is Tile:
        own += [getattr(x, "buffer", x) for x in statement.operands.values()]
    for node in nodes(statement):
        node = kernel.thread_indices.get(id(node), node)
        own.append(getattr(node, "buffer", node))
    return {id(x) for x in own if isinstance(x, (Buffer, Let))}


def _is_budget(statement):
    return type(statement) is Tile and statement.name == "set_max_nreg"


class HandWarps:
    """The part of the emitter that writes them."""

    def tile_set_max_nreg(self, statement, registers):
        """What `do_Warps` reads."""

    def tile_meet(self, statement):
        """Nothing is written: a group of statements has ended here, and the compiler places
        barriers between two such groups where one reads what the other writes."""

    def tile_sync(self, statement, all=False):  # noqa: A002
        """A barrier: the end of a group; the compiler orders what follows."""

    def tile_unknown_call(self, statement, function, arguments):
        from .cuda_calls import unknown_call

        unknown_call(function, statement.location)

    def tile_mbarrier_create(self, statement, barriers):
        counts = barriers.counts[:1] if len(set(barriers.counts)) == 1 else barriers.counts
        kind = f"!tile.mbarrier<{len(barriers)}>"
        cluster = " cluster" if barriers.cluster else ""
        name = self.op(f"tile.mbarrier.create arrivals {list(counts)}{cluster} : {kind}")
        self.scopes[-1][("barriers", id(barriers))] = name

    def _barrier(self, barriers):
        name = self.find(("barriers", id(barriers)))
        if name is None:
            fail("a barrier is used outside of the region that allocates it", self.location)
        return name, f"!tile.mbarrier<{len(barriers)}>"

    def tile_mbarrier_wait(self, statement, barriers, index, parity):
        self.only_in_blocks("T.mbarrier_wait_parity")
        name, kind = self._barrier(barriers)
        self.effect(
            f"tile.mbarrier.wait {name}[{self.index(index)}] parity {self.index(parity)} : {kind}"
        )

    def tile_mbarrier_arrive(self, statement, barriers, index, block, after_copies):
        self.only_in_blocks("T.mbarrier_arrive")
        name, kind = self._barrier(barriers)
        at = "" if block is None else f" block({self.index(block)})"
        at += " after_copies" if after_copies else ""
        self.effect(f"tile.mbarrier.arrive {name}[{self.index(index)}]{at} : {kind}")

    def tile_cluster_barrier(self, statement):
        self.only_in_blocks("T.cluster_sync")
        self.effect("tile.cluster_barrier")

    def tile_cluster_gather(self, statement, source, target):
        self.only_in_blocks("T.cluster_gather")
        name, kind = self.whole(source)
        result, result_kind = self.whole(target)
        self.effect(f"tile.cluster_gather {name} to {result} : {kind} to {result_kind}")

    def tile_cluster_copy(self, statement, source, target, block, barrier, coalesced_width, layout):
        self.only_in_blocks("T.copy_cluster")
        arrives = ""
        if barrier is not None:
            name, kind = self._barrier(barrier.barriers)
            arrives = f" arrives({name}[{self.index(barrier.index)}] : {kind})"
        attributes = []
        if coalesced_width:
            attributes.append(f"coalesced_width = {int(coalesced_width)} : i64")
        if layout:
            attributes.append(f"layout = {layout}")
        text = f" {{{', '.join(attributes)}}}" if attributes else ""
        types = f"{self.memref(source.buffer)} to {self.memref(target.buffer)}"
        self.effect(
            f"tile.cluster_copy {self.place(source)} to {self.place(target)}"
            f" block({self.index(block)}){arrives}{text} : {types}"
        )

    def do_Warps(self, statement):
        self.only_in_blocks("T.ws")
        carried = self.carried(statement.body)
        if carried and statement.loops:
            fail(
                f"the variable {carried[0].name} is assigned in T.ws, where only some warps are;"
                " allocate it inside, or keep it in a tile",
                statement.location,
            )
        loc, body = self.loc, statement.body
        stated = [x.operands["registers"] for x in body if _is_budget(x)]
        stated = stated or self.budgets_around(statement)
        registers = f" registers {max(stated)}" if stated else ""
        self.warps = statement
        first, count = self.threads_here()
        known = ()
        if self.has_threads:
            index = thread_index(self.kernel)
            inside = binary("and", index >= first, index < first + count)
            self.kept.append(inside)
            known = forms_of(inside)
        self.enter_part(statement)
        with self.region(known):
            self.block(body)
            lines = self.lines
        self.leave_part(statement, carried)
        self.warps = None
        head = f"tile.on_warps {statement.first} count {statement.count}{registers} {{"
        self.lines += [head, *lines, f"}} {loc}"]

    def enter_part(self, part):
        """What variables hold that other parts assigned: a thread has its own, so warps that ran
        none of these parts have what the variable was before."""
        for v, (before, others) in list(self.parted.items()):
            if not getattr(self.variables.get(v), "by_warps", False):
                del self.parted[v]  # assigned again since
            elif all(
                part.first >= x.first + x.count or x.first >= part.first + part.count
                for x in others
            ):
                self.variables[v] = before

    def leave_part(self, part, assigned):
        for v in assigned:
            self.parted.setdefault(v, (self.variables[v], []))[1].append(part)
        for v, (_, others) in self.parted.items():
            self.variables[v] = Undefined(others[-1].location, by_warps=True)

    def budgets_around(self, part):
        """What a condition on threads that does nothing else says of the registers of a part's
        warps: `if tx >= 256: T.set_max_nreg(24)`."""
        mine = range(32 * part.first, 32 * (part.first + part.count))
        stated = []
        for x in self.kernel.body:
            if type(x) is not If or not self.reads_threads(x):
                continue
            for positive, arm in ((True, x.then), (False, x.otherwise)):
                if arm and all(_is_budget(y) for y in arm):
                    if self.threads_of(x.condition, mine, positive) == list(mine):
                        stated += [y.operands["registers"] for y in arm]
        return stated

    def threads_here(self):
        """The first of the threads that run the code here, and how many there are."""
        if self.warps is None:
            return 0, self.kernel.threads
        return 32 * self.warps.first, 32 * self.warps.count

    def is_first(self, low, high):
        """Whether a thread is the first, of those that are here, of those that differ from it in
        index // low % (high // low) only."""
        index, first = thread_index(self.kernel), self.threads_here()[0]
        digit = index // low % (high // low)
        result = Op("eq", (digit, 0), BOOL)
        if first % high == 0:
            return result
        if first % low:
            fail(
                "threads of these warps store one element, and which of them are alike does not"
                " follow from their numbers; store it under a condition that one thread keeps",
                self.location,
            )
        # The threads in front are other warps'.
        self.kept.append(result)
        begins = Op("eq", (digit, first // low % (high // low)), BOOL)
        here = Op("eq", (index // high, first // high), BOOL)
        self.kept += [begins, here]
        return Op("or", (result, self.keep(Op("and", (here, begins), BOOL))), BOOL)

    def sink(self, block):
        """Variables and memory of threads that one range of warps uses alone are allocated in
        its part."""
        for alloc in [x for x in block if type(x) is Alloc]:
            buffer = alloc.buffer
            if not buffer.is_var and buffer not in self.thread_buffers:
                continue
            users = [x for x in block if x is not alloc and _mentions(x, buffer)]
            first = [x for x in users if type(x) is Assign and x.variable is buffer]
            parts = [x for x in users if not any(x is y for y in first)]
            if len(parts) != 1 or users[-1] is not parts[0]:
                continue
            body = self.part_of(parts[0], buffer)
            if body is None or any(self.reads_threads(x) for x in first):
                continue
            for x in (alloc, *first):
                block.remove(x)
            body[:0] = [alloc, *first]

    def part_of(self, statement, buffer):
        """The body of the part for some warps in which alone a buffer is used; None for none."""
        if type(statement) is Warps:
            return statement.body
        if type(statement) is not If or not self.reads_threads(statement):
            return None
        if not by_hand(statement.then) and not by_hand(statement.otherwise):
            return None
        arms = [
            arm
            for arm in (statement.then, statement.otherwise)
            if any(_mentions(x, buffer) for x in arm)
        ]
        if len(arms) != 1:
            return None
        inner = arms[0][0]
        if len(arms[0]) == 1 and type(inner) is If and self.reads_threads(inner):
            return self.part_of(inner, buffer)
        return arms[0]

    def find_crossing(self, body):
        """What threads keep of their own that warps of several parts use, or one part and the code
        around it: buffers, variables and named values, by identity. Fragments are of the same warps
        everywhere, so these are in shared memory."""
        places = {}
        self._find_places(body, None, places)
        self.crossing = {key for key, found in places.items() if len(found) > 1}

    def _find_places(self, body, place, places):
        for statement in body:
            if type(statement) is not Alloc:
                for key in _names_of(statement, self.kernel):
                    places.setdefault(key, set()).add(place)
            divided = type(statement) is If and self.reads_threads(statement)
            divided = divided and any(map(by_hand, statement.blocks))
            for arm in statement.blocks:
                mine = place
                if type(statement) is Warps or divided:
                    mine = id(arm)
                # What stands around an `if` on warps is done by each of its parts.
                at = self.inner_arms(arm) if divided else None
                self._find_places(arm if at is None else arm[at : at + 1], mine, places)

    def arms_on_warps(self, statement):
        """An `if` on the thread's index with barriers inside: each arm is its warps' program."""
        arms = []
        first, count = self.threads_here()
        self.find_arms(statement, range(first, first + count), arms)
        self.kept.append(arms)
        self.block(arms)

    def arms_within(self, statement, threads, ahead, behind):
        """The arms of an `if` in an arm. Ranges of warps do not nest: each does for itself what
        stands ahead of the `if` and behind it, those that come to no arm, too."""
        arms = []
        self.find_arms(statement, threads, arms)
        warps = sorted({t // 32 for t in threads})
        covered = {w for part in arms for w in range(part.first, part.first + part.count)}
        for warp in warps:
            if warp not in covered and ahead + behind:
                rest = Warps(warp, 1, loops=self.depth)
                rest.location = statement.location
                arms.append(rest)
        for part in arms:
            part.body[:0] = ahead
            part.body += behind
        return arms

    def inner_arms(self, arm):
        """The place in an arm of an `if` whose arms are programs of warps, or of an `elif`; None
        where there is none, or where something else is done by all warps of the arm together."""
        work = [x for x in arm if type(x) is not Alloc]
        found = [x for x in work if type(x) is If and self.reads_threads(x)]
        found = [x for x in found if work == [x] or any(map(by_hand, x.blocks))]
        if len(found) != 1 or not all(self.is_of_each(x) for x in work if x is not found[0]):
            return None
        return next(at for at, x in enumerate(arm) if x is found[0])

    def is_of_each(self, statement):
        """Whether warps may do a statement of several warps each for itself."""
        if type(statement) is Tile and statement.name in ("mbarrier_wait", "mbarrier_arrive"):
            return True
        return _is_budget(statement) or type(statement) in (Define, Assign)

    def find_arms(self, statement, threads, arms):
        """The arms of an `if` that some threads come to; of an `elif`, too."""
        for positive, arm in ((True, statement.then), (False, statement.otherwise)):
            work = [x for x in arm if type(x) is not Alloc]
            mine = self.threads_of(statement.condition, threads, positive)
            if mine is None:
                fail(
                    "barriers under a condition of which it is not known which threads it holds for;"
                    " use the index of the thread and numbers alone",
                    statement.location,
                )
            if not work or not mine:
                continue
            at = self.inner_arms(arm)
            if at is not None:
                arms += self.arms_within(arm[at], mine, arm[:at], arm[at + 1 :])
                continue
            first, last = mine[0], mine[-1] + 1
            if last - first != len(mine) or first % 32 or last % 32:
                fail(
                    "barriers under a condition that is not one of whole warps in a row",
                    statement.location,
                )
            if all(type(x) is Warps for x in work):
                # T.ws says once more which warps these are.
                for part in work:
                    if part.first < first // 32 or part.first + part.count > last // 32:
                        fail("T.ws of warps that the condition around it keeps out", part.location)
                arms.extend(arm)
                continue
            made = Warps(first // 32, (last - first) // 32, loops=self.depth)
            made.location = statement.location
            made.body = list(arm)
            arms.append(made)
