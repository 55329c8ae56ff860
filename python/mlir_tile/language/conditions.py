# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Truth in a kernel: `and`, `or`, `not`, conditional expressions and `assert` of its values."""

from .arithmetic import compare
from .errors import fail, here
from .values import Expr, Op, select, truth, unary

# Each of them is a comparison.
_MOST_ITEMS = 64


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

    def contains(self, value, items):
        """`value in items`: where one of both is the kernel's, whether it equals one of them."""
        if getattr(value, "is_var", False):
            value = value.as_load()
        listed = isinstance(items, (list, tuple, set, frozenset, dict, range))
        if not isinstance(value, Expr) and not (
            listed and type(items) is not range and any(isinstance(x, Expr) for x in items)
        ):
            return value in items
        if not listed:
            fail(f"`in` of a value of the kernel: expected a list or a tuple, got {items!r}")
        if type(items) is range and abs(items.step) == 1 and len(items) > 1:
            ends = sorted((items[0], items[-1]))
            return self.logic("And", compare("ge", value, ends[0]), lambda: compare("le", value, ends[1]))
        if len(items) > _MOST_ITEMS:
            fail(
                f"`in` of a value of the kernel: expected at most {_MOST_ITEMS} items, got"
                f" {len(items)}; compare with bounds, or read a table"
            )
        found = False
        for x in items:
            found = self.logic("Or", found, lambda x=x: compare("eq", value, x))
        return found

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
