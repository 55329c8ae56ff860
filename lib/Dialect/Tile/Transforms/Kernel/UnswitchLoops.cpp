//===- UnswitchLoops.cpp - conditions that a loop does not change ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. In a program for single threads a loop reads rows, and
// each access at the tensor's edge has a condition of its own, which is the
// same in all rounds. Between branches the assembler does not move loads: each
// waits for the one before. A branch around the loop, with the loop once as it
// is inside of the tensor and once as it is outside, leaves loads behind each
// other that are all on their way at the same time.
//
// LLVM has the transformation (SimpleLoopUnswitch), but works on the code of
// the kernel behind --tile-infer-layouts, which writes such loops out.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_UNSWITCHLOOPSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Operations of a loop that is written twice, at most.
static constexpr unsigned kMaxOperations = 256;

/// Whether one thread may do `op` under a condition that other threads do not
/// share: it neither meets them nor is ordered with what they do.
static bool isOfOneThread(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp, scf::IfOp,
             scf::ForOp, scf::YieldOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

/// Whether `branch` decides about an access to global memory.
static bool guardsGlobalMemory(scf::IfOp branch) {
  auto found = branch->walk([](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    bool global = (load && isGlobal(load.getMemRef())) ||
                  (store && isGlobal(store.getMemRef()));
    return global ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// Moves what computes `condition` in front of `loop`, where it follows from
/// what is outside alone.
static bool moveOutOf(scf::ForOp loop, Value condition) {
  if (loop.isDefinedOutsideOfLoop(condition))
    return true;
  if (!condition.getDefiningOp())
    return false;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true; // looked at below
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  SetVector<Operation *> slice;
  if (failed(getBackwardSlice(condition, &slice, options)))
    return false;
  for (Operation *op : slice)
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
        !isSpeculatable(op) ||
        llvm::any_of(op->getOperands(), [&](Value operand) {
          return isa<BlockArgument>(operand) &&
                 !loop.isDefinedOutsideOfLoop(operand);
        }))
      return false;
  for (Operation *op : slice)
    op->moveBefore(loop);
  return true;
}

/// The arms that `condition` chooses in `loop` in place of its branches.
static void takeArms(scf::ForOp loop, Value condition, bool arm) {
  IRRewriter rewriter(loop.getContext());
  SmallVector<scf::IfOp> branches;
  loop->walk([&](scf::IfOp branch) {
    if (branch.getCondition() == condition)
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches) {
    Block *taken = arm ? branch.thenBlock() : branch.elseBlock();
    if (!taken) {
      rewriter.eraseOp(branch);
      continue;
    }
    Operation *yield = taken->getTerminator();
    SmallVector<Value> results(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(taken, branch);
    rewriter.replaceOp(branch, results);
  }
}

namespace {
struct UnswitchLoopsPass
    : tile::impl::UnswitchLoopsPassBase<UnswitchLoopsPass> {
  using UnswitchLoopsPassBase::UnswitchLoopsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    // Inner loops first: their branches are those of the loops around them.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (elementLoopAround(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (Value condition = conditionToTake(loop))
        unswitch(loop, condition);
  }

private:
  /// The condition of a branch in `loop` that is the same in all rounds, now in
  /// front of the loop; null where there is none, or where the loop must not
  /// stand under a condition.
  Value conditionToTake(scf::ForOp loop) {
    unsigned operations = 0;
    bool alone = true;
    SmallVector<scf::IfOp> branches;
    loop.getBody()->walk([&](Operation *op) {
      ++operations;
      alone &= isOfOneThread(op);
      if (auto branch = dyn_cast<scf::IfOp>(op))
        branches.push_back(branch);
    });
    if (!alone || operations > kMaxOperations)
      return {};
    for (scf::IfOp branch : branches)
      if (!matchPattern(branch.getCondition(), m_Constant()) &&
          guardsGlobalMemory(branch) && moveOutOf(loop, branch.getCondition()))
        return branch.getCondition();
    return {};
  }

  void unswitch(scf::ForOp loop, Value condition) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(),
                                    condition, /*withElseRegion=*/true);
    loop.replaceAllUsesWith(branch.getResults());
    for (bool arm : {true, false}) {
      Block *block = arm ? branch.thenBlock() : branch.elseBlock();
      OpBuilder inside = OpBuilder::atBlockBegin(block);
      auto made = cast<scf::ForOp>(inside.clone(*loop));
      if (!loop.getResultTypes().empty())
        scf::YieldOp::create(inside, loc, made.getResults());
      takeArms(made, condition, arm);
      if (made.getNumResults() == 0 && wouldOpBeTriviallyDead(made))
        made.erase();
    }
    loop.erase();
    remarkAt(remarks, loc)
        << "written twice, under a condition and under its opposite, which are "
           "the same in all rounds: no round branches, and loads of several "
           "rounds are on their way at once";
    ++unswitchedLoops;
  }
};
} // namespace
