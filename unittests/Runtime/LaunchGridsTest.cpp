//===- LaunchGridsTest.cpp - Grids, and the versions that they are of -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFixture.h"

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

class LaunchGridsTest : public RuntimeTest {};

TEST_F(LaunchGridsTest, EmptyGridsLaunchNothing) {
  args[3] = Arg::i32(0);
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(mock->numLaunches, 0);
  args[3] = Arg::i32(3);
  // No rows: null addresses are fine, too.
  shapeA[0] = shapeC[0] = 0;
  args[0].data = args[1].data = 0;
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(mock->numLaunches, 0);
}

TEST_F(LaunchGridsTest, VersionsAreTakenWhereTheirAssumptionsHold) {
  // Rows of A in multiples of 64 elements, and C aligned to 64 bytes.
  Artifact artifact = scaleArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  KernelSpec version = kernel;
  version.name = "scale_aligned";
  version.args[1].alignment = 64;
  version.assumptions.push_back(
      {Expr::binary(Expr::Kind::Eq,
                    Expr::binary(Expr::Kind::Mod, Expr::stride(0, 0), 64), 0),
       "expected rows of A to be multiples of 64"});
  version.params.pop_back();
  version.threads = 256;
  kernel.versions = {version};
  mock->paramSizes["scale_aligned"] = {8, 4, 8, 8, 8, 4};
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->numKernels(), 1u);
  EXPECT_EQ(loaded->find("scale_aligned"), nullptr);
  auto launched = [&] {
    Status status = loaded->kernel(0).launch(args);
    EXPECT_TRUE(status.ok()) << status.message();
    return mock->launches.back();
  };
  EXPECT_EQ(launched().kernel, "scale"); // rows of 72
  stridesA[0] = 64;
  MockLaunch faster = launched();
  EXPECT_EQ(faster.kernel, "scale_aligned");
  EXPECT_EQ(faster.block[0], 256u);
  EXPECT_EQ(faster.params.size(), 6u);
  Result<PreparedLaunch> prepared = loaded->kernel(0).prepare(args);
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  EXPECT_EQ(prepared->param(5).size(), 4u);
  EXPECT_TRUE(prepared->param(6).empty());
  ASSERT_TRUE(prepared->launch().ok());
  EXPECT_EQ(mock->launches.back().kernel, "scale_aligned");
  args[1].data = kC + 4;
  EXPECT_EQ(launched().kernel, "scale");
  // What neither takes is an error in the kernel's own words.
  stridesA[0] = 67;
  EXPECT_EQ(loaded->kernel(0).launch(args).message(),
            "kernel 'scale': expected rows of A to be 16-byte aligned");
  // A tensor map that cannot be encoded rules its version out, no more.
  stridesA[0] = 64;
  args[1].data = kC;
  kernel.versions[0].tensorMaps =
      tensorMapArtifact().manifest.kernels[0].tensorMaps;
  kernel.versions[0].tensorMaps[0].strides[0] = Expr::stride(0, 0) + 1;
  kernel.versions[0].params.push_back(ParamSpec::tensorMap(0));
  mock->paramSizes["scale_aligned"].push_back(128);
  loaded = load(artifact);
  EXPECT_EQ(launched().kernel, "scale");
}

TEST_F(LaunchGridsTest, PersistentGridsFitTheDevice) {
  // Three by two tiles, times three.
  Artifact artifact = scaleArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  auto gridOf = [&] {
    std::unique_ptr<LoadedArtifact> loaded = load(artifact);
    Status status = loaded->kernel(0).launch(args);
    EXPECT_TRUE(status.ok()) << status.message();
    return mock->launches.back().grid;
  };
  using Grid = std::array<unsigned, 3>;
  mock->multiprocessors = 8;
  kernel.persistent = 1;
  EXPECT_EQ(gridOf(), (Grid{8, 1, 1}));
  kernel.persistent = 2;
  EXPECT_EQ(gridOf(), (Grid{16, 1, 1}));
  kernel.persistent = 3;
  EXPECT_EQ(gridOf(), (Grid{18, 1, 1})); // no more blocks than tiles
  // Whole clusters only, and clusters need not divide the tiles: 2 by 2 by 3.
  kernel.persistent = 1;
  kernel.cluster = {2, 1, 1};
  mock->multiprocessors = 7;
  EXPECT_EQ(gridOf(), (Grid{6, 1, 1}));
  EXPECT_EQ(mock->launches.back().cluster, (Grid{2, 1, 1}));
  mock->multiprocessors = 100;
  EXPECT_EQ(gridOf(), (Grid{24, 1, 1}));
  // The grid is one row, and so are clusters.
  kernel.cluster = {2, 2, 1};
  mock->multiprocessors = 15;
  EXPECT_EQ(gridOf(), (Grid{12, 1, 1}));
  EXPECT_EQ(mock->launches.back().cluster, (Grid{4, 1, 1}));
  mock->multiprocessors = 2;
  EXPECT_EQ(gridOf(), (Grid{4, 1, 1})); // at least one
  // Nothing to do, and too much.
  size_t launched = mock->launches.size();
  kernel.cluster = {1, 1, 1};
  args[3] = Arg::i32(0);
  gridOf();
  EXPECT_EQ(mock->launches.size(), launched);
  args[3] = Arg::i32(1 << 30);
  expectHas(launchError(artifact),
            "expected a grid of at most 2147483647 clusters");
}

