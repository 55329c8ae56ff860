//===- FitStages.h - which loop gives up a slot -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-pipeline: which loop gives up a slot first where rings and
// tiles do not fit (Occupancy.h counts what they take).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_FITSTAGES_H
#define TILE_LIB_TRANSFORMS_FITSTAGES_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The loop of several stages whose tiles take most; null where there is none.
PipelinedOp widestLoop(KernelOp kernel);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_FITSTAGES_H
