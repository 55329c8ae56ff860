//===- SoftwareLauncherTest.cpp - The launcher over a software device -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tile/Runtime does with the driver in software: devices, artifacts, the
// choice of code and versions, parameters, tensor maps, clusters.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Lowered/SoftwareDriver.h"
#include "../../lib/Lowered/TensorMap.h"
#include "../Runtime/TestArtifacts.h"
#include "tile/Runtime/Launcher.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace mlir::tile::lowered;
using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

template <typename T> T as(const std::vector<char> &bytes) {
  EXPECT_EQ(bytes.size(), sizeof(T));
  T value = {};
  std::memcpy(&value, bytes.data(), std::min(sizeof(T), bytes.size()));
  return value;
}

const std::string kImage =
    std::string(SoftwareDevice::kImageMagic) + ".version 8.0\n";

class SoftwareLauncherTest : public ::testing::Test {
protected:
  void SetUp() override { open(9, 0); }
  void TearDown() override { device.reset(); }

  void open(int major, int minor) {
    device.reset();
    software.reset();
    KernelDescription scale, tma;
    scale.paramSizes = {8, 4, 8, 8, 8, 4, 4};
    tma.paramSizes = {128, 4, 8, 8, 8, 4, 4};
    software = std::make_unique<SoftwareDevice>(
        SoftwareDeviceOptions::of(major, minor),
        std::map<std::string, KernelDescription>{
            {"scale", scale}, {"tma", tma}, {"scale_fast", scale}},
        [this](const LaunchRequest &request) {
          requests.push_back(request);
          return answer;
        });
    Result<std::shared_ptr<Driver>> driver = Driver::create(
        SoftwareDevice::functions(), SoftwareDevice::contextFunctions());
    ASSERT_TRUE(driver.ok()) << driver.message();
    EXPECT_EQ((*driver)->version(), 13000);
    EXPECT_EQ((*driver)->numDevices(), 1);
    Result<std::shared_ptr<Device>> opened = Device::open(*driver);
    ASSERT_TRUE(opened.ok()) << opened.message();
    device = *opened;
  }

  uint64_t allocate(size_t bytes) {
    Result<cuda::DevicePtr> pointer = device->allocate(bytes);
    EXPECT_TRUE(pointer.ok()) << pointer.message();
    return pointer.ok() ? *pointer : 0;
  }

  /// All PTX of the artifact is the device's.
  std::unique_ptr<LoadedArtifact> load(Artifact artifact) {
    artifact.blobs[0] = kImage;
    Result<std::unique_ptr<LoadedArtifact>> loaded =
        LoadedArtifact::load(device, std::move(artifact));
    EXPECT_TRUE(loaded.ok()) << loaded.message();
    return loaded.ok() ? std::move(*loaded) : nullptr;
  }

  /// Valid arguments of both kernels.
  void makeArgs() {
    uint64_t a = allocate(100 * 72 * 2), c = allocate(100 * 300 * 4);
    args[0] = Arg::memref(a, ElementType::F16, 2, shapeA, stridesA);
    args[1] = Arg::memref(c, ElementType::F32, 2, shapeC, stridesC);
    args[2] = Arg::f32(2.5f);
    args[3] = Arg::i32(3);
  }

  std::unique_ptr<SoftwareDevice> software;
  std::shared_ptr<Device> device;
  std::vector<LaunchRequest> requests;
  std::string answer;
  int64_t shapeA[2] = {100, 64}, stridesA[2] = {72, 1};
  int64_t shapeC[2] = {100, 300}, stridesC[2] = {300, 1};
  Arg args[4];
};

