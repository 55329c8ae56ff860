//===- KernelFacts.h - what a kernel does to its arguments ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read off the kernel as it was written: which arguments it reads and writes,
// and, for given sizes, how many operations it does and how long its sums are.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_KERNELFACTS_H
#define TILE_TOOLS_TILE_RUN_KERNELFACTS_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace mlir::tile::run {

/// Per argument of a kernel: a buffer's sizes, or an integer scalar's value.
struct Extents {
  std::vector<SmallVector<int64_t>> sizes;
  std::vector<std::optional<int64_t>> scalars;
};

struct KernelFacts {
  /// Of its memory, per argument.
  SmallVector<bool> isRead, isWritten;
  /// Unit roundoff of the coarsest format that values are rounded to between
  /// arguments: tf32 operands, narrow tiles, narrowing casts. 0 when none.
  double innerRoundoff = 0;
  /// Unit roundoff of the coarsest accumulator of a gemm, reduce or atomic.
  double accumulatorRoundoff = 0;
  /// Whether it subtracts: absolute values of inputs then bound no result.
  bool subtracts = false;
};
KernelFacts analyzeKernel(KernelOp kernel);

struct KernelWork {
  std::optional<double> flops; ///< of all gemms; unknown when loops are
  int64_t blocks = 0;
  /// Terms of the longest sum that ends in one element; an upper bound where
  /// loops are not known.
  double terms = 1;
};
KernelWork measureWork(KernelOp kernel, const Extents &extents);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_KERNELFACTS_H
