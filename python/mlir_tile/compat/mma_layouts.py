# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.cuda.intrinsics.layout`: which thread of a warp holds which element of the operands of
mma.sync (PTX ISA, "Matrix fragments for mma"), as functions of indices.

Names say the shapes: `shared_16x16_to_mma_a_32x8_layout(i, j)` gives thread and register.
"""

from __future__ import annotations

from typing import Any

from .layout import SwizzledLayout, make_mma_swizzle_layout
from .tvm import DataType

__all__ = ["get_mma_micro_size", "get_swizzle_layout", "make_mma_swizzle_layout"]


def _operand(wide: int, of_a: bool) -> Any:
    """The fragment of operand A (16 rows), or B (16 columns, given as rows), of depth 4 * wide * 2:
    `wide` elements of depth lie in one register."""

    def layout(i: Any, j: Any) -> tuple[Any, Any]:
        thread = 4 * (i % 8) + j % (4 * wide) // wide
        half, low = j // (4 * wide), j % wide
        row = i // 8
        first, second = (half, row) if of_a else (row, half)
        return thread, 2 * wide * first + wide * second + low

    return layout


def _transposed(layout: Any) -> Any:
    return lambda i, j: layout(j, i)


for _depth, _wide in ((8, 1), (16, 2), (32, 4), (64, 8)):
    for _side in "ab":
        _layout = _operand(_wide, _side == "a")
        _name = f"shared_16x{_depth}_to_mma_{_side}_32x{_depth // 2}_layout"
        globals()[_name] = _layout
        globals()[f"{_name}_trans"] = _transposed(_layout)
        globals()[f"shared_{_depth}x16_to_mma_{_side}_32x{_depth // 2}_layout_trans"] = _transposed(
            _layout
        )
        # `sr`: the spatial index first, the one of depth second; `rs`: the other order.
        globals()[f"shared_16x{_depth}_to_mma_32x{_depth // 2}_layout_sr_{_side}"] = _layout
        globals()[f"shared_16x{_depth}_to_mma_32x{_depth // 2}_layout_rs_{_side}"] = _transposed(
            _layout
        )


def mma_store_32x8_to_shared_16x16_layout(thread: Any, register: Any) -> tuple[Any, Any]:
    """Row and column of a register of the result of 16 x 16."""
    row = 8 * (register % 4 // 2) + thread // 4
    return row, 8 * (register // 4) + thread % 4 * 2 + register % 2


def get_mma_micro_size(dtype: Any) -> tuple[int, int, int]:
    """Rows, columns and depth of one product of a warp with operands of this type."""
    return 16, 16, {64: 4, 32: 8, 16: 16, 8: 32, 4: 64}[DataType(str(dtype)).bits]


def get_swizzle_layout(
    row: Any, column: Any, row_size: int, dtype: Any, swizzle_bytes: int | None = None
) -> tuple[Any, Any, Any]:
    """(part, row, column in it) of an element whose parts of 16 bytes are exchanged by its row."""
    bits = DataType(str(dtype)).bits
    row_bytes = bits * row_size // 8
    if row_bytes % 32:
        raise ValueError(f"expected rows of a multiple of 32 bytes, got {row_bytes}")
    chunks = (min(128, row_bytes) if swizzle_bytes is None else swizzle_bytes) // 16
    size = 128 // bits
    chunk = column // size
    moved = (chunk % chunks) ^ (row % 8 // (8 // chunks))
    return chunk // chunks, row, moved * size + column % size


def __getattr__(name: str) -> Any:
    if name == "SwizzledLayout":
        return SwizzledLayout
    from . import layout

    return getattr(layout, name)
