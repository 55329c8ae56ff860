//===- FitStages.cpp - which loop gives up a slot -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "FitStages.h"
#include "tile/Analysis/Occupancy.h"

using namespace mlir;
using namespace mlir::tile;

PipelinedOp tile::widestLoop(KernelOp kernel) {
  PipelinedOp widest;
  int64_t most = 0;
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](PipelinedOp loop) {
    int64_t bytes = 0;
    for (auto copy : loop.getBodyRegion().front().getOps<TileMoveOpInterface>())
      if (Operation *tile = copy.getTarget().getDefiningOp();
          tile && copy.isSharedLoad())
        bytes += sharedBytesOf(tile);
    if (loop.getStages() > 1 && bytes > most) {
      most = bytes;
      widest = loop;
    }
  });
  return widest;
}
