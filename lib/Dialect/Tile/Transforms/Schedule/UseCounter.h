//===- UseCounter.h - values carried through a program ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uses of a ring are numbered from its creation at the top of the kernel.
// Where they happen in loops and branches the count is carried by them as a
// value: an iteration continues where the one before stopped. The token of a
// store that outlives its iteration is carried in the same way.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_USECOUNTER_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_USECOUNTER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Replaces a branch by one with one result more: `then` from its block, which
/// may be without an else so far, `otherwise` where it is not taken.
scf::IfOp addResult(scf::IfOp branch, Value then, Value otherwise);

class UseCounter {
public:
  /// By default carries an index that starts at zero through the enclosing
  /// loops; with a token type, a token that starts as `tile.token.done`.
  UseCounter() = default;
  explicit UseCounter(Type type) : type(type) {}

  /// The operation around `op` that cannot carry a count, because it is neither
  /// a loop nor a branch of a known kind; null if there is none.
  static Operation *obstacle(Operation *op);

  /// The count before `op`. Enclosing loops and branches are replaced by ones
  /// that carry it.
  Value begin(Operation *op) { return beginAll(op, 1).front(); }
  /// The count after what `begin` was asked for. Returns it where the
  /// outermost loop or branch ends.
  Value finish(Value next) { return finishAll(next).front(); }

  /// The same for several values at once.
  SmallVector<Value> beginAll(Operation *op, unsigned count);
  SmallVector<Value> finishAll(ValueRange next);

private:
  struct Level {
    Operation *carrier;
    Block *block; // of the carrier, with the operation inside
  };
  Type type;                 // index when null
  SmallVector<Level> levels; // innermost last
};

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_USECOUNTER_H
