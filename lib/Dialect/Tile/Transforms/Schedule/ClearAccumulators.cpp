//===- ClearAccumulators.cpp - first products instead of zeros ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after gemms are scheduled. Accumulators that are filled with zeros in
// front of a loop need not be: the loop's first product starts from zero, by a
// predicate of the instruction. Registers are then written only where the loop
// does not run at all. A product that follows the zeros directly starts from
// zero always. (wgmma's scale-d; PTX ISA, "wgmma.mma_async".)
//
//===----------------------------------------------------------------------===//
#include "Accumulators.h"
#include "Phases.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CLEARACCUMULATORSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The fill with zeros that is the last to touch `buffer` before `op` is
/// reached; null where something else is.
static FillOp zerosBefore(Operation *op, Value buffer) {
  while ((op = op->getPrevNode()))
    if (touches(op, buffer))
      break;
  return zeroFillOf(op, buffer);
}

static constexpr char kMayNotRun[] = "the loop may have no iterations";

namespace {
struct ClearAccumulatorsPass
    : tile::impl::ClearAccumulatorsPassBase<ClearAccumulatorsPass> {
  using ClearAccumulatorsPassBase::ClearAccumulatorsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Rings, Need::Roles})))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      llvm::SmallSetVector<Value, 2> accumulators;
      for (auto gemm : loop.getBody()->getOps<GemmOp>())
        accumulators.insert(gemm.getC());
      for (Value accumulator : accumulators) {
        Reason why = clear(loop, accumulator);
        // --tile-schedule-gemms gives each gemm a token, and such a loop the
        // condition that it runs.
        auto hasNoToken = [](GemmOp gemm) { return !gemm.getToken(); };
        if (why.why == kMayNotRun &&
            llvm::any_of(loop.getBody()->getOps<GemmOp>(), hasNoToken) &&
            findUnscheduledGemm(kernelOf(loop))) {
          (void)reportMissing(*this, loop, "the condition that the loop runs",
                              "tile-schedule-gemms");
          return signalPassFailure();
        }
        if (!why.empty())
          missedAt(remarks, loop, "accumulators are filled before the loop",
                   why.why, why.advice);
      }
    }
    getOperation().walk([&](GemmOp gemm) { startFromZero(gemm); });
  }

private:
  /// Returns why the accumulator stays filled; nothing where it does not, or
  /// where the gemms are not by wgmma or say themselves where they start.
  Reason clear(scf::ForOp loop, Value accumulator);
  /// A product directly after zeros in its accumulator: it starts from zero
  /// itself.
  void startFromZero(GemmOp gemm);
};
} // namespace

void ClearAccumulatorsPass::startFromZero(GemmOp gemm) {
  if (gemm.getClear() || gemm.getAccumulate() || gemm.getPromoteEvery() ||
      !traitsOf(gemm).takesAccumulateFlag)
    return;
  FillOp fill = zerosBefore(gemm, gemm.getC());
  if (!fill)
    return;
  fill.erase();
  gemm.setClear(true);
  ++clearedAccumulators;
}

Reason ClearAccumulatorsPass::clear(scf::ForOp loop, Value accumulator) {
  SmallVector<GemmOp> gemms;
  bool isTouched = false;
  for (Operation &op : loop.getBody()->without_terminator())
    if (touches(&op, accumulator)) {
      auto gemm = dyn_cast<GemmOp>(op);
      if (!gemm || gemm.getC() != accumulator) {
        isTouched = true;
        continue;
      }
      if (gemm.getPromoteEvery() || gemm.getClear() ||
          !traitsOf(gemm).takesAccumulateFlag)
        return {};
      gemms.push_back(gemm);
    }
  if (gemms.front().getAccumulate())
    return {};
  if (isTouched)
    return {"the loop also uses them in something other than the product",
            "in a loop of products alone the first starts from zero itself"};
  if (!runsAtLeastOnce(loop))
    return {kMayNotRun,
            "with constant bounds that run it, the first product starts from "
            "zero itself"};
  scf::IfOp guard = guardOf(loop);
  for (Operation *op = guard ? loop->getPrevNode() : nullptr; op;
       op = op->getPrevNode())
    if (touches(op, accumulator))
      return {"they are used between the condition of the loop and the loop",
              "use them before the condition"};
  Operation *level = guard ? guard.getOperation() : loop;
  FillOp fill = zerosBefore(level, accumulator);
  if (!fill)
    return {"they do not start from zero",
            "after a `tile.fill` with zero directly before the loop, the first "
            "product starts from zero itself"};
  if (guard && guard.elseBlock() &&
      llvm::any_of(*guard.elseBlock(),
                   [&](Operation &op) { return touches(&op, accumulator); }))
    return {"they are used where the loop does not run",
            "use them behind the loop"};

  OpBuilder builder(gemms.front());
  gemms.front().getAccumulateMutable().assign(isPast(builder, loop, 1));
  if (!guard) {
    fill.erase();
  } else {
    if (!guard.elseBlock()) {
      builder.createBlock(&guard.getElseRegion());
      scf::YieldOp::create(builder, guard.getLoc());
    }
    fill->moveBefore(guard.elseBlock(), guard.elseBlock()->begin());
  }
  ++clearedAccumulators;
  return {};
}
