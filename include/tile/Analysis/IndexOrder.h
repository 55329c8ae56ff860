//===- IndexOrder.h - comparisons that bounds decide ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of two indices is smaller, wherever that follows from the program: the
// grid bounds a block's index, a loop its counter, `tile.assume` what it names,
// and an enclosing `scf.if` what its condition compares. Both sides become
// affine expressions of variables with bounds. A comparison holds always where
// the bounds and its opposite have no common point (Presburger library of
// MLIR).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_INDEXORDER_H
#define TILE_ANALYSIS_INDEXORDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include <map>
#include <optional>

namespace mlir::tile {

/// So many iterations of a loop before the current one. A number that is not
/// positive: before the loop, of which so many iterations have ended since; the
/// current one is the next. Without a loop: the current one of every loop.
struct LoopIteration {
  scf::ForOp loop;
  int64_t before = 0;
};

class IndexOrder {
public:
  /// Reads what `kernel` promises of its arguments' extents.
  explicit IndexOrder(KernelOp kernel);

  /// What `lhs predicate rhs`, of indices or numbers of 64 bits, gives wherever
  /// `user` stands; nothing where that is not known.
  std::optional<bool> decide(arith::CmpIPredicate predicate, Value lhs,
                             Value rhs, Operation *user) const;
  /// Whether `index` is never negative at `user`.
  bool isNotNegative(Value index, Operation *user) const;
  /// Whether `index` is one of the `extent` numbers from 0 on at `user`.
  bool isInside(Value index, int64_t extent, Operation *user) const;

  /// Whether no number is one of the `extent` from `first` on and one of the
  /// `otherExtent` from `other` on, too, wherever `user` stands. The extents
  /// are positive. `first` and `other` may be defined inside of other
  /// operations than `user` is: then for all values that they take there.
  /// `first` has the value of `iteration`, `other` that of the current one.
  bool areApart(OpFoldResult first, int64_t extent, OpFoldResult other,
                int64_t otherExtent, Operation *user,
                LoopIteration iteration = {}) const;

  /// A dimension of a memref argument, or a scalar argument (dimension -1), as
  /// in the operands of a grid.
  using Extent = std::pair<int64_t, int64_t>;
  /// The extent that `value` is; nothing for other values.
  std::optional<Extent> extentOf(Value value) const;
  /// One for all extents that are promised to be equal.
  Extent representative(Extent extent) const;

private:
  std::optional<bool> decideIn(arith::CmpIPredicate predicate, Value lhs,
                               Value rhs, Operation *user, bool inBranch) const;

  KernelOp kernel;
  std::map<Extent, Extent> parents;
};

} // namespace mlir::tile
#endif // TILE_ANALYSIS_INDEXORDER_H
