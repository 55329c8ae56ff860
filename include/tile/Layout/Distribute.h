//===- Distribute.h - fragments from a grid of lanes and warps --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FragmentLayout::blocked decides by itself how threads are spread; here the
// caller says it, dimension by dimension. Layout inference enumerates such
// grids and compares their cost.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_DISTRIBUTE_H
#define TILE_LAYOUT_DISTRIBUTE_H

#include "tile/Layout/FragmentLayout.h"

namespace mlir::tile {

/// How threads are spread over one dimension.
struct DimensionSplit {
  int64_t vector = 1; // consecutive elements a thread holds
  int64_t lanes = 1, warps = 1;
};

/// One split per dimension; `order` lists the dimensions fastest first. Along a
/// dimension the digits are, fastest first: vector, lanes, warps (when
/// `warpsContiguous` is false) and the repetitions in registers; when it is
/// true each warp holds a contiguous block, so the repetitions come before the
/// warps. Lanes and warps beyond the products of the splits replicate, up to
/// `numThreads`. Extents that do not divide overshoot.
FragmentLayout distributed(llvm::ArrayRef<int64_t> shape, int64_t numThreads,
                           llvm::ArrayRef<DimensionSplit> splits,
                           llvm::ArrayRef<unsigned> order,
                           bool warpsContiguous = false);

} // namespace mlir::tile
#endif // TILE_LAYOUT_DISTRIBUTE_H
