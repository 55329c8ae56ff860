//===- RingUses.h - what an agent does with one use of a ring ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An acquire, the copies into what it gives and the commit belong together by
// the ring and the number of the use, and so do a wait and a release. Passes
// ask here which ones do. Nothing here rewrites.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_RINGUSES_H
#define TILE_ANALYSIS_RINGUSES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// One use of a ring as its producer sees it.
struct Production {
  RingAcquireOp acquire;
  RingCommitOp commit; // of the same use, in the block of the acquire
  /// Into the slot, in program order.
  SmallVector<TileMoveOpInterface> copies;
  /// The branch that all copies stand in, where there is one: a use without
  /// them has nothing in it.
  scf::IfOp guard;

  Value use() { return acquire.getUse(); }
  RingType ring() { return acquire.getRing().getType(); }
};

/// The production that starts with `acquire`; nullopt where its commit stands
/// elsewhere, or something other than copies uses the slot.
std::optional<Production> productionOf(RingAcquireOp acquire);

/// Those that start in `block`, in order; empty where one has another form.
SmallVector<Production> productionsIn(Block &block);

/// The release of the use that `wait` is for, after it in its block; null where
/// it stands elsewhere.
RingReleaseOp releaseAfter(TileRingOpInterface wait);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_RINGUSES_H
