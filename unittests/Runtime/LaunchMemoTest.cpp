//===- LaunchMemoTest.cpp - Launches that follow others -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch does what it would have done as the first one, whatever came before.
//
//===----------------------------------------------------------------------===//

#include "RuntimeFixture.h"

#include <random>

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

/// "scale" with a version for aligned rows, in which A has a tensor map.
Artifact twoVersions() {
  Artifact artifact = scaleArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  KernelSpec version = kernel;
  version.name = "scale_mapped";
  version.args[1].alignment = 64;
  version.assumptions.push_back(
      {Expr::binary(Expr::Kind::Eq,
                    Expr::binary(Expr::Kind::Mod, Expr::stride(0, 0), 64), 0),
       "expected rows of A to be multiples of 64"});
  version.tensorMaps = tensorMapArtifact().manifest.kernels[0].tensorMaps;
  version.params.push_back(ParamSpec::tensorMap(0));
  kernel.versions = {version};
  return artifact;
}

class LaunchMemoTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    checks.pointers = false;
    mock->paramSizes["scale_mapped"] = {8, 4, 8, 8, 8, 4, 4, 128};
  }

  /// What a launch does: its error, or what the driver got. Tensor maps are
  /// numbered by the mock: what counts is what they were made of.
  std::string outcome(const Kernel &kernel) {
    size_t before = mock->launches.size();
    Status status = kernel.launch(args, nullptr, checks);
    if (!status.ok())
      return status.message();
    if (mock->launches.size() == before)
      return "nothing";
    const MockLaunch &launch = mock->launches.back();
    std::string text = launch.kernel;
    for (unsigned extent : launch.grid)
      text += " " + std::to_string(extent);
    for (const std::string &param : launch.params) {
      if (param.size() != kTensorMapBytes) {
        text += " " + param;
        continue;
      }
      const MockTensorMap &map =
          mock->tensorMaps[static_cast<unsigned char>(param[0]) - 1u];
      // Of tensors without elements: wherever each device has its zeros.
      text += map.address == args[0].data ? " map" : " map of zeros";
      for (uint64_t dim : map.dims)
        text += " " + std::to_string(dim);
      for (uint64_t stride : map.strides)
        text += " " + std::to_string(stride);
    }
    return text;
  }

  LaunchChecks checks;
};

TEST_F(LaunchMemoTest, AddressesAndScalarsChange) {
  std::unique_ptr<LoadedArtifact> loaded = load(twoVersions());
  const Kernel &kernel = loaded->kernel(0);
  stridesA[0] = 64;
  outcome(kernel);
  args[0].data += 1 << 12;
  args[1].data += 1 << 12;
  args[2] = Arg::f32(-1);
  outcome(kernel);
  ASSERT_EQ(mock->launches.size(), 2u);
  const MockLaunch &launch = mock->launches[1];
  EXPECT_EQ(launch.kernel, "scale_mapped");
  uint64_t address;
  std::memcpy(&address, launch.params[0].data(), sizeof(address));
  EXPECT_EQ(address, kA + (1 << 12));
  float alpha;
  std::memcpy(&alpha, launch.params[5].data(), sizeof(alpha));
  EXPECT_EQ(alpha, -1.0f);
  EXPECT_EQ(mock->tensorMaps.back().address, kA + (1 << 12));
}

/// Arguments change one at a time, as in programs, and back again.
TEST_F(LaunchMemoTest, EveryLaunchIsLikeAFirstOne) {
  std::unique_ptr<LoadedArtifact> loaded = load(twoVersions());
  ASSERT_TRUE(loaded);
  std::mt19937 random(1);
  auto pick = [&](std::initializer_list<int64_t> values) {
    return values.begin()[random() % values.size()];
  };
  std::map<std::string, int> seen;
  for (int round = 0; round < 3000; ++round) {
    switch (random() % 11) {
    case 0:
      shapeA[0] = pick({100, 100, 99, 1, 0, -1});
      break;
    case 1:
      shapeA[1] = pick({64, 64, 64, 63});
      break;
    case 2:
      stridesA[0] = pick({64, 64, 72, 67});
      break;
    case 3:
      shapeC[0] = pick({100, 64, 1, 0});
      break;
    case 4:
      stridesC[0] = pick({300, 300, 0, -300, int64_t(1) << 62});
      break;
    case 5:
      args[0].data = cuda::DevicePtr(pick({kA, kA, kA + 16, kA + 8, 0, -16}));
      break;
    case 6:
      args[1].data = cuda::DevicePtr(pick({kC, kC, kC + 4, kA + 32, 0, 64}));
      break;
    case 7:
      args[2] = random() % 8 ? Arg::f32(float(random() % 3)) : Arg::i32(1);
      break;
    case 8:
      args[3] = Arg::i32(int32_t(pick({3, 3, 2, 0, -1})));
      break;
    case 9:
      args[0].strides = random() % 2 ? stridesA : nullptr;
      break;
    case 10:
      args[0].rank = random() % 8 ? 2 : 1;
      break;
    }
    std::unique_ptr<LoadedArtifact> fresh = load(twoVersions());
    std::string expected = outcome(fresh->kernel(0));
    for (int again = 0; again < 2; ++again)
      ASSERT_EQ(outcome(loaded->kernel(0)), expected) << "round " << round;
    ++seen[expected.substr(0, 12)];
    if (mock->tensorMaps.size() > 200) { // the mock counts to 255
      mock->tensorMaps.clear();
      loaded = load(twoVersions());
    }
    mock->launches.clear();
  }
  EXPECT_GT(seen["scale_mapped"], 20);
  EXPECT_GT(seen["nothing"], 20);
  EXPECT_GT(seen["argument 1 ("], 20);
  EXPECT_GT(seen.size(), 6u);
}

TEST_F(LaunchMemoTest, ShapesThatChangeWithEveryLaunch) {
  std::unique_ptr<LoadedArtifact> loaded = load(scaleArtifact());
  for (int64_t rows = 1; rows < 100; ++rows) {
    shapeA[0] = rows;
    outcome(loaded->kernel(0));
    int32_t got;
    std::memcpy(&got, mock->launches.back().params[1].data(), sizeof(got));
    EXPECT_EQ(got, rows);
  }
}

} // namespace
