//===- LaunchChoiceTest.cpp - Versions that are predicted to be fast ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFixture.h"

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

/// The kernel has tiles of 128 rows; a version has tiles of 8, which need less
/// for few rows and more for many.
class LaunchChoiceTest : public RuntimeTest {
protected:
  Artifact makeArtifact() {
    Artifact artifact = scaleArtifact();
    KernelSpec &kernel = artifact.manifest.kernels[0];
    kernel.cost = tiledCost(128, 2000);
    kernel.versions = {kernel};
    kernel.versions[0].name = "scale_few";
    kernel.versions[0].cost = tiledCost(8, 500);
    mock->paramSizes["scale_few"] = mock->paramSizes["scale"];
    return artifact;
  }

  std::string launched(const LoadedArtifact &loaded) {
    Status status = loaded.kernel(0).launch(args);
    EXPECT_TRUE(status.ok()) << status.message();
    return mock->launches.back().kernel;
  }

  void setRows(int64_t rows) { shapeA[0] = shapeC[0] = rows; }
};

TEST_F(LaunchChoiceTest, TheFastestIsTaken) {
  std::unique_ptr<LoadedArtifact> loaded = load(makeArtifact());
  ASSERT_TRUE(loaded);
  setRows(8);
  EXPECT_EQ(launched(*loaded), "scale_few");
  setRows(4096);
  EXPECT_EQ(launched(*loaded), "scale");
  setRows(8);
  EXPECT_EQ(launched(*loaded), "scale_few");
  // What is kept of a launch is of the version that it took.
  EXPECT_EQ(launched(*loaded), "scale_few");
  Result<PreparedLaunch> prepared = loaded->kernel(0).prepare(args);
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  EXPECT_EQ(prepared->kernel().name, "scale_few");
}

TEST_F(LaunchChoiceTest, KnownChoicesAreOfTheirShapesAndAlignments) {
  Artifact artifact = makeArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  kernel.versions[0].args[0].alignment = 64;
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  // By turns, so that none is like the launch before.
  for (int i = 0; i < 3; ++i) {
    args[0].data = kA;
    setRows(8);
    EXPECT_EQ(launched(*loaded), "scale_few");
    setRows(4096);
    EXPECT_EQ(launched(*loaded), "scale");
    args[0].data = kA + 16;
    setRows(8);
    EXPECT_EQ(launched(*loaded), "scale");
    // Bytes of rows that decide nothing in these tiles are another shape.
    args[0].data = kA;
    stridesA[0] = 80;
    EXPECT_EQ(launched(*loaded), "scale_few");
    stridesA[0] = 72;
  }
}

TEST_F(LaunchChoiceTest, OfEqualsTheFirstIsTaken) {
  Artifact artifact = makeArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  kernel.versions[0].cost = kernel.cost;
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  EXPECT_EQ(launched(*loaded), "scale_few");
}

TEST_F(LaunchChoiceTest, OnlyWhatAppliesIsTaken) {
  Artifact artifact = makeArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  kernel.versions[0].assumptions.push_back(
      {Expr::binary(Expr::Kind::Eq,
                    Expr::binary(Expr::Kind::Mod, Expr::dim(0, 0), 4), 0),
       "expected rows in fours"});
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  setRows(8);
  EXPECT_EQ(launched(*loaded), "scale_few");
  setRows(6);
  EXPECT_EQ(launched(*loaded), "scale");
  // What neither takes is an error in the kernel's own words.
  stridesA[0] = 67;
  EXPECT_EQ(loaded->kernel(0).launch(args).message(),
            "kernel 'scale': expected rows of A to be 16-byte aligned");
}

TEST_F(LaunchChoiceTest, TheNextBestIsTakenWhereOneCannotBePacked) {
  Artifact artifact = makeArtifact();
  KernelSpec &few = artifact.manifest.kernels[0].versions[0];
  few.tensorMaps = tensorMapArtifact().manifest.kernels[0].tensorMaps;
  few.tensorMaps[0].strides[0] = Expr::stride(0, 0) + 1;
  few.params.push_back(ParamSpec::tensorMap(0));
  mock->paramSizes["scale_few"].push_back(128);
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  setRows(8);
  EXPECT_EQ(launched(*loaded), "scale");
}

TEST_F(LaunchChoiceTest, WhatHasNoPredictionComesLast) {
  Artifact artifact = makeArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  kernel.versions[0].cost.loops[1].trips = floorDiv(1, Expr::dim(0, 0) - 8);
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  setRows(8);
  EXPECT_EQ(launched(*loaded), "scale");
}

} // namespace
