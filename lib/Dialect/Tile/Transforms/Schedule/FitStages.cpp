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
    // Its own slots: another loop that fills the same tile may have more.
    int64_t bytes = 0;
    for (auto copy : loop.getBodyRegion().front().getOps<TileMoveOpInterface>())
      if (copy.isSharedLoad())
        if (SharedLayoutAttr layout = getSharedLayout(copy.getTarget()))
          bytes +=
              sharedBytesOf(layout) * static_cast<int64_t>(loop.getStages());
    if (loop.getStages() > 1 && bytes > most) {
      most = bytes;
      widest = loop;
    }
  });
  return widest;
}
