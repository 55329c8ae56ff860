//===- SmallFloats.h - casts from and to fp8 and fp4 ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_EXPANDMATH_SMALLFLOATS_H
#define TILE_CONVERSION_EXPANDMATH_SMALLFLOATS_H

#include "mlir/IR/PatternMatch.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// Formats LLVM has no type for: f8E4M3FN, f8E5M2, f8E8M0FNU, f4E2M1FN.
bool isSmallFloat(Type elementType);

/// Casts by cvt where the target has it, else by integer arithmetic; any other
/// arithmetic on these formats is done in f32 and rounded.
void populateSmallFloatPatterns(RewritePatternSet &patterns,
                                const TargetInfo &target,
                                PatternBenefit benefit);

/// Whether `op` makes f16, bf16 or f32 of i4, or f16 of i8, which needs no cvt,
/// or extends i4 to i8 or i16.
bool isPackedCast(Operation *op);

/// i4 to f16, bf16, f32, i8 and i16, and fp4 to f16, by arithmetic on
/// their bits.
void populatePackedCastPatterns(RewritePatternSet &patterns,
                                PatternBenefit benefit);

} // namespace mlir::tile
#endif // TILE_CONVERSION_EXPANDMATH_SMALLFLOATS_H
