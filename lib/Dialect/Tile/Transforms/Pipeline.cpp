//===- Pipeline.cpp - pipelined loops become ring loops -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phase 4: after copies have been selected, before the lowering. Decides
// nothing about dependences itself (Analysis/Dependence.h does) and nothing
// about how a ring synchronizes (the lowering does): it arranges, for N stages,
//
//   productions 0 .. N-2
//   for i in 0 .. T-1: wait(i); production i+N-1; body(i); release(i)
//   drain
//
// The wait comes first because its barrier is what empties the slot that
// production i+N-1 fills: it was used by iteration i-1, and every thread that
// reached the barrier has left that iteration. Productions beyond T still
// acquire and commit, so that the number of groups in flight at each wait is a
// constant.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PIPELINEPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static bool neverRuns(PipelinedOp loop);

namespace {
/// Prologues up to this many productions are written out; longer ones loop.
constexpr int64_t kUnrolledProductions = 3;

/// The copies of one loop that run ahead, and their buffers in the ring's
/// order.
struct RingPlan {
  SmallVector<AheadCopy> copies;
  /// Operations of the body to repeat for a production, in body order.
  SmallVector<Operation *> slice;
  RingSide producer = RingSide::Threads;
};

/// Arithmetic on indices that folds as it is built.
class IndexBuilder {
public:
  IndexBuilder(OpBuilder &builder, Operation *anchor)
      : builder(builder), block(anchor->getBlock()),
        last(anchor->getPrevNode()), loc(anchor->getLoc()) {}

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
  Value add(Value a, Value b) {
    if (matchPattern(a, m_Zero()))
      return b;
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value sub(Value a, Value b) {
    return builder.createOrFold<arith::SubIOp>(loc, a, b);
  }
  Value mul(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }
  Value max(Value a, Value b) {
    return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
  }
  Value div(Value a, Value b) {
    return builder.createOrFold<arith::DivUIOp>(loc, a, b);
  }
  Value less(Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                               a, b);
  }

private:
  OpBuilder &builder;
  Block *block;
  Operation *last; // after which constants are put; null: at the block's start
  Location loc;
  llvm::DenseMap<int64_t, Value> constants;
};

/// Builds the ring loop that replaces one `tile.pipelined`.
class RingLoop {
public:
  RingLoop(PipelinedOp loop, const RingPlan &plan)
      : loop(loop), plan(plan), builder(loop), loc(loop.getLoc()),
        index(builder, loop), stages(loop.getStages()) {}

  void build();

private:
  Value createRing();
  Value tripCount();
  /// The loop's induction variable in iteration `iteration`.
  Value inductionValue(Value iteration) {
    return index.add(loop.getLowerBound(),
                     index.mul(iteration, loop.getStep()));
  }
  /// Acquires the slot of `use`, fills it if there is such an iteration, and
  /// commits.
  void produce(Value use);

  PipelinedOp loop;
  const RingPlan &plan;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  int64_t stages;
  Value ring, trips;
};

struct PipelinePass : tile::impl::PipelinePassBase<PipelinePass> {
  using PipelinePassBase::PipelinePassBase;

  void runOnOperation() override {
    // Outer loops first: their dependences are read off the inner loops as
    // written, before rings hide the buffers.
    SmallVector<PipelinedOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](PipelinedOp loop) {
      loops.push_back(loop);
      // What is in a loop that never runs goes with it.
      return neverRuns(loop) ? WalkResult::skip() : WalkResult::advance();
    });
    for (PipelinedOp loop : loops)
      convert(loop);
  }

private:
  RingPlan analyze(PipelinedOp loop);
  void convert(PipelinedOp loop);
};
} // namespace

//===----------------------------------------------------------------------===//
// What runs ahead
//===----------------------------------------------------------------------===//

/// True when the copy was, or will be, issued as cp.async.
static bool isCpAsync(CopyOp copy) {
  if (auto copyPlan = copy.getPlan())
    return copyPlan->getInstruction() == CopyInstruction::CpAsync;
  return cast<MemRefType>(copy.getSource().getType()).getElementType() ==
         cast<MemRefType>(copy.getTarget().getType()).getElementType();
}

