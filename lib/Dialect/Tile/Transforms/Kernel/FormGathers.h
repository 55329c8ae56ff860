//===- FormGathers.h - parallel loops that gather rows ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_KERNEL_FORMGATHERS_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_KERNEL_FORMGATHERS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// A `tile.gather` in front of a loop that does what it says, which the caller
/// erases; null where the loop does something else.
GatherOp formGather(ParallelOp loop);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_KERNEL_FORMGATHERS_H
