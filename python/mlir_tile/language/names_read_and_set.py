# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which names the statements of a kernel read and assign, from Python's syntax alone.

rewrite.py asks for them: names that a branch or a loop binds again are tracked (rebinding.py).
"""

import ast


class _Assigned(ast.NodeVisitor):
    """Counts how often a function assigns each of its names."""

    def __init__(self):
        self.counts = {}

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self.counts[node.id] = self.counts.get(node.id, 0) + 1

    def visit_FunctionDef(self, node):
        self.counts[node.name] = self.counts.get(node.name, 0) + 1

    def visit_Lambda(self, node):
        pass

    def visit_ListComp(self, node):
        pass

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp


def assigned_counts(statements):
    """How often statements assign each of the names that they assign."""
    found = _Assigned()
    for statement in statements:
        found.visit(statement)
    return found.counts


class ReadFirst:
    """Names that statements may read before they assign them: `found`. What runs perhaps, or
    perhaps not, assigns nothing for sure."""

    def __init__(self):
        self.found = set()

    def reads(self, node, assigned):
        for inner in ast.walk(node) if node is not None else ():
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                if inner.id not in assigned:
                    self.found.add(inner.id)

    def body(self, statements, assigned):
        for statement in statements:
            self.statement(statement, assigned)
        return assigned

    def assign(self, target, assigned):
        self.reads(target, assigned)  # indices
        assigned |= set(assigned_counts([target]))

    def statement(self, node, assigned):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            self.reads(node.value, assigned)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self.assign(target, assigned)
        elif isinstance(node, ast.AugAssign):
            self.reads(node.value, assigned)
            if isinstance(node.target, ast.Name) and node.target.id not in assigned:
                self.found.add(node.target.id)
            self.assign(node.target, assigned)
        elif isinstance(node, ast.If):
            self.reads(node.test, assigned)
            arms = [self.body(x, set(assigned)) for x in (node.body, node.orelse)]
            assigned |= arms[0] & arms[1]
        elif isinstance(node, (ast.For, ast.While)):
            self.reads(node.iter if isinstance(node, ast.For) else node.test, assigned)
            inside = set(assigned)
            if isinstance(node, ast.For):
                self.assign(node.target, inside)
            self.body(node.body, inside)
        elif isinstance(node, ast.With):
            for item in node.items:
                self.reads(item.context_expr, assigned)
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, assigned)
            self.body(node.body, assigned)
        else:
            self.reads(node, assigned)


def leaves(statements):
    """Whether what stands behind these statements is not come to from them."""
    return bool(statements) and isinstance(
        statements[-1], (ast.Continue, ast.Break, ast.Return, ast.Raise)
    )


def read_inside(statements):
    """Names that functions and comprehensions within statements read, which stay as they are."""
    inner = (ast.Lambda, ast.FunctionDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    found = set()
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, inner):
                found |= {
                    x.id
                    for x in ast.walk(node)
                    if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load)
                }
    return found
