//===- SplitMoves.h - a loop's moves as loops of their own ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_SPLITMOVES_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_SPLITMOVES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether `value` is computed from `iv`, by operations without regions.
bool isComputedFrom(Value value, Value iv);

/// Takes what `loop`, of `rounds` rounds in one iteration's code of `parallel`,
/// moves between memory and values into loops of its own, in front of it and
/// behind it, through memory of the thread: there neighbours move as vectors,
/// which in a loop that is written out round by round nothing could make of
/// them again. Moves whose memory the loop touches otherwise, or whose place
/// follows from what it loads, stay.
void splitMoves(scf::ForOp loop, ParallelOp parallel, int64_t rounds);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_SPLITMOVES_H
