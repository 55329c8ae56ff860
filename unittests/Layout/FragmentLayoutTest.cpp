//===- FragmentLayoutTest.cpp - the tutorial's examples and refusals ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace layouttest;

namespace {

Coords at(const FragmentLayout &layout, HardwareIndex index) {
  auto coords = layout.coordinates(index);
  return Coords(coords.begin(), coords.end());
}

//===----------------------------------------------------------------------===//
// The tutorial of FragmentLayout.h
//===----------------------------------------------------------------------===//

FragmentLayout accumulator() {
  return *mmaSyncFragment({16, 8, 16}, MmaOperand::C, 32);
}

TEST(FragmentTutorial, MmaAccumulator) {
  FragmentLayout layout = accumulator();
  EXPECT_EQ(text(layout), "shape [16, 8] reg [(2, 1:1), (2, 0:8)] "
                          "lane [(4, 1:2), (8, 0:1)] warp []");
  EXPECT_EQ(at(layout, {3, 6, 0, 0}), (Coords{9, 5}));
  auto owners = layout.owners({9, 5});
  ASSERT_EQ(owners.size(), 1u);
  EXPECT_TRUE((owners[0] == HardwareIndex{3, 6, 0, 0}));
  EXPECT_EQ(layout.vectorWidth(1), 2);
  EXPECT_EQ(layout.vectorWidth(0), 1);
  EXPECT_TRUE(layout.isBijective());
}

TEST(FragmentTutorial, CoalescedCopy) {
  FragmentLayout layout = FragmentLayout::blocked({128, 32}, 128, 8, {1, 0});
  EXPECT_EQ(text(layout), "shape [128, 32] reg [(8, 1:1), (4, 0:32)] "
                          "lane [(4, 1:8), (8, 0:1)] warp [(4, 0:8)]");
  EXPECT_EQ(layout.vectorWidth(1), 8);
  EXPECT_TRUE(layout.isBijective());
  // A warp's first access covers rows 0..7 entirely.
  std::set<Coords> first;
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t reg = 0; reg < 8; ++reg)
      first.insert(at(layout, {reg, lane, 0, 0}));
  EXPECT_EQ(first.size(), 8u * 32u);
  EXPECT_EQ(*first.rbegin(), (Coords{7, 31}));
}

/// Lanes in a group next to each other, by asking each lane where it is.
static int64_t lanesInRowByElements(const FragmentLayout &layout, unsigned dim,
                                    int64_t run) {
  auto isNext = [&](int64_t lane) {
    Coords before = at(layout, {0, lane, 0, 0});
    before[dim] += run;
    return before == at(layout, {0, lane + 1, 0, 0});
  };
  for (int64_t count = layout.size(Axis::Lane); count > 1; count /= 2) {
    bool all = true;
    for (int64_t lane = 0; lane + 1 < layout.size(Axis::Lane); ++lane)
      all &= (lane + 1) % count == 0 || isNext(lane);
    if (all)
      return count;
  }
  return 1;
}

TEST(FragmentLayout, LanesInRow) {
  struct Case {
    FragmentLayout layout;
    int64_t run, lanes;
  };
  auto rows = [](Modes lanes, int64_t columns = 4096) {
    return FragmentLayout({64, columns}, {{8, 1, 1}}, std::move(lanes),
                          {{2, 0, 32}});
  };
  for (const auto &[layout, run, lanes] :
       {Case{FragmentLayout::blocked({128, 32}, 128, 8, {1, 0}), 8, 4},
        Case{FragmentLayout::blocked({1, 2048}, 128, 8, {1, 0}), 8, 32},
        Case{rows({{32, 1, 8}}), 8, 32}, Case{rows({{32, 1, 8}}), 4, 1},
        Case{rows({{2, 1, 8}, {4, 1, 16}, {4, 0, 1}}), 8, 8},
        Case{rows({{4, 0, 1}, {8, 1, 8}}), 8, 1},
        Case{rows({{2, Mode::kReplicated, 0}, {16, 1, 8}}), 8, 1},
        Case{rows({{4, 1, 8}, {8, 1, 64}}), 8, 4},
        Case{rows({{16, 1, 16}, {2, 1, 8}}), 8, 1}}) {
    EXPECT_EQ(layout.lanesInRow(1, run), lanes) << text(layout);
    EXPECT_EQ(lanesInRowByElements(layout, 1, run), lanes) << text(layout);
    EXPECT_EQ(layout.lanesInRow(0, run), 1) << text(layout);
  }
}

