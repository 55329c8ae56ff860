//===- tile-lsp-server.cpp - tile IR in editors ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speaks the language server protocol on standard input and output: diagnostics
// of the verifiers, go to definition, hover, completion for `.mlir` files that
// hold tile IR.
//
//===----------------------------------------------------------------------===//
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tile/Pipelines/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::tile::registerTileDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
