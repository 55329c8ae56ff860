//===- LinearForm.h - indices as sums of a parallel loop's own --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index in the body of a parallel loop written as
//   sum(coefficient_d * iv_d) + constant + rest,
// where `rest` does not depend on the loop. What registers and vector accesses
// an operation can use is read off this form.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_LINEARFORM_H
#define TILE_LIB_CONVERSION_TILETONVVM_LINEARFORM_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace mlir::tile::nvvm {

struct LinearForm {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
  SmallVector<Value> rest; // summands defined outside the loop

  /// Value at the given indices, `rest` left out.
  int64_t evaluate(ArrayRef<int64_t> indices) const;
  /// Divisor known of `rest` (2^31 when empty).
  int64_t restDivisor() const;
};

/// The form of `value` in the body of `loop`; none when it is not linear.
std::optional<LinearForm> getLinearForm(ParallelOp loop, Value value);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_LINEARFORM_H
