//===- Passes.h - conversions out of the tile dialect -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_PASSES_H
#define TILE_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tile {
#define GEN_PASS_DECL
#include "tile/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

#endif // TILE_CONVERSION_PASSES_H
