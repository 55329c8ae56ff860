//===- BoundedAffine.h - affine expressions of bounded numbers --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's coordinate in a tile is a sum of digits of its lane and warp
// numbers, each with its extent, and of a constant for each register. Quotients
// and remainders of such a sum are mostly sums again: with t in [0, 4),
// (2 t + 17) floordiv 2 is t + 8 and (2 t + 17) mod 2 is 1. MLIR's own
// simplifier of expressions knows no bounds of its dimensions.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_BOUNDEDAFFINE_H
#define TILE_ANALYSIS_BOUNDEDAFFINE_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mlir::tile {

/// `expr` with the same value wherever each dimension d is in
/// [0, extents[d]), simpler where the bounds allow it; nothing is known of
/// symbols. Divisors that are no positive constants stay as they are.
AffineExpr simplifyBounded(AffineExpr expr, llvm::ArrayRef<int64_t> extents);

/// Whether `expr` has a quotient or a remainder.
bool hasQuotients(AffineExpr expr);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_BOUNDEDAFFINE_H
