//===- PrefetchOperands.cpp - gemm operands loaded one k step ahead -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after --tile-pipeline, for gemms by mma.sync that read a ring through
// ldmatrix. A ring loop begins with a wait, and the first multiplication waits
// again for its operands: tensor cores idle for both. Here the gemm becomes its
// k steps, with operands in two sets of fragments, and the set of a step is
// loaded before the multiplication of the step before it:
//
//   if 0 < T: wait(0); load step 0 of use 0
//   for i: for each step s but the last: load step s+1; multiply step s
//          release(i); if i+1 < T: wait(i+1); load step 0 of use i+1
//          multiply the last step
//
// The wait of use i+1 stands where every read of use i has been issued, so with
// cp.async its barrier still is what empties the slot of use i for the next
// iteration's production. A gemm behind which something else reads the slot
// therefore stays whole.
//
// SplitProduction.cpp then frees most iterations from the checks of a
// production by cp.async; this file decides nothing about bounds.
//
//===----------------------------------------------------------------------===//
#include "Asynchronous.h"
#include "Phases.h"
#include "RingLoop.h"
#include "SplitProduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/CopyRules.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Layout/MmaLayouts.h"
#include "tile/Target/TargetInfo.h"
#include "tile/Target/ThreadBudget.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PREFETCHOPERANDSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// One operand of the gemm: a view of the ring, read in slices along k.
struct Operand {
  unsigned view; // which buffer of the ring
  unsigned kDim;
  SmallVector<int64_t> slice; // extents of one k step
  FragmentLayoutAttr layout;
  CopyPlanAttr plan;
  Value fragments[2];

  int64_t registers(Type element) const {
    return registersOf(layout.getLayout(), element);
  }
};

/// One gemm in a ring loop.
class Prefetch {
public:
  Prefetch(scf::ForOp loop, RingWaitOp wait, GemmOp gemm)
      : loop(loop), wait(wait), gemm(gemm), builder(gemm), loc(gemm.getLoc()) {}

  /// Why the gemm stays whole; empty: it need not. `available` registers hold a
  /// thread's fragments, which take `taken` so far.
  Reason whyNot(int64_t taken, int64_t available);
  void rewrite();

private:
  Reason whyNotOperand(Value buffer, MmaOperand role, bool transposed,
                       Operand &operand);
  bool isReadBehind();
  bool isFilledBehind();
  bool isReadOnce();
  void load(ValueRange views, int64_t step);
  /// Waits for the use of the iteration of `index`, if it `exists`, and loads
  /// its first step.
  void waitAndLoad(Value index, Value exists);

  scf::ForOp loop;
  RingWaitOp wait;
  RingReleaseOp release;
  GemmOp gemm;
  OpBuilder builder;
  Location loc;
  MmaPlanAttr plan;
  Operand operands[2];
  int64_t steps = 0;
};

struct PrefetchOperandsPass
    : tile::impl::PrefetchOperandsPassBase<PrefetchOperandsPass> {
  using PrefetchOperandsPassBase::PrefetchOperandsPassBase;

  void runOnOperation() override {
    if (failed(
            requireBefore(*this, getOperation(), {Need::Numbers, Need::Rings})))
      return signalPassFailure();
    if (getOperation().getOps<KernelOp>().empty())
      return;
    const TargetInfo *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      convertKernel(kernel, *target);
  }

private:
  void convertKernel(KernelOp kernel, const TargetInfo &target);
};
} // namespace

//===----------------------------------------------------------------------===//
// Whether
//===----------------------------------------------------------------------===//

static constexpr char kMatrices[] = "elements of 16 bits, or of 8 that lie "
                                    "along k, in a swizzled or padded tile "
                                    "can be loaded";

Reason Prefetch::whyNotOperand(Value buffer, MmaOperand role, bool transposed,
                               Operand &operand) {
  auto view = dyn_cast<OpResult>(buffer);
  if (!view || view.getOwner() != wait)
    return {"an operand is not in the loop's ring",
            "one that the loop copies from global memory is"};
  if (!view.hasOneUse())
    return {"the ring's buffer has another reader",
            "copy what that reads to a tile of its own"};
  operand.view = view.getResultNumber();
  auto type = cast<MemRefType>(buffer.getType());
  unsigned bits = getStorageBits(type.getElementType());
  operand.kDim = (role == MmaOperand::A) != transposed ? 1 : 0;
  operand.slice = llvm::to_vector(type.getShape());
  operand.slice[operand.kDim] = plan.getK();
  SmallVector<int64_t> tile = operand.slice;
  if (transposed)
    std::swap(tile[0], tile[1]);
  auto instruction =
      mmaSyncFragment({plan.getM(), plan.getN(), plan.getK()}, role, bits);
  if (!instruction)
    return {"its instruction has no fragment of this type",
            "f16 and bf16 operands have one"};
  auto tiled = tileMmaFragment(*instruction, role, tile,
                               {plan.getWarpsM(), plan.getWarpsN()});
  if (!tiled)
    return {"its tile is not made of whole instructions",
            "multiples of 16 rows and columns of each warp are"};
  FragmentLayout layout = transposed ? tiled->permuted({1, 0}) : *tiled;
  MLIRContext *context = gemm.getContext();
  operand.plan = matrixLoadPlan(context, layout, bits);
  auto ring = creationOf(wait.getRing());
  if (!operand.plan || !ring || !ring.getLayouts())
    return {"ldmatrix cannot load an operand", kMatrices};
  auto shared =
      cast<SharedLayoutAttr>((*ring.getLayouts())[operand.view]).getLayout();
  if (shared.alignedElements(1) * bits < 128)
    return {"ldmatrix cannot load an operand", kMatrices};
  operand.layout = FragmentLayoutAttr::get(context, layout);
  return {};
}

