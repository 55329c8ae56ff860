//===- LaunchErrorsTest.cpp - Launches that are refused -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFixture.h"

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

class LaunchErrorsTest : public RuntimeTest {};

TEST_F(LaunchErrorsTest, GridErrorsNameTheExtent) {
  args[3] = Arg::i32(-1);
  EXPECT_EQ(launchError(), "kernel 'scale': grid extent 2, scalar(3): expected "
                           "0 or more, got -1");
  args[3] = Arg::i32(65536);
  expectHas(launchError(), "expected at most 65535, got 65536");
  args[3] = Arg::i32(1);
  Artifact artifact = scaleArtifact();
  artifact.manifest.kernels[0].grid[1] =
      floorDiv(Expr::dim(1, 0), Expr::scalar(3) - 1);
  expectHas(launchError(artifact), "grid extent 1, floordiv(dim(1, 0), "
                                   "sub(scalar(3), 1)): division by zero");
  artifact.manifest.kernels[0].grid[1] = Expr(int64_t(1) << 62) * 8;
  expectHas(launchError(artifact), "does not fit 64 bits");
  EXPECT_EQ(mock->numLaunches, 0);
}

TEST_F(LaunchErrorsTest, ShapesAreChecked) {
  shapeA[1] = 65;
  EXPECT_EQ(launchError(), "argument 0 ('A'): expected shape *x64, got 100x65");
  shapeA[1] = 64;
  int64_t shape3[] = {100, 300, 2};
  args[1] = Arg::memref(kC, ElementType::F32, 3, shape3);
  EXPECT_EQ(launchError(),
            "argument 1 ('C'): expected shape *x*, got 100x300x2");
  args[1] = Arg::memref(kC, ElementType::F32, 0, nullptr);
  EXPECT_EQ(launchError(),
            "argument 1 ('C'): expected shape *x*, got of rank 0");
  args[1] = Arg::memref(kC, ElementType::F32, 2, nullptr);
  expectHas(launchError(), "got none");
  shapeC[0] = -100;
  args[1] = Arg::memref(kC, ElementType::F32, 2, shapeC, stridesC);
  expectHas(launchError(), "argument 1 ('C'): expected shape *x*, got -100x");
  EXPECT_EQ(mock->numLaunches, 0);
}

TEST_F(LaunchErrorsTest, KindsAndTypesAreChecked) {
  args[0] = Arg::i32(1);
  EXPECT_EQ(launchError(), "argument 0 ('A'): expected a memref, got a scalar");
  args[0] = Arg::memref(kA, ElementType::BF16, 2, shapeA, stridesA);
  EXPECT_EQ(launchError(),
            "argument 0 ('A'): expected element type f16, got bf16");
  args[0].type = ElementType::F16;
  args[2] = Arg::f64(1);
  EXPECT_EQ(launchError(), "argument 2 ('alpha'): expected type f32, got f64");
  args[2] = args[0];
  expectHas(launchError(), "expected a scalar, got a memref");
  args[2] = Arg::f32(1);
  // Signless integers take unsigned ones.
  args[3] = Arg::scalar(ElementType::UI32, 2);
  EXPECT_EQ(launchError(), "");
}

TEST_F(LaunchErrorsTest, StridesAreChecked) {
  stridesA[1] = 2;
  EXPECT_EQ(launchError(),
            "argument 0 ('A'): expected strides [*, 1], got [72, 2]");
  stridesA[1] = 1;
  stridesA[0] = 71;
  EXPECT_EQ(launchError(),
            "kernel 'scale': expected rows of A to be 16-byte aligned");
  stridesA[0] = int64_t(1) << 60;
  expectHas(launchError(), "argument 0 ('A'): expected ");
  // Dense where none are given.
  args[0].strides = nullptr;
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(as<int64_t>(mock->launches.back().params[2]), 64);
}

TEST_F(LaunchErrorsTest, StridesOfUnitDimensionsDoNotMatter) {
  // One row of a matrix, as a library may describe it.
  shapeA[0] = 1;
  stridesA[0] = 3;
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(as<int64_t>(mock->launches.back().params[2]), 64);
  shapeC[1] = 1;
  stridesC[1] = 300;
  EXPECT_EQ(launchError(), "");
}

TEST_F(LaunchErrorsTest, AddressesAreChecked) {
  args[0].data = kA + 8;
  EXPECT_EQ(launchError(), "argument 0 ('A'): expected an address aligned to "
                           "16 bytes, got 0x100008");
  args[0].data = 0;
  EXPECT_EQ(launchError(), "argument 0 ('A'): expected memory, got null");
  args[0].data = 0x99990000;
  EXPECT_EQ(launchError(), "argument 0 ('A'): expected memory of device 0, got "
                           "memory that the driver does not know");
  mock->memory[0x99990000] = {1 << 20, 1, false, false};
  EXPECT_EQ(launchError(), "argument 0 ('A'): expected memory of device 0, got "
                           "memory of device 1");
  EXPECT_EQ(mock->numLaunches, 0);
  mock->memory[0x99990000].managed = true;
  EXPECT_EQ(launchError(), "");
  mock->memory[0x99990000] = {1 << 20, 1, false, true};
  EXPECT_EQ(launchError(), "");
  // A caller that knows its memory may leave the question out.
  mock->memory.erase(0x99990000);
  std::unique_ptr<LoadedArtifact> loaded = load(scaleArtifact());
  LaunchChecks checks;
  checks.pointers = false;
  EXPECT_TRUE(loaded->kernel(0).launch(args, nullptr, checks).ok());
}

