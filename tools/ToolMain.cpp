//===- ToolMain.cpp - a tool as a program ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Tools.h"

// TILE_TOOL_MAIN is the tool's function; CMake says which.
int main(int argc, char **argv) {
  mlir::tile::keepChildStatus();
  return mlir::tile::TILE_TOOL_MAIN(argc, argv);
}
