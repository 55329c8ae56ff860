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

TEST(TargetInfo, MmaSyncF64) {
  for (const TargetInfo &target : TargetInfo::all()) {
    auto found =
        target.mmaInstructions(MmaType::F64, MmaType::F64, MmaType::F64);
    ASSERT_EQ(found.size(), target.capability >= 90 ? 4u : 1u)
        << target.arch.str();
    // The largest k first; the one that all have last.
    EXPECT_TRUE((found.back()->shape == MmaShape{8, 8, 4}));
    if (target.capability >= 90) {
      EXPECT_TRUE((found.front()->shape == MmaShape{16, 8, 16}));
      EXPECT_EQ(found.front()->minPtx, 78u);
    }
  }
}

TEST(TargetInfo, MmaSyncOfBytes) {
  for (const TargetInfo &target : TargetInfo::all()) {
    for (MmaType a : {MmaType::E4M3, MmaType::E5M2})
      for (MmaType b : {MmaType::E4M3, MmaType::E5M2})
        for (MmaType c : {MmaType::F32, MmaType::F16}) {
          auto found = target.mmaInstructions(a, b, c);
          ASSERT_EQ(found.size(), target.capability >= 89 ? 2u : 0u);
          if (found.empty())
            continue;
          EXPECT_EQ(found[0]->shape.k, 32);
          EXPECT_EQ(found[0]->minPtx, c == MmaType::F32 ? 84u : 87u);
          EXPECT_EQ(found[1]->shape.k, 16);
          EXPECT_EQ(found[1]->minPtx, 87u);
        }
    for (MmaType a : {MmaType::I8, MmaType::U8})
      for (MmaType b : {MmaType::I8, MmaType::U8}) {
        auto found = target.mmaInstructions(a, b, MmaType::I32);
        ASSERT_EQ(found.size(), 2u);
        EXPECT_EQ(found[0]->shape.k, 32);
        EXPECT_EQ(found[1]->shape.k, 16);
      }
  }
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

TEST(TargetInfo, Tcgen05IsOfTwoFamilies) {
  for (const TargetInfo &target : TargetInfo::all())
    EXPECT_EQ(target.tcgen05Instruction(MmaType::F16, MmaType::F16,
                                        MmaType::F32) != nullptr,
              target.arch == "sm_100a" || target.arch == "sm_100f" ||
                  target.arch == "sm_103a" || target.arch == "sm_110a")
        << target.arch.str();
}

// kind::i8 is no feature of the family, and sm_103a has lost it.
TEST(TargetInfo, Tcgen05OfBytes) {
  for (const TargetInfo &target : TargetInfo::all())
    EXPECT_EQ(target.tcgen05Instruction(MmaType::I8, MmaType::I8,
                                        MmaType::I32) != nullptr,
              target.arch == "sm_100a" || target.arch == "sm_110a")
        << target.arch.str();
}

TEST(TargetInfo, Tcgen05Kinds) {
  const TargetInfo &target = *TargetInfo::get("sm_100a");
  // PTX ISA, "Instruction Descriptor": codes of the types in bits 7 to 9 (A)
  // and 10 to 12 (B), of D in bits 4 and 5 (f32 is 1, s32 is 2).
  struct Case {
    MmaType type;
    const char *kind;
    uint32_t format;
  };
  const Case kCases[] = {
      {MmaType::F16, "f16", 0},     {MmaType::BF16, "f16", 1},
      {MmaType::TF32, "tf32", 2},   {MmaType::E4M3, "f8f6f4", 0},
      {MmaType::E5M2, "f8f6f4", 1}, {MmaType::U8, "i8", 0},
      {MmaType::I8, "i8", 1}};
  for (const Case &one : kCases) {
    bool isInteger = one.type == MmaType::I8 || one.type == MmaType::U8;
    const Tcgen05InstructionInfo *info = target.tcgen05Instruction(
        one.type, one.type, isInteger ? MmaType::I32 : MmaType::F32);
    ASSERT_TRUE(info) << stringify(one.type).str();
    EXPECT_EQ(info->kind, one.kind);
    EXPECT_EQ(info->k * bitWidth(one.type), 256);
    for (int64_t m : {64, 128})
      for (int64_t n = 16; n <= 256; n += 16)
        for (bool alongM : {false, true})
          for (bool alongN : {false, true}) {
            uint32_t word = info->descriptor(m, n, alongM, alongN);
            auto bits = [&](unsigned first, unsigned count) {
              return word >> first & ((1u << count) - 1);
            };
            EXPECT_EQ(bits(0, 4), 0u); // dense, no saturation
            EXPECT_EQ(bits(4, 2), isInteger ? 2u : 1u);
            EXPECT_EQ(bits(6, 1), 0u);
            EXPECT_EQ(bits(7, 3), one.format);
            EXPECT_EQ(bits(10, 3), one.format);
            EXPECT_EQ(bits(13, 2), 0u); // nothing is negated
            EXPECT_EQ(bits(15, 1), uint32_t(alongM));
            EXPECT_EQ(bits(16, 1), uint32_t(alongN));
            EXPECT_EQ(bits(17, 6), uint32_t(n / 8));
            EXPECT_EQ(bits(23, 1), 0u);
            EXPECT_EQ(bits(24, 5), uint32_t(m / 16));
            EXPECT_EQ(bits(29, 3), 0u);
          }
  }
  // Operands of different types in one instruction.
  uint32_t mixed =
      target.tcgen05Instruction(MmaType::E5M2, MmaType::E4M3, MmaType::F32)
          ->descriptor(128, 256, false, false);
  EXPECT_EQ(mixed >> 7 & 7, 1u);
  EXPECT_EQ(mixed >> 10 & 7, 0u);
  EXPECT_FALSE(
      target.tcgen05Instruction(MmaType::F64, MmaType::F64, MmaType::F64));
  EXPECT_FALSE(
      target.tcgen05Instruction(MmaType::F16, MmaType::BF16, MmaType::F32));
}

// Binary and family compatibility of the CUDA programming guide.
TEST(TargetInfo, NewestForADevice) {
  const std::pair<unsigned, llvm::StringRef> kDevices[] = {
      {80, "sm_80"},    {86, "sm_86"},    {87, "sm_87"},    {88, "sm_87"},
      {89, "sm_89"},    {90, "sm_90a"},   {100, "sm_100a"}, {101, "sm_100"},
      {103, "sm_103a"}, {110, "sm_110a"}, {120, "sm_120a"}, {121, "sm_120f"}};
  for (auto [capability, arch] : kDevices) {
    const TargetInfo *target = TargetInfo::newestFor(capability);
    ASSERT_TRUE(target) << capability;
    EXPECT_EQ(target->arch.str(), arch.str()) << capability;
  }
  EXPECT_FALSE(TargetInfo::newestFor(75));
  EXPECT_TRUE(TargetInfo::get("sm_100f")->runsOn(103));
  EXPECT_FALSE(TargetInfo::get("sm_100f")->runsOn(110));
  EXPECT_FALSE(TargetInfo::get("sm_100a")->runsOn(103));
  EXPECT_TRUE(TargetInfo::get("sm_80")->runsOn(120));
}

TEST(TargetInfo, Tcgen05N) {
  const Tcgen05InstructionInfo &info =
      *TargetInfo::get("sm_100a")->tcgen05Instruction(
          MmaType::F16, MmaType::F16, MmaType::F32);
  for (int64_t n = 0; n <= 1024; ++n) {
    EXPECT_EQ(info.hasN(n), n >= 16 && n <= 256 && n % 16 == 0) << n;
    int64_t best = info.largestN(n);
    EXPECT_EQ(best == 0, n == 0 || n % 16 != 0) << n;
    if (best != 0) {
      EXPECT_TRUE(info.hasN(best) && n % best == 0) << n;
    }
  }
  EXPECT_EQ(info.largestN(320), 160);
  EXPECT_EQ(info.largestN(512), 256);
}

} // namespace
