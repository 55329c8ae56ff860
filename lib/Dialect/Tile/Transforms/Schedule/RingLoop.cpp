//===- RingLoop.cpp - the loop that replaces a pipelined one --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of --tile-pipeline, which decides what runs ahead, and how far.
//
//===----------------------------------------------------------------------===//
#include "RingLoop.h"
#include "IndexBuilder.h"
#include "LoneCopies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Prologues up to this many productions are written out; longer ones loop.
constexpr int64_t kUnrolledProductions = 3;

/// Arithmetic on indices in front of a loop, and in it.
class LoopIndexBuilder : public IndexBuilder {
public:
  LoopIndexBuilder(OpBuilder &builder, Operation *anchor)
      : IndexBuilder(builder, anchor->getLoc()), block(anchor->getBlock()),
        last(anchor->getPrevNode()) {}

  /// Constants stand before everything else that is built, each once.
  Value constant(int64_t value) {
    Value &known = constants[value];
    if (!known) {
      OpBuilder::InsertionGuard restore(builder);
      if (last)
        builder.setInsertionPointAfter(last);
      else
        builder.setInsertionPointToStart(block);
      known = arith::ConstantIndexOp::create(builder, loc, value);
      last = known.getDefiningOp();
    }
    return known;
  }

private:
  Block *block;
  Operation *last; // after which constants are put; null: at the block's start
  llvm::DenseMap<int64_t, Value> constants;
};

/// Builds the ring loop that replaces one `tile.pipelined`.
class RingLoop {
public:
  RingLoop(PipelinedOp loop, MutableArrayRef<RingPlan> plans)
      : loop(loop), plans(plans), builder(loop), loc(loop.getLoc()),
        index(builder, loop), stages(loop.getStages()) {}

  void build();

private:
  void createRing(RingPlan &plan);
  Value tripCount();
  /// Productions that the steady loop makes `distance` iterations ahead.
  void produceAll(Ahead ahead, int64_t distance);
  void buildPrologue();
  void eraseSlices();
  /// Gives the copies after the loop the next slots; returns the number of uses
  /// so far.
  Value continueBehind(RingPlan &plan, Value use);
  /// The loop's induction variable in iteration `iteration`.
  Value inductionValue(Value iteration) {
    return index.add(loop.getLowerBound(),
                     index.mul(iteration, loop.getStep()));
  }
  /// Fills the slot of the iteration `distance` after that of `index`, or of
  /// iteration `distance` where `index` is null, if there is one.
  void produce(const RingPlan &plan, Value index, int64_t distance);
  /// The steady loop, before it is built as well.
  LoopBounds bounds() { return {index.constant(0), trips, index.constant(1)}; }
  /// The number of an iteration's use.
  Value useOf(const RingPlan &plan, Value iteration) {
    return plan.base ? index.add(plan.base, iteration) : iteration;
  }

  PipelinedOp loop;
  MutableArrayRef<RingPlan> plans;
  OpBuilder builder;
  Location loc;
  LoopIndexBuilder index;
  int64_t stages;
  Value trips;
  scf::ForOp steady;
};
} // namespace

/// Layout of a ring's buffer: inferred, else row-major.
static SharedLayoutAttr layoutOf(Value buffer) {
  if (SharedLayoutAttr layout = getSharedLayout(buffer))
    return layout;
  auto type = cast<MemRefType>(buffer.getType());
  return SharedLayoutAttr::get(
      buffer.getContext(),
      SharedLayout::rowMajor(type.getShape(),
                             getStorageBits(type.getElementType())));
}

/// Who reads the buffers or views of them, apart from the copies that fill
/// them. Where barriers empty the slots (`byBarrier`), a store by TMA counts as
/// one of the threads: they wait for it before they go on.
static SmallVector<RingConsumer> consumersOf(ArrayRef<Value> buffers,
                                             bool byBarrier) {
  llvm::SmallSet<RingConsumer, 4> found;
  for (Value buffer : buffers) {
    SmallVector<Operation *> uses;
    (void)collectUses(buffer, uses);
    for (Operation *user : uses) {
      if (isa<TileOrderOpInterface, ViewLikeOpInterface>(user))
        continue;
      const MmaTraits *gemm = gemmTraits(user);
      auto copy = dyn_cast<TileMoveOpInterface>(user);
      if (gemm)
        found.insert(gemm->reader);
      else if (copy && isShared(copy.getSource()) && copy.isMovedByProxy() &&
               !byBarrier)
        found.insert(RingConsumer::TmaStore);
      else if (!copy || copy.getTarget() != buffer)
        found.insert(RingConsumer::Threads);
    }
  }
  if (found.empty())
    found.insert(RingConsumer::Threads);
  SmallVector<RingConsumer> sides;
  for (RingConsumer side : {RingConsumer::Wgmma, RingConsumer::Tcgen05,
                            RingConsumer::TmaStore, RingConsumer::Threads})
    if (found.contains(side))
      sides.push_back(side);
  return sides;
}

