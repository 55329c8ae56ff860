//===- ExprTest.cpp - Manifest expressions --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tile/Runtime/Expr.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

using namespace mlir::tile::runtime;
using Kind = Expr::Kind;

namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

/// Evaluates `kind` on values that folding cannot see.
Expr::Value eval(Kind kind, int64_t a, int64_t b) {
  int64_t shape[] = {a, b};
  ExprArg arg = {shape, shape, 2, false, 0};
  return Expr::binary(kind, Expr::dim(0, 0), Expr::dim(0, 1))
      .evaluate(Span<const ExprArg>(&arg, 1));
}

TEST(Expr, DivisionRoundsAsNamed) {
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b = -4; b <= 4; ++b) {
      if (b == 0)
        continue;
      // The definition: q*b <= a < (q+1)*b scaled by the divisor's sign.
      int64_t floor = eval(Kind::FloorDiv, a, b).value;
      int64_t sign = b > 0 ? 1 : -1;
      EXPECT_LE(floor * b * sign, a * sign);
      EXPECT_GT((floor + 1) * b * sign, a * sign);
      int64_t ceil = eval(Kind::CeilDiv, a, b).value;
      EXPECT_EQ(ceil, -eval(Kind::FloorDiv, -a, b).value);
      if (b > 0) {
        EXPECT_EQ(eval(Kind::Mod, a, b).value, a - floor * b);
      }
    }
}

TEST(Expr, Comparisons) {
  for (int64_t a : {kMin, int64_t(-1), int64_t(0), int64_t(3), kMax})
    for (int64_t b : {kMin, int64_t(-1), int64_t(0), int64_t(3), kMax}) {
      EXPECT_EQ(eval(Kind::Eq, a, b).value, a == b);
      EXPECT_EQ(eval(Kind::Ne, a, b).value, a != b);
      EXPECT_EQ(eval(Kind::Lt, a, b).value, a < b);
      EXPECT_EQ(eval(Kind::Le, a, b).value, a <= b);
      EXPECT_EQ(eval(Kind::Gt, a, b).value, a > b);
      EXPECT_EQ(eval(Kind::Ge, a, b).value, a >= b);
      EXPECT_EQ(eval(Kind::Min, a, b).value, a < b ? a : b);
      EXPECT_EQ(eval(Kind::Max, a, b).value, a < b ? b : a);
      EXPECT_EQ(eval(Kind::And, a, b).value, a && b);
      EXPECT_EQ(eval(Kind::Or, a, b).value, a || b);
    }
}

TEST(Expr, ArithmeticIsChecked) {
  EXPECT_FALSE(eval(Kind::Add, kMax, 1).ok());
  EXPECT_FALSE(eval(Kind::Sub, kMin, 1).ok());
  EXPECT_FALSE(eval(Kind::Mul, kMax, 2).ok());
  EXPECT_FALSE(eval(Kind::FloorDiv, kMin, -1).ok());
  EXPECT_FALSE(eval(Kind::CeilDiv, kMin, -1).ok());
  EXPECT_STREQ(eval(Kind::FloorDiv, 1, 0).error, "division by zero");
  EXPECT_STREQ(eval(Kind::CeilDiv, 1, 0).error, "division by zero");
  EXPECT_STREQ(eval(Kind::Mod, 1, 0).error, "modulus is not positive");
  EXPECT_STREQ(eval(Kind::Mod, 1, -2).error, "modulus is not positive");
  EXPECT_EQ(eval(Kind::CeilDiv, kMax, 128).value, (kMax >> 7) + 1);
  EXPECT_EQ(eval(Kind::FloorDiv, kMin, 2).value, kMin / 2);
}

TEST(Expr, LogicIsLazy) {
  int64_t shape[] = {0, 5};
  ExprArg arg = {shape, shape, 2, false, 0};
  Span<const ExprArg> args(&arg, 1);
  Expr bad = floorDiv(Expr::dim(0, 1), Expr::dim(0, 0));
  Expr zero = Expr::dim(0, 0), five = Expr::dim(0, 1);
  EXPECT_EQ(Expr::binary(Kind::And, zero, bad).evaluate(args).value, 0);
  EXPECT_TRUE(Expr::binary(Kind::And, zero, bad).evaluate(args).ok());
  EXPECT_EQ(Expr::binary(Kind::Or, five, bad).evaluate(args).value, 1);
  EXPECT_FALSE(Expr::binary(Kind::And, five, bad).evaluate(args).ok());
  EXPECT_FALSE(Expr::binary(Kind::Or, zero, bad).evaluate(args).ok());
}

