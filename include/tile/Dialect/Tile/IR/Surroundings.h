//===- Surroundings.h - what an operation stands in, and where --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions that analyses and passes ask alike: which loop over elements is
// around an operation, which warps run it, whether a value says where its block
// is. Asked here, so that they cannot be answered differently.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_SURROUNDINGS_H
#define TILE_DIALECT_TILE_IR_SURROUNDINGS_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace mlir::tile {

/// The loop over elements (`tile.parallel`) that `op` stands in, or null.
ParallelOp elementLoopAround(Operation *op);
/// The loop over elements whose index `argument` is, or null.
ParallelOp elementLoopOf(BlockArgument argument);

/// `op` as a part of a program that only some warps run (`tile.on_warps`), or
/// null.
OnWarpsOp asPartOfWarps(Operation *op);
/// The part of some warps that `op` stands in, or null.
OnWarpsOp partOfWarpsAround(Operation *op);

/// Whether `op` combines the elements of rows with each other: a reduction or a
/// scan, by a kind or by a region.
bool combinesRows(Operation *op);

/// Whether `op` promises something of a value and does nothing else.
bool isPromise(Operation *op);

/// Whether `op` says which block of the grid runs it, or which ones a
/// persistent block works off.
bool isPlaceOfBlock(Operation *op);
/// The dimension of the grid whose index of its block `value` is, where an
/// operation computes it; a kernel's arguments are asked of the kernel.
std::optional<unsigned> blockCoordinate(Value value);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_SURROUNDINGS_H
