//===- ThreadBudgetTest.cpp - registers of threads, by number -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register file has 65536 registers, a thread at most 255; the hardware
// gives them in steps of 8.
//
//===----------------------------------------------------------------------===//
#include "tile/Target/ThreadBudget.h"
#include "gtest/gtest.h"

using namespace mlir::tile;

namespace {

ThreadBudget budgetOf(const char *arch) {
  return ThreadBudget(*TargetInfo::get(arch));
}

TEST(ThreadBudget, Launch) {
  struct Case {
    int64_t threads, share, launched;
  };
  for (Case c : {Case{128, 255, 255},
                 {256, 255, 255},
                 {384, 170, 168},
                 {512, 128, 128},
                 {640, 102, 96},
                 {768, 85, 80},
                 {1024, 64, 64}}) {
    EXPECT_EQ(budgetOf("sm_90a").share(c.threads), c.share) << c.threads;
    EXPECT_EQ(budgetOf("sm_90a").launched(c.threads), c.launched) << c.threads;
  }
  EXPECT_EQ(budgetOf("sm_80").share(256, /*blocks=*/2), 128);
  EXPECT_EQ(budgetOf("sm_80").launched(192, /*blocks=*/2), 168);
}

TEST(ThreadBudget, Consumers) {
  ThreadBudget budget = budgetOf("sm_90a");
  // 128 producers keep 40 each.
  EXPECT_EQ(budget.consumer(256, /*hasRoles=*/true), 232);
  EXPECT_EQ(budget.consumer(128, /*hasRoles=*/true), 255);
  EXPECT_EQ(budget.consumer(384, /*hasRoles=*/true), 152);
  EXPECT_EQ(budget.consumer(256, /*hasRoles=*/true, /*blocks=*/2), 104);
  EXPECT_EQ(budget.consumer(256, /*hasRoles=*/false), 255);
  EXPECT_EQ(budget.consumer(0, /*hasRoles=*/false), 255);
  EXPECT_EQ(budget.blocks(168, 256, /*hasRoles=*/true), 1);
  EXPECT_EQ(budget.blocks(64, 256, /*hasRoles=*/false), 4);
  EXPECT_EQ(budget.blocks(64, 256, /*hasRoles=*/true), 3);
}

struct RoleCase {
  int64_t threads, blocks;
  RoleDemand demand;
  int64_t producer, consumer;
};
void check(const RoleCase &c) {
  RoleRegisters got = budgetOf("sm_90a").roles(c.threads, c.blocks, c.demand);
  EXPECT_EQ(got.producer, c.producer);
  EXPECT_EQ(got.consumer, c.consumer);
}

TEST(ThreadBudget, OneThreadIssuesCopies) {
  // What a launch gives decides; what consumers need does not.
  check({384, 1, {0, 0, 0}, 40, 232});
  check({384, 1, {0, 200, 128}, 40, 232});
  check({512, 1, {}, 32, 160});
  check({640, 1, {}, 24, 112});
  // 256 threads have 256 each: there is nothing to redistribute.
  check({256, 1, {}, 0, 0});
  check({256, 2, {0, 64, 64}, 32, 224});
}

TEST(ThreadBudget, ProducersCopyTogether) {
  check({384, 1, {88, 128, 128}, 88, 208});
  // At most 120, at least 72 while consumers' fragments want them,
  check({384, 1, {140, 128, 128}, 120, 192});
  check({384, 1, {140, 170, 128}, 72, 216});
  check({512, 1, {88, 120, 96}, 72, 144});
  // and down to 40 for what gemms read and write.
  check({384, 1, {140, 200, 200}, 40, 232});
}

TEST(ThreadBudget, FewerBlocksThanAskedFor) {
  auto blocks = [](int64_t threads, const RoleDemand &demand) {
    return budgetOf("sm_90a").roles(threads, /*blocks=*/2, demand).blocks;
  };
  EXPECT_EQ(blocks(256, {0, 192, 128}), 2);
  // What spills is worth more than a second block, of both roles.
  EXPECT_EQ(blocks(256, {0, 208, 128}), 1);
  EXPECT_EQ(blocks(384, {88, 64, 64}), 1);
  EXPECT_EQ(blocks(384, {0, 64, 64}), 2);
  EXPECT_EQ(blocks(384, {0, 128, 128}), 1);
  // Two blocks leave a consumer 104: less than its gemms take.
  check({384, 2, {0, 64, 64}, 24, 104});
  check({384, 2, {0, 128, 128}, 40, 232});
}

TEST(ThreadBudget, WithoutSetMaxRegisters) {
  RoleRegisters got = budgetOf("sm_90").roles(384, 1, {});
  EXPECT_EQ(got.producer, 0);
  EXPECT_EQ(got.consumer, 0);
}

} // namespace
