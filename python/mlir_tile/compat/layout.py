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


class SwizzledLayout(Layout):
    """Rows whose parts are exchanged so that columns have no bank conflicts. Which parts, is
    the compiler's choice, and what `draw` shows."""

    def __init__(self, shape: list[Any], element_bits: int = 16) -> None:
        super().__init__(shape)
        self.element_bits = element_bits

    def draw(self) -> str:
        """The layout that the compiler has for this shape, as SVG."""
        from .. import layout

        return layout.swizzled(self.shape, self.element_bits).draw()

    def __repr__(self) -> str:
        return f"SwizzledLayout({self.shape}, element_bits={self.element_bits})"


def _shape_of(what: tuple[Any, ...]) -> list[Any]:
    """The shape in a maker's arguments: a buffer's, a list, or two numbers."""
    if what and hasattr(what[0], "shape"):
        return list(what[0].shape)
    if what and isinstance(what[0], (list, tuple)):
        return list(what[0])
    return [size for size in what if isinstance(size, int)][:2]


def _maker(name: str, kind: type) -> Any:
    def make(*what: Any, **_: Any) -> Any:
        bits = what[2] if len(what) > 2 and isinstance(what[2], int) else None
        shape = _shape_of(what)
        return kind(shape) if bits is None or kind is not SwizzledLayout else kind(shape, bits)

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
    globals()[_name] = _maker(_name, SwizzledLayout)
for _name in _FRAGMENTS:
    globals()[_name] = _maker(_name, Fragment)
__all__ += [*_SHARED, *_FRAGMENTS]
