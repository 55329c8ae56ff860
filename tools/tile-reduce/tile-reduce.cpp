//===- tile-reduce.cpp - shrinks tile IR that shows a fault ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Given a module and a script that says whether a module is interesting (exit
// status 1), removes what the fault does not need:
//
//   tile-reduce bad.mlir --reduction-tree='traversal-mode=0 test=./is-bad.sh'
//
// Upstream's driver, which reads and writes by itself: its input is looked at
// before, and its output goes to a temporary file whose contents are then
// written whole.
//
//===----------------------------------------------------------------------===//
#include "../Tools.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "tile/Pipelines/Register.h"
#include "tile/Pipelines/ToolFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;

static int fail(llvm::Error error) {
  llvm::errs() << "tile-reduce: error: " << llvm::toString(std::move(error))
               << "\n";
  return 1;
}

/// The place of the value of `-o FILE`; null without one.
static char **findOutput(MutableArrayRef<char *> arguments) {
  for (size_t i = 1; i + 1 < arguments.size(); ++i)
    if (StringRef(arguments[i]) == "-o" || StringRef(arguments[i]) == "--o")
      return &arguments[i + 1];
  return nullptr;
}

/// Checks every argument that names a file; the driver knows the options.
static llvm::Error checkInputs(ArrayRef<char *> arguments, char **output) {
  for (char *const &argument : arguments.drop_front()) {
    if (&argument == output || !llvm::sys::fs::is_regular_file(argument))
      continue;
    auto source = tile::openSource(argument);
    if (!source)
      return source.takeError();
  }
  return llvm::Error::success();
}

int tile::reduceMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  tile::registerTileDialects(registry);
  tile::registerTilePasses();
  registerReducerPasses();
  tile::nameOperationsInErrors();
  MLIRContext context(registry);
  SmallVector<char *> arguments(argv, argv + argc);
  char **output = findOutput(arguments);
  if (llvm::Error error = checkInputs(arguments, output))
    return fail(std::move(error));
  if (!output)
    return failed(mlirReduceMain(argc, argv, context));

  SmallString<128> temporary;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("tile-reduce", "mlir", temporary))
    return fail(llvm::createStringError(error, "cannot make a temporary file"));
  llvm::FileRemover remover(temporary);
  std::string path = *output;
  *output = const_cast<char *>(temporary.c_str());
  if (failed(mlirReduceMain(argc, arguments.data(), context)))
    return 1;
  auto reduced = llvm::MemoryBuffer::getFile(temporary);
  if (!reduced)
    return fail(llvm::createStringError(reduced.getError(),
                                        "cannot read what was reduced"));
  if (llvm::Error error = tile::writeWhole(path, (*reduced)->getBuffer()))
    return fail(std::move(error));
  return 0;
}
