//===- RingArrivals.cpp - what the mbarriers of a ring count --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/RingArrivals.h"
#include "tile/Analysis/ClusterGroups.h"
#include "tile/Analysis/RingUses.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

int64_t tile::arrivalsOfCommit(RingType type, int64_t warps) {
  switch (type.getProducer()) {
  case RingProducer::CpAsyncMbarrier:
    return warps * 32;
  case RingProducer::ThreadsMbarrier:
    return warps;
  default:
    return 1;
  }
}

int64_t tile::arrivalsOfRelease(RingArrival by, int64_t warps) {
  switch (by) {
  case RingArrival::None:
    return 0;
  case RingArrival::Agent:
    return 1;
  case RingArrival::Warpgroup:
    return warps / 4;
  case RingArrival::Warp:
    return warps;
  }
  llvm_unreachable("all cases are listed");
}

int64_t tile::warpsOfAgent(Operation *op) {
  return getAgentWarps(getAgent(op));
}

int64_t tile::numReleasingBlocks(RingCreateOp ring) {
  // In a pair the leader's tensor core empties operands for both blocks; the
  // threads of both empty its accumulators. Otherwise a release arrives in
  // every block whose copies write into the slot.
  if (ring.getPair() && !ring.getRing().getType().inTensorMemory())
    return 1;
  ClusterGroups groups(kernelOf(ring));
  uint32_t blocks = 1;
  for (ClusterDims dims : getReleaseGroups(groups, ring))
    blocks |= groups.firstMask(dims);
  return llvm::popcount(blocks);
}

//===----------------------------------------------------------------------===//
// Who arrives at a release
//===----------------------------------------------------------------------===//

static SmallVector<TileRingOpInterface> waitsOn(Value ring) {
  SmallVector<TileRingOpInterface> waits;
  for (Operation *user : ring.getUsers())
    if (auto op = dyn_cast<TileRingOpInterface>(user);
        op && op.showsSlot() && !op.fillsSlots())
      waits.push_back(op);
  return waits;
}

/// Whether anything but wgmma reads what a wait gives.
static bool givesToThreads(Operation *wait) {
  return llvm::any_of(wait->getUsers(), [](Operation *user) {
    const MmaTraits *gemm = gemmTraits(user);
    return !gemm || gemm->reader != RingConsumer::Wgmma;
  });
}

/// Whether a gemm may leave out a use of the ring, because it stands in a
/// branch or a loop, or warps may skip it (--tile-skip-rows): then nothing says
/// that the other warps of a warpgroup have passed the wait when one of them
/// releases the slot.
static bool skipsUses(RingCreateOp ring) {
  return llvm::any_of(waitsOn(ring.getRing()), [](Operation *wait) {
    if (warpsOfAgent(wait) > 4 &&
        !wait->getBlock()->getOps<AssumeRowsOp>().empty())
      return true;
    return llvm::any_of(wait->getUsers(), [&](Operation *reader) {
      return gemmTraits(reader) && reader->getBlock() != wait->getBlock();
    });
  });
}

/// Whether wgmma and threads read a ring in uses that can be told apart. One
/// thread of each warpgroup then arrives for both: for threads after a barrier
/// of the warpgroup. The loop of gemms pays for its own arrivals only.
static bool readsApart(RingCreateOp ring) {
  return llvm::all_of(waitsOn(ring.getRing()), [](TileRingOpInterface wait) {
    return !givesToThreads(wait) || releaseAfter(wait);
  });
}

bool tile::isReadByThreads(TileRingOpInterface release) {
  return llvm::any_of(
      waitsOn(release.getRing()), [&](TileRingOpInterface wait) {
        return givesToThreads(wait) && releaseAfter(wait) == release;
      });
}

/// Agents among the users of a ring by some of its operations.
static llvm::SmallSetVector<Region *, 4>
agents(RingCreateOp ring, llvm::function_ref<bool(TileRingOpInterface)> isOne) {
  llvm::SmallSetVector<Region *, 4> result;
  for (Operation *user : ring->getUsers())
    if (auto op = dyn_cast<TileRingOpInterface>(user); op && isOne(op))
      result.insert(getAgent(user));
  return result;
}
static bool commits(TileRingOpInterface op) {
  return op.fillsSlots() && !op.showsSlot();
}
static bool releases(TileRingOpInterface op) { return op.releasesSlot(); }

static RingArrival arrivalFor(RingCreateOp ring) {
  RingType type = ring.getRing().getType();
  // Warps that are no whole warpgroups have nobody who arrives for four.
  bool areWarpgroups = llvm::all_of(agents(ring, releases), [](Region *agent) {
    return getAgentWarps(agent) % 4 == 0;
  });
  bool wgmma = type.hasConsumer(RingConsumer::Wgmma);
  bool threads = type.hasConsumer(RingConsumer::Threads);
  if (wgmma && (skipsUses(ring) || !areWarpgroups))
    return RingArrival::Warp;
  if (wgmma && threads && type.getConsumers().size() == 2 && readsApart(ring))
    return RingArrival::Warpgroup;
  return threads                                    ? RingArrival::Warp
         : wgmma                                    ? RingArrival::Warpgroup
         : type.hasConsumer(RingConsumer::TmaStore) ? RingArrival::Agent
                                                    : RingArrival::None;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

RingArrivals tile::deriveArrivals(RingCreateOp ring) {
  RingType type = ring.getRing().getType();
  RingArrival by = arrivalFor(ring);
  int64_t full = 0, empty = 0;
  for (Region *agent : agents(ring, commits))
    full += arrivalsOfCommit(type, getAgentWarps(agent));
  for (Region *agent : agents(ring, releases))
    empty += arrivalsOfRelease(by, getAgentWarps(agent)) +
             type.hasConsumer(RingConsumer::Tcgen05);
  empty *= numReleasingBlocks(ring);
  return {std::max<int64_t>(full, 1), std::max<int64_t>(empty, 1), by};
}
