//===- GemmPlans.h - what passes ask of a gemm's plan -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_GEMMPLANS_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_GEMMPLANS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether a gemm was decided to be done by `instruction`.
inline bool isDoneBy(GemmOp gemm, MmaInstruction instruction) {
  return gemm.getPlan() && gemm.getPlan()->getInstruction() == instruction;
}

inline bool isTcgen05(GemmOp gemm) {
  return isDoneBy(gemm, MmaInstruction::Tcgen05);
}

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_GEMMPLANS_H
