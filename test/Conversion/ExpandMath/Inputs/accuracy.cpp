// Runs the code that --tile-expand-math emitted, compiled for this CPU, and
// compares it with libm in a wider type: double for f32, x87 extended for f64
// (64 significant bits, so the reference is good to about 2^-10 ulp).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: accuracy [-v]      exits 1 when a bound of docs/Rationale/Math.md or a
// special value is missed. A sample: every 8168th float, 2^19 doubles, and as
// many again of moderate size.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

template <typename T> struct Traits;
template <> struct Traits<float> {
  using Wide = double;
  using Bits = uint32_t;
  static constexpr int fraction = 23, minExponent = -126;
  static constexpr const char *name = "f32";
};
template <> struct Traits<double> {
  using Wide = long double;
  using Bits = uint64_t;
  static constexpr int fraction = 52, minExponent = -1022;
  static constexpr const char *name = "f64";
};

static int failures = 0;
static bool verbose = false;

template <typename T> T fromBits(typename Traits<T>::Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The distance from the exact value in units of the last place of the type.
template <typename T> double ulps(T got, typename Traits<T>::Wide exact) {
  using Wide = typename Traits<T>::Wide;
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) == std::isnan(got) ? 0 : HUGE_VAL;
  T nearest = static_cast<T>(exact);
  if (got == nearest)
    if (std::isinf(got) || got == 0)
      return std::signbit(got) == std::signbit(nearest) || exact != 0
                 ? 0
                 : HUGE_VAL;
  if (std::isinf(got)) // overflowed one unit too early is one unit of error
    return std::fabs(exact) >= Wide(std::numeric_limits<T>::max()) ? 1
                                                                   : HUGE_VAL;
  int exponent = Traits<T>::minExponent;
  if (exact != 0)
    exponent = std::max(exponent, std::ilogb(exact));
  exponent = std::min(exponent, std::numeric_limits<T>::max_exponent - 1);
  return std::fabs(static_cast<double>(
      std::scalbn(Wide(got) - exact, Traits<T>::fraction - exponent)));
}

/// Sample: evenly over all bit patterns, and more densely over [-100, 100].
template <typename T> std::vector<T> sample() {
  using Bits = typename Traits<T>::Bits;
  std::vector<T> points = {T(0),
                           -T(0),
                           T(1),
                           T(-1),
                           T(0.5),
                           T(2),
                           std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::quiet_NaN(),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::denorm_min()};
  Bits step = sizeof(T) == 4 ? Bits(1021 * 8) : Bits((~Bits(0) >> 19) | 1);
  Bits bits = 0;
  do
    points.push_back(fromBits<T>(bits));
  while ((bits += step) >= step);
  uint64_t state = 88172645463325252u;
  for (int i = 0; i < 1 << 19; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    T unit = T(state >> 11) * T(0x1p-53);
    points.push_back((i & 1 ? 2 : i & 2 ? 200 : 20) * (unit - T(0.5)));
    if ((i & 15) == 0)
      points.push_back(1 + (unit - T(0.5)) * T(0x1p-6));
  }
  return points;
}

template <typename T, typename Function, typename Reference>
void check(const char *name, Function function, Reference reference,
           double bound) {
  using Wide = typename Traits<T>::Wide;
  static const std::vector<T> points = sample<T>();
  double worst = 0;
  T where = 0;
  for (T x : points) {
    double error = ulps<T>(function(x), reference(Wide(x)));
    if (error > worst)
      worst = error, where = x;
  }
  bool failed = worst > bound;
  failures += failed;
  if (failed || verbose)
    std::printf("%-6s %s: %.3f ulp at %a (%g), bound %g%s\n", name,
                Traits<T>::name, worst, double(where), double(where), bound,
                failed ? "  EXCEEDED" : "");
  if (failed && worst > 100)
    std::printf("    got %a, expected %a\n", double(function(where)),
                double(reference(Wide(where))));
}

template <typename T, typename Function, typename Reference>
void check2(const char *name, Function function, Reference reference,
            double bound) {
  using Wide = typename Traits<T>::Wide;
  std::vector<std::pair<T, T>> points;
  const T inf = std::numeric_limits<T>::infinity();
  const T special[] = {T(0),
                       -T(0),
                       T(1),
                       T(-1),
                       T(0.5),
                       T(-0.5),
                       T(2),
                       T(-2),
                       T(3),
                       T(-3),
                       T(2.5),
                       T(-2.5),
                       inf,
                       -inf,
                       std::numeric_limits<T>::quiet_NaN(),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::denorm_min(),
                       T(1e9),
                       T(-1e9)};
  for (T x : special)
    for (T y : special)
      points.push_back({x, y});
  uint64_t state = 88172645463325252u;
  auto next = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  };
  for (int i = 0; i < 1 << 20; ++i) {
    T x = fromBits<T>(next() >> (64 - 8 * sizeof(T)));
    T y = fromBits<T>(next() >> (64 - 8 * sizeof(T)));
    if (i & 1) // moderate magnitudes
      x = T(next() >> 11) * T(0x1p-53) * 4,
      y = (T(next() >> 11) * T(0x1p-53) - T(0.5)) * 200;
    if ((i & 7) == 7) // near one, large exponents
      x = 1 + (T(next() >> 11) * T(0x1p-53) - T(0.5)) * T(0x1p-8), y *= 500;
    points.push_back({x, y});
  }
  double worst = 0;
  std::pair<T, T> where{};
  for (auto [x, y] : points) {
    double error = ulps<T>(function(x, y), reference(Wide(x), Wide(y)));
    if (error > worst)
      worst = error, where = {x, y};
  }
  bool failed = worst > bound;
  failures += failed;
  if (failed || verbose)
    std::printf("%-6s %s: %.3f ulp at (%a, %a), bound %g%s\n", name,
                Traits<T>::name, worst, double(where.first),
                double(where.second), bound, failed ? "  EXCEEDED" : "");
  if (failed && worst > 100)
    std::printf("    got %a, expected %a\n",
                double(function(where.first, where.second)),
                double(reference(Wide(where.first), Wide(where.second))));
}

