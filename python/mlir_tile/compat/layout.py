# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.layout`: layouts that scripts state for their buffers; the language has them."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    language = importlib.import_module("mlir_tile.language")
    try:
        return getattr(language, name)
    except AttributeError:
        raise AttributeError(
            f"tilelang.layout.{name} is not supported; see docs/TileLangCompatibility.md"
        ) from None
