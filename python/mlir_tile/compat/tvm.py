# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The few names of TVM that scripts of TileLang use beside its own: data types and targets. Other
parts can be imported by name, since test files do so at their top, but not used."""

from __future__ import annotations

import importlib
import re
from types import SimpleNamespace
from typing import Any

from .target import Target

__all__ = ["DataType", "Target", "target"]


class DataType(str):
    """A data type by name, with its size: DataType("float16").bits is 16."""

    @property
    def bits(self) -> int:
        """Bits of one lane."""
        name = self.partition("x")[0] if re.fullmatch(r"[a-z]+\d+x\d+", self) else str(self)
        if name == "bool":
            return 1
        found = re.match(r"[a-z]+?(\d+)", name)
        return int(found.group(1)) if found else 32

    @property
    def lanes(self) -> int:
        """Number of lanes."""
        found = re.fullmatch(r"[a-z]+\d+x(\d+)", self)
        return int(found.group(1)) if found else 1

    @property
    def itemsize(self) -> int:
        """Bytes of one element, at least 1."""
        return max(1, self.bits * self.lanes // 8)


target = SimpleNamespace(Target=Target)


class IRBuilderFrame:
    """A name that files import; TVM's builder is not here."""


class _Absent:
    """A part of TVM that files import at their top; using it is an error that names it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(self._text(f".{name}"))

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(self._text("()"))

    def _text(self, what: str) -> str:
        return (
            f"{self._name}{what} is part of TVM, which this compiler does not use; "
            "see docs/TileLangCompatibility.md"
        )


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ("tirx", "tir"):
        return importlib.import_module("mlir_tile.compat.tirx")
    return _Absent(f"tvm.{name}")
