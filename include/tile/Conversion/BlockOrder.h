//===- BlockOrder.h - the order in which a grid is worked off ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tile.block_coordinates` means, for every target: the arithmetic from a
// number of a block range to block indices. docs/Rationale/BlockOrder.md has
// the order and an example.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_BLOCKORDER_H
#define TILE_CONVERSION_BLOCKORDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

namespace mlir::tile {

/// Block indices of the block with `rank` in cluster `number`, of a grid of
/// `clusters` clusters per dimension (x first), each of `clusterExtents`
/// blocks. Without `panel` x runs fastest; with it the grid's rows are taken
/// `panel` rows of blocks at a time, one row of clusters at least, down the
/// rows first. Values are index or of one integer type, and not negative.
SmallVector<Value> buildBlockCoordinates(OpBuilder &builder, Location loc,
                                         Value number, Value rank,
                                         ValueRange clusters,
                                         ArrayRef<int64_t> clusterExtents,
                                         std::optional<int64_t> panel);

} // namespace mlir::tile
#endif // TILE_CONVERSION_BLOCKORDER_H
