//===- BoundedAffineTest.cpp - affine expressions of bounded numbers ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Analysis/BoundedAffine.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <limits>
#include <random>

using namespace mlir;
using namespace mlir::tile;

namespace {

/// The value of an expression of dimensions and symbols at a point.
int64_t valueAt(AffineExpr expr, ArrayRef<int64_t> dims,
                ArrayRef<int64_t> symbols) {
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> at, known;
  for (int64_t value : dims)
    at.push_back(getAffineConstantExpr(value, context));
  for (int64_t value : symbols)
    known.push_back(getAffineConstantExpr(value, context));
  return cast<AffineConstantExpr>(expr.replaceDimsAndSymbols(at, known))
      .getValue();
}

std::string text(AffineExpr expr) {
  std::string result;
  llvm::raw_string_ostream(result) << expr;
  return result;
}

class BoundedAffine : public testing::Test {
protected:
  MLIRContext context;
  AffineExpr dim(unsigned i) { return getAffineDimExpr(i, &context); }
  AffineExpr symbol(unsigned i) { return getAffineSymbolExpr(i, &context); }
  AffineExpr constant(int64_t value) {
    return getAffineConstantExpr(value, &context);
  }
};

TEST_F(BoundedAffine, TakesMultiplesOutOfQuotients) {
  AffineExpr t = dim(0), r = dim(1), s = symbol(0);
  int64_t extents[] = {4, 8};
  EXPECT_EQ(simplifyBounded((t * 2 + 17).floorDiv(2), extents), t + 8);
  EXPECT_EQ(simplifyBounded((t * 2 + 17) % 2, extents), constant(1));
  EXPECT_EQ(simplifyBounded((t * 2 + r * 16 + 9) % 16, extents), t * 2 + 9);
  EXPECT_EQ(simplifyBounded((t * 2 + 1).floorDiv(4), extents), t.floorDiv(2));
  EXPECT_EQ(simplifyBounded((t * 2 + 1) % 4, extents), (t % 2) * 2 + 1);
  EXPECT_EQ(simplifyBounded((t + s * 4).floorDiv(4), extents), s);
  EXPECT_EQ(simplifyBounded((t - 4).floorDiv(4), extents), constant(-1));
  EXPECT_EQ(simplifyBounded((t + 1).ceilDiv(5), extents), constant(1));
}

TEST_F(BoundedAffine, CancelsWhatItFinds) {
  // The order of codes in words of a weight, as MLIR leaves it.
  AffineExpr j = dim(0) * 2 + 1;
  int64_t extents[] = {4};
  AffineExpr shift = j * 16 + (j % 16).floorDiv(8) * 4 - j.floorDiv(2) * 32 +
                     (j % 32).floorDiv(16) * 8;
  EXPECT_EQ(simplifyBounded(shift, extents), constant(16));
}

TEST_F(BoundedAffine, KeepsLargeNumbersAndOtherDivisors) {
  int64_t extents[] = {4};
  AffineExpr large = dim(0) * (int64_t(1) << 40) + 1;
  EXPECT_EQ(simplifyBounded(large, extents), large);
  AffineExpr least = dim(0) + std::numeric_limits<int64_t>::min();
  EXPECT_EQ(simplifyBounded(least, extents), least);
  AffineExpr other = dim(0).floorDiv(symbol(0));
  EXPECT_EQ(simplifyBounded(other, extents), other);
}

/// An expression with quotients and remainders of up to `depth` levels.
AffineExpr randomExpr(std::mt19937 &random, MLIRContext *context, int depth) {
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  if (depth == 0 || pick(0, 5) == 0)
    switch (pick(0, 4)) {
    case 0:
      return getAffineConstantExpr(pick(-40, 40), context);
    case 1:
      return getAffineSymbolExpr(0, context);
    default:
      return getAffineDimExpr(pick(0, 2), context);
    }
  AffineExpr lhs = randomExpr(random, context, depth - 1);
  int64_t powers[] = {1, 2, 3, 4, 6, 8, 12, 16, 32};
  int64_t divisor = powers[pick(0, 8)];
  switch (pick(0, 6)) {
  case 0:
  case 1:
    return lhs + randomExpr(random, context, depth - 1);
  case 2:
    return lhs * pick(-8, 8);
  case 3:
    return lhs.ceilDiv(divisor);
  case 4:
    return lhs % divisor;
  default:
    return lhs.floorDiv(divisor);
  }
}

TEST_F(BoundedAffine, KeepsTheValueAtEachPoint) {
  std::mt19937 random(20261126);
  for (int number = 0; number < 3000; ++number) {
    AffineExpr expr = randomExpr(random, &context, 5);
    int64_t extents[3];
    for (int64_t &extent : extents)
      extent = std::uniform_int_distribution<int64_t>(1, 6)(random);
    AffineExpr simple = simplifyBounded(expr, extents);
    for (int64_t a = 0; a < extents[0]; ++a)
      for (int64_t b = 0; b < extents[1]; ++b)
        for (int64_t c = 0; c < extents[2]; ++c)
          for (int64_t s : {-17, 0, 5}) {
            int64_t dims[] = {a, b, c};
            ASSERT_EQ(valueAt(simple, dims, s), valueAt(expr, dims, s))
                << text(expr) << " became " << text(simple);
          }
  }
}

} // namespace
