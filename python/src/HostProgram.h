//===- HostProgram.h - what _tile hands to _launch --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for the CPU is compiled by `_tile`, which links the compiler, and
// launched by `_launch`, which does not: a capsule carries the program and the
// function that runs it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PYTHON_HOSTPROGRAM_H
#define TILE_PYTHON_HOSTPROGRAM_H

#include "tile-c/Execution.h"

namespace mlir::tile::python {

inline constexpr const char *kProgramCapsule = "mlir_tile.program";

struct HostProgram {
  TileProgram *program;
  int32_t (*run)(TileProgram *program, size_t kernel, const TileArg *args,
                 size_t numArgs, uint32_t workers, char **output, char **error);
  void (*destroyText)(char *text);
};

} // namespace mlir::tile::python
#endif // TILE_PYTHON_HOSTPROGRAM_H
