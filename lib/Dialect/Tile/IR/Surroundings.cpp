//===- Surroundings.cpp - what an operation stands in, and where ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/Surroundings.h"

using namespace mlir;
using namespace mlir::tile;

ParallelOp tile::elementLoopAround(Operation *op) {
  return op->getParentOfType<ParallelOp>();
}

ParallelOp tile::elementLoopOf(BlockArgument argument) {
  return dyn_cast_or_null<ParallelOp>(argument.getOwner()->getParentOp());
}

OnWarpsOp tile::asPartOfWarps(Operation *op) { return dyn_cast<OnWarpsOp>(op); }

OnWarpsOp tile::partOfWarpsAround(Operation *op) {
  return op->getParentOfType<OnWarpsOp>();
}

bool tile::combinesRows(Operation *op) {
  return isa<ReduceOp, ReduceWithOp, ScanOp, ScanWithOp>(op);
}

bool tile::isPromise(Operation *op) { return isa<AssumeOp>(op); }

bool tile::isPlaceOfBlock(Operation *op) {
  return isa<BlockCoordinatesOp, BlockRangeOp>(op);
}

std::optional<unsigned> tile::blockCoordinate(Value value) {
  if (value.getDefiningOp<BlockCoordinatesOp>())
    return cast<OpResult>(value).getResultNumber();
  return std::nullopt;
}
