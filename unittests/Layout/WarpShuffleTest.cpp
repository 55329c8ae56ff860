//===- WarpShuffleTest.cpp - fragments moved between a warp's lanes ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes plans on tables of elements, a shuffle and a select at a time, and
// compares every register that the target has.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/WarpShuffle.h"
#include "LayoutTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

using namespace layouttest;

namespace {

/// What a register holds: coordinates, or nothing.
using Register = std::optional<Coords>;
using Word = std::vector<Register>;

Word load(const FragmentLayout &layout, HardwareIndex first,
          llvm::ArrayRef<int64_t> elements) {
  Word word;
  for (int64_t element : elements) {
    HardwareIndex index = first;
    index.reg += element;
    EXPECT_LT(index.reg, layout.numRegisters());
    Coords coords = coordinatesByDefinition(layout, index);
    word.push_back(inside(coords, layout.shape()) ? Register(coords)
                                                  : std::nullopt);
  }
  return word;
}

void swapWords(llvm::ArrayRef<WarpShuffle::Swap> swaps, int64_t lane,
               std::map<int64_t, Word> &words) {
  for (const WarpShuffle::Swap &swap : swaps) {
    ASSERT_TRUE(llvm::has_single_bit(swap.lanes));
    for (auto [a, b] : swap.words) {
      ASSERT_TRUE(words.count(a) && words.count(b));
      if (lane & swap.lanes)
        std::swap(words[a], words[b]);
    }
  }
}

/// Executes the plan of each warp, and looks at every element.
void check(const FragmentLayout &from, const FragmentLayout &to,
           const WarpShuffle &plan) {
  SCOPED_TRACE(text(from) + " to " + text(to));
  ASSERT_EQ(plan.sourceElements.size(), plan.targetElements.size());
  for (int64_t block = 0; block < from.size(Axis::Block); ++block)
    for (int64_t warp = 0; warp < from.size(Axis::Warp); ++warp) {
      std::vector<std::map<int64_t, Word>> given(kWarpSize),
          received(kWarpSize);
      for (int64_t lane = 0; lane < kWarpSize; ++lane) {
        for (int64_t word : plan.sourceWords)
          given[lane][word] =
              load(from, {word, lane, warp, block}, plan.sourceElements);
        swapWords(plan.before, lane, given[lane]);
      }
      for (const WarpShuffle::Round &round : plan.rounds)
        for (int64_t lane = 0; lane < kWarpSize; ++lane) {
          unsigned giver = plan.laneOf(lane) ^ round.lanes;
          ASSERT_LT(giver, kWarpSize);
          if (!plan.isShuffle(round))
            ASSERT_EQ(giver, lane);
          ASSERT_TRUE(given[giver].count(round.source));
          received[lane][round.target] = given[giver][round.source];
        }
      for (int64_t lane = 0; lane < kWarpSize; ++lane) {
        swapWords(plan.after, lane, received[lane]);
        std::map<int64_t, Register> registers;
        for (auto &[first, word] : received[lane])
          for (auto [i, element] : llvm::enumerate(plan.targetElements))
            ASSERT_TRUE(registers.insert({first + element, word[i]}).second);
        for (int64_t reg = 0; reg < to.numRegisters(); ++reg) {
          Coords wanted = coordinatesByDefinition(to, {reg, lane, warp, block});
          if (inside(wanted, to.shape()))
            ASSERT_EQ(registers[reg], Register(wanted))
                << "register " << reg << " of lane " << lane;
        }
      }
    }
}

/// A [64, columns] operand of instructions by wgmma, of one warpgroup.
FragmentLayout wgmma(MmaShape shape, MmaOperand operand, unsigned bits,
                     int64_t columns) {
  auto instruction = wgmmaFragment(shape, operand, bits);
  EXPECT_TRUE(bool(instruction));
  auto layout = tileMmaFragment(*instruction, operand, {64, columns}, {4, 1});
  EXPECT_TRUE(bool(layout));
  return *layout;
}

/// The sums of a product by wgmma as the first operand of the next one.
TEST(WarpShuffle, SumsBecomeOperands) {
  for (int64_t n : {32, 64, 96, 128, 160, 256}) {
    FragmentLayout sums = wgmma({64, n, 32}, MmaOperand::C, 32, n);
    FragmentLayout bytes = wgmma({64, 128, 32}, MmaOperand::A, 8, n);
    auto plan = WarpShuffle::plan(sums, bytes, 8);
    ASSERT_TRUE(plan) << n;
    check(sums, bytes, *plan);
    // A shuffle a word of four bytes, and a select before and behind it.
    EXPECT_EQ(plan->numShuffles(), n / 8);
    EXPECT_EQ(plan->numSelects(), 2 * n / 8);
    // Operands of 16 bits lie as sums do.
    FragmentLayout halves = wgmma({64, 128, 16}, MmaOperand::A, 16, n);
    plan = WarpShuffle::plan(sums, halves, 16);
    ASSERT_TRUE(plan) << n;
    check(sums, halves, *plan);
    EXPECT_EQ(plan->numShuffles() + plan->numSelects(), 0);
  }
}

TEST(WarpShuffle, RowsBecomeColumns) {
  // 8 elements of a row a thread, and 8 of a column.
  FragmentLayout rows({32, 8}, {{8, 1, 1}}, {{32, 0, 1}}, {});
  FragmentLayout columns({32, 8}, {{8, 0, 4}}, {{8, 1, 1}, {4, 0, 1}}, {});
  auto plan = WarpShuffle::plan(rows, columns, 32);
  ASSERT_TRUE(plan);
  check(rows, columns, *plan);
  EXPECT_EQ(plan->numShuffles(), 8);
  EXPECT_EQ(plan->numSelects(), 2 * 3 * 8);
}

TEST(WarpShuffle, LanesThatHoldTheSame) {
  // Every lane has all 32; each keeps its own: no shuffle.
  FragmentLayout all({32}, {{32, 0, 1}}, {{32, Mode::kReplicated, 0}}, {});
  FragmentLayout own({32}, {}, {{32, 0, 1}}, {});
  auto plan = WarpShuffle::plan(all, own, 32);
  ASSERT_TRUE(plan);
  check(all, own, *plan);
  EXPECT_EQ(plan->numShuffles(), 0);
  plan = WarpShuffle::plan(own, all, 32);
  ASSERT_TRUE(plan);
  check(own, all, *plan);
  EXPECT_EQ(plan->numShuffles(), 32);
}

TEST(WarpShuffle, WhatIsRefused) {
  FragmentLayout rows({64}, {}, {{32, 0, 1}}, {{2, 0, 32}});
  FragmentLayout others({64}, {}, {{32, 0, 2}}, {{2, 0, 1}});
  EXPECT_FALSE(WarpShuffle::plan(rows, others, 32)); // crosses warps
  FragmentLayout three({96}, {{3, 0, 1}}, {{32, 0, 3}}, {});
  FragmentLayout far({96}, {{3, 0, 32}}, {{32, 0, 1}}, {});
  EXPECT_FALSE(WarpShuffle::plan(three, far, 32));
  EXPECT_FALSE(WarpShuffle::plan(rows, three, 32)); // another shape
}

/// Bits of coordinates dealt to registers, lanes and warps, some lanes hold the
/// same elements, and some extents are no powers of two.
FragmentLayout randomBits(Random &random, Coords &shape, Modes &warp,
                          bool isFirst) {
  std::vector<Mode> bits;
  Modes reg, lane;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    for (int64_t stride = 1; stride < shape[dim]; stride *= 2) {
      int64_t extent = stride * 3 == shape[dim] ? 3 : 2;
      bits.push_back({extent, int(dim), stride});
      if (extent == 3)
        break;
    }
  llvm::erase_if(
      bits, [&](const Mode &mode) { return llvm::is_contained(warp, mode); });
  random.shuffle(bits);
  if (isFirst && !bits.empty() && bits.back().extent == 2 && random.oneIn(2)) {
    warp.push_back(bits.back());
    bits.pop_back();
  }
  for (const Mode &bit : bits) {
    bool inLane = bit.extent == 2 && lane.size() < 5 && random.oneIn(2);
    (inLane ? lane : reg).push_back(bit);
  }
  while (lane.size() < 5)
    lane.insert(lane.begin() + random.in(0, int64_t(lane.size())),
                {2, Mode::kReplicated, 0});
  if (random.oneIn(4))
    reg.push_back({2, Mode::kReplicated, 0});
  return FragmentLayout(shape, reg, lane, warp);
}

TEST(WarpShuffle, RandomBits) {
  Random random(7);
  int planned = 0;
  for (int i = 0; i < 1500; ++i) {
    Coords shape;
    for (int64_t rank = random.in(1, 3); rank > 0; --rank)
      shape.push_back((random.oneIn(3) ? 3 : 1) *
                      (int64_t(1) << random.in(0, 4)));
    Modes warp;
    FragmentLayout from = randomBits(random, shape, warp, /*isFirst=*/true);
    FragmentLayout to = randomBits(random, shape, warp, /*isFirst=*/false);
    // Out of bounds in places.
    if (random.oneIn(3)) {
      Coords less = shape;
      for (int64_t &extent : less)
        extent = random.in(1, extent);
      auto cut = [&](const FragmentLayout &layout) {
        return FragmentLayout(less, layout.modes(Axis::Register),
                              layout.modes(Axis::Lane),
                              layout.modes(Axis::Warp));
      };
      from = cut(from);
      to = cut(to);
    }
    int bits = 8 << random.in(0, 3);
    auto plan = WarpShuffle::plan(from, to, bits);
    if (!plan)
      continue;
    ++planned;
    EXPECT_LE(int(plan->sourceElements.size()) * bits, std::max(bits, 32));
    check(from, to, *plan);
    if (HasFailure())
      return;
  }
  EXPECT_GT(planned, 1450);
}

/// Whatever a plan is made of, it gives what is wanted.
TEST(WarpShuffle, RandomFragments) {
  Random random(11);
  int planned = 0;
  for (int i = 0; i < 6000; ++i) {
    Coords shape;
    for (int64_t rank = random.in(1, 2); rank > 0; --rank)
      shape.push_back(random.oneIn(2) ? int64_t(1) << random.in(0, 6)
                                      : random.in(1, 40));
    int64_t warps = random.in(1, 2);
    FragmentLayout from = randomBlockFragment(random, shape, warps);
    FragmentLayout to = randomBlockFragment(random, shape, warps);
    if (auto plan = WarpShuffle::plan(from, to, 8 << random.in(0, 3))) {
      ++planned;
      auto kind = classifyConversion(from, to);
      ASSERT_TRUE(bool(kind));
      EXPECT_NE(kind->kind, ConversionKind::SharedMemory);
      check(from, to, *plan);
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(planned, 100);
}

} // namespace