RingType tile::ringTypeFor(int64_t stages, ArrayRef<Value> buffers,
                           RingProducer producer) {
  bool byBarrier =
      producer == RingProducer::CpAsync || producer == RingProducer::Threads;
  SmallVector<RingConsumer> consumers = consumersOf(buffers, byBarrier);
  return RingType::get(buffers.front().getContext(), stages,
                       llvm::to_vector(ValueRange(buffers).getTypes()),
                       producer, consumers);
}

ArrayAttr tile::ringLayoutsFor(ArrayRef<Value> buffers) {
  if (llvm::none_of(buffers,
                    [](Value buffer) { return !!getSharedLayout(buffer); }))
    return {};
  SmallVector<Attribute> layouts;
  for (Value buffer : buffers)
    layouts.push_back(layoutOf(buffer));
  return ArrayAttr::get(buffers.front().getContext(), layouts);
}

Value tile::createRing(OpBuilder &builder, Location loc, int64_t stages,
                       ArrayRef<Value> buffers, RingProducer producer,
                       int64_t peers) {
  RingType type = ringTypeFor(stages, buffers, producer);
  OpBuilder::InsertionGuard guard(builder);
  if (type.usesMbarriers()) {
    KernelOp kernel = kernelOf(builder.getInsertionBlock()->getParentOp());
    builder.setInsertionPointToStart(&kernel.getBodyRegion().front());
  }
  return RingCreateOp::create(builder, loc, type, ringLayoutsFor(buffers),
                              peers > 1 ? builder.getI64IntegerAttr(peers)
                                        : IntegerAttr(),
                              /*pair=*/DenseI64ArrayAttr());
}

SmallVector<Value> RingPlan::tiles() const {
  llvm::SetVector<Value> found;
  for (const AheadCopy &ahead : copies)
    found.insert(TileMoveOpInterface(ahead.copy).getTarget());
  return found.takeVector();
}

bool RingPlan::has(Operation *op) const {
  return llvm::any_of(copies, [&](const AheadCopy &ahead) {
    return TileMoveOpInterface(ahead.copy) == op;
  });
}

void RingLoop::createRing(RingPlan &plan) {
  plan.ring = tile::createRing(builder, loc, stages, plan.tiles(),
                               plan.producer, plan.peers);
}

Value RingLoop::tripCount() {
  // max(ub - lb, 0) is not negative, so rounding up needs no signed division.
  Value distance = index.max(
      index.sub(loop.getUpperBound(), loop.getLowerBound()), index.constant(0));
  Value rounding = index.sub(loop.getStep(), index.constant(1));
  return index.div(index.add(distance, rounding), loop.getStep());
}

