//===- LoneCopies.h - copies by TMA that do not run ahead -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_LONECOPIES_H
#define TILE_LIB_TRANSFORMS_LONECOPIES_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// Gives each load by TMA that fills no slot of a ring, and completes at no
/// barrier of the program, a slot for itself, or
/// another instruction (with a remark, if `remarks`) where it cannot have one:
/// an error without a target to choose it for.
LogicalResult giveSlotsToLoneCopies(KernelOp kernel, bool remarks);

/// Whether a copy by TMA may be issued before `op`, which stands in front of it
/// in its block: `op` orders nothing, is no such copy, and does not write what
/// the copy reads.
bool mayIssueBefore(TileMoveOpInterface copy, Operation *op);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_LONECOPIES_H
