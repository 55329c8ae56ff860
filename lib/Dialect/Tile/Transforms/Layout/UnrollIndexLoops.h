//===- UnrollIndexLoops.h - loops that index fragments ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_UNROLLINDEXLOOPS_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_UNROLLINDEXLOOPS_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// Registers cannot be indexed at run time. Writes out the short loops whose
/// index says which elements of a fragment an operation accesses
/// (`x[i, 4 * k + j]` in a loop over k): each round then is at a constant
/// offset, and threads may hold what it accesses. So too in the code of one
/// iteration of `tile.parallel`, where the index is one within a row that the
/// iteration has.

/// Whether `kernel` has such a loop, of constant bounds and not too long.
bool hasIndexLoops(KernelOp kernel, const TargetInfo &target);
void unrollIndexLoops(KernelOp kernel, const TargetInfo &target, bool remarks);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_UNROLLINDEXLOOPS_H
