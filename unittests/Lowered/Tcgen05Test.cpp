//===- Tcgen05Test.cpp - tcgen05.mma against the compiler's layouts -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MatrixTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "tile/Layout/WgmmaOperand.h"
#include "gtest/gtest.h"
#include <map>

using namespace matrixtest;
using mlir::tile::SharedLayout;
using mlir::tile::WgmmaSplit;

namespace {

//===----------------------------------------------------------------------===//
// Instruction descriptors
//===----------------------------------------------------------------------===//

/// By fields: D's format at bit 4, A's and B's at 7 and 10, N / 8 at 17, M / 16
/// at 24.
uint32_t idesc(unsigned d, unsigned a, unsigned b, unsigned m, unsigned n) {
  return d << 4 | a << 7 | b << 10 | n / 8 << 17 | m / 16 << 24;
}
std::string nameOf(unsigned blocks, const std::string &kind) {
  return "tcgen05.mma.cta_group::" + std::to_string(blocks) + ".kind::" + kind;
}

struct Kind {
  const char *name;
  unsigned d, a, b; // formats
  MatrixType types[3];
  unsigned k;
};
const Kind kKinds[] = {
    {"f16", 1, 0, 0, {MatrixType::F32, MatrixType::F16, MatrixType::F16}, 16},
    {"f16", 0, 0, 0, {MatrixType::F16, MatrixType::F16, MatrixType::F16}, 16},
    {"f16", 1, 1, 1, {MatrixType::F32, MatrixType::BF16, MatrixType::BF16}, 16},
    {"tf32", 1, 2, 2, {MatrixType::F32, MatrixType::TF32, MatrixType::TF32}, 8},
    {"f8f6f4",
     1,
     0,
     1,
     {MatrixType::F32, MatrixType::E4M3, MatrixType::E5M2},
     32},
    {"f8f6f4",
     0,
     1,
     0,
     {MatrixType::F16, MatrixType::E5M2, MatrixType::E4M3},
     32},
    {"i8", 2, 1, 0, {MatrixType::S32, MatrixType::S8, MatrixType::U8}, 32},
    {"i8", 2, 0, 1, {MatrixType::S32, MatrixType::U8, MatrixType::S8}, 32},
};

Tcgen05Mma decoded(const Kind &kind, unsigned blocks, unsigned m, unsigned n) {
  Tcgen05Mma mma;
  EXPECT_EQ(decodeTcgen05Mma(nameOf(blocks, kind.name),
                             idesc(kind.d, kind.a, kind.b, m, n), mma),
            "");
  return mma;
}

TEST(Tcgen05Descriptor, Fields) {
  for (const Kind &kind : kKinds) {
    SCOPED_TRACE(kind.name);
    Tcgen05Mma mma = decoded(kind, 2, 256, 224);
    EXPECT_EQ(mma.blocks, 2u);
    EXPECT_EQ(mma.m, 256u);
    EXPECT_EQ(mma.n, 224u);
    EXPECT_EQ(mma.k, kind.k);
    EXPECT_EQ(mma.d, kind.types[0]);
    EXPECT_EQ(mma.a, kind.types[1]);
    EXPECT_EQ(mma.b, kind.types[2]);
  }
  Tcgen05Mma mma;
  bool *const flags[] = {&mma.negateA, &mma.negateB, &mma.transposeA,
                         &mma.transposeB};
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_EQ(decodeTcgen05Mma(nameOf(1, "f16"),
                               idesc(1, 0, 0, 128, 128) | 1u << (13 + i), mma),
              "");
    for (unsigned j = 0; j < 4; ++j)
      EXPECT_EQ(*flags[j], i == j);
  }
  ASSERT_EQ(
      decodeTcgen05Mma(nameOf(1, "i8"), idesc(2, 0, 0, 64, 24) | 1 << 3, mma),
      "");
  EXPECT_TRUE(mma.saturate);
}

