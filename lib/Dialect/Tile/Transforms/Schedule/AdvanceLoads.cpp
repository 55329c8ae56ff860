//===- AdvanceLoads.cpp - what follows a loop is copied within it ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after roles are divided. A role that copies issues what an epilogue
// reads when it has issued the last copy of the loop before, only as many
// iterations ahead as the loop's ring has slots: too late for memory to answer
// in time. The slot has been empty since the last tile's epilogue, so the copy
// moves into the loop, to the first iteration that has to wait for a slot of
// the loop's own ring: by then the tile before is done with it, and the whole
// loop hides the trip.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/RingUses.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ADVANCELOADSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A production and the scalars between its operations.
using Moved = SmallVector<Operation *>;

struct AdvanceLoadsPass : tile::impl::AdvanceLoadsPassBase<AdvanceLoadsPass> {
  using AdvanceLoadsPassBase::AdvanceLoadsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Rings, Need::Roles})))
      return signalPassFailure();
    getOperation().walk([&](WarpSpecializeOp roles) {
      for (Region &role : roles.getRoles()) {
        SmallVector<scf::ForOp> loops;
        role.walk([&](scf::ForOp loop) { loops.push_back(loop); });
        for (scf::ForOp loop : loops)
          advanceInto(loop, role);
      }
    });
  }

private:
  void advanceInto(scf::ForOp loop, Region &role);
};
} // namespace

static bool isScalar(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// The fewest slots of the rings that `loop` fills itself; 0 where it fills
/// none.
static int64_t slotsFilledBy(scf::ForOp loop) {
  int64_t slots = 0;
  for (auto acquire : loop.getBody()->getOps<RingAcquireOp>()) {
    int64_t stages = cast<RingType>(acquire.getRing().getType()).getStages();
    slots = slots ? std::min(slots, stages) : stages;
  }
  return slots;
}

/// Whether the slot that the production after the loop asks for has been
/// released before that loop's consumers start: `role` fills the ring in one
/// place, so the use before is the last tile's, and readers that are threads
/// release it where they have read it.
static bool isReleasedBefore(RingAcquireOp acquire, scf::ForOp loop,
                             Region &role) {
  Value ring = acquire.getRing();
  auto type = cast<RingType>(ring.getType());
  if (!type.usesMbarriers() || type.getConsumers().size() != 1 ||
      !type.hasConsumer(RingConsumer::Threads))
    return false;
  return llvm::none_of(ring.getUsers(), [&](Operation *user) {
    bool elsewhere = showsOpenSlot(user) && user != acquire &&
                     role.isAncestor(user->getParentRegion());
    return elsewhere || loop->isAncestor(user);
  });
}

/// The operations from an acquire to its commit; empty where something other
/// than the production's own copies, and scalars, stands between them.
static Moved movedWith(RingAcquireOp acquire) {
  std::optional<Production> production = productionOf(acquire);
  if (!production || production->guard)
    return {};
  Moved found = {acquire};
  for (Operation *op = acquire->getNextNode(); op != production->commit;
       op = op->getNextNode()) {
    auto copy = dyn_cast<TileMoveOpInterface>(op);
    bool fills = copy && op->getNumResults() == 0 &&
                 llvm::is_contained(production->copies, copy);
    if (!fills && !isScalar(op))
      return {};
    found.push_back(op);
  }
  found.push_back(production->commit);
  return found;
}

/// Collects, in order, the scalars behind `loop` that `op` needs but for `own`.
/// False where it needs anything else from there, or a result of the loop.
static bool collectScalars(Operation *op, scf::ForOp loop,
                           ArrayRef<Operation *> own,
                           llvm::SetVector<Operation *> &scalars) {
  for (Value operand : op->getOperands()) {
    Operation *definition = operand.getDefiningOp();
    if (!definition || definition->getBlock() != loop->getBlock() ||
        definition->isBeforeInBlock(loop))
      continue;
    if (scalars.contains(definition) || llvm::is_contained(own, definition))
      continue;
    if (definition == loop || !isScalar(definition) ||
        !collectScalars(definition, loop, own, scalars))
      return false;
    scalars.insert(definition);
  }
  return true;
}

void AdvanceLoadsPass::advanceInto(scf::ForOp loop, Region &role) {
  int64_t slots = slotsFilledBy(loop);
  if (!slots)
    return;
  SmallVector<Moved> productions;
  llvm::SetVector<Operation *> needed;
  for (Operation *op = loop->getNextNode(); op;) {
    Operation *next = op->getNextNode();
    if (auto acquire = dyn_cast<RingAcquireOp>(op)) {
      Moved production;
      if (isReleasedBefore(acquire, loop, role))
        production = movedWith(acquire);
      llvm::SetVector<Operation *> scalars = needed;
      if (production.empty() || !llvm::all_of(production, [&](Operation *part) {
            return collectScalars(part, loop, production, scalars);
          }))
        break;
      needed = std::move(scalars);
      next = production.back()->getNextNode();
      productions.push_back(std::move(production));
    } else if (!isScalar(op)) {
      break;
    }
    op = next;
  }
  if (productions.empty())
    return;

  for (Operation *op : needed)
    op->moveBefore(loop);
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  builder.setInsertionPointToStart(loop.getBody());
  auto early =
      scf::IfOp::create(builder, loc, isInIteration(builder, loop, slots),
                        /*withElse=*/false);
  builder.setInsertionPointAfter(loop);
  // A loop that ends before leaves it to what follows.
  Value missed = hasNoIteration(builder, loc, loop, slots);
  auto late = scf::IfOp::create(builder, loc, missed, /*withElse=*/false);

  builder.setInsertionPointToStart(early.thenBlock());
  for (Moved &production : productions) {
    IRMapping mapping;
    for (Operation *op : production) {
      builder.clone(*op, mapping);
      op->moveBefore(late.thenYield());
    }
    ++advancedLoads;
    remarkAt(remarks, production.front())
        << "copied within the loop before it, in iteration " << slots;
  }
  if (matchPattern(missed, m_Zero()))
    late.erase();
}
