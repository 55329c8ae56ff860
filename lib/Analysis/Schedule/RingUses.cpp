//===- RingUses.cpp - what an agent does with one use of a ring -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/RingUses.h"

using namespace mlir;
using namespace mlir::tile;

/// The first operation of a kind after `op`, in its block, for the same use of
/// the same ring.
template <typename OpT>
static OpT partnerAfter(TileRingOpInterface op, Value use) {
  for (Operation &later :
       llvm::make_range(std::next(op->getIterator()), op->getBlock()->end()))
    if (auto found = dyn_cast<OpT>(later);
        found && found.getRing() == op.getRing() && found.getUse() == use)
      return found;
  return {};
}

RingReleaseOp tile::releaseAfter(TileRingOpInterface wait) {
  return partnerAfter<RingReleaseOp>(wait, wait.getUse());
}

std::optional<Production> tile::productionOf(RingAcquireOp acquire) {
  Production found;
  found.acquire = acquire;
  found.commit = partnerAfter<RingCommitOp>(
      cast<TileRingOpInterface>(acquire.getOperation()), acquire.getUse());
  if (!found.commit)
    return std::nullopt;
  for (OpOperand &use : acquire->getUses()) {
    auto copy = dyn_cast<TileMoveOpInterface>(use.getOwner());
    if (!copy || copy.getTarget() != use.get())
      return std::nullopt;
    found.copies.push_back(copy);
  }
  if (found.copies.empty())
    return std::nullopt;
  Block *block = found.copies.front()->getBlock();
  if (llvm::any_of(found.copies, [&](TileMoveOpInterface copy) {
        return copy->getBlock() != block;
      }))
    return std::nullopt;
  llvm::sort(found.copies, [](TileMoveOpInterface a, TileMoveOpInterface b) {
    return a->isBeforeInBlock(b);
  });
  if (block == acquire->getBlock())
    return found;
  found.guard = dyn_cast<scf::IfOp>(block->getParentOp());
  if (!found.guard || block != found.guard.thenBlock() ||
      found.guard->getBlock() != acquire->getBlock())
    return std::nullopt;
  return found;
}

SmallVector<Production> tile::productionsIn(Block &block) {
  SmallVector<Production> found;
  for (auto acquire : block.getOps<RingAcquireOp>()) {
    std::optional<Production> production = productionOf(acquire);
    if (!production)
      return {};
    found.push_back(std::move(*production));
  }
  return found;
}
