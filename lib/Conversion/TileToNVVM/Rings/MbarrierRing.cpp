//===- MbarrierRing.cpp - what rings with mbarriers have in common --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A full and an empty mbarrier for each slot. The producer of a ring says who
// waits for an empty slot and how a full one is signalled; its consumers say
// how an empty one is: threads arrive as the ring's `arrivals` say, the tensor
// core by itself once gemms in flight have read.
//
//===----------------------------------------------------------------------===//
#include "ClusterPlace.h"
#include "Rings/RingProtocol.h"
#include "Tcgen05/TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Analysis/RingArrivals.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

Value MbarrierRing::pointer(int64_t offset, Value slot) {
  auto &b = lowering.builder;
  Value start = LLVM::GEPOp::create(
      b, lowering.sharedBase.getType(), b.getI8Type(), lowering.sharedBase,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::GEPOp::create(
      b, start.getType(), b.getI8Type(), start,
      ArrayRef<LLVM::GEPArg>{lowering.mulConst(slot, kMbarrierBytes)});
}

Value MbarrierRing::slotOf(Value use) {
  return lowering.builder.createOrFold<arith::RemUIOp>(lowering.toI32(use),
                                                       lowering.i32(stages));
}

/// How often the slot was filled before, as a parity (i32).
Value MbarrierRing::parityOf(Value use) {
  auto &b = lowering.builder;
  Value round =
      b.createOrFold<arith::DivUIOp>(lowering.toI32(use), lowering.i32(stages));
  return b.createOrFold<arith::AndIOp>(round, lowering.i32(1));
}

LogicalResult MbarrierRing::create() {
  if (type.hasConsumer(RingConsumer::Tcgen05) && !lowering.target.hasTcgen05())
    return ring.emitOpError() << "expected a ring to wgmma or threads on "
                              << lowering.target.arch << ", got " << type;
  if (std::string reason = whyNotHere(); !reason.empty())
    return ring.emitOpError() << reason << ", got " << type;
  const RingArrivals arrivals = *RingArrivals::of(ring);
  bool isPublishedLater = peers() == 1 && makesMoreMbarriers(ring);
  onOneThread(lowering, lowering.elected(), [&] {
    for (int64_t slot = 0; slot < stages; ++slot) {
      Value number = lowering.i32(slot);
      int64_t emptyBase = base + stages * kMbarrierBytes;
      for (auto [barrier, count] :
           {std::pair(pointer(base, number), arrivals.full),
            std::pair(pointer(emptyBase, number), arrivals.empty)})
        initMbarrier(lowering, sharedAddress(lowering, barrier), count);
    }
    // Where there are clusters; the barrier is enough for the block itself.
    if (lowering.target.hasClusters() && !isPublishedLater)
      emitOrdered(lowering, "fence.mbarrier_init.release.cluster;", "", {});
  });
  // Published before anybody arrives: to the cluster where blocks reach each
  // other.
  if (peers() > 1)
    lowering.clusterBarrier();
  else if (!isPublishedLater)
    lowering.barrier();
  return success();
}

//===----------------------------------------------------------------------===//
// The producer's side
//===----------------------------------------------------------------------===//

void MbarrierRing::waitEmpty(Value use, bool ofCluster) {
  Value parity = lowering.builder.createOrFold<arith::XOrIOp>(parityOf(use),
                                                              lowering.i32(1));
  waitParity(lowering, empty(use), parity, ofCluster);
}

void MbarrierRing::countUse(Value use) {
  if (peers() == 1 || !type.hasConsumer(RingConsumer::Tcgen05))
    return;
  auto &b = lowering.builder;
  Value &uses = lowering.sharedUses[ring];
  if (!uses) {
    uses = lowering.allocaArray(b.getI32Type(), 1);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(uses.getDefiningOp());
    LLVM::StoreOp::create(b, lowering.i32(0), uses);
  }
  LLVM::StoreOp::create(b, lowering.addConst(lowering.toI32(use), 1), uses);
}

SlotBinding MbarrierRing::bindingOf(Value, unsigned) {
  SlotBinding binding;
  binding.peers = peers();
  return binding;
}

void MbarrierRing::acquire(Value use, ValueRange views) {
  byProducer([&] { waitEmpty(use, isEmptiedAcrossBlocks()); });
  countUse(use);
  Value barrier = full(use);
  for (auto [i, view] : llvm::enumerate(views)) {
    SlotBinding binding = bindingOf(use, i);
    binding.full = barrier;
    lowering.slots[view] = binding;
  }
}

//===----------------------------------------------------------------------===//
// The consumers' side
//===----------------------------------------------------------------------===//

void MbarrierRing::byConsumer(Body wait) {
  // Only the thread that issues what reads has to know.
  onOneThread(lowering, isReadByOneThread() ? lowering.elected() : Value(),
              wait);
}

void MbarrierRing::wait(RingWaitOp wait) {
  byConsumer([&] {
    Value barrier = full(wait.getUse());
    waitParity(lowering, barrier, parityOf(wait.getUse()));
  });
}

std::pair<Value, Value> MbarrierRing::placeIn(int64_t span, int64_t count) {
  auto &b = lowering.builder;
  // An agent of three, five or more warps is no power of two.
  Value place = llvm::isPowerOf2_64(span)
                    ? b.createOrFold<arith::AndIOp>(lowering.threadId(),
                                                    lowering.i32(span - 1))
                    : b.createOrFold<arith::RemUIOp>(lowering.threadId(),
                                                     lowering.i32(span));
  Value isFirst = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                place, lowering.i32(count));
  return {place, isFirst};
}

