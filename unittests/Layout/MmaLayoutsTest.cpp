//===- MmaLayoutsTest.cpp - fragments against the PTX formulas ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each table is compared with the formulas of the PTX ISA ("Matrix Fragments
// for mma.m16n8k16" and its siblings, "Register Fragments for wgmma"), written
// here as they stand there.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/MmaLayouts.h"
#include "LayoutTestUtil.h"
#include "gtest/gtest.h"

using namespace layouttest;

namespace {

using Formula =
    std::function<std::pair<int64_t, int64_t>(int64_t lane, int64_t i)>;

void expectFormula(MmaShape shape, MmaOperand operand, unsigned bits,
                   int64_t elements, Formula formula) {
  SCOPED_TRACE("m" + std::to_string(shape.m) + "n" + std::to_string(shape.n) +
               "k" + std::to_string(shape.k) + " operand " +
               std::to_string(int(operand)) + " bits " + std::to_string(bits));
  OrRefusal<FragmentLayout> layout = mmaSyncFragment(shape, operand, bits);
  ASSERT_TRUE(bool(layout)) << layout.reason();
  ASSERT_TRUE(bool(layout->verify())) << layout->verify().reason();
  EXPECT_EQ(layout->numRegisters(), elements);
  EXPECT_EQ(layout->size(Axis::Lane), 32);
  EXPECT_TRUE(layout->isBijective());
  EXPECT_FALSE(layout->overshoots());
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < elements; ++i) {
      auto [row, col] = formula(lane, i);
      auto got = layout->coordinates({i, lane, 0, 0});
      ASSERT_EQ(got[0], row) << "lane " << lane << " i " << i;
      ASSERT_EQ(got[1], col) << "lane " << lane << " i " << i;
    }
}

struct GroupAndThread {
  int64_t groupID, threadIDInGroup;
};
GroupAndThread groupAndThread(int64_t lane) { return {lane >> 2, lane % 4}; }

TEST(MmaSync, Accumulators) {
  Formula m16n8 = [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i < 2 ? groupID : groupID + 8,
                     threadIDInGroup * 2 + (i & 1));
  };
  for (int64_t k : {8, 16})
    for (unsigned bits : {16u, 32u})
      expectFormula({16, 8, k}, MmaOperand::C, bits, 4, m16n8);
  for (int64_t k : {4, 32, 64})
    expectFormula({16, 8, k}, MmaOperand::C, 32, 4, m16n8);
  for (int64_t k : {4, 8, 16})
    expectFormula({16, 8, k}, MmaOperand::C, 64, 4, m16n8);
  expectFormula({8, 8, 4}, MmaOperand::C, 64, 2, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(groupID, threadIDInGroup * 2 + (i & 1));
  });
}

TEST(MmaSync, Inputs16Bit) {
  expectFormula({16, 8, 8}, MmaOperand::A, 16, 4, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i < 2 ? groupID : groupID + 8,
                     threadIDInGroup * 2 + (i & 1));
  });
  expectFormula({16, 8, 8}, MmaOperand::B, 16, 2, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(threadIDInGroup * 2 + i, groupID);
  });
  expectFormula({16, 8, 16}, MmaOperand::A, 16, 8, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    int64_t row =
        (0 <= i && i < 2) || (4 <= i && i < 6) ? groupID : groupID + 8;
    int64_t col = i < 4 ? threadIDInGroup * 2 + (i & 1)
                        : threadIDInGroup * 2 + (i & 1) + 8;
    return std::pair(row, col);
  });
  expectFormula({16, 8, 16}, MmaOperand::B, 16, 4, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i < 2 ? threadIDInGroup * 2 + (i & 1)
                           : threadIDInGroup * 2 + (i & 1) + 8,
                     groupID);
  });
}

TEST(MmaSync, Inputs8Bit) {
  expectFormula({16, 8, 16}, MmaOperand::A, 8, 8, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i < 4 ? groupID : groupID + 8,
                     threadIDInGroup * 4 + (i & 3));
  });
  expectFormula({16, 8, 16}, MmaOperand::B, 8, 4, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(threadIDInGroup * 4 + i, groupID);
  });
  expectFormula({16, 8, 32}, MmaOperand::A, 8, 16, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    int64_t row =
        (0 <= i && i < 4) || (8 <= i && i < 12) ? groupID : groupID + 8;
    int64_t col = i < 8 ? threadIDInGroup * 4 + (i & 3)
                        : threadIDInGroup * 4 + (i & 3) + 16;
    return std::pair(row, col);
  });
  expectFormula({16, 8, 32}, MmaOperand::B, 8, 8, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i < 4 ? threadIDInGroup * 4 + (i & 3)
                           : threadIDInGroup * 4 + (i & 3) + 16,
                     groupID);
  });
}

