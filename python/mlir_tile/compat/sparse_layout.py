# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.cuda.intrinsics.sparse_layout`: what describes the places of sparse operands."""

from __future__ import annotations

from typing import Any

from ..language.dtypes import dtype
from ..language.sparse import group_of

__all__ = ["GROUP_CONFIG", "get_e_factor", "get_e_replicate_factor"]

_NAMES = ("float32", "float16", "bfloat16", "int8", "uint8", "float8_e4m3fn", "float8_e5m2")
# Element type -> (values that are kept, elements) of a group.
GROUP_CONFIG = {dtype(name): group_of(dtype(name)) for name in _NAMES}


def get_e_factor(a_dtype: Any, meta_dtype: Any) -> int:
    """Elements of A that one number of E describes: four bits a group."""
    return dtype(meta_dtype).bits // 4 * GROUP_CONFIG[dtype(a_dtype)][1]


def get_e_replicate_factor(a_dtype: Any) -> int:
    """Neighbouring threads that hold the same number of E in the instruction's layout."""
    return 1 if dtype(a_dtype).bits <= 8 else 2
