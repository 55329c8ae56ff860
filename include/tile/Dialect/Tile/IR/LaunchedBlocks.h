//===- LaunchedBlocks.h - which blocks of a grid are needed -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's grid is a map of sizes by sums, products and quotients, so that
// passes can reason about it. A program whose grid is the larger one of two
// sizes has a grid of their sum, in which the blocks beyond do nothing. This
// attribute says so, and the launcher leaves them out.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_LAUNCHEDBLOCKS_H
#define TILE_DIALECT_TILE_IR_LAUNCHEDBLOCKS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// On a kernel: for each dimension of the grid how many blocks do something, as
/// the artifact's expressions are written (docs/Artifact.md):
/// `[["max", ["dim", 0, 0], ["dim", 2, 0]], 4]`. Operations: add, sub, mul,
/// floordiv, ceildiv, mod, min, max; `["dim", argument, dimension]` of memref
/// arguments, `["scalar", argument]` of integers.
inline constexpr llvm::StringLiteral kLaunchedBlocksAttrName =
    "tile.launched_blocks";

/// An error where `attribute` does not have that form.
LogicalResult verifyLaunchedBlocks(Operation *op, NamedAttribute attribute);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_LAUNCHEDBLOCKS_H
