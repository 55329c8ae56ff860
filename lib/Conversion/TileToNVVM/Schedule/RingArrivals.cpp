//===- RingArrivals.cpp - how often who arrives on a ring -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RingArrivals.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;

/// Arrivals by threads of one consumer agent on an empty barrier: one warp in
/// four proves the reads of a warpgroup's wgmma; threads speak for their own
/// warp.
static int64_t arrivalsForSides(RingType type, int64_t warps) {
  int64_t result = 0;
  for (RingSide side : type.getConsumers())
    result = std::max(result, side == RingSide::Wgmma     ? warps / 4
                              : side == RingSide::Threads ? warps
                              : side == RingSide::Tcgen05 ? 0
                                                          : 1);
  return result;
}

/// Whether anything but wgmma reads what a wait gives.
static bool givesToThreads(RingWaitOp wait) {
  return llvm::any_of(wait->getUsers(), [](Operation *user) {
    auto gemm = dyn_cast<GemmOp>(user);
    return !gemm || traitsOf(gemm).reader != RingSide::Wgmma;
  });
}

/// The release of the same use behind `wait`, in its block; null where it is
/// elsewhere.
static RingReleaseOp releaseBehind(RingWaitOp wait) {
  for (Operation *op = wait->getNextNode(); op; op = op->getNextNode())
    if (auto release = dyn_cast<RingReleaseOp>(op))
      if (release.getRing() == wait.getRing() &&
          release.getUse() == wait.getUse())
        return release;
  return {};
}

/// Whether a gemm may leave out a use of the ring, because it stands in a
/// branch or a loop: then nothing says that the other warps of a warpgroup have
/// passed the wait when one of them releases the slot.
static bool skipsUses(RingCreateOp ring) {
  return llvm::any_of(ring.getRing().getUsers(), [](Operation *user) {
    auto wait = dyn_cast<RingWaitOp>(user);
    return wait && llvm::any_of(wait->getUsers(), [&](Operation *reader) {
             return isa<GemmOp>(reader) &&
                    reader->getBlock() != wait->getBlock();
           });
  });
}

bool tile::nvvm::readsApart(RingCreateOp ring) {
  RingType type = ring.getRing().getType();
  if (skipsUses(ring) || type.getConsumers().size() != 2 ||
      !type.hasConsumer(RingSide::Wgmma) ||
      !type.hasConsumer(RingSide::Threads))
    return false;
  return llvm::all_of(ring.getRing().getUsers(), [](Operation *user) {
    auto wait = dyn_cast<RingWaitOp>(user);
    return !wait || !givesToThreads(wait) || releaseBehind(wait);
  });
}

bool tile::nvvm::isReadByThreads(RingReleaseOp release) {
  return llvm::any_of(release.getRing().getUsers(), [&](Operation *user) {
    auto wait = dyn_cast<RingWaitOp>(user);
    return wait && givesToThreads(wait) && releaseBehind(wait) == release;
  });
}

int64_t tile::nvvm::arrivalsByThreads(RingCreateOp ring, int64_t warps) {
  RingType type = ring.getRing().getType();
  if (type.hasConsumer(RingSide::Wgmma) && skipsUses(ring))
    return warps;
  return readsApart(ring) ? warps / 4 : arrivalsForSides(type, warps);
}

int64_t tile::nvvm::consumerArrivals(RingCreateOp ring, int64_t warps) {
  return arrivalsByThreads(ring, warps) +
         ring.getRing().getType().hasConsumer(RingSide::Tcgen05);
}

int64_t tile::nvvm::producerArrivals(RingType type, int64_t warps) {
  return type.getProducer() == RingSide::CpAsyncMbarrier   ? warps * 32
         : type.getProducer() == RingSide::ThreadsMbarrier ? warps
                                                           : 1;
}
