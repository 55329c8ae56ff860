//===- SparseOperand.h - metadata of a sparse A -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lowering a gemm by wgmma.sp and by mma.sp have in common: the words of
// metadata that each instruction takes from registers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_SPARSEOPERAND_H
#define TILE_LIB_CONVERSION_TILETONVVM_SPARSEOPERAND_H

#include "Lowering.h"
#include "tile/Layout/MmaLayouts.h"

namespace mlir::tile::nvvm {

struct SparseOperand {
  SmallVector<Value> words; // i32, [repeat along m * steps + step]
  std::optional<SparseMetadata> layout;
  /// Which threads' words count in a step.
  int64_t selector(int64_t step) const { return layout->selector(step); }
};

/// Loads the metadata of a gemm by instructions of `shape`, `repeatsM` times
/// along m for each warp (or warpgroup).
LogicalResult bindMetadata(KernelLowering &lowering, GemmOp gemm,
                           MmaShape shape, WarpGrid warps, int64_t repeatsM,
                           SparseOperand &operand);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_SPARSEOPERAND_H
