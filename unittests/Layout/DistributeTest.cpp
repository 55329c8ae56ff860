//===- DistributeTest.cpp - fragments from a grid of lanes and warps ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Layout/Distribute.h"
#include "gtest/gtest.h"

using namespace mlir::tile;

// Every element is held, by as many threads as there are spare ones, for all
// grids over extents that divide and that do not.
TEST(Distribute, CoversEveryElement) {
  for (int64_t rows : {1, 4, 48, 80})
    for (int64_t columns : {8, 40, 96})
      for (int64_t vector : {1, 4, 8})
        for (int64_t lanes = 1; lanes <= kWarpSize; lanes *= 2)
          for (int64_t warps : {1, 3})
            for (bool contiguous : {false, true}) {
              FragmentLayout layout = distributed(
                  {rows, columns}, 96,
                  {{1, kWarpSize / lanes, 3 / warps}, {vector, lanes, warps}},
                  {1, 0}, contiguous);
              auto valid = layout.verify();
              ASSERT_TRUE(bool(valid)) << valid.reason();
              EXPECT_EQ(layout.numThreads(), 96);
              EXPECT_EQ(layout.size(Axis::Lane), kWarpSize);
              EXPECT_EQ(layout.replication(), 1);
              EXPECT_TRUE(layout.isBijective());
              if (vector > 1)
                EXPECT_EQ(layout.vectorWidth(1) % vector, 0);
            }
}

// Threads that the splits leave over hold copies.
TEST(Distribute, SpareThreadsReplicate) {
  FragmentLayout layout =
      distributed({8, 8}, 64, {{1, 4, 1}, {2, 4, 1}}, {1, 0});
  EXPECT_TRUE(bool(layout.verify()));
  EXPECT_EQ(layout.numThreads(), 64);
  EXPECT_EQ(layout.replication(), 4);
}

// A warp's rows are one block when asked for, interleaved otherwise.
TEST(Distribute, ContiguousWarps) {
  FragmentLayout blocks =
      distributed({64}, 64, {{1, 16, 2}}, {0}, /*warpsContiguous=*/true);
  EXPECT_EQ(blocks.coordinates({0, 0, 1, 0})[0], 32);
  EXPECT_EQ(blocks.coordinates({1, 0, 0, 0})[0], 16);
  FragmentLayout interleaved = distributed({64}, 64, {{1, 16, 2}}, {0});
  EXPECT_EQ(interleaved.coordinates({0, 0, 1, 0})[0], 16);
  EXPECT_EQ(interleaved.coordinates({1, 0, 0, 0})[0], 32);
}