RingPlan PipelinePass::analyze(PipelinedOp loop) {
  RingPlan result;
  Block &body = loop.getBodyRegion().front();
  SmallVector<CopyOp> copies;
  for (auto copy : body.getOps<CopyOp>())
    if (isGlobal(copy.getSource()) && isShared(copy.getTarget()))
      copies.push_back(copy);
  if (loop.getStages() == 1) {
    if (remarks)
      loop.emitRemark() << "not pipelined: one stage holds one iteration";
    return result;
  }
  SmallVector<OpAccess> accesses;
  Operation *unknown = collectAccesses(body, accesses);
  llvm::SmallDenseSet<Operation *> repeated;
  for (CopyOp copy : copies) {
    AheadCopy ahead;
    std::optional<Conflict> conflict =
        whyNotAhead(copy, body, accesses, unknown, ahead);
    if (!conflict) {
      repeated.insert(ahead.slice.begin(), ahead.slice.end());
      if (isCpAsync(copy))
        result.producer = RingSide::CpAsync;
      result.copies.push_back(std::move(ahead));
    } else if (remarks) {
      InFlightDiagnostic diag = copy.emitRemark()
                                << "not pipelined: " << conflict->reason;
      if (conflict->noteOp)
        diag.attachNote(conflict->noteOp->getLoc()) << conflict->note;
    }
  }
  for (Operation &op : body)
    if (repeated.contains(&op))
      result.slice.push_back(&op);
  if (remarks && result.copies.empty())
    loop.emitRemark() << "not pipelined: no copy may run ahead";
  else if (remarks)
    loop.emitRemark() << "pipelined: " << result.copies.size() << " of "
                      << copies.size() << " copies run " << loop.getStages() - 1
                      << " iterations ahead, filled by "
                      << stringifyRingSide(result.producer);
  return result;
}

//===----------------------------------------------------------------------===//
// The ring loop
//===----------------------------------------------------------------------===//

Value RingLoop::createRing() {
  SmallVector<Type> buffers;
  SmallVector<Attribute> layouts;
  bool inferred = false;
  for (const AheadCopy &ahead : plan.copies)
    inferred |= !!getSharedLayout(CopyOp(ahead.copy).getTarget());
  for (const AheadCopy &ahead : plan.copies) {
    Value target = CopyOp(ahead.copy).getTarget();
    auto type = cast<MemRefType>(target.getType());
    buffers.push_back(type);
    if (!inferred)
      continue;
    // A ring states all layouts or none; a buffer without one is row-major.
    SharedLayoutAttr layout = getSharedLayout(target);
    Type element = type.getElementType();
    layouts.push_back(
        layout ? layout
               : SharedLayoutAttr::get(
                     loop.getContext(),
                     SharedLayout::rowMajor(
                         type.getShape(),
                         element.isIndex() ? 64
                                           : element.getIntOrFloatBitWidth())));
  }
  auto type = RingType::get(loop.getContext(), stages, buffers, plan.producer,
                            ArrayRef<RingSide>{RingSide::Threads});
  return RingCreateOp::create(builder, loc, type,
                              inferred ? builder.getArrayAttr(layouts)
                                       : ArrayAttr(),
                              /*peers=*/IntegerAttr());
}

Value RingLoop::tripCount() {
  // max(ub - lb, 0) is not negative, so rounding up needs no signed division.
  Value distance = index.max(
      index.sub(loop.getUpperBound(), loop.getLowerBound()), index.constant(0));
  Value rounding = index.sub(loop.getStep(), index.constant(1));
  return index.div(index.add(distance, rounding), loop.getStep());
}

