# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Truth in a kernel: `and`, `or`, `not`, conditional expressions and `assert` of its values."""

from .arithmetic import compare
from .buffers import Buffer
from .errors import fail, here
from .statements import Alloc, Assign, Define, If, allocated, written_variables
from .values import (
    BOOL,
    IMPURE,
    NUMBERS,
    Expr,
    Op,
    as_value,
    is_expr,
    promote,
    reads_memory,
    select,
    truth,
    unary,
    walk,
)
from .vectors import lane_count

# Each of them is a comparison.
_MOST_ITEMS = 64


class Conditions:
    """The part of the builder that tests values: what Python knows stays Python's."""

    def logic(self, operation, left, right):
        known = truth(left) if is_expr(left) else left
        if not isinstance(known, Expr):
            if isinstance(left, Expr):
                left = bool(known)
            return (left and right()) if operation == "And" else (left or right())
        other, made = self.apart(right)
        other = truth(other)
        name = "and" if operation == "And" else "or"
        if not _may_run_always(made):
            return self.logic_by_branch(name, known, other, made)
        self.keep_statements(made)
        if not isinstance(other, Expr):
            if name == "and":
                return known if other else False
            return True if other else known
        return Op(name, (known, other), known.dtype)

    def logic_by_branch(self, name, known, other, made):
        """The same where the right side takes statements: they run where the left one does not
        decide."""
        result = self.variable_of(BOOL, known, "holds")
        held = result.as_load()
        branch = self.add(If(held if name == "and" else unary("not", held)))
        branch.then += made
        self.assign_in(branch.then, result, other)
        return result.as_load()

    def apart(self, make):
        """What `make` gives, and the statements that it takes, which stand nowhere yet."""
        outer = self.block
        if outer is None:
            return make(), []
        self.block = []
        try:
            return make(), self.block
        finally:
            self.block = outer

    def keep_statements(self, made):
        if made:
            self.block += made

    def variable_of(self, kind, first, name):
        """A variable of the builder's own that begins with a value."""
        variable = self.allocate(Buffer((1,), kind, "local.var", name=name))
        self.assign(variable, first)
        return variable

    def assign_in(self, block, variable, value):
        outer, self.block = self.block, block
        self.assign(variable, value)
        self.block = outer

    def chain(self, left, mark, right, compared, *rest):
        """`a < b < c`: each operand is evaluated once, and none behind a comparison that does not
        hold. `rest`: of each further operand, what makes it and what compares it."""
        first = compared(self.before(left, mark), right)
        if not rest:
            return first

        def others():
            value, made = self.apart(rest[0])
            if not _may_run_always(made) and isinstance(right, Expr) and reads_memory(right):
                middle = self.define("_", right)  # before what the statements change
            else:
                middle = right
            self.keep_statements(made)
            return self.chain(middle, None, value, *rest[1:])

        return self.logic("And", first, others)

    def negate(self, value):
        known = truth(value) if is_expr(value) else value
        return unary("not", known) if isinstance(known, Expr) else not known

    def contains(self, value, items):
        """`value in items`: where one of both is the kernel's, whether it equals one of them."""
        if getattr(value, "is_var", False):
            value = value.as_load()
        listed = isinstance(items, (list, tuple, set, frozenset, dict, range))
        if not isinstance(value, Expr) and not (
            listed and type(items) is not range and any(map(is_expr, items))
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
        known = truth(condition) if is_expr(condition) else condition
        if not isinstance(known, Expr):
            return yes() if known else no()
        if self.block is None and self.phase == "declare":
            values = yes(), no()
            plain = all(isinstance(x, NUMBERS) or is_expr(x) for x in values)
            return select(known, *values) if plain else values[0]
        arms = [self.apart(yes), self.apart(no)]
        if not all(_may_run_always(made) for _, made in arms):
            return self.choose_by_branch(known, arms)
        for _, made in arms:
            self.keep_statements(made)
        return select(known, *(value for value, _ in arms))

    def choose_by_branch(self, known, arms):
        """The same where an arm takes statements: those of the one that is taken run."""
        results = [value for value, _ in arms]
        result = None
        if any(x is not None for x in results):  # else both call something for what it does
            results = [as_value(x) for x in results]
            if any(lane_count(x) > 1 for x in results):
                fail(
                    "`x if c else y` of vectors whose computation has statements of its own:"
                    " expected values; use `if` and `else`, and store the lanes there"
                )
            result = self.variable_of(promote(*results), 0, "chosen")
        branch = self.add(If(known))
        for block, value, (_, made) in zip((branch.then, branch.otherwise), results, arms):
            block += made
            if result is not None:
                self.assign_in(block, result, value)
        return None if result is None else result.as_load()

    def check(self, condition, message):
        known = truth(condition) if is_expr(condition) else condition
        if isinstance(known, Expr):
            if self.block is not None:
                self.tile("assert", condition=known, message=str(message))
            return
        if not known and self.raises():
            raise AssertionError(f"{here()}: {message}")


def _may_run_always(statements):
    """Whether nobody sees that statements ran whose values are not used: they name values, and
    assign variables of their own."""
    own = allocated(statements)
    changed = written_variables(statements)
    return all(x in own for x in changed) and all(map(_only_names, statements))


def _only_names(statement):
    if type(statement) is Define:
        return not any(type(x) is Op and x.name in IMPURE for x in walk(statement.let.value))
    if type(statement) is Alloc:
        return statement.buffer.is_var
    return type(statement) in (Assign, If) and all(
        _only_names(x) for block in statement.blocks for x in block
    )
