# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tvm.tirx`: expressions by the names of TVM; the language has them."""

from __future__ import annotations

from typing import Any

from .. import language
from .functions import Call, Evaluate, IntImm, PrimFunc, StringImm
from .tvm import _Absent

__all__ = [
    "Call", "Evaluate", "IndexMap", "IntImm", "PrimExpr", "PrimFunc", "StringImm", "Var", "const",
]  # fmt: skip

PrimExpr, Var = language.PrimExpr, language.Var


def const(value: int | float, dtype: Any = "int32") -> Any:
    """A constant of an element type."""
    return language.cast(value, dtype)


class IndexMap:
    """A function of indices."""

    def __init__(self, function: Any) -> None:
        self.function = function

    @staticmethod
    def from_func(mapping_function: Any, *_: Any, **__: Any) -> IndexMap:
        """The map that a function of indices is."""
        return IndexMap(mapping_function)

    def map_indices(self, indices: Any) -> list[Any]:
        """Where an element goes."""
        made = self.function(*indices)
        return list(made) if isinstance(made, (tuple, list)) else [made]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(language, name)
    except AttributeError:
        return _Absent(f"tvm.tirx.{name}")
