//===- Passes.h - passes that run others on trial ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_PIPELINES_PASSES_H
#define TILE_PIPELINES_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DECL
#include "tile/Pipelines/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tile/Pipelines/Passes.h.inc"
} // namespace mlir::tile

#endif // TILE_PIPELINES_PASSES_H
