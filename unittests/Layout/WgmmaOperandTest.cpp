//===- WgmmaOperandTest.cpp - operands of a whole gemm --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Layout/WgmmaOperand.h"
#include "gtest/gtest.h"

using namespace mlir::tile;
using llvm::SmallVector;

namespace {

/// Every element of every piece lies where the instruction reads it: the
/// hardware's address from the descriptor, moved by what the instruction adds.
void expectReads(const SharedLayout &shared, const WgmmaSplit &split) {
  auto operand = wgmmaOperand(shared, split);
  ASSERT_TRUE(bool(operand)) << operand.reason();
  int64_t bits = shared.elementBits(), k = 256 / bits, perChunk = 128 / bits;
  bool isKMajor = operand->descriptor.major == Major::K;
  for (int64_t group = 0; group < split.groups; ++group)
    for (int64_t repeat = 0; repeat < split.repeats; ++repeat)
      for (int64_t step = 0; step < split.steps; ++step)
        for (int64_t mn = 0; mn < split.extent; ++mn)
          for (int64_t kk = 0; kk < k; ++kk) {
            int64_t inChunk = (isKMajor ? kk : mn) % perChunk * bits / 8;
            int64_t read = wgmmaChunkOffset(operand->descriptor, mn, kk, bits) +
                           inChunk + group * operand->bytesPerGroup +
                           operand->offsets[repeat * split.steps + step];
            SmallVector<int64_t> at(2);
            at[split.mnDim] =
                (group * split.repeats + repeat) * split.extent + mn;
            at[split.kDim] = step * k + kk;
            ASSERT_EQ(read, shared.linearOffset(at) * bits / 8);
          }
}

TEST(WgmmaOperand, EveryListedLayoutIsReadRight) {
  // Extent of one instruction, groups, repeats; both majors.
  for (unsigned bits : {8u, 16u, 32u})
    for (int64_t extent : {8, 24, 40, 64, 96, 128, 192, 256})
      for (int64_t groups : {1, 2, 3})
        for (int64_t repeats : {1, 2})
          for (int64_t steps : {1, 2, 3, 4}) {
            int64_t mn = groups * repeats * extent, k = steps * 256 / bits;
            if (mn > 512)
              continue;
            std::string why;
            WgmmaSplit alongK{0, 1, groups, repeats, extent, steps};
            auto layouts = wgmmaLayouts({mn, k}, bits, alongK, why);
            ASSERT_FALSE(layouts.empty()) << why;
            for (const SharedLayout &layout : layouts)
              expectReads(layout, alongK);
            WgmmaSplit alongMn{1, 0, groups, repeats, extent, steps};
            layouts = wgmmaLayouts({k, mn}, bits, alongMn, why);
            // Only 16-bit operands may lie along m or n.
            ASSERT_EQ(layouts.empty(), bits != 16) << why;
            for (const SharedLayout &layout : layouts)
              expectReads(layout, alongMn);
          }
}

TEST(WgmmaOperand, PrefersTheWidestSwizzle) {
  std::string why;
  auto first = [&](int64_t rows, int64_t columns) {
    auto layouts = wgmmaLayouts({rows, columns}, 16,
                                {0, 1, 1, 1, rows, columns / 16}, why);
    return *tmaSwizzleMode(layouts.front());
  };
  EXPECT_EQ(first(64, 64), TmaSwizzle::B128);
  EXPECT_EQ(first(64, 128), TmaSwizzle::B128);
  EXPECT_EQ(first(64, 96), TmaSwizzle::B64);
  EXPECT_EQ(first(64, 32), TmaSwizzle::B64);
  EXPECT_EQ(first(64, 48), TmaSwizzle::B32);
}

TEST(WgmmaOperand, PanelsFillByOneBoxEach) {
  auto layout = panelLayout({128, 192}, 16, TmaSwizzle::B128);
  ASSERT_TRUE(bool(layout));
  auto tiling = tmaTiling(*layout, {{0, 0}, {128, 192}}, 1);
  ASSERT_TRUE(bool(tiling)) << tiling.reason();
  EXPECT_EQ(tiling->copies.size(), 3u);
  EXPECT_EQ(tiling->bytesPerCopy, 128 * 128);
  EXPECT_EQ(layout->alignment(), 1024);
}

TEST(WgmmaOperand, SaysWhyNot) {
  std::string why;
  WgmmaSplit split{1, 0, 1, 1, 64, 1};
  EXPECT_TRUE(wgmmaLayouts({32, 64}, 8, split, why).empty());
  EXPECT_EQ(why, "wgmma reads operands along m or n only in 16 bits, got 8");
  // Row-major rows of 256 bytes cannot be swizzled as wgmma reads them.
  auto rows =
      wgmmaOperand(SharedLayout::swizzled({64, 128}, 16), {0, 1, 1, 1, 64, 8});
  EXPECT_FALSE(bool(rows));
}

} // namespace
