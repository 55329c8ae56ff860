//===- RingArrivals.h - what the mbarriers of a ring count ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many arrivals complete a phase of a ring's full and empty mbarriers
// (docs/Rings.md). --tile-count-arrivals takes the
// decision once and writes it on the ring and its releases (ScheduleFacts.h);
// --tile-verify-rings compares it with what each agent does; the lowering reads
// it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_RINGARRIVALS_H
#define TILE_ANALYSIS_RINGARRIVALS_H

#include "tile/Dialect/Tile/IR/ScheduleFacts.h"

namespace mlir::tile {

/// Arrivals on a full mbarrier by one commit of an agent of `warps`: cp.async:
/// one by each thread, once its own copies have landed; stores: one by each
/// warp; copies that count bytes, and the tensor core: one.
int64_t arrivalsOfCommit(RingType type, int64_t warps);

/// Arrivals on an empty mbarrier by the threads of an agent of `warps` at one
/// release. The tensor core has one of its own besides.
int64_t arrivalsOfRelease(RingArrival by, int64_t warps);

/// Warps of the agent that executes `op`: of its role, or of the kernel.
int64_t warpsOfAgent(Operation *op);

/// The blocks whose releases arrive on one empty mbarrier of `ring`, in one
/// phase.
int64_t numReleasingBlocks(RingCreateOp ring);

/// The arrivals of a ring with mbarriers, derived from who uses it.
RingArrivals deriveArrivals(RingCreateOp ring);

/// Where the arrivals of a ring are by warpgroups: whether threads have read
/// what `release` gives back, so that its warps have to meet before.
bool isReadByThreads(TileRingOpInterface release);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_RINGARRIVALS_H
