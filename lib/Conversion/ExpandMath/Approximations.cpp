//===- Approximations.cpp - the special function unit ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intrinsics rather than inline assembly wherever LLVM has one: it knows that
// they read nothing and may be moved, merged and dropped.
//
//===----------------------------------------------------------------------===//
#include "Approximations.h"
#include "Coefficients.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::coefficients;

static constexpr double kLog2EValue = 1.4426950408889634;
static constexpr double kLn2Value = 0.6931471805599453;
static constexpr double kLog10Of2Value = 0.3010299956639812;

Num approximations::exp2(Num x) {
  return intrinsic("llvm.nvvm.ex2.approx.ftz.f32", x);
}
Num approximations::exp(Num x) { return exp2(x * kLog2EValue); }
Num approximations::log2(Num x) {
  return intrinsic("llvm.nvvm.lg2.approx.ftz.f", x);
}
Num approximations::log(Num x) { return log2(x) * kLn2Value; }
Num approximations::log10(Num x) { return log2(x) * kLog10Of2Value; }

Num approximations::reciprocal(Num x) {
  return intrinsic("llvm.nvvm.rcp.approx.ftz.f", x);
}

Num approximations::expm1(Num x) {
  // The series where e^x - 1 would cancel.
  Num small = fma(x * x, fma(x, fma(x, 1.0 / 24, 1.0 / 6), 0.5), x);
  return select(abs(x) < 0.0625, small, exp(x) - 1.0);
}

Num approximations::tanh(Num x) {
  // LLVM selects tanh.approx.f32 for this and has no intrinsic of its own.
  auto flags = LLVM::FastmathFlagsAttr::get(x.b().getContext(),
                                            LLVM::FastmathFlags::afn);
  return x.of(LLVM::TanhOp::create(x.b(), x.type(), x, flags));
}

Num approximations::sinh(Num x) {
  Num e = exp(abs(x));
  Num large = (e - approximations::reciprocal(e)) * 0.5;
  Num small = fma(x * (x * x), 1.0 / 6, x);
  return select(abs(x) < 0.125, small, copySign(large, x));
}
Num approximations::cosh(Num x) {
  Num e = exp(abs(x));
  return (e + approximations::reciprocal(e)) * 0.5;
}

Num approximations::sqrt(Num x) {
  return intrinsic("llvm.nvvm.sqrt.approx.ftz.f", x);
}
Num approximations::rsqrt(Num x) {
  return intrinsic("llvm.nvvm.rsqrt.approx.ftz.f", x);
}

/// x - 2 pi n, where sin.approx and cos.approx have an absolute error bound.
static Num reduceByTwoPi(Num x) {
  Rounded n = roundScaled(x, 0.15915494309189535);
  Num r = fma(n.asFloat, -4 * kHalfPi32[0], x);
  return fma(n.asFloat, -4 * kHalfPi32[1], r);
}
Num approximations::sin(Num x) {
  return intrinsic("llvm.nvvm.sin.approx.ftz.f", reduceByTwoPi(x));
}
Num approximations::cos(Num x) {
  return intrinsic("llvm.nvvm.cos.approx.ftz.f", reduceByTwoPi(x));
}
Num approximations::tan(Num x) {
  Num r = reduceByTwoPi(x);
  return intrinsic("llvm.nvvm.sin.approx.ftz.f", r) *
         approximations::reciprocal(intrinsic("llvm.nvvm.cos.approx.ftz.f", r));
}

Num approximations::erf(Num x) {
  // The same two ranges as the accurate erf, with ex2.approx inside.
  Num a = abs(x);
  Num w = x * x;
  Num small = fma(x, polynomial(w, kErfSmall32), x);
  Num t = atMost(a, 4.0) - 1.0;
  Num large = x.like(1.0) - exp(polynomial(t, kErfTail32));
  return select(a < 1.0, small, copySign(large, x));
}

Num approximations::pow(Num x, Num y) { return exp2(y * log2(x)); }

Num approximations::divide(Num x, Num y) {
  return intrinsic("llvm.nvvm.div.full", {x, y});
}