#define UNARY(NAME, REFERENCE, BOUND32, BOUND64)                               \
  extern "C" float NAME##_f32(float);                                          \
  extern "C" double NAME##_f64(double);                                        \
  static void check_##NAME() {                                                 \
    check<float>(                                                              \
        #NAME, NAME##_f32, [](double x) -> double { return REFERENCE; },       \
        BOUND32);                                                              \
    check<double>(                                                             \
        #NAME, NAME##_f64,                                                     \
        [](long double x) -> long double { return REFERENCE; }, BOUND64);      \
  }
#define BINARY(NAME, REFERENCE, BOUND32, BOUND64)                              \
  extern "C" float NAME##_f32(float, float);                                   \
  extern "C" double NAME##_f64(double, double);                                \
  static void check_##NAME() {                                                 \
    check2<float>(                                                             \
        #NAME, NAME##_f32,                                                     \
        [](double x, double y) -> double { return REFERENCE; }, BOUND32);      \
    check2<double>(                                                            \
        #NAME, NAME##_f64,                                                     \
        [](long double x, long double y) -> long double { return REFERENCE; }, \
        BOUND64);                                                              \
  }
#include "functions.inc"
#undef UNARY
#undef BINARY

/// A small format: sign, exponent, mantissa; the codes from `firstSpecial` on
/// are infinity (if the format has one) and NaN.
struct Format {
  const char *name;
  int exponentBits, mantissaBits, bias;
  unsigned firstSpecial;
  bool hasInfinity, hasNaN;
  unsigned codes() const { return 1u << (exponentBits + mantissaBits); }
  double value(unsigned code) const {
    unsigned exponent = code >> mantissaBits;
    unsigned mantissa = code & ((1u << mantissaBits) - 1);
    if (exponent == 0)
      return std::ldexp(double(mantissa), 1 - bias - mantissaBits);
    return std::ldexp(double(mantissa + (1u << mantissaBits)),
                      int(exponent) - bias - mantissaBits);
  }
  /// To nearest, ties to the even code, saturating.
  unsigned encode(double magnitude) const {
    unsigned below = 0;
    while (below + 1 < firstSpecial && value(below + 1) <= magnitude)
      ++below;
    if (below + 1 == firstSpecial)
      return below;
    double down = magnitude - value(below), up = value(below + 1) - magnitude;
    return down < up || (down == up && below % 2 == 0) ? below : below + 1;
  }
};

static void checkFormat(const Format &format, float (*extend)(uint8_t),
                        uint8_t (*fromF32)(float), uint8_t (*fromF64)(double)) {
  int wrong = 0;
  auto expect = [&](bool condition, const char *what, double x, double got) {
    if (!condition && wrong++ < 5)
      std::printf("%s: %s of %a gives %a\n", format.name, what, x, got);
  };
  unsigned signBit = format.codes();
  for (unsigned code = 0; code < 2 * format.codes(); ++code) {
    unsigned magnitude = code & (signBit - 1);
    float got = extend(uint8_t(code));
    double exact = format.value(magnitude) * (code & signBit ? -1 : 1);
    if (magnitude < format.firstSpecial)
      expect(double(got) == exact && std::signbit(got) == bool(code & signBit),
             "extf", code, got);
    else if (format.hasInfinity && magnitude == format.firstSpecial)
      expect(std::isinf(got), "extf", code, got);
    else
      expect(std::isnan(got), "extf", code, got);
  }
  auto test = [&](double x) {
    unsigned sign = std::signbit(x) ? signBit : 0;
    if (double(float(x)) == x)
      expect(fromF32(float(x)) == (sign | format.encode(std::fabs(x))),
             "truncf", x, fromF32(float(x)));
    expect(fromF64(x) == (sign | format.encode(std::fabs(x))), "truncf", x,
           fromF64(x));
  };
  for (double sign : {1.0, -1.0}) {
    for (unsigned code = 0; code + 1 < format.firstSpecial; ++code) {
      // Numbers, midpoints, and their neighbours in f32 and in f64.
      double low = format.value(code), high = format.value(code + 1);
      double middle = (low + high) / 2;
      for (double x : {low, middle, high}) {
        test(sign * x);
        test(sign * std::nextafterf(float(x), 0));
        test(sign * std::nextafterf(float(x), HUGE_VALF));
        test(sign * std::nextafter(x, 0));
        test(sign * std::nextafter(x, HUGE_VAL));
      }
    }
    for (double x :
         {1e3, 1e5, 1e30, 3e38, 1e300, HUGE_VAL, 1e-30, 1e-45, 1e-300})
      test(sign * x);
  }
  double largest = format.firstSpecial - 1;
  unsigned mask = signBit - 1;
  for (unsigned got : {fromF32(NAN) & mask, fromF64(NAN) & mask})
    expect(format.hasNaN
               ? got >= format.firstSpecial + (format.hasInfinity ? 1 : 0)
               : got == largest,
           "truncf", NAN, got);
  if (wrong || verbose)
    std::printf("%s: %d wrong\n", format.name, wrong);
  failures += wrong != 0;
}

