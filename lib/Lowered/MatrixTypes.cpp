//===- MatrixTypes.cpp - elements of matrix instructions ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits to values and back, and the product that all instructions share.
// Sources: PTX ISA, "Alternate Floating-Point Data Formats"; OCP 8-bit Floating
// Point Specification (E4M3 has no infinity and one NaN).
//
//===----------------------------------------------------------------------===//
#include "MatrixMath.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir::tile::lowered;
using llvm::ArrayRef;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

unsigned mlir::tile::lowered::bitsOf(MatrixType type) {
  switch (type) {
  case MatrixType::F64:
    return 64;
  case MatrixType::TF32:
  case MatrixType::F32:
  case MatrixType::S32:
    return 32;
  case MatrixType::F16:
  case MatrixType::BF16:
    return 16;
  case MatrixType::E4M3:
  case MatrixType::E5M2:
  case MatrixType::S8:
  case MatrixType::U8:
    return 8;
  case MatrixType::E2M1:
  case MatrixType::S4:
  case MatrixType::U4:
    return 4;
  case MatrixType::B1:
    return 1;
  }
  llvm_unreachable("every type is listed");
}

std::optional<MatrixType> mlir::tile::lowered::parseMatrixType(StringRef name) {
  return llvm::StringSwitch<std::optional<MatrixType>>(name)
      .Case("f16", MatrixType::F16)
      .Case("bf16", MatrixType::BF16)
      .Case("tf32", MatrixType::TF32)
      .Case("f32", MatrixType::F32)
      .Case("f64", MatrixType::F64)
      .Case("e4m3", MatrixType::E4M3)
      .Case("e5m2", MatrixType::E5M2)
      .Case("e2m1", MatrixType::E2M1)
      .Case("s8", MatrixType::S8)
      .Case("u8", MatrixType::U8)
      .Case("s4", MatrixType::S4)
      .Case("u4", MatrixType::U4)
      .Case("s32", MatrixType::S32)
      .Case("b1", MatrixType::B1)
      .Default(std::nullopt);
}

