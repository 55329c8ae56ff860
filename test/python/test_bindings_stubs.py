# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stubs of the extension modules say what the modules have."""

import ast
import inspect
import pathlib
import re

import pytest

import mlir_tile
from mlir_tile._mlir_libs import _mlirDialectsTile, _tile

FOLDER = pathlib.Path(mlir_tile.__file__).parent


def stub(name):
    return ast.parse((FOLDER / "_mlir_libs" / f"{name}.pyi").read_text())


def public(names):
    return {name for name in names if not name.startswith("_")}


def parameters(node):
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [argument.arg for argument in arguments]


def real_parameters(function):
    """Names in the signature that nanobind writes at the head of a docstring."""
    head = function.__doc__.splitlines()[0]
    inside = head[head.index("(") + 1 : head.rindex(") ->")]
    depth, parts, part = 0, [], ""
    for character in inside + ",":
        depth += character in "[(" and 1 or character in ")]" and -1 or 0
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    names = [re.split(r"[:=]", part)[0].strip() for part in parts if part]
    return [name for name in names if name not in ("*", "/")]


def compare(node, function, where):
    expected = real_parameters(function)
    written = parameters(node)
    if written and written[0] in ("self", "cls"):
        written, expected = written[1:], expected[1:]
    assert written == expected, where


def test_the_package_is_typed():
    assert (FOLDER / "py.typed").exists()


def test_functions_of_the_compiler():
    written = {node.name: node for node in stub("_tile").body if isinstance(node, ast.FunctionDef)}
    assert public(written) == public(dir(_tile)), "write new functions into _tile.pyi"
    for name, node in written.items():
        compare(node, getattr(_tile, name), name)
        assert ast.get_docstring(node)


def test_classes_of_the_dialect():
    written = {
        node.name: node for node in stub("_mlirDialectsTile").body if isinstance(node, ast.ClassDef)
    }
    assert public(written) == public(dir(_mlirDialectsTile))
    assert all(ast.get_docstring(node) for node in written.values())


@pytest.mark.parametrize("name", sorted(public(dir(_mlirDialectsTile))))
def test_members_of_a_class(name):
    (node,) = [each for each in stub("_mlirDialectsTile").body if getattr(each, "name", "") == name]
    members = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    real = vars(getattr(_mlirDialectsTile, name))
    assert public(members) == public(real)
    for member in public(members):
        function = inspect.unwrap(getattr(getattr(_mlirDialectsTile, name), member))
        if not isinstance(function, property):
            compare(members[member], function, f"{name}.{member}")
