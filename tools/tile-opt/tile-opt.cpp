//===- tile-opt.cpp - runs passes on tile IR ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Pipelines/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::tile::registerTileDialects(registry);
  mlir::tile::registerTilePasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "mlir-tile: tile compiler for NVIDIA GPUs\n", registry));
}
