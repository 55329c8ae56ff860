//===- TmaCopy.h - lowering of tensor and bulk copies -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_TMACOPY_H
#define TILE_LIB_CONVERSION_TILETONVVM_TMACOPY_H

#include "Lowering.h"

namespace mlir::tile {
struct TmaGeometry;
}

namespace mlir::tile::nvvm {

/// A move whose plan is `tma` or `bulk`.
LogicalResult lowerTmaCopy(KernelLowering &lowering, TileMoveOpInterface copy);

/// What the launcher encodes the tensor map of a copy from.
runtime::TensorMapSpec describeTensorMap(KernelLowering &lowering,
                                         TileMoveOpInterface move,
                                         BlockArgument argument,
                                         const TmaGeometry &geometry);

/// How long the L2 cache keeps the lines of a copy (i64, made by createpolicy);
/// null where nothing is asked.
Value cachePolicy(KernelLowering &lowering, TileMoveOpInterface copy);

/// Prefetches the tensor maps that the kernel took, at its start.
void prefetchTensorMaps(KernelLowering &lowering);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_TMACOPY_H
