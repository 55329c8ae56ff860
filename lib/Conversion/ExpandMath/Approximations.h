//===- Approximations.h - the special function unit -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms for fastmath<afn>, and for steps of accurate functions that damp their
// errors: f32 only, a few instructions around the approximate ones of PTX,
// which flush denormals. Bounds: docs/Rationale/Math.md.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_EXPANDMATH_APPROXIMATIONS_H
#define TILE_CONVERSION_EXPANDMATH_APPROXIMATIONS_H

#include "MathBuilder.h"

namespace mlir::tile::approximations {

Num exp(Num x);
Num exp2(Num x);
Num expm1(Num x);
Num log(Num x);
Num log2(Num x);
Num log10(Num x);
Num tanh(Num x);
Num sinh(Num x);
Num cosh(Num x);
Num reciprocal(Num x);
Num sqrt(Num x);
Num rsqrt(Num x);
Num sin(Num x);
Num cos(Num x);
Num tan(Num x);
Num erf(Num x);
Num pow(Num x, Num y);
Num divide(Num x, Num y);

} // namespace mlir::tile::approximations
#endif // TILE_CONVERSION_EXPANDMATH_APPROXIMATIONS_H