extern "C" {
uint8_t trunc_e4m3_f32(float);
uint8_t trunc_e4m3_f64(double);
float ext_e4m3(uint8_t);
uint8_t trunc_e5m2_f32(float);
uint8_t trunc_e5m2_f64(double);
float ext_e5m2(uint8_t);
uint8_t trunc_e2m1_f32(float);
uint8_t trunc_e2m1_f64(double);
float ext_e2m1(uint8_t);
float one_s4_f16_low(uint8_t);
float one_s4_f16_high(uint8_t);
float pair_s4_f16_low(uint8_t);
float pair_s4_f16_high(uint8_t);
float one_s4_f32_low(uint8_t);
float one_s4_f32_high(uint8_t);
float pair_s4_f32_low(uint8_t);
float pair_s4_f32_high(uint8_t);
float one_u4_f16_low(uint8_t);
float one_u4_f16_high(uint8_t);
float pair_u4_f16_low(uint8_t);
float pair_u4_f16_high(uint8_t);
float one_u4_f32_low(uint8_t);
float one_u4_f32_high(uint8_t);
float pair_u4_f32_low(uint8_t);
float pair_u4_f32_high(uint8_t);
float one_e2m1_f16_low(uint8_t);
float one_e2m1_f16_high(uint8_t);
float pair_e2m1_f16_low(uint8_t);
float pair_e2m1_f16_high(uint8_t);
float one_e2m1_f32_low(uint8_t);
float one_e2m1_f32_high(uint8_t);
float pair_e2m1_f32_low(uint8_t);
float pair_e2m1_f32_high(uint8_t);
}

/// Casts from elements of half a byte: all bytes, both halves.
using ByteCast = float (*)(uint8_t);
void checkPacked(const char *name, float (*expected)(unsigned),
                 std::initializer_list<std::pair<ByteCast, ByteCast>> casts) {
  unsigned wrong = 0;
  for (auto [low, high] : casts)
    for (unsigned byte = 0; byte < 256; ++byte)
      for (bool isHigh : {false, true}) {
        float got = (isHigh ? high : low)(byte);
        float want = expected(isHigh ? byte >> 4 : byte & 15);
        wrong += std::memcmp(&got, &want, sizeof(float)) != 0;
      }
  if (wrong || verbose)
    std::printf("%s: %u wrong\n", name, wrong);
  failures += wrong != 0;
}

#define PACKED(NAME)                                                           \
  {                                                                            \
    {one_##NAME##_f16_low, one_##NAME##_f16_high},                             \
        {pair_##NAME##_f16_low, pair_##NAME##_f16_high},                       \
        {one_##NAME##_f32_low, one_##NAME##_f32_high}, {                       \
      pair_##NAME##_f32_low, pair_##NAME##_f32_high                            \
    }                                                                          \
  }

int main(int argc, char **argv) {
  verbose = argc > 1;
#define UNARY(NAME, ...) check_##NAME();
#define BINARY(NAME, ...) check_##NAME();
#include "functions.inc"
  checkFormat({"f8E4M3FN", 4, 3, 7, 0x7f, false, true}, ext_e4m3,
              trunc_e4m3_f32, trunc_e4m3_f64);
  checkFormat({"f8E5M2", 5, 2, 15, 0x7c, true, true}, ext_e5m2, trunc_e5m2_f32,
              trunc_e5m2_f64);
  checkFormat({"f4E2M1FN", 2, 1, 1, 8, false, false}, ext_e2m1, trunc_e2m1_f32,
              trunc_e2m1_f64);
  checkPacked(
      "i4", [](unsigned n) { return float(int(n ^ 8) - 8); }, PACKED(s4));
  checkPacked("ui4", [](unsigned n) { return float(n); }, PACKED(u4));
  checkPacked("f4E2M1FN", [](unsigned n) { return ext_e2m1(n); }, PACKED(e2m1));
  std::printf("%d failures\n", failures);
  return failures != 0;
}
