//===- Tcgen05MovesTest.cpp - tcgen05.ld and tcgen05.st -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../lib/Lowered/Matrix.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::tile::lowered;

namespace {

std::string nameOf(const char *direction, const char *shape, unsigned count) {
  return std::string("tcgen05.") + direction + ".sync.aligned." + shape + ".x" +
         std::to_string(count) + ".b32";
}

/// A fragment's bits as CuTe writes them: digits of the thread and of the
/// register, fastest first, each with its weight in bits of the moved block,
/// whose rows of `rowBits` are lanes.
struct BitLayout {
  const char *shape;
  unsigned count, rowBits;
  std::vector<std::pair<unsigned, unsigned>> thread, reg;
};
const BitLayout kLayouts[] = {
    {"32x32b", 1, 32, {{32, 32}}, {}},
    {"32x32b", 8, 256, {{32, 256}}, {{8, 32}}},
    {"16x64b", 1, 64, {{2, 512}, {2, 32}, {8, 64}}, {}},
    {"16x64b", 2, 128, {{2, 1024}, {2, 32}, {8, 128}}, {{2, 64}}},
    {"16x64b", 8, 512, {{2, 4096}, {2, 32}, {8, 512}}, {{8, 64}}},
    {"16x128b", 1, 128, {{4, 32}, {8, 128}}, {{2, 1024}}},
    {"16x128b", 2, 256, {{4, 32}, {8, 256}}, {{2, 2048}, {2, 128}}},
    {"16x128b", 8, 1024, {{4, 32}, {8, 1024}}, {{2, 8192}, {8, 128}}},
    {"16x256b", 1, 256, {{4, 64}, {8, 256}}, {{2, 32}, {2, 2048}}},
    {"16x256b", 2, 512, {{4, 64}, {8, 512}}, {{2, 32}, {2, 4096}, {2, 256}}},
    {"16x256b", 8, 2048, {{4, 64}, {8, 2048}}, {{2, 32}, {2, 16384}, {8, 256}}},
};

unsigned bitOf(const std::vector<std::pair<unsigned, unsigned>> &digits,
               unsigned index) {
  unsigned bit = 0;
  for (auto [extent, weight] : digits) {
    bit += index % extent * weight;
    index /= extent;
  }
  return bit;
}

TEST(Tcgen05Places, EveryRegisterOfEveryShape) {
  for (const BitLayout &layout : kLayouts)
    for (const char *direction : {"ld", "st"})
      for (unsigned warp : {0, 3, 6})
        for (unsigned upper : {0, 16}) {
          if (upper && layout.shape[0] == '3')
            continue;
          SCOPED_TRACE(nameOf(direction, layout.shape, layout.count));
          unsigned lane = warp % 4 * 32 + upper, column = 72;
          std::vector<TensorPlace> places[32];
          ASSERT_EQ(tcgen05Places(nameOf(direction, layout.shape, layout.count),
                                  lane << 16 | column, warp, places),
                    "");
          std::set<std::pair<unsigned, unsigned>> seen;
          unsigned registers = 1;
          for (auto [extent, weight] : layout.reg)
            registers *= extent;
          for (unsigned thread = 0; thread < 32; ++thread) {
            ASSERT_EQ(places[thread].size(), registers);
            for (unsigned r = 0; r < registers; ++r) {
              unsigned bit =
                  bitOf(layout.thread, thread) + bitOf(layout.reg, r);
              TensorPlace got = places[thread][r];
              ASSERT_EQ(got.lane, lane + bit / layout.rowBits);
              ASSERT_EQ(got.column, column + bit % layout.rowBits / 32);
              ASSERT_TRUE(seen.insert({got.lane, got.column}).second);
            }
          }
        }
}

TEST(Tcgen05Places, FragmentsOfTheCompiler) {
  // A warpgroup reads a whole accumulator by one instruction of each warp.
  for (int64_t m : {64, 128})
    for (int64_t columns : {8, 16, 32, 64, 128}) {
      auto fragment = mlir::tile::tcgen05Fragment(m, {m, columns}, {4, 1});
      ASSERT_TRUE(bool(fragment)) << fragment.reason();
      std::string name = m == 128 ? nameOf("ld", "32x32b", columns)
                                  : nameOf("ld", "16x256b", columns / 8);
      for (unsigned warp = 0; warp < 4; ++warp) {
        std::vector<TensorPlace> places[32];
        ASSERT_EQ(tcgen05Places(name, (warp * 32) << 16, warp, places), "");
        for (int64_t lane = 0; lane < 32; ++lane) {
          ASSERT_EQ(int64_t(places[lane].size()), fragment->numRegisters());
          for (int64_t r = 0; r < fragment->numRegisters(); ++r) {
            auto at = fragment->coordinates({r, lane, warp, 0});
            TensorPlace got = places[lane][r];
            int64_t row =
                m == 128 ? got.lane : got.lane / 32 * 16 + got.lane % 32;
            ASSERT_EQ(row, at[0]);
            ASSERT_EQ(got.column, at[1]);
          }
        }
      }
    }
}

TEST(Tcgen05Places, BrokenRules) {
  std::vector<TensorPlace> places[32];
  auto rule = [&](const std::string &name, unsigned lane, unsigned column,
                  unsigned warp) {
    return tcgen05Places(name, lane << 16 | column, warp, places);
  };
  EXPECT_EQ(rule(nameOf("ld", "32x32b", 128), 96, 384, 7), "");
  EXPECT_EQ(rule(nameOf("ld", "32x32b", 128), 96, 385, 7),
            "expected at most 512 columns of tensor memory, got columns 385 to "
            "512");
  EXPECT_EQ(rule(nameOf("ld", "32x32b", 8), 0, 0, 1),
            "expected lane 32 in the address of warp 1, got 0");
  EXPECT_EQ(rule(nameOf("st", "32x32b", 8), 48, 0, 1),
            "expected lane 32 in the address of warp 1, got 48");
  EXPECT_EQ(rule(nameOf("st", "16x64b", 8), 56, 0, 1),
            "expected lane 32 or 48 in the address of warp 1, got 56");
  std::string unknown = "expected tcgen05.{ld,st}.sync.aligned.{32x32b,16x64b,"
                        "16x128b,16x256b}.xN.b32 of at most 128 registers, "
                        "got ";
  for (const std::string &name :
       {nameOf("ld", "16x256b", 64), nameOf("ld", "16x128b", 128),
        nameOf("ld", "32x32b", 3), nameOf("ld", "32x32b", 0),
        nameOf("cp", "32x32b", 1), nameOf("ld", "16x32bx2", 1),
        std::string("tcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32")})
    EXPECT_EQ(rule(name, 0, 0, 0), unknown + name);
}

} // namespace
