//===- Powers.cpp - rsqrt, cbrt, pow --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x^y = e^(y log|x|) with the logarithm in two words: an error of one unit in
// log|x| would be one of |y log|x||, up to a thousand units, in the result. The
// word-splitting is Dekker's and Knuth's with fma (T. J. Dekker, A
// floating-point technique for extending the available precision, 1971).
//
//===----------------------------------------------------------------------===//
#include "Coefficients.h"
#include "Expansions.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::coefficients;

namespace {
/// An unevaluated sum, |low| at most half an ulp of high.
struct Pair {
  Num high, low;
};
} // namespace

/// a + b for |a| >= |b| or a = 0.
static Pair quickSum(Num a, Num b) {
  Num sum = a + b;
  return {sum, (a - sum) + b};
}

static Pair product(Num a, Num b) {
  Num high = a * b;
  return {high, fma(a, b, -high)};
}

Num expansions::rsqrt(Num x) {
  // The instruction without .ftz is right for denormals, too.
  if (x.type().isF32())
    return intrinsic("llvm.nvvm.rsqrt.approx.f", x);
  // Both instructions round correctly: at most 1.5 units together, and every
  // special case is right.
  return reciprocal(sqrt(x));
}

/// log(a) for finite a > 0 to about 10 bits (f32) or 13 (f64) more than the
/// type has: log(1 + f) = 2 atanh(s), s = f / (2 + f).
static Pair logPair(Num a) {
  expansions::SplitForLog parts = expansions::splitForLog(a);
  Num f = parts.fraction;
  Pair d = quickSum(f.like(2.0), f);
  Num inverse = reciprocal(d.high);
  Num s = f * inverse;
  Num sLow = inverse * fma(-s, d.low, fma(-s, d.high, f));

  Pair w = product(s, s);
  w.low = fma(s + s, sLow, w.low);
  // 2 atanh(s) = 2s + s w c, c = 2/3 + w q(w).
  const double *twoThirds = f.pick(kTwoThirds32, kTwoThirds64);
  Num q = f.isDouble() ? polynomial(w.high, kAtanh64)
                       : polynomial(w.high, kAtanh32);
  Num c = fma(w.high, q, twoThirds[0]);
  Num cLow = fma(w.high, q, f.like(twoThirds[0]) - c) + twoThirds[1];
  Pair t = product(w.high, c);
  t.low = fma(w.high, cLow, fma(w.low, c, t.low));
  Pair u = product(s, t.high);
  u.low = fma(s, t.low, fma(sLow, t.high, u.low));
  Pair sum = quickSum(s + s, u.high);
  sum.low = sum.low + fma(sLow, 2.0, u.low);

  // The first word of ln(2) has zeros to spare for the exponent's bits.
  const double *ln2 = f.pick(kLn232, kLn264);
  Pair result = quickSum(parts.exponent * ln2[0], sum.high);
  result.low = result.low + fma(parts.exponent, ln2[1], sum.low);
  return quickSum(result.high, result.low);
}

/// a^(y + yLow) for finite a > 0; y any number.
static Num powPositive(Num a, Num y, Num yLow) {
  Pair logarithm = logPair(a);
  Pair p = product(logarithm.high, y);
  p.low = fma(logarithm.high, yLow, fma(logarithm.low, y, p.low));
  // An overflowed product has a NaN for its low word.
  Num low = select(abs(p.high) < a.pick(0x1p10, 0x1p13), p.low, 0.0);
  return expansions::expSum(p.high, low);
}

