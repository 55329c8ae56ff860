//===- SplitRest.cpp - what follows a loop that blocks share --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/SplitRest.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;

std::pair<Value, ValueRange> tile::elementOf(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return {load.getMemRef(), load.getIndices()};
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return {store.getMemRef(), store.getIndices()};
  return {};
}

bool tile::isWholeFragment(Value buffer, OperandRange offsets,
                           ArrayRef<int64_t> extents) {
  return isFragment(buffer) && offsets.empty() &&
         cast<MemRefType>(buffer.getType()).getShape() == extents;
}

static std::string whyNotByElements(ParallelOp loop) {
  bool isKnown =
      loop.getExtents().size() <= 2 && loop.getDynamicExtents().empty();
  loop.getBodyRegion().walk([&](Operation *op) {
    if (Value buffer = elementOf(op).first)
      isKnown &= isFragment(buffer) || isGlobal(buffer);
    else
      isKnown &= isMemoryEffectFree(op) || isa<scf::IfOp>(op);
  });
  return isKnown ? "" : "a loop over elements does more than loads and stores";
}

/// Of a move: whole fragments to or from global memory, or one another.
static std::string whyNotByElements(TileMoveOpInterface move) {
  Value source = move.getSource(), target = move.getTarget();
  bool fromFragment = isWholeFragment(source, move.getSourceOffsets(),
                                      move.getSourceExtents()),
       toFragment = isWholeFragment(target, move.getTargetOffsets(),
                                    move.getTargetExtents());
  bool isPlain =
      move.getAddressing() == MoveAddressing::Box && !move.isAsync() &&
      !move.getCompletion() && (fromFragment || isGlobal(source)) &&
      (toFragment || isGlobal(target)) && (fromFragment || toFragment);
  if (!isPlain)
    return "it moves more than whole fragments to or from global memory";
  if (fromFragment && toFragment &&
      cast<MemRefType>(source.getType()).getShape() !=
          cast<MemRefType>(target.getType()).getShape())
    return "it moves a fragment into another one of another shape";
  return "";
}

std::string tile::whyNotByElements(Operation *op) {
  if (auto loop = dyn_cast<ParallelOp>(op))
    return ::whyNotByElements(loop);
  if (auto move = dyn_cast<TileMoveOpInterface>(op))
    return ::whyNotByElements(move);
  bool isFine = op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op);
  if (auto fill = dyn_cast<FillOp>(op)) {
    isFine =
        isWholeFragment(fill.getTarget(), fill.getOffsets(), fill.getExtents());
  } else if (auto alloc = dyn_cast<AllocOp>(op)) {
    isFine = isFragment(alloc.getResult());
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    isFine = isGlobal(load.getMemRef());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    isFine = branch->getNumResults() == 0;
    for (Region &region : branch->getRegions())
      for (Operation &inner : region.getOps())
        if (std::string why = whyNotByElements(&inner); !why.empty())
          return why;
  }
  return isFine ? ""
                : "`" + op->getName().getStringRef().str() +
                      "` works on more than single elements";
}

bool tile::isFollowedByElements(Operation *loop) {
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode())
    if (!whyNotByElements(op).empty())
      return false;
  return true;
}
