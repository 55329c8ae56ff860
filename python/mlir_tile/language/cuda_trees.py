# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be said of expressions of CUDA C++ (cuda_source.py) that are not evaluated."""

from .cuda_memory import Pointer
from .cuda_numbers import COMPARISONS, common, promoted
from .nodes import BOOL, Const
from .values import type_of

__all__ = ["specimen", "steps", "writes_memory"]


def specimen(tree, scope, kind_of):
    """A number of the type that an expression has; None where that is not known. `kind_of` gives
    the type of a type's name."""
    what, *parts = tree
    if what == "number":
        return parts[0]
    if what == "name":
        found = scope.get(parts[0])
        if isinstance(found, Pointer):
            return Const(1, found.kind) if found.owner == "variable" else None
        return found
    if what == "index" or what == "unary" and parts[0] == "*":
        base = parts[0] if what == "index" else parts[1]
        found = scope.get(base[1]) if base[0] == "name" else None
        return Const(1, found.kind) if isinstance(found, Pointer) else None
    if what == "cast":
        return None if parts[0][1] else Const(1, kind_of(parts[0][0]))
    if what in ("assign", "postfix"):
        return specimen(parts[1], scope, kind_of)
    if what == "unary" and parts[0] == "!" or what == "binary" and parts[0] in _TRUTHS:
        return Const(True, BOOL)
    if what not in ("unary", "binary", "choose") or what == "unary" and parts[0] == "&":
        return None
    found = [specimen(x, scope, kind_of) for x in parts[1:]]
    if any(x is None for x in found):
        return None
    if what == "unary" or parts[0] in ("<<", ">>"):
        return Const(1, promoted(type_of(found[0])))
    return Const(1, common(*found))


_TRUTHS = (*COMPARISONS, "&&", "||")


def writes_memory(tree):
    """Whether statements write elements, or run assembly."""
    if not isinstance(tree, (tuple, list)):
        return False
    if tree and tree[0] == "asm":
        return True
    if (steps(tree) or tree and tree[0] == "assign") and tree[2][0] != "name":
        return True
    return any(map(writes_memory, tree))


def steps(tree):
    """Whether an expression is ++ or -- of something."""
    return tree and tree[0] == "postfix" or tree[:2] in (("unary", "++"), ("unary", "--"))
