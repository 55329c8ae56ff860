//===- DrawArena.h - shared memory as a picture -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_CONVERSION_DRAWARENA_H
#define TILE_CONVERSION_DRAWARENA_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Draws, as SVG, what lies where in the shared memory of a kernel's blocks:
/// bytes go to the right, program order goes down, and each tile and ring is
/// one rectangle. Fails with an error where `--tile-place-shared-memory` has
/// not run.
LogicalResult drawArena(KernelOp kernel, llvm::raw_ostream &os);

} // namespace mlir::tile
#endif // TILE_CONVERSION_DRAWARENA_H
