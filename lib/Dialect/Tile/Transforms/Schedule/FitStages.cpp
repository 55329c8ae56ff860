//===- FitStages.cpp - how many slots shared memory holds -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lower bound on purpose: the lowering places buffers by liveness, and a loop
// must not lose a slot that would have had room.
//
//===----------------------------------------------------------------------===//
#include "FitStages.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"

using namespace mlir;
using namespace mlir::tile;

static int64_t bytesOf(SharedLayoutAttr layout) {
  return llvm::alignTo(layout.getLayout().sizeInBytes(),
                       layout.getLayout().alignment());
}

/// Bytes of a ring or of a tile in shared memory; 0 for anything else, and
/// where no layout says.
static int64_t bytesOf(Operation *op) {
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    SharedLayoutAttr layout = getSharedLayout(alloc.getResult());
    return isShared(alloc.getResult()) && layout ? bytesOf(layout) : 0;
  }
  auto ring = dyn_cast<RingCreateOp>(op);
  if (!ring || !ring.getLayouts())
    return 0;
  int64_t bytes = 0;
  for (Attribute layout : ring.getLayoutsAttr())
    bytes += bytesOf(cast<SharedLayoutAttr>(layout));
  return bytes * static_cast<int64_t>(ring.getRing().getType().getStages());
}

/// Whether something inside `loop` uses what `op` gives, or a slot of it.
static bool isUsedIn(Operation *op, scf::ForOp loop) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return loop->isProperAncestor(user);
  });
}

int64_t tile::bytesTogether(KernelOp kernel) {
  SmallVector<std::pair<Operation *, int64_t>> buffers;
  int64_t all = 0, most = 0;
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (int64_t bytes = bytesOf(op)) {
      buffers.push_back({op, bytes});
      all += bytes;
    }
  });
  if (hasRoles(kernel))
    return all;
  kernel.getBodyRegion().walk([&](scf::ForOp loop) {
    if (loop.getBody()->getOps<RingWaitOp>().empty())
      return;
    int64_t together = 0;
    for (auto [op, bytes] : buffers)
      if (isUsedIn(op, loop))
        together += bytes;
    most = std::max(most, together);
  });
  return most;
}

PipelinedOp tile::widestLoop(KernelOp kernel) {
  PipelinedOp widest;
  int64_t most = 0;
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](PipelinedOp loop) {
    int64_t stages = loop.getStages(), bytes = 0;
    for (auto copy : loop.getBodyRegion().front().getOps<TileMoveOpInterface>())
      if (Operation *tile = copy.getTarget().getDefiningOp();
          tile && copy.isSharedLoad())
        bytes += bytesOf(tile) * stages;
    if (stages > 1 && bytes > most) {
      most = bytes;
      widest = loop;
    }
  });
  return widest;
}