TEST(Tcgen05Descriptor, BrokenRules) {
  auto rule = [](const std::string &name, uint32_t descriptor) {
    Tcgen05Mma mma;
    return decodeTcgen05Mma(name, descriptor, mma);
  };
  uint32_t good = idesc(1, 0, 0, 128, 128);
  std::string expectedName =
      "expected tcgen05.mma.cta_group::{1,2}.kind::{f16,tf32,f8f6f4,i8}, got ";
  for (const std::string &name :
       {nameOf(3, "f16"), nameOf(1, "mxf4"), nameOf(1, "f16.ashift"),
        std::string("tcgen05.mma.ws.cta_group::1.kind::f16")})
    EXPECT_EQ(rule(name, good), expectedName + name);
  EXPECT_EQ(rule(nameOf(1, "f16"), good | 1 << 2),
            "expected zeros between the fields of a descriptor, got 0x4 "
            "between those of 0x8200014");
  EXPECT_EQ(rule(nameOf(1, "tf32"), good),
            "expected a format of A and B that kind::tf32 has, got 0 and 0");
  EXPECT_EQ(rule(nameOf(1, "f8f6f4"), idesc(1, 5, 0, 128, 128)),
            "expected a format of A and B that kind::f8f6f4 has, got 5 and 0");
  EXPECT_EQ(rule(nameOf(1, "f16"), idesc(0, 1, 1, 128, 128)),
            "expected a format of D that kind::f16 has, got 0");
  EXPECT_EQ(rule(nameOf(1, "i8"), idesc(1, 1, 1, 128, 128)),
            "expected a format of D that kind::i8 has, got 1");
  EXPECT_EQ(rule(nameOf(1, "f16"), idesc(1, 0, 0, 256, 128)),
            "expected M of 64 or 128 for cta_group::1, got 256");
  EXPECT_EQ(rule(nameOf(2, "f16"), idesc(1, 0, 0, 64, 128)),
            "expected M of 128 or 256 for cta_group::2, got 64");
  EXPECT_EQ(rule(nameOf(2, "f16"), idesc(1, 0, 0, 128, 24)),
            "expected N in steps of 16 up to 256, got 24");
  EXPECT_EQ(rule(nameOf(1, "f16"), idesc(1, 0, 0, 128, 0)),
            "expected N in steps of 8 up to 256, got 0");
  EXPECT_EQ(rule(nameOf(1, "f16"), idesc(1, 0, 0, 128, 264)),
            "expected N in steps of 8 up to 256, got 264");
  EXPECT_EQ(rule(nameOf(1, "i8"), idesc(2, 0, 0, 128, 40)),
            "expected N in steps of 16 up to 256, got 40");
  EXPECT_EQ(rule(nameOf(1, "f16"), good | 1 << 3),
            "expected no saturation of floats");
  EXPECT_EQ(rule(nameOf(1, "i8"), idesc(2, 0, 0, 128, 128) | 1 << 13),
            "expected no negation of integers");
}

//===----------------------------------------------------------------------===//
// Shared memory descriptors
//===----------------------------------------------------------------------===//

constexpr uint32_t kBase = 7 * 1024;

/// As in WgmmaTest.cpp, by the words that tcgen05 takes; elements of 8 bits may
/// lie along m or n, too. `blocks` share the rows or columns of the operand.
bool expectReads(const SharedLayout &layout, unsigned bits, bool isA,
                 unsigned blocks, const WgmmaSplit &split) {
  auto operand = mlir::tile::wgmmaOperand(layout, split);
  if (!operand)
    return false;
  const Kind &kind = kKinds[bits == 8 ? 4 : bits == 16 ? 0 : 3];
  Tcgen05Mma mma = decoded(kind, blocks, isA ? split.extent * blocks : 128,
                           isA ? 32 : split.extent * blocks);
  bool transposed = operand->descriptor.major == mlir::tile::Major::MN;
  std::vector<uint32_t> addresses;
  for (int64_t repeat = 0; repeat < split.repeats; ++repeat)
    for (int64_t step = 0; step < split.steps; ++step) {
      uint64_t descriptor = operand->descriptor.encodeTcgen05(kBase) +
                            operand->offsets[repeat * split.steps + step] / 16;
      EXPECT_EQ(tcgen05Addresses(mma, isA, descriptor, transposed, addresses),
                "");
      EXPECT_EQ(addresses.size(), split.extent * mma.k);
      for (int64_t mn = 0; mn < split.extent; ++mn)
        for (int64_t k = 0; k < mma.k; ++k) {
          llvm::SmallVector<int64_t> at(2);
          at[split.mnDim] = repeat * split.extent + mn;
          at[split.kDim] = step * mma.k + k;
          if (!testing::Test::HasFailure())
            EXPECT_EQ(addresses[isA ? mn * mma.k + k : k * split.extent + mn],
                      kBase + layout.byteOffset(at));
        }
      if (testing::Test::HasFailure())
        return true;
    }
  return true;
}

