//===- TileBarrierOps.h - where threads meet --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_DIALECT_TILE_IR_TILEBARRIEROPS_H
#define TILE_DIALECT_TILE_IR_TILEBARRIEROPS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {
/// Groups of copies that a `tile.fence` may leave under way.
inline constexpr uint64_t kMostInFlight = 7;
} // namespace mlir::tile

#define GET_OP_CLASSES
#include "tile/Dialect/Tile/IR/TileBarrierOps.h.inc"

#endif // TILE_DIALECT_TILE_IR_TILEBARRIEROPS_H