bool mlir::tile::lowered::parseMatrixShape(StringRef name, unsigned &m,
                                           unsigned &n, unsigned &k) {
  return name.consume_front("m") && !name.consumeInteger(10, m) &&
         name.consume_front("n") && !name.consumeInteger(10, n) &&
         name.consume_front("k") && !name.getAsInteger(10, k);
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

namespace {

double asDouble(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
uint64_t asBits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
uint32_t asBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// What the largest exponent says.
enum class Specials { InfinityAndNaN, OnlyNaN, None };

/// A floating-point format with a sign, E bits of exponent, M of mantissa.
template <unsigned E, unsigned M, Specials S> struct Format {
  static constexpr uint64_t kMantissa = (uint64_t(1) << M) - 1;
  static constexpr uint64_t kSign = uint64_t(1) << (E + M);
  static constexpr uint64_t kAll = kSign - 1; // exponent and mantissa
  static constexpr int kBias = (1 << (E - 1)) - 1;
  static constexpr uint64_t kLargest = S == Specials::InfinityAndNaN
                                           ? kAll - kMantissa - 1
                                       : S == Specials::OnlyNaN ? kAll - 1
                                                                : kAll;
  /// Added to a double's exponent field gives the format's.
  static constexpr uint64_t kRebias = uint64_t(1023 - kBias) << 52;

  static double decode(uint64_t bits) {
    uint64_t sign = (bits & kSign) << (63 - E - M);
    uint64_t magnitude = bits & kAll;
    double value;
    if (magnitude > kLargest) {
      bool infinite =
          S == Specials::InfinityAndNaN && (magnitude & kMantissa) == 0;
      value = infinite ? std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
    } else if (magnitude <= kMantissa) {
      // Subnormal: units of the smallest value.
      constexpr uint64_t kUnit = uint64_t(1023 + 1 - kBias - int(M)) << 52;
      value = double(int64_t(magnitude)) * asDouble(kUnit);
    } else {
      value = asDouble((magnitude << (52 - M)) + kRebias);
    }
    return asDouble(asBits(value) | sign);
  }

  static uint64_t encode(double value) {
    uint64_t bits = asBits(value), sign = bits >> 63 << (E + M);
    bits &= ~(uint64_t(1) << 63);
    if (std::isnan(value)) // the one NaN that matrix instructions give
      return S == Specials::None ? kLargest : kAll;
    uint64_t result;
    constexpr uint64_t kSmallestNormal = uint64_t(1023 + 1 - kBias) << 52;
    if (bits < kSmallestNormal) {
      // The sum with a number whose unit is the format's smallest value rounds
      // as the format does.
      constexpr uint64_t kMagic = uint64_t(1023 + 1 - kBias - int(M) + 52)
                                  << 52;
      result = asBits(asDouble(bits) + asDouble(kMagic)) - kMagic;
    } else {
      constexpr unsigned kShift = 52 - M;
      uint64_t exact = bits - kRebias;
      uint64_t odd = exact >> kShift & 1;
      result = (exact + (uint64_t(1) << (kShift - 1)) - 1 + odd) >> kShift;
    }
    if (result > kLargest) // infinity, NaN, or the largest, as there is
      result = S == Specials::None ? kLargest : kLargest + 1;
    return result | sign;
  }
};

using Half = Format<5, 10, Specials::InfinityAndNaN>;
using BFloat = Format<8, 7, Specials::InfinityAndNaN>;
using TensorFloat = Format<8, 10, Specials::InfinityAndNaN>;
using Float8E4M3 = Format<4, 3, Specials::OnlyNaN>;
using Float8E5M2 = Format<5, 2, Specials::InfinityAndNaN>;
using Float4E2M1 = Format<2, 1, Specials::None>;

/// Calls `f` with a function that decodes one element, so that a loop over
/// elements asks for the type once.
template <typename F> auto withDecoder(MatrixType type, F f) {
  switch (type) {
  case MatrixType::F16:
    return f([](uint64_t bits) { return Half::decode(bits); });
  case MatrixType::BF16:
    return f([](uint64_t bits) { return BFloat::decode(bits); });
  case MatrixType::TF32:
    return f([](uint64_t bits) {
      return double(asFloat(uint32_t(bits) & 0xffffe000u));
    });
  case MatrixType::F32:
    return f([](uint64_t bits) { return double(asFloat(uint32_t(bits))); });
  case MatrixType::F64:
    return f([](uint64_t bits) { return asDouble(bits); });
  case MatrixType::E4M3:
    return f([](uint64_t bits) { return Float8E4M3::decode(bits); });
  case MatrixType::E5M2:
    return f([](uint64_t bits) { return Float8E5M2::decode(bits); });
  case MatrixType::E2M1:
    return f([](uint64_t bits) { return Float4E2M1::decode(bits); });
  case MatrixType::S8:
    return f([](uint64_t bits) { return double(int8_t(bits)); });
  case MatrixType::U8:
    return f([](uint64_t bits) { return double(uint8_t(bits)); });
  case MatrixType::S4:
    return f(
        [](uint64_t bits) { return double(int(bits & 7) - int(bits & 8)); });
  case MatrixType::U4:
    return f([](uint64_t bits) { return double(bits & 15); });
  case MatrixType::S32:
    return f([](uint64_t bits) { return double(int32_t(bits)); });
  case MatrixType::B1:
    return f([](uint64_t bits) { return double(bits & 1); });
  }
  llvm_unreachable("every type is listed");
}

} // namespace

double mlir::tile::lowered::toDouble(MatrixType type, uint64_t bits) {
  return withDecoder(type, [&](auto decode) { return decode(bits); });
}

void mlir::tile::lowered::toDoubles(MatrixType type, ArrayRef<uint64_t> bits,
                                    bool negated, double *values) {
  double sign = negated ? -1.0 : 1.0;
  withDecoder(type, [&](auto decode) {
    for (size_t i = 0, e = bits.size(); i < e; ++i)
      values[i] = sign * decode(bits[i]);
  });
}

/// The converse of withDecoder.
template <typename F> static auto withEncoder(MatrixType type, F f) {
  switch (type) {
  case MatrixType::F16:
    return f([](double value) { return Half::encode(value); });
  case MatrixType::BF16:
    return f([](double value) { return BFloat::encode(value); });
  case MatrixType::TF32:
    return f([](double value) { return TensorFloat::encode(value) << 13; });
  case MatrixType::F32:
    return f([](double value) -> uint64_t {
      return std::isnan(value) ? 0x7fffffff : asBits(float(value));
    });
  case MatrixType::F64:
    return f([](double value) { return asBits(value); });
  case MatrixType::E4M3:
    return f([](double value) { return Float8E4M3::encode(value); });
  case MatrixType::E5M2:
    return f([](double value) { return Float8E5M2::encode(value); });
  case MatrixType::E2M1:
    return f([](double value) { return Float4E2M1::encode(value); });
  case MatrixType::S8:
  case MatrixType::U8:
  case MatrixType::S4:
  case MatrixType::U4:
  case MatrixType::S32:
  case MatrixType::B1:
    break;
  }
  uint64_t mask = (uint64_t(1) << bitsOf(type)) - 1;
  return f([mask](double value) -> uint64_t {
    // Outside of 64 bits there is nothing to wrap.
    return std::fabs(value) < 0x1p63 ? uint64_t(int64_t(value)) & mask : 0;
  });
}

uint64_t mlir::tile::lowered::fromDouble(MatrixType type, double value) {
  return withEncoder(type, [&](auto encode) { return encode(value); });
}

void mlir::tile::lowered::fromDoubles(MatrixType type, ArrayRef<double> values,
                                      bool saturate, uint64_t *bits) {
  withEncoder(type, [&](auto encode) {
    if (saturate && type == MatrixType::S32) {
      for (size_t i = 0, e = values.size(); i < e; ++i)
        bits[i] = encode(std::fmin(std::fmax(values[i], -0x1p31), 0x1p31 - 1));
      return;
    }
    for (size_t i = 0, e = values.size(); i < e; ++i)
      bits[i] = encode(values[i]);
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void mlir::tile::lowered::multiplyAdd(unsigned m, unsigned n, unsigned k,
                                      const double *a, const double *b,
                                      double *c) {
  // Four terms at a time: the row of c is read and written a quarter as often.
  for (unsigned i = 0; i < m; ++i) {
    double *__restrict row = c + size_t(i) * n;
    const double *factors = a + size_t(i) * k;
    unsigned p = 0;
    for (; p + 4 <= k; p += 4) {
      double f0 = factors[p], f1 = factors[p + 1], f2 = factors[p + 2],
             f3 = factors[p + 3];
      const double *b0 = b + size_t(p) * n, *b1 = b0 + n, *b2 = b1 + n,
                   *b3 = b2 + n;
      for (unsigned j = 0; j < n; ++j)
        row[j] += (f0 * b0[j] + f1 * b1[j]) + (f2 * b2[j] + f3 * b3[j]);
    }
    for (; p < k; ++p)
      for (unsigned j = 0; j < n; ++j)
        row[j] += factors[p] * b[size_t(p) * n + j];
  }
}

void mlir::tile::lowered::fusedMultiplyAdd(unsigned m, unsigned n, unsigned k,
                                           const double *a, const double *b,
                                           double *c) {
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j)
      for (unsigned p = 0; p < k; ++p)
        c[i * n + j] = std::fma(a[i * k + p], b[p * n + j], c[i * n + j]);
}
