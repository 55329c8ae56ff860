//===- MatrixAccessTest.cpp - which lane names which row ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes ldmatrix as the PTX manual defines it on coordinates instead of
// data, and compares with what the fragment's layout says each register holds.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/MatrixAccess.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace mlir::tile;

namespace {
using Coordinate = llvm::SmallVector<int64_t>;

/// Every register of every thread gets the element that its layout names.
void expectLoads(const FragmentLayout &layout, unsigned column, unsigned bits,
                 int64_t count, const MatrixAccess &access) {
  const unsigned row = 1 - column;
  const int64_t unit = 32 / bits;
  ASSERT_EQ(access.unit, unit);
  ASSERT_EQ(access.rows.numThreads(), layout.numThreads());
  ASSERT_EQ(access.rows.numRegisters() * count * unit, layout.numRegisters());
  for (int64_t warp = 0; warp < layout.size(Axis::Warp); ++warp)
    for (int64_t g = 0; g < access.rows.numRegisters(); ++g)
      for (int64_t i = 0; i < count; ++i)
        for (int64_t lane = 0; lane < 32; ++lane)
          for (int64_t u = 0; u < unit; ++u) {
            // Row r of matrix i is named by lane 8i + r.
            int64_t r = access.transposed ? 2 * (lane % 4) + u : lane / 4;
            int64_t c = access.transposed ? lane / 4 : unit * (lane % 4) + u;
            Coordinate got = access.rows.coordinates({g, 8 * i + r, warp, 0});
            ASSERT_EQ(got[column] % (128 / bits), 0);
            got[column] += c;
            Coordinate expected =
                layout.coordinates({(g * count + i) * unit + u, lane, warp, 0});
            ASSERT_EQ(got, expected)
                << "group " << g << " matrix " << i << " lane " << lane
                << " element " << u << " row dimension " << row;
          }
}

FragmentLayout operandLayout(MmaShape shape, MmaOperand operand, unsigned bits,
                             llvm::ArrayRef<int64_t> tile, WarpGrid warps) {
  auto one = mmaSyncFragment(shape, operand, bits);
  EXPECT_TRUE(bool(one));
  auto tiled = tileMmaFragment(*one, operand, tile, warps);
  EXPECT_TRUE(bool(tiled));
  return *tiled;
}

struct Case {
  MmaShape shape;
  MmaOperand operand;
  unsigned bits;
  llvm::SmallVector<int64_t> tile;
  WarpGrid warps;
  unsigned column; // dimension that is contiguous in shared memory
  bool transposed;
};

TEST(MatrixAccess, OperandsOfMmaSync) {
  const Case cases[] = {
      {{16, 8, 16}, MmaOperand::A, 16, {64, 32}, {4, 1}, 1, false},
      {{16, 8, 16}, MmaOperand::A, 16, {64, 32}, {4, 1}, 0, true},
      {{16, 8, 16}, MmaOperand::B, 16, {32, 64}, {2, 2}, 1, true},
      {{16, 8, 16}, MmaOperand::B, 16, {32, 64}, {2, 2}, 0, false},
      {{16, 8, 8}, MmaOperand::A, 16, {64, 24}, {2, 2}, 1, false},
      {{16, 8, 8}, MmaOperand::A, 32, {64, 32}, {4, 1}, 1, false},
      {{16, 8, 32}, MmaOperand::A, 8, {64, 64}, {2, 2}, 1, false},
      {{16, 8, 32}, MmaOperand::B, 8, {64, 96}, {1, 4}, 0, false},
  };
  for (const Case &c : cases) {
    FragmentLayout layout =
        operandLayout(c.shape, c.operand, c.bits, c.tile, c.warps);
    int accepted = 0;
    for (int64_t count : {1, 2, 4}) {
      auto access = matrixAccess(layout, c.column, c.bits, count);
      if (!access)
        continue;
      ++accepted;
      EXPECT_EQ(access->transposed, c.transposed);
      expectLoads(layout, c.column, c.bits, count, *access);
    }
    EXPECT_GE(accepted, 1);
  }
}

TEST(MatrixAccess, AccumulatorAs16Bit) {
  FragmentLayout layout =
      operandLayout({16, 8, 16}, MmaOperand::C, 32, {64, 64}, {2, 2});
  auto access = matrixAccess(layout, 1, 16, 4);
  ASSERT_TRUE(bool(access)) << access.reason();
  expectLoads(layout, 1, 16, 4, *access);
}

TEST(MatrixAccess, RefusesWhatIsNoMatrix) {
  FragmentLayout operand =
      operandLayout({16, 8, 16}, MmaOperand::A, 16, {64, 32}, {4, 1});
  // Only 16-bit elements can be transposed on the way.
  EXPECT_FALSE(bool(matrixAccess(operand, 0, 32, 1)));
  EXPECT_FALSE(bool(matrixAccess(operand, 1, 64, 1)));
  EXPECT_FALSE(bool(matrixAccess(
      FragmentLayout::blocked({64, 32}, 128, 8, {1, 0}), 1, 16, 1)));
  EXPECT_FALSE(
      bool(matrixAccess(FragmentLayout::replicated({64, 32}, 128), 1, 16, 1)));
  EXPECT_FALSE(
      bool(matrixAccess(FragmentLayout::blocked({64}, 32, 2, {0}), 0, 16, 1)));
  // One matrix a thread does not make groups of four.
  FragmentLayout single({8, 8}, {Mode{2, 1, 1}}, {Mode{4, 1, 2}, Mode{8, 0, 1}},
                        {});
  EXPECT_TRUE(bool(matrixAccess(single, 1, 16, 1)));
  EXPECT_FALSE(bool(matrixAccess(single, 1, 16, 4)));
}
} // namespace
