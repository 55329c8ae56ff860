//===- SinkViews.h - views of tiles where they are used ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_SINKVIEWS_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_SINKVIEWS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Gives each operation at block level that uses views of tiles (`tile.view`,
/// slices)
/// views of its own, right in front of it. Later passes can then take the place
/// of a view for the place where the tile is used: a pass that inserts a wait
/// for the writers of a tile inserts it before the view.
void sinkViews(KernelOp kernel);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_SINKVIEWS_H
