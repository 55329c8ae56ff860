//===- tile-reduce.cpp - shrinks tile IR that shows a fault ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Given a module and a script that says whether a module is interesting (exit
// status 1), removes what the fault does not need:
//
//   tile-reduce bad.mlir --reduction-tree='traversal-mode=0 test=./is-bad.sh'
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/MLIRContext.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "tile/Pipelines/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::tile::registerTileDialects(registry);
  mlir::tile::registerTilePasses();
  mlir::registerReducerPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
