//===- Exponentials.cpp - exp, exp2, expm1 --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = n ln(2) + r with n an integer and |r| <= ln(2)/2, by Cody and Waite's two
// (three) word subtraction (Software Manual for the Elementary Functions, 1980,
// ch. 6); e^r by a polynomial; the factor 2^n through the exponent.
//
// e^x of f32 alone asks the special function unit for 2^f, since softmax and
// most activations are made of it. The steps are those of CUDA's expf, so that
// a kernel here and one of PyTorch get the same bits
// (docs/Rationale/Math.md, "The exponential of f32").
//
//===----------------------------------------------------------------------===//
#include "Approximations.h"
#include "Coefficients.h"
#include "Expansions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::coefficients;

namespace {
/// x = n ln(2) + r.
struct Reduced {
  Num n, r;
};
} // namespace

template <unsigned N, unsigned M>
static ArrayRef<double> coefficientsFor(Num x, const double (&forF32)[N],
                                        const double (&forF64)[M]) {
  return x.isDouble() ? ArrayRef<double>(forF64) : ArrayRef<double>(forF32);
}

static Reduced reduceByLn2(Num x, Rounded &n) {
  const double *ln2 = x.pick(kLn232, kLn264);
  n = roundScaled(x, x.pick(kLog2E32, kLog2E64)[0]);
  Num r = fma(n.asFloat, -ln2[0], x); // exact: ln2[0] has trailing zeros
  r = fma(n.asFloat, -ln2[1], r);
  return {n.asInt, r};
}

/// e^r - 1 for |r| <= ln(2)/2.
static Num expm1Reduced(Num r) {
  Num q = polynomial(r, coefficientsFor(r, kExp32, kExp64));
  return fma(r * r, q, r);
}

/// e^x = 2^n 2^f for f32.
static Num expOfFloat(Num x) {
  // n is limited to [-126, 126], so that 2^n is a normal number: what is left
  // of x log2(e) beyond that stays in f, and 2^f 2^n overflows to infinity or
  // underflows by steps as it should. The limit costs nothing: the sum
  // saturates, [0, 1] stands for [-126, 126].
  constexpr double range = 252.0;
  Num position = saturate(fma(x, kLog2E32[0] / range, 0.5));
  // Round down to an integer; its last bits are n + 127, an exponent's field.
  Num shifted = fmaDown(position, range, 0x1.8p23 + 1.0);
  Num n = shifted - (0x1.8p23 + 127.0);
  Num f = fma(x, kLog2E32[1], fma(x, kLog2E32[0], -n));
  return approximations::exp2(f) * fromBits(shl(bits(shifted), 23), x.type());
}

Num expansions::exp(Num x) {
  if (x.type().isF32())
    return expOfFloat(x);
  // Beyond these, the result has rounded to 0 or overflowed.
  x = clamp(x, -746.0, 710.0);
  Rounded n{x, x};
  Reduced reduced = reduceByLn2(x, n);
  Num q = polynomial(reduced.r, kExp64);
  Num p = fma(fma(q, reduced.r, 1.0), reduced.r, 1.0);
  return scale(p, reduced.n);
}

Num expansions::expSum(Num high, Num low, int extra) {
  high = clamp(high, high.pick(-104.0, -746.0), high.pick(90.0, 711.0));
  Rounded n{high, high};
  Reduced reduced = reduceByLn2(high, n);
  Num r = reduced.r + low;
  Num p = expm1Reduced(r) + 1.0;
  return scale(p, extra ? reduced.n + double(extra) : reduced.n);
}

/// 2^f for |f| <= 1/2.
static Num exp2Reduced(Num f) {
  return fma(polynomial(f, coefficientsFor(f, kExp232, kExp264)), f, 1.0);
}

Num expansions::exp2(Num x) {
  x = clamp(x, x.pick(-151.0, -1076.0), x.pick(129.0, 1025.0));
  Rounded n = roundScaled(x, 1.0);
  return scale(exp2Reduced(x - n.asFloat), n.asInt); // the difference is exact
}

Num expansions::expm1(Num x) {
  // e^x - 1 = 2 (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)): the factor stays finite
  // where 2^n overflows, and for n = 0 nothing is rounded but e^r - 1.
  // The limits keep 2^(n-1) a number and are past overflow all the same.
  Num limited = clamp(x, x.pick(-30.0, -50.0), x.pick(89.0, 710.0));
  Rounded n{x, x};
  Reduced reduced = reduceByLn2(limited, n);
  Num p = expm1Reduced(reduced.r);
  Num half = powerOfTwo(reduced.n - 1.0, x.type());
  Num result = fma(half, p, half - 0.5);
  result = result + result;
  // For n = 0, p itself: denormals keep their last bit, and -0 its sign.
  return select(equal(reduced.n, 0), select(equal(x, 0.0), x, p), result);
}
