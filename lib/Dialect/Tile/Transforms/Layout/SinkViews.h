//===- SinkViews.h - views of tiles where they are used ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_SINKVIEWS_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_SINKVIEWS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Gives each operation at block level that uses views of tiles (`tile.view`)
/// views of its own, right in front of it. What follows sees then where a tile
/// is used by where it is viewed: who waits for what writes a tile does so in
/// front of a view.
void sinkViews(KernelOp kernel);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_SINKVIEWS_H