void RingLoop::produce(const RingPlan &plan, Value from, int64_t distance) {
  Value ring = plan.ring;
  Value iteration = !from      ? index.constant(distance)
                    : distance ? index.add(from, index.constant(distance))
                               : from;
  Value use = useOf(plan, iteration);
  auto acquire = [&]() -> ValueRange {
    return RingAcquireOp::create(builder, loc,
                                 cast<RingType>(ring.getType()).getBuffers(),
                                 ring, use)
        .getViews();
  };
  auto fill = [&](ValueRange views) {
    IRMapping mapping;
    mapping.map(loop.getInductionVariable(), inductionValue(iteration));
    for (Operation *op : plan.slice)
      builder.clone(*op, mapping);
    SmallVector<Value> tiles = plan.tiles();
    for (const AheadCopy &ahead : plan.copies) {
      // Only the target changes: an alias of it elsewhere keeps its meaning.
      IRMapping ofCopy = mapping;
      TileMoveOpInterface copy = ahead.copy;
      Value tile = copy.getTarget();
      ofCopy.map(tile, views[llvm::find(tiles, tile) - tiles.begin()]);
      builder.clone(*copy, ofCopy);
    }
  };
  auto commit = [&] { RingCommitOp::create(builder, loc, ring, use); };
  // cp.async groups are counted, so a thread commits a group even if it filled
  // nothing. An mbarrier counts arrivals, so nothing arrives for a use beyond
  // the end.
  bool always = !plan.usesMbarriers();
  ValueRange views;
  if (always)
    views = acquire();
  auto inside = [&] {
    if (!always)
      views = acquire();
    fill(views);
    if (!always)
      commit();
  };
  Value exists; // null: it does
  if (plan.ahead != Ahead::BeforeWait)
    exists = from ? hasIterationAfter(builder, loc, bounds(), from, distance)
                  : hasIteration(builder, loc, bounds(), distance);
  if (!exists || matchPattern(exists, m_One())) {
    inside();
  } else if (!matchPattern(exists, m_Zero())) {
    auto guard = scf::IfOp::create(builder, loc, exists,
                                   /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    inside();
  }
  if (always)
    commit();
}

void RingLoop::produceAll(Ahead ahead, int64_t distance) {
  for (const RingPlan &plan : plans)
    if (plan.ahead == ahead)
      produce(plan, steady.getInductionVar(), distance);
}

void RingLoop::buildPrologue() {
  for (const RingPlan &plan : plans) {
    int64_t ahead = plan.ahead == Ahead::BeforeWait     ? 0
                    : plan.ahead == Ahead::AfterRelease ? stages
                                                        : stages - 1;
    if (ahead <= kUnrolledProductions) {
      for (int64_t iteration = 0; iteration < ahead; ++iteration)
        produce(plan, /*index=*/Value(), iteration);
      continue;
    }
    auto prologue =
        scf::ForOp::create(builder, loc, index.constant(0),
                           index.constant(ahead), index.constant(1));
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(prologue.getBody());
    produce(plan, prologue.getInductionVar(), 0);
  }
}

/// Moves what stands between `before` and the steady loop, the first
/// productions and what they are computed from, in front of loads of global
/// memory before it: memory answers both at a time.
static void advancePrologue(Operation *before, scf::ForOp steady) {
  llvm::SetVector<Operation *> moved;
  SmallVector<TileMoveOpInterface> copies;
  SmallVector<Value> loaded; // what copies are computed from, and conditions
  for (Operation *op = before->getNextNode(); op != steady;
       op = op->getNextNode()) {
    moved.insert(op);
    op->walk([&](Operation *inner) {
      if (auto copy = dyn_cast<TileMoveOpInterface>(inner))
        copies.push_back(copy);
      else if (auto load = dyn_cast<memref::LoadOp>(inner))
        loaded.push_back(getBaseBuffer(load.getMemRef()));
    });
  }
  Block *block = steady->getBlock();
  auto isUsed = [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return moved.contains(block->findAncestorOpInBlock(*user));
    });
  };
  auto loads = [](Operation *op) {
    SmallVector<OpAccess> accesses;
    return isa<TileOpInterface>(op) && !collectAccesses(op, accesses) &&
           llvm::any_of(accesses, [](const OpAccess &access) {
             return !access.access.isWrite && isGlobal(access.access.buffer);
           });
  };
  Operation *first = nullptr;
  SmallVector<Operation *> range(moved.begin(), moved.end());
  for (Operation *op = before; op; op = op->getPrevNode()) {
    if (isUsed(op)) {
      if (op->getNumRegions() != 0 || !isPure(op))
        break;
      moved.insert(op);
      range.insert(range.begin(), op);
      continue;
    }
    if (!llvm::all_of(copies,
                      [&](TileMoveOpInterface copy) {
                        return mayIssueBefore(copy, op);
                      }) ||
        llvm::any_of(loaded,
                     [&](Value buffer) { return mayWrite(op, buffer); }))
      break;
    if (loads(op))
      first = op;
  }
  if (!first)
    return;
  for (Operation *op : range)
    if (first->isBeforeInBlock(op))
      op->moveBefore(first);
}

Value RingLoop::continueBehind(RingPlan &plan, Value use) {
  OpBuilder::InsertionGuard restore(builder);
  TypeRange views = cast<RingType>(plan.ring.getType()).getBuffers();
  for (const FollowingUse &following : plan.following) {
    TileMoveOpInterface copy = following.copy;
    Value tile = copy.getTarget();
    builder.setInsertionPoint(copy);
    auto acquire = RingAcquireOp::create(builder, loc, views, plan.ring, use);
    copy.getTargetMutable().set(acquire.getViews()[following.buffer]);
    builder.setInsertionPointAfter(copy);
    RingCommitOp::create(builder, loc, plan.ring, use);
    builder.setInsertionPoint(following.first);
    auto wait =
        RingWaitOp::create(builder, loc, views, plan.ring, use, IntegerAttr());
    Block *block = copy->getBlock();
    tile.replaceUsesWithIf(
        wait.getViews()[following.buffer], [&](OpOperand &operand) {
          Operation *here = block->findAncestorOpInBlock(*operand.getOwner());
          return here && !here->isBeforeInBlock(following.first) &&
                 !following.last->isBeforeInBlock(here);
        });
    builder.setInsertionPointAfter(following.last);
    RingReleaseOp::create(builder, loc, plan.ring, use);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    use = arith::AddIOp::create(builder, loc, use, one);
    plan.last = use.getDefiningOp();
  }
  return use;
}

