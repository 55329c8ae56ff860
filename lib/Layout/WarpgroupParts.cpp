//===- WarpgroupParts.cpp - what each warpgroup has of a tile -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Layout/WarpgroupParts.h"
#include <optional>

using namespace mlir::tile;

llvm::SmallVector<int64_t>
mlir::tile::warpgroupParts(const FragmentLayout &layout) {
  constexpr int64_t kWarps = 4;
  int64_t warps = 1;
  for (const Mode &mode : layout.modes(Axis::Warp))
    warps *= mode.extent;
  if (warps % kWarps || warps == kWarps || layout.overshoots())
    return {};
  // The digits of the warp's number above those inside a warpgroup.
  llvm::SmallVector<int64_t> parts(layout.shape().size(), 1);
  int64_t below = 1, reached = 0;
  std::optional<int64_t> dim;
  for (const Mode &mode : layout.modes(Axis::Warp)) {
    bool isAbove = below >= kWarps;
    below *= mode.extent;
    if (!isAbove && below > kWarps)
      return {}; // a digit across warpgroups
    if (!isAbove)
      continue;
    if (mode.isReplication() ||
        (dim && (*dim != int64_t(mode.dim) || mode.stride != reached)))
      return {};
    dim = mode.dim;
    parts[mode.dim] *= mode.extent;
    reached = mode.stride * mode.extent;
  }
  // The last digit of its dimension: everything else lies below.
  if (!dim || reached != layout.shape()[*dim])
    return {};
  return parts;
}
