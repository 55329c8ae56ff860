//===- IterationValues.h - numbers of a loop's iterations -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices with quotients and remainders of a loop's indices have no simple
// form. Loops over tiles are small enough to compute them for each iteration,
// and to answer by that which element an iteration names.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_ITERATIONVALUES_H
#define TILE_ANALYSIS_ITERATIONVALUES_H

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"
#include "tile/Layout/FragmentLayout.h"
#include <optional>

namespace mlir::tile {

/// Integers of every iteration of a loop over `extents`.
class IterationValues {
public:
  /// `values` as functions of `ivs`; nullopt where anything else takes part in
  /// them (memory, the number of the block), where one has no value in some
  /// iteration (a division by zero), or where the loop has too many iterations.
  /// Each value is computed once for each combination of the indices on which
  /// it depends.
  static std::optional<IterationValues>
  compute(ValueRange values, ValueRange ivs, ArrayRef<int64_t> extents);

  /// Whether two iterations have the same values.
  bool hasRepeated() const;

  /// Where the values are indices of a fragment: for each register of a thread
  /// in the loop's layout that fragment's register with the element which the
  /// iteration names, -1 where the register has no iteration. Nullopt where
  /// some thread does not hold an element that its iterations name, or threads
  /// hold it in different registers. With `isWrite` also where some thread
  /// holds an element and does not execute all iterations that name it: it
  /// would keep the old value.
  std::optional<SmallVector<int64_t>>
  registersOf(const FragmentLayout &loop, const FragmentLayout &fragment,
              bool isWrite) const;

private:
  SmallVector<int64_t> extents;
  size_t numValues = 0;
  /// The values of the first iteration, then of the second, the last index
  /// fastest.
  SmallVector<int64_t> numbers;

  ArrayRef<int64_t> ofIteration(int64_t iteration) const {
    return ArrayRef<int64_t>(numbers).slice(iteration * numValues, numValues);
  }
};

} // namespace mlir::tile
#endif // TILE_ANALYSIS_ITERATIONVALUES_H