/// Moves the wait for a slot to the first operation of the loop that reads it,
/// and the release behind the last one.
static void moveToReaders(RingWaitOp wait, RingReleaseOp release) {
  Block *block = wait->getBlock();
  Operation *first = nullptr, *last = nullptr;
  for (Operation *user : wait->getUsers()) {
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
    if (!last || last->isBeforeInBlock(here))
      last = here;
  }
  wait->moveBefore(first);
  release->moveAfter(last);
}

/// Erases operations that only the copies used, also those of several rings.
void RingLoop::eraseSlices() {
  llvm::SetVector<Operation *> used;
  for (const RingPlan &plan : plans)
    used.insert(plan.slice.begin(), plan.slice.end());
  SmallVector<Operation *> ordered = used.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : ordered)
    if (isOpTriviallyDead(op))
      op->erase();
}

void RingLoop::build() {
  Operation *before = loop->getPrevNode();
  for (RingPlan &plan : plans)
    if (!plan.ring)
      createRing(plan);
  trips = tripCount();
  Value zero = index.constant(0), one = index.constant(1);
  SmallVector<AllocOp> allocs;
  buildPrologue();

  steady = scf::ForOp::create(builder, loc, zero, trips, one);
  {
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(steady.getBody());
    Value iteration = steady.getInductionVar();
    SmallVector<RingWaitOp> waits;
    produceAll(Ahead::BeforeWait, 0);
    for (const RingPlan &plan : plans) {
      auto wait = RingWaitOp::create(
          builder, loc, cast<RingType>(plan.ring.getType()).getBuffers(),
          plan.ring, useOf(plan, iteration),
          plan.producer == RingProducer::CpAsync
              ? builder.getI64IntegerAttr(stages - 2)
              : IntegerAttr());
      for (auto [tile, view] : llvm::zip(plan.tiles(), wait.getViews())) {
        allocs.push_back(allocationOf(tile));
        tile.replaceUsesWithIf(view, [&](OpOperand &operand) {
          return loop->isProperAncestor(operand.getOwner()) &&
                 !plan.has(operand.getOwner());
        });
      }
      waits.push_back(wait);
    }
    produceAll(Ahead::AfterWait, stages - 1);

    Block &body = loop.getBodyRegion().front();
    Block *target = steady.getBody();
    builder.setInsertionPoint(target->getTerminator());
    SmallVector<RingReleaseOp> releases;
    for (auto [plan, wait] : llvm::zip(plans, waits)) {
      Value use = plan.nearReaders ? wait.getUse() : useOf(plan, iteration);
      releases.push_back(RingReleaseOp::create(builder, loc, plan.ring, use));
    }
    Operation *firstRelease = releases.front();
    produceAll(Ahead::AfterRelease, stages);
    for (const RingPlan &plan : plans)
      for (const AheadCopy &copy : plan.copies)
        TileMoveOpInterface(copy.copy)->erase();
    if (!loop.getInductionVariable().use_empty()) {
      builder.setInsertionPoint(firstRelease);
      loop.getInductionVariable().replaceAllUsesWith(inductionValue(iteration));
    }
    body.getTerminator()->erase();
    target->getOperations().splice(Block::iterator(firstRelease),
                                   body.getOperations());
    for (auto [plan, wait, release] : llvm::zip(plans, waits, releases))
      if (plan.nearReaders)
        moveToReaders(wait, release);
    eraseSlices();
  }
  for (RingPlan &plan : plans)
    plan.last = RingDrainOp::create(builder, loc, plan.ring);
  for (RingPlan &plan : plans) {
    if (!plan.usesMbarriers())
      continue;
    plan.end = continueBehind(plan, useOf(plan, trips));
    for (unsigned n : plan.carriers)
      loop->getBlock()->getTerminator()->setOperand(n, plan.end);
  }
  for (AllocOp alloc : allocs)
    if (alloc->use_empty()) {
      if (before == alloc)
        before = before->getPrevNode();
      alloc.erase();
    }
  loop.erase();
  if (before && llvm::all_of(plans, [](const RingPlan &plan) {
        return plan.usesMbarriers() && plan.ahead != Ahead::BeforeWait;
      }))
    advancePrologue(before, steady);
}

void tile::buildRingLoop(PipelinedOp loop, MutableArrayRef<RingPlan> plans) {
  RingLoop(loop, plans).build();
}

void tile::dropRowPromises(scf::ForOp loop) {
  for (AssumeRowsOp promise :
       llvm::make_early_inc_range(loop.getBody()->getOps<AssumeRowsOp>()))
    promise.erase();
}
