//===- Tcgen05Test.cpp - products in tensor memory ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D and A against the manual's figures, and D as the compiler's fragments read
// it.
//
//===----------------------------------------------------------------------===//
#include "MatrixTestUtil.h"
#include "Tcgen05TestUtil.h"
#include "tile/Layout/MmaLayouts.h"

using namespace matrixtest;

namespace {

struct Shape {
  unsigned blocks, m, n, lane;
};
const Shape kShapes[] = {{1, 64, 32, 0},   {1, 64, 256, 16}, {1, 128, 64, 0},
                         {1, 128, 256, 0}, {2, 128, 96, 0},  {2, 256, 32, 0},
                         {2, 256, 256, 0}};
constexpr unsigned kColumn = 128;

/// Where the manual's figures have element (row, column) of D.
struct Place {
  unsigned block, lane, column;
};
Place placeOf(const Shape &shape, unsigned row, unsigned column) {
  if (shape.blocks == 1 && shape.m == 64)
    return {0, shape.lane + row / 16 * 32 + row % 16, kColumn + column};
  if (shape.blocks == 1)
    return {0, row, kColumn + column};
  if (shape.m == 256)
    return {row / 128, row % 128, kColumn + column};
  unsigned half = shape.n / 2;
  return {row / 64, row % 64 + column / half * 64, kColumn + column % half};
}

struct Memories {
  explicit Memories(unsigned blocks) : memories(blocks) {
    for (TensorMemory &memory : memories) {
      std::fill(memory.words.begin(), memory.words.end(), 0xdeadbeef);
      pointers.push_back(&memory);
    }
  }
  uint32_t &at(const Place &place) {
    return memories[place.block].at(place.lane, place.column);
  }
  void write(const Place &place, uint32_t word) {
    at(place) = word;
    memories[place.block].written[place.lane * 512 + place.column] = true;
  }
  std::vector<TensorMemory> memories;
  std::vector<TensorMemory *> pointers;
};

TEST(Tcgen05, EveryElementOfEveryInstruction) {
  std::mt19937 engine(7);
  for (const Kind &kind : kKinds)
    for (const Shape &shape : kShapes)
      for (bool keep : {false, true}) {
        SCOPED_TRACE(std::string(kind.name) + " " + std::to_string(shape.m) +
                     "x" + std::to_string(shape.n));
        Tcgen05Mma mma = decoded(kind, shape.blocks, shape.m, shape.n);
        Matrix a = smallValues(mma.a, mma.m, mma.k, engine);
        Matrix b = smallValues(mma.b, mma.k, mma.n, engine);
        Matrix c = smallValues(mma.d, mma.m, mma.n, engine);
        Memories memory(shape.blocks);
        for (unsigned i = 0; keep && i < mma.m; ++i)
          for (unsigned j = 0; j < mma.n; ++j)
            memory.write(placeOf(shape, i, j), uint32_t(c.at(i, j)));
        ASSERT_EQ(tcgen05Mma(mma, a.bits, b.bits, keep,
                             shape.lane << 16 | kColumn, memory.pointers),
                  "");
        Matrix expected = product(mma.d, a, b, keep ? &c : nullptr);
        for (unsigned i = 0; i < mma.m; ++i)
          for (unsigned j = 0; j < mma.n; ++j) {
            Place place = placeOf(shape, i, j);
            ASSERT_EQ(memory.at(place), expected.at(i, j)) << i << ", " << j;
            ASSERT_TRUE(memory.memories[place.block]
                            .written[place.lane * 512 + place.column]);
            memory.write(place, 0xdeadbeef);
            memory.memories[place.block]
                .written[place.lane * 512 + place.column] = false;
          }
        // Nothing else was written.
        for (const TensorMemory &own : memory.memories)
          for (size_t i = 0; i < own.words.size(); ++i)
            ASSERT_TRUE(own.words[i] == 0xdeadbeef && !own.written[i]);
      }
}

TEST(Tcgen05, FragmentsOfTheCompiler) {
  // D of one instruction as the compiler's warpgroups read it.
  std::mt19937 engine(8);
  for (unsigned m : {64, 128, 256}) {
    unsigned blocks = m == 256 ? 2 : 1, rows = m / blocks, n = 64;
    Tcgen05Mma mma = decoded(kKinds[0], blocks, m, n);
    Matrix a = smallValues(mma.a, m, mma.k, engine);
    Matrix b = smallValues(mma.b, mma.k, n, engine);
    Memories memory(blocks);
    ASSERT_EQ(tcgen05Mma(mma, a.bits, b.bits, false, 0, memory.pointers), "");
    Matrix expected = product(mma.d, a, b, nullptr);
    auto fragment = mlir::tile::tcgen05Fragment(rows, {rows, n}, {4, 1});
    ASSERT_TRUE(bool(fragment));
    for (unsigned block = 0; block < blocks; ++block)
      for (unsigned warp = 0; warp < 4; ++warp) {
        std::vector<TensorPlace> places[32];
        ASSERT_EQ(tcgen05Places(rows == 128
                                    ? "tcgen05.ld.sync.aligned.32x32b.x64.b32"
                                    : "tcgen05.ld.sync.aligned.16x256b.x8.b32",
                                (warp * 32) << 16, warp, places),
                  "");
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned r = 0; r < places[lane].size(); ++r) {
            auto at = fragment->coordinates({r, lane, warp, 0});
            TensorPlace place = places[lane][r];
            ASSERT_EQ(memory.memories[block].at(place.lane, place.column),
                      expected.at(block * rows + at[0], at[1]));
          }
      }
  }
}

