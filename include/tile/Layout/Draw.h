//===- Draw.h - layouts as pictures -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SVG drawings of layouts, for people: one square per element, dimension 0 down
// and dimension 1 across (a vector is one row; further leading dimensions are
// drawn as slices below each other). A layout repeats itself: one period is
// drawn, and never more than kDrawCells elements, so that a picture stays below
// a megabyte. Descriptions in words are FragmentLayout::describe and
// SharedLayout::describe.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_DRAW_H
#define TILE_LAYOUT_DRAW_H

#include "tile/Layout/SharedLayout.h"

namespace mlir::tile {

/// Elements that are drawn, and columns of them; a line of text tells what is
/// not.
inline constexpr int64_t kDrawCells = 2048;
inline constexpr int64_t kDrawColumns = 64;

/// The extents, one per dimension, of the smallest part after which the picture
/// repeats itself: with other registers (a fragment; where that is more than
/// kDrawCells elements, with other warps, too), in other rows of banks (a
/// shared layout).
llvm::SmallVector<int64_t> drawnPeriod(const FragmentLayout &layout);
llvm::SmallVector<int64_t> drawnPeriod(const SharedLayout &layout);

/// Shows which thread holds each element: warps are hues, lanes are shades, the
/// text is thread and register of the first owner, `+n` for n more. Hovering
/// shows all digits.
void drawSvg(const FragmentLayout &layout, llvm::raw_ostream &os);
/// Where each element lies: the 32 banks are hues, the text is the bank.
/// Hovering shows the byte offset.
void drawSvg(const SharedLayout &layout, llvm::raw_ostream &os);

} // namespace mlir::tile
#endif // TILE_LAYOUT_DRAW_H
