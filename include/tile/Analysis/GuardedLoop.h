//===- GuardedLoop.h - loops that a warp may skip ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel loop whose body is one `scf.if` does nothing where the condition
// is false. Where the condition follows from a few registers of a thread, while
// the body works on many (the factor of a row, and the elements of the row), a
// warp asks first whether it holds anywhere, and skips the loop where it does
// not. Read by the pass that makes such loops, and by the lowering that skips
// them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_GUARDEDLOOP_H
#define TILE_ANALYSIS_GUARDEDLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace mlir::tile {

/// What decides whether an iteration of a loop does anything.
struct LoopGuard {
  scf::IfOp branch;
  /// The operations of the body that compute the condition, in order: loads
  /// from fragments, and operations without effects.
  SmallVector<Operation *> slice;
  /// Registers of the loop's layout that stand for all: others of a thread load
  /// the same registers for their condition.
  SmallVector<int64_t> registers;
};

/// The guard of a loop that a warp may skip; nothing for a loop with effects
/// outside of one `scf.if` without results, with a condition that depends on
/// the iteration otherwise than through fragments, or with a condition for
/// every few registers of a thread, or a layout that overshoots. `layout` says
/// which iterations a thread has.
std::optional<LoopGuard> findGuard(ParallelOp loop,
                                   const FragmentLayout &layout);

/// Whether registers of a loop's layout are enough, for each that a condition
/// needs, to pay for the question: a comparison, a vote and a branch.
bool paysForGuard(int64_t registers, int64_t conditions);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_GUARDEDLOOP_H
