//===- Passes.td - tile to tile passes --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_PASSES_TD
#define TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"tile-set-target", "::mlir::ModuleOp"> {
  let summary = "States the architecture a module is compiled for";
  let description = [{
    Puts `tile.target = #tile.target<ARCH>` on the module. Other passes read the
    architecture from there and from nowhere else.

    Before: `module {}`; after `--tile-set-target=arch=sm_90a`:
    `module attributes {tile.target = #tile.target<"sm_90a">} {}`.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"",
                        "architecture, by LLVM's -mcpu names (sm_80, sm_90a, ...)">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_PASSES_TD
