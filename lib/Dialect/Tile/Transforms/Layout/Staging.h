//===- Staging.h - room for tiles that fragments pass through ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes that stage loads and stores both ask: what a trip through
// shared memory is worth, and which pieces of a fragment make it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_STAGING_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_STAGING_H

#include "tile/Analysis/Occupancy.h"
#include "tile/Analysis/StagedStores.h"

namespace mlir::tile {

/// The widest store of a thread: nothing is gained by gathering such pieces.
inline constexpr int64_t kWideBits = 128;

/// The first `extent` positions along `dim`, when every thread holds its share
/// of them and the rest is the same again further along: register digits.
std::optional<FragmentLayout> restrictDim(const FragmentLayout &layout,
                                          unsigned dim, int64_t extent);

/// The dimension along which columns of a region run that a tile of rank two
/// holds: the last that is not one element wide.
unsigned columnDim(ArrayRef<int64_t> extents);
/// The dimension along which its rows follow each other: the one before that
/// is not one element wide (the first where there is none).
unsigned rowDim(ArrayRef<int64_t> extents);

/// The layout of a copy of a whole fragment with `layout`: copies are loops
/// over the dimensions that are not one element wide.
FragmentLayoutAttr layoutOfCopy(FragmentLayoutAttr layout);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_STAGING_H
