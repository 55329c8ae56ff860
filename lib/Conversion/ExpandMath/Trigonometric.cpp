//===- Trigonometric.cpp - sin, cos, tan ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = q pi/2 + r with |r| <= pi/4 (a little more), then polynomials. Moderate
// arguments subtract pi/2 in three words (Cody and Waite, 1980, ch. 8); large
// ones multiply by the bits of 2/pi that matter (M. Payne and R. Hanek, Radian
// reduction for trigonometric functions, SIGNUM Newsletter 18, 1983) in a
// branch of their own, which threads rarely take.
//
//===----------------------------------------------------------------------===//
#include "Coefficients.h"
#include "Expansions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::coefficients;

namespace {
/// x = quadrant pi/2 + r; of `quadrant`, an i32, the last two bits count.
struct Reduced {
  Num quadrant, r;
};
} // namespace

/// The word of `words` at `index`, by a tree of selects: no memory is needed.
static Num lookUp(Num index, ArrayRef<uint64_t> words, Num like) {
  if (words.size() == 1)
    return like.likeInt(words.front());
  size_t half = llvm::PowerOf2Ceil(words.size()) / 2;
  Num low = lookUp(index, words.take_front(half), like);
  Num high = lookUp(index, words.drop_front(half), like);
  return select(notEqual(index & int64_t(half), 0), high, low);
}

/// `count` neighbouring words of the bit stream 0.2/pi with `width` bits of
/// integer part, from bit `position` on; `wordLimit` bounds position / width.
static SmallVector<Num> streamWords(Num position, unsigned width,
                                    unsigned count, unsigned wordLimit) {
  SmallVector<uint64_t> stream = {0};
  for (size_t i = 0; stream.size() < wordLimit + count + 1;
       i += width == 64 ? 2 : 1)
    stream.push_back(width == 64 ? uint64_t(kTwoOverPiBits[i]) << 32 |
                                       kTwoOverPiBits[i + 1]
                                 : kTwoOverPiBits[i]);
  Num index = shrUnsigned(position, llvm::Log2_32(width));
  Num shift = position & int64_t(width - 1);
  Type wordType = position.b().getIntegerType(width);
  Num like = unsignedTo(position, wordType);
  SmallVector<Num> raw;
  for (unsigned i = 0; i <= count; ++i)
    raw.push_back(lookUp(index, ArrayRef(stream).slice(i, wordLimit), like));
  // Shift left by `shift`; a shift by the whole width would be undefined.
  Num left = unsignedTo(shift, wordType);
  Num right = left.likeInt(width - 1) - left;
  SmallVector<Num> words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(shl(raw[i], left) |
                    shrUnsigned(shrUnsigned(raw[i + 1], 1), right));
  return words;
}

/// The 128-bit product of two i64.
static std::pair<Num, Num> wideProduct(Num a, Num b) {
  auto op = arith::MulUIExtendedOp::create(a.b(), a, b);
  return {a.of(op.getLow()), a.of(op.getHigh())};
}

/// f32, 2^16 <= |x| < inf. The 24-bit significand times 96 bits of 2/pi, of
/// which the first two count quadrants modulo 4.
static Reduced reduceLarge32(Num x) {
  ImplicitLocOpBuilder &b = x.b();
  Type i64 = b.getI64Type();
  Num code = bits(x);
  Num significand = unsignedTo((code & 0x7fffff) | 0x800000, i64);
  Num exponent = (shrUnsigned(code, 23) & 0xff) - double(127 + 23);
  // Bit p of the stream weighs 2^(31-p); the first that matters,
  // 2^(1-exponent).
  SmallVector<Num> words = streamWords(exponent + 30.0, 32, 3, 5);
  Num p0 = significand * unsignedTo(words[2], i64);
  Num p1 = significand * unsignedTo(words[1], i64) + shrUnsigned(p0, 32);
  Num p2 = significand * unsignedTo(words[0], i64) + shrUnsigned(p1, 32);
  Num top = shl(p2, 32) | (p1 & 0xffffffff);
  // The fraction as a signed number: the nearest multiple, not the one below.
  Num fraction = shl(top, 2);
  Num roundUp = shrUnsigned(fraction, 63);
  Num quadrant = signedTo(shrUnsigned(top, 62) + roundUp, b.getI32Type());
  Num r = toFloat(fraction, b.getF64Type()) * (0x1p-64 * (kHalfPi64[0]));
  Num negative = code < code.likeInt(0);
  return {select(negative, -quadrant, quadrant),
          mulSign(toFloat(r, x.type()), x)};
}