TEST(MmaSync, Inputs4Bit) {
  expectFormula({16, 8, 32}, MmaOperand::A, 4, 16, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i < 8 ? groupID : groupID + 8,
                     threadIDInGroup * 8 + (i & 7));
  });
  expectFormula({16, 8, 32}, MmaOperand::B, 4, 8, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(threadIDInGroup * 8 + (i & 7), groupID);
  });
  expectFormula({16, 8, 64}, MmaOperand::A, 4, 32, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    int64_t row =
        (0 <= i && i < 8) || (16 <= i && i < 24) ? groupID : groupID + 8;
    int64_t col = i < 16 ? threadIDInGroup * 8 + (i & 7)
                         : threadIDInGroup * 8 + (i & 7) + 32;
    return std::pair(row, col);
  });
  expectFormula({16, 8, 64}, MmaOperand::B, 4, 16, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i < 8 ? threadIDInGroup * 8 + (i & 7)
                           : threadIDInGroup * 8 + (i & 7) + 32,
                     groupID);
  });
}

TEST(MmaSync, InputsTf32) {
  expectFormula({16, 8, 4}, MmaOperand::A, 32, 2, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i == 0 ? groupID : groupID + 8, threadIDInGroup);
  });
  expectFormula({16, 8, 4}, MmaOperand::B, 32, 1, [](int64_t lane, int64_t) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(threadIDInGroup, groupID);
  });
  expectFormula({16, 8, 8}, MmaOperand::A, 32, 4, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    int64_t row = i == 0 || i == 2 ? groupID : groupID + 8;
    int64_t col = i < 2 ? threadIDInGroup : threadIDInGroup + 4;
    return std::pair(row, col);
  });
  expectFormula({16, 8, 8}, MmaOperand::B, 32, 2, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i == 0 ? threadIDInGroup : threadIDInGroup + 4, groupID);
  });
}

TEST(MmaSync, InputsF64) {
  expectFormula({8, 8, 4}, MmaOperand::A, 64, 1, [](int64_t lane, int64_t) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(groupID, threadIDInGroup);
  });
  expectFormula({8, 8, 4}, MmaOperand::B, 64, 1, [](int64_t lane, int64_t) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(threadIDInGroup, groupID);
  });
  expectFormula({16, 8, 4}, MmaOperand::A, 64, 2, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    return std::pair(i == 0 ? groupID : groupID + 8, threadIDInGroup);
  });
  expectFormula({16, 8, 8}, MmaOperand::A, 64, 4, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    int64_t row = i == 0 || i == 2 ? groupID : groupID + 8;
    int64_t col = i < 2 ? threadIDInGroup : threadIDInGroup + 4;
    return std::pair(row, col);
  });
  expectFormula({16, 8, 16}, MmaOperand::A, 64, 8, [](int64_t lane, int64_t i) {
    auto [groupID, threadIDInGroup] = groupAndThread(lane);
    int64_t row = i % 2 == 0 ? groupID : groupID + 8;
    int64_t col =
        i % 2 == 0 ? (i * 2) + threadIDInGroup : (i * 2) - 2 + threadIDInGroup;
    return std::pair(row, col);
  });
  for (int64_t k : {4, 8, 16})
    expectFormula({16, 8, k}, MmaOperand::B, 64, k / 4,
                  [](int64_t lane, int64_t i) {
                    auto [groupID, threadIDInGroup] = groupAndThread(lane);
                    return std::pair(threadIDInGroup + i * 4, groupID);
                  });
}

TEST(MmaSync, RefusesWhatDoesNotExist) {
  auto reason = [](MmaShape shape, MmaOperand operand, unsigned bits) {
    OrRefusal<FragmentLayout> layout = mmaSyncFragment(shape, operand, bits);
    return layout ? std::string("accepted") : layout.reason();
  };
  EXPECT_EQ(reason({16, 8, 32}, MmaOperand::A, 16),
            "mma.sync has no shape m16n8k32 with 16-bit inputs");
  EXPECT_EQ(reason({16, 16, 16}, MmaOperand::B, 16),
            "mma.sync has no shape m16n16k16 with 16-bit inputs");
  EXPECT_EQ(reason({16, 8, 16}, MmaOperand::A, 6),
            "mma.sync has no shape m16n8k16 with 6-bit inputs");
  EXPECT_EQ(reason({16, 8, 4}, MmaOperand::C, 16),
            "mma.sync has no shape m16n8k4 with 16-bit accumulators");
  EXPECT_EQ(reason({8, 8, 4}, MmaOperand::C, 32),
            "mma.sync has no shape m8n8k4 with 32-bit accumulators");
}

