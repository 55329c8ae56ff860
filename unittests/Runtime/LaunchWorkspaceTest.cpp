//===- LaunchWorkspaceTest.cpp - Memory that launches get -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mock driver's grids have (C's columns / 128) * (C's rows / 64) * n
// blocks: 3 * 2 * 3 of the fixture's arguments.
//
//===----------------------------------------------------------------------===//

#include "RuntimeFixture.h"

#include <algorithm>
#include <thread>

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

constexpr int64_t kBlocks = 18;

class LaunchWorkspaceTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    artifact = scaleArtifact();
    std::vector<ParamSpec> &params = artifact.manifest.kernels[0].params;
    params.push_back(ParamSpec::workspace(1000, /*zeroed=*/false));
    params.push_back(ParamSpec::workspace(4, /*zeroed=*/true));
    params.push_back(ParamSpec::workspace(16, /*zeroed=*/false));
    mock->paramSizes["scale"] = {8, 4, 8, 8, 8, 4, 4, 8, 8, 8};
    loaded = load(artifact);
    ASSERT_TRUE(loaded);
  }

  /// The addresses that the kernel's parameters 7 to 9 had in a launch.
  std::array<uint64_t, 3> launch(cuda::Stream stream) {
    Status status = loaded->kernel(0).launch(args, stream);
    EXPECT_TRUE(status.ok()) << status.message();
    return addresses();
  }
  std::array<uint64_t, 3> addresses() {
    const std::vector<std::string> &params = mock->launches.back().params;
    return {as<uint64_t>(params[7]), as<uint64_t>(params[8]),
            as<uint64_t>(params[9])};
  }
  static cuda::Stream stream(uintptr_t handle) {
    return reinterpret_cast<cuda::Stream>(handle);
  }
  /// Bytes from an address to the end of its allocation.
  uint64_t bytesFrom(uint64_t address) {
    for (auto [begin, memory] : mock->memory)
      if (address >= begin && address < begin + memory.size)
        return begin + memory.size - address;
    return 0;
  }

  Artifact artifact;
  std::unique_ptr<LoadedArtifact> loaded;
};

TEST_F(LaunchWorkspaceTest, HasRoomForAllBlocks) {
  auto [large, zeros, small] = launch(nullptr);
  EXPECT_EQ(large % 256, 0u);
  EXPECT_EQ(zeros % 256, 0u);
  EXPECT_EQ(small % 256, 0u);
  EXPECT_GE(small, large + kBlocks * 1000);
  EXPECT_GE(bytesFrom(large), kBlocks * 1000u);
  EXPECT_GE(bytesFrom(small), kBlocks * 16u);
  EXPECT_GE(bytesFrom(zeros), kBlocks * 4u);
  const char *bytes = reinterpret_cast<const char *>(zeros);
  EXPECT_TRUE(std::all_of(bytes, bytes + kBlocks * 4,
                          [](char byte) { return byte == 0; }));
}

TEST_F(LaunchWorkspaceTest, LaunchesOfOneStreamShareIt) {
  EXPECT_EQ(launch(stream(16)), launch(stream(16)));
  // So does a launch that is like the last one, and one that is prepared.
  LaunchChecks checks;
  checks.pointers = false;
  ASSERT_TRUE(loaded->kernel(0).launch(args, stream(16), checks).ok());
  auto first = addresses();
  ASSERT_TRUE(loaded->kernel(0).launch(args, stream(16), checks).ok());
  EXPECT_EQ(addresses(), first);
  Result<PreparedLaunch> prepared = loaded->kernel(0).prepare(args);
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  ASSERT_TRUE(prepared->launch(stream(16)).ok());
  EXPECT_EQ(addresses(), first);
}

TEST_F(LaunchWorkspaceTest, StreamsHaveTheirOwn) {
  auto first = launch(nullptr), second = launch(stream(16));
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NE(first[i], second[i]);
  Result<PreparedLaunch> prepared = loaded->kernel(0).prepare(args);
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  ASSERT_TRUE(prepared->launch().ok());
  EXPECT_EQ(addresses(), first);
  ASSERT_TRUE(prepared->launch(stream(16)).ok());
  EXPECT_EQ(addresses(), second);
}

TEST_F(LaunchWorkspaceTest, ThreadsHaveDefaultStreamsOfTheirOwn) {
  auto first = launch(cuda::perThreadStream());
  EXPECT_EQ(launch(cuda::perThreadStream()), first);
  std::thread([&] {
    auto other = launch(cuda::perThreadStream());
    EXPECT_NE(other[0], first[0]);
    EXPECT_NE(other[1], first[1]);
  }).join();
}

TEST_F(LaunchWorkspaceTest, GrowsAndKeepsWhatItHandedOut) {
  auto first = launch(nullptr);
  args[3] = Arg::i32(30);
  auto larger = launch(nullptr);
  EXPECT_NE(larger[0], first[0]);
  EXPECT_GE(bytesFrom(larger[0]), 10 * kBlocks * 1000u);
  // A captured graph may still launch with it.
  EXPECT_GT(bytesFrom(first[0]), 0u);
  args[3] = Arg::i32(3);
  EXPECT_EQ(launch(nullptr)[0], larger[0]);
}

TEST_F(LaunchWorkspaceTest, IsFreedWithTheDevice) {
  size_t before = mock->memory.size();
  launch(nullptr);
  launch(stream(16));
  EXPECT_EQ(mock->memory.size(), before + 4);
  loaded.reset();
  EXPECT_EQ(mock->memory.size(), before);
}

TEST_F(LaunchWorkspaceTest, AllocatesWhileAStreamIsCaptured) {
  mock->captures = true;
  launch(stream(16));
  EXPECT_EQ(mock->captureMode, 0);
}

TEST_F(LaunchWorkspaceTest, SaysThatThereIsNoMemory) {
  artifact.manifest.kernels[0].params[7].bytesPerBlock = 1 << 30;
  expectHas(launchError(artifact), "kernel 'scale': cannot allocate");
}

TEST_F(LaunchWorkspaceTest, ManifestsSayHowLargeItIs) {
  Manifest manifest = artifact.manifest;
  manifest.kernels[0].params[7].bytesPerBlock = 0;
  expectHas(verifyManifest(manifest, 2).message(),
            "parameter 7: expected 1 to 1073741824 bytes of workspace a block");
  Result<Manifest> read =
      parseManifest(serializeManifest(artifact.manifest), 2);
  ASSERT_TRUE(read.ok()) << read.message();
  const ParamSpec &zeros = read->kernels[0].params[8];
  EXPECT_EQ(zeros.kind, ParamKind::Workspace);
  EXPECT_EQ(zeros.bytesPerBlock, 4);
  EXPECT_TRUE(zeros.zeroed);
  EXPECT_FALSE(read->kernels[0].params[7].zeroed);
}

} // namespace
