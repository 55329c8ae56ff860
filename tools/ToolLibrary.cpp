//===- ToolLibrary.cpp - the tools in the compiler's library --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Tools.h"
#include "tile-c/Tools.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::tile;

int32_t tileToolMain(const char *name, int32_t argc, char **argv) {
  static const struct {
    llvm::StringRef name;
    int (*main)(int, char **);
  } kTools[] = {
      {"tile-opt", optMain},       {"tile-translate", translateMain},
      {"tile-run", runMain},       {"tile-lsp-server", lspServerMain},
      {"tile-reduce", reduceMain},
  };
  for (const auto &tool : kTools)
    if (tool.name == name) {
      keepChildStatus();
      return tool.main(argc, argv);
    }
  llvm::errs() << "error: expected the name of a tool (tile-opt, "
                  "tile-translate, tile-run, tile-lsp-server, tile-reduce), "
                  "got '"
               << name << "'\n";
  return 2;
}
