//===- SparseMetadataTest.cpp - metadata against the PTX tables -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each bit of each thread's words is compared with the tables of the PTX ISA:
// "Sparse matrix storage" of mma.sp (m16n8k32 of 16 bits, m16n8k16 of tf32,
// m16n8k64 of 8 bits) and of wgmma.mma_async.sp (m64nNk32, m64nNk16, m64nNk64),
// written here as they stand there.
//
//===----------------------------------------------------------------------===//
#include "LayoutTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace layouttest;

namespace {

struct Place {
  int64_t row, group;
};

/// Operands of 16 bits and tf32: the selector names two threads of each four
/// that give the words of a step; the lower half of a word has four groups of
/// row groupID, the upper half those of row groupID + 8.
Place halves(int64_t lane, int64_t nibble) {
  return {lane / 4 + (nibble < 4 ? 0 : 8), lane % 4 % 2 * 4 + nibble % 4};
}

/// Operands of 8 bits: the selector is 0, all threads give a word of eight
/// groups of one row.
Place rows(int64_t lane, int64_t nibble) {
  return {lane / 4 + lane % 2 * 8, lane % 4 / 2 * 8 + nibble};
}

/// Whether the threads that give step `step` have its bits in their words.
void expectTable(unsigned bitsOfA, unsigned elementBits, int64_t m,
                 int64_t steps) {
  SCOPED_TRACE(testing::Message()
               << "A of " << bitsOfA << " bits, metadata of " << elementBits
               << ", m" << m << ", " << steps << " steps");
  auto metadata = SparseMetadata::get(bitsOfA, elementBits);
  ASSERT_TRUE(bool(metadata)) << metadata.reason();
  int64_t warps = m / 16, groups = bitsOfA == 8 ? 16 : 8;
  int64_t perElement = elementBits / 4;
  EXPECT_EQ(metadata->elementsOfStep() * perElement, groups);
  auto layout =
      tileMmaFragment(metadata->fragment(m, steps), MmaOperand::A,
                      {m, steps * metadata->elementsOfStep()}, {warps, 1});
  ASSERT_TRUE(bool(layout)) << layout.reason();
  ASSERT_TRUE(bool(layout->verify())) << layout->verify().reason();
  for (int64_t step = 0; step < steps; ++step) {
    // The word is what stands at its first element in the first thread.
    auto word = metadata->wordOf(step);
    int64_t first = -1;
    for (int64_t r = 0; r < layout->numRegisters() && first < 0; ++r) {
      auto at = layout->axisCoordinates(Axis::Register, r);
      if (at[0] == word[0] && at[1] == word[1])
        first = r;
    }
    ASSERT_GE(first, 0);
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane) {
        if (bitsOfA != 8 && lane % 4 / 2 != metadata->selector(step))
          continue;
        for (int64_t nibble = 0; nibble < 8; ++nibble) {
          Place place =
              bitsOfA == 8 ? rows(lane, nibble) : halves(lane, nibble);
          auto at =
              layout->coordinates({first + nibble / perElement, lane, warp, 0});
          ASSERT_EQ(at[0], 16 * warp + place.row)
              << "lane " << lane << " bits " << 4 * nibble;
          ASSERT_EQ(at[1] * perElement + nibble % perElement,
                    step * groups + place.group)
              << "lane " << lane << " bits " << 4 * nibble << " step " << step;
        }
      }
  }
}

TEST(SparseMetadata, EveryBitOfEveryWord) {
  for (int64_t m : {16, 64})
    for (int64_t steps : {1, 2, 3, 4, 7}) {
      for (unsigned bitsOfA : {16u, 32u})
        for (unsigned elementBits : {8u, 16u})
          expectTable(bitsOfA, elementBits, m, steps);
      for (unsigned elementBits : {8u, 16u, 32u})
        expectTable(8, elementBits, m, steps);
    }
}

/// No thread loads what it does not give: but for a single step of 16 bits,
/// whose other two threads of each four have the same words.
TEST(SparseMetadata, EachElementOnce) {
  for (unsigned bitsOfA : {8u, 16u, 32u})
    for (int64_t steps : {1, 2}) {
      auto metadata = SparseMetadata::get(bitsOfA, 16);
      FragmentLayout layout = metadata->fragment(64, steps);
      EXPECT_EQ(layout.replication(), bitsOfA != 8 && steps == 1 ? 2 : 1);
      EXPECT_FALSE(layout.overshoots());
    }
}

TEST(SparseMetadata, RefusesWhatNoThreadTakes) {
  EXPECT_EQ(SparseMetadata::get(16, 32).reason(),
            "threads take metadata of 16-bit elements in pieces of 8 or 16 "
            "bits, got 32");
  EXPECT_EQ(SparseMetadata::get(8, 64).reason(),
            "threads take metadata of 8-bit elements in pieces of 8, 16 or 32 "
            "bits, got 64");
  EXPECT_EQ(SparseMetadata::get(64, 16).reason(),
            "no instruction has a sparse A of 64-bit elements");
}

/// A is that of the dense instruction with half of the k; B is as if two of
/// them stood one behind the other (PTX ISA, "Matrix Fragments for sparse
/// mma.m16n8k32": rows threadID_in_group * 2 + (i & 1) + 8 * (i / 2)).
TEST(SparseMetadata, OperandsOfMmaSp) {
  auto a = mmaSpFragment({16, 8, 32}, MmaOperand::A, 16);
  auto dense = mmaSyncFragment({16, 8, 16}, MmaOperand::A, 16);
  ASSERT_TRUE(bool(a) && bool(dense));
  EXPECT_TRUE(a->equivalent(*dense));
  auto b = mmaSpFragment({16, 8, 32}, MmaOperand::B, 16);
  ASSERT_TRUE(bool(b));
  EXPECT_EQ(b->numRegisters(), 8);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 8; ++i) {
      auto at = b->coordinates({i, lane, 0, 0});
      EXPECT_EQ(at[0], lane % 4 * 2 + (i & 1) + 8 * (i / 2));
      EXPECT_EQ(at[1], lane / 4);
    }
  // m16n8k64 of bytes: rows threadID_in_group * 4 + (i & 3) + 16 * (i / 4).
  auto bytes = mmaSpFragment({16, 8, 64}, MmaOperand::B, 8);
  ASSERT_TRUE(bool(bytes));
  EXPECT_EQ(bytes->numRegisters(), 16);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 16; ++i)
      EXPECT_EQ(bytes->coordinates({i, lane, 0, 0})[0],
                lane % 4 * 4 + (i & 3) + 16 * (i / 4));
  EXPECT_FALSE(bool(mmaSpFragment({16, 8, 48}, MmaOperand::B, 16)));
  EXPECT_FALSE(bool(mmaSpFragment({16, 8, 33}, MmaOperand::B, 16)));
}

} // namespace
