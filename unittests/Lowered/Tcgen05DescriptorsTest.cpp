//===- Tcgen05DescriptorsTest.cpp - what tcgen05.mma is told --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction descriptors by the manual's fields; shared memory descriptors as
// the compiler makes them, against its layouts.
//
//===----------------------------------------------------------------------===//
#include "Tcgen05TestUtil.h"
#include "tile/Layout/WgmmaOperand.h"
#include <map>

using namespace matrixtest;
using mlir::tile::SharedLayout;
using mlir::tile::WgmmaSplit;

namespace {

//===----------------------------------------------------------------------===//
// Instruction descriptors
//===----------------------------------------------------------------------===//

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
  uint64_t leading = 4096, stride = 1024;
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

} // namespace
