//===- WgmmaTest.cpp - wgmma against the compiler's layouts ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands lie in a buffer as the compiler's layouts say and are read through
// the compiler's descriptors; accumulators are in the registers that its
// fragments name.
//
//===----------------------------------------------------------------------===//
#include "MatrixTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "tile/Layout/WgmmaOperand.h"
#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"
#include <cmath>
#include <map>

using namespace matrixtest;
using mlir::tile::MmaOperand;
using mlir::tile::SharedLayout;
using mlir::tile::TmaSwizzle;
using mlir::tile::wgmmaFragment;
using mlir::tile::WgmmaSplit;

namespace {

Wgmma parsed(const std::string &name) {
  auto wgmma = parseWgmma("wgmma.mma_async.sync.aligned." + name);
  EXPECT_TRUE(bool(wgmma)) << name;
  return wgmma.value_or(Wgmma());
}

/// An instruction with operands of so many bits.
Wgmma withBits(unsigned bits, unsigned n) {
  return parsed("m64n" + std::to_string(n) + "k" + std::to_string(256 / bits) +
                (bits == 8    ? ".f32.e4m3.e4m3"
                 : bits == 16 ? ".f32.f16.f16"
                              : ".f32.tf32.tf32"));
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Aligned to the repeat of every swizzle, as buffers are.
constexpr uint32_t kBase = 5 * 1024;

/// Without swizzle: chunks of 16 bytes, columns of them one after the other,
/// with `pad` chunks between two columns.
SharedLayout columnsOfChunks(int64_t rows, int64_t columns, unsigned bits,
                             int64_t pad) {
  int64_t perChunk = 128 / bits;
  return SharedLayout({rows, columns}, bits,
                      {{perChunk, 1, 1},
                       {rows, 0, perChunk},
                       {columns / perChunk, 1, perChunk * (rows + pad)}});
}

/// Every element of every instruction's operand is read where it lies. Returns
/// false where the compiler has no descriptor for the layout.
bool expectReads(const SharedLayout &layout, unsigned bits, bool isA,
                 const WgmmaSplit &split) {
  auto operand = mlir::tile::wgmmaOperand(layout, split);
  if (!operand)
    return false;
  Wgmma instruction = withBits(bits, isA ? 8 : split.extent);
  bool transposed = operand->descriptor.major == mlir::tile::Major::MN;
  std::vector<uint32_t> addresses;
  for (int64_t group = 0; group < split.groups; ++group)
    for (int64_t repeat = 0; repeat < split.repeats; ++repeat)
      for (int64_t step = 0; step < split.steps; ++step) {
        uint64_t descriptor =
            operand->descriptor.encode(kBase + group * operand->bytesPerGroup) +
            operand->offsets[repeat * split.steps + step] / 16;
        EXPECT_EQ(wgmmaAddresses(instruction, isA,
                                 {false, descriptor, transposed, false},
                                 addresses),
                  "");
        EXPECT_EQ(addresses.size(), split.extent * instruction.k);
        if (testing::Test::HasFailure())
          return true;
        for (int64_t mn = 0; mn < split.extent; ++mn)
          for (int64_t k = 0; k < instruction.k; ++k) {
            llvm::SmallVector<int64_t> at(2);
            at[split.mnDim] =
                (group * split.repeats + repeat) * split.extent + mn;
            at[split.kDim] = step * instruction.k + k;
            uint32_t got =
                addresses[isA ? mn * instruction.k + k : k * split.extent + mn];
            EXPECT_EQ(got, kBase + layout.byteOffset(at));
            if (testing::Test::HasFailure())
              return true;
          }
      }
  return true;
}

TEST(WgmmaAddresses, EveryElementOfEveryLayout) {
  std::map<std::string, int> seen;
  for (bool isA : {true, false})
    for (bool alongMn : {false, true})
      for (unsigned bits : {8u, 16u, 32u})
        for (int64_t extent : isA ? std::vector<int64_t>{64}
                                  : std::vector<int64_t>{8, 16, 48, 136, 256})
          for (int64_t repeats : {1, 2})
            for (int64_t steps : {1, 2, 4}) {
              int64_t mn = 2 * repeats * extent, k = steps * 256 / bits;
              if (mn > 512)
                continue;
              llvm::SmallVector<int64_t> shape = {mn, k};
              WgmmaSplit split{0, 1, 2, repeats, extent, steps};
              if (alongMn) {
                std::swap(shape[0], shape[1]);
                std::swap(split.mnDim, split.kDim);
              }
              std::string why;
              auto layouts = mlir::tile::wgmmaLayouts(shape, bits, split, why);
              for (int64_t pad : {0, 1, 8})
                layouts.push_back(
                    columnsOfChunks(shape[0], shape[1], bits, pad));
              for (const SharedLayout &layout : layouts)
                if (expectReads(layout, bits, isA, split))
                  ++seen[std::to_string(layout.swizzle().bits) +
                         (alongMn ? " mn " : " k ") + std::to_string(bits)];
              if (HasFailure())
                return;
            }
  for (const char *kind :
       {"0 k 8", "1 k 8", "2 k 8", "3 k 8", "0 k 16", "1 k 16", "2 k 16",
        "3 k 16", "0 k 32", "1 k 32", "2 k 32", "3 k 32", "0 mn 16", "1 mn 16",
        "2 mn 16", "3 mn 16"})
    EXPECT_GT(seen[kind], 2) << kind;
  EXPECT_EQ(seen.size(), 16u);
}

/// A descriptor by its fields.
uint64_t descriptorOf(uint64_t start, uint64_t leading, uint64_t stride,
                      uint64_t baseOffset, uint64_t mode) {
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 |
         baseOffset << 49 | mode << 62;
}

TEST(WgmmaAddresses, BaseOffsetMovesThePattern) {
  // A matrix that starts some rows of 128 bytes behind the repeat of its
  // pattern, and says so, is the aligned one moved.
  Wgmma instruction = withBits(16, 64);
  const std::pair<uint64_t, uint64_t> kModes[] = {{1, 8}, {2, 4}, {3, 2}};
  for (auto [mode, rows] : kModes)
    for (uint64_t offset = 1; offset < rows; ++offset)
      for (bool transposed : {false, true}) {
        uint64_t stride = rows * 128;
        std::vector<uint32_t> aligned, moved;
        ASSERT_EQ(
            wgmmaAddresses(instruction, true,
                           {false, descriptorOf(4096, 2048, stride, 0, mode),
                            transposed, false},
                           aligned),
            "");
        ASSERT_EQ(wgmmaAddresses(instruction, true,
                                 {false,
                                  descriptorOf(4096 + offset * 128, 2048,
                                               stride, offset, mode),
                                  transposed, false},
                                 moved),
                  "");
        for (size_t i = 0; i < aligned.size(); ++i)
          ASSERT_EQ(moved[i], aligned[i] + offset * 128);
      }
}

TEST(WgmmaAddresses, BrokenRules) {
  std::vector<uint32_t> addresses;
  auto rule = [&](unsigned bits, uint64_t descriptor, bool transposed = false) {
    return wgmmaAddresses(withBits(bits, 64), false,
                          {false, descriptor, transposed, false}, addresses);
  };
  EXPECT_EQ(rule(16, descriptorOf(0, 0, 1024, 0, 1)), "");
  EXPECT_EQ(rule(16, descriptorOf(0, 0, 1024, 0, 1) | 1 << 14),
            "expected zeros between the fields of a descriptor, got 0x4000 "
            "between those of 0x4000004000004000");
  EXPECT_EQ(rule(8, descriptorOf(0, 0, 1024, 0, 1), true),
            "expected elements of 16 bits along m or n, got 8");
  EXPECT_EQ(rule(32, descriptorOf(0, 0, 1024, 0, 1), true),
            "expected elements of 16 bits along m or n, got 32");
  EXPECT_EQ(rule(16, descriptorOf(0, 128, 256, 1, 0)),
            "expected a base offset of 0 without swizzle, got 1");
  EXPECT_EQ(rule(16, descriptorOf(112, 0, 1024, 0, 1)),
            "expected 32 bytes of an operand in one swizzled row of 128, got a "
            "start 112 bytes into it");
  EXPECT_EQ(rule(16, descriptorOf(64, 8192, 1024, 0, 1), true),
            "expected 128 bytes of an operand in one swizzled row of 128, got "
            "a start 64 bytes into it");
  EXPECT_EQ(rule(16, descriptorOf(0x3f000, 0, 1024, 0, 1)),
            "expected an operand below byte 262144 of shared memory, got byte "
            "266142");
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST(Wgmma, Names) {
  Wgmma wgmma = parsed("m64n136k16.f16.f16.f16");
  EXPECT_EQ(wgmma.n, 136u);
  EXPECT_EQ(wgmma.dRegisters, 34u);
  EXPECT_EQ(parsed("m64n256k8.f32.tf32.tf32").dRegisters, 128u);
  EXPECT_TRUE(parsed("m64n24k32.satfinite.s32.u8.s8").saturate);
  EXPECT_EQ(parsed("m64n8k32.f16.e5m2.e4m3").a, MatrixType::E5M2);
  for (const char *name :
       {"m64n264k16.f32.f16.f16", "m64n12k16.f32.f16.f16",
        "m64n8k32.f32.f16.f16", "m64n8k16.f32.f16.bf16",
        "m64n8k16.f16.bf16.bf16", "m64n40k32.s32.s8.s8", "m64n8k32.f32.s8.s8",
        "m64n8k16.satfinite.f32.f16.f16", "m128n8k16.f32.f16.f16",
        "m64n8k16.f32.f16", "m64n8k16"})
    EXPECT_FALSE(
        bool(parseWgmma(std::string("wgmma.mma_async.sync.aligned.") + name)))
        << name;
  EXPECT_FALSE(bool(parseWgmma("wgmma.mma_async.m64n8k16.f32.f16.f16")));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

struct Warpgroup {
  explicit Warpgroup(unsigned registers)
      : words(128, std::vector<uint32_t>(registers)) {
    for (auto &thread : words)
      pointers.push_back(thread.data());
  }
  std::vector<std::vector<uint32_t>> words;
  std::vector<uint32_t *> pointers;
};

const char *const kInstructions[] = {
    "m64n8k16.f32.f16.f16",          "m64n256k16.f32.f16.f16",
    "m64n136k16.f16.f16.f16",        "m64n64k16.f32.bf16.bf16",
    "m64n40k8.f32.tf32.tf32",        "m64n128k32.f32.e4m3.e5m2",
    "m64n24k32.f16.e5m2.e4m3",       "m64n32k32.f32.e5m2.e5m2",
    "m64n24k32.s32.s8.s8",           "m64n96k32.s32.u8.s8",
    "m64n16k32.satfinite.s32.s8.u8",
};

/// d, or c + a * b, with C and D where the compiler's fragment has them.
Matrix execute(const Wgmma &instruction, const std::vector<uint64_t> &a,
               const std::vector<uint64_t> &b, Matrix &c, bool keep,
               bool negateA = false, bool negateB = false) {
  auto layout = wgmmaFragment({64, instruction.n, instruction.k}, MmaOperand::C,
                              bitsOf(instruction.d));
  EXPECT_TRUE(bool(layout));
  Warpgroup group(instruction.dRegisters);
  auto word = [&](int64_t warp, int64_t lane, int64_t r) -> uint32_t & {
    return group.words[warp * 32 + lane].at(r);
  };
  scatter(*layout, c, word);
  wgmma(instruction, a, b, negateA, negateB, keep, group.pointers);
  return gather(*layout, instruction.d, 64, instruction.n, word);
}

TEST(Wgmma, EveryElementOfEveryInstruction) {
  std::mt19937 engine(4);
  for (const char *name : kInstructions) {
    SCOPED_TRACE(name);
    Wgmma wgmma = parsed(name);
    Matrix a = smallValues(wgmma.a, 64, wgmma.k, engine);
    Matrix b = smallValues(wgmma.b, wgmma.k, wgmma.n, engine);
    Matrix c = smallValues(wgmma.d, 64, wgmma.n, engine);
    ASSERT_EQ(execute(wgmma, a.bits, b.bits, c, true).bits,
              product(wgmma.d, a, b, &c).bits);
    ASSERT_EQ(execute(wgmma, a.bits, b.bits, c, false).bits,
              product(wgmma.d, a, b, nullptr).bits);
    if (wgmma.d == MatrixType::S32)
      continue; // they have no factors
    ASSERT_EQ(execute(wgmma, a.bits, b.bits, c, true, true, false).bits,
              product(wgmma.d, a, b, &c, -1).bits);
    ASSERT_EQ(execute(wgmma, a.bits, b.bits, c, true, false, true).bits,
              product(wgmma.d, a, b, &c, -1).bits);
    ASSERT_EQ(execute(wgmma, a.bits, b.bits, c, true, true, true).bits,
              product(wgmma.d, a, b, &c).bits);
  }
}

TEST(Wgmma, AFromRegisters) {
  std::mt19937 engine(5);
  for (const char *name : kInstructions) {
    SCOPED_TRACE(name);
    Wgmma wgmma = parsed(name);
    auto layout =
        wgmmaFragment({64, wgmma.n, wgmma.k}, MmaOperand::A, bitsOf(wgmma.a));
    ASSERT_TRUE(bool(layout));
    Matrix a(wgmma.a, 64, wgmma.k);
    for (uint64_t &bits : a.bits)
      bits = engine() & ((uint64_t(1) << bitsOf(wgmma.a)) - 1);
    Warpgroup group(4);
    scatter(*layout, a,
            [&](int64_t warp, int64_t lane, int64_t r) -> uint32_t & {
              return group.words[warp * 32 + lane].at(r);
            });
    std::vector<const uint32_t *> registers(group.pointers.begin(),
                                            group.pointers.end());
    std::vector<uint64_t> got;
    wgmmaRegistersToA(wgmma, registers, got);
    ASSERT_EQ(got, a.bits);
  }
}

TEST(Wgmma, OneRoundingOfEachResult) {
  std::mt19937 engine(6);
  for (const char *name : {"m64n32k16.f16.f16.f16", "m64n32k16.f32.f16.f16"}) {
    Wgmma wgmma = parsed(name);
    Matrix a(wgmma.a, 64, wgmma.k), b(wgmma.b, wgmma.k, 32), c(wgmma.d, 64, 32);
    for (Matrix *matrix : {&a, &b, &c})
      for (uint64_t &bits : matrix->bits)
        bits = fromDouble(matrix->type, double(engine() % 20001) / 1000 - 10);
    Matrix d = execute(wgmma, a.bits, b.bits, c, true);
    for (unsigned i = 0; i < 64; ++i)
      for (unsigned j = 0; j < 32; ++j) {
        // Products of two halves have 22 bits: a long double has the whole sum.
        long double sum = c.value(i, j);
        for (unsigned p = 0; p < wgmma.k; ++p)
          sum += (long double)(a.value(i, p)) * b.value(p, j);
        ASSERT_EQ((long double)(double(sum)), sum);
        ASSERT_EQ(d.at(i, j), fromDouble(wgmma.d, double(sum)));
      }
  }
}

TEST(Wgmma, IntegersWrapOrSaturate) {
  for (bool saturate : {false, true}) {
    Wgmma wgmma = parsed(saturate ? "m64n8k32.satfinite.s32.u8.u8"
                                  : "m64n8k32.s32.u8.u8");
    Matrix a(wgmma.a, 64, 32), b(wgmma.b, 32, 8), c(wgmma.d, 64, 8);
    a.at(9, 0) = b.at(0, 3) = 255;
    c.at(9, 3) = 0x7fffffff;
    EXPECT_EQ(execute(wgmma, a.bits, b.bits, c, true).at(9, 3),
              saturate ? 0x7fffffffu : 0x7fffffffu + 255u * 255u);
  }
}

} // namespace
