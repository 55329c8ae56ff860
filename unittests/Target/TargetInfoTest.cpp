//===- TargetInfoTest.cpp - tables of instructions ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Target/TargetInfo.h"
#include "gtest/gtest.h"

using namespace mlir::tile;

namespace {

TEST(TargetInfo, WgmmaIsOneArchitectures) {
  for (const TargetInfo &target : TargetInfo::all())
    EXPECT_EQ(target.wgmmaInstruction(MmaType::F16, MmaType::F16,
                                      MmaType::F32) != nullptr,
              target.arch == "sm_90a")
        << target.arch.str();
}

TEST(TargetInfo, WgmmaTypes) {
  const TargetInfo &target = *TargetInfo::get("sm_90a");
  const std::pair<MmaType, int64_t> kSteps[] = {
      {MmaType::F16, 16},  {MmaType::BF16, 16}, {MmaType::TF32, 8},
      {MmaType::E4M3, 32}, {MmaType::E5M2, 32}, {MmaType::I8, 32},
      {MmaType::U8, 32}};
  for (auto [type, k] : kSteps) {
    MmaType accumulator = type == MmaType::I8 || type == MmaType::U8
                              ? MmaType::I32
                              : MmaType::F32;
    const WgmmaInstructionInfo *info =
        target.wgmmaInstruction(type, type, accumulator);
    ASSERT_TRUE(info);
    // One instruction takes 256 bits along k.
    EXPECT_EQ(info->k, k);
    EXPECT_EQ(info->k * bitWidth(type), 256);
    EXPECT_EQ(info->transposes(), bitWidth(type) == 16);
  }
  EXPECT_FALSE(
      target.wgmmaInstruction(MmaType::BF16, MmaType::BF16, MmaType::F16));
  EXPECT_FALSE(
      target.wgmmaInstruction(MmaType::F64, MmaType::F64, MmaType::F64));
}

TEST(TargetInfo, WgmmaN) {
  const TargetInfo &target = *TargetInfo::get("sm_90a");
  const WgmmaInstructionInfo &f16 =
      *target.wgmmaInstruction(MmaType::F16, MmaType::F16, MmaType::F32);
  const WgmmaInstructionInfo &i8 =
      *target.wgmmaInstruction(MmaType::I8, MmaType::U8, MmaType::I32);
  for (int64_t n = 0; n <= 512; ++n) {
    bool legal = n >= 8 && n <= 256 && n % 8 == 0;
    EXPECT_EQ(f16.hasN(n), legal) << n;
    EXPECT_EQ(i8.hasN(n), legal && (n == 8 || n == 24 || n % 16 == 0)) << n;
    for (const WgmmaInstructionInfo *info : {&f16, &i8}) {
      int64_t best = info->largestN(n);
      EXPECT_EQ(best == 0, n == 0 || n % 8 != 0) << n;
      if (best != 0) {
        EXPECT_TRUE(info->hasN(best) && n % best == 0) << n;
      }
    }
  }
  EXPECT_EQ(f16.largestN(320), 160);
  EXPECT_EQ(f16.largestN(264), 88);
  EXPECT_EQ(i8.largestN(40), 8);
  EXPECT_EQ(i8.largestN(72), 24);
}

} // namespace
