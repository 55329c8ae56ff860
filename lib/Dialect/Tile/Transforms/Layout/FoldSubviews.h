//===- FoldSubviews.h - parts of tiles as operands --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_FOLDSUBVIEWS_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_FOLDSUBVIEWS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Replaces `memref.subview` of tiles in shared memory and fragments: single
/// elements, copies, fills and atomics take the tile itself at an offset, gemms
/// a slice of a shared tile where it is; other operations take a copy of the
/// part, in a tile of its own.
LogicalResult foldSubviews(KernelOp kernel, bool remarks);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_FOLDSUBVIEWS_H