Num expansions::pow(Num x, Num y) {
  Num a = abs(x);
  Num result = powPositive(a, y, y.like(0.0));
  Num negativeX = bits(x) < bits(x).likeInt(0);
  Num isInteger = equal(trunc(y), y);
  Num half = y * 0.5;
  Num isOdd = isInteger & notEqual(trunc(half), half);

  // C99, annex F.9.4.4. Zero and infinity to a power, by the power's sign.
  Num isZero = equal(a, 0.0), isInfinite = equal(a, infinity(a));
  Num vanishes = isZero ^ (y < 0.0);
  result = select(isZero | isInfinite,
                  select(vanishes, a.like(0.0), infinity(a)), result);
  // One to an infinite power; also (-1)^inf.
  result = select(equal(a, 1.0), 1.0, result);
  result = select(negativeX & isOdd, -result, result);
  // A negative number to a fractional power; NaN operands.
  Num noResult = ((x < 0.0) & (a < infinity(a)) & notEqual(trunc(y), y)) |
                 isNaN(x) | isNaN(y);
  result = select(noResult, quietNaN(x), result);
  return select(equal(y, 0.0) | equal(x, 1.0), 1.0, result);
}

Num expansions::powInteger(Num x, Num n) {
  APInt constant;
  if (matchPattern(Value(n), m_ConstantInt(&constant)) &&
      constant.getSExtValue() >= 0 && constant.getSExtValue() <= 4) {
    switch (constant.getSExtValue()) {
    case 0:
      return x.like(1.0);
    case 1:
      return x;
    case 2:
      return x * x;
    case 3:
      return x * x * x;
    default:
      return (x * x) * (x * x);
    }
  }
  Num isOdd = notEqual(n & 1, 0);
  Type i64 = n.b().getI64Type();
  n = signedTo(n, i64);
  // Split n into two words that are exact. For f32, |n| >= 2^31 gives 0, 1 or
  // infinity like 2^31 does, since |log x| >= 2^-25 if it is not zero.
  unsigned lowBits = x.isDouble() ? 32 : 16;
  if (!x.isDouble()) {
    n = select(n > 2147483647.0, 2147483647.0, n);
    n = select(n < -2147483648.0, -2147483648.0, n);
  }
  Num lowPart = n & ((int64_t(1) << lowBits) - 1);
  Pair y = quickSum(toFloat(n - lowPart, x.type()), toFloat(lowPart, x.type()));

  Num a = abs(x);
  Num result = powPositive(a, y.high, y.low);
  Num isZero = equal(a, 0.0), isInfinite = equal(a, infinity(a));
  Num vanishes = isZero ^ (n < n.likeInt(0));
  result = select(isZero | isInfinite,
                  select(vanishes, a.like(0.0), infinity(a)), result);
  result = select(isOdd, mulSign(result, x), result);
  result = select(isNaN(x), x, result);
  return select(equal(n, 0), 1.0, result);
}

Num expansions::cbrt(Num x) {
  Num a = abs(x);
  // Away from denormals, and from where the cubes below overflow.
  Num tiny = a < x.pick(0x1p-100, 0x1p-960);
  Num huge = a > x.pick(0x1p100, 0x1p960);
  Num one = a.like(1.0);
  a = a * select(tiny, x.pick(0x1p24, 0x1p54),
                 select(huge, x.pick(0x1p-24, 0x1p-54), one));
  // The exponent divided by three, as if the bits were a logarithm: within 6 %.
  double bias = x.pick(127.0, 1023.0);
  Num code = bits(a);
  Num third = x.of(arith::DivUIOp::create(x.b(), code, code.likeInt(3)));
  int64_t offset =
      std::llround(std::ldexp(bias * 2 / 3 - 0.0331, x.fractionBits()));
  Num t = fromBits(third + third.likeInt(offset), x.type());
  // Halley's iteration: the error cubed, each.
  for (int i = 0; i < (x.isDouble() ? 2 : 1); ++i) {
    Num cube = t * t * t;
    t = t * (fma(a, 2.0, cube) / fma(cube, 2.0, a));
  }
  // Newton's, with the residual to twice the precision.
  Pair square = product(t, t);
  Pair cube = product(square.high, t);
  cube.low = fma(square.low, t, cube.low);
  Num residual = (a - cube.high) - cube.low;
  t = t + residual / (square.high * 3.0);
  t = t * select(tiny, x.pick(0x1p-8, 0x1p-18),
                 select(huge, x.pick(0x1p8, 0x1p18), one));
  // Zero, infinity and NaN are their own cube roots.
  Num isRegular = (a > 0.0) & (a < infinity(a));
  return select(isRegular, copySign(t, x), x);
}