TEST_F(LaunchErrorsTest, IndicesOf32BitsAreChecked) {
  uint64_t beyond = uint64_t(1) << 44; // A would reach to C
  mock->memory[beyond] = {uint64_t(1) << 40, 0, false, false};
  args[1].data = beyond;
  shapeA[0] = int64_t(1) << 31;
  shapeC[0] = 1;
  args[0].strides = nullptr;
  EXPECT_EQ(launchError(), "argument 0 ('A'): expected the extent of dimension "
                           "0 to fit 32 bits, got 2147483648");
  // 64-bit ones are not limited so.
  shapeA[0] = 1;
  shapeC[0] = 3;
  stridesC[0] = int64_t(1) << 33;
  EXPECT_EQ(launchError(), "");
}

TEST_F(LaunchErrorsTest, OverlapWithWrittenArgumentsIsRefused) {
  args[1].data = kA + 128;
  EXPECT_EQ(launchError(),
            "argument 1 ('C'): expected memory of its own, because it is "
            "written; it overlaps argument 0 ('A'); arguments that may overlap "
            "are both marked `tile.may_alias`");
  EXPECT_EQ(mock->numLaunches, 0);
  Artifact artifact = scaleArtifact();
  std::vector<ArgSpec> &specs = artifact.manifest.kernels[0].args;
  // One that is not marked is compiled as if nothing overlapped it.
  specs[0].mayAlias = true;
  expectHas(launchError(artifact), "overlaps argument 0");
  specs[0].mayAlias = false;
  specs[1].mayAlias = true;
  expectHas(launchError(artifact), "overlaps argument 0");
  specs[0].mayAlias = true;
  EXPECT_EQ(launchError(artifact), "");
  artifact = scaleArtifact();
  artifact.manifest.kernels[0].args[1].access = Access::Read;
  EXPECT_EQ(launchError(artifact), "");
  LaunchChecks checks;
  checks.overlap = false;
  EXPECT_TRUE(
      load(scaleArtifact())->kernel(0).launch(args, nullptr, checks).ok());
  // Columns of one buffer: the ranges overlap, the elements do not.
  shapeC[1] = 60;
  stridesA[0] = 256;
  stridesC[0] = 128;
  args[1].data = kA + 128;
  EXPECT_EQ(launchError(), "");
  args[1].data = kA + 124;
  expectHas(launchError(), "overlaps argument 0");
}

TEST_F(LaunchErrorsTest, WrittenElementsAreDistinct) {
  stridesC[0] = 0;
  EXPECT_EQ(launchError(), "argument 1 ('C'): expected written elements to be "
                           "distinct, got stride 0 in dimension 0");
}

TEST_F(LaunchErrorsTest, TensorMapErrorsNameTheArgument) {
  std::unique_ptr<LoadedArtifact> loaded = load(tensorMapArtifact());
  const Kernel &kernel = loaded->kernel(0);
  shapeC[1] = 256;
  stridesC[0] = 256;
  stridesA[0] = 80;
  EXPECT_TRUE(kernel.launch(args).ok());
  Artifact artifact = tensorMapArtifact();
  artifact.manifest.kernels[0].assumptions.clear();
  stridesA[0] = 68;
  EXPECT_EQ(load(artifact)->kernel(0).launch(args).message(),
            "argument 0 ('A'): tensor map 0: expected strides to be multiples "
            "of 16 bytes below 2^40, got 136");
  stridesA[0] = 72;
  // A stride that is multiplied by zero alone may be anything.
  shapeA[0] = 1;
  stridesA[0] = 68;
  artifact.manifest.kernels[0].tensorMaps[0].strides[0] =
      Expr::stride(0, 0) * 2 + 8;
  ASSERT_TRUE(load(artifact)->kernel(0).launch(args).ok());
  EXPECT_EQ(mock->tensorMaps.back().strides, (std::vector<uint64_t>{16}));
  stridesA[0] = 72;
  // No elements: a map of one, anywhere; the kernel looks beside it.
  shapeA[0] = 0;
  args[0].data = 0;
  ASSERT_TRUE(kernel.launch(args).ok());
  EXPECT_EQ(mock->tensorMaps.back().dims, (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(mock->tensorMaps.back().strides, (std::vector<uint64_t>{16}));
  EXPECT_NE(mock->tensorMaps.back().address, 0u);
  // Clusters divide the grid.
  shapeC[1] = 300;
  stridesC[0] = 300;
  expectHas(kernel.launch(args).message(),
            "expected a multiple of the cluster's 2, got 3");
}

TEST_F(LaunchErrorsTest, DriverErrorsNameTheKernel) {
  mock->launchResult = 719;
  EXPECT_EQ(launchError(),
            "kernel 'scale': the launch failed: CUDA_ERROR_MOCK (mocked)");
}

} // namespace
