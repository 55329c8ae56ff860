# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that tuning measures with: `with set_autotune_inputs(a, b): kernel(...)`."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["get_autotune_inputs", "set_autotune_inputs"]

_LOCAL = threading.local()


def _stack() -> list[list[Any]]:
    if not hasattr(_LOCAL, "stack"):
        _LOCAL.stack = []
    return _LOCAL.stack


class set_autotune_inputs:  # noqa: N801 (TileLang's name)
    """In its block, tuning in this thread measures with these tensors.

    Args:
      tensors: the kernel's inputs in order, or one list of them.
    """

    def __init__(self, *tensors: Any) -> None:
        one = len(tensors) == 1 and isinstance(tensors[0], (list, tuple))
        self.tensors = list(tensors[0] if one else tensors)

    def __enter__(self) -> None:
        _stack().append(self.tensors)

    def __exit__(self, *_: Any) -> None:
        _stack().pop()


def get_autotune_inputs() -> list[Any] | None:
    """The tensors of the innermost `set_autotune_inputs` of this thread; None without one."""
    return _stack()[-1] if _stack() else None
