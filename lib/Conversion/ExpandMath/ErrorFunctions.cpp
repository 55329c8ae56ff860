//===- ErrorFunctions.cpp - erf and erfc ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erf: an odd polynomial below 1; above, 1 - e^P(x) with P a polynomial for
// log(erfc(x)), whose error the subtraction damps.
// erfc: e^(-x^2) times a polynomial in (x - k)/(x + k) for the slowly varying
// (1 + 2x) e^(x^2) erfc(x) (M. M. Shepherd and J. G. Laframboise, Chebyshev
// approximation of (1 + 2x) exp(x^2) erfc x, Math. Comp. 36, 1981).
//
//===----------------------------------------------------------------------===//
#include "Approximations.h"
#include "Coefficients.h"
#include "Expansions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::coefficients;

/// erf for |x| <= 1.
static Num erfSmall(Num x) {
  Num w = x * x;
  Num p =
      x.isDouble() ? polynomial(w, kErfSmall64) : polynomial(w, kErfSmall32);
  return fma(x, p, x);
}

Num expansions::erf(Num x) {
  Num a = abs(x);
  // Beyond the interval of P, erf has rounded to 1.
  Num t = atMost(a, x.pick(4.0, 6.0)) - 1.0;
  // e^p = erfc(a) is below 1/6 of the result, so that an f32 takes the special
  // function unit's.
  Num tail = x.isDouble() ? exp(polynomial(t, kErfTail64))
                          : approximations::exp(polynomial(t, kErfTail32));
  Num large = x.like(1.0) - tail;
  return select(a < 1.0, erfSmall(x), copySign(large, x));
}

Num expansions::erfc(Num x) {
  double k = x.pick(2.0, 4.0);
  Num a = atMost(abs(x), x.pick(10.1, 27.3));
  Num t = (a - k) / (a + k);
  Num p = x.isDouble() ? polynomial(t, kErfcx64) : polynomial(t, kErfcx32);
  // e^(-a^2) with the square in two words: its last bit would cost |a|^2 ulp.
  Num square = a * a;
  Num rest = fma(a, a, -square);
  Num tail = expSum(-square, -rest) * (p / fma(a, 2.0, 1.0));
  Num small = x.like(1.0) - erfSmall(x);
  Num mirrored = select(x < 0.0, x.like(2.0) - tail, tail);
  return select(abs(x) < 0.5, small, mirrored);
}
