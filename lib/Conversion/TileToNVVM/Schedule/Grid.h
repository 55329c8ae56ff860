//===- Grid.h - the extents of the grid -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_GRID_H
#define TILE_LIB_CONVERSION_TILETONVVM_GRID_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Blocks along dimension `d` of the kernel's grid, as i64, from its arguments.
/// The launch may have others: it is rounded up to clusters, and a persistent
/// kernel has as many as run at a time.
Value gridExtent(KernelLowering &lowering, unsigned d);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_GRID_H
