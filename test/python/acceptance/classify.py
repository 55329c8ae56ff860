# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorts TileLang's test functions by what they look at, from their source (with the functions of
the same file that they call): results of public kernels, source text, TVM's internals, ..."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Test", "source_of", "tests"]

_OTHER_VENDORS = re.compile(
    r"requires_(rocm|metal|cdna|gfx950)\b|[\"'](hip|metal|webgpu|cutedsl|rocm)\b|gfx9|mfma"
    r"|check_cutedsl|CuTeDSL"
)
_OTHER_FOLDERS = {"amd", "metal", "webgpu", "carver", "backend", "tools"}
_BLACKWELL = re.compile(
    r"tcgen05|alloc_tmem|compute_version(_ge|_eq)?\(1[012]|[\"']sm_?1[012]0|-arch=sm_1[012]0"
)
_INTERNAL = re.compile(
    r"\btvm\.|\btirx\b|\btir\.|IRModule|structural_equal|tilelang\.transform\.[A-Z]\w+\("
    r"|tilelang\.\w+\.transform|PassContext|\.lower\(|\blower\(|_ffi_api|tl\.transform\.[A-Z]"
    r"|stmt_functor|get_target_compute|tilelang\.ir\b|pass_diff|lower_trace|MakePackedAPI"
)
_SOURCE = re.compile(
    r"get_kernel_source|kernel_source|show_source|get_host_source|_get_ptx|_get_sass|print_source"
)
# Modules of TileLang's compiler and tools: tests that use a name of them look inside.
_INSIDE = re.compile(
    r"^(tvm|cloudpickle|tilelang\.(jit\.adapter|tools|instrumentation|cache|engine|contrib|backend"
    r"|tileop|analysis|ir|transform|cuda\.(transform|pipeline|codegen)|_|jit\.diagnostics|env))"
)
_RESULT = re.compile(
    r"assert_close|allclose|torch\.equal|assert_equal|\.equal\(|torch\.all\(|\.all\(\)|isclose"
    r"|assert_allclose|==.*\.item\(\)|\.item\(\)|\.tolist\(\)"
)
_CUDA = re.compile(r"cuda|requires_cuda")


@dataclass(frozen=True)
class Test:
    """A test function: its file, name and kind.

    Kinds: "results" (compared), "runs only", "refusal" (an error of TileLang's is expected and
    nothing else), all of public kernels; "source" (text of CUDA C), "internal" (TVM, passes),
    "no gpu", "blackwell", "other vendor".
    """

    path: Path
    name: str
    kind: str


def _functions(tree: ast.Module) -> dict[str, ast.AST]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name: node for node in tree.body if isinstance(node, kinds)}


def _parts(node: ast.AST, functions: dict[str, ast.AST], source: str) -> list[str]:
    """Sources of a function with decorators and of all functions of the file it reaches."""
    lines, seen, todo, parts = source.splitlines(), set(), [node], []
    while todo:
        item = todo.pop()
        first = min([item.lineno, *(d.lineno for d in item.decorator_list)])
        parts.append("\n".join(lines[first - 1 : item.end_lineno]))
        for name in ast.walk(item):
            if isinstance(name, ast.Name) and name.id in functions and name.id not in seen:
                seen.add(name.id)
                todo.append(functions[name.id])
    return parts


def _inside(tree: ast.Module) -> set[str]:
    """Names of a file that are parts of TileLang's compiler."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and _INSIDE.match(node.module or ""):
            found.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "tilelang":
            found.update(a.asname or a.name for a in node.names if a.name in ("tvm", "_ffi_api"))
        elif isinstance(node, ast.Import):
            found.update(a.asname for a in node.names if a.asname and _INSIDE.match(a.name))
    return found - {"PassConfigKey", "Target", "determine_target"}


def _kind(path: Path, text: str, inside: set[str]) -> str:
    if _OTHER_FOLDERS & set(path.parts) or _OTHER_VENDORS.search(text):
        return "other vendor"
    if _BLACKWELL.search(text):
        return "blackwell"
    if _INTERNAL.search(text) or inside & set(re.findall(r"\w+", text)):
        return "internal"
    if _SOURCE.search(text):
        return "source"
    if not _CUDA.search(text):
        return "no gpu"
    if _RESULT.search(text):
        return "results"
    return "refusal" if "pytest.raises" in text else "runs only"


def tests(root: Path) -> Iterator[Test]:
    """All test functions below `root` (TileLang's folder testing/python), with their kinds."""
    for path in sorted(root.glob("**/test_*.py")):
        source = path.read_text()
        tree = ast.parse(source)
        functions, inside = _functions(tree), _inside(tree)
        for name, node in _test_nodes(tree):
            text = "\n".join(_parts(node, functions, source))
            yield Test(path, name, _kind(path.relative_to(root), text, inside))


def source_of(path: Path, name: str) -> str:
    """Source of a test function (or "Class::function") and of what it reaches in its file."""
    source = path.read_text()
    tree = ast.parse(source)
    node = dict(_test_nodes(tree))[name]
    return "\n".join(textwrap.dedent(part) for part in _parts(node, _functions(tree), source))


def _test_nodes(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for item in inner:
            if isinstance(item, ast.FunctionDef) and item.name.startswith("test_"):
                yield prefix + item.name, item
