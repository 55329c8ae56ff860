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
  EXPECT_EQ(count(picture, "<rect"), 128u);
  EXPECT_EQ(count(picture, "(9, 5): register 3, lane 6, warp 0"), 1u);
  EXPECT_EQ(count(picture, ">T6 R3<"), 1u);
  EXPECT_EQ(count(picture, "drawn:"), 0u);
  EXPECT_EQ(picture, svg(acc)) << "deterministic";
  std::string sums = svg(*acc.sliced(1));
  EXPECT_EQ(count(sums, "<rect"), 16u);
  EXPECT_EQ(count(sums, ">T0 R0 +3<"), 1u);
}

TEST(Draw, WarpsAreHues) {
  std::string picture = svg(FragmentLayout::blocked({4, 32}, 128, 1, {1, 0}));
  for (const char *hue : {"hsl(0,", "hsl(90,", "hsl(180,", "hsl(270,"})
    EXPECT_EQ(count(picture, hue), 32u) << hue;
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
  EXPECT_EQ(count(picture, "drawn: the first 8 of 12 slices, 128 of 200 rows"),
            1u);
  EXPECT_EQ(count(picture, "<rect"), 8u * 128u * 4u);
  EXPECT_EQ(count(picture, "slice (7)"), 1u);
  // Nothing to draw is no error.
  expectWellFormed(svg(SharedLayout::rowMajor({0, 4}, 16)));
  EXPECT_EQ(count(svg(SharedLayout::rowMajor({}, 16)), "<rect"), 1u);
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
