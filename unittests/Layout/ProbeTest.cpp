//===- ProbeTest.cpp - layouts from functions, and CuTe's spelling --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Layout/Probe.h"
#include "LayoutTestUtil.h"
#include "tile/Layout/CuteNotation.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace layouttest;
using llvm::ArrayRef;

namespace {

//===----------------------------------------------------------------------===//
// Probing
//===----------------------------------------------------------------------===//

TEST(ProbeFragment, RecognizesTheAccumulator) {
  OrRefusal<FragmentLayout> probed =
      probeFragment({16, 8}, 32, [](ArrayRef<int64_t> c) -> ThreadRegister {
        return {c[0] % 8 * 4 + c[1] / 2, c[0] / 8 * 2 + c[1] % 2};
      });
  ASSERT_TRUE(bool(probed)) << probed.reason();
  EXPECT_EQ(text(*probed),
            text(*mmaSyncFragment({16, 8, 16}, MmaOperand::C, 32)));
}

TEST(ProbeFragment, ReplicasAndIdleThreads) {
  auto rows = [](ArrayRef<int64_t> c) -> ThreadRegister {
    return {c[0], c[1]};
  };
  EXPECT_EQ(text(*probeFragment({32, 4}, 64, rows, 2)),
            "shape [32, 4] reg [(4, 1:1)] lane [(32, 0:1)] warp [(2, *)]");
  // Only every second thread holds anything; the others overshoot.
  OrRefusal<FragmentLayout> half =
      probeFragment({16}, 32, [](ArrayRef<int64_t> c) -> ThreadRegister {
        return {2 * c[0], 0};
      });
  ASSERT_TRUE(bool(half)) << half.reason();
  EXPECT_EQ(text(*half), "shape [16] reg [] lane [(2, 0:16), (16, 0:1)] "
                         "warp []");
  EXPECT_TRUE(half->overshoots());
  // 10 rows of 4 over 32 threads: the digit of 3 is longer than it is used.
  OrRefusal<FragmentLayout> odd =
      probeFragment({10}, 32, [](ArrayRef<int64_t> c) -> ThreadRegister {
        return {c[0] / 4, c[0] % 4};
      });
  ASSERT_TRUE(bool(odd)) << odd.reason();
  EXPECT_EQ(text(*odd), "shape [10] reg [(4, 0:1)] lane [(32, 0:4)] warp []");
}

TEST(ProbeFragment, GeneratedLayoutsComeBack) {
  Random random(51);
  int probed = 0;
  for (int i = 0; i < 400; ++i) {
    Coords shape;
    for (int64_t rank = random.in(1, 3); rank > 0; --rank)
      shape.push_back(random.in(1, 16));
    std::vector<unsigned> order;
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      order.push_back(dim);
    random.shuffle(order);
    FragmentLayout layout = FragmentLayout::blocked(shape, 32 * random.in(1, 4),
                                                    random.in(1, 4), order);
    if (layout.replication() > 1)
      continue;
    auto function = [&](ArrayRef<int64_t> c) -> ThreadRegister {
      HardwareIndex owner = layout.owners(c).front();
      return {owner.warp * 32 + owner.lane, owner.reg};
    };
    OrRefusal<FragmentLayout> again =
        probeFragment(shape, layout.numThreads(), function);
    ASSERT_TRUE(bool(again)) << text(layout) << ": " << again.reason();
    for (const Coords &coords : allCoords(shape)) {
      ASSERT_EQ(again->owners(coords).size(), 1u) << text(*again);
      ASSERT_TRUE(again->owners(coords).front() ==
                  layout.owners(coords).front());
    }
    ++probed;
  }
  EXPECT_GT(probed, 100);
}

TEST(ProbeFragment, Refusals) {
  auto reason = [](ArrayRef<int64_t> shape, FragmentFunction function) {
    OrRefusal<FragmentLayout> layout = probeFragment(shape, 32, function);
    return layout ? text(*layout) : layout.reason();
  };
  EXPECT_EQ(reason({8, 8},
                   [](ArrayRef<int64_t> c) -> ThreadRegister {
                     return {c[0] + c[1], 0};
                   }),
            "elements (0, 1) and (1, 0) are both in register 0 of thread 1");
  EXPECT_EQ(reason({2, 16},
                   [](ArrayRef<int64_t> c) -> ThreadRegister {
                     return {c[0] * 16 + (c[1] ^ c[0]), 0};
                   }),
            "element (1, 1) is not where the sum of its coordinates' digits "
            "puts it: expected 18, got 16");
  EXPECT_EQ(
      reason({64},
             [](ArrayRef<int64_t> c) -> ThreadRegister { return {c[0], 0}; }),
      "expected a thread below 32 and a register for element (32), got "
      "thread 32 and register 0");
  EXPECT_EQ(reason({32},
                   [](ArrayRef<int64_t> c) -> ThreadRegister {
                     return {31 - c[0], 0};
                   }),
            "along dimension 0: expected the value 0 at index 0, got 31 along "
            "dimension 0");
  EXPECT_EQ(reason({1 << 20, 1 << 20},
                   [](ArrayRef<int64_t>) -> ThreadRegister { return {0, 0}; }),
            "expected at most 1048576 elements, got a shape of (1048576, "
            "1048576)");
  EXPECT_EQ(
      reason({0}, [](ArrayRef<int64_t>) -> ThreadRegister { return {0, 0}; }),
      "expected positive extents, got (0)");
}

TEST(ProbeShared, RecognizesSwizzles) {
  // What a user writes: 16-byte chunks of a row XORed with the row number.
  OrRefusal<SharedLayout> written =
      probeShared({64, 64}, 16, [](ArrayRef<int64_t> c) {
        return c[0] * 64 + ((c[1] / 8) ^ (c[0] % 8)) * 8 + c[1] % 8;
      });
  ASSERT_TRUE(bool(written)) << written.reason();
  EXPECT_EQ(text(*written),
            "shape [64, 64] bits 16 modes [(64, 0:64), (64, 1:1)] "
            "swizzle(3, 4, 3)");
  Random random(52);
  for (int i = 0; i < 200; ++i) {
    unsigned bits = 8u << random.in(0, 2);
    Coords shape = {int64_t(8) << random.in(0, 2), random.in(1, 12) * 16};
    SharedLayout layout =
        random.oneIn(3) ? SharedLayout::rowMajor(shape, bits, random.in(0, 9))
                        : SharedLayout::swizzled(shape, bits, random.oneIn(2));
    OrRefusal<SharedLayout> probed =
        probeShared(shape, bits, [&](ArrayRef<int64_t> c) {
          return layout.byteOffset(c) * 8 / bits;
        });
    ASSERT_TRUE(bool(probed)) << text(layout) << ": " << probed.reason();
    for (const Coords &coords : allCoords(shape))
      ASSERT_EQ(probed->byteOffset(coords), layout.byteOffset(coords))
          << text(layout) << " as " << text(*probed);
  }
}

TEST(ProbeShared, Refusals) {
  auto reason = [](ArrayRef<int64_t> shape, OffsetFunction function) {
    OrRefusal<SharedLayout> layout = probeShared(shape, 16, function);
    return layout ? text(*layout) : layout.reason();
  };
  EXPECT_EQ(reason({8, 8}, [](ArrayRef<int64_t> c) { return c[0] * 4 + c[1]; }),
            "elements (0, 4) and (1, 0) are both at offset 4");
  EXPECT_EQ(
      reason({4, 4},
             [](ArrayRef<int64_t> c) { return c[0] * 4 + (c[1] + c[0]) % 4; }),
      "element (1, 3) is not where the sum of its coordinates' digits "
      "puts it: expected 8, got 4");
  EXPECT_EQ(reason({4}, [](ArrayRef<int64_t> c) { return c[0] - 1; }),
            "expected an offset from 0 to 2^40 for element (0), got -1");
}

//===----------------------------------------------------------------------===//
// CuTe's spelling
//===----------------------------------------------------------------------===//

template <typename Layout> std::string cute(const Layout &layout) {
  std::string result;
  llvm::raw_string_ostream os(result);
  printCute(layout, os);
  return result;
}

TEST(Cute, ModesRoundTrip) {
  Modes lanes = {{4, 1, 2}, {8, 0, 1}};
  EXPECT_EQ(cute(lanes), "(4,8):(2@1,1@0)");
  EXPECT_EQ(*parseCuteModes("(4,8):(2@1,1@0)"), lanes);
  EXPECT_EQ(*parseCuteModes(" ( _4 , (8) ) : ( 2@1 , (1@0) ) "), lanes);
  EXPECT_EQ(cute(Modes{{8, 0, 3}}), "8:3@0");
  EXPECT_EQ(*parseCuteModes("8:3"), (Modes{{8, 0, 3}}));
  EXPECT_EQ(cute(Modes{}), "1:0");
  EXPECT_EQ(*parseCuteModes("(2,4):(0,1)"),
            (Modes{{2, Mode::kReplicated, 0}, {4, 0, 1}}));
}

TEST(Cute, FragmentsRoundTrip) {
  FragmentLayout acc = *mmaSyncFragment({16, 8, 16}, MmaOperand::C, 32);
  EXPECT_EQ(cute(acc), "((4,8),(2,2)):((2@1,1@0),(1@1,8@0))");
  EXPECT_EQ(text(*parseCuteFragment(cute(acc), {16, 8})), text(acc));
  FragmentLayout wg = *wgmmaFragment({64, 96, 16}, MmaOperand::C, 32);
  EXPECT_EQ(cute(wg), "((4,8,4),(2,2,12)):((2@1,1@0,16@0),(1@1,8@0,8@1))");
  EXPECT_EQ(text(*parseCuteFragment(cute(wg), {64, 96})), text(wg));
  // A thread mode that runs over the end of the warp is split there.
  EXPECT_EQ(text(*parseCuteFragment("(128,1):(1@0,0)", {128})),
            "shape [128] reg [(1, *)] lane [(32, 0:1)] warp [(4, 0:32)]");
}

TEST(Cute, SharedLayoutsRoundTrip) {
  SharedLayout panels = SharedLayout::swizzled({128, 128}, 16, true);
  EXPECT_EQ(cute(panels), "Sw<3,3,3> o (128,(64,2)):(64,(1,8192))");
  Random random(53);
  for (int i = 0; i < 200; ++i) {
    unsigned bits = 8u << random.in(0, 2);
    Coords shape = {random.in(1, 40), random.in(1, 12) * 8};
    SharedLayout layout =
        random.oneIn(3) ? SharedLayout::rowMajor(shape, bits, random.in(0, 9))
                        : SharedLayout::swizzled(shape, bits, random.oneIn(2));
    OrRefusal<SharedLayout> again = parseCuteShared(cute(layout), bits);
    ASSERT_TRUE(bool(again)) << cute(layout) << ": " << again.reason();
    ASSERT_EQ(again->shape(), layout.shape());
    for (const Coords &coords : allCoords(shape))
      ASSERT_EQ(again->byteOffset(coords), layout.byteOffset(coords));
  }
}

TEST(Cute, ErrorsNameTheColumn) {
  auto modes = [](llvm::StringRef text) {
    OrRefusal<Modes> parsed = parseCuteModes(text);
    return parsed ? std::string("accepted") : parsed.reason();
  };
  EXPECT_EQ(modes("(4,8):(2@1,1@0"), "expected ')' at column 15, got the end");
  EXPECT_EQ(modes("(4,x):(1,2)"),
            "expected a 64-bit integer at column 4, got 'x'");
  EXPECT_EQ(modes("(4,8)"), "expected ':' at column 6, got the end");
  EXPECT_EQ(modes("(4,8):(1,2,3)"),
            "expected strides grouped as the shape, got another form at column "
            "7");
  EXPECT_EQ(modes("(4,0):(1,2)"),
            "expected a positive extent at column 4, got 0");
  EXPECT_EQ(modes("4:1 trailing"), "expected the end at column 5, got 't'");
  EXPECT_EQ(modes("99999999999999999999:1"),
            "expected a 64-bit integer at column 1, got '9'");
  EXPECT_EQ(modes("4:1@99"),
            "expected a dimension below 64 at column 7, got the end");
  EXPECT_EQ(modes("(4611686018427387904,4):(1,1)"),
            "mode 1 (4:1) overflows 64 bits");
  EXPECT_EQ(modes(std::string(100, '(')),
            "expected at most 16 nested groups at column 18, got '('");
  EXPECT_EQ(modes(""), "expected a 64-bit integer at column 1, got the end");
  EXPECT_EQ(parseCuteFragment("(4,8):(1@0,4@0)", {32}).reason(),
            "expected a multiple of 32 threads, got 4");
  EXPECT_EQ(parseCuteFragment("32:1", {32}).reason(),
            "expected two groups, threads and registers, got 0");
  EXPECT_EQ(parseCuteFragment("(48,1):(1@0,0)", {48}).reason(),
            "a thread mode of extent 48 does not split at a warp of 32 "
            "threads");
  EXPECT_EQ(parseCuteFragment("(32,1):(1@0,0)", {64}).reason(),
            "coordinate 32 of dimension 0 (extent 64) is held by no thread");
  EXPECT_EQ(parseCuteShared("(4,8):(2@1,1@0)", 16).reason(),
            "expected integer strides, got 2@1");
  EXPECT_EQ(parseCuteShared("Sw<3,3> o 8:1", 16).reason(),
            "expected ',' at column 7, got '>'");
}

} // namespace
