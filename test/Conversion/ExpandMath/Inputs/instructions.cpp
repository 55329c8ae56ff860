// The instructions of PTX that --tile-expand-math emits inside of its accurate
// functions, for this CPU. Each result is rounded once, as the instruction's
// name says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cfenv>
#include <cmath>

#define INTRINSIC(name) __asm__("nvvm." name)

extern "C" {
float saturate(float x) INTRINSIC("saturate.f");
float fmaDown(float a, float b, float c) INTRINSIC("fma.rm.f");
float powerOfTwo(float x) INTRINSIC("ex2.approx.ftz.f32");
float reciprocal(float x) INTRINSIC("rcp.approx.ftz.f");
float reciprocalRoot(float x) INTRINSIC("rsqrt.approx.f");
}

static float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

float saturate(float x) { return x > 0 ? std::min(x, 1.0f) : 0; }

float fmaDown(float a, float b, float c) {
  int mode = std::fegetround();
  std::fesetround(FE_DOWNWARD);
  float result = std::fma(a, b, c);
  std::fesetround(mode);
  return result;
}

float powerOfTwo(float x) {
  return flushed(float(std::exp2(double(flushed(x)))));
}
float reciprocal(float x) { return flushed(1 / flushed(x)); }
float reciprocalRoot(float x) {
  return x == 0 ? 1 / x : float(1 / std::sqrt(double(x)));
}
