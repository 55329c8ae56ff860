//===- MatrixCopy.h - copies by ldmatrix and stmatrix -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_MATRIXCOPY_H
#define TILE_LIB_CONVERSION_TILETONVVM_MATRIXCOPY_H

#include "Endpoint.h"

namespace mlir::tile::nvvm {

/// A copy from shared memory to a fragment (or back) whose plan says so. `loop`
/// is the copy's layout, `fragment` the endpoint in registers.
LogicalResult lowerLdmatrix(KernelLowering &lowering, CopyOp copy,
                            Endpoint &fragment, const FragmentLayout &loop);
LogicalResult lowerStmatrix(KernelLowering &lowering, CopyOp copy,
                            Endpoint &fragment, const FragmentLayout &loop);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_MATRIXCOPY_H