TEST(Tcgen05, NegatedOperands) {
  std::mt19937 engine(9);
  for (bool negateA : {false, true})
    for (bool negateB : {false, true}) {
      Tcgen05Mma mma = decoded(kKinds[0], 1, 128, 16);
      mma.negateA = negateA;
      mma.negateB = negateB;
      Matrix a = smallValues(mma.a, mma.m, mma.k, engine);
      Matrix b = smallValues(mma.b, mma.k, mma.n, engine);
      Memories memory(1);
      ASSERT_EQ(tcgen05Mma(mma, a.bits, b.bits, false, 0, memory.pointers), "");
      Matrix expected =
          product(mma.d, a, b, nullptr, negateA != negateB ? -1 : 1);
      for (unsigned i = 0; i < mma.m; ++i)
        for (unsigned j = 0; j < mma.n; ++j)
          ASSERT_EQ(toDouble(mma.d, memory.memories[0].at(i, j)),
                    expected.value(i, j));
    }
}

TEST(Tcgen05, IntegersWrapOrSaturate) {
  for (bool saturate : {false, true}) {
    Tcgen05Mma mma = decoded(kKinds[7], 1, 128, 16);
    mma.saturate = saturate;
    Matrix a(mma.a, mma.m, mma.k), b(mma.b, mma.k, mma.n);
    a.at(100, 3) = 255;
    b.at(3, 9) = 0x80; // -128
    Memories memory(1);
    for (unsigned i = 0; i < mma.m; ++i)
      for (unsigned j = 0; j < mma.n; ++j)
        memory.write({0, i, j}, 0x80000000);
    ASSERT_EQ(tcgen05Mma(mma, a.bits, b.bits, true, 0, memory.pointers), "");
    EXPECT_EQ(memory.memories[0].at(100, 9),
              saturate ? 0x80000000u : 0x80000000u - 255 * 128);
  }
}

TEST(Tcgen05, AFromTensorMemory) {
  std::mt19937 engine(10);
  for (const Kind &kind : kKinds)
    for (const Shape &shape : kShapes) {
      Tcgen05Mma mma = decoded(kind, shape.blocks, shape.m, shape.n);
      Matrix a(mma.a, mma.m, mma.k);
      for (uint64_t &bits : a.bits)
        bits = engine() & ((uint64_t(1) << bitsOf(mma.a)) - 1);
      Memories memory(shape.blocks);
      unsigned bits = bitsOf(mma.a);
      bool isFolded = shape.blocks == 2 && shape.m == 128;
      for (unsigned row = 0; row < mma.m; ++row)
        for (unsigned word = 0; word < 8; ++word) {
          uint32_t packed = 0;
          for (unsigned e = 0; e < 32 / bits; ++e)
            packed |= uint32_t(a.at(row, word * 32 / bits + e)) << (e * bits);
          Place place = placeOf(shape, row, 0);
          place.column += word;
          memory.write(place, packed);
          place.lane += 64;
          if (isFolded)
            memory.write(place, packed);
        }
      std::vector<uint64_t> got;
      uint32_t address = shape.lane << 16 | kColumn;
      ASSERT_EQ(tcgen05ReadA(mma, address, memory.pointers, got), "");
      ASSERT_EQ(got, a.bits);
      if (!isFolded)
        continue;
      memory.memories[1].at(64 + 17, kColumn + 3) ^= 1;
      EXPECT_EQ(tcgen05ReadA(mma, address, memory.pointers, got),
                "expected the same rows of A in lanes 0 to 63 and 64 to 127 "
                "for M = 128 of a pair, got others in lane 17 column 131");
    }
}

TEST(Tcgen05, BrokenRules) {
  Tcgen05Mma mma = decoded(kKinds[0], 1, 128, 64);
  Matrix a(mma.a, 128, 16), b(mma.b, 16, 64);
  Memories memory(2);
  auto one = llvm::ArrayRef<TensorMemory *>(memory.pointers).take_front();
  EXPECT_EQ(tcgen05Mma(mma, a.bits, b.bits, false, 0, memory.pointers),
            "expected tensor memory of 1 blocks for cta_group::1, got 2");
  EXPECT_EQ(tcgen05Mma(mma, a.bits, b.bits, false, 16 << 16, one),
            "expected D to start at lane 0, got 16");
  EXPECT_EQ(tcgen05Mma(mma, a.bits, b.bits, false, 449, one),
            "expected D within 512 columns of tensor memory, got columns 449 "
            "to 512");
  ASSERT_EQ(tcgen05Mma(mma, a.bits, b.bits, false, 448, one), "");
  EXPECT_EQ(tcgen05Mma(mma, a.bits, b.bits, true, 448, one), "");
  EXPECT_EQ(tcgen05Mma(mma, a.bits, b.bits, true, 440, one),
            "expected D, which is added to, to have been written, got nothing "
            "in lane 0 column 440");
  std::vector<uint64_t> elements;
  EXPECT_EQ(tcgen05ReadA(mma, 0, one, elements),
            "expected A to have been written, got nothing in lane 0 column 0");
  mma.transposeA = true;
  EXPECT_EQ(tcgen05ReadA(mma, 0, one, elements),
            "expected A in tensor memory along k, got it along m");
  mma = decoded(kKinds[0], 1, 64, 64);
  EXPECT_EQ(
      tcgen05Mma(mma, {a.bits.data(), 64 * 16}, b.bits, false, 8 << 16, one),
      "expected D to start at lane 0 or 16, got 8");
}

} // namespace
