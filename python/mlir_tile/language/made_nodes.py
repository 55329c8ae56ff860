# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes of Python's syntax that rewrite.py puts into a function."""

import ast


def name_node(identifier, store=False):
    return ast.Name(identifier, ast.Store() if store else ast.Load())


def call_node(method, *arguments):
    """A call of the builder's."""
    return ast.Call(
        ast.Attribute(name_node("__b"), method, ast.Load()), list(arguments), []
    )


def thunk(expression):
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), expression)


def place(made, origin):
    """Gives new nodes the position of the node that they replace."""
    for node in made if isinstance(made, list) else [made]:
        for inner in ast.walk(node):
            if isinstance(inner, (ast.expr, ast.stmt, ast.arg, ast.keyword)) and not hasattr(
                inner, "lineno"
            ):
                ast.copy_location(inner, origin)
                if inner.end_lineno != inner.lineno:  # else a call counts as on the last line
                    inner.end_lineno, inner.end_col_offset = inner.lineno, inner.col_offset
    return made
