# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of the rewriter that keeps the order of operands (operands.py says why).

Only what stands left of a call is touched: nothing else makes statements in an expression.
"""

import ast

from .made_nodes import call_node as _call
from .made_nodes import name_node as _name
from .made_nodes import place as _place

_TAKES = ("append", "appendleft", "extend", "insert", "add", "setdefault")

# What values of TileLang's have, and numbers of Python's, which stand for some of them here, do not.
_OF_A_VALUE = ("astype", "dtype", "value", "equal")


def has_call(*nodes):
    """Whether one of these expressions calls something when it is evaluated."""
    return any(
        isinstance(x, ast.Call) for node in nodes if node is not None for x in ast.walk(node)
    )


def _in_order(called, elements, names=()):
    """The call that gives the values of `elements` in their order."""
    marked = []
    for at, x in enumerate(elements):
        marked += [x, _call("mark")] if at + 1 < len(elements) else [x]
    count = ast.Constant(len(elements) - len(names))
    keys = ast.Tuple([ast.Constant(x) for x in names], ast.Load())
    return _call("in_order", called, count, keys, *marked)


def _matters(elements):
    """Whether a call stands behind what may read memory."""
    first = next((i for i, x in enumerate(elements) if not isinstance(x, ast.Constant)), None)
    return first is not None and has_call(*elements[first + 1 :])


class Operands(ast.NodeTransformer):
    """Visits expressions of several operands."""

    def visit_BinOp(self, node):
        matters = _matters([node.left, node.right])
        self.generic_visit(node)
        if not matters:
            return node
        operation = ast.Constant(type(node.op).__name__)
        return _place(_call("ordered", operation, node.left, _call("mark"), node.right), node)

    def visit_Call(self, node):
        keys = [x.arg for x in node.keywords]
        arguments = [*node.args, *(x.value for x in node.keywords)]
        plain = None not in keys and not any(isinstance(x, ast.Starred) for x in arguments)
        matters = plain and _matters(arguments)
        takes = isinstance(node.func, ast.Attribute) and node.func.attr in _TAKES
        self.generic_visit(node)
        if takes and plain and not keys and node.args:
            return self.taking(node)
        if not matters:
            return node
        called, found = self.temporary(), self.temporary()
        arguments = [*node.args, *(x.value for x in node.keywords)]
        ordered = _in_order(_name(called), arguments, keys)
        made = ast.Subscript(
            ast.NamedExpr(_name(found, True), ordered), ast.Constant(0), ast.Load()
        )
        by_name = ast.Subscript(_name(found), ast.Constant(1), ast.Load())
        node.func = ast.NamedExpr(_name(called, True), node.func)
        node.args = [ast.Starred(made, ast.Load())]
        node.keywords = [ast.keyword(None, by_name)] if keys else []
        return _place(node, node)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr not in _OF_A_VALUE or not isinstance(node.ctx, ast.Load):
            return node
        return _place(_call("attribute", node.value, ast.Constant(node.attr)), node)

    def taking(self, node):
        """`list.append(x)`: the list takes what x is now."""
        called = self.temporary()
        node.func = ast.NamedExpr(_name(called, True), node.func)
        node.args = [_call("kept", _name(called), x) for x in node.args]
        return _place(node, node)

    def elements(self, node):
        """The elements of a tuple, list or set in their order."""
        matters = _matters(node.elts) and not any(isinstance(x, ast.Starred) for x in node.elts)
        self.generic_visit(node)
        if matters:
            ordered = _in_order(ast.Constant(None), node.elts)
            made = ast.Subscript(ordered, ast.Constant(0), ast.Load())
            node.elts = [ast.Starred(made, ast.Load())]
            _place(node, node)
        return node

    def visit_List(self, node):
        return self.elements(node) if isinstance(node.ctx, ast.Load) else self.generic_visit(node)

    visit_Set = elements

    # A variable that stands alone among the values of a tuple is read: `a, b = b, a`.
    def visit_Tuple(self, node):
        if not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        is_name = [isinstance(x, ast.Name) for x in node.elts]
        matters = _matters(node.elts) and not any(isinstance(x, ast.Starred) for x in node.elts)
        self.generic_visit(node)
        elements = [
            _place(_call("read", x), x) if alone else x for alone, x in zip(is_name, node.elts)
        ]
        if matters:
            ordered = _in_order(ast.Constant(None), elements)
            elements = [ast.Starred(ast.Subscript(ordered, ast.Constant(0), ast.Load()), ast.Load())]
        return _place(ast.copy_location(ast.Tuple(elements, node.ctx), node), node)
