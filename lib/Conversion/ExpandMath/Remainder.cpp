//===- Remainder.cpp - remf, ipowi ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two functions that need a loop.
//
//===----------------------------------------------------------------------===//
#include "Expansions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;

/// The exponent of a finite positive number, denormals included, as i32.
static Num exponentOf(Num a) {
  double up = a.fractionBits() + 1.0;
  Num tiny = a < a.pick(0x1p-126, 0x1p-1022);
  Num normal = select(tiny, a * std::ldexp(1.0, int(up)), a);
  Num exponent =
      signedTo(shrUnsigned(bits(normal), a.fractionBits()), a.b().getI32Type());
  return exponent - select(tiny, exponent.like(up), 0.0);
}

Num expansions::remainder(Num x, Num y) {
  // LLVM's own expansion, x - y trunc(x/y), is wrong once the quotient has more
  // bits than the type. Here each step divides by y 2^k with a quotient that
  // fits, k falling to zero; each difference is exact.
  ImplicitLocOpBuilder &b = x.b();
  double step = x.fractionBits() - 1;
  Num a = abs(x), divisor = abs(y);
  Num first = exponentOf(a) - exponentOf(divisor) - step;
  first = select(first < 0.0, 0.0, first);
  Type i32 = b.getI32Type();
  auto loop = scf::WhileOp::create(
      b, TypeRange{x.type(), i32}, ValueRange{a, first},
      [&](OpBuilder &nested, Location loc, ValueRange state) {
        ImplicitLocOpBuilder inner(loc, nested);
        Num k(inner, state[1]);
        scf::ConditionOp::create(inner, k >= 0.0, state);
      },
      [&](OpBuilder &nested, Location loc, ValueRange state) {
        ImplicitLocOpBuilder inner(loc, nested);
        Num r(inner, state[0]), k(inner, state[1]), d(inner, divisor);
        Num kWide = signedTo(k, d.intType());
        Num scaled = scale(d, kWide);
        Num quotient = trunc(r / scaled);
        Num rest = fma(-quotient, scaled, r);
        // The division may have rounded up to the next integer.
        rest = select(rest < 0.0, rest + scaled, rest);
        Num next = k - step;
        next = select(next < 0.0, 0.0, next);
        next = select(equal(k, 0), -1.0, next);
        scf::YieldOp::create(inner, ValueRange{rest, next});
      });
  Num result = copySign(x.of(loop.getResult(0)), x);
  // x is its own remainder by infinity.
  result = select(equal(divisor, infinity(divisor)), x, result);
  Num isDefined = (a < infinity(a)) & (divisor > 0.0);
  return select(isDefined, result, quietNaN(x));
}

Num expansions::powIntegers(Num base, Num exponent) {
  ImplicitLocOpBuilder &b = base.b();
  Type type = base.type();
  // Squaring while bits remain; a negative exponent leaves 1, -1 or 0.
  auto loop = scf::WhileOp::create(
      b, TypeRange{type, type, type},
      ValueRange{base.likeInt(1), base, exponent},
      [&](OpBuilder &nested, Location loc, ValueRange state) {
        ImplicitLocOpBuilder inner(loc, nested);
        Num left(inner, state[2]);
        scf::ConditionOp::create(inner, left > left.likeInt(0), state);
      },
      [&](OpBuilder &nested, Location loc, ValueRange state) {
        ImplicitLocOpBuilder inner(loc, nested);
        Num result(inner, state[0]), square(inner, state[1]),
            left(inner, state[2]);
        result = select(notEqual(left & 1, 0), result * square, result);
        scf::YieldOp::create(
            inner, ValueRange{result, square * square, shrUnsigned(left, 1)});
      });
  Num sign = select(equal(exponent & 1, 0), 1.0, base);
  Num isUnit = equal(base, 1) | equal(base, -1);
  Num negative = select(isUnit, sign, base.likeInt(0));
  return select(exponent < exponent.likeInt(0), negative,
                base.of(loop.getResult(0)));
}
