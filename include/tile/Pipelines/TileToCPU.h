//===- TileToCPU.h - the pipeline from tile IR to LLVM for the CPU --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_PIPELINES_TILETOCPU_H
#define TILE_PIPELINES_TILETOCPU_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::tile {

struct TileToCPUOptions : PassPipelineOptions<TileToCPUOptions> {
  Option<bool> widen{*this, "widen", llvm::cl::init(false),
                     llvm::cl::desc("compute and store every float as f64")};
  Option<bool> checkAssumptions{
      *this, "check-assumptions", llvm::cl::init(false),
      llvm::cl::desc("turn tile.assume into an assertion")};
  Option<bool> checkAccesses{
      *this, "check-accesses", llvm::cl::init(false),
      llvm::cl::desc("assert that indices lie inside their buffers and steps "
                     "are positive")};
  Option<bool> lazyAsync{
      *this, "lazy-async", llvm::cl::init(false),
      llvm::cl::desc("execute asynchronous gemms and stores when they are "
                     "awaited, not when issued")};
  Option<bool> poison{
      *this, "poison", llvm::cl::init(false),
      llvm::cl::desc("overwrite tiles where they are allocated, and slots of "
                     "rings at first and when released")};
  Option<unsigned> poisonPattern{
      *this, "poison-pattern", llvm::cl::init(0),
      llvm::cl::desc("what overwrites: 0 NaN and 0x7f7f..., 1 and 2 numbers "
                     "that differ between the two")};
  Option<bool> backwards{
      *this, "backwards", llvm::cl::init(false),
      llvm::cl::desc("run the iterations of tile.parallel in decreasing "
                     "order")};
  Option<int64_t> blocks{
      *this, "blocks", llvm::cl::init(0),
      llvm::cl::desc("blocks that are launched of a kernel with block ranges "
                     "(0: one for each of the grid)")};
};

/// From tile IR at any phase to the LLVM dialect: `convert-tile-to-cpu`, then
/// upstream's conversions. Registered as `--tile-to-cpu`.
void buildTileToCPU(OpPassManager &manager, const TileToCPUOptions &options);

void registerTileToCPUPipeline();

} // namespace mlir::tile
#endif // TILE_PIPELINES_TILETOCPU_H
