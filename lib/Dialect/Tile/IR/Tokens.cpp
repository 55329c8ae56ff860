//===- Tokens.cpp - from issues to awaits and back ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows tokens along uses, and back along definitions, through `scf.for`,
// `scf.if` and `arith.select`. Other operations that a token passes through are
// returned to the caller, which then has to assume the worst.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/Tokens.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

bool tile::isDoneToken(Value token) {
  return token.getDefiningOp<TokenDoneOp>() != nullptr;
}

Value tile::getToken(Operation *op) {
  if (!isa<TileOpInterface>(op))
    return {};
  for (Value result : op->getResults())
    if (isa<TokenType>(result.getType()))
      return result;
  return {};
}

ValueRange tile::awaitedBy(Operation *op) {
  auto order = dyn_cast<TileOrderOpInterface>(op);
  return order ? order.getAwaitedTokens() : ValueRange();
}

static void addOnce(Operation *op, SmallVectorImpl<Operation *> &ops) {
  if (!llvm::is_contained(ops, op))
    ops.push_back(op);
}

/// The values that one use of a token passes it on to; empty where it is not
/// known what the user does with it.
static SmallVector<Value, 2> passedTo(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned n = use.getOperandNumber();
  if (auto select = dyn_cast<arith::SelectOp>(user))
    return {select.getResult()};
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return {loop.getTiedLoopRegionIterArg(&use), loop.getTiedLoopResult(&use)};
  if (isa<scf::YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return {loop.getRegionIterArg(n), loop.getResult(n)};
    if (auto branch = dyn_cast<scf::IfOp>(parent))
      return {branch.getResult(n)};
  }
  return {};
}

Operation *tile::collectAwaits(Operation *op,
                               SmallVectorImpl<Operation *> &awaits) {
  Value token = getToken(op);
  if (!token)
    return nullptr;
  SmallVector<Value> pending{token};
  llvm::SmallDenseSet<Value> seen{token};
  while (!pending.empty())
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      if (llvm::is_contained(awaitedBy(use.getOwner()), use.get())) {
        addOnce(use.getOwner(), awaits);
        continue;
      }
      SmallVector<Value, 2> passed = passedTo(use);
      if (passed.empty())
        return use.getOwner();
      for (Value value : passed)
        if (seen.insert(value).second)
          pending.push_back(value);
    }
  return nullptr;
}

/// The values that a token may be; empty where it is not known.
static SmallVector<Value, 2> comesFrom(Value token) {
  if (auto argument = dyn_cast<BlockArgument>(token)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return {};
    return {loop.getTiedLoopInit(argument)->get(),
            loop.getTiedLoopYieldedValue(argument)->get()};
  }
  auto result = cast<OpResult>(token);
  Operation *op = result.getOwner();
  unsigned n = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getInitArgs()[n], loop.getYieldedValues()[n]};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenYield().getOperand(n), branch.elseYield().getOperand(n)};
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  return {};
}

Operation *tile::collectIssues(Operation *await,
                               SmallVectorImpl<Operation *> &issues) {
  SmallVector<Value> pending(awaitedBy(await));
  llvm::SmallDenseSet<Value> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    Value token = pending.pop_back_val();
    Operation *op = token.getDefiningOp();
    if (op && isa<TileOpInterface>(op)) {
      addOnce(op, issues);
      continue;
    }
    if (isa_and_nonnull<TokenDoneOp>(op))
      continue;
    SmallVector<Value, 2> sources = comesFrom(token);
    if (sources.empty())
      return op ? op : token.getParentBlock()->getParentOp();
    for (Value source : sources)
      if (seen.insert(source).second)
        pending.push_back(source);
  }
  return nullptr;
}
