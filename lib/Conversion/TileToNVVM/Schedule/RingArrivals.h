//===- RingArrivals.h - how often who arrives on a ring ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the mbarriers of a ring count (docs/Rationale/Schedules.md, section 4):
// arrivals of one agent in one phase. How many agents and blocks there are, and
// the arrivals themselves, are Ring.cpp's business.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_RINGARRIVALS_H
#define TILE_LIB_CONVERSION_TILETONVVM_RINGARRIVALS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile::nvvm {

/// Arrivals by one producer agent of `warps` on a full barrier: of each thread
/// once its own cp.async have landed; of each warp behind its stores; of the
/// thread that speaks for copies that count bytes.
int64_t producerArrivals(RingType type, int64_t warps);

/// Arrivals by threads of one consumer agent on an empty barrier.
int64_t arrivalsByThreads(RingCreateOp ring, int64_t warps);

/// All arrivals of one consumer agent: the tensor core has one of its own for
/// what an agent issued.
int64_t consumerArrivals(RingCreateOp ring, int64_t warps);

/// Where wgmma and threads read a ring in uses that can be told apart, one
/// thread of each warpgroup arrives for both: for threads behind a barrier of
/// the warpgroup. The loop of gemms then pays for its own arrivals only.
bool readsApart(RingCreateOp ring);

/// Whether threads have read what `release` gives back.
bool isReadByThreads(RingReleaseOp release);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_RINGARRIVALS_H