TEST(Expr, AsksOnlyForWhatThereIs) {
  int64_t shape[] = {3}, strides[] = {7};
  ExprArg args[] = {{shape, strides, 1, false, 0},
                    {nullptr, nullptr, 0, true, -4}};
  EXPECT_EQ(Expr::dim(0, 0).evaluate(args).value, 3);
  EXPECT_EQ(Expr::stride(0, 0).evaluate(args).value, 7);
  EXPECT_EQ(Expr::scalar(1).evaluate(args).value, -4);
  EXPECT_FALSE(Expr::dim(0, 1).evaluate(args).ok());
  EXPECT_FALSE(Expr::stride(2, 0).evaluate(args).ok());
  EXPECT_FALSE(Expr::scalar(0).evaluate(args).ok());
  EXPECT_FALSE(Expr::scalar(9).evaluate(args).ok());
}

TEST(Expr, ConstantsFoldWhereDefined) {
  EXPECT_EQ(ceilDiv(1000, 128), Expr(8));
  EXPECT_EQ((Expr(2) + 3) * 4 - 1, Expr(19));
  EXPECT_FALSE(floorDiv(1, 0).isConstant());
  EXPECT_FALSE((Expr(kMax) + 1).isConstant());
}

TEST(Expr, EqualityAndText) {
  Expr a = ceilDiv(Expr::dim(0, 1), 128) * Expr::scalar(2);
  Expr b = ceilDiv(Expr::dim(0, 1), 128) * Expr::scalar(2);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, ceilDiv(Expr::dim(0, 1), 127) * Expr::scalar(2));
  EXPECT_NE(Expr::dim(0, 1), Expr::stride(0, 1));
  EXPECT_EQ(a.str(), "mul(ceildiv(dim(0, 1), 128), scalar(2))");
  EXPECT_EQ(a.depth(), 3u);
}

/// A tree of `depth` levels at most, some of whose leaves have no value.
Expr randomExpr(std::mt19937 &random, unsigned depth) {
  auto upTo = [&](unsigned most) {
    return std::uniform_int_distribution<unsigned>(0, most)(random);
  };
  if (depth == 1 || upTo(5) == 0)
    switch (upTo(4)) {
    case 0:
      return Expr::dim(upTo(1), upTo(2));
    case 1:
      return Expr::stride(0, upTo(1));
    case 2:
      return Expr::scalar(upTo(2));
    default:
      return Expr(int64_t(upTo(6)) - 2);
    }
  Kind kind = Kind(unsigned(Kind::Add) +
                   upTo(unsigned(Kind::Or) - unsigned(Kind::Add)));
  return Expr::binary(kind, randomExpr(random, depth - 1),
                      randomExpr(random, depth - 1));
}

TEST(Expr, ProgramsGiveTheSame) {
  std::mt19937 random(11);
  int64_t shape[] = {3, 0}, strides[] = {7, kMax};
  ExprArg args[] = {{shape, strides, 2, false, 0},
                    {nullptr, nullptr, 0, true, -4}};
  unsigned values = 0, errors = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    Expr expr = randomExpr(random, 1 + i % 7);
    Expr::Value tree = expr.evaluate(args);
    Expr::Value program = ExprProgram(expr).evaluate(args);
    ASSERT_EQ(tree.value, program.value) << expr.str();
    ASSERT_STREQ(tree.error, program.error) << expr.str();
    ++(tree.ok() ? values : errors);
  }
  EXPECT_GT(values, 5000u);
  EXPECT_GT(errors, 2000u);
  // As deep as trees may be, to either side.
  Expr left = Expr::dim(0, 0), right = Expr::dim(0, 0);
  for (unsigned i = 1; i < Expr::kMaxDepth; ++i) {
    left = left + Expr::dim(0, 0);
    right = Expr::dim(0, 0) + right;
  }
  EXPECT_EQ(ExprProgram(left).evaluate(args).value, 3 * Expr::kMaxDepth);
  EXPECT_EQ(ExprProgram(right).evaluate(args).value, 3 * Expr::kMaxDepth);
}

} // namespace