TEST_F(LaunchGridsTest, PersistentGridsHaveNoMoreClustersThanRunAtATime) {
  // As many tiles as any device takes, on groups that pairs fill and clusters
  // of four do not.
  Artifact artifact = scaleArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  args[3] = Arg::i32(1 << 12);
  mock->groups = {16, 16, 16, 16, 16, 18, 18, 16};
  kernel.sharedBytes = 1024;
  kernel.persistent = 1;
  kernel.cluster = {2, 2, 1};
  using Grid = std::array<unsigned, 3>;
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  for (int i = 0; i < 2; ++i) {
    Status status = loaded->kernel(0).launch(args);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(mock->launches.back().grid, (Grid{32 * 4, 1, 1}));
  }
  EXPECT_EQ(loaded->kernel(0).resources().activeClusters, 32);
  // Asked when the artifact is loaded, with what the launch asks for.
  EXPECT_EQ(mock->clusterQuestions, 1);
  EXPECT_EQ(mock->sharedAsked, 1024u);

  auto gridOf = [&] {
    loaded = load(artifact);
    Status status = loaded->kernel(0).launch(args);
    EXPECT_TRUE(status.ok()) << status.message();
    return mock->launches.back().grid;
  };
  kernel.cluster = {2, 1, 1};
  EXPECT_EQ(gridOf(), (Grid{132, 1, 1}));
  // Small grids stay what they are.
  args[3] = Arg::i32(1);
  EXPECT_EQ(gridOf(), (Grid{8, 1, 1}));
  args[3] = Arg::i32(1 << 12);
  // No clusters, or no persistence: nobody asks.
  int asked = mock->clusterQuestions;
  kernel.cluster = {1, 1, 1};
  EXPECT_EQ(gridOf(), (Grid{132, 1, 1}));
  kernel.persistent = 0;
  kernel.cluster = {1, 2, 1};
  gridOf();
  EXPECT_EQ(mock->clusterQuestions, asked);
  // A driver without an answer, or with none that a launch could use.
  kernel.persistent = 1;
  kernel.cluster = {2, 2, 1};
  mock->groups = {};
  EXPECT_EQ(gridOf(), (Grid{132, 1, 1}));
  mock->groups = {2, 2};
  EXPECT_EQ(gridOf(), (Grid{132, 1, 1}));
}

TEST_F(LaunchGridsTest, CooperativeGridsAreOnTheDeviceAtATime) {
  // Three by two blocks, times three.
  Artifact artifact = scaleArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  ASSERT_TRUE(loaded->kernel(0).launch(args).ok());
  EXPECT_FALSE(mock->launches.back().cooperative);
  EXPECT_EQ(mock->blockQuestions, 0);

  kernel.cooperative = true;
  kernel.sharedBytes = 1024;
  mock->multiprocessors = 9;
  mock->activeBlocks = 2;
  loaded = load(artifact);
  EXPECT_EQ(mock->blockQuestions, 1);
  EXPECT_EQ(mock->sharedAsked, 1024u);
  EXPECT_EQ(loaded->kernel(0).resources().activeBlocks, 2);
  for (int i = 0; i < 2; ++i) { // the second as the first, from the memo
    Status status = loaded->kernel(0).launch(args);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(mock->launches.back().cooperative);
    EXPECT_EQ(mock->launches.back().cluster, (std::array<unsigned, 3>{}));
  }
  // One block too many.
  size_t launched = mock->launches.size();
  mock->multiprocessors = 17;
  mock->activeBlocks = 1;
  expectHas(launchError(artifact),
            "its blocks wait for each other, so the device must hold all of "
            "them at a time: expected a grid of at most 17 blocks (1 on each "
            "of its 17 multiprocessors), got 3 x 2 x 3");
  // As many as an extent of the grid has.
  args[3] = Arg::i32(65535);
  expectHas(launchError(artifact), "expected a grid of at most 17 blocks");
  EXPECT_EQ(mock->launches.size(), launched);
  args[3] = Arg::i32(0);
  EXPECT_TRUE(load(artifact)->kernel(0).launch(args).ok());
  EXPECT_EQ(mock->launches.size(), launched);
}

} // namespace
