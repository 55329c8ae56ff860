//===- CpuLibrary.cpp - the C library, as far as kernels need it ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels find what is listed here and in CpuRuntime.cpp and
// CpuSchedule.cpp, and no other symbol of this process: memory for tiles, the
// idioms that LLVM makes of loops, and the functions of libm that math's
// operations become.
//
//===----------------------------------------------------------------------===//
#include "CpuRuntime.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace {
using Functions = std::vector<std::pair<llvm::StringRef, void *>>;

/// Functions of one and of two numbers, in libm's two precisions. The type of
/// the parameter chooses among the overloads of <cmath>.
struct Table {
  Functions &functions;

  template <typename T> void add(llvm::StringRef name, T *function) {
    functions.push_back({name, reinterpret_cast<void *>(function)});
  }
  void unary(llvm::StringRef name, double (*wide)(double),
             llvm::StringRef narrowName, float (*narrow)(float)) {
    add(name, wide);
    add(narrowName, narrow);
  }
  void binary(llvm::StringRef name, double (*wide)(double, double),
              llvm::StringRef narrowName, float (*narrow)(float, float)) {
    add(name, wide);
    add(narrowName, narrow);
  }
};
} // namespace

static double fusedMultiplyAdd(double x, double y, double z) {
  return std::fma(x, y, z);
}
static float fusedMultiplyAddFloat(float x, float y, float z) {
  return std::fma(x, y, z);
}
static double scale(double x, int exponent) { return std::ldexp(x, exponent); }
static float scaleFloat(float x, int exponent) {
  return std::ldexp(x, exponent);
}
static double power(double x, int exponent) {
  return __builtin_powi(x, exponent);
}
static float powerFloat(float x, int exponent) {
  return __builtin_powif(x, exponent);
}
/// What LLVM makes of a sine and a cosine of one number.
static void sineAndCosine(double x, double *sine, double *cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
static void sineAndCosineFloat(float x, float *sine, float *cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
static double tenTo(double x) { return std::pow(10.0, x); }
static float tenToFloat(float x) { return std::pow(10.0f, x); }

static void addMath(Table table) {
  table.unary("acos", std::acos, "acosf", std::acos);
  table.unary("acosh", std::acosh, "acoshf", std::acosh);
  table.unary("asin", std::asin, "asinf", std::asin);
  table.unary("asinh", std::asinh, "asinhf", std::asinh);
  table.unary("atan", std::atan, "atanf", std::atan);
  table.unary("atanh", std::atanh, "atanhf", std::atanh);
  table.unary("cbrt", std::cbrt, "cbrtf", std::cbrt);
  table.unary("ceil", std::ceil, "ceilf", std::ceil);
  table.unary("cos", std::cos, "cosf", std::cos);
  table.unary("cosh", std::cosh, "coshf", std::cosh);
  table.unary("erf", std::erf, "erff", std::erf);
  table.unary("erfc", std::erfc, "erfcf", std::erfc);
  table.unary("exp", std::exp, "expf", std::exp);
  table.unary("exp10", tenTo, "exp10f", tenToFloat);
  table.unary("exp2", std::exp2, "exp2f", std::exp2);
  table.unary("expm1", std::expm1, "expm1f", std::expm1);
  table.unary("fabs", std::fabs, "fabsf", std::fabs);
  table.unary("floor", std::floor, "floorf", std::floor);
  table.unary("log", std::log, "logf", std::log);
  table.unary("log10", std::log10, "log10f", std::log10);
  table.unary("log1p", std::log1p, "log1pf", std::log1p);
  table.unary("log2", std::log2, "log2f", std::log2);
  table.unary("nearbyint", std::nearbyint, "nearbyintf", std::nearbyint);
  table.unary("rint", std::rint, "rintf", std::rint);
  table.unary("round", std::round, "roundf", std::round);
  table.unary("roundeven", ::roundeven, "roundevenf", ::roundevenf);
  table.unary("sin", std::sin, "sinf", std::sin);
  table.unary("sinh", std::sinh, "sinhf", std::sinh);
  table.unary("sqrt", std::sqrt, "sqrtf", std::sqrt);
  table.unary("tan", std::tan, "tanf", std::tan);
  table.unary("tanh", std::tanh, "tanhf", std::tanh);
  table.unary("trunc", std::trunc, "truncf", std::trunc);
  table.binary("atan2", std::atan2, "atan2f", std::atan2);
  table.binary("copysign", std::copysign, "copysignf", std::copysign);
  table.binary("fmax", std::fmax, "fmaxf", std::fmax);
  table.binary("fmin", std::fmin, "fminf", std::fmin);
  table.binary("fmod", std::fmod, "fmodf", std::fmod);
  table.binary("pow", std::pow, "powf", std::pow);
  table.add("fma", fusedMultiplyAdd);
  table.add("fmaf", fusedMultiplyAddFloat);
  table.add("ldexp", scale);
  table.add("ldexpf", scaleFloat);
  table.add("sincos", sineAndCosine);
  table.add("sincosf", sineAndCosineFloat);
  table.add("__powidf2", power);
  table.add("__powisf2", powerFloat);
}

void mlir::tile::appendLibraryFunctions(Functions &functions) {
  Table table{functions};
  table.add("malloc", std::malloc);
  table.add("aligned_alloc", std::aligned_alloc);
  table.add("free", std::free);
  table.add("memcpy", std::memcpy);
  table.add("memmove", std::memmove);
  table.add("memset", std::memset);
  table.add("memcmp", std::memcmp);
  table.add("bcmp", std::memcmp);
  table.add("strlen", std::strlen);
  addMath(table);
}
