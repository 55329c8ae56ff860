# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.utils`, `.tensor`, `.device`, `.language`: tensors, devices, scopes of buffers."""

from __future__ import annotations

import os
import sys
from typing import Any

from ..profiler.supply import (
    TensorSupplyType,
    assert_close,
    get_tensor_supply,
    is_float8_dtype,
    torch_dtype,
)
from .env import build_date, deprecated

__all__ = [
    "TensorSupplyType",
    "build_date",
    "deprecated",
    "get_available_cpu_count",
    "get_current_device",
    "get_tensor_supply",
    "is_float8_dtype",
    "is_fragment",
    "is_global",
    "is_local",
    "is_shared",
    "map_torch_type",
    "torch_assert_close",
]

torch_assert_close = assert_close
map_torch_type = torch_dtype


def get_current_device() -> Any:
    """The GPU's number, "cpu" without one."""
    torch = sys.modules.get("torch")
    on_gpu = torch is not None and torch.cuda.is_available()
    return torch.cuda.current_device() if on_gpu else "cpu"


def get_available_cpu_count() -> int:
    """CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def _scope(buffer: Any) -> str:
    scope = getattr(buffer, "scope", "")
    return scope() if callable(scope) else str(scope)


def is_global(buffer: Any) -> bool:
    """Whether the buffer is a kernel's argument or other global memory."""
    return _scope(buffer) == "global"


def is_shared(buffer: Any, allow_dynamic: bool = True) -> bool:
    """Whether the buffer is in shared memory."""
    return _scope(buffer).startswith("shared")


def is_fragment(buffer: Any) -> bool:
    """Whether the buffer is held by the block's threads in registers."""
    return _scope(buffer).startswith("local.fragment")


def is_local(buffer: Any) -> bool:
    """Whether each thread has a buffer of its own."""
    return _scope(buffer) == "local"
