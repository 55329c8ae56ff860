//===- ClusterSharing.h - what the blocks of a cluster share ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values, and which copies, are the same in blocks of a cluster, and
// along which of its dimensions. Nothing here rewrites.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_CLUSTERSHARING_H
#define TILE_ANALYSIS_CLUSTERSHARING_H

#include "tile/Analysis/ClusterGroups.h"

namespace mlir::tile {

/// Follows values back to the block indices that differ within a cluster. What
/// varies with dimension d differs, or may, between blocks that differ in d.
class ClusterSharing {
public:
  explicit ClusterSharing(KernelOp kernel);

  /// The dimensions of the cluster that a value varies with.
  ClusterDims variesWith(Value value);
  /// Some of that was not followed to its end: it is only a possibility.
  bool isGuess(Value value);
  /// Dimensions along which every block runs `op` equally often: the loops and
  /// branches around it, and its own operands if it is a loop, do not vary.
  ClusterDims runsAlikeAlong(Operation *op);
  /// Dimensions along which blocks copy the same region.
  ClusterDims copiesSameAlong(TileMoveOpInterface copy);

  /// The same of all blocks of a cluster.
  bool isUniform(Value value) { return variesWith(value) == 0; }
  bool isRunAlike(Operation *op) { return runsAlikeAlong(op) == groups.all(); }
  bool copiesSame(TileMoveOpInterface copy) {
    return copiesSameAlong(copy) == groups.all();
  }
  /// Blocks that differ in `dims` only are known to copy different regions.
  bool copiesDiffer(TileMoveOpInterface copy, ClusterDims dims);

private:
  ClusterDims find(Value value);
  ClusterDims visit(Value value);
  ClusterDims compute(Value value);
  ClusterDims visitAll(ValueRange values);

  KernelOp kernel;
  ClusterGroups groups;
  /// For each dimension of the grid: the dimensions of the cluster with which
  /// its index varies.
  SmallVector<ClusterDims> indices;
  llvm::DenseMap<Value, ClusterDims> known;
  /// Values whose answer is final, and values seen in the current round of the
  /// analysis.
  llvm::DenseSet<Value> settled, visited;
  bool changed = false;
};

} // namespace mlir::tile
#endif // TILE_ANALYSIS_CLUSTERSHARING_H
