//===- KernelContents.h - what a kernel may contain -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_IR_KERNELCONTENTS_H
#define TILE_LIB_DIALECT_TILE_IR_KERNELCONTENTS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// kernel-16: operations that compute, and accesses that can be checked.
LogicalResult verifyKernelContents(KernelOp kernel);

/// kernel-17: regions one in another. Asked before anything walks them.
LogicalResult verifyNesting(KernelOp kernel);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_IR_KERNELCONTENTS_H
