//===- TmaElementsTest.cpp - Reductions and fills of TMA ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TensorMapTestUtil.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir::tile::lowered;
using namespace mlir::tile::lowered::test;

TEST(TmaElements, FillsWithZerosOrNaN) {
  unsigned char bytes[16];
  std::memset(bytes, 0xab, sizeof(bytes));
  TiledParameters p;
  tmaFill(p.fields(), bytes, 6);
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(bytes[i], i < 6 ? 0 : 0xab);

  p.fill = 1;
  p.type = cuda::kMapFloat32;
  p.box[0] = 32;
  float values[4] = {1, 2, 3, 4};
  tmaFill(p.fields(), values, 12);
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[2]));
  EXPECT_EQ(values[3], 4);
  p.type = cuda::kMapFloat64;
  p.box[0] = 16;
  double wide[2] = {1, 2};
  tmaFill(p.fields(), wide, 16);
  EXPECT_TRUE(std::isnan(wide[0]) && std::isnan(wide[1]));
  p.type = cuda::kMapFloat16;
  uint16_t half[2];
  tmaFill(p.fields(), half, 4);
  EXPECT_EQ(half[0], 0x7fff);
  EXPECT_EQ(half[1], 0x7fff);
}

TEST(TmaElements, LoadsRoundToTf32) {
  TiledParameters p;
  p.type = cuda::kMapFloat32;
  p.box[0] = 32;
  // A tie goes away from zero, what is below it towards zero.
  const float in[6] = {1 + 0x1p-11f,
                       -1 - 0x1p-11f,
                       1 + 0x1.fp-12f,
                       0x1.8p-137f,
                       std::numeric_limits<float>::infinity(),
                       std::numeric_limits<float>::quiet_NaN()};
  float out[6];
  tmaLoad(p.fields(), out, in, sizeof(in));
  EXPECT_EQ(std::memcmp(in, out, sizeof(in)), 0);
  p.type = cuda::kMapTFloat32;
  tmaLoad(p.fields(), out, in, sizeof(in));
  EXPECT_EQ(out[0], 1 + 0x1p-10f);
  EXPECT_EQ(out[1], -1 - 0x1p-10f);
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(out[3], 0x1p-136f);
  EXPECT_EQ(out[4], in[4]);
  EXPECT_TRUE(std::isnan(out[5]));
}

template <typename T>
static void expectReduced(const char *op, int type, std::vector<T> dst,
                          const std::vector<T> &src,
                          const std::vector<T> &result) {
  EXPECT_TRUE(tmaReduce(op, type, dst.data(), src.data(),
                        uint32_t(dst.size() * sizeof(T))))
      << op;
  EXPECT_EQ(dst, result) << op << " of type " << type;
}

TEST(TmaElements, ReducesIntegers) {
  using U = uint32_t;
  constexpr U kMax = ~U(0);
  expectReduced<U>("add", cuda::kMapUInt32, {1, kMax}, {2, 2}, {3, 1});
  expectReduced<U>("min", cuda::kMapUInt32, {1, kMax}, {2, 2}, {1, 2});
  expectReduced<U>("max", cuda::kMapUInt32, {1, kMax}, {2, 2}, {2, kMax});
  expectReduced<U>("inc", cuda::kMapUInt32, {1, 2, 3}, {2, 2, 2}, {2, 0, 0});
  expectReduced<U>("dec", cuda::kMapUInt32, {1, 0, 3, 2}, {2, 2, 2, 2},
                   {0, 2, 2, 1});
  expectReduced<U>("and", cuda::kMapUInt32, {0xf0}, {0x3c}, {0x30});
  expectReduced<U>("or", cuda::kMapUInt32, {0xf0}, {0x3c}, {0xfc});
  expectReduced<U>("xor", cuda::kMapUInt32, {0xf0}, {0x3c}, {0xcc});
  using I = int32_t;
  constexpr I kMost = std::numeric_limits<I>::max();
  expectReduced<I>("add", cuda::kMapInt32, {kMost}, {1},
                   {std::numeric_limits<I>::min()});
  expectReduced<I>("min", cuda::kMapInt32, {-1, 5}, {2, 2}, {-1, 2});
  expectReduced<I>("max", cuda::kMapInt32, {-1, 5}, {2, 2}, {2, 5});
  expectReduced<int64_t>("min", cuda::kMapInt64, {-1}, {2}, {-1});
  expectReduced<uint64_t>("min", cuda::kMapUInt64, {~uint64_t(0)}, {2}, {2});
  expectReduced<uint64_t>("add", cuda::kMapUInt64, {~uint64_t(0)}, {2}, {1});
}

TEST(TmaElements, ReducesFloats) {
  expectReduced<float>("add", cuda::kMapFloat32, {1.5f, -2}, {1, 2}, {2.5f, 0});
  expectReduced<double>("add", cuda::kMapFloat64, {1.5}, {0.25}, {1.75});
  // f16: 1 + 2, 2048 + 1 (a tie, to even), 65504 + 32 (to infinity).
  expectReduced<uint16_t>("add", cuda::kMapFloat16, {0x3c00, 0x6800, 0x7bff},
                          {0x4000, 0x3c00, 0x5000}, {0x4200, 0x6800, 0x7c00});
  // bf16: 256 + 1 is a tie and stays 256, 258 + 1 becomes 260.
  expectReduced<uint16_t>("add", cuda::kMapBFloat16, {0x4380, 0x4381},
                          {0x3f80, 0x3f80}, {0x4380, 0x4382});
  expectReduced<uint16_t>("min", cuda::kMapFloat16, {0xbc00, 0x7e00},
                          {0x3c00, 0x3c00}, {0xbc00, 0x3c00});
  expectReduced<uint16_t>("max", cuda::kMapBFloat16, {0xbf80}, {0x3f80},
                          {0x3f80});
}

TEST(TmaElements, HasNoOtherReductions) {
  uint64_t a[2] = {1, 2}, b[2] = {3, 4};
  auto reduces = [&](const char *op, int type) {
    return tmaReduce(op, type, a, b, 16);
  };
  EXPECT_FALSE(reduces("add", cuda::kMapInt64));
  EXPECT_FALSE(reduces("inc", cuda::kMapInt32));
  EXPECT_FALSE(reduces("dec", cuda::kMapUInt64));
  EXPECT_FALSE(reduces("min", cuda::kMapFloat32));
  EXPECT_FALSE(reduces("xor", cuda::kMapFloat16));
  EXPECT_FALSE(reduces("add", cuda::kMapUInt8));
  EXPECT_FALSE(reduces("add", cuda::kMapTFloat32));
  EXPECT_FALSE(reduces("mul", cuda::kMapUInt32));
  EXPECT_EQ(a[0], 1u);
  EXPECT_EQ(a[1], 2u);
}
