//===- Passes.td - tile to tile passes --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of them, in the order of the pipeline, a file for each phase.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_PASSES_TD
#define TILE_TRANSFORMS_PASSES_TD

include "tile/Dialect/Tile/Transforms/KernelPasses.td"
include "tile/Dialect/Tile/Transforms/ElementPasses.td"
include "tile/Dialect/Tile/Transforms/LayoutPasses.td"
include "tile/Dialect/Tile/Transforms/RingPasses.td"
include "tile/Dialect/Tile/Transforms/SchedulePasses.td"

#endif // TILE_TRANSFORMS_PASSES_TD
