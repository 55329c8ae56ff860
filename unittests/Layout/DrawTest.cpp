//===- DrawTest.cpp - SVG and words ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Layout/Draw.h"
#include "LayoutTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace layouttest;

namespace {

template <typename Layout> std::string svg(const Layout &layout) {
  std::string result;
  llvm::raw_string_ostream os(result);
  drawSvg(layout, os);
  return result;
}

size_t count(llvm::StringRef text, llvm::StringRef what) {
  return text.count(what);
}

/// Every tag that is opened is closed, in order; attributes are quoted.
void expectWellFormed(llvm::StringRef text) {
  std::vector<std::string> open;
  while (!text.empty()) {
    size_t start = text.find('<');
    if (start == llvm::StringRef::npos)
      break;
    size_t end = text.find('>', start);
    ASSERT_NE(end, llvm::StringRef::npos);
    llvm::StringRef tag = text.slice(start + 1, end);
    text = text.drop_front(end + 1);
    if (tag.consume_front("/")) {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), tag.str());
      open.pop_back();
    } else {
      ASSERT_EQ(tag.count('"') % 2, 0u);
      open.push_back(tag.split(' ').first.str());
    }
  }
  ASSERT_TRUE(open.empty());
}

TEST(Draw, Fragment) {
  FragmentLayout acc = *mmaSyncFragment({16, 8, 16}, MmaOperand::C, 32);
  std::string picture = svg(acc);
  expectWellFormed(picture);
  // Rows 8 to 15 are held by the same threads, in their next two registers.
  EXPECT_EQ(count(picture, "drawn: one period, 8 x 8 of 16 x 8 elements<"), 1u);
  EXPECT_EQ(count(picture, "<rect"), 64u);
  EXPECT_EQ(count(picture, "(1, 5): register 1, lane 6, warp 0"), 1u);
  EXPECT_EQ(count(picture, ">T6 R1<"), 1u);
  EXPECT_EQ(picture, svg(acc)) << "deterministic";
  std::string sums = svg(*acc.sliced(1));
  EXPECT_EQ(count(sums, "<rect"), 8u);
  EXPECT_EQ(count(sums, ">T0 R0 +3<"), 1u);
}

TEST(Draw, WarpsAreHues) {
  std::string picture = svg(FragmentLayout::blocked({4, 32}, 128, 1, {1, 0}));
  for (const char *hue : {"hsl(0,", "hsl(90,", "hsl(180,", "hsl(270,"})
    EXPECT_EQ(count(picture, hue), 32u + 1u) << hue << " and the legend";
}

TEST(Draw, SharedBanks) {
  SharedLayout layout = SharedLayout::swizzled({8, 64}, 16);
  std::string picture = svg(layout);
  expectWellFormed(picture);
  EXPECT_EQ(count(picture, "<rect"), 512u);
  EXPECT_EQ(count(picture, "(1, 0): byte 144, bank 4<"), 1u);
  // 512 elements over 32 banks, evenly.
  EXPECT_EQ(count(picture, "bank 4<"), 16u);
}

TEST(Draw, SaysWhatItLeavesOut) {
  std::string picture = svg(SharedLayout::rowMajor({12, 200, 4}, 16));
  expectWellFormed(picture);
  // A row of 8 bytes, slices of 1600: banks begin again after 16 and after 2.
  EXPECT_EQ(count(picture, "drawn: one period, 2 x 16 x 4 of 12 x 200 x 4 "
                           "elements<"),
            1u);
  EXPECT_EQ(count(picture, "<rect"), 2u * 16u * 4u);
  EXPECT_EQ(count(picture, "slice (1)"), 1u);
  EXPECT_EQ(count(picture, "slice (2)"), 0u);
  // Rows of 65 bytes begin again after 128 of them: more than a picture holds.
  picture = svg(SharedLayout::rowMajor({4096, 65}, 8));
  EXPECT_EQ(count(picture, "one period, 128 x 65 of 4096 x 65 elements, of it "
                           "the first 32 of 128 rows, of it the first 64 of 65 "
                           "columns<"),
            1u);
  EXPECT_EQ(count(picture, "<rect"), 32u * 64u);
  // Nothing to draw is no error.
  expectWellFormed(svg(SharedLayout::rowMajor({0, 4}, 16)));
  EXPECT_EQ(count(svg(SharedLayout::rowMajor({}, 16)), "<rect"), 1u);
}

