//===- Pipelines.h - named pass pipelines -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_PIPELINES_PIPELINES_H
#define TILE_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "tile/Pipelines/RoleOption.h"

namespace mlir::tile {

struct TileToNVVMOptions : PassPipelineOptions<TileToNVVMOptions> {
  Option<std::string> arch{
      *this, "arch",
      llvm::cl::desc(
          "architecture, by LLVM's -mcpu names (sm_80, sm_90a, ...); default: "
          "the newest that the device runs, else that of the module, else "
          "sm_80")};
  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("GPU that choices are made for (H100-PCIe, ...); default: "
                     "the architecture's")};
  ListOption<std::string> hints{
      *this, "hints",
      llvm::cl::desc("sizes to choose tunables for: A=8192x4096,s=4 (an "
                     "argument's sizes, a scalar's value)")};
  ListOption<std::string> tunables{
      *this, "tunables",
      llvm::cl::desc("tunables that are decided: bm=128,stages=4; the model "
                     "chooses the others")};
  Option<bool> versions{
      *this, "versions",
      llvm::cl::desc("compile kernels once more for aligned arguments, where "
                     "the program does not say that they are, and as many "
                     "combinations of tunables as `tile.versions` says"),
      llvm::cl::init(false)};
  ListOption<std::string> without{
      *this, "without", llvm::cl::desc("versions that are not made, by name")};
  Option<bool> verifyRings{
      *this, "verify-rings",
      llvm::cl::desc("refuse schedules that --tile-verify-rings refutes within "
                     "some milliseconds"),
      llvm::cl::init(true)};
  Option<bool> verifyNvvm{
      *this, "verify-nvvm",
      llvm::cl::desc("run --tile-verify-nvvm on what comes out: refuse "
                     "instructions that the target lacks, and hazards"),
      llvm::cl::init(false)};
  Option<bool> fastMath{
      *this, "fast-math",
      llvm::cl::desc("math functions by approximate instructions that flush "
                     "denormals (docs/Rationale/Math.md has the bounds)"),
      llvm::cl::init(false)};
  Option<bool> guards{
      *this, "guards",
      llvm::cl::desc("conditions around elements of shared tiles whose indices "
                     "may lie outside (--tile-guard-accesses)"),
      llvm::cl::init(true)};
  Option<RoleChoice> roles{*this, "roles", llvm::cl::desc(kRolesDescription),
                           roleValues(), llvm::cl::init(RoleChoice::Auto)};
  Option<bool> remarks{
      *this, "remarks",
      llvm::cl::desc("explain decisions in remarks at the source lines"),
      llvm::cl::init(false)};
};

/// The part of `--tile-to-nvvm` up to where every tile has its layout.
void buildLayoutPipeline(OpPassManager &passes,
                         const TileToNVVMOptions &options);

/// Further, to where every copy has its instruction.
void buildCopyPipeline(OpPassManager &passes, const TileToNVVMOptions &options);
/// What comes between copies that have instructions, in loops with stages that
/// fit, and a complete schedule. --tile-fit-stages tries it on copies.
void addSchedulePasses(OpPassManager &passes, const TileToNVVMOptions &options);

/// Further, to what is lowered: rings, roles and tokens. Any target executes
/// what comes out.
void buildSchedulePipeline(OpPassManager &passes,
                           const TileToNVVMOptions &options);

/// Further, to what is translated: shared memory is placed, and barriers stand.
void buildPlacementPipeline(OpPassManager &passes,
                            const TileToNVVMOptions &options);

/// `--tile-to-nvvm`: from the tile dialect to the LLVM and NVVM dialects.
void buildTileToNVVMPipeline(OpPassManager &passes,
                             const TileToNVVMOptions &options);

void registerTilePipelines();

} // namespace mlir::tile
#endif // TILE_PIPELINES_PIPELINES_H
