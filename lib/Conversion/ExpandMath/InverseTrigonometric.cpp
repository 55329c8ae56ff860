//===- InverseTrigonometric.cpp - atan, atan2, asin, acos -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Odd polynomials on [0, 1] (atan) and [0, 1/2] (asin); other arguments by
// atan(x) = pi/2 - atan(1/x) and asin(x) = pi/2 - 2 asin(sqrt((1 - x)/2)).
//
//===----------------------------------------------------------------------===//
#include "Coefficients.h"
#include "Expansions.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::coefficients;

/// atan(t) for |t| <= 1.
static Num atanReduced(Num t) {
  Num w = t * t;
  Num p = t.isDouble() ? polynomial(w, kAtan64) : polynomial(w, kAtan32);
  return fma(t * w, p, t);
}

Num expansions::atan(Num x) {
  const double *halfPi = x.pick(kHalfPi32, kHalfPi64);
  Num a = abs(x);
  Num isLarge = a > 1.0;
  Num p = atanReduced(select(isLarge, reciprocal(a), a));
  Num complement = (x.like(halfPi[1]) - p) + halfPi[0];
  return copySign(select(isLarge, complement, p), x);
}

Num expansions::atan2(Num y, Num x) {
  Num ax = abs(x), ay = abs(y);
  Num steep = ay > ax;
  Num larger = select(steep, ay, ax), smaller = select(steep, ax, ay);
  Num t = smaller / larger;
  t = select(equal(larger, 0.0), 0.0, t);          // atan2(0, 0)
  t = select(equal(smaller, infinity(t)), 1.0, t); // both infinite
  Num p = atanReduced(t);

  // pi/2 -+ p on the steep half, pi - p or p on the other; p alone is kept
  // as it is. A negative zero of x counts as negative.
  Num left = bits(x) < bits(x).likeInt(0);
  const double *halfPi = x.pick(kHalfPi32, kHalfPi64);
  Num zero = x.like(0.0);
  auto base = [&](int word) {
    return select(steep, x.like(halfPi[word]),
                  select(left, x.like(2 * halfPi[word]), zero));
  };
  Num signedP = select(steep ^ left, -p, p);
  Num result = base(0) + (base(1) + signedP);
  result = copySign(result, y);
  return select(isNaN(x) | isNaN(y), quietNaN(x), result);
}

namespace {
/// a in [0, 1]: asin(a) = p below 1/2, else pi/2 - 2p.
struct AsinParts {
  Num isLarge, p;
};
} // namespace

static AsinParts asinParts(Num a) {
  Num isLarge = a > 0.5;
  Num w = select(isLarge, fma(a, -0.5, 0.5), a * a);
  Num s = select(isLarge, sqrt(w), a);
  Num p = a.isDouble() ? polynomial(w, kAsin64) : polynomial(w, kAsin32);
  return {isLarge, fma(s * w, p, s)};
}

Num expansions::asin(Num x) {
  const double *halfPi = x.pick(kHalfPi32, kHalfPi64);
  auto [isLarge, p] = asinParts(abs(x));
  Num large = fma(p, -2.0, halfPi[1]) + halfPi[0];
  return copySign(select(isLarge, large, p), x);
}

Num expansions::acos(Num x) {
  const double *halfPi = x.pick(kHalfPi32, kHalfPi64);
  auto [isLarge, p] = asinParts(abs(x));
  Num small = x.like(halfPi[0]) - (mulSign(p, x) - halfPi[1]);
  Num twice = p + p;
  Num left = (x.like(2 * halfPi[1]) - twice) + 2 * halfPi[0];
  return select(isLarge, select(x < 0.0, left, twice), small);
}