TEST(Wgmma, Accumulator) {
  for (int64_t n = 8; n <= 256; n += 8)
    for (unsigned bits : {16u, 32u}) {
      auto layout = *wgmmaFragment({64, n, 16}, MmaOperand::C, bits);
      ASSERT_EQ(layout.numRegisters(), n / 2);
      ASSERT_EQ(layout.numThreads(), 128);
      ASSERT_TRUE(layout.isBijective() && layout.verify());
      for (int64_t t = 0; t < 128; ++t)
        for (int64_t i = 0; i < n / 2; ++i) {
          int64_t lane = t % 32, warp = t / 32;
          auto got = layout.coordinates({i, lane, warp, 0});
          ASSERT_EQ(got[0], warp * 16 + lane / 4 + 8 * ((i / 2) % 2));
          ASSERT_EQ(got[1], 8 * (i / 4) + 2 * (lane % 4) + (i % 2));
        }
    }
}

TEST(Wgmma, OperandAInRegisters) {
  for (auto [bits, k] : {std::pair(8u, 32), {16u, 16}, {32u, 8}}) {
    auto layout = *wgmmaFragment({64, 64, k}, MmaOperand::A, bits);
    auto warp = *mmaSyncFragment({16, 8, k}, MmaOperand::A, bits);
    ASSERT_TRUE(layout.isBijective());
    ASSERT_EQ(layout.numRegisters(), warp.numRegisters());
    for (const HardwareIndex &index : allIndices(layout)) {
      auto expected = warp.coordinates({index.reg, index.lane, 0, 0});
      auto got = layout.coordinates(index);
      ASSERT_EQ(got[0], expected[0] + 16 * index.warp);
      ASSERT_EQ(got[1], expected[1]);
    }
  }
}

TEST(Wgmma, RefusesWhatDoesNotExist) {
  EXPECT_EQ(wgmmaFragment({64, 12, 16}, MmaOperand::C, 32).reason(),
            "expected n of wgmma to be a multiple of 8 from 8 to 256, got 12");
  EXPECT_EQ(wgmmaFragment({128, 64, 16}, MmaOperand::C, 32).reason(),
            "expected m64 of wgmma, got m128n64k16");
  EXPECT_EQ(wgmmaFragment({64, 64, 16}, MmaOperand::A, 8).reason(),
            "wgmma has no shape m64n64k16 with 8-bit inputs");
  EXPECT_EQ(wgmmaFragment({64, 64, 16}, MmaOperand::B, 16).reason(),
            "operand B of wgmma is read from shared memory, it has no "
            "fragment");
}

TEST(Tcgen05, RowsAreLanes) {
  // tcgen05.ld.32x32b: register i of lane l is column i of lane l of the 32
  // that the warp reaches, which is the one of its number modulo 4.
  struct Case {
    int64_t rows, columns;
    WarpGrid warps;
  };
  for (const Case &one :
       {Case{128, 256, {4, 1}}, Case{128, 256, {4, 2}}, Case{128, 48, {4, 1}},
        Case{128, 80, {4, 2}}, Case{256, 128, {4, 1}}, Case{256, 256, {8, 1}},
        Case{512, 64, {8, 2}}}) {
    auto layout = *tcgen05Fragment(128, {one.rows, one.columns}, one.warps);
    ASSERT_TRUE(layout.isBijective() && layout.verify());
    int64_t groupsM = one.warps.m / 4;
    int64_t span = tcgen05Span(one.columns, one.warps.n);
    for (const HardwareIndex &index : allIndices(layout)) {
      auto got = layout.coordinates(index);
      ASSERT_EQ(got[0] % 128, index.warp % 4 * 32 + index.lane);
      ASSERT_EQ(got[0] / (one.rows / groupsM), index.warp / 4 % groupsM);
      ASSERT_EQ(got[1] / span % one.warps.n, index.warp / one.warps.m);
    }
  }
}

TEST(Tcgen05, SixtyFourRows) {
  // tcgen05.ld.16x256b: four registers are two rows, 8 apart, of two columns.
  auto layout = *tcgen05Fragment(64, {64, 128}, {4, 2});
  ASSERT_TRUE(layout.isBijective() && layout.verify());
  for (const HardwareIndex &index : allIndices(layout)) {
    auto got = layout.coordinates(index);
    int64_t column = 8 * (index.reg / 4) + 2 * (index.lane % 4) + index.reg % 2;
    ASSERT_EQ(got[0],
              index.warp % 4 * 16 + index.lane / 4 + 8 * (index.reg / 2 % 2));
    ASSERT_EQ(got[1], column + index.warp / 4 * 64);
  }
}