TEST(Tcgen05Addresses, EveryElementOfEveryLayout) {
  std::map<std::string, int> seen;
  for (bool isA : {true, false})
    for (unsigned blocks : {1, 2})
      for (bool alongMn : {false, true})
        for (unsigned bits : {8u, 16u, 32u})
          for (int64_t extent : isA ? std::vector<int64_t>{64, 128}
                                    : std::vector<int64_t>{16, 48, 128})
            for (int64_t repeats : {1, 2})
              for (int64_t steps : {1, 2, 4}) {
                llvm::SmallVector<int64_t> shape = {repeats * extent,
                                                    steps * 256 / bits};
                WgmmaSplit split{0, 1, 1, repeats, extent, steps, true};
                if (alongMn) {
                  std::swap(shape[0], shape[1]);
                  std::swap(split.mnDim, split.kDim);
                }
                std::string why;
                auto layouts =
                    mlir::tile::wgmmaLayouts(shape, bits, split, why);
                int64_t perChunk = 128 / bits;
                layouts.push_back(SharedLayout(
                    shape, bits,
                    {{perChunk, 1, 1},
                     {shape[0], 0, perChunk},
                     {shape[1] / perChunk, 1, perChunk * (shape[0] + 8)}}));
                for (const SharedLayout &layout : layouts)
                  if (expectReads(layout, bits, isA, blocks, split))
                    ++seen[std::to_string(layout.swizzle().bits) +
                           (alongMn ? " mn " : " k ") + std::to_string(bits)];
                if (HasFailure())
                  return;
              }
  for (const char *kind :
       {"0 k 8",  "1 k 8",  "2 k 8",   "3 k 8",   "0 k 16",  "1 k 16", "2 k 16",
        "3 k 16", "0 k 32", "1 k 32",  "2 k 32",  "3 k 32",  "0 mn 8", "1 mn 8",
        "2 mn 8", "3 mn 8", "0 mn 16", "1 mn 16", "2 mn 16", "3 mn 16"})
    EXPECT_GT(seen[kind], 2) << kind;
  EXPECT_EQ(seen.size(), 20u);
}

TEST(Tcgen05Addresses, WordsAlongMn) {
  // The one mode for tf32 along m or n: four rows of 128 bytes, whose pieces of
  // 32 bytes are exchanged by the row; the compiler has no such layout.
  Tcgen05Mma mma = decoded(kKinds[3], 1, 128, 64);
  uint64_t leading = 4096, stride = 512;
  std::vector<uint32_t> addresses;
  ASSERT_EQ(tcgen05Addresses(mma, false,
                             uint64_t(1) << 61 | uint64_t(1) << 46 |
                                 stride >> 4 << 32 | leading >> 4 << 16 |
                                 kBase >> 4,
                             true, addresses),
            "");
  for (uint32_t k = 0; k < 8; ++k)
    for (uint32_t n = 0; n < 64; ++n) {
      uint32_t piece = n % 32 / 8 ^ k % 4;
      ASSERT_EQ(addresses[k * 64 + n], kBase + n / 32 * leading +
                                           k / 4 * stride + k % 4 * 128 +
                                           piece * 32 + n % 8 * 4);
    }
}

TEST(Tcgen05Addresses, BrokenRules) {
  std::vector<uint32_t> addresses;
  auto rule = [&](unsigned kind, uint64_t descriptor, bool transposed = false) {
    return tcgen05Addresses(decoded(kKinds[kind], 1, 128, 64), false,
                            descriptor, transposed, addresses);
  };
  uint64_t good = uint64_t(2) << 61 | uint64_t(1) << 46 | uint64_t(64) << 32;
  EXPECT_EQ(rule(0, good), "");
  EXPECT_EQ(rule(0, good ^ uint64_t(1) << 46),
            "expected bit 46 of a descriptor of tcgen05 to be set, got "
            "0x4000004000000000");
  EXPECT_EQ(rule(0, good | uint64_t(1) << 52),
            "expected zeros between the fields of a descriptor, got "
            "0x10000000000000 between those of 0x4010404000000000");
  EXPECT_EQ(rule(0, good | uint64_t(1) << 61),
            "expected swizzle mode 0, 1, 2, 4 or 6, got 3");
  std::string pairs =
      "expected the 128-byte swizzle of 32-byte pieces (mode 1) for 32-bit "
      "elements along m or n, and for them alone, got mode ";
  EXPECT_EQ(rule(3, good, true), pairs + "2");
  EXPECT_EQ(rule(0, good ^ uint64_t(3) << 61, true), pairs + "1");
  EXPECT_EQ(rule(3, good ^ uint64_t(3) << 61), pairs + "1");
}

//===----------------------------------------------------------------------===//
// Products in tensor memory
//===----------------------------------------------------------------------===//

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
