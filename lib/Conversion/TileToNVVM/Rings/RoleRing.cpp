//===- RoleRing.cpp - rings that all threads of a role fill ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `cp_async_mbarrier` and `threads_mbarrier`. Every thread waits for an empty
// slot, since every thread writes into it. What they wrote went through the
// generic proxy; where the async proxy reads it next, the fence stands after
// the wait of the consumer: cp.async completes on the mbarrier, so that nobody
// else knows when (PTX ISA, "Memory Consistency Model": a proxy fence anywhere
// on the causality path).
//
//===----------------------------------------------------------------------===//
#include "Rings/RingProtocol.h"
#include "Schedule/Mbarriers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

std::string RoleRing::whyNotHere() {
  return lowering.target.hasMbarriers()
             ? ""
             : "expected a ring from cp_async or threads on " +
                   lowering.target.arch.str();
}

void RoleRing::commit(Value use) {
  auto &b = lowering.builder;
  if (type.getProducer() == RingProducer::CpAsyncMbarrier) {
    // Counted in at the start, so it does not count itself in: .noinc.
    NVVM::CpAsyncMBarrierArriveOp::create(b, full(use), /*noinc=*/true);
    return;
  }
  // The arrival releases what its thread has seen: its warp's stores.
  NVVM::SyncWarpOp::create(b, lowering.i32(-1));
  Value lane =
      b.createOrFold<arith::AndIOp>(lowering.threadId(), lowering.i32(31));
  Value isFirst = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, lane,
                                                lowering.i32(0));
  onOneThread(lowering, isFirst, [&] {
    arriveMbarrier(lowering, sharedAddress(lowering, full(use)));
  });
}

static bool needsFence(RingWaitOp wait) {
  return !wait.getAgain() && wait.getRing().getType().isFilledByRole() &&
         isReadByAsyncProxy(wait);
}

/// Waits of one iteration stand together: the last fence is enough.
static bool isFencedNext(RingWaitOp wait) {
  auto next = dyn_cast_or_null<RingWaitOp>(wait->getNextNode());
  return next && (needsFence(next) || (!next.getAgain() && isFencedNext(next)));
}

void RoleRing::wait(RingWaitOp wait) {
  MbarrierRing::wait(wait);
  if (needsFence(wait) && !isFencedNext(wait))
    byConsumer([&] { emitProxyFence(lowering); });
}
