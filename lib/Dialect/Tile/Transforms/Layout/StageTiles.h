//===- StageTiles.h - accesses that ownership cannot express ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First step of tile-infer-layouts, before any layout is chosen.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_STAGETILES_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_STAGETILES_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// Whoever owns an element of a fragment executes the iterations that access
/// it, which says nothing about `x[i + 1]`, `x[(3 * i) mod 64]` or an atomic.
/// Such accesses go to a shared copy of the fragment, made before the operation
/// and written back after it. The reverse for operations that work in registers
/// only: a shared operand gets a fragment.
/// An access at a constant offset (`x[i + 64]`) may be one whose elements the
/// threads hold: it goes to a copy where it is among `unheld`. Fails, with an
/// error, where a loop reaches one fragment by two views and a copy of one of
/// them would not show what the other one writes.
llvm::LogicalResult stageTiles(KernelOp kernel, const TargetInfo &target,
                               bool remarks, ArrayRef<OpOperand *> unheld = {});

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_STAGETILES_H
