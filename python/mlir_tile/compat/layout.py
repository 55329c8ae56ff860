# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.layout`: layouts that scripts state for their buffers.

The compiler chooses layouts by their cost; what a script states in TileLang's terms (which bank
swizzle, which instruction's fragment) it chooses itself. The functions that make such layouts are
here so that scripts run; results do not depend on them. `mlir_tile.layout` has layouts that are
respected.
"""

from __future__ import annotations

from typing import Any

from ..language.layouts import Fragment, Layout

__all__ = ["Fragment", "Layout"]


def _shape_of(what: tuple[Any, ...]) -> list[Any]:
    """The shape in a maker's arguments: a buffer's, a list, or numbers."""
    if what and hasattr(what[0], "shape"):
        return list(what[0].shape)
    if what and isinstance(what[0], (list, tuple)):
        return list(what[0])
    return [size for size in what if isinstance(size, int)]


def _maker(name: str, kind: type) -> Any:
    def make(*what: Any, **_: Any) -> Any:
        return kind(_shape_of(what))

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"TileLang's {name}: a layout that is left to the compiler."
    return make


_SHARED = (
    "make_swizzled_layout",
    "make_volta_swizzled_layout",
    "make_wgmma_swizzled_layout",
    "make_tcgen05mma_swizzled_layout",
    "make_full_bank_swizzled_layout",
    "make_half_bank_swizzled_layout",
    "make_quarter_bank_swizzled_layout",
    "make_linear_layout",
    "make_cutlass_metadata_layout",
    "make_mma_swizzle_layout",
    "get_swizzle_layout",
)
_FRAGMENTS = (
    "make_gemm_fragment_8x8",
    "make_gemm_fragment_8x8_transposed",
    "make_fully_replicated_layout_fragment",
)
for _name in _SHARED:
    globals()[_name] = _maker(_name, Layout)
for _name in _FRAGMENTS:
    globals()[_name] = _maker(_name, Fragment)
__all__ += [*_SHARED, *_FRAGMENTS]
