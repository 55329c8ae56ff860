//===- OrderGemms.cpp - products that are waited for go first -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after roles, before gemms get tokens. Groups of wgmma end in the order
// of their issue, so that a product whose result an iteration reads waits for
// all products in front of it. Those whose results nothing reads before the
// iteration ends, such as sums over all iterations, move behind it and run
// while its result is used:
//
//   gemm to %dv; gemm to %dk;       =>    gemm to %dv; store %ds to %DS;
//   store %ds to %DS;                     gemm %DS to %dq; gemm to %dk;
//   gemm %DS to %dq; read %dq             read %dq
//
// Where threads store an operand of the product that is waited for, they meet
// in front of it; the first of the others stays, so that the tensor cores have
// work meanwhile.
//
//===----------------------------------------------------------------------===//
#include "Asynchronous.h"
#include "Phases.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ORDERGEMMSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// A gemm whose group stays in flight behind it; null for all else.
static GemmOp groupOf(Operation *op) {
  auto gemm = dyn_cast<GemmOp>(op);
  bool isGroup = gemm && isUnscheduled(gemm) &&
                 traitsOf(gemm).completion == MmaCompletion::WarpgroupGroups;
  return isGroup ? gemm : GemmOp();
}

/// Whether its block reads the result, or overwrites an operand, before another
/// product, a ring or the end of the block makes threads wait for it.
static bool isWaitedFor(GemmOp gemm) {
  Operation *place = gemm->getNextNode();
  while (!needsResult(gemm, place))
    place = place->getNextNode();
  return !place->hasTrait<OpTrait::IsTerminator>() && !gemmTraits(place) &&
         !isa<TileOrderOpInterface>(place);
}

/// A move that fills an operand of `gemm`.
static bool fillsOperand(Operation *op, GemmOp gemm) {
  auto move = dyn_cast<TileMoveOpInterface>(op);
  return move && move.isPlain() &&
         llvm::is_contained({gemm.getA(), gemm.getB()}, move.getTarget());
}

/// Whether `gemm` may be issued behind `last` instead.
static bool mayFollow(GemmOp gemm, GemmOp last) {
  if (gemm.getC() == last.getC())
    return false;
  for (Operation *op = gemm->getNextNode();; op = op->getNextNode()) {
    if (needsResult(gemm, op))
      return false;
    if (op == last)
      return true;
  }
}

namespace {
struct OrderGemmsPass : tile::impl::OrderGemmsPassBase<OrderGemmsPass> {
  using OrderGemmsPassBase::OrderGemmsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Rings, Need::Roles})))
      return signalPassFailure();
    SmallVector<GemmOp> waitedFor;
    getOperation().walk([&](GemmOp gemm) {
      if (groupOf(gemm) && isWaitedFor(gemm))
        waitedFor.push_back(gemm);
    });
    for (GemmOp gemm : waitedFor)
      issueEarlier(gemm);
  }

private:
  void issueEarlier(GemmOp gemm);
};
} // namespace

void OrderGemmsPass::issueEarlier(GemmOp gemm) {
  // Only over what takes no time: arithmetic on the results of others does.
  SmallVector<GemmOp> others; // the last one first
  bool threadsMeet = false;
  for (Operation *op = gemm->getPrevNode(); op; op = op->getPrevNode()) {
    if (GemmOp other = groupOf(op)) {
      if (isWaitedFor(other) || !mayFollow(other, gemm))
        break;
      others.push_back(other);
    } else if (fillsOperand(op, gemm)) {
      threadsMeet = true;
    } else if (!isPure(op)) {
      break;
    }
  }
  if (threadsMeet && !others.empty())
    others.pop_back();
  if (others.empty())
    return;
  for (GemmOp other : others)
    other->moveAfter(gemm);
  movedGemms += others.size();
  remarkAt(remarks, gemm) << "issued before "
                          << plural(others.size(), "product")
                          << " whose result nothing waits for here";
}
