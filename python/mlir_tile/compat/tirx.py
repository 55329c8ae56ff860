# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tvm.tirx`: expressions by the names of TVM; the language has them."""

from __future__ import annotations

from typing import Any

from .. import language
from .tvm import _Absent

__all__ = ["PrimExpr", "Var", "const"]

PrimExpr, Var = language.PrimExpr, language.Var


def const(value: int | float, dtype: Any = "int32") -> Any:
    """A constant of an element type."""
    return language.cast(value, dtype)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(language, name)
    except AttributeError:
        return _Absent(f"tvm.tirx.{name}")
