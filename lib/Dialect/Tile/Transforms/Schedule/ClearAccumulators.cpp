//===- ClearAccumulators.cpp - first products instead of zeros ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after gemms are scheduled. Accumulators that are filled with zeros in
// front of a loop need not be: the loop's first product starts from zero, by a
// predicate of the instruction. Registers are then written only where the loop
// does not run at all. (wgmma's scale-d; PTX ISA, "wgmma.mma_async".)
//
//===----------------------------------------------------------------------===//
#include "Accumulators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CLEARACCUMULATORSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The branch around `loop` that is taken where the loop runs.
static scf::IfOp guardOf(scf::ForOp loop) {
  auto guard = dyn_cast<scf::IfOp>(loop->getParentOp());
  auto runs = guard ? guard.getCondition().getDefiningOp<arith::CmpIOp>()
                    : arith::CmpIOp();
  bool matches =
      runs && loop->getBlock() == guard.thenBlock() &&
      runs.getPredicate() == arith::CmpIPredicate::slt &&
      isEqualConstantIntOrValue(getAsOpFoldResult(runs.getLhs()),
                                getAsOpFoldResult(loop.getLowerBound())) &&
      isEqualConstantIntOrValue(getAsOpFoldResult(runs.getRhs()),
                                getAsOpFoldResult(loop.getUpperBound()));
  return matches ? guard : scf::IfOp();
}

static bool surelyRuns(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound()),
                         last = getConstantIntValue(loop.getUpperBound());
  return first && last && *first < *last;
}

/// The fill with zeros that is the last to touch `buffer` before `op` is
/// reached; null where something else is.
static FillOp zerosBefore(Operation *op, Value buffer) {
  while ((op = op->getPrevNode()))
    if (touches(op, buffer))
      break;
  return isZeroFill(op, buffer) ? cast<FillOp>(op) : FillOp();
}

namespace {
struct ClearAccumulatorsPass
    : tile::impl::ClearAccumulatorsPassBase<ClearAccumulatorsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      llvm::SmallSetVector<Value, 2> accumulators;
      for (auto gemm : loop.getBody()->getOps<GemmOp>())
        accumulators.insert(gemm.getC());
      for (Value accumulator : accumulators)
        clear(loop, accumulator);
    }
  }

private:
  void clear(scf::ForOp loop, Value accumulator);
};
} // namespace

void ClearAccumulatorsPass::clear(scf::ForOp loop, Value accumulator) {
  SmallVector<GemmOp> gemms;
  for (Operation &op : loop.getBody()->without_terminator())
    if (touches(&op, accumulator)) {
      auto gemm = dyn_cast<GemmOp>(op);
      if (!gemm || gemm.getC() != accumulator || gemm.getPromoteEvery() ||
          gemm.getClear() || !traitsOf(gemm).takesAccumulateFlag)
        return;
      gemms.push_back(gemm);
    }
  if (gemms.front().getAccumulate())
    return;
  scf::IfOp guard = guardOf(loop);
  if (!guard && !surelyRuns(loop))
    return;
  for (Operation *op = guard ? loop->getPrevNode() : nullptr; op;
       op = op->getPrevNode())
    if (touches(op, accumulator))
      return;
  Operation *level = guard ? guard.getOperation() : loop;
  FillOp fill = zerosBefore(level, accumulator);
  if (!fill || (guard && guard.elseBlock() &&
                llvm::any_of(*guard.elseBlock(), [&](Operation &op) {
                  return touches(&op, accumulator);
                })))
    return;

  OpBuilder builder(gemms.front());
  Value later = arith::CmpIOp::create(
      builder, gemms.front().getLoc(), arith::CmpIPredicate::ne,
      loop.getInductionVar(), loop.getLowerBound());
  gemms.front().getAccumulateMutable().assign(later);
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
}
