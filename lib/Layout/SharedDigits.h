//===- SharedDigits.h - digits of a shared layout in use --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the layout library: the digits of one dimension as coordinates
// inside the shape exercise them. Questions about strides are asked of these,
// so that spellings of one map get one answer.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LAYOUT_SHAREDDIGITS_H
#define TILE_LIB_LAYOUT_SHAREDDIGITS_H

#include "tile/Layout/CheckedMath.h"
#include "tile/Layout/SharedLayout.h"

namespace mlir::tile {

/// Digits of a dimension, fastest first, with the extents that coordinates
/// below the dimension's extent really use (the last digit is clipped), units
/// dropped and neighbours merged where the offset keeps growing linearly.
inline llvm::SmallVector<Mode> usedDigits(const SharedLayout &layout,
                                          unsigned dim) {
  llvm::SmallVector<Mode> result;
  int64_t left = layout.shape()[dim];
  for (const Mode &mode : layout.modes()) {
    if (mode.dim != int(dim) || left <= 1)
      continue;
    Mode used = mode;
    used.extent = std::min(mode.extent, left);
    left = ceilDiv(left, mode.extent);
    if (used.extent == 1)
      continue;
    if (!result.empty() &&
        used.stride == result.back().stride * result.back().extent)
      result.back().extent *= used.extent;
    else
      result.push_back(used);
  }
  // A single digit counts the dimension itself, also where its spelling in
  // several digits would go further.
  if (result.size() == 1)
    result.front().extent =
        std::min(result.front().extent, layout.shape()[dim]);
  return result;
}

} // namespace mlir::tile
#endif // TILE_LIB_LAYOUT_SHAREDDIGITS_H