/// Whether something may read a slot when the gemm's last operands have been
/// loaded, which is where the slot would be released.
bool Prefetch::isReadBehind() {
  for (Value view : wait.getViews()) {
    SmallVector<Operation *> uses;
    if (collectUses(view, uses))
      return true;
    for (Operation *user : uses) {
      Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
      if (!here || gemm->isBeforeInBlock(here))
        return true;
    }
  }
  return false;
}

/// Whether the next iteration's wait, which comes before the last
/// multiplication, would come before something that it counts on: a group of
/// cp.async, or what fills the next slot.
bool Prefetch::isFilledBehind() {
  bool countsGroups = !wait.getRing().getType().usesMbarriers();
  return llvm::any_of(wait.getRing().getUsers(), [&](Operation *user) {
    auto ringOp = dyn_cast<TileRingOpInterface>(user);
    Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
    if (!ringOp || !ringOp.fillsSlots() || !here || here->isBeforeInBlock(gemm))
      return false;
    auto branch = dyn_cast<scf::IfOp>(here);
    return countsGroups || !branch || iterationsAhead(branch).value_or(0) < 2;
  });
}

/// Whether the wait and the release are all that the loop reads of the ring.
bool Prefetch::isReadOnce() {
  return llvm::none_of(wait.getRing().getUsers(), [&](Operation *user) {
    auto ringOp = dyn_cast<TileRingOpInterface>(user);
    return ringOp && !ringOp.fillsSlots() && loop->isAncestor(user) &&
           user != wait && user != release;
  });
}

Reason Prefetch::whyNot(int64_t taken, int64_t available) {
  plan = gemm.getPlanAttr();
  if (!traitsOf(gemm).loadsOperandFragments)
    return {"not by mma.sync", "`plan` can ask for that"};
  if (gemm.isSparse())
    return {"its A is sparse, and metadata counts pairs of steps",
            "without `metadata` its operands can be"};
  if (gemm.getPromoteEvery())
    return {"its sums are promoted", "without `promote_every` they can be"};
  RingProducer producer = wait.getRing().getType().getProducer();
  if (producer != RingProducer::CpAsync && producer != RingProducer::Tma)
    return {"its ring is filled by threads",
            "rings of cp.async and TMA can be read ahead: the remarks at the "
            "copies say what they need"};
  if (hasRoles(loop))
    return {"other warps fill its ring",
            "without roles (`specialize = false`) the same warps do"};
  for (auto op : loop.getBody()->getOps<RingReleaseOp>())
    if (op.getRing() == wait.getRing())
      release = op;
  if (loop.getNumResults() || !isFunctionOfIndex(loop, wait.getUse()) ||
      !release || !isReadOnce())
    return {"its loop is not a plain ring loop",
            "a loop without results that uses its ring once an iteration is"};
  if (isFilledBehind())
    return {"the ring is filled after it", "put the copies before the gemm"};
  int64_t k = gemm.getK();
  steps = k / plan.getK();
  if (steps < 2 || steps % 2 || steps * plan.getK() != k)
    return {"its k steps are " + std::to_string(steps) +
                ", expected an even number",
            "a K tile that is a multiple of " +
                std::to_string(2 * plan.getK()) + " has that"};
  Value buffers[] = {gemm.getA(), gemm.getB()};
  bool transposed[] = {gemm.getTransposeA(), gemm.getTransposeB()};
  MmaOperand roles[] = {MmaOperand::A, MmaOperand::B};
  int64_t needed = taken;
  for (auto [i, role] : llvm::enumerate(roles)) {
    Reason reason = whyNotOperand(buffers[i], role, transposed[i], operands[i]);
    if (!reason.empty())
      return reason;
    needed += 2 * operands[i].registers(
                      cast<MemRefType>(buffers[i].getType()).getElementType());
  }
  if (needed > available)
    return {"a thread's fragments would take " + std::to_string(needed) +
                " registers, expected at most " + std::to_string(available),
            "more `threads(...)` or smaller tiles take fewer"};
  if (isReadBehind())
    return {"an operation after it reads the same slot",
            "put that before the gemm"};
  return {};
}

//===----------------------------------------------------------------------===//
// How
//===----------------------------------------------------------------------===//

