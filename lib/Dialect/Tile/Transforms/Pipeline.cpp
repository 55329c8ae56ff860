//===- Pipeline.cpp - pipelined loops become ring loops -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phase 4: after copies have been selected, before the lowering. Decides
// nothing about dependences itself (Analysis/Dependence.h does) and nothing
// about how a ring synchronizes (the lowering does). Copies of one protocol
// share a ring. For cp.async and N stages:
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
// For TMA, whose slots are emptied by the release itself: where roles follow
// (--tile-specialize-warps splits the loop), production i stands before wait i
// and runs ahead as far as slots are free; where they do not, production i+N
// follows release i. Such a ring lives as long as the kernel: its uses are
// counted across the loops around it. A copy by TMA that cannot run ahead gets
// a slot for itself alone.
//
//===----------------------------------------------------------------------===//
#include "UseCounter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/ClusterSharing.h"
#include "tile/Analysis/CopyRules.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
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

/// When production i is issued, relative to iteration i.
enum class Ahead {
  AfterWait,    // i + N - 1, behind the wait that empties its slot
  BeforeWait,   // i: another agent issues it as early as it can
  AfterRelease, // i + N, behind the release that empties its slot
};

/// The copies of one loop that run ahead in one ring, and their buffers in the
/// ring's order.
struct RingPlan {
  SmallVector<AheadCopy> copies;
  /// Operations of the body to repeat for a production, in body order.
  SmallVector<Operation *> slice;
  RingSide producer = RingSide::Threads;
  Ahead ahead = Ahead::AfterWait;

  /// Blocks of a cluster that fill each other's slots.
  int64_t peers = 1;

  Value ring;
  /// Uses of the ring before this loop.
  Value base;
  bool usesMbarriers() const { return producer == RingSide::Tma; }
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
  RingLoop(PipelinedOp loop, MutableArrayRef<RingPlan> plans,
           MutableArrayRef<UseCounter> counters)
      : loop(loop), plans(plans), counters(counters), builder(loop),
        loc(loop.getLoc()), index(builder, loop), stages(loop.getStages()) {}

  void build();

private:
  void createRing(RingPlan &plan);
  Value tripCount();
  /// Productions of iteration `iteration + distance`.
  void produceAll(Ahead ahead, Value iteration, int64_t distance);
  void buildPrologue();
  /// The loop's induction variable in iteration `iteration`.
  Value inductionValue(Value iteration) {
    return index.add(loop.getLowerBound(),
                     index.mul(iteration, loop.getStep()));
  }
  /// Fills the slot of `iteration` if there is such an iteration.
  void produce(const RingPlan &plan, Value iteration);
  /// The number of an iteration's use.
  Value useOf(const RingPlan &plan, Value iteration) {
    return plan.base ? index.add(plan.base, iteration) : iteration;
  }

  PipelinedOp loop;
  MutableArrayRef<RingPlan> plans;
  MutableArrayRef<UseCounter> counters;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  int64_t stages;
  Value trips;
};