TEST(Tcgen05, RefusesWhatDoesNotDivide) {
  EXPECT_EQ(tcgen05Fragment(32, {32, 64}, {4, 1}).reason(),
            "expected m64 or m128 of tcgen05, got m32");
  EXPECT_EQ(tcgen05Fragment(128, {192, 64}, {4, 1}).reason(),
            "expected a multiple of 128 rows, got 192");
  EXPECT_EQ(tcgen05Fragment(128, {128, 24}, {4, 2}).reason(),
            "expected a multiple of 16 columns, got 24");
  EXPECT_EQ(tcgen05Fragment(128, {128, 64}, {2, 1}).reason(),
            "expected a tile of rank 2 and whole warpgroups along m");
}

TEST(TiledMma, EveryWarpHoldsItsBlock) {
  struct Case {
    MmaOperand operand;
    MmaShape shape;
    unsigned bits;
    int64_t rows, cols;
    WarpGrid warps;
  };
  const Case cases[] = {
      {MmaOperand::C, {16, 8, 16}, 32, 128, 128, {2, 2}},
      {MmaOperand::C, {16, 8, 16}, 32, 96, 80, {2, 1}},
      {MmaOperand::C, {16, 8, 16}, 32, 96, 80, {1, 4}},
      {MmaOperand::C, {16, 8, 8}, 32, 50, 7, {3, 2}},
      {MmaOperand::A, {16, 8, 16}, 16, 128, 32, {2, 2}},
      {MmaOperand::A, {16, 8, 8}, 32, 48, 24, {1, 4}},
      {MmaOperand::B, {16, 8, 16}, 16, 64, 96, {2, 4}},
      {MmaOperand::B, {16, 8, 64}, 4, 128, 40, {4, 1}},
  };
  for (const Case &c : cases) {
    FragmentLayout one = *mmaSyncFragment(c.shape, c.operand, c.bits);
    FragmentLayout layout =
        *tileMmaFragment(one, c.operand, {c.rows, c.cols}, c.warps);
    SCOPED_TRACE(text(layout));
    ASSERT_TRUE(bool(layout.verify())) << layout.verify().reason();
    ASSERT_EQ(layout.size(Axis::Warp), c.warps.m * c.warps.n);
    int64_t im = one.shape()[0], in = one.shape()[1];
    int64_t spreadM = c.operand == MmaOperand::B ? 1 : c.warps.m;
    int64_t spreadN = c.operand == MmaOperand::A ? 1 : c.warps.n;
    int64_t repeatM = (c.rows + im * spreadM - 1) / (im * spreadM);
    int64_t repeatN = (c.cols + in * spreadN - 1) / (in * spreadN);
    ASSERT_EQ(layout.numRegisters(), one.numRegisters() * repeatM * repeatN);
    for (const HardwareIndex &index : allIndices(layout)) {
      int64_t instruction = index.reg / one.numRegisters();
      int64_t warpM = index.warp % c.warps.m, warpN = index.warp / c.warps.m;
      auto inner =
          one.coordinates({index.reg % one.numRegisters(), index.lane, 0, 0});
      int64_t row = inner[0] + im * (instruction / repeatN) +
                    (spreadM == 1 ? 0 : warpM * repeatM * im);
      int64_t col = inner[1] + in * (instruction % repeatN) +
                    (spreadN == 1 ? 0 : warpN * repeatN * in);
      auto got = layout.coordinates(index);
      ASSERT_EQ(got[0], row);
      ASSERT_EQ(got[1], col);
    }
    EXPECT_EQ(layout.overshoots(), repeatM * spreadM * im != c.rows ||
                                       repeatN * spreadN * in != c.cols);
  }
}

TEST(TiledMma, WarpgroupsCountTheirOwnWarps) {
  FragmentLayout one = *wgmmaFragment({64, 64, 16}, MmaOperand::C, 32);
  FragmentLayout two = *tileMmaFragment(one, MmaOperand::C, {128, 128}, {8, 1});
  EXPECT_EQ(two.numThreads(), 256);
  EXPECT_TRUE(two.isBijective());
  // The second warpgroup starts at row 64.
  EXPECT_EQ(two.coordinates({0, 0, 4, 0})[0], 64);
  EXPECT_EQ(tileMmaFragment(one, MmaOperand::C, {128, 128}, {2, 2}).reason(),
            "expected the warps along m to be a multiple of the instruction's "
            "4, got 2");
  EXPECT_EQ(tileMmaFragment(one, MmaOperand::C, {128, 128}, {0, 2}).reason(),
            "expected a positive warp grid, got 0x2");
}

} // namespace
