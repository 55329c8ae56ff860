//===- Draw.h - layouts as pictures -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SVG drawings of layouts, for people: one square per element, dimension 0 down
// and dimension 1 across (a vector is one row; further leading dimensions are
// drawn as slices below each other). Descriptions in words are
// FragmentLayout::describe and SharedLayout::describe.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_DRAW_H
#define TILE_LAYOUT_DRAW_H

#include "tile/Layout/SharedLayout.h"

namespace mlir::tile {

/// Rows, columns and slices that are drawn; a line of text tells what is not.
inline constexpr int64_t kDrawLimit = 128;
inline constexpr int64_t kDrawSliceLimit = 8;

/// Who holds each element: warps are hues, lanes are shades, the text is thread
/// and register of the first owner, `+n` for n more. Hovering shows all digits.
void drawSvg(const FragmentLayout &layout, llvm::raw_ostream &os);
/// Where each element lies: the 32 banks are hues, the text is the bank.
/// Hovering shows the byte offset.
void drawSvg(const SharedLayout &layout, llvm::raw_ostream &os);

} // namespace mlir::tile
#endif // TILE_LAYOUT_DRAW_H