TEST(FragmentTutorial, ReplicationAfterReduction) {
  FragmentLayout rows = *accumulator().sliced(1);
  EXPECT_EQ(text(rows),
            "shape [16] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp []");
  EXPECT_EQ(rows.replication(), 4);
  EXPECT_EQ(rows.owners({9}).size(), 4u);
  EXPECT_FALSE(rows.isBijective());
  EXPECT_EQ(text(*accumulator().sliced(1, /*keepDim=*/true)),
            "shape [16, 1] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp []");
  FragmentLayout wide = rows.expanded(1, 8);
  EXPECT_EQ(text(wide), "shape [16, 8] reg [(2, 0:8), (8, 1:1)] "
                        "lane [(4, *), (8, 0:1)] warp []");
  EXPECT_EQ(wide.vectorWidth(1), 1);
  EXPECT_EQ(wide.withFastestRegisterDim(1).vectorWidth(1), 8);
}

TEST(FragmentTutorial, NoPowersOfTwoNeeded) {
  FragmentLayout layout = FragmentLayout::blocked({96, 96}, 128, 8, {1, 0});
  EXPECT_EQ(text(layout), "shape [96, 96] reg [(8, 1:1), (3, 1:32), (3, 0:32)] "
                          "lane [(4, 1:8), (8, 0:1)] warp [(4, 0:8)]");
  EXPECT_FALSE(layout.overshoots());
  EXPECT_TRUE(layout.isBijective());
  EXPECT_EQ(layout.numRegisters(), 96 * 96 / 128);
}

TEST(FragmentTutorial, Overshoot) {
  FragmentLayout layout = FragmentLayout::blocked({7, 5}, 64, 1, {1, 0});
  EXPECT_EQ(text(layout), "shape [7, 5] reg [] lane [(8, 1:1), (4, 0:1)] "
                          "warp [(2, 0:4)]");
  EXPECT_TRUE(layout.overshoots());
  EXPECT_EQ(at(layout, {0, 31, 1, 0}), (Coords{7, 7}));
  EXPECT_FALSE(layout.inBounds({7, 7}));
  EXPECT_TRUE(layout.inBounds({6, 4}));
  EXPECT_TRUE(layout.owners({7, 7}).empty());
  EXPECT_TRUE(layout.isBijective());
  EXPECT_TRUE(bool(layout.verify()));
}

//===----------------------------------------------------------------------===//
// More of blocked() and replicated()
//===----------------------------------------------------------------------===//

