//===- WarpgroupPartsTest.cpp - what each warpgroup has of a tile ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Layout/WarpgroupParts.h"
#include "tile/Layout/Distribute.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace mlir::tile;

namespace {
using Parts = llvm::SmallVector<int64_t>;

/// Expects that the elements of warpgroup g are the g-th block of the tile.
void expectBlocks(const FragmentLayout &layout, const Parts &parts) {
  ASSERT_EQ(parts.size(), layout.shape().size());
  for (int64_t warp = 0; warp < layout.size(Axis::Warp); ++warp)
    for (int64_t lane = 0; lane < kWarpSize; ++lane)
      for (int64_t reg = 0; reg < layout.numRegisters(); ++reg) {
        auto at = layout.coordinates({reg, lane, warp, 0});
        for (unsigned d = 0; d < parts.size(); ++d)
          if (parts[d] > 1)
            EXPECT_EQ(at[d] / (layout.shape()[d] / parts[d]), warp / 4);
      }
}

FragmentLayout accumulators(int64_t rows, int64_t columns, WarpGrid warps) {
  auto one = wgmmaFragment({64, columns / warps.n, 16}, MmaOperand::C, 32);
  EXPECT_TRUE(bool(one)) << one.reason();
  auto tile = tileMmaFragment(*one, MmaOperand::C, {rows, columns}, warps);
  EXPECT_TRUE(bool(tile)) << tile.reason();
  return *tile;
}
} // namespace

TEST(WarpgroupParts, RowsOfAccumulators) {
  FragmentLayout two = accumulators(128, 64, {8, 1});
  EXPECT_EQ(warpgroupParts(two), Parts({2, 1}));
  expectBlocks(two, warpgroupParts(two));
  FragmentLayout three = accumulators(192, 32, {12, 1});
  EXPECT_EQ(warpgroupParts(three), Parts({3, 1}));
  expectBlocks(three, warpgroupParts(three));
}

TEST(WarpgroupParts, ColumnsOfAccumulators) {
  FragmentLayout layout = accumulators(64, 128, {4, 2});
  EXPECT_EQ(warpgroupParts(layout), Parts({1, 2}));
  expectBlocks(layout, warpgroupParts(layout));
}

TEST(WarpgroupParts, NotInBothDimensions) {
  EXPECT_TRUE(warpgroupParts(accumulators(128, 128, {8, 2})).empty());
}

TEST(WarpgroupParts, OneWarpgroupHasNoParts) {
  EXPECT_TRUE(warpgroupParts(accumulators(64, 64, {4, 1})).empty());
}

// Six warps are no whole warpgroups.
TEST(WarpgroupParts, WholeWarpgroupsOnly) {
  EXPECT_TRUE(
      warpgroupParts(distributed({192}, 192, {{1, 32, 6}}, {0}, true)).empty());
}

// The tile comes around: each warpgroup has several blocks of it.
TEST(WarpgroupParts, RepetitionsBehindWarps) {
  FragmentLayout around({512}, {{2, 0, 256}}, {{32, 0, 1}},
                        {{4, 0, 32}, {2, 0, 128}});
  EXPECT_TRUE(warpgroupParts(around).empty());
  FragmentLayout blocks({512}, {{2, 0, 32}}, {{32, 0, 1}},
                        {{4, 0, 64}, {2, 0, 256}});
  EXPECT_EQ(warpgroupParts(blocks), Parts({2}));
  expectBlocks(blocks, warpgroupParts(blocks));
}

// One digit that counts the warps of several warpgroups is not taken apart.
TEST(WarpgroupParts, DigitAcrossWarpgroups) {
  FragmentLayout layout({512}, {{2, 0, 32}}, {{32, 0, 1}}, {{8, 0, 64}});
  EXPECT_TRUE(warpgroupParts(layout).empty());
}

// Two warpgroups hold the same, and neither has a part of its own.
TEST(WarpgroupParts, Replication) {
  EXPECT_TRUE(
      warpgroupParts(distributed({128}, 256, {{1, 32, 4}}, {0}, true)).empty());
}

// The last block is not full.
TEST(WarpgroupParts, Overshoot) {
  EXPECT_TRUE(
      warpgroupParts(distributed({250}, 256, {{1, 32, 8}}, {0}, true)).empty());
}
