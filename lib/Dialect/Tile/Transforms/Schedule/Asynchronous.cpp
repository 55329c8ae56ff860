//===- Asynchronous.cpp - operations with and without tokens --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that start or end asynchronous operations share this: how a token is
// given to an operation, and how it is taken away where its wait cannot be
// followed.
//
//===----------------------------------------------------------------------===//
#include "Asynchronous.h"
#include "Accumulators.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Tokens.h"

using namespace mlir;
using namespace mlir::tile;

bool tile::canStayInFlight(GemmOp gemm) {
  return !gemm.getPromoteEvery() && !isToBeFilled(gemm.getC()) &&
         traitsOf(gemm).isAsynchronous();
}

bool tile::isUnscheduled(GemmOp gemm) {
  return canStayInFlight(gemm) && !gemm.getToken();
}

/// Whether a release makes a slot empty by itself, once a gemm has read it.
static bool followsGemm(TileRingOpInterface release, GemmOp gemm) {
  auto type = cast<RingType>(release.getRing().getType());
  const MmaTraits &traits = traitsOf(gemm);
  return traits.completion == MmaCompletion::Mbarrier && type.usesMbarriers() &&
         type.hasConsumer(traits.reader);
}

bool tile::needsResult(GemmOp gemm, Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return true;
  bool needs = false;
  op->walk([&](Operation *inner) {
    if (auto other = dyn_cast<GemmOp>(inner)) {
      // Groups end in order: an accumulation follows without a wait. It reads
      // registers of its own.
      bool sameC = other.getC() == gemm.getC() && canStayInFlight(other) &&
                   !isFragment(other.getA()) && !isFragment(other.getB()) &&
                   !other.isSparse();
      if (sameC && other.getA() != gemm.getC() && other.getB() != gemm.getC())
        return;
    }
    if (auto order = dyn_cast<TileOrderOpInterface>(inner)) {
      auto ringOp = dyn_cast<TileRingOpInterface>(inner);
      if (!ringOp || !ringOp.releasesSlot() || !followsGemm(ringOp, gemm))
        needs |=
            order.freesSlotOf(gemm.getA()) || order.freesSlotOf(gemm.getB());
      return;
    }
    for (Value operand : inner->getOperands())
      needs |= getViewedTile(operand) == gemm.getC();
    SmallVector<OpAccess> accesses;
    if (inner->getNumRegions() == 0 && !isMemoryEffectFree(inner) &&
        collectAccesses(inner, accesses))
      needs = true;
    for (const OpAccess &access : accesses)
      needs |= access.access.isWrite &&
               llvm::any_of(
                   ValueRange{gemm.getA(), gemm.getB(), gemm.getMetadata()},
                   [&](Value operand) {
                     return operand && getViewedTile(operand) ==
                                           getViewedTile(access.access.buffer);
                   });
  });
  return needs;
}

/// A copy of `op` in front of it, with other results.
static Operation *rebuild(Operation *op, TypeRange results) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addTypes(results);
  return builder.create(state);
}

/// Lets the users of a token, but for `kept`, carry one of nothing. Waits for
/// nothing at all are erased.
static void forget(Value token, Operation *kept) {
  if (token.use_empty() || (kept && token.hasOneUse()))
    return;
  OpBuilder builder(token.getContext());
  builder.setInsertionPointAfterValue(token);
  Value done =
      TokenDoneOp::create(builder, token.getLoc(), token.getType()).getToken();
  SmallVector<Operation *> users(token.getUsers());
  token.replaceUsesWithIf(
      done, [&](OpOperand &use) { return use.getOwner() != kept; });
  for (Operation *user :
       llvm::SetVector<Operation *>(users.begin(), users.end())) {
    ValueRange tokens = awaitedBy(user);
    if (!tokens.empty() && user != kept && llvm::all_of(tokens, isDoneToken))
      user->erase();
  }
  if (done.use_empty())
    done.getDefiningOp()->erase();
}

Operation *tile::makeAsynchronous(Operation *op) {
  Operation *issue = rebuild(op, TokenType::get(op->getContext()));
  op->erase();
  return issue;
}

Operation *tile::makeSynchronous(Operation *op) {
  forget(getToken(op), /*kept=*/nullptr);
  Operation *whole = rebuild(op, TypeRange());
  op->erase();
  return whole;
}

AwaitOp tile::awaitAtOnce(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value token = getToken(op);
  auto await = AwaitOp::create(builder, op->getLoc(), token,
                               /*read=*/UnitAttr(), /*groups=*/IntegerAttr());
  forget(token, await);
  return await;
}

Operation *tile::completionOf(Operation *op, Value written) {
  if (!getToken(op))
    return op;
  SmallVector<Operation *> awaits;
  if (collectAwaits(op, awaits) || awaits.size() != 1 ||
      awaits[0]->getBlock() != op->getBlock() ||
      !op->isBeforeInBlock(awaits[0]))
    return awaitAtOnce(op);
  for (Operation *between = op->getNextNode(); between != awaits[0];
       between = between->getNextNode())
    if (written && touches(between, written))
      return awaitAtOnce(op);
  return awaits[0];
}