void RingLoop::produce(Value use) {
  auto acquire = RingAcquireOp::create(
      builder, loc, cast<RingType>(ring.getType()).getBuffers(), ring, use);
  auto fill = [&](OpBuilder &, Location) {
    IRMapping mapping;
    mapping.map(loop.getInductionVariable(), inductionValue(use));
    for (Operation *op : plan.slice)
      builder.clone(*op, mapping);
    for (auto [ahead, view] : llvm::zip(plan.copies, acquire.getViews())) {
      // Only the target changes: an alias of it elsewhere keeps its meaning.
      IRMapping ofCopy = mapping;
      CopyOp copy = ahead.copy;
      ofCopy.map(copy.getTarget(), view);
      builder.clone(*copy, ofCopy);
    }
  };
  Value inRange = index.less(use, trips);
  if (matchPattern(inRange, m_One())) {
    fill(builder, loc);
  } else if (!matchPattern(inRange, m_Zero())) {
    auto guard = scf::IfOp::create(builder, loc, inRange,
                                   /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    fill(builder, loc);
  }
  RingCommitOp::create(builder, loc, ring, use);
}

void RingLoop::build() {
  ring = createRing();
  trips = tripCount();
  Value zero = index.constant(0), one = index.constant(1);
  int64_t ahead = stages - 1;
  if (ahead <= kUnrolledProductions) {
    for (int64_t use = 0; use < ahead; ++use)
      produce(index.constant(use));
  } else {
    auto prologue =
        scf::ForOp::create(builder, loc, zero, index.constant(ahead), one);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(prologue.getBody());
    produce(prologue.getInductionVar());
  }

  auto steady = scf::ForOp::create(builder, loc, zero, trips, one);
  {
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(steady.getBody());
    Value use = steady.getInductionVar();
    auto wait = RingWaitOp::create(
        builder, loc, cast<RingType>(ring.getType()).getBuffers(), ring, use,
        plan.producer == RingSide::CpAsync
            ? builder.getI64IntegerAttr(stages - 2)
            : IntegerAttr());
    produce(index.add(use, index.constant(ahead)));

    Block &body = loop.getBodyRegion().front();
    SmallVector<AllocOp> allocs;
    for (auto [copy, view] : llvm::zip(plan.copies, wait.getViews())) {
      Value target = CopyOp(copy.copy).getTarget();
      allocs.push_back(target.getDefiningOp<AllocOp>());
      target.replaceUsesWithIf(view, [&](OpOperand &operand) {
        return loop->isProperAncestor(operand.getOwner());
      });
    }
    for (const AheadCopy &copy : plan.copies)
      CopyOp(copy.copy).erase();
    if (!loop.getInductionVariable().use_empty())
      loop.getInductionVariable().replaceAllUsesWith(inductionValue(use));
    body.getTerminator()->erase();
    Block *target = steady.getBody();
    target->getOperations().splice(std::prev(target->end()),
                                   body.getOperations());
    builder.setInsertionPoint(target->getTerminator());
    RingReleaseOp::create(builder, loc, ring, use);
    // What only the copies used has no use left.
    for (Operation *op : llvm::reverse(plan.slice))
      if (isOpTriviallyDead(op))
        op->erase();
    for (AllocOp alloc : allocs)
      if (alloc->use_empty())
        alloc.erase();
  }
  RingDrainOp::create(builder, loc, ring);
  loop.erase();
}

/// The sequential loop.
static void buildPlainLoop(PipelinedOp loop) {
  OpBuilder builder(loop);
  auto plain = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep());
  Block &body = loop.getBodyRegion().front();
  loop.getInductionVariable().replaceAllUsesWith(plain.getInductionVar());
  body.getTerminator()->erase();
  Block *target = plain.getBody();
  target->getOperations().splice(std::prev(target->end()),
                                 body.getOperations());
  loop.erase();
}

/// True when the bounds are constants that hold no iteration.
static bool neverRuns(PipelinedOp loop) {
  APInt lower, upper;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         upper.sle(lower);
}

void PipelinePass::convert(PipelinedOp loop) {
  if (neverRuns(loop)) {
    if (remarks)
      loop.emitRemark() << "removed: the loop has no iteration";
    loop.erase();
    return;
  }
  RingPlan plan = analyze(loop);
  if (plan.copies.empty()) {
    buildPlainLoop(loop);
    ++plainLoops;
    return;
  }
  RingLoop(loop, plan).build();
  ++ringLoops;
}