/// f64, 2^28 <= |x| < inf: 53 bits times 192 bits of 2/pi.
static Reduced reduceLarge64(Num x) {
  ImplicitLocOpBuilder &b = x.b();
  Num code = bits(x);
  Num significand = (code & 0xfffffffffffff) | 0x10000000000000;
  Num exponent = (shrUnsigned(code, 52) & 0x7ff) - double(1023 + 52);
  SmallVector<Num> words = streamWords(exponent + 62.0, 64, 3, 17);
  // The product modulo 2^192: its first two bits count quadrants.
  auto [p0Low, p0High] = wideProduct(significand, words[2]);
  auto [p1Low, p1High] = wideProduct(significand, words[1]);
  Num middle = p1Low + p0High;
  Num carry = unsignedTo(unsignedLess(middle, p1Low), b.getI64Type());
  Num top = significand * words[0] + p1High + carry;

  Num high = shl(top, 2) | shrUnsigned(middle, 62);
  Num low = shl(middle, 2) | shrUnsigned(p0Low, 62);
  Num isNegative = high < high.likeInt(0);
  Num quadrant = shrUnsigned(top, 62) + unsignedTo(isNegative, b.getI64Type());
  // Negate the 128 bits first, so that the two words cannot cancel.
  Num borrow = unsignedTo(equal(low, 0), b.getI64Type());
  high = select(isNegative, (high ^ int64_t(-1)) + borrow, high);
  low = select(isNegative, -low, low);
  auto toDouble = [&](Num word) {
    return word.of(arith::UIToFPOp::create(b, x.type(), word));
  };
  // Times pi/2, both in two words: the first of the fraction is exact.
  Num first = toDouble(high & ~int64_t(0x7ff)) * 0x1p-64;
  Num second =
      fma(toDouble(low), 0x1p-128, toDouble(high & int64_t(0x7ff)) * 0x1p-64);
  Num r = first * kHalfPi64[0];
  Num rest = fma(first, kHalfPi64[0], -r);
  rest = fma(first, kHalfPi64[1], fma(second, kHalfPi64[0], rest));
  r = r + rest;
  r = select(isNegative, -r, r);
  quadrant = signedTo(quadrant, b.getI32Type());
  return {select(code < code.likeInt(0), -quadrant, quadrant), mulSign(r, x)};
}

static Reduced reduce(Num x) {
  ImplicitLocOpBuilder &b = x.b();
  // n pi/2 in three words; the first difference is exact.
  const double *halfPi = x.pick(kHalfPi32, kHalfPi64);
  Rounded n = roundScaled(x, x.pick(kTwoOverPi32, kTwoOverPi64)[0]);
  Num r = fma(n.asFloat, -halfPi[0], x);
  r = fma(n.asFloat, -halfPi[1], r);
  r = fma(n.asFloat, -halfPi[2], r);
  Num quadrant = signedTo(n.asInt, b.getI32Type());

  Num isLarge = abs(x) >= x.pick(0x1p16, 0x1p28);
  auto branch = scf::IfOp::create(
      b, isLarge,
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder inner(loc, nested);
        Num argument(inner, x);
        Reduced large =
            x.isDouble() ? reduceLarge64(argument) : reduceLarge32(argument);
        scf::YieldOp::create(inner, ValueRange{large.quadrant, large.r});
      },
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc, ValueRange{quadrant, r});
      });
  return {x.of(branch.getResult(0)), x.of(branch.getResult(1))};
}

static std::pair<Num, Num> sinCosReduced(Num r) {
  Num w = r * r;
  Num s = r.isDouble() ? polynomial(w, kSin64) : polynomial(w, kSin32);
  Num c = r.isDouble() ? polynomial(w, kCos64) : polynomial(w, kCos32);
  // 1 - w/2 + w^2 c: what the first difference drops is added back.
  Num head = fma(w, -0.5, 1.0);
  Num dropped = fma(w, -0.5, r.like(1.0) - head);
  return {fma(r * w, s, r), head + fma(w * w, c, dropped)};
}

/// Sine of a number in a quadrant, from sine and cosine of r.
static Num inQuadrant(Num quadrant, Num sine, Num cosine) {
  Num magnitude = select(notEqual(quadrant & 1, 0), cosine, sine);
  return select(notEqual(quadrant & 2, 0), -magnitude, magnitude);
}

/// sin(inf) and cos(inf) are NaN; NaN stays.
static Num onFinite(Num x, Num result) {
  return select(abs(x) < infinity(x), result, quietNaN(x));
}

std::pair<Num, Num> expansions::sinCos(Num x) {
  Reduced reduced = reduce(x);
  auto [sine, cosine] = sinCosReduced(reduced.r);
  Num sinX = inQuadrant(reduced.quadrant, sine, cosine);
  Num cosX = inQuadrant(reduced.quadrant + 1.0, sine, cosine);
  return {onFinite(x, select(equal(x, 0.0), x, sinX)), onFinite(x, cosX)};
}

// The half that is not asked for is dead and goes with it.
Num expansions::sin(Num x) { return sinCos(x).first; }
Num expansions::cos(Num x) { return sinCos(x).second; }

Num expansions::tan(Num x) {
  Reduced reduced = reduce(x);
  auto [sine, cosine] = sinCosReduced(reduced.r);
  Num isOdd = notEqual(reduced.quadrant & 1, 0);
  Num result = select(isOdd, -cosine, sine) / select(isOdd, sine, cosine);
  return onFinite(x, select(equal(x, 0.0), x, result));
}
