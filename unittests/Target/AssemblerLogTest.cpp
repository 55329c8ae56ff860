//===- AssemblerLogTest.cpp - What ptxas -v says --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tile/Target/Cubin.h"

#include <gtest/gtest.h>

using namespace mlir::tile;

namespace {

TEST(AssemblerLog, ReadsEachKernel) {
  AssemblerResult result;
  parseAssemblerLog(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90a'\n"
      "ptxas info    : Function properties for first\n"
      "    24 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 2 barriers, 24 bytes "
      "cumulative "
      "stack size, 1024 bytes smem\n"
      "ptxas info    : Compile time = 4.2 ms\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_90a'\n"
      "ptxas info    : Function properties for second\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 12 registers, used 0 barriers\n",
      result);
  ASSERT_EQ(result.kernels.size(), 2u);
  EXPECT_EQ(result.kernels[0].name, "first");
  EXPECT_EQ(result.kernels[0].registers, 168);
  EXPECT_EQ(result.kernels[0].stackBytes, 24);
  EXPECT_EQ(result.kernels[0].spillStoreBytes, 8);
  EXPECT_EQ(result.kernels[0].spillLoadBytes, 16);
  EXPECT_EQ(result.kernels[0].staticSharedBytes, 1024);
  EXPECT_EQ(result.kernels[0].barriers, 2);
  EXPECT_EQ(result.kernels[1].registers, 12);
  EXPECT_EQ(result.kernels[1].staticSharedBytes, 0);
  EXPECT_TRUE(result.warnings.empty());
}

TEST(AssemblerLog, KeepsWarnings) {
  AssemblerResult result;
  parseAssemblerLog("ptxas info    : (C7510) Potential Performance Loss: x\n"
                    "ptxas x.ptx, line 3; warning : unused\n"
                    "ptxas info    : 0 bytes gmem\n",
                    result);
  ASSERT_EQ(result.warnings.size(), 2u);
  EXPECT_TRUE(AssemblerResult::isPerformanceLoss(result.warnings[0]));
  EXPECT_FALSE(AssemblerResult::isPerformanceLoss(result.warnings[1]));
}

TEST(AssemblerLog, PerformanceLossIsC75xx) {
  EXPECT_TRUE(AssemblerResult::isPerformanceLoss("C7508"));
  EXPECT_TRUE(AssemblerResult::isPerformanceLoss("xC75C7515)"));
  EXPECT_FALSE(AssemblerResult::isPerformanceLoss("C75"));
  EXPECT_FALSE(AssemblerResult::isPerformanceLoss("C75ab C7410"));
  EXPECT_FALSE(AssemblerResult::isPerformanceLoss(""));
}

TEST(AssemblerLog, SurvivesDamage) {
  for (const char *text :
       {"", "\n\n", "Compiling entry function '", "bytes stack frame",
        ": Used registers", "Function properties for ",
        "Compiling entry function 'a\n: Used 99999999999999999999 registers"}) {
    AssemblerResult result;
    parseAssemblerLog(text, result);
    EXPECT_TRUE(result.warnings.empty()) << text;
  }
}

} // namespace
