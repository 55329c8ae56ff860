//===- GroupRing.cpp - rings that one agent fills and reads ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `cp_async` and `threads`. Groups of cp.async are each thread's own, and the
// barrier is one agent's, so no other agent can take part. A commit is a group;
// a wait is for all but the latest groups, and then for the agent's threads; a
// release is nothing, since the barrier of a later wait orders the reuse.
//
//===----------------------------------------------------------------------===//
#include "Rings/RingProtocol.h"
#include "Schedule/Mbarriers.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
class GroupRing final : public RingProtocol {
public:
  using RingProtocol::RingProtocol;
  LogicalResult create() final;
  void acquire(Value use, ValueRange views) final;
  void commit(Value use) final;
  void wait(RingWaitOp wait) final;
  void release(RingReleaseOp) final {}
  void drain() final;

private:
  bool hasGroups() const { return type.getProducer() == RingProducer::CpAsync; }
};
} // namespace

static bool isKnown(RingConsumer consumer, const TargetInfo &target) {
  switch (consumer) {
  case RingConsumer::Threads:
    return true;
  case RingConsumer::TmaStore:
    return target.hasTma();
  case RingConsumer::Wgmma:
    return target.hasWgmma();
  case RingConsumer::Tcgen05:
    return target.hasTcgen05();
  }
  llvm_unreachable("all cases are listed");
}

LogicalResult GroupRing::create() {
  if (!llvm::all_of(type.getConsumers(), [&](RingConsumer consumer) {
        return isKnown(consumer, lowering.target);
      }))
    return ring.emitOpError()
           << "expected a ring from cp_async or threads to threads on "
           << lowering.target.arch << ", got " << type;
  llvm::SmallSetVector<Region *, 4> users;
  for (Operation *user : ring->getUsers())
    if (auto op = dyn_cast<TileRingOpInterface>(user); op && op.getUse())
      users.insert(getAgent(user));
  if (users.size() > 1)
    return ring.emitOpError()
           << "expected one role to fill and to read it, or "
              "a ring from cp_async_mbarrier or threads_mbarrier, got "
           << type;
  return success();
}

void GroupRing::acquire(Value, ValueRange) {
  // The thread that issued a store out of the slot has waited for it; the
  // others do so here.
  if (type.hasConsumer(RingConsumer::TmaStore))
    lowering.barrier();
}

void GroupRing::commit(Value) {
  if (hasGroups())
    NVVM::CpAsyncCommitGroupOp::create(lowering.builder);
}

void GroupRing::wait(RingWaitOp wait) {
  if (hasGroups())
    NVVM::CpAsyncWaitGroupOp::create(lowering.builder,
                                     wait.getInFlight().value_or(0));
  if (isReadByAsyncProxy(wait))
    emitProxyFence(lowering);
  lowering.barrier();
}

void GroupRing::drain() {
  if (hasGroups())
    NVVM::CpAsyncWaitGroupOp::create(lowering.builder, 0);
  lowering.barrier();
}

std::unique_ptr<RingProtocol>
tile::nvvm::makeGroupRing(KernelLowering &lowering, RingCreateOp ring) {
  return std::make_unique<GroupRing>(lowering, ring);
}