void Prefetch::load(ValueRange views, int64_t step) {
  for (Operand &operand : operands) {
    SmallVector<Value> offsets;
    for (unsigned d = 0; d < 2; ++d)
      offsets.push_back(arith::ConstantIndexOp::create(
          builder, loc, d == operand.kDim ? step * plan.getK() : 0));
    auto copy = CopyOp::create(builder, loc, views[operand.view], offsets,
                               operand.fragments[step % 2], ValueRange(),
                               operand.slice);
    copy.setLayoutAttr(operand.layout);
    copy.setPlanAttr(operand.plan);
  }
}

void Prefetch::waitAndLoad(Value index, Value exists) {
  auto guard =
      scf::IfOp::create(builder, loc, exists, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  auto next = RingWaitOp::create(
      builder, wait.getLoc(), wait.getResultTypes(), wait.getRing(),
      valueAt(builder, loop, wait.getUse(), index), wait.getInFlightAttr());
  load(next.getViews(), 0);
}

void Prefetch::rewrite() {
  builder.setInsertionPoint(loop);
  for (Operand &operand : operands) {
    auto whole = cast<MemRefType>(wait.getViews()[operand.view].getType());
    auto type = MemRefType::get(
        operand.slice, whole.getElementType(), MemRefLayoutAttrInterface(),
        cast<MemRefType>(gemm.getC().getType()).getMemorySpace());
    for (Value &fragment : operand.fragments)
      fragment = AllocOp::create(builder, loc, type, operand.layout);
  }
  waitAndLoad(loop.getLowerBound(), hasIteration(builder, loc, loop, 0));
  builder.setInsertionPoint(gemm);
  for (int64_t s = 0; s < steps; ++s) {
    if (s + 1 < steps) {
      load(wait.getViews(), s + 1);
    } else {
      release->moveBefore(gemm);
      Value index = loop.getInductionVar();
      waitAndLoad(arith::AddIOp::create(builder, loc, index, loop.getStep()),
                  hasIterationAfter(builder, loc, loop, index, 1));
    }
    GemmOp step = builder.cloneWithoutRegions(gemm);
    step.getAMutable().assign(operands[0].fragments[s % 2]);
    step.getBMutable().assign(operands[1].fragments[s % 2]);
    if (s > 0)
      step.setClear(false);
  }
  wait.removeInFlightAttr();
  wait.setAgain(true);
  gemm.erase();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether a fragment's values have to be kept while the loop runs.
static bool livesInLoop(AllocOp fragment, scf::ForOp loop) {
  bool before = false, after = false;
  for (Operation *user : fragment->getUsers()) {
    if (loop->isAncestor(user))
      return true;
    Operation *here = loop, *there = nullptr;
    while (!(there = here->getBlock()->findAncestorOpInBlock(*user)))
      here = here->getParentOp();
    before |= there == here || there->isBeforeInBlock(here);
    after |= there == here || here->isBeforeInBlock(there);
  }
  return before && after;
}

/// Registers of one thread for the kernel's fragments that live in a loop.
static int64_t fragmentRegisters(KernelOp kernel, scf::ForOp loop) {
  int64_t registers = 0;
  kernel.walk([&](AllocOp alloc) {
    if (getFragmentLayout(alloc.getResult()) && livesInLoop(alloc, loop))
      registers += registersOfFragment(alloc);
  });
  return registers;
}

void PrefetchOperandsPass::convertKernel(KernelOp kernel,
                                         const TargetInfo &target) {
  int64_t available = ThreadBudget(target).launched(kernel.getThreads()) -
                      kRegistersBesideFragments;
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (!loop.getBody()->getOps<RingWaitOp>().empty())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    SmallVector<RingWaitOp> waits(loop.getBody()->getOps<RingWaitOp>());
    SmallVector<GemmOp> gemms(loop.getBody()->getOps<GemmOp>());
    if (gemms.empty())
      continue;
    // A gemm by mma.sync has ended when it was issued, so its token has no
    // meaning.
    bool loadsFragments = traitsOf(gemms[0]).loadsOperandFragments;
    if (gemms[0].isAsync() && loadsFragments)
      gemms[0] = makeSynchronous(gemms[0]);
    Prefetch prefetch(loop, waits[0], gemms[0]);
    Reason reason;
    if (waits.size() > 1)
      reason = {"the loop waits for several rings",
                "copies by one instruction fill one ring"};
    else if (gemms.size() > 1)
      reason = {"the loop has several gemms",
                "those of a loop with one can be"};
    else
      reason = prefetch.whyNot(fragmentRegisters(kernel, loop), available);
    if (!reason.empty()) {
      // Other gemms need no remark: they read their operands from shared
      // memory.
      if (loadsFragments)
        missedAt(remarks, gemms[0], "operands not loaded ahead", reason.why,
                 reason.advice);
      continue;
    }
    Location loc = gemms[0].getLoc();
    dropRowPromises(loop);
    prefetch.rewrite();
    ++prefetchedGemms;
    std::string whyWhole;
    if (!waits[0].getRing().getType().usesMbarriers()) {
      whyWhole = splitProduction(loop);
      splitLoops += whyWhole.empty();
    }
    Remark remark = remarkAt(remarks, loc);
    remark << "operands loaded a k step ahead";
    if (!whyWhole.empty())
      remark << "; copies keep their checks: " << whyWhole;
  }
}
