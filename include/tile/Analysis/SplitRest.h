//===- SplitRest.h - what follows a loop that blocks share ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that share the loop of a tile (`split`) can each finish a part of the
// tile where what follows the loop works on elements one by one.
// --tile-share-results asks it of every operation before it looks at layouts,
// the cost model before there are any.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_SPLITREST_H
#define TILE_ANALYSIS_SPLITREST_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The element that a load or a store accesses; null where `op` is neither.
std::pair<Value, ValueRange> elementOf(Operation *op);

/// Whether a move has all of the fragment on one of its sides.
bool isWholeFragment(Value buffer, OperandRange offsets,
                     ArrayRef<int64_t> extents);

/// Why `op`, which follows a loop that blocks share, works on more than the
/// elements of tiles one by one, those in it included; empty where it does not.
std::string whyNotByElements(Operation *op);

/// Whether all that follows `loop` in its block works on elements one by one.
bool isFollowedByElements(Operation *loop);

/// Why `rest`, a branch behind `reduces`, is not what the last of the blocks
/// that these combine does, or would not be the same in all of them; empty
/// where it is. `others` are conditions that have to hold besides.
std::string whyNotOfLastBlock(scf::IfOp rest, ArrayRef<ClusterReduceOp> reduces,
                              SmallVectorImpl<Value> &others);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_SPLITREST_H
