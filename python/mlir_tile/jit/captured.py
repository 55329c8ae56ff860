# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function sees beside its arguments: variables of the functions around it, globals, and
those of the functions that it calls.

A kernel that was traced holds their values, so @jit traces again when one of them is bound to
something else. Each call asks for that, so names are compared by the identity of what they are
bound to. What changes inside of an object (an item of a list, an attribute) is not seen.
"""

import ast
import dis
import functools
import sys
import types
from keyword import iskeyword

from mlir_tile._keys import freeze
from mlir_tile._mlir_libs._launch import CallTable
from mlir_tile.language.functions import Macro
from mlir_tile.language.rewrite import rewritten

_PLAIN = (bool, int, float, complex, str, bytes, tuple)
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
_ABSENT = object()
# A name that is not bound at all raises one of both errors.
_CHECKED = """
def make({0}):
    def checked(*__args, **__kwargs):
        try:
            __same = {1}
        except (KeyError, NameError):
            __same = False
        if __same:
            return __call(*__args, **__kwargs)
        return __otherwise(*__args, **__kwargs)
    return checked
"""


class Captured:
    """The values of the names that a function, and what it calls, use now."""

    def __init__(self, function):
        self.cells, self.names = [], []  # (cell, value), (dict, name, value)
        self._globals = function.__globals__
        self._package = (function.__module__ or "").partition(".")[0]
        self._seen = set()
        self._add_function(function, _names_in_annotations(function))

    def __bool__(self):
        return bool(self.cells or self.names)

    def changed(self):
        """Whether a name has another value than it had; an equal number counts as the same."""
        cells = [(cell, _contents(cell)) for cell, _ in self.cells]
        names = [(owner, name, owner.get(name, _ABSENT)) for owner, name, _ in self.names]
        before = [x[-1] for x in self.cells + self.names]
        if not all(map(_same, before, [x[-1] for x in cells + names])):
            return True
        self.cells, self.names = cells, names
        return False

    def checking(self, call, otherwise):
        """A function that calls `call` where no name was bound again, else `otherwise`."""
        # Its text names them, since a loop over them would take longer than the rest of a call.
        given = {"__call": call, "__otherwise": otherwise}
        held = {name: types.CellType(x) for name, x in given.items()}
        tests = []
        for i, (cell, value) in enumerate(self.cells):
            held[f"__c{i}"], held[f"__v{i}"] = cell, types.CellType(value)
            tests.append(f"__c{i} is __v{i}")
        for i, (owner, name, value) in enumerate(self.names, len(tests)):
            held[f"__v{i}"] = types.CellType(value)
            if owner is self._globals and name.isidentifier() and not iskeyword(name):
                tests.append(f"{name} is __v{i}")
            else:
                held[f"__c{i}"] = types.CellType(owner)
                tests.append(f"__c{i}[{name!r}] is __v{i}")
        made = {}
        text = _CHECKED.format(", ".join(held), " and ".join(tests))
        exec(compile(text, __file__, "exec"), made)
        code = made["make"](*held).__code__
        return types.FunctionType(
            code, self._globals, None, None, tuple(held[x] for x in code.co_freevars)
        )

    def _add_function(self, function, more=()):
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        for name, attribute in {**_names_in_code(function.__code__), **dict.fromkeys(more)}:
            if name in cells:
                value = _contents(cells[name])
            else:
                value = function.__globals__.get(name, _ABSENT)
            if value is _ABSENT:  # of Python's own, or not bound yet
                continue
            if isinstance(value, types.ModuleType):
                if attribute is not None and self._is_users(value.__name__):
                    self._add(vars(value), attribute, getattr(value, attribute, _ABSENT))
            elif name in cells:
                if self._varies(name, value) and id(cells[name]) not in self._seen:
                    self._seen.add(id(cells[name]))
                    self.cells.append((cells[name], value))
                self._add_called(value)
            else:
                self._add(function.__globals__, name, value)

    def _add(self, owner, name, value):
        if value is not _ABSENT and self._varies(name, value):
            if (id(owner), name) not in self._seen:
                self._seen.add((id(owner), name))
                self.names.append((owner, name, value))
        self._add_called(value)

    def _add_called(self, value):
        """What a function that is called sees is seen, too."""
        if isinstance(value, functools.partial):
            value = value.func
        elif isinstance(value, types.MethodType):
            value = value.__func__
        elif isinstance(value, (Macro, CallTable)):
            value = getattr(value, "function", None)
        if isinstance(value, types.FunctionType) and self._is_users(value.__module__):
            self._add_function(value)

    def _varies(self, name, value):
        """Whether to look at a name: what a package defines, and calls so, is taken to stay."""
        defined = isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type))
        return not defined or value.__name__ != name or self._is_users(value.__module__)

    def _is_users(self, module):
        """Whether a module, by its name, is no installed package, or that of the function."""
        top = (module or "builtins").partition(".")[0]
        if top == self._package or top == "__main__":
            return True
        if top in ("mlir_tile", "tilelang") or top in sys.stdlib_module_names:
            return False
        file = getattr(sys.modules.get(top), "__file__", None) or ""
        return "site-packages" not in file and "dist-packages" not in file


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return _ABSENT


def _same(a, b):
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, _PLAIN) and freeze(a) == freeze(b)


@functools.lru_cache(maxsize=1024)
def _names_in_code(code):
    """(name, attribute or None) of what code reads that is no variable of its own, as keys."""
    found, last = {}, None
    for instruction in dis.get_instructions(code):
        if last is not None and instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            found[last, instruction.argval] = None
        last = instruction.argval if instruction.opname in _LOADS else None
        if last is not None:
            found[last, None] = None
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found.update(_names_in_code(constant))
    return found


def _names_in_annotations(function):
    """The same of annotations, of which no code is left: rewritten functions evaluate them."""
    own = {*function.__code__.co_varnames, *function.__code__.co_cellvars}
    for node in ast.walk(rewritten(function).definition):
        annotation = getattr(node, "annotation", None)
        for x in ast.walk(annotation) if annotation is not None else ():
            if isinstance(x, ast.Attribute) and isinstance(x.value, ast.Name):
                found = x.value.id, x.attr
            elif isinstance(x, ast.Name):
                found = x.id, None
            else:
                continue
            if found[0] not in own:
                yield found
