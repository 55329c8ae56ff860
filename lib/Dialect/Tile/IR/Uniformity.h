//===- Uniformity.h - block-uniform code and disjoint writes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions of the verifiers of `tile.kernel` and `tile.parallel` about which
// threads run what. Diagnoses; rewrites nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_IR_UNIFORMITY_H
#define TILE_LIB_DIALECT_TILE_IR_UNIFORMITY_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// kernel-10: every value at block level is the same for all threads of a
/// block.
LogicalResult verifyBlockUniform(KernelOp kernel);

/// parallel-4: no store that runs in each iteration writes one element from two
/// iterations, as far as its indices decide it.
LogicalResult verifyDisjointStores(ParallelOp loop);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_IR_UNIFORMITY_H