TEST(Blocked, ShapesOfRealKernels) {
  struct Case {
    Coords shape;
    int64_t threads, vector;
    std::vector<unsigned> order;
    const char *expected;
  };
  const Case cases[] = {
      // Whole rows per warp, no predicate.
      {{80, 64},
       128,
       8,
       {1, 0},
       "shape [80, 64] reg [(8, 1:1), (5, 0:16)] lane [(8, 1:8), (4, 0:1)] "
       "warp [(4, 0:4)]"},
      // 576 = 9 * 64 columns of a latent cache.
      {{64, 576},
       256,
       8,
       {1, 0},
       "shape [64, 576] reg [(8, 1:1), (9, 1:64), (2, 0:32)] "
       "lane [(8, 1:8), (4, 0:1)] warp [(8, 0:4)]"},
      // Column-major: threads run along dimension 0.
      {{64, 64},
       128,
       4,
       {0, 1},
       "shape [64, 64] reg [(4, 0:1), (8, 1:8)] lane [(16, 0:4), (2, 1:1)] "
       "warp [(4, 1:2)]"},
      // More threads than elements: the rest replicate.
      {{16},
       64,
       1,
       {0},
       "shape [16] reg [] lane [(16, 0:1), (2, *)] "
       "warp [(2, *)]"},
      // Three warps, and a vector of sums.
      {{192},
       96,
       1,
       {0},
       "shape [192] reg [(2, 0:96)] lane [(32, 0:1)] warp [(3, 0:32)]"},
      {{}, 64, 1, {}, "shape [] reg [] lane [(32, *)] warp [(2, *)]"},
      {{1}, 32, 1, {0}, "shape [1] reg [] lane [(32, *)] warp []"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(
        text(FragmentLayout::blocked(c.shape, c.threads, c.vector, c.order)),
        c.expected);
  // An empty tile is held by everybody and overshoots.
  FragmentLayout empty = FragmentLayout::blocked({0, 8}, 32, 8, {1, 0});
  EXPECT_TRUE(bool(empty.verify()));
  EXPECT_TRUE(empty.overshoots());
  EXPECT_TRUE(empty.owners({0, 0}).empty());
}

TEST(Blocked, ReplicatedHoldsEverythingEverywhere) {
  FragmentLayout layout = FragmentLayout::replicated({2, 3}, 64);
  EXPECT_EQ(text(layout), "shape [2, 3] reg [(3, 1:1), (2, 0:1)] "
                          "lane [(32, *)] warp [(2, *)]");
  EXPECT_EQ(layout.replication(), 64);
  EXPECT_EQ(layout.owners({1, 2}).size(), 64u);
}

//===----------------------------------------------------------------------===//
// Refusals and conversions
//===----------------------------------------------------------------------===//

std::string reason(const FragmentLayout &layout) {
  OrRefusal<bool> ok = layout.verify();
  return ok ? std::string("accepted") : ok.reason();
}

TEST(Fragment, VerifyNamesTheModeAndTheExtent) {
  constexpr int64_t big = int64_t(1) << 40;
  EXPECT_EQ(reason(FragmentLayout({4}, {{2, 0, 2}}, {{2, 0, 1}}, {})),
            "accepted");
  EXPECT_EQ(reason(FragmentLayout({4}, {{2, 0, 1}}, {}, {})),
            "coordinate 2 of dimension 0 (extent 4) is held by no thread");
  EXPECT_EQ(reason(FragmentLayout({4}, {{2, 0, 2}}, {{3, 0, 3}}, {})),
            "coordinate 1 of dimension 0 (extent 4) is held by no thread");
  EXPECT_EQ(reason(FragmentLayout({4}, {{4, 1, 1}}, {}, {})),
            "expected a dimension below 1 in register mode 0, got 1");
  EXPECT_EQ(reason(FragmentLayout({4}, {}, {{2, 0, 1}, {0, 0, 2}}, {})),
            "expected a positive extent in lane mode 1, got 0");
  EXPECT_EQ(reason(FragmentLayout({4}, {}, {}, {{4, 0, 0}})),
            "expected a positive stride in warp mode 0, got 0");
  EXPECT_EQ(reason(FragmentLayout({-1}, {}, {}, {})),
            "expected a non-negative extent of dimension 0, got -1");
  EXPECT_EQ(reason(FragmentLayout({4}, {{4, 0, 1}}, {}, {}, {{4, 0, -2}})),
            "expected a positive stride in block mode 0, got -2");
  EXPECT_EQ(reason(FragmentLayout({4}, {{big, 0, 1}}, {{big, 0, 1}}, {})),
            "the extents up to lane mode 0 overflow 64 bits");
  EXPECT_EQ(reason(FragmentLayout({4}, {{big, 0, big}}, {}, {})),
            "coordinates reached by register mode 0 overflow 64 bits");
  EXPECT_EQ(reason(FragmentLayout({4}, {{4, 0, 1}},
                                  {{big, Mode::kReplicated, 0}}, {})),
            "expected at most 1024 threads, got 1099511627776");
  EXPECT_EQ(reason(FragmentLayout({4}, {{big, 0, 1}}, {}, {})),
            "expected at most 65536 elements per thread, got 1099511627776");
  EXPECT_EQ(reason(FragmentLayout({4}, {{4, 0, 1}}, {}, {},
                                  {{32, Mode::kReplicated, 0}})),
            "expected at most 16 blocks, got 32");
  EXPECT_EQ(reason(FragmentLayout({1 << 16, 1 << 9}, {{1 << 16, 0, 1}},
                                  {{1 << 9, 1, 1}}, {})),
            "expected at most 16777216 elements, got 33554432");
}

TEST(Fragment, SliceRefusesADimensionThatIsNotThere) {
  EXPECT_EQ(accumulator().sliced(2).reason(),
            "expected a dimension below 2, got 2");
}

TEST(Conversion, KindsAndReasons) {
  auto classify = [](const FragmentLayout &from, const FragmentLayout &to) {
    OrRefusal<ConversionClass> result = classifyConversion(from, to);
    return result ? stringify(result->kind).str() + ": " + result->reason
                  : "refused: " + result.reason();
  };
  FragmentLayout acc = accumulator();
  EXPECT_EQ(classify(acc, acc), "identity: ");
  EXPECT_EQ(classify(acc, acc.withFastestRegisterDim(0)),
            "register_rename: registers are numbered differently");
  EXPECT_EQ(classify(acc, FragmentLayout::blocked({16, 8}, 32, 4, {1, 0})),
            "warp_shuffle: lane 0 of warp 0 does not hold element (0, 2)");
  FragmentLayout two = *tileMmaFragment(acc, MmaOperand::C, {32, 8}, {2, 1});
  EXPECT_EQ(classify(two, FragmentLayout::blocked({32, 8}, 64, 1, {1, 0})),
            "shared_memory: no lane of warp 0 holds element (16, 0) that lane "
            "0 needs");
  EXPECT_EQ(classify(acc, FragmentLayout::blocked({16, 8}, 64, 4, {1, 0})),
            "refused: expected as many warps in both layouts, got 1 and 2");
  EXPECT_EQ(classify(acc, FragmentLayout::blocked({8, 16}, 32, 4, {1, 0})),
            "refused: expected layouts of one shape, got (16, 8) and (8, 16)");
  FragmentLayout split({2}, {}, {}, {}, {{2, 0, 1}});
  FragmentLayout everywhere({2}, {{2, 0, 1}}, {}, {},
                            {{2, Mode::kReplicated, 0}});
  EXPECT_EQ(classify(split, everywhere),
            "refused: no thread of block 0 holds element (1): the conversion "
            "crosses blocks of the cluster");
}

TEST(Fragment, TheAccumulatorOfOneGemmIsOperandAOfTheNext) {
  // Two neighbouring 16x8 accumulators are, register by register, the 16x16
  // operand A of m16n8k16: attention uses it, and it must cost no instruction.
  FragmentLayout pair =
      *tileMmaFragment(accumulator(), MmaOperand::C, {16, 16}, {1, 1});
  FragmentLayout a = *mmaSyncFragment({16, 8, 16}, MmaOperand::A, 16);
  EXPECT_EQ(classifyConversion(pair, a)->kind, ConversionKind::Identity);
  FragmentLayout wide = *wgmmaFragment({64, 16, 16}, MmaOperand::C, 32);
  FragmentLayout wideA = *wgmmaFragment({64, 16, 16}, MmaOperand::A, 16);
  EXPECT_EQ(classifyConversion(wide, wideA)->kind, ConversionKind::Identity);
}

TEST(Fragment, DescribeIsInWords) {
  std::string words;
  llvm::raw_string_ostream os(words);
  accumulator().sliced(1)->describe(os);
  EXPECT_EQ(words, "a 16 tile over 32 threads: each thread holds 2 elements; "
                   "registers: 2 along dimension 0 in steps of 8; lanes: 4 "
                   "with the same elements, then 8 consecutive along dimension "
                   "0; each element is held by 4 threads");
}

} // namespace
