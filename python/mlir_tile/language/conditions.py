# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Truth in a kernel: `and`, `or`, `not`, conditional expressions and `assert` of its values."""

from .errors import here
from .values import Expr, Op, select, truth, unary


class Conditions:
    """The part of the builder that tests values: what Python knows stays Python's."""

    def logic(self, operation, left, right):
        known = truth(left) if isinstance(left, Expr) or getattr(left, "is_var", False) else left
        if not isinstance(known, Expr):
            if isinstance(left, Expr):
                left = bool(known)
            return (left and right()) if operation == "And" else (left or right())
        other = right()
        other = truth(other)
        name = "and" if operation == "And" else "or"
        if not isinstance(other, Expr):
            if name == "and":
                return known if other else False
            return True if other else known
        return Op(name, (known, other), known.dtype)

    def negate(self, value):
        known = (
            truth(value) if isinstance(value, Expr) or getattr(value, "is_var", False) else value
        )
        return unary("not", known) if isinstance(known, Expr) else not known

    def choose(self, condition, yes, no):
        known = (
            truth(condition)
            if isinstance(condition, Expr) or getattr(condition, "is_var", False)
            else condition
        )
        if not isinstance(known, Expr):
            return yes() if known else no()
        return select(known, yes(), no())

    def check(self, condition, message):
        known = (
            truth(condition)
            if isinstance(condition, Expr) or getattr(condition, "is_var", False)
            else condition
        )
        if isinstance(known, Expr):
            if self.block is not None:
                self.tile("assert", condition=known, message=str(message))
            return
        if not known:
            raise AssertionError(f"{here()}: {message}")
