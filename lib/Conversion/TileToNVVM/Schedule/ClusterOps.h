//===- ClusterOps.h - blocks of a cluster by hand ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_SCHEDULE_CLUSTEROPS_H
#define TILE_LIB_CONVERSION_TILETONVVM_SCHEDULE_CLUSTEROPS_H

#include "Schedule/Mbarriers.h"

namespace mlir::tile::nvvm {

/// An error where the target has no clusters.
LogicalResult requireClusters(KernelLowering &lowering, Operation *op);

/// In front of the kernel's body: no block writes into the shared memory of one
/// that has not begun. Each says that it has, and waits for the others where
/// the first `tile.cluster_copy` comes.
void announceBlock(KernelLowering &lowering);

/// Pointer to barrier `index` (i32) of what a `tile.mbarrier.create` made.
FailureOr<Value> barrierAt(KernelLowering &lowering, Operation *op,
                           Value barriers, Value index);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_SCHEDULE_CLUSTEROPS_H
