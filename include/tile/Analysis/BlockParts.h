//===- BlockParts.h - which blocks read the same part -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether each block of a grid reads a part of a buffer that no other block
// reads, and reads it once. Nothing here rewrites.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_BLOCKPARTS_H
#define TILE_ANALYSIS_BLOCKPARTS_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace mlir::tile {

/// How a block picks its part of a buffer: by which of the numbers around the
/// access.
struct BlockPart {
  /// Dimensions of the grid, of more than one block, along which blocks read
  /// the same part, as far as the indices show it.
  llvm::SmallVector<int64_t> sharedDims;
  /// Other iterations of the loops around the access, up to the kernel, read
  /// other parts.
  bool onceInBlock = true;
};

/// The part that an access at `indices` reads. Indices are followed through
/// sums, multiples and quotients without remainder; nullopt where one is made
/// of something else, a remainder or a number from memory, which may be the
/// same for several blocks. Of a loop over a range, blocks have ranges of their
/// own if each range ends where the one of the next block begins.
std::optional<BlockPart> partOfBlock(KernelOp kernel, Operation *access,
                                     ValueRange indices);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_BLOCKPARTS_H
