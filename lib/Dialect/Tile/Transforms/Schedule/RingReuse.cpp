//===- RingReuse.cpp - uses of a ring beside those of one loop ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why no fence is needed: the slots stay slots of one ring. Who fills them
// waits for their release as between two uses of one loop, and the verifier of
// rings sees uses that are counted on.
//
//===----------------------------------------------------------------------===//
#include "RingReuse.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Loops around it
//===----------------------------------------------------------------------===//

void tile::countUses(PipelinedOp loop, RingPlan &plan) {
  UseCounter counter;
  plan.base = counter.begin(loop);
  counter.finish(plan.base);
  if (isa<TileAgentsOpInterface>(loop->getParentOp()))
    return;
  plan.carriers.push_back(loop->getBlock()->getTerminator()->getNumOperands() -
                          1);
  auto argument = dyn_cast<BlockArgument>(plan.base);
  if (!argument)
    return;
  unsigned level = 0;
  for (Operation *parent = loop->getParentOp();
       parent != argument.getOwner()->getParentOp();
       parent = parent->getParentOp())
    ++level;
  plan.carried = {level, argument.getArgNumber()};
}

Value tile::resolveCount(PipelinedOp loop, RingPlan::Carried carried) {
  Operation *carrier = loop->getParentOp();
  for (unsigned level = 0; level < carried.level; ++level)
    carrier = carrier->getParentOp();
  return carrier->getRegion(0).getArgument(carried.argument);
}

//===----------------------------------------------------------------------===//
// Copies behind it
//===----------------------------------------------------------------------===//

/// The operations that read the tile filled by `copy` before the tile is
/// written again, and the awaits of asynchronous ones.
static FollowingUse readersOf(TileMoveOpInterface copy, unsigned buffer) {
  FollowingUse use{copy, buffer, nullptr, nullptr};
  // What writes the source waits, too, until the copy has read it.
  SmallVector<TileAccess> ofCopy;
  cast<TileOpInterface>(copy.getOperation()).getAccesses(ofCopy);
  auto overwritesSource = [&](Operation *op) {
    return llvm::any_of(ofCopy, [&](const TileAccess &access) {
      return !access.isWrite && mayWrite(op, getBaseBuffer(access.buffer));
    });
  };
  Operation *writer = nullptr;
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
    SmallVector<OpAccess> accesses;
    collectAccesses(op, accesses);
    bool reads = false;
    if (!writer && overwritesSource(op))
      writer = op;
    for (const OpAccess &access : accesses) {
      if (access.access.buffer != copy.getTarget())
        continue;
      if (access.access.isWrite)
        return use;
      reads = true;
    }
    if (reads) {
      if (!use.first)
        use.first = writer ? writer : op;
      use.last = op;
    }
  }
  return use;
}

SmallVector<FollowingUse> tile::findFollowing(PipelinedOp loop,
                                              const RingPlan &plan) {
  SmallVector<FollowingUse> result;
  SmallVector<Value> tiles = plan.tiles();
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    auto copy = dyn_cast<TileMoveOpInterface>(op);
    if (!copy || !isTmaLoad(copy))
      continue;
    auto tile = llvm::find(tiles, copy.getTarget());
    if (tile == tiles.end())
      continue;
    FollowingUse use = readersOf(copy, tile - tiles.begin());
    if (!overwrites(copy, *tile) || !use.first ||
        (!result.empty() && !result.back().last->isBeforeInBlock(op)))
      return {};
    result.push_back(use);
  }
  Block *block = loop->getBlock();
  for (Value tile : tiles) {
    SmallVector<Operation *> uses;
    if (collectUses(tile, uses))
      return {};
    for (Operation *user : uses) {
      Operation *here = block->findAncestorOpInBlock(*user);
      if (here && !loop->isBeforeInBlock(here))
        continue;
      if (!here || llvm::none_of(result, [&](FollowingUse use) {
            return here == use.copy || (use.copy.getTarget() == tile &&
                                        !here->isBeforeInBlock(use.first) &&
                                        !use.last->isBeforeInBlock(here));
          }))
        return {};
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Later loops
//===----------------------------------------------------------------------===//

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
  SmallVector<Value> buffers = plan.tiles();
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
