//===- Hyperbolic.cpp - tanh, sinh, cosh and their inverses ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small arguments by an odd polynomial, the rest by their definition in terms
// of exp or log1p, arranged so that nothing cancels.
//
//===----------------------------------------------------------------------===//
#include "Approximations.h"
#include "Coefficients.h"
#include "Expansions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::coefficients;

/// x + x w p(w), w = x^2.
static Num oddPolynomial(Num x, ArrayRef<double> coefficients) {
  Num w = x * x;
  return fma(x * w, polynomial(w, coefficients), x);
}

Num expansions::tanh(Num x) {
  Num a = abs(x);
  Num small = x.isDouble() ? oddPolynomial(x, kTanhSmall64)
                           : oddPolynomial(x, kTanhSmall32);
  // 1 - 2/(e^2a + 1): the quotient is below 1/4, so its error is damped, that
  // of the special function unit, too.
  Num quotient = x.isDouble()
                     ? reciprocal(exp(a + a) + 1.0)
                     : approximations::reciprocal(
                           approximations::exp2(a * (2 * kLog2E32[0])) + 1.0);
  Num large = fma(quotient, -2.0, 1.0);
  return copySign(select(a < 0.625, small, large), x); // -0 keeps its sign
}

Num expansions::sinh(Num x) {
  Num a = abs(x);
  Num small = x.isDouble() ? oddPolynomial(x, kSinhSmall64)
                           : oddPolynomial(x, kSinhSmall32);
  Num e = expSum(a, a.like(0.0), -1); // e^a / 2, finite wherever sinh is
  Num large = e - reciprocal(e) * 0.25;
  return select(a < 1.0, small, copySign(large, x));
}

Num expansions::cosh(Num x) {
  Num e = expSum(abs(x), x.like(0.0), -1);
  return fma(reciprocal(e), 0.25, e);
}

/// log(2 x) for large x.
static Num logOfDouble(Num x) {
  const double *ln2 = x.pick(kLn232, kLn264);
  return expansions::log(x) + x.like(ln2[0] + ln2[1]);
}

Num expansions::asinh(Num x) {
  Num a = abs(x);
  // log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1))).
  Num square = a * a;
  Num near = log1p(a + square / (sqrt(square + 1.0) + 1.0));
  Num far = logOfDouble(a);
  Num result = select(a > x.pick(0x1p30, 0x1p60), far, near);
  result = select(a < infinity(a), result, a);
  return copySign(result, x);
}

Num expansions::acosh(Num x) {
  Num t = x - 1.0; // exact near 1, where it matters
  Num near = log1p(t + sqrt(fma(t, t, t + t)));
  Num result = select(x > x.pick(0x1p30, 0x1p60), logOfDouble(x), near);
  return select(x < 1.0, quietNaN(x), result);
}

Num expansions::atanh(Num x) {
  Num a = abs(x);
  // log1p(2a / (1 - a)) / 2; small a would lose bits to the division only.
  Num result = log1p((a + a) / (a.like(1.0) - a)) * 0.5;
  return copySign(result, x);
}
