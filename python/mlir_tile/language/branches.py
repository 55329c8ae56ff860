# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.If, T.Then and T.Else: an `if` of the kernel, written as context managers."""

from .builder import current
from .errors import fail, here


class _Frame:
    """What `with` enters; without `with` it would do nothing, so that is an error."""

    construct = "T.If"

    def open_until_end(self, builder):
        fail(f"{self.construct} stands alone; write `with {self.construct}...:`", self.location)


class IfFrame(_Frame):
    """`with T.If(condition):`, around one T.Then and at most one T.Else."""

    construct = "T.If(condition)"

    def __init__(self, condition):
        self.condition, self.location = condition, here()
        self.parts = set()

    def __enter__(self):
        self.builder = current("T.If")
        self.outer = self.builder.block
        self.branch = self.builder.branch(self.condition)
        # Nothing may stand between T.If and its parts: neither arm would run it.
        self.builder.block = self.between = []
        self.builder.branches.append(self)
        return self

    def __exit__(self, *error):
        self.builder.branches.pop()
        self.builder.block = self.outer
        if error[0] is not None:
            return
        if self.between:
            fail(
                "a statement inside of T.If stands outside of its T.Then and T.Else; move it into"
                " one of them",
                self.between[0].location,
            )
        if "T.Then" not in self.parts:
            fail(
                "T.If has no T.Then; write `with T.If(condition): with T.Then(): ...`",
                self.location,
            )


class PartFrame(_Frame):
    """`with T.Then():` or `with T.Else():`, directly inside of T.If."""

    def __init__(self, name):
        self.name, self.location = name, here()
        self.construct = f"{name}()"

    def __enter__(self):
        builder = self.builder = current(self.name)
        around = builder.branches[-1] if builder.branches else None
        if around is None or builder.block is not around.between:
            fail(
                f"{self.name} stands outside of T.If; write it directly inside of `with T.If(...)`",
                self.location,
            )
        if self.name in around.parts:
            fail(f"T.If has two {self.name}; join them into one", self.location)
        self.around = around
        around.parts.add(self.name)
        self.outer, builder.block = builder.block, around.outer
        enter = builder.then if self.name == "T.Then" else builder.otherwise
        if not enter(around.branch):
            # Python code that is not rewritten cannot skip its body, so the block is dropped.
            builder.block, builder.skips = [], True
        return self

    def __exit__(self, *error):
        self.builder.block, self.builder.skips = self.outer, False
        self.builder.left_arm = self.around.branch


def If(condition):
    """`with T.If(condition): with T.Then(): ...; with T.Else(): ...`: what `if` means."""
    current("T.If")
    return IfFrame(condition)


def Then():
    """What T.If does where its condition holds."""
    current("T.Then")
    return PartFrame("T.Then")


def Else():
    """What T.If does where its condition does not hold."""
    current("T.Else")
    return PartFrame("T.Else")
