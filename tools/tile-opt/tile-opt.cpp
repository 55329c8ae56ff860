//===- tile-opt.cpp - runs passes on tile IR ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's driver between this project's way of reading and writing files.
//
//===----------------------------------------------------------------------===//
#include "../Tools.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tile/Pipelines/Register.h"
#include "tile/Pipelines/ToolFiles.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;

static int fail(llvm::Error error) {
  llvm::errs() << "tile-opt: error: " << llvm::toString(std::move(error))
               << "\n";
  return 1;
}

int tile::optMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  tile::registerTileDialects(registry);
  tile::registerTilePasses();
  tile::nameOperationsInErrors();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "mlir-tile: tile compiler for NVIDIA GPUs\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, "-", registry));

  auto source = tile::openSource(input);
  if (!source)
    return fail(source.takeError());
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result =
      MlirOptMain(stream, std::move(*source), registry, config);
  // An output file is replaced only on success. On standard output the parts of
  // a split file that succeeded are also printed.
  if (failed(result) && output != "-")
    return 1;
  if (llvm::Error error = tile::writeWhole(output, text))
    return fail(std::move(error));
  return asMainReturnCode(result);
}
