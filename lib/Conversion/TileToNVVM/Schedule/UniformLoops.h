//===- UniformLoops.h - loops around products, for ptxas --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_UNIFORMLOOPS_H
#define TILE_LIB_CONVERSION_TILETONVVM_UNIFORMLOOPS_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Whether a region has products by wgmma.
bool usesWgmma(Region &region);

/// Broadcasts the bounds of loops around wgmma from the first lane where ptxas
/// would not see that they are the same in all lanes: where they come from
/// memory or from a division by a number of run time. Comes after the last
/// operation was lowered and before they are erased.
void keepLoopsUniform(KernelLowering &lowering);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_UNIFORMLOOPS_H
