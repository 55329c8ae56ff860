//===- SplitLoop.h - a loop whose iterations blocks share -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--tile-split-reduction` and `--tile-stream-reduction` ask of a loop and
// change in it: several blocks run a part of its iterations each, what they
// accumulate is combined, and one of them goes on with it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_KERNEL_SPLITLOOP_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_KERNEL_SPLITLOOP_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {

/// What a loop accumulates into: fragments, and how they are combined.
using Accumulators = llvm::MapVector<Value, ReduceKind>;

/// What the loop accumulates. Fails with an error where it carries something
/// else from one iteration to another or to what follows, or where it or what
/// precedes it writes global memory.
FailureOr<Accumulators> findAccumulators(PipelinedOp loop);

/// Of `parts` equal parts of the iterations, the loop runs those from
/// `firstPart` up to `endPart`, in whole iterations: with T of all, those from
/// firstPart * T / parts to endPart * T / parts.
void narrow(PipelinedOp loop, Value firstPart, Value endPart, int64_t parts);

/// Sums start from zero in all blocks but the one for which `isLast` holds,
/// which keeps what the program starts from; of several maxima the same may be
/// taken twice.
void clearOthers(PipelinedOp loop, Value buffer, Value isLast);

/// What follows `after` in its block and has an effect runs where `isLast`
/// holds.
void guardRest(Operation *after, Value isLast);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_KERNEL_SPLITLOOP_H