struct PipelinePass : tile::impl::PipelinePassBase<PipelinePass> {
  using PipelinePassBase::PipelinePassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    auto attr = getOperation()->getAttrOfType<TargetAttr>(kTargetAttrName);
    target = attr ? TargetInfo::get(attr.getArch()) : nullptr;
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(convertKernel(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult convertKernel(KernelOp kernel);
  SmallVector<RingPlan, 2> analyze(PipelinedOp loop);
  void shareInCluster(PipelinedOp loop, RingPlan &plan);
  void convert(PipelinedOp loop);

  const TargetInfo *target = nullptr;
  bool specializes = false; // the kernel at hand
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

SmallVector<RingPlan, 2> PipelinePass::analyze(PipelinedOp loop) {
  SmallVector<RingPlan, 2> result;
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
  RingPlan byTma, byThreads;
  byTma.producer = RingSide::Tma;
  byTma.ahead = specializes ? Ahead::BeforeWait : Ahead::AfterRelease;
  size_t ahead = 0;
  for (CopyOp copy : copies) {
    AheadCopy candidate;
    std::optional<Conflict> conflict =
        whyNotAhead(copy, body, accesses, unknown, candidate);
    if (!conflict && isTmaLoad(copy))
      if (Operation *obstacle = UseCounter::obstacle(loop))
        conflict = Conflict{"the uses of its ring cannot be counted through "
                            "what encloses the loop",
                            obstacle, "enclosed by this"};
    if (!conflict) {
      ++ahead;
      if (isTmaLoad(copy)) {
        byTma.copies.push_back(std::move(candidate));
        continue;
      }
      if (isCpAsync(copy))
        byThreads.producer = RingSide::CpAsync;
      byThreads.copies.push_back(std::move(candidate));
    } else if (remarks) {
      InFlightDiagnostic diag = copy.emitRemark()
                                << "not pipelined: " << conflict->reason;
      if (conflict->noteOp)
        diag.attachNote(conflict->noteOp->getLoc()) << conflict->note;
    }
  }
  shareInCluster(loop, byTma);
  if (remarks && !ahead)
    loop.emitRemark() << "not pipelined: no copy may run ahead";
  for (RingPlan *plan : {&byTma, &byThreads}) {
    if (plan->copies.empty())
      continue;
    llvm::SmallDenseSet<Operation *> repeated;
    for (const AheadCopy &copy : plan->copies)
      repeated.insert(copy.slice.begin(), copy.slice.end());
    for (Operation &op : body)
      if (repeated.contains(&op))
        plan->slice.push_back(&op);
    if (remarks)
      loop.emitRemark() << "pipelined: " << plan->copies.size() << " of "
                        << copies.size() << " copies run "
                        << loop.getStages() -
                               (plan->ahead == Ahead::AfterWait ? 1 : 0)
                        << " iterations ahead, filled by "
                        << stringifyRingSide(plan->producer);
    result.push_back(std::move(*plan));
  }
  return result;
}

/// Copies of one region into every block of a cluster are made once, each block
/// a part of it. Slots are then filled by peers, so all blocks have to use the
/// ring equally often.
void PipelinePass::shareInCluster(PipelinedOp loop, RingPlan &plan) {
  auto kernel = loop->getParentOfType<KernelOp>();
  int64_t blocks = kernel.getClusterSize();
  if (blocks == 1 || plan.copies.empty() || !target)
    return;
  ClusterSharing sharing(kernel);
  if (!sharing.isRunAlike(loop)) {
    if (remarks)
      loop.emitRemark() << "not shared in the cluster: its blocks may run the "
                           "loop differently often";
    return;
  }
  for (const AheadCopy &ahead : plan.copies) {
    CopyOp copy = ahead.copy;
    if (copy.getMulticast() || !sharing.copiesSame(copy))
      continue;
    copy.setMulticast(blocks);
    CopyDecision decision;
    if (decideCopy(CopyFacts::get(copy), *target, CopyInstruction::Tma,
                   decision)) {
      plan.peers = blocks;
      if (remarks)
        copy.emitRemark() << "shared by the " << blocks
                          << " blocks of a cluster";
      continue;
    }
    copy.removeMulticastAttr();
    if (remarks)
      copy.emitRemark() << "not shared in the cluster: "
                        << decision.rejected.front().reason;
  }
}

//===----------------------------------------------------------------------===//
// The ring loop
//===----------------------------------------------------------------------===//

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

/// Who reads `buffer`, apart from the copy that fills it.
static SmallVector<RingSide> consumersOf(ArrayRef<Value> buffers) {
  bool wgmma = false, tcgen05 = false, threads = false;
  for (Value buffer : buffers)
    for (Operation *user : buffer.getUsers()) {
      auto gemm = dyn_cast<GemmOp>(user);
      auto is = [&](MmaInstruction instruction) {
        return gemm && gemm.getPlan() &&
               gemm.getPlan()->getInstruction() == instruction;
      };
      bool isWgmma = is(MmaInstruction::Wgmma);
      bool isTcgen05 = is(MmaInstruction::Tcgen05);
      auto copy = dyn_cast<CopyOp>(user);
      wgmma |= isWgmma;
      tcgen05 |= isTcgen05;
      threads |=
          !isWgmma && !isTcgen05 && !(copy && copy.getTarget() == buffer);
    }
  SmallVector<RingSide> sides;
  if (wgmma)
    sides.push_back(RingSide::Wgmma);
  if (tcgen05)
    sides.push_back(RingSide::Tcgen05);
  if (threads || sides.empty())
    sides.push_back(RingSide::Threads);
  return sides;
}

/// A ring of `stages` slots for the buffers; at the top of the kernel when its
/// slots are signalled by mbarriers, else at the builder's place.
static Value createRing(OpBuilder &builder, Location loc, int64_t stages,
                        ArrayRef<Value> buffers, RingSide producer,
                        int64_t peers = 1) {
  SmallVector<Type> types;
  SmallVector<Attribute> layouts;
  bool inferred = llvm::any_of(
      buffers, [](Value buffer) { return !!getSharedLayout(buffer); });
  for (Value buffer : buffers) {
    types.push_back(buffer.getType());
    // A ring states all layouts or none.
    if (inferred)
      layouts.push_back(layoutOf(buffer));
  }
  SmallVector<RingSide> consumers = consumersOf(buffers);
  auto type =
      RingType::get(builder.getContext(), stages, types, producer, consumers);
  OpBuilder::InsertionGuard guard(builder);
  if (type.usesMbarriers()) {
    auto kernel =
        builder.getInsertionBlock()->getParentOp()->getParentOfType<KernelOp>();
    if (!kernel)
      kernel = cast<KernelOp>(builder.getInsertionBlock()->getParentOp());
    builder.setInsertionPointToStart(&kernel.getBodyRegion().front());
  }
  return RingCreateOp::create(
      builder, loc, type,
      inferred ? builder.getArrayAttr(layouts) : ArrayAttr(),
      peers > 1 ? builder.getI64IntegerAttr(peers) : IntegerAttr());
}

void RingLoop::createRing(RingPlan &plan) {
  SmallVector<Value> buffers;
  for (const AheadCopy &ahead : plan.copies)
    buffers.push_back(CopyOp(ahead.copy).getTarget());
  plan.ring =
      ::createRing(builder, loc, stages, buffers, plan.producer, plan.peers);
}

Value RingLoop::tripCount() {
  // max(ub - lb, 0) is not negative, so rounding up needs no signed division.
  Value distance = index.max(
      index.sub(loop.getUpperBound(), loop.getLowerBound()), index.constant(0));
  Value rounding = index.sub(loop.getStep(), index.constant(1));
  return index.div(index.add(distance, rounding), loop.getStep());
}

void RingLoop::produce(const RingPlan &plan, Value iteration) {
  Value ring = plan.ring;
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
    for (auto [ahead, view] : llvm::zip(plan.copies, views)) {
      // Only the target changes: an alias of it elsewhere keeps its meaning.
      IRMapping ofCopy = mapping;
      CopyOp copy = ahead.copy;
      ofCopy.map(copy.getTarget(), view);
      builder.clone(*copy, ofCopy);
    }
  };
  auto commit = [&] { RingCommitOp::create(builder, loc, ring, use); };
  // Groups are counted, so a thread commits even what it did not fill; an
  // mbarrier counts arrivals, so nothing arrives for a use that is not.
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
  Value inRange = index.less(iteration, trips);
  if (plan.ahead == Ahead::BeforeWait || matchPattern(inRange, m_One())) {
    inside();
  } else if (!matchPattern(inRange, m_Zero())) {
    auto guard = scf::IfOp::create(builder, loc, inRange,
                                   /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    inside();
  }
  if (always)
    commit();
}

void RingLoop::produceAll(Ahead ahead, Value iteration, int64_t distance) {
  for (const RingPlan &plan : plans)
    if (plan.ahead == ahead)
      produce(plan, distance ? index.add(iteration, index.constant(distance))
                             : iteration);
}

void RingLoop::buildPrologue() {
  for (const RingPlan &plan : plans) {
    int64_t ahead = plan.ahead == Ahead::BeforeWait     ? 0
                    : plan.ahead == Ahead::AfterRelease ? stages
                                                        : stages - 1;
    if (ahead <= kUnrolledProductions) {
      for (int64_t iteration = 0; iteration < ahead; ++iteration)
        produce(plan, index.constant(iteration));
      continue;
    }
    auto prologue =
        scf::ForOp::create(builder, loc, index.constant(0),
                           index.constant(ahead), index.constant(1));
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(prologue.getBody());
    produce(plan, prologue.getInductionVar());
  }
}

void RingLoop::build() {
  for (RingPlan &plan : plans)
    createRing(plan);
  trips = tripCount();
  Value zero = index.constant(0), one = index.constant(1);
  buildPrologue();

  auto steady = scf::ForOp::create(builder, loc, zero, trips, one);
  {
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(steady.getBody());
    Value iteration = steady.getInductionVar();
    produceAll(Ahead::BeforeWait, iteration, 0);
    SmallVector<AllocOp> allocs;
    for (const RingPlan &plan : plans) {
      auto wait = RingWaitOp::create(
          builder, loc, cast<RingType>(plan.ring.getType()).getBuffers(),
          plan.ring, useOf(plan, iteration),
          plan.producer == RingSide::CpAsync
              ? builder.getI64IntegerAttr(stages - 2)
              : IntegerAttr());
      for (auto [ahead, view] : llvm::zip(plan.copies, wait.getViews())) {
        CopyOp copy = ahead.copy;
        Value target = copy.getTarget();
        allocs.push_back(target.getDefiningOp<AllocOp>());
        Operation *filler = copy;
        target.replaceUsesWithIf(view, [&](OpOperand &operand) {
          return loop->isProperAncestor(operand.getOwner()) &&
                 operand.getOwner() != filler;
        });
      }
    }
    produceAll(Ahead::AfterWait, iteration, stages - 1);

    Block &body = loop.getBodyRegion().front();
    Block *target = steady.getBody();
    builder.setInsertionPoint(target->getTerminator());
    Operation *firstRelease = nullptr;
    for (const RingPlan &plan : plans) {
      auto release = RingReleaseOp::create(builder, loc, plan.ring,
                                           useOf(plan, iteration));
      if (!firstRelease)
        firstRelease = release;
    }
    produceAll(Ahead::AfterRelease, iteration, stages);
    for (const RingPlan &plan : plans)
      for (const AheadCopy &copy : plan.copies)
        CopyOp(copy.copy).erase();
    if (!loop.getInductionVariable().use_empty()) {
      builder.setInsertionPoint(firstRelease);
      loop.getInductionVariable().replaceAllUsesWith(inductionValue(iteration));
    }
    body.getTerminator()->erase();
    target->getOperations().splice(Block::iterator(firstRelease),
                                   body.getOperations());
    // What only the copies used has no use left.
    for (const RingPlan &plan : plans)
      for (Operation *op : llvm::reverse(plan.slice))
        if (isOpTriviallyDead(op))
          op->erase();
    for (AllocOp alloc : allocs)
      if (alloc->use_empty())
        alloc.erase();
  }
  for (auto [plan, counter] : llvm::zip(plans, counters)) {
    RingDrainOp::create(builder, loc, plan.ring);
    if (plan.usesMbarriers())
      counter.finish(useOf(plan, trips));
  }
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
  SmallVector<RingPlan, 2> plans = analyze(loop);
  if (plans.empty()) {
    buildPlainLoop(loop);
    ++plainLoops;
    return;
  }
  // Counting replaces the loops around this one, so it comes first.
  SmallVector<UseCounter, 2> counters(plans.size());
  for (auto [plan, counter] : llvm::zip(plans, counters))
    if (plan.usesMbarriers())
      plan.base = counter.begin(loop);
  RingLoop(loop, plans, counters).build();
  ++ringLoops;
}

//===----------------------------------------------------------------------===//
// Copies that do not run ahead
//===----------------------------------------------------------------------===//

/// Another instruction for a copy that cannot have an mbarrier.
static void demote(CopyOp copy, const TargetInfo &target, bool remarks,
                   StringRef reason) {
  CopyFacts facts = CopyFacts::get(copy);
  for (CopyInstruction instruction :
       {CopyInstruction::CpAsync, CopyInstruction::Vector,
        CopyInstruction::Scalar}) {
    CopyDecision decision;
    if (!decideCopy(facts, target, instruction, decision))
      continue;
    copy.setPlanAttr(CopyPlanAttr::get(copy.getContext(), decision.instruction,
                                       decision.bytes));
    break;
  }
  if (remarks)
    copy.emitRemark() << "copy: "
                      << stringifyCopyInstruction(
                             copy.getPlan()->getInstruction())
                      << " after all: " << reason;
}

/// Why a copy by TMA cannot have a slot for itself: the tile must be written by
/// nothing else, and read after the copy in the same block (or deeper) only.
static std::string whyNotSlot(CopyOp copy) {
  auto alloc = copy.getTarget().getDefiningOp<AllocOp>();
  if (!alloc)
    return "its target is not an allocation of its own";
  if (UseCounter::obstacle(copy))
    return "the uses of its ring cannot be counted through what encloses it";
  SmallVector<TileAccess> own;
  copy.getAccesses(own);
  for (const TileAccess &access : own)
    if (access.isWrite && !coversWholeBuffer(access))
      return "it covers only a part of the shared buffer";
  for (Operation *user : alloc->getUsers()) {
    if (user == copy)
      continue;
    Operation *here = copy->getBlock()->findAncestorOpInBlock(*user);
    if (!here || here->isBeforeInBlock(copy))
      return "the shared buffer is used before the copy or elsewhere";
    SmallVector<OpAccess> accesses;
    if (collectAccesses(user, accesses))
      return "the shared buffer is used by something that is not understood";
    for (const OpAccess &access : accesses)
      if (access.access.isWrite &&
          getBaseBuffer(access.access.buffer) == alloc.getResult())
        return "the shared buffer is written by something else, too";
  }
  return "";
}

/// acquire, copy, commit; wait before the first use, release after the last.
static void giveSlot(CopyOp copy) {
  Location loc = copy.getLoc();
  UseCounter counter;
  Value use = counter.begin(copy);
  OpBuilder builder(copy);
  auto alloc = copy.getTarget().getDefiningOp<AllocOp>();
  Value ring =
      createRing(builder, loc, /*stages=*/1, alloc.getResult(), RingSide::Tma);
  Type view = alloc.getResult().getType();
  Block *block = copy->getBlock();
  Operation *first = nullptr, *last = copy;
  for (Operation *user : alloc->getUsers()) {
    if (user == copy)
      continue;
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
    if (last->isBeforeInBlock(here))
      last = here;
  }
  auto acquire = RingAcquireOp::create(builder, loc, view, ring, use);
  copy.getTargetMutable().assign(acquire.getViews().front());
  builder.setInsertionPointAfter(copy);
  RingCommitOp::create(builder, loc, ring, use);
  if (first)
    builder.setInsertionPoint(first);
  auto wait = RingWaitOp::create(builder, loc, view, ring, use, IntegerAttr());
  alloc.getResult().replaceAllUsesWith(wait.getViews().front());
  if (last != copy)
    builder.setInsertionPointAfter(last);
  RingReleaseOp::create(builder, loc, ring, use);
  builder.setInsertionPoint(block->getTerminator());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  counter.finish(arith::AddIOp::create(builder, loc, use, one));
  alloc.erase();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult PipelinePass::convertKernel(KernelOp kernel) {
  specializes = false;
  if (target) {
    RoleDecision roles = decideRoles(kernel, *target);
    specializes = roles.specialize;
    bool forced = kernel.getSpecialize().value_or(false);
    if (!specializes && (forced || remarks)) {
      InFlightDiagnostic diag =
          forced ? kernel.emitOpError()
                       << "cannot be specialized, which `specialize` asks for: "
                 : kernel.emitRemark() << "warps not specialized: ";
      diag << roles.reason;
      if (roles.cause)
        diag.attachNote(roles.cause->getLoc()) << "because of this";
      if (forced)
        return diag;
      diag.report();
    }
    if (specializes)
      kernel.setSpecialize(true);
  }
  // Outer loops first: their dependences are read off the inner loops as
  // written, before rings hide the buffers.
  SmallVector<PipelinedOp> loops;
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](PipelinedOp loop) {
    loops.push_back(loop);
    // What is in a loop that never runs goes with it.
    return neverRuns(loop) ? WalkResult::skip() : WalkResult::advance();
  });
  for (PipelinedOp loop : loops)
    convert(loop);
  SmallVector<CopyOp> alone;
  kernel.getBodyRegion().walk([&](CopyOp copy) {
    if (isTmaLoad(copy) && !copy.getTarget().getDefiningOp<RingAcquireOp>())
      alone.push_back(copy);
  });
  for (CopyOp copy : alone) {
    std::string reason = whyNotSlot(copy);
    if (reason.empty())
      giveSlot(copy);
    else
      demote(copy, *target, remarks, reason);
  }
  return success();
}
