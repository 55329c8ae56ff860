//===- Reshape.h - one place, another shape ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a tile whose elements, counted in row-major order, are those of
// another tile: element p of the one is held, or lies, where element p of the
// other is. A slice is one of the equal parts of a tile along its first
// dimensions: `t[k]`. Columns are a part of it along the last dimension.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_RESHAPE_H
#define TILE_LAYOUT_RESHAPE_H

#include "tile/Layout/SharedLayout.h"

namespace mlir::tile {

/// Refuses where a digit would have to be split at no whole number, or where
/// the layout overshoots a dimension that does not stay as it is.
OrRefusal<FragmentLayout> reshaped(const FragmentLayout &layout,
                                   llvm::ArrayRef<int64_t> shape);

/// Elements of another width only of the plain row-major layout, whose bytes
/// are counted.
OrRefusal<SharedLayout> reshaped(const SharedLayout &layout,
                                 llvm::ArrayRef<int64_t> shape,
                                 unsigned elementBits);

/// The layout of a tile as a view of it sees it, or of what it is a view of, as
/// the numbers of bits say: of the same memory under another shape
/// (`reshaped`), of one slice, columns, or columns of a slice of it, or of the
/// tile that it is any of these of. All slices have one layout; slice k begins
/// k times `sliceStride` bytes behind the tile's begin. Columns are whole
/// groups of columns that lie one behind the other, as panels do, and begin
/// where the tile has their first element. Refuses where slices or columns
/// begin at no multiple of 16 bytes, or of what the swizzle repeats after.
OrRefusal<SharedLayout> viewed(const SharedLayout &layout,
                               llvm::ArrayRef<int64_t> shape,
                               unsigned elementBits);

/// Bytes from one slice of `shape` of a tile in `layout` to the next. Expects
/// that `viewed` does not refuse the slice.
int64_t sliceStride(const SharedLayout &layout, llvm::ArrayRef<int64_t> shape);

} // namespace mlir::tile
#endif // TILE_LAYOUT_RESHAPE_H