/// Colours and texts after one period are those of its beginning.
template <typename Layout, typename Fn>
void expectPeriodic(const Layout &layout, Fn key) {
  llvm::SmallVector<int64_t> period = drawnPeriod(layout);
  for (const Coords &coords : allCoords(layout.shape())) {
    llvm::SmallVector<int64_t> first;
    for (auto [coord, extent] : llvm::zip_equal(coords, period))
      first.push_back(coord % extent);
    ASSERT_EQ(key(coords), key(first));
  }
}

TEST(Draw, Period) {
  using Extents = llvm::SmallVector<int64_t>;
  for (SharedLayout layout :
       {SharedLayout::swizzled({128, 32}, 16),
        SharedLayout::swizzled({32, 128}, 16),
        SharedLayout::swizzled({64, 128}, 16, /*panels=*/true),
        SharedLayout::rowMajor({64, 48}, 32),
        SharedLayout::rowMajor({40, 60}, 8, 4)})
    expectPeriodic(layout, [&](llvm::ArrayRef<int64_t> coords) {
      return layout.byteOffset(coords) / 4 % 32;
    });
  EXPECT_EQ(drawnPeriod(SharedLayout::swizzled({128, 64}, 16)),
            Extents({8, 64}));

  FragmentLayout rows = FragmentLayout::blocked({64, 32}, 128, 1, {1, 0});
  expectPeriodic(rows, [&](llvm::ArrayRef<int64_t> coords) {
    return rows.owners(coords).front().warp * 32 +
           rows.owners(coords).front().lane;
  });
  EXPECT_EQ(drawnPeriod(rows), Extents({4, 32}));
}

TEST(Draw, StaysSmall) {
  constexpr size_t kMegabyte = 1000000;
  for (const SharedLayout &layout : {SharedLayout::swizzled({1024, 1024}, 8),
                                     SharedLayout::rowMajor({4095, 4095}, 16),
                                     SharedLayout::rowMajor({64, 64, 63}, 8)})
    EXPECT_LT(svg(layout).size(), kMegabyte);
  for (const FragmentLayout &layout :
       {FragmentLayout::blocked({256, 256}, 1024, 1, {0, 1}),
        FragmentLayout::blocked({1024, 1024}, 128, 8, {1, 0})})
    EXPECT_LT(svg(layout).size(), kMegabyte);
}

TEST(Draw, Legend) {
  std::string banks = svg(SharedLayout::rowMajor({8, 8}, 32));
  EXPECT_EQ(count(banks, "its number the bank"), 1u);
  EXPECT_EQ(count(banks, "<circle"), 32u);
  std::string warps = svg(FragmentLayout::blocked({4, 32}, 128, 1, {1, 0}));
  EXPECT_EQ(count(warps, "T thread, R its register"), 1u);
  EXPECT_EQ(count(warps, "<circle"), 4u);
}

TEST(Describe, SharedInWords) {
  auto words = [](const SharedLayout &layout) {
    std::string result;
    llvm::raw_string_ostream os(result);
    layout.describe(os);
    return result;
  };
  EXPECT_EQ(words(SharedLayout::swizzled({128, 32}, 16)),
            "a 128x32 buffer of 16-bit elements in 8192 bytes: 32 along "
            "dimension 1 next to each other, then 128 along dimension 0 every "
            "32 elements; address bits 4 to 5 are XORed with bits 7 to 8");
  EXPECT_EQ(words(SharedLayout::rowMajor({}, 32)),
            "a scalar buffer of 32-bit elements in 4 bytes: a single element");
}

} // namespace
