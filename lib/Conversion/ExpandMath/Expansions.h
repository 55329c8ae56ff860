//===- Expansions.h - one formula per math function -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function emits its result for f32 or f64 scalars; narrower types go
// through f32. Error bounds are in docs/Rationale/Math.md and are tested by
// test/Conversion/ExpandMath/accuracy.test, which runs the emitted code.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_EXPANDMATH_EXPANSIONS_H
#define TILE_CONVERSION_EXPANDMATH_EXPANSIONS_H

#include "MathBuilder.h"

namespace mlir::tile::expansions {

// Exponentials.cpp
Num exp(Num x);
Num exp2(Num x);
Num expm1(Num x);
/// e^(high + low) * 2^extra, |low| at most an ulp or so of high.
Num expSum(Num high, Num low, int extra = 0);

// Logarithms.cpp
/// x = 2^exponent * (1 + fraction), 1 + fraction in [sqrt(1/2), sqrt(2)), for
/// finite x > 0, denormals included. `exponent` is a float with integer value.
struct SplitForLog {
  Num exponent, fraction;
};
SplitForLog splitForLog(Num x);
Num log(Num x);
Num log2(Num x);
Num log10(Num x);
Num log1p(Num x);

// Powers.cpp
Num pow(Num x, Num y);
/// x^n for an integer n of any width.
Num powInteger(Num x, Num n);
Num rsqrt(Num x);
Num cbrt(Num x);

// Hyperbolic.cpp
Num tanh(Num x);
Num sinh(Num x);
Num cosh(Num x);
Num asinh(Num x);
Num acosh(Num x);
Num atanh(Num x);

// ErrorFunctions.cpp
Num erf(Num x);
Num erfc(Num x);

// Trigonometric.cpp
Num sin(Num x);
Num cos(Num x);
Num tan(Num x);
std::pair<Num, Num> sinCos(Num x);

// InverseTrigonometric.cpp
Num atan(Num x);
Num atan2(Num y, Num x);
Num asin(Num x);
Num acos(Num x);

// Remainder.cpp
/// x - y * trunc(x / y), exactly.
Num remainder(Num x, Num y);
/// n^k for integers; k < 0 as in math.ipowi.
Num powIntegers(Num base, Num exponent);

} // namespace mlir::tile::expansions
#endif // TILE_CONVERSION_EXPANDMATH_EXPANSIONS_H
