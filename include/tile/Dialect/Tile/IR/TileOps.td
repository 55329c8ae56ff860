//===- TileOps.td - operations of the tile dialect, by family -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_OPS_TD
#define TILE_OPS_TD

include "tile/Dialect/Tile/IR/TileKernelOps.td"
include "tile/Dialect/Tile/IR/TileMoveOps.td"
include "tile/Dialect/Tile/IR/TileRowMoveOps.td"
include "tile/Dialect/Tile/IR/TileMathOps.td"
include "tile/Dialect/Tile/IR/TileLoopOps.td"
include "tile/Dialect/Tile/IR/TileAtomicOps.td"
include "tile/Dialect/Tile/IR/TileScheduleOps.td"
include "tile/Dialect/Tile/IR/TileMbarrierOps.td"
include "tile/Dialect/Tile/IR/TileClusterOps.td"
include "tile/Dialect/Tile/IR/TileDebugOps.td"
#ifdef TILE_REFERENCE
include "tile/Dialect/Tile/IR/TileBarrierOps.td"
#endif

#endif // TILE_OPS_TD
