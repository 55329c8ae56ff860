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
  /// Facts of its memory, for each argument.
  SmallVector<bool> isRead, isWritten;
  /// Whether it names rows that are gathered or scattered, per argument.
  SmallVector<bool> isIndices;
  /// Columns of a group of the sparse A whose metadata it is, per argument; 0
  /// where it is none.
  SmallVector<int64_t> sparseColumns;
  /// Unit roundoffs of everything that rounds a value on its way to a result,
  /// added up: arithmetic, casts, narrow tiles, tf32 operands. Sums are
  /// KernelWork's.
  double innerRoundoff = 0;
  /// The same of what rounding changes in numbers that are below the smallest
  /// normal one, and what constant factors make of it, at least 1.
  double innerSmallest = 0, largestFactor = 1;
  /// The coarsest type that arithmetic is done in.
  double arithmeticRoundoff = 0;
  /// Whether results from small integers are integers that no step rounds.
  bool keepsIntegers = true;
  /// Whether it subtracts: absolute values of inputs then bound no result.
  bool subtracts = false;
};
KernelFacts analyzeKernel(KernelOp kernel);

struct KernelWork {
  std::optional<double> flops; ///< of all gemms; unknown when loops are
  int64_t blocks = 0;
  /// Sums that end in one element, of gemms, reductions, atomics and values
  /// that a loop carries; lengths are upper bounds where loops are not known.
  struct Sum {
    double terms, roundoff; ///< of the type that is added in
    /// Products of fp8, which some tensor cores add with fewer bits.
    bool isShort = false;
  };
  SmallVector<Sum> sums;
};
KernelWork measureWork(KernelOp kernel, const Extents &extents);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_KERNELFACTS_H
