//===- CountArrivals.cpp - writes what the mbarriers of a ring count ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last pass of a schedule: every pass before it may move or remove waits,
// releases and readers, and each of these changes who arrives. The decision is
// Analysis/RingArrivals.h's.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "tile/Analysis/RingArrivals.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_COUNTARRIVALSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct CountArrivalsPass
    : tile::impl::CountArrivalsPassBase<CountArrivalsPass> {
  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Rings, Need::Roles})))
      return signalPassFailure();
    getOperation().walk([&](RingCreateOp ring) {
      // What is already stated is respected; --tile-verify-rings checks it.
      if (ring.getRing().getType().usesMbarriers() && !RingArrivals::of(ring))
        decide(ring);
    });
  }

private:
  void decide(RingCreateOp ring) {
    RingArrivals arrivals = deriveArrivals(ring);
    arrivals.writeTo(ring);
    ++countedRings;
    if (arrivals.by != RingArrival::Warpgroup)
      return;
    for (Operation *user : ring.getRing().getUsers())
      if (auto op = dyn_cast<TileRingOpInterface>(user))
        if (op.releasesSlot() && isReadByThreads(op))
          op->setAttr(kMeetAttrName, UnitAttr::get(&getContext()));
  }
};
} // namespace
