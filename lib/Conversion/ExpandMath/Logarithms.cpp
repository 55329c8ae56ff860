//===- Logarithms.cpp - log, log2, log10, log1p ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), so that e = 0 around
// x = 1 and nothing cancels there; log(1 + f) = f + f^2 q(f) by a polynomial.
// The general scheme is Cody and Waite's (1980), ch. 5.
//
//===----------------------------------------------------------------------===//
#include "Coefficients.h"
#include "Expansions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::coefficients;

/// Bits of sqrt(1/2), and how far a denormal is scaled up to become normal.
static int64_t sqrtHalfBits(Num x) {
  return x.isDouble() ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
}
static double smallestNormal(Num x) { return x.pick(0x1p-126, 0x1p-1022); }

expansions::SplitForLog expansions::splitForLog(Num x) {
  unsigned fraction = x.fractionBits();
  Num tiny = x < smallestNormal(x);
  Num normal = select(tiny, x * x.pick(0x1p24, 0x1p54), x);
  Num e =
      shrSigned(bits(normal) - bits(normal).likeInt(sqrtHalfBits(x)), fraction);
  Num mantissa = fromBits(bits(normal) - shl(e, fraction), x.type());
  Num unscale = select(tiny, x.like(x.pick(-24.0, -54.0)), 0.0);
  return {toFloat(e, x.type()) + unscale, mantissa - 1.0};
}

/// Replaces the result outside finite x > 0: log(inf) = inf, log(0) = -inf,
/// log(x < 0) and log(NaN) = NaN.
static Num fixDomain(Num x, Num result) {
  result = select(x < infinity(x), result, x);
  result = select(x < 0.0, quietNaN(x), result);
  return select(equal(x, 0.0), -HUGE_VAL, result);
}

/// e * scale + f * lead + f^2 q(f), with scale and lead in two words each.
static Num sumUp(expansions::SplitForLog x, const double *scale,
                 const double *lead, Num q) {
  Num f = x.fraction;
  Num low = fma(x.exponent, scale[1], (f * f) * q);
  if (lead)
    low = fma(f, lead[1], low);
  Num high = lead ? fma(f, lead[0], low) : f + low;
  return fma(x.exponent, scale[0], high);
}

Num expansions::log(Num x) {
  SplitForLog parts = splitForLog(x);
  Num q = x.isDouble() ? polynomial(parts.fraction, kLog64)
                       : polynomial(parts.fraction, kLog32);
  return fixDomain(x, sumUp(parts, x.pick(kLn232, kLn264), nullptr, q));
}

Num expansions::log2(Num x) {
  static constexpr double one[] = {1.0, 0.0};
  SplitForLog parts = splitForLog(x);
  Num q = x.isDouble() ? polynomial(parts.fraction, kLog264)
                       : polynomial(parts.fraction, kLog232);
  return fixDomain(x, sumUp(parts, one, x.pick(kLog2E32, kLog2E64), q));
}

Num expansions::log10(Num x) {
  SplitForLog parts = splitForLog(x);
  Num q = x.isDouble() ? polynomial(parts.fraction, kLog1064)
                       : polynomial(parts.fraction, kLog1032);
  return fixDomain(x, sumUp(parts, x.pick(kLog10Of232, kLog10Of264),
                            x.pick(kLog10E32, kLog10E64), q));
}

Num expansions::log1p(Num x) {
  // 1 + x = 2^e (1 + f) with f = (2^-e - 1) + 2^-e x: both terms are exact for
  // |e| up to the precision, so the rounding of 1 + x itself does no harm.
  unsigned fraction = x.fractionBits();
  Num sum = x + 1.0;
  Num e = shrSigned(bits(sum) - bits(sum).likeInt(sqrtHalfBits(x)), fraction);
  Num exact = [&] {
    Num inverse = powerOfTwo(-e, x.type());
    return fma(x, inverse, inverse - 1.0);
  }();
  // For large x the 1 is lost anyway, and 2^-e may be below the normal range.
  Num rounded = fromBits(bits(sum) - shl(e, fraction), x.type()) - 1.0;
  Num f = select(x > x.pick(0x1p40, 0x1p80), rounded, exact);
  Num q = x.isDouble() ? polynomial(f, kLog64) : polynomial(f, kLog32);
  Num result =
      sumUp({toFloat(e, x.type()), f}, x.pick(kLn232, kLn264), nullptr, q);
  result = select(x < infinity(x), result, x);
  result = select(x < -1.0, quietNaN(x), result);
  result = select(equal(x, -1.0), -HUGE_VAL, result);
  return select(equal(x, 0.0), x, result); // keeps -0
}
