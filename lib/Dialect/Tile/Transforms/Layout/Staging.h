//===- Staging.h - room for tiles that fragments pass through ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes that stage loads and stores both ask: how much shared memory
// a kernel's own tiles take, what a trip through it is worth, and which pieces
// of a fragment make it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_STAGING_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_STAGING_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Room for mbarriers and alignment.
inline constexpr int64_t kSlackBytes = 2048;
/// Smaller tiles are not worth a trip through shared memory.
inline constexpr int64_t kSmallBytes = 4096;
/// The widest store of a thread: nothing is gained by gathering such pieces.
inline constexpr int64_t kWideBits = 128;

/// Bytes in a row of the narrowest piece of a tile that stores go through.
inline constexpr int64_t kPieceRowBytes = 128;

/// Bytes of shared memory that the kernel's tiles will take, every stage of the
/// loops that fill them included. Layouts must have been inferred.
int64_t tileBytes(KernelOp kernel);

/// The first `extent` positions along `dim`, when every thread holds its share
/// of them and the rest is the same again further along: register digits.
std::optional<FragmentLayout> restrictDim(const FragmentLayout &layout,
                                          unsigned dim, int64_t extent);

/// The dimension along which columns of a region run that a tile of rank two
/// holds: the last that is not one element wide.
unsigned columnDim(ArrayRef<int64_t> extents);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_STAGING_H
