//===- FitStages.h - how many slots shared memory holds ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-pipeline: what rings and tiles certainly take together,
// and which loop gives up a slot first.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_FITSTAGES_H
#define TILE_LIB_TRANSFORMS_FITSTAGES_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Bytes of shared memory that `kernel`, with rings, takes at least: all rings
/// and tiles where its warps get roles, which run side by side; else those that
/// one loop over a ring uses. What later passes add is not known yet.
int64_t bytesTogether(KernelOp kernel);

/// The loop of several stages whose tiles take most; null where there is none.
PipelinedOp widestLoop(KernelOp kernel);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_FITSTAGES_H
