//===- Accumulators.h - who touches an accumulator --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_ACCUMULATORS_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_ACCUMULATORS_H

#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether `op`, or something in it, has `buffer` as an operand.
inline bool touches(Operation *op, Value buffer) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::is_contained(inner->getOperands(), buffer)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// `op` (or null), where it fills all of `buffer` with zeros; else null.
inline FillOp zeroFillOf(Operation *op, Value buffer) {
  auto fill = dyn_cast_or_null<FillOp>(op);
  bool fills = fill && fill.getTarget() == buffer &&
               fill.getOffsets().empty() && !fill.getSizes() &&
               (matchPattern(fill.getValue(), m_PosZeroFloat()) ||
                matchPattern(fill.getValue(), m_Zero()));
  return fills ? fill : FillOp();
}

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_ACCUMULATORS_H
