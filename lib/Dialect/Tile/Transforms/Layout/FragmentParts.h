//===- FragmentParts.h - parts of fragments where they lie ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_FRAGMENTPARTS_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_FRAGMENTPARTS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Replaces a copy from or to a part of `fragment`, or a fill of one, by a loop
/// over the whole fragment that does something in the part only: no element has
/// to move to another thread, and single elements are moved. False, with
/// nothing changed, where that cannot be said (asynchronous copies, stated
/// layouts and instructions, two fragments, other than floating point
/// conversions).
bool loopOverWholeFragment(Operation *op, Value fragment);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_FRAGMENTPARTS_H
