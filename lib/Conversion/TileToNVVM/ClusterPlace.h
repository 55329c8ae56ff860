//===- ClusterPlace.h - this block among its cluster's --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of its cluster's blocks this one is, and which are in its groups
// (Analysis/ClusterGroups.h), computed from its rank at run time: every block
// runs the same code.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_CLUSTERPLACE_H
#define TILE_LIB_CONVERSION_TILETONVVM_CLUSTERPLACE_H

#include "Lowering.h"
#include "tile/Analysis/ClusterGroups.h"

namespace mlir::tile::nvvm {

/// This block's number in its cluster (i32).
Value blockRank(KernelLowering &lowering);

/// This block's number (i32) in the group of blocks that share `copy`, or that
/// move it as a pair.
Value placeInGroup(KernelLowering &lowering, TileMoveOpInterface copy);

/// The blocks that share `copy`, by ranks as bits (i16); null for one block.
Value multicastMask(KernelLowering &lowering, TileMoveOpInterface copy);

/// The blocks that this one is in a group with, itself included, by ranks as
/// bits (i32); null for all of the cluster.
Value blocksInGroups(KernelLowering &lowering,
                     ArrayRef<ClusterDims> groupsOfBlock);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_CLUSTERPLACE_H
