//===- MatrixTypesTest.cpp - elements against LLVM's floats ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../lib/Lowered/Matrix.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mlir::tile::lowered;
using llvm::APFloat;

namespace {

struct Float {
  MatrixType type;
  const llvm::fltSemantics &semantics;
  unsigned bits; // of the semantics; TF32 has 19 of a word's 32
};
const Float kFloats[] = {
    {MatrixType::F16, APFloat::IEEEhalf(), 16},
    {MatrixType::BF16, APFloat::BFloat(), 16},
    {MatrixType::TF32, APFloat::FloatTF32(), 19},
    {MatrixType::E4M3, APFloat::Float8E4M3FN(), 8},
    {MatrixType::E5M2, APFloat::Float8E5M2(), 8},
    {MatrixType::E2M1, APFloat::Float4E2M1FN(), 4},
};
unsigned dropped(const Float &f) { return f.type == MatrixType::TF32 ? 13 : 0; }

/// A value of the type in double, by LLVM.
double reference(const Float &f, uint64_t bits) {
  APFloat value(f.semantics, llvm::APInt(f.bits, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

TEST(MatrixTypes, EveryValueOfEveryFloat) {
  for (const Float &f : kFloats) {
    SCOPED_TRACE(int(f.type));
    for (uint64_t bits = 0; bits < uint64_t(1) << f.bits; ++bits) {
      double expected = reference(f, bits);
      double got = toDouble(f.type, bits << dropped(f));
      ASSERT_EQ(std::isnan(got), std::isnan(expected)) << bits;
      if (std::isnan(expected))
        continue;
      ASSERT_EQ(got, expected) << bits;
      ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
      ASSERT_EQ(fromDouble(f.type, got), bits << dropped(f));
    }
  }
}

TEST(MatrixTypes, RoundsToNearestEven) {
  std::mt19937_64 engine(1);
  for (const Float &f : kFloats) {
    SCOPED_TRACE(int(f.type));
    uint64_t positive = (uint64_t(1) << (f.bits - 1)) - 1;
    auto expectRounded = [&](double value) {
      APFloat expected(value);
      bool losesInfo;
      expected.convert(f.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
      uint64_t bits = expected.bitcastToAPInt().getZExtValue();
      if (expected.isNaN()) // E4M3 has no infinity
        ASSERT_EQ(f.type, MatrixType::E4M3);
      ASSERT_EQ(fromDouble(f.type, value), bits << dropped(f)) << value;
    };
    for (int i = 0; i < 200000; ++i) {
      uint64_t low = engine() % positive, high = low + 1;
      double a = reference(f, low), b = reference(f, high);
      if (!std::isfinite(a) || !std::isfinite(b))
        continue;
      double sign = engine() % 2 ? 1 : -1;
      expectRounded(sign * (a + b) / 2); // a tie
      expectRounded(sign * std::nextafter((a + b) / 2, a));
      expectRounded(sign * std::nextafter((a + b) / 2, b));
      expectRounded(sign * (a + (b - a) * double(engine() % 1000) / 1000));
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(MatrixTypes, BeyondTheLargest) {
  EXPECT_EQ(fromDouble(MatrixType::F16, 65519.0), 0x7bffu);
  EXPECT_EQ(fromDouble(MatrixType::F16, 65520.0), 0x7c00u);
  EXPECT_EQ(fromDouble(MatrixType::F16, -1e300), 0xfc00u);
  EXPECT_EQ(fromDouble(MatrixType::E4M3, 464.0), 0x7eu);
  EXPECT_EQ(fromDouble(MatrixType::E4M3, 465.0), 0x7fu);
  EXPECT_EQ(fromDouble(MatrixType::E5M2, 1e9), 0x7cu);
  EXPECT_EQ(fromDouble(MatrixType::F32, 1e300), 0x7f800000u);
  EXPECT_EQ(fromDouble(MatrixType::E2M1, 100.0), 0x7u);
}

TEST(MatrixTypes, TheNaNOfMatrixInstructions) {
  EXPECT_EQ(fromDouble(MatrixType::F16, std::nan("")), 0x7fffu);
  EXPECT_EQ(fromDouble(MatrixType::F32, -std::nan("")), 0x7fffffffu);
  EXPECT_EQ(fromDouble(MatrixType::BF16, std::nan("")), 0x7fffu);
  EXPECT_EQ(fromDouble(MatrixType::E4M3, std::nan("")), 0x7fu);
}

TEST(MatrixTypes, Tf32IgnoresTheLowBits) {
  EXPECT_EQ(toDouble(MatrixType::TF32, 0x3f801fff), 1.0);
  EXPECT_EQ(toDouble(MatrixType::TF32, 0x3f802000), 1.0 + 1.0 / 1024);
}

TEST(MatrixTypes, Integers) {
  EXPECT_EQ(toDouble(MatrixType::S8, 0xff), -1);
  EXPECT_EQ(toDouble(MatrixType::U8, 0xff), 255);
  EXPECT_EQ(toDouble(MatrixType::S4, 0x8), -8);
  EXPECT_EQ(toDouble(MatrixType::U4, 0x8), 8);
  EXPECT_EQ(toDouble(MatrixType::S32, 0x80000000), -2147483648.0);
  EXPECT_EQ(fromDouble(MatrixType::S32, 2147483648.0), 0x80000000u);
  EXPECT_EQ(fromDouble(MatrixType::S32, -1.0), 0xffffffffu);
  EXPECT_EQ(fromDouble(MatrixType::S8, -128.0), 0x80u);
  EXPECT_EQ(fromDouble(MatrixType::U8, 255.0), 0xffu);
}

} // namespace
