//===- Iterations.h - what a loop of a schedule says of itself --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule depends on which iterations a loop has: productions run ahead,
// products stay in flight, the first product clears, stores wait for the next
// tile. The passes that decide such things write the conditions as
// `tile.iteration` (`ask`), and other passes ask the loop with the functions
// below. No other file recognises or builds such conditions.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_ITERATIONS_H
#define TILE_DIALECT_TILE_IR_ITERATIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// The comparison that a question stands for:
/// `left + leftSteps * step` with `right + rightSteps * step`.
struct IterationComparison {
  Value left, right;
  int64_t leftSteps = 0, rightSteps = 0;
  arith::CmpIPredicate predicate = arith::CmpIPredicate::slt;
};
IterationComparison comparisonOf(IterationOp op);

/// Builds that comparison.
Value buildComparison(OpBuilder &builder, IterationOp op);

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

/// The bounds of a loop, which need not be built yet.
struct LoopBounds {
  Value lower, upper, step;

  LoopBounds(Value lower, Value upper, Value step)
      : lower(lower), upper(upper), step(step) {}
  LoopBounds(scf::ForOp loop)
      : LoopBounds(loop.getLowerBound(), loop.getUpperBound(), loop.getStep()) {
  }
};

/// Conditions, folded where the bounds are known. The loop has an iteration
/// `number`, counted from 0; or it does not.
Value hasIteration(OpBuilder &builder, Location loc, LoopBounds loop,
                   int64_t number);
Value hasNoIteration(OpBuilder &builder, Location loc, LoopBounds loop,
                     int64_t number);
/// The loop has an iteration `count` after that of `index`.
Value hasIterationAfter(OpBuilder &builder, Location loc, LoopBounds loop,
                        Value index, int64_t count);
/// The loop is in iteration `number`; or past the first `count`.
Value isInIteration(OpBuilder &builder, scf::ForOp loop, int64_t number);
Value isPast(OpBuilder &builder, scf::ForOp loop, int64_t count);

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// Whether an operation, or null, is a loop over the values of one index:
/// `scf.for`, or `tile.pipelined` where it is not yet one.
bool isCountedLoop(Operation *op);
/// The branch that is taken where `loop`, the first one in it, has an
/// iteration; null where there is none, as with bounds that say so themselves.
scf::IfOp guardOf(scf::ForOp loop);
/// Whether `loop` has an iteration whenever it is reached.
bool runsAtLeastOnce(scf::ForOp loop);
/// Whether `flag` is false in the first iteration of `loop` and true in all
/// others.
bool isFalseInFirst(Value flag, scf::ForOp loop);
/// How many iterations of the loop around after this one `branch` asks for;
/// nullopt where it asks for something else.
std::optional<int64_t> iterationsAhead(scf::IfOp branch);
/// Whether the loop leaves gemms by wgmma in flight from one iteration to the
/// next, and has no other gemms.
bool leavesGemmsInFlight(scf::ForOp loop);

/// Whether `value` in iteration i of `loop` can be computed before the loop, or
/// for another i: it is pure and depends on the loop by its index alone.
bool isFunctionOfIndex(scf::ForOp loop, Value value);
/// Such a value for the index `index`.
Value valueAt(OpBuilder &builder, scf::ForOp loop, Value value, Value index);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_ITERATIONS_H
