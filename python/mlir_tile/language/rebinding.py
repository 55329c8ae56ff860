# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that are bound again in a branch or a loop of the kernel.

A name of Python's stands for a value. A branch and a loop of the kernel are traced once, so a name
that they bind again has no one value behind them: it depends on the condition, or on how often the
loop ran. Nothing is wrong as long as nobody reads it there. A read is an error that says so; a
variable (T.alloc_var) is what such programs need.
"""

from .errors import fail, here
from .values import NUMBERS, Expr, same

_HINT = "use a variable: {0} = T.alloc_var(...) in front of it, which assignments to {0} then set"


class Rebound:
    """What a name is bound to that has no one value: whatever is done with it is an error."""

    __slots__ = ("_name", "_location", "_where")

    def __init__(self, name, location, where):
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_location", location)
        object.__setattr__(self, "_where", where)

    def __getattribute__(self, _):
        return _refuse(self)

    def __repr__(self):
        return f"<{object.__getattribute__(self, '_name')}, which has no one value>"


def _refuse(self, *_):
    name, location, where = (
        object.__getattribute__(self, x) for x in ("_name", "_location", "_where")
    )
    fail(
        f"{name} is bound again in the {where} of the kernel at {location}, so its value behind it"
        f" is known only when the kernel runs; {_HINT.format(name)}"
    )


for _operation in (
    "add sub mul truediv floordiv mod pow lshift rshift and or xor matmul radd rsub rmul rtruediv"
    " rfloordiv rmod rpow rlshift rrshift rand ror rxor rmatmul neg pos invert abs bool int float"
    " index complex eq ne lt le gt ge call getitem setitem len iter contains hash enter exit"
).split():
    setattr(Rebound, f"__{_operation}__", _refuse)


def is_rebound(value):
    return type(value) is Rebound


def _differ(old, new):
    """Whether a name has another value than before."""
    if old is new:
        return False
    if is_rebound(old) or is_rebound(new):
        return True
    if type(old) in NUMBERS and type(new) in NUMBERS:
        return old != new or type(old) is not type(new)
    if isinstance(old, Expr) and isinstance(new, Expr):
        return not same(old, new)
    if isinstance(old, (str, tuple, type(None))) and type(old) is type(new):
        return old is not new and old != new
    return True


class Names:
    """The names that a branch binds, or that a loop reads and binds: their values in front of it."""

    __slots__ = ("before", "first", "read", "breaks", "continues", "location", "where")

    def __init__(self, before, where):
        # Of names that have a value: what a branch alone defines is undefined behind it anyway.
        self.before = before
        self.first = {}  # at the end of the first arm
        self.read = set()
        self.breaks, self.continues = {}, {}  # of a loop: the values where an iteration ends early
        self.location, self.where = here(), where

    def other_arm(self, name, value):
        """The value in front of the branch, where its other arm begins."""
        self.first[name] = value
        return self.before.get(name, value)

    def behind_first(self, name, value):
        """The same where the second arm leaves."""
        return self.first.get(name, value)

    def behind_second(self, name, value):
        """The same where the first arm leaves: what the second one, if there is one, ends with."""
        return value if name in self.first else self.before.get(name, value)

    def behind(self, name, value):
        ends = [value]
        if name in self.first:
            ends.append(self.first[name])
        if name in self.before:
            ends.append(self.before[name])
        ends += self.breaks.get(name, ()) + self.continues.get(name, ())
        if any(_differ(value, x) for x in ends[1:]):
            return Rebound(name, self.location, self.where)
        return value

    def broken(self, name, value):
        """A `break`: behind the loop the name may have the value that it has here."""
        self.breaks[name] = (*self.breaks.get(name, ()), value)
        return value

    def continued(self, name, value):
        """A `continue`: the next iteration, too, may begin with it."""
        self.continues[name] = (*self.continues.get(name, ()), value)
        return value

    def seen(self, name, value):
        """A read in a loop that binds the name again further down."""
        if name in self.before and value is self.before[name]:
            self.read.add(name)
        return value

    def carried(self, name, value):
        """The end of an iteration: the next one would begin with what the first one began with."""
        ends = (value, *self.continues.get(name, ()))
        if name in self.read and any(_differ(self.before[name], x) for x in ends):
            fail(
                f"{name} is read in the loop at {self.location} and bound again there, so from the"
                f" second iteration on its value is known only when the kernel runs;"
                f" {_HINT.format(name)}",
                self.location,
            )
        return value


class ArmNames(Names):
    """The names of a T.Then or T.Else: whether the kernel or Python decides is known at its end."""

    __slots__ = ("builder",)

    def __init__(self, before, builder):
        super().__init__(before, "branch")
        self.builder = builder

    def behind(self, name, value):
        arm = self.builder.left_arm
        return value if arm is None or arm.statement is None else super().behind(name, value)


class NoNames:
    """The same of a branch or loop of Python's, whose names have values."""

    __slots__ = ()

    def other_arm(self, _, value):
        return value

    @property
    def before(self):
        return {}

    behind = behind_first = behind_second = seen = carried = broken = continued = other_arm


NO_NAMES = NoNames()
