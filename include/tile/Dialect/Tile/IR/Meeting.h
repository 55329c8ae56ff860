//===- Meeting.h - kernels whose blocks meet --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_MEETING_H
#define TILE_DIALECT_TILE_IR_MEETING_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether blocks of the kernel meet at a `tile.grid_barrier`.
bool meetsInGrid(KernelOp kernel);

/// Whether blocks of a cluster meet by hand: at a `tile.cluster_barrier` or
/// mbarriers of the cluster, or by a `tile.cluster_copy` or
/// `tile.cluster_gather`.
bool meetsInCluster(KernelOp kernel);

/// Whether blocks of a cluster combine what they have summed up, by
/// `tile.cluster_reduce`: in the slots of rings, at their own pace.
bool combinesInCluster(KernelOp kernel);

/// Whether blocks of the cluster write a tile in this block's shared memory:
/// it is the target of a `tile.cluster_copy`.
bool isWrittenByPeers(Value tile);

/// Whether a block may wait for another one: at a `tile.grid_barrier`, or in a
/// loop that repeats a `tile.atomic_load`. Such blocks have to run at the
/// same time.
bool blocksMeet(KernelOp kernel);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_MEETING_H
