//===- IndexFacts.h - divisibility and ranges of indices --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of an index value where it is used: a number that divides it
// and bounds. Known from constants, arithmetic, loop bounds, constant grid
// extents and `tile.assume`; nothing is assumed without a promise. Plain
// recursion over definitions: meant for the few indices that address a copy.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_INDEXFACTS_H
#define TILE_ANALYSIS_INDEXFACTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace mlir::tile {

struct IndexFacts {
  /// The value is a multiple of it; 0 when the value is zero (a multiple of
  /// everything), 1 when nothing is known.
  int64_t divisor = 1;
  std::optional<int64_t> min, max;

  static IndexFacts constant(int64_t value);
  std::optional<int64_t> asConstant() const {
    return min && max && *min == *max ? min : std::nullopt;
  }
  bool isMultipleOf(int64_t n) const { return divisor % n == 0; }
};

IndexFacts operator+(const IndexFacts &a, const IndexFacts &b);
IndexFacts operator*(const IndexFacts &a, const IndexFacts &b);

/// What is known of `value` at `user`: promises that stand before `user` count.
/// With `wraps`, sums and products may wrap around: nothing is known of one
/// that could leave its type, and what numbers blocks or elements is below what
/// a launch or an address space has. Without, they are indices that do not
/// wrap, as those of copies are.
IndexFacts getIndexFacts(Value value, Operation *user, bool wraps = false);

/// What is known of a dimension of a buffer: its static extent, or what is
/// promised of any `memref.dim` of it.
IndexFacts getDimFacts(Value buffer, unsigned dim, Operation *user);

/// What is known of the strides of a buffer, in elements.
llvm::SmallVector<IndexFacts> getStrideFacts(Value buffer, Operation *user);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_INDEXFACTS_H