TEST_F(SoftwareLauncherTest, DevicesWork) {
  EXPECT_EQ(device->name(), "sm_90 in software");
  EXPECT_EQ(device->computeMajor(), 9);
  EXPECT_EQ(device->maxSharedPerBlock(), 232448);
  EXPECT_TRUE(device->hasClusters());
  uint64_t a = allocate(1000), b = allocate(1000);
  std::string text = "some bytes", read(10, ' ');
  EXPECT_TRUE(device->copyToDevice(a + 5, text.data(), 10).ok());
  EXPECT_TRUE(device->copyOnDevice(b, a + 5, 10).ok());
  EXPECT_TRUE(device->fillBytes(b + 4, '_', 1).ok());
  EXPECT_TRUE(device->copyToHost(&read[0], b, 10).ok());
  EXPECT_EQ(read, "some_bytes");
  EXPECT_EQ(device->copyToDevice(a + 991, text.data(), 10).message(),
            "cuMemcpyHtoD failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  EXPECT_EQ(*device->freeMemory(), device->totalMemory() - 2000);
  EXPECT_TRUE(device->free(a).ok());
  EXPECT_FALSE(device->free(a).ok());
  Result<cuda::DevicePtr> nothing = device->nothing(/*isWritten=*/true);
  ASSERT_TRUE(nothing.ok()) << nothing.message();
  EXPECT_EQ(*nothing % Device::kNothingBytes, 0u);
  EXPECT_TRUE(software->memory().find(*nothing)->shadow.isWritten(0, 2 * 256));
  Result<cuda::Stream> stream = device->createStream();
  Result<cuda::Event> begin = device->createEvent(),
                      end = device->createEvent();
  ASSERT_TRUE(stream.ok() && begin.ok() && end.ok());
  EXPECT_TRUE(device->record(*begin, *stream).ok());
  EXPECT_TRUE(device->record(*end, *stream).ok());
  EXPECT_EQ(*device->elapsed(*begin, *end), 0);
  EXPECT_TRUE(device->destroyEvent(*begin).ok());
  EXPECT_TRUE(device->destroyStream(*stream).ok());
  EXPECT_TRUE(device->synchronize().ok());
  // The device gives back what it has, and the context its memory.
  device.reset();
  EXPECT_EQ(software->memory().numRegions(), 0u);
}

TEST_F(SoftwareLauncherTest, LaunchesKernels) {
  makeArgs();
  std::unique_ptr<LoadedArtifact> loaded = load(scaleArtifact());
  ASSERT_TRUE(loaded);
  Status status = loaded->kernel(0).launch(args);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(requests.size(), 1u);
  const LaunchRequest &request = requests[0];
  EXPECT_EQ(request.kernel, "scale");
  EXPECT_EQ(request.grid, (std::array<unsigned, 3>{3, 2, 3}));
  EXPECT_EQ(request.threads, 128u);
  EXPECT_EQ(request.sharedBytes, 1024u);
  ASSERT_EQ(request.params.size(), 7u);
  EXPECT_EQ(as<uint64_t>(request.params[0]), args[0].data);
  EXPECT_EQ(as<int32_t>(request.params[1]), 100);
  EXPECT_EQ(as<int64_t>(request.params[2]), 72);
  EXPECT_EQ(as<float>(request.params[5]), 2.5f);
  // Host memory is none of the device.
  args[0].data = reinterpret_cast<uintptr_t>(this) / 16 * 16;
  EXPECT_NE(loaded->kernel(0).launch(args).message().find(
                "got memory that the driver does not know"),
            std::string::npos);
}

TEST_F(SoftwareLauncherTest, EncodesTensorMapsAndAsksForClusters) {
  makeArgs();
  std::unique_ptr<LoadedArtifact> loaded = load(tensorMapArtifact());
  ASSERT_TRUE(loaded);
  int64_t shape[2] = {100, 500}, strides[2] = {500, 1};
  args[1].data = allocate(100 * 500 * 4);
  args[1].shape = shape;
  args[1].strides = strides;
  Status status = loaded->kernel(0).launch(args);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].grid, (std::array<unsigned, 3>{4, 2, 3}));
  EXPECT_EQ(requests[0].cluster, (std::array<unsigned, 3>{2, 1, 1}));
  TensorMapFields map;
  ASSERT_EQ(requests[0].params[0].size(), 128u);
  ASSERT_TRUE(decodeTensorMap(requests[0].params[0].data(), map));
  EXPECT_EQ(map.address, args[0].data);
  EXPECT_EQ(map.rank, 2u);
  EXPECT_EQ(map.dims[1], 100u);
  EXPECT_EQ(map.strides[0], 144u);
  EXPECT_EQ(map.box[0], 64u);
  EXPECT_EQ(map.swizzle, 3);
}

