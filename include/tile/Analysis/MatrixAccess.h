//===- MatrixAccess.h - fragments that ldmatrix can fill --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix and stmatrix move 8 x 8 matrices of 16-bit units: each of 8 lanes
// names one row of 16 bytes, and lane l gets the two units at row l / 4,
// columns 2 * (l % 4) and the next (transposed: rows and columns exchanged).
// This says whether a fragment is made of such matrices, and which lane names
// which row.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_MATRIXACCESS_H
#define TILE_ANALYSIS_MATRIXACCESS_H

#include "tile/Layout/FragmentLayout.h"

namespace mlir::tile {

struct MatrixAccess {
  /// Elements of one 32-bit register.
  int64_t unit = 2;
  bool transposed = false;
  /// Register g of lane l is the start of the row that lane l names in the g-th
  /// instruction. Registers [(g*count + i)*unit, ... + unit) of the fragment
  /// are what the i-th matrix of it gives.
  FragmentLayout rows;
};

/// `count` matrices (1, 2 or 4) per instruction; rows of a matrix run along
/// dimension `column` of the rank-2 tile. Refuses when the layout is not made
/// of whole matrices.
OrRefusal<MatrixAccess> matrixAccess(const FragmentLayout &layout,
                                     unsigned column, unsigned elementBits,
                                     int64_t count);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_MATRIXACCESS_H
