//===- Dependents.h - what has to move with what depends on it --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes put the work of a block into a loop over tiles, under a condition, or
// into roles. Tiles, promises and scalars stay in front, as far as nothing that
// moves computes what they need.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_DEPENDENTS_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_DEPENDENTS_H

#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether `op` makes a tile, promises something or computes scalars: it may
/// stay in front of the work.
inline bool isPreparation(Operation *op) {
  return isa<AllocOp>(op) || isPromise(op) ||
         (op->getNumRegions() == 0 && isPure(op));
}

/// The operations of `block` from `first` to its terminator that do not stay in
/// front, in order: `stays` is false for them, or they use a value of one of
/// these, or one for which `moves` is true.
inline SmallVector<Operation *> collectDependents(
    Block::iterator first, Block *block,
    llvm::function_ref<bool(Operation *)> stays,
    llvm::function_ref<bool(Value)> moves = [](Value) { return false; }) {
  SmallVector<Operation *> inside;
  llvm::SmallDenseSet<Operation *> moved;
  for (Operation &op :
       llvm::make_range(first, Block::iterator(block->getTerminator()))) {
    bool depends = false;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        depends |= moves(operand) || moved.contains(operand.getDefiningOp());
    });
    if (!depends && stays(&op))
      continue;
    inside.push_back(&op);
    moved.insert(&op);
  }
  return inside;
}

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_DEPENDENTS_H
