//===- ClusterSharing.h - what the blocks of a cluster share ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values, and which copies, are the same in every block of a cluster.
// Nothing here rewrites.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_CLUSTERSHARING_H
#define TILE_ANALYSIS_CLUSTERSHARING_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Follows values back to the block indices that differ within a cluster.
class ClusterSharing {
public:
  explicit ClusterSharing(KernelOp kernel);

  /// Every block of a cluster computes the same value.
  bool isUniform(Value value);
  /// Every block of a cluster runs `op` equally often: the loops and branches
  /// around it, and its own operands if it is a loop, are uniform.
  bool isRunAlike(Operation *op);
  /// Every block of a cluster copies the same region.
  bool copiesSame(TileMoveOpInterface copy);

private:
  bool differs(Value value);

  KernelOp kernel;
  /// Dimensions of the grid along which blocks of a cluster differ.
  SmallVector<bool> varies;
  llvm::DenseMap<Value, bool> known; // true: differs; assumed false meanwhile
};

} // namespace mlir::tile
#endif // TILE_ANALYSIS_CLUSTERSHARING_H
