//===- MultiBuffer.h - stages of loops whose warps wait by hand -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_TRANSFORMS_KERNEL_MULTIBUFFER_H
#define TILE_LIB_TRANSFORMS_KERNEL_MULTIBUFFER_H

#include "tile/Analysis/Reason.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Gives each tile in shared memory and each barrier that the loop uses as many
/// slots as the loop has stages, and iteration i the slots i mod stages: with
/// S stages, the program's own waits let copies run S iterations ahead. All of
/// them, or none: then the loop is as before, and the reason is returned.
/// `slots` is how many each got: fewer where shared memory does not hold more.
///
/// A loop over i from 0 by 1 qualifies where what iteration i waits for is what
/// iteration i + S waits for in the slots' next use: its waits have the parity
/// of i plus a constant, each barrier of an iteration completes one phase, each
/// tile is overwritten before anything else of the iteration, and nothing
/// outside of slots and registers is written.
Reason multiBuffer(PipelinedOp loop, int64_t &slots);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_KERNEL_MULTIBUFFER_H
