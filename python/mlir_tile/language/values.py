# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: F401 - the names are the module's interface
"""Expressions of a kernel: trees that are evaluated where a statement uses them.

Numbers stay Python numbers as long as they can.
"""

from .arithmetic import (
    as_value,
    binary,
    cast,
    compare,
    describe,
    is_expr,
    number_of,
    power,
    promote,
    same,
    select,
    truth,
    type_of,
    unary,
    variable,
)
from .nodes import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    NUMBERS,
    Const,
    Expr,
    Let,
    Load,
    Op,
    Variable,
)


def children(value):
    """The values that a value is computed from."""
    if type(value) is Op:
        return value.args
    if isinstance(value, Load):
        return value.indices
    return ()


def reads_memory(value):
    """Whether a value depends on when it is evaluated."""
    if isinstance(value, Load):
        return True
    if type(value) is Op:
        return value.name in IMPURE or any(
            reads_memory(x) for x in value.args if isinstance(x, Expr)
        )
    return False


# Operations whose every evaluation counts.
IMPURE = frozenset({"atomic", "call"})


def walk(value):
    """Every node of a tree."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, Expr):
            yield node
            stack.extend(children(node))
