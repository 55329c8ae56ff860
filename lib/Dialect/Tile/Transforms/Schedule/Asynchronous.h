//===- Asynchronous.h - operations with and without tokens ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to transformations. An operation without a token has ended when the
// next one starts, so taking a token away is always right; giving one is not.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_ASYNCHRONOUS_H
#define TILE_LIB_TRANSFORMS_ASYNCHRONOUS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// A gemm that the hardware can leave in flight. Committing its slot says by
/// itself when a gemm into a ring has ended.
bool canStayInFlight(GemmOp gemm);

/// One that could return a token and does not.
bool isUnscheduled(GemmOp gemm);

/// Whether a wait for `gemm` has to stand before `op`: `op` touches its result,
/// overwrites an operand, frees the slot of one, or ends the block.
bool needsResult(GemmOp gemm, Operation *op);

/// Replaces `op`, which returns nothing, by one that returns a token. The
/// caller has to await it.
Operation *makeAsynchronous(Operation *op);
template <typename OpT> OpT makeAsynchronous(OpT op) {
  return cast<OpT>(makeAsynchronous(op.getOperation()));
}

/// Replaces `op`, which returns a token, by one that returns nothing. Loops
/// that carried the token carry a completed one.
Operation *makeSynchronous(Operation *op);
template <typename OpT> OpT makeSynchronous(OpT op) {
  return cast<OpT>(makeSynchronous(op.getOperation()));
}

/// Awaits the token of `op` directly after it; loops that carried the token
/// carry a completed one. Returns that await. `op` itself stays.
AwaitOp awaitAtOnce(Operation *op);

/// The operation after which the effects of `op` are complete: `op` itself, or
/// the await of its token, where that stands later in the same block and
/// nothing before it uses `written` (which may be null); otherwise an await
/// that is inserted directly after `op`.
Operation *completionOf(Operation *op, Value written);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_ASYNCHRONOUS_H
