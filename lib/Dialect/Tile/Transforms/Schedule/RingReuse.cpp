//===- RingReuse.cpp - loops that go on with an earlier ring --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why no fence is needed: the slots stay slots of one ring. Who fills them
// waits for their release as between two uses of one loop, and the verifier of
// rings sees uses that are counted on.
//
//===----------------------------------------------------------------------===//
#include "RingReuse.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;

static SmallVector<Value> buffersOf(const RingPlan &plan) {
  SmallVector<Value> buffers;
  for (const AheadCopy &ahead : plan.copies)
    buffers.push_back(TileMoveOpInterface(ahead.copy).getTarget());
  return buffers;
}

static SmallVector<std::pair<std::optional<uint64_t>, Attribute>>
multicastsOf(const RingPlan &plan) {
  SmallVector<std::pair<std::optional<uint64_t>, Attribute>> result;
  for (const AheadCopy &ahead : plan.copies) {
    TileMoveOpInterface copy = ahead.copy;
    result.push_back({copy.getMulticast(), copy.getMulticastAlongAttr()});
  }
  return result;
}

/// Whether slots of `ring` can hold what `plan` fills, for those who read it.
static bool holds(RingCreateOp ring, PipelinedOp loop, const RingPlan &plan) {
  RingType type = ring.getRing().getType();
  SmallVector<Value> buffers = buffersOf(plan);
  RingType own = ringTypeFor(loop.getStages(), buffers, plan.producer);
  return type.getStages() == own.getStages() &&
         type.getProducer() == own.getProducer() &&
         type.getBuffers() == own.getBuffers() &&
         llvm::all_of(
             own.getConsumers(),
             [&](RingConsumer side) { return type.hasConsumer(side); }) &&
         ring.getLayoutsAttr() == ringLayoutsFor(buffers) &&
         static_cast<int64_t>(ring.getPeers().value_or(1)) == plan.peers;
}

bool RingReuse::fits(const Built &built, PipelinedOp loop,
                     const RingPlan &plan) {
  auto ring = creationOf(built.ring);
  return ring && built.last && built.last->getBlock() == loop->getBlock() &&
         built.last->isBeforeInBlock(loop) && built.ahead == plan.ahead &&
         built.multicasts == multicastsOf(plan) && holds(ring, loop, plan);
}

bool RingReuse::take(PipelinedOp loop, RingPlan &plan) {
  for (Built &built : rings) {
    if (!fits(built, loop, plan))
      continue;
    plan.ring = built.ring;
    plan.base = built.end;
    plan.carriers = built.carriers;
    built.last = nullptr;
    built.plan = &plan;
    return true;
  }
  return false;
}

void RingReuse::add(const RingPlan &plan) {
  Built built;
  built.ahead = plan.ahead;
  built.multicasts = multicastsOf(plan);
  built.carriers = plan.carriers;
  built.plan = &plan;
  rings.push_back(std::move(built));
}

void RingReuse::added(const RingPlan &plan) {
  for (Built &built : rings)
    if (built.plan == &plan) {
      built.ring = plan.ring;
      built.end = plan.end;
      built.last = plan.last;
      built.plan = nullptr;
    }
}
