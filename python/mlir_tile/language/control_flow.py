# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops: of the kernel, which are traced once, or of Python, which runs them."""

from .buffers import Buffer
from .errors import StructureError, fail
from .rebinding import NO_NAMES, ArmNames, Names
from .statements import Assign, For, If, Leave, While, leaves, written_parallel
from .values import BOOL, Const, Expr, as_value, truth


class Branch:
    """An `if` on its way: of the kernel (`statement`), or of Python (`known`; None: both arms)."""

    __slots__ = ("statement", "known", "names")

    def __init__(self, statement, known, names):
        self.statement, self.known, self.names = statement, known, names

    def other_arm(self, name, value):
        return self.names.other_arm(name, value)

    def behind(self, name, value):
        return self.names.behind(name, value)

    def behind_first(self, name, value):
        return self.names.behind_first(name, value)

    def behind_second(self, name, value):
        return self.names.behind_second(name, value)


class ControlFlow:
    """The part of the builder that `if`, `for`, `while`, `break` and `continue` call."""

    undecided = 0  # branches around, of both arms of which the arguments are declared

    def branch(self, condition, values=(), names=()):
        """An `if` that binds `names`, of whose values `values` are those in front of it."""
        condition = truth(condition)
        if not isinstance(condition, Expr):
            return Branch(None, condition, NO_NAMES)
        if self.block is None:
            self.refuse_unknown()
            self.undecided += 1
            return Branch(None, None, NO_NAMES)
        known = Names({x: values[x] for x in names if x in values}, "branch")
        return Branch((self.add(If(condition)), self.block), True, known)

    def refuse_unknown(self):
        """In front of T.Kernel conditions are Python's. Where the arguments alone are declared,
        both arms are gone through, since the sizes (T.const) are not known yet."""
        if self.phase != "declare":
            fail(
                "the condition of this `if` in front of T.Kernel is known only when the kernel"
                " runs: expected sizes (T.const) and numbers; move the `if` inside of"
                " `with T.Kernel(...)`, or choose a value by `x if condition else y`"
            )

    def raises(self):
        """Whether `raise` does what it says: where both arms are gone through it is not reached."""
        return not self.undecided

    def arm(self, values, names):
        """The names that an arm of T.If binds, in front of it."""
        return ArmNames({x: values[x] for x in names if x in values}, self)

    def part(self, values, names):
        """The names that the work of some warps (T.ws) binds, in front of it."""
        return Names({x: values[x] for x in names if x in values}, "work of some warps")

    def rounds(self, values, names, read=()):
        """The names that a loop binds; those that functions in it read count as read."""
        if self.block is None and self.phase == "declare":
            return NO_NAMES
        found = Names({x: values[x] for x in names if x in values}, "loop")
        found.read |= {x for x in read if x in found.before}
        return found

    def then(self, branch):
        if branch.statement is None:
            return branch.known is None or branch.known
        self.block = branch.statement[0].then
        return True

    def otherwise(self, branch):
        if branch.statement is None:
            return branch.known is None or not branch.known
        self.block = branch.statement[0].otherwise
        return True

    def end(self, branch):
        if branch.statement is not None:
            self.block = branch.statement[1]
        elif branch.known is None:
            self.undecided -= 1

    def taken(self):
        """Whether to trace the body of a `with`: that of a T.Then or T.Else may be known not to
        run."""
        skips, self.skips = self.skips, False
        return not skips

    locals = locals  # of the function that asks, which may have a name `locals` of its own

    def range_of(self, found):
        """What `range` of a loop is: Python's own is a loop of the kernel."""
        from .loop import serial

        return serial if found is range else found

    def counted(self, loop):
        """What a loop around T.Kernel goes over: each iteration opens kernels of its own."""
        if loop.kind not in ("serial", "unroll"):
            fail(
                f"a {loop.kind} loop stands outside of `with T.Kernel(...)`; move it inside, or"
                " write range(...) to make a kernel in each iteration"
            )
        values = loop.numbers()
        if values is None and self.phase == "declare":
            return [(0,) * len(loop.ranges) if loop.nested or len(loop.ranges) > 1 else 0]
        if values is None:
            fail(
                "a loop around T.Kernel makes a kernel in each iteration, so its bounds must be"
                " known when the function is built; use numbers, or move the loop inside"
            )
        return values

    def loop(self, iterable, names=None):
        from .loop import Loop

        if isinstance(iterable, Loop) and self.block is None:
            iterable = self.counted(iterable)
        if isinstance(iterable, Loop):
            if names is not None and iterable.runs_once():
                names.before.clear()
            block, first = self.block, len(self.block or ())
            yield from iterable.run(self)
            if getattr(iterable, "kind", None) == "parallel":
                for statement in block[first:]:
                    self.check_parallel(statement)
            return
        if isinstance(iterable, Expr) or not hasattr(iterable, "__iter__"):
            fail(
                f"cannot loop over {iterable!r}; use range, T.serial, T.Parallel, T.Pipelined or a"
                " list of Python's"
            )
        if names is not None:
            names.before.clear()  # Python runs the loop, and binds its names
        depth = len(self.loops)
        for item in iterable:
            self.loops.append(("python", self.block))
            try:
                yield item
            finally:
                del self.loops[depth:]

    def check_parallel(self, statement):
        """T.Parallel in T.Parallel: only as its one statement, which makes one loop of both."""
        if type(statement) is not For:
            return
        statement.written = True
        inner = statement.body[0] if len(statement.body) == 1 else None
        whole = type(inner) is For and inner.kind == "parallel" and inner.written
        for found in () if whole else written_parallel(statement.body):
            fail(
                "T.Parallel inside of T.Parallel beside other statements or in another loop: its"
                " iterations have no order; put them into one T.Parallel, or loop with T.serial",
                found.location,
                StructureError,
            )

    def run_loop(self, loops, result):
        """Traces the body of nested loops: statements made by the caller, the innermost last."""
        outer, depth, around = self.block, len(self.loops), len(self.around)
        for statement in loops:
            self.add(statement)
            self.block = statement.body
        self.loops.append((loops[-1].kind, self.block))
        self.around += loops
        yield result
        del self.loops[depth:], self.around[around:]
        self.block = outer

    def repeat(self, condition):
        outer, self.block = self.block, []
        try:
            value = truth(condition())
        finally:
            made, self.block = self.block, outer
        if outer is None and (isinstance(value, Expr) or value):
            fail(
                "`while` in front of T.Kernel is not supported; loop over range(...) and use break,"
                " or compute the value in a function that is called here"
            )
        if not isinstance(value, Expr):
            if not value:
                return
            value = Const(True, BOOL)
        self.block = self.repeated(value, made)
        depth = len(self.loops)
        self.loops.append(("while", self.block))
        yield None
        del self.loops[depth:]
        from .returns import returns

        if type(value) is Const and "break" not in leaves(self.block) and not returns(self.block):
            fail(
                "the condition of this `while` is always true, and the kernel would never end;"
                " expected a `break` under a condition of the kernel"
            )
        self.block = outer

    def repeated(self, value, made):
        """The body of a loop `while value`. The statements that the value takes are repeated with
        it: then the loop is one over whether to go on, which each round decides first."""
        if not made:
            return self.add(While(value)).body
        going = self.allocate(Buffer((1,), "bool", "local.var", name="going"))
        self.add(Assign(going, as_value(True)))
        outer, self.block = self.block, self.add(While(going.as_load())).body
        for statement in made:
            self.block.append(statement)
        self.add(Assign(going, value))
        body = self.add(If(going.as_load())).then
        self.block = outer
        return body

    def leave(self, kind):
        """`break` or `continue`: true where the loop is Python's."""
        if not self.loops:
            fail(f"`{kind}` outside of a loop")
        loop, block = self.loops[-1]
        if loop == "python":
            if block is not self.block:
                fail(
                    f"`{kind}` of a loop of Python's under a condition of the kernel; loop over"
                    " range(...) instead"
                )
            return True
        if loop == "parallel" and kind == "break":
            fail("`break` in T.Parallel: its iterations run in any order; use T.serial")
        self.add(Leave(kind))
        return False
