# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TileLang's public names, read from its sources, and which file or test uses which."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

__all__ = ["package_names", "language_names", "used_names"]

# Where the language's surface is written down.
_SURFACE = (
    "tilelang/language/common.py",
    "tilelang/language/tir/ir.py",
    "tilelang/language/math_intrinsics.py",
    "tilelang/language/eager/__init__.py",
    "tilelang/language/dtypes.py",
    "tilelang/cuda/language/__init__.py",
)
_LANES = re.compile(r"x\d+$")
# What is no name of the language, though it is imported there.
_NO_NAMES = re.compile(
    r"^_|_EXPORTS$|_ALL$|^TVMBackend"
    r"|^(annotations|Any|Generic|TYPE_CHECKING|TypeVar|frame|inline|ir|logger|lookup_param|meta_class"
    r"|tirx|tvm)$"
)


def _read(git_dir: Path, commit: str, path: str) -> str:
    command = ["git", f"--git-dir={git_dir}", "show", f"{commit}:{path}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _defined(tree: ast.Module) -> Iterator[str]:
    """Names that a module imports one by one, and the texts in its lists of exports."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            names = [t.id for t in node.targets if isinstance(t, ast.Name)]
            if any("__all__" in name or "EXPORTS" in name or "dtypes" in name for name in names):
                for item in ast.walk(node.value):
                    if isinstance(item, ast.Constant) and isinstance(item.value, str):
                        yield item.value


def language_names(git_dir: Path, commit: str) -> set[str]:
    """Names of tilelang.language (vector types are left out)."""
    found: set[str] = set()
    for path in _SURFACE:
        found.update(_defined(ast.parse(_read(git_dir, commit, path))))
    return {
        n for n in found if n.isidentifier() and not _NO_NAMES.search(n) and not _LANES.search(n)
    }


def package_names(git_dir: Path, commit: str) -> set[str]:
    """Names of tilelang itself: what its __init__ imports."""
    tree = ast.parse(_read(git_dir, commit, "tilelang/__init__.py"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            found.update(alias.asname or alias.name for alias in node.names)
    found.update(("cdiv", "next_power_of_2", "set_log_level", "logger"))
    return {name for name in found if not name.startswith("_") and name != "*"}


def _dotted(node: ast.AST) -> str:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""


def used_names(source: str) -> Counter[str]:
    """Which names of T and tilelang a text of Python uses, as "T.copy", "tilelang.jit"."""
    tree = ast.parse(source)
    aliases = {"T": "T", "tilelang": "tilelang"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname and alias.name in ("tilelang", "tilelang.language"):
                    aliases[alias.asname] = "T" if alias.name.endswith("language") else "tilelang"
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        first, _, rest = _dotted(node).partition(".")
        if first in aliases and rest:
            found[f"{aliases[first]}.{rest.partition('.')[0]}"] += 1
    return found
