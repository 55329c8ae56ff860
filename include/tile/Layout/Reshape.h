//===- Reshape.h - one place, another shape ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a tile whose elements, counted in row-major order, are those of
// another tile: element p of the one is held, or lies, where element p of the
// other is.
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

} // namespace mlir::tile
#endif // TILE_LAYOUT_RESHAPE_H