TEST_F(SoftwareLauncherTest, ChoosesTheCodeThatLoads) {
  // On sm_80 the cubin is the better code, but none of this driver's.
  open(8, 0);
  makeArgs();
  std::unique_ptr<LoadedArtifact> loaded = load(scaleArtifact());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->kernel(0).code().format, CodeFormat::PTX);
  EXPECT_TRUE(loaded->kernel(0).launch(args).ok());
  EXPECT_EQ(requests.size(), 1u);

  Result<std::unique_ptr<LoadedArtifact>> refused =
      LoadedArtifact::load(device, scaleArtifact());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(
      refused.message().find("expected an image for a device in software"),
      std::string::npos)
      << refused.message();
}

TEST_F(SoftwareLauncherTest, ChoosesTheVersionWhoseAlignmentHolds) {
  makeArgs();
  Artifact artifact = scaleArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  KernelSpec version = kernel;
  version.name = "scale_fast";
  version.args[1].alignment = 256;
  kernel.versions = {version};
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->kernel(0).launch(args).ok());
  EXPECT_EQ(requests.back().kernel, "scale_fast");
  // Addresses of the device promise no more than 256 bytes.
  artifact.manifest.kernels[0].versions[0].args[1].alignment = 512;
  loaded = load(artifact);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->kernel(0).launch(args).ok());
  EXPECT_EQ(requests.back().kernel, "scale");
}

TEST_F(SoftwareLauncherTest, PersistentClustersFillTheDevice) {
  makeArgs();
  args[3] = Arg::i32(20);
  Artifact artifact = tensorMapArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  kernel.persistent = 1;
  kernel.threads = 1024;
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  ASSERT_TRUE(loaded);
  // Two blocks on each of four multiprocessors, in clusters of two.
  EXPECT_EQ(loaded->kernel(0).resources().activeClusters, 4);
  Status status = loaded->kernel(0).launch(args);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(requests.back().cluster, (std::array<unsigned, 3>{2, 1, 1}));
  EXPECT_EQ(requests.back().grid[0] % 2, 0u);
  EXPECT_LE(requests.back().grid[0], 8u);
}

TEST_F(SoftwareLauncherTest, ComparesParametersWithTheCode) {
  Artifact artifact = scaleArtifact();
  artifact.blobs[0] = kImage;
  artifact.manifest.kernels[0].params.pop_back();
  std::string message =
      LoadedArtifact::load(device, std::move(artifact)).message();
  EXPECT_NE(message.find("expected 6 parameters, got code with more"),
            std::string::npos)
      << message;
}

TEST_F(SoftwareLauncherTest, ReportsFailedLaunchesWhereItSynchronizes) {
  makeArgs();
  std::unique_ptr<LoadedArtifact> loaded = load(scaleArtifact());
  ASSERT_TRUE(loaded);
  answer = "two threads race";
  EXPECT_TRUE(loaded->kernel(0).launch(args).ok());
  EXPECT_EQ(device->synchronize().message(),
            "cuCtxSynchronize failed: CUDA_ERROR_LAUNCH_FAILED (a launch has "
            "failed)");
  EXPECT_EQ(software->lastError(), "two threads race");
  EXPECT_FALSE(loaded->kernel(0).launch(args).ok());
  EXPECT_EQ(requests.size(), 1u);
}

} // namespace
