//===- tile-opt.cpp - runs passes on tile IR ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tile/Pipelines/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::tile::registerTileDialects(registry);
  mlir::tile::registerTilePasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "mlir-tile: tile compiler for NVIDIA GPUs\n", registry));
}
