//===- UseCounter.cpp - a count carried through a program -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "UseCounter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/Iterations.h"

using namespace mlir;
using namespace mlir::tile;

scf::IfOp tile::addResult(scf::IfOp branch, Value then, Value otherwise) {
  IRRewriter rewriter(branch);
  SmallVector<Type> types(branch.getResultTypes());
  types.push_back(then.getType());
  auto replaced =
      scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(),
                        /*withElseRegion=*/false);
  replaced->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  replaced.getThenRegion().takeBody(branch.getThenRegion());
  replaced.getElseRegion().takeBody(branch.getElseRegion());
  if (replaced.getElseRegion().empty()) {
    rewriter.createBlock(&replaced.getElseRegion());
    scf::YieldOp::create(rewriter, branch.getLoc());
  }
  replaced.thenYield()->insertOperands(types.size() - 1, then);
  replaced.elseYield()->insertOperands(types.size() - 1, otherwise);
  rewriter.replaceOp(branch, replaced.getResults().drop_back());
  return replaced;
}

Operation *UseCounter::obstacle(Operation *op) {
  Operation *parent = op->getParentOp();
  for (; !isa<TileAgentsOpInterface>(parent); parent = parent->getParentOp())
    if (!isa<scf::IfOp>(parent) && !isCountedLoop(parent))
      return parent;
  // A role in a loop begins anew in each round: its count would, too.
  bool isAnew = !parent->hasTrait<OpTrait::IsIsolatedFromAbove>() &&
                !isa<TileAgentsOpInterface>(parent->getParentOp());
  return isAnew ? parent : nullptr;
}

SmallVector<Value> UseCounter::beginAll(Operation *op, unsigned count) {
  Operation *parent = op->getParentOp();
  IRRewriter rewriter(op->getContext());
  if (isa<TileAgentsOpInterface>(parent)) {
    rewriter.setInsertionPointToStart(op->getBlock());
    Value first =
        type && !type.isIndex()
            ? TokenDoneOp::create(rewriter, op->getLoc(), type).getToken()
            : arith::ConstantIndexOp::create(rewriter, op->getLoc(), 0)
                  .getResult();
    return SmallVector<Value>(count, first);
  }
  SmallVector<Value> outer = beginAll(parent, count);
  rewriter.setInsertionPoint(parent);
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    FailureOr<LoopLikeOpInterface> carrier = loop.replaceWithAdditionalYields(
        rewriter, outer, /*replaceInitOperandUsesInLoop=*/false,
        [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
          return SmallVector<Value>(arguments.begin(), arguments.end());
        });
    auto replaced = cast<scf::ForOp>(carrier->getOperation());
    levels.push_back({replaced, replaced.getBody()});
    return llvm::to_vector_of<Value>(
        replaced.getRegionIterArgs().take_back(count));
  }
  auto branch = cast<scf::IfOp>(parent);
  Block *block = op->getBlock();
  for (Value value : outer)
    branch = addResult(branch, value, value);
  levels.push_back({branch, block});
  return outer;
}

SmallVector<Value> UseCounter::finishAll(ValueRange next) {
  SmallVector<Value> values(next);
  for (const Level &level : llvm::reverse(levels)) {
    Operation *yield = level.block->getTerminator();
    unsigned first = yield->getNumOperands() - values.size();
    for (auto [i, value] : llvm::enumerate(values))
      yield->setOperand(first + i, value);
    values = llvm::to_vector_of<Value>(
        level.carrier->getResults().take_back(values.size()));
  }
  levels.clear();
  return values;
}
