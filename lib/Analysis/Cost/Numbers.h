//===- Numbers.h - what index values are in one problem ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the cost model: numbers of a kernel's index values for given
// sizes of its arguments.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_COST_NUMBERS_H
#define TILE_LIB_ANALYSIS_COST_NUMBERS_H

#include "tile/Analysis/CostFacts.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mlir::tile::cost {

/// Numbers of index values, for the block in the middle of the grid.
class Numbers {
public:
  Numbers(KernelOp kernel, const ProblemSizes &sizes);

  void set(Value value, int64_t number) { known[value] = number; }
  std::optional<int64_t> of(Value value);
  /// An extent of the grid; nothing where a scalar is not known.
  std::optional<int64_t> extent(AffineExpr expr);

private:
  std::optional<int64_t> compute(Value value);

  KernelOp kernel;
  const ProblemSizes &sizes;
  llvm::DenseMap<Value, std::optional<int64_t>> known;
};

} // namespace mlir::tile::cost
#endif // TILE_LIB_ANALYSIS_COST_NUMBERS_H