/// One thread arrives for each block that writes into the slot.
void MbarrierRing::arriveEmpty(Value use, int64_t span, Value blocks) {
  auto &b = lowering.builder;
  auto [place, arrives] = placeIn(span, peers());
  if (blocks) {
    // The place counts only where it is a rank: a shift by more is no number.
    Value rank = b.createOrFold<arith::AndIOp>(place, lowering.i32(31));
    Value isWriter = b.createOrFold<arith::TruncIOp>(
        b.getI1Type(), b.createOrFold<arith::ShRUIOp>(blocks, rank));
    arrives = b.createOrFold<arith::AndIOp>(arrives, isWriter);
  }
  onOneThread(lowering, arrives, [&, place = place] {
    Value address = sharedAddress(lowering, empty(use));
    if (peers() == 1)
      return arriveMbarrier(lowering, address);
    emitOrdered(lowering,
                "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, $0, $1; "
                "mbarrier.arrive.shared::cluster.b64 _, [remote]; }",
                "r,r", {address, place});
  });
}

void MbarrierRing::release(RingReleaseOp release) {
  Value blocks = blocksInGroups(
      lowering, getReleaseGroups(ClusterGroups(lowering.kernel), ring));
  if (type.hasConsumer(RingConsumer::Tcgen05))
    onIssuer(lowering, [&] {
      emitTcgen05Commit(lowering,
                        sharedAddress(lowering, empty(release.getUse())),
                        peers(), blocks);
    });
  int64_t warps = lowering.agent.warps;
  int64_t arrivals = arrivalsOfRelease(RingArrivals::of(ring)->by, warps);
  if (arrivals == 0)
    return;
  orderReads();
  if (release->hasAttr(kMeetAttrName))
    lowering.barrier(arrivals);
  else if (arrivals == warps)
    NVVM::SyncWarpOp::create(lowering.builder, lowering.i32(-1));
  arriveEmpty(release.getUse(), warps / arrivals * 32, blocks);
}

void MbarrierRing::drain() {
  // Roles keep the memory of their rings for themselves while any of them runs.
  if (lowering.agent.barrier == 0)
    lowering.barrier();
}
