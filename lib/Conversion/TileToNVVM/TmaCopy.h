//===- TmaCopy.h - lowering of tensor and bulk copies -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_TMACOPY_H
#define TILE_LIB_CONVERSION_TILETONVVM_TMACOPY_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// A copy whose plan is `tma` or `bulk`, or an atomic whose plan is `tma`.
LogicalResult lowerTmaCopy(KernelLowering &lowering, TileMoveOpInterface copy);

/// Prefetches the tensor maps that the kernel took, at its start.
void prefetchTensorMaps(KernelLowering &lowering);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_TMACOPY_H
