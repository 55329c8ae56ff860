//===- NestGuards.cpp - pipelined loops that skip iterations --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. In a block-sparse program an iteration copies and
// multiplies only where a table says so. A copy under a condition cannot run
// ahead; a ring, however, is counted through the loops around it. So the
// iterations become an ordinary loop, and what an iteration does becomes a
// pipelined loop of one iteration or none: the warps that copy read the table,
// too, and run ahead over the iterations that do something.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_NESTGUARDSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The branch that is all that an iteration does, behind what computes its
/// condition from global memory that the loop does not write, and allocations.
/// Null where there is another way; `why` says what stands in the way of one
/// that guards copies.
static scf::IfOp guardOfIteration(PipelinedOp loop, Reason &why) {
  Block &body = loop.getBodyRegion().front();
  scf::IfOp branch;
  for (Operation &op : body.without_terminator())
    if (auto found = dyn_cast<scf::IfOp>(op);
        found && !found.thenBlock()->getOps<CopyOp>().empty())
      branch = found;
  if (!branch || branch.getNumResults())
    return {};
  if (branch.elseBlock() && !branch.elseBlock()->without_terminator().empty()) {
    why = {"the other way does something, too",
           "a loop of its own can do that"};
    return {};
  }
  for (Operation &op : body.without_terminator()) {
    if (&op == branch || isa<TileStorageOpInterface>(op) ||
        (op.getNumRegions() == 0 && isMemoryEffectFree(&op)))
      continue;
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load || !isGlobal(load.getMemRef())) {
      why = {"the iteration does more than what is under the condition",
             "a loop of its own can do the rest"};
      return {};
    }
    SmallVector<OpAccess> accesses;
    Operation *unknown = collectAccesses(body, accesses);
    if (unknown || llvm::any_of(accesses, [&](const OpAccess &own) {
          return own.access.isWrite &&
                 mayAlias(own.access.buffer, load.getMemRef());
        })) {
      why = {"the loop may write what the condition reads",
             "read it from a buffer that the loop does not write"};
      return {};
    }
  }
  return branch;
}

namespace {
struct NestGuardsPass : tile::impl::NestGuardsPassBase<NestGuardsPass> {
  using NestGuardsPassBase::NestGuardsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    const TargetInfo *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    // Without a role that copies nobody would run ahead.
    if (!target->hasTma() || !(target->hasWgmma() || target->hasTcgen05()))
      return;
    SmallVector<PipelinedOp> loops;
    getOperation().walk([&](PipelinedOp loop) {
      if (loop.getStages() > 1 && mayGetRoles(kernelOf(loop)))
        loops.push_back(loop);
    });
    for (PipelinedOp loop : loops)
      nest(loop);
  }

private:
  void nest(PipelinedOp loop) {
    Reason why;
    scf::IfOp branch = guardOfIteration(loop, why);
    if (!branch) {
      if (!why.empty())
        missedAt(remarks, loop, "copies under a condition stay where they are",
                 why.why, why.advice);
      return;
    }
    Location loc = loop.getLoc();
    OpBuilder builder(loop);
    auto outer = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                    loop.getUpperBound(), loop.getStep());
    loop.getInductionVariable().replaceAllUsesWith(outer.getInductionVar());
    Block &body = loop.getBodyRegion().front();
    Operation *end = outer.getBody()->getTerminator();
    SmallVector<Operation *> allocations;
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (isa<TileStorageOpInterface>(op))
        allocations.push_back(&op);
      else if (&op != branch)
        op.moveBefore(end);
    builder.setInsertionPoint(end);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value count =
        arith::SelectOp::create(builder, loc, branch.getCondition(), one, zero);
    // The loop itself becomes the inner one: it keeps what it says.
    loop->moveBefore(end);
    loop.getLowerBoundMutable().assign(zero);
    loop.getUpperBoundMutable().assign(count);
    loop.getStepMutable().assign(one);
    Block *guarded = branch.thenBlock();
    guarded->getTerminator()->erase();
    body.getOperations().splice(Block::iterator(branch),
                                guarded->getOperations());
    branch.erase();
    remarkAt(remarks, loop)
        << "iterations that the condition skips take no stage: the others run "
           "ahead of each other";
    ++nestedGuards;
  }
};
} // namespace
