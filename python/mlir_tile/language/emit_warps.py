# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warps and barriers by hand to operations of the tile dialect."""

from .arithmetic import FOLD
from .errors import fail
from .kernel import thread_index
from .statements import Alloc, Tile, Warps
from .values import Const, Expr, Op, binary


def by_hand(block):
    """Whether statements wait, arrive, or choose warps themselves."""
    return any(
        type(x) is Warps
        or (type(x) is Tile and x.name.startswith("mbarrier_"))
        or any(map(by_hand, x.blocks))
        for x in block
    )


def _at_thread(value, number):
    """The number that a value of the thread's index and of numbers is for one thread."""
    if not isinstance(value, Expr):
        return value
    if type(value) is Const:
        return value.value
    if type(value) is not Op:
        return number
    arguments = [_at_thread(x, number) for x in value.args]
    return arguments[0] if value.name == "cast" else FOLD[value.name](*arguments)


class HandWarps:
    """The part of the emitter that writes them."""

    def tile_mbarrier_create(self, statement, barriers):
        counts = barriers.counts[:1] if len(set(barriers.counts)) == 1 else barriers.counts
        kind = f"!tile.mbarrier<{len(barriers)}>"
        name = self.op(f"tile.mbarrier.create arrivals {list(counts)} : {kind}")
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

    def tile_mbarrier_arrive(self, statement, barriers, index):
        self.only_in_blocks("T.mbarrier_arrive")
        name, kind = self._barrier(barriers)
        self.effect(f"tile.mbarrier.arrive {name}[{self.index(index)}] : {kind}")

    def do_Warps(self, statement):
        self.only_in_blocks("T.ws")
        carried = self.carried(statement.body)
        if carried:
            fail(
                f"the variable {carried[0].name} is assigned in T.ws, where only some warps are;"
                " allocate it inside, or keep it in a tile",
                statement.location,
            )
        loc, body = self.loc, statement.body
        if self.has_threads:
            index, first = thread_index(self.kernel), 32 * statement.first
            inside = binary("and", index >= first, index < first + 32 * statement.count)
            body = self.under_condition(body, inside)
        with self.region():
            self.block(body)
            lines = self.lines
        registers = f" registers {statement.registers}" if statement.registers else ""
        head = f"tile.on_warps {statement.first} count {statement.count}{registers} {{"
        self.lines += [head, *lines, f"}} {loc}"]

    def arms_on_warps(self, statement):
        """An `if` on the thread's index with barriers inside: each arm is its warps' program."""
        arms = []
        for positive, arm in ((True, statement.then), (False, statement.otherwise)):
            if not any(type(x) is not Alloc for x in arm):
                continue
            threads = [
                t
                for t in range(self.kernel.threads)
                if bool(_at_thread(statement.condition, t)) == positive
            ]
            if not threads:
                continue
            first, last = threads[0], threads[-1] + 1
            if last - first != len(threads) or first % 32 or last % 32:
                fail(
                    "barriers under a condition that is not one of whole warps in a row",
                    statement.location,
                )
            made = Warps(first // 32, (last - first) // 32)
            made.location = statement.location
            made.body = list(arm)
            arms.append(made)
        self.kept.append(arms)
        self.block(arms)
