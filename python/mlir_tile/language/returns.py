# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.thread_return: what follows it runs only where no thread has returned."""

from .buffers import Buffer
from .builder import current
from .errors import fail
from .statements import Alloc, Assign, For, If, Leave, While
from .values import as_value, unary

_END = "return"


def thread_return():
    """Ends the kernel for the threads that come here: for the whole block, or, in code of single
    threads, for some of them."""
    builder = current("T.thread_return")
    if builder.block is None:
        fail("T.thread_return stands inside of T.Kernel")
    if builder.in_parallel():
        fail(
            "T.thread_return in T.Parallel: its iterations are no threads; put the condition around"
            " what an iteration does"
        )
    if builder.warps is not None:
        fail(
            "T.thread_return in T.ws: the other warps go on and would wait for these; put the"
            " condition around what the warps do"
        )
    builder.returns = True
    builder.add(Leave(_END))


def returns(block):
    """Whether statements of a block, nested ones too, return."""
    return any(
        (type(x) is Leave and x.kind == _END) or any(map(returns, x.blocks)) for x in block
    )


def without_returns(block):
    """The statements of a kernel without jumps to its end: what follows one stands under a
    condition."""
    if not returns(block):
        return block
    made = _Structured()
    body, _ = made.block(block)
    if not made.flag_is_read:
        return _without_flag(body, made.flag)
    first = Alloc(made.flag), Assign(made.flag, as_value(False))
    for x in first:
        x.location = block[0].location
    return [*first, *body]


def _without_flag(block, flag):
    kept = [x for x in block if not (type(x) is Assign and x.variable is flag)]
    for x in kept:
        for inner in x.blocks:
            inner[:] = _without_flag(inner, flag)
    return kept


class _Structured:
    """Takes the jumps out of one kernel; `flag` says that the threads have returned."""

    def __init__(self):
        self.flag = Buffer((1,), "bool", "local.var", name="returned")
        self.flag_is_read = False

    def returned(self):
        """The flag's value."""
        self.flag_is_read = True
        return self.flag.as_load()

    def guarded(self, condition, block, location):
        """An `if` around statements."""
        made = If(condition)
        made.location, made.then = location, block
        return made

    def block(self, block):
        """(the statements without jumps, whether they always, maybe or never return)"""
        found = []
        for at, x in enumerate(block):
            if type(x) is Leave and x.kind == _END:
                return [*found, self.mark(x)], "always"
            if not returns([x]):
                found.append(x)
                continue
            rest = block[at + 1 :]
            made, ends = self.branch(x, rest) if type(x) is If else self.loop(x, rest)
            return found + made, ends
        return found, "never"

    def mark(self, leave):
        """The flag is set."""
        made = Assign(self.flag, as_value(True))
        made.location = leave.location
        return made

    def branch(self, statement, rest):
        """An `if` with a return in it, and what follows it."""
        then, first = self.block(statement.then)
        otherwise, second = self.block(statement.otherwise)
        made = If(statement.condition)
        made.location = statement.location
        made.then, made.otherwise = then, otherwise
        if first == second == "always" or not rest:
            return [made], first if first == second else "maybe"
        rest_location = rest[0].location
        after, last = self.block(rest)
        if {first, second} == {"always", "never"}:
            arm = made.then if first == "never" else made.otherwise
            arm += after
            return [made], "always" if last == "always" else "maybe"
        guard = self.guarded(unary("not", self.returned()), after, rest_location)
        return [made, guard], "always" if last == "always" else "maybe"

    def loop(self, statement, rest):
        """A loop with a return in it, and what follows it: the return leaves the loop, too."""
        if type(statement) not in (For, While) or getattr(statement, "kind", "") == "parallel":
            fail("T.thread_return is not supported here", statement.location)
        statement.body[:] = self.leaving(statement.body)
        if not rest:
            return [statement], "maybe"
        after, last = self.block(rest)
        guard = self.guarded(unary("not", self.returned()), after, rest[0].location)
        return [statement, guard], "always" if last == "always" else "maybe"

    def leaving(self, block):
        """The body of a loop: a return sets the flag and breaks."""
        found = []
        for x in block:
            if type(x) is Leave and x.kind == _END:
                leave = Leave("break")
                leave.location = x.location
                return [*found, self.mark(x), leave]
            if returns([x]) and type(x) is If:
                x.then[:], x.otherwise[:] = self.leaving(x.then), self.leaving(x.otherwise)
            elif returns([x]):
                x.body[:] = self.leaving(x.body)
                leave = Leave("break")
                leave.location = x.location
                found += [x, self.guarded(self.returned(), [leave], x.location)]
                continue
            found.append(x)
        return found
