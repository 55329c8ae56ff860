//===- DriverTest.cpp - Opening drivers and devices, loading code ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFixture.h"

#include <cstdio>
#include <functional>
#include <thread>

#include <unistd.h>

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

using DriverTest = RuntimeTest;

TEST_F(DriverTest, AbsenceIsOneClearSentence) {
  expectHas(Driver::open("libnosuchcuda.so.1").message(),
            "cannot open the CUDA driver 'libnosuchcuda.so.1'");
  // A library that is no driver.
  expectHas(Driver::open("libm.so.6").message(), "has no function cuInit");
  mock->initResult = 100;
  expectHas(Driver::open(TILE_MOCK_CUDA).message(), "finds no device");
  mock->initResult = 999;
  EXPECT_EQ(Driver::open(TILE_MOCK_CUDA).message(),
            "cuInit failed: CUDA_ERROR_MOCK (mocked)");
  mock->initResult = 0;
  mock->numDevices = 0;
  expectHas(Driver::open(TILE_MOCK_CUDA).message(), "finds no device");
}

TEST_F(DriverTest, DevicesByOrdinal) {
  Result<std::shared_ptr<Driver>> driver = Driver::open(TILE_MOCK_CUDA);
  ASSERT_TRUE(driver.ok());
  EXPECT_EQ((*driver)->version(), 13000);
  expectHas(Device::open(*driver, 1).message(), "no device 1");
  expectHas(Device::open(*driver, -1).message(), "no device -1");
  {
    Result<std::shared_ptr<Device>> device = Device::open(*driver, 0);
    ASSERT_TRUE(device.ok());
    EXPECT_EQ((*device)->name(), "Mock");
    EXPECT_EQ((*device)->computeMajor(), 9);
    EXPECT_EQ((*device)->multiprocessors(), 132);
    EXPECT_EQ(mock->primaryRetained, 1);
  }
  EXPECT_EQ(mock->primaryRetained, 0);
}

TEST_F(DriverTest, MemoryAndEvents) {
  std::shared_ptr<Device> device = openDevice();
  Result<cuda::DevicePtr> memory = device->allocate(16);
  ASSERT_TRUE(memory.ok());
  char out[16] = {};
  EXPECT_TRUE(device->fillBytes(*memory, 7, 16).ok());
  EXPECT_TRUE(device->copyToDevice(*memory, "abc", 3).ok());
  EXPECT_TRUE(device->copyToHost(out, *memory, 16).ok());
  EXPECT_EQ(std::string(out, 5), "abc\x07\x07");
  EXPECT_TRUE(device->free(*memory).ok());
  expectHas(device->free(*memory).message(), "cuMemFree failed");
  EXPECT_EQ(device->allocate(size_t(2) << 30).message(),
            "cannot allocate 2147483648 bytes on the device: cuMemAlloc "
            "failed: CUDA_ERROR_OUT_OF_MEMORY (mocked)");
  Result<cuda::Event> begin = device->createEvent();
  ASSERT_TRUE(begin.ok());
  EXPECT_TRUE(device->record(*begin).ok());
  EXPECT_EQ(*device->elapsed(*begin, *begin), 1.5f);
  // The context is current only while something is done with it.
  EXPECT_TRUE(contexts().empty());
}

TEST_F(DriverTest, TheMockRefusesWithoutAContext) {
  uint64_t pointer = 0;
  int value = 0;
  constexpr int kInvalidContext = 201;
  auto allocate = find<int(uint64_t *, size_t)>("cuMemAlloc_v2");
  auto ask = find<int(void *, int, uint64_t)>("cuPointerGetAttribute");
  EXPECT_EQ(allocate(&pointer, 16), kInvalidContext);
  EXPECT_EQ(ask(&value, cuda::kPointerDeviceOrdinal, kA), kInvalidContext);
  contexts() = {&value}; // another one's
  EXPECT_EQ(allocate(&pointer, 16), kInvalidContext);
  contexts().clear();
  std::shared_ptr<Device> device = openDevice();
  ContextScope driver(*device);
  EXPECT_EQ(
      driver->pointerGetAttribute(&value, cuda::kPointerDeviceOrdinal, kA),
      cuda::kSuccess);
}

template <typename T> Status keep(Result<T> result, T &to) {
  if (!result.ok())
    return result.error();
  to = std::move(*result);
  return Status();
}

/// Each step in a thread of its own, which has not seen the device before.
TEST_F(DriverTest, EveryThreadUsesTheDevice) {
  std::shared_ptr<Device> device;
  cuda::DevicePtr memory = 0, nothing = 0;
  cuda::Stream stream = nullptr;
  cuda::Event event = nullptr;
  std::unique_ptr<LoadedArtifact> loaded;
  char bytes[16];
  size_t available = 0;
  float milliseconds = 0;
  std::vector<std::function<Status()>> steps = {
      [&] { return device = openDevice(), Status(); },
      [&] { return keep(device->allocate(16), memory); },
      [&] { return device->fillBytes(memory, 7, 16); },
      [&] { return device->copyToDevice(memory, "abc", 3); },
      [&] { return device->copyOnDevice(memory, memory + 8, 4); },
      [&] { return device->copyToHost(bytes, memory, 16); },
      [&] { return keep(device->createStream(), stream); },
      [&] { return keep(device->createEvent(), event); },
      [&] { return device->record(event, stream); },
      [&] { return keep(device->elapsed(event, event), milliseconds); },
      [&] { return device->synchronize(stream); },
      [&] { return device->synchronize(); },
      [&] { return device->destroyEvent(event); },
      [&] { return device->destroyStream(stream); },
      [&] { return device->free(memory); },
      [&] { return keep(device->freeMemory(), available); },
      [&] { return keep(device->nothing(true), nothing); },
      [&] {
        return keep(LoadedArtifact::load(device, tensorMapArtifact()), loaded);
      },
      [&] { return loaded.reset(), Status(); },
      [&] { return device.reset(), Status(); },
  };
  for (size_t i = 0; i < steps.size(); ++i)
    std::thread([&, i] {
      Status status = steps[i]();
      EXPECT_TRUE(status.ok()) << "step " << i << ": " << status.message();
      EXPECT_TRUE(contexts().empty()) << "step " << i;
    }).join();
  EXPECT_EQ(mock->modulesLoaded, 0);
  EXPECT_EQ(mock->primaryRetained, 0);
}

std::string best(std::initializer_list<CodeSpec> list, int major, int minor) {
  std::vector<CodeSpec> codes(list);
  std::string order;
  for (size_t i : selectCode(codes, major, minor))
    order += (order.empty() ? "" : " ") + codes[i].arch +
             (codes[i].format == CodeFormat::PTX ? "/ptx" : "");
  return order;
}

TEST(CodeSelection, FollowsTheCompatibilityRules) {
  auto cubin = [](const char *arch) {
    return code(arch, CodeFormat::Cubin, 0);
  };
  auto ptx = [](const char *arch) { return code(arch, CodeFormat::PTX, 0); };
  std::initializer_list<CodeSpec> all = {
      ptx("sm_80"),    cubin("sm_80"),   cubin("sm_86"),   cubin("sm_90"),
      cubin("sm_90a"), ptx("sm_90a"),    ptx("sm_90"),     cubin("sm_100f"),
      ptx("sm_100f"),  cubin("sm_100"),  cubin("sm_100a"), ptx("sm_103a"),
      cubin("sm_120"), cubin("sm_120a"), ptx("sm_120")};
  EXPECT_EQ(best(all, 8, 0), "sm_80 sm_80/ptx");
  EXPECT_EQ(best(all, 8, 6), "sm_86 sm_80 sm_80/ptx");
  EXPECT_EQ(best(all, 8, 9), "sm_86 sm_80 sm_80/ptx");
  EXPECT_EQ(best(all, 9, 0), "sm_90a sm_90a/ptx sm_90 sm_90/ptx sm_80/ptx");
  EXPECT_EQ(best(all, 10, 0),
            "sm_100a sm_100f sm_100 sm_100f/ptx sm_90/ptx sm_80/ptx");
  // 10.3 runs its own `a` PTX and the family's code, not 10.0's `a` code.
  EXPECT_EQ(best(all, 10, 3), "sm_103a/ptx sm_100f sm_100 sm_100f/ptx "
                              "sm_90/ptx sm_80/ptx");
  // 10.1 became 11.0: not of the family of 10.0.
  EXPECT_EQ(best(all, 10, 1), "sm_100 sm_90/ptx sm_80/ptx");
  EXPECT_EQ(best(all, 12, 1), "sm_120 sm_120/ptx sm_90/ptx sm_80/ptx");
  EXPECT_EQ(best(all, 7, 5), "");
  EXPECT_EQ(best({cubin("sm_103f"), ptx("sm_103f")}, 10, 0), "");
}

TEST_F(DriverTest, LoadsTheBestCodeAndNoOther) {
  Artifact artifact = scaleArtifact();
  artifact.manifest.kernels[0].code = {code("sm_80", CodeFormat::PTX, 0),
                                       code("sm_90", CodeFormat::Cubin, 1)};
  {
    std::unique_ptr<LoadedArtifact> loaded = load(artifact);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->kernel(0).code().arch, "sm_90");
    ASSERT_EQ(mock->images.size(), 1u);
    EXPECT_EQ(mock->images[0], kCubin.c_str());
    EXPECT_EQ(loaded->kernel(0).resources().registers, 40);
    EXPECT_EQ(loaded->find("scale"), &loaded->kernel(0));
    EXPECT_EQ(loaded->find("other"), nullptr);
  }
  EXPECT_EQ(mock->modulesLoaded, 0);
  EXPECT_EQ(mock->primaryRetained, 0);
}

TEST_F(DriverTest, FallsBackWhereTheDriverRefuses) {
  Artifact artifact = scaleArtifact();
  artifact.manifest.kernels[0].code = {code("sm_80", CodeFormat::PTX, 0),
                                       code("sm_90", CodeFormat::Cubin, 1)};
  mock->refuse = "ELF";
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->kernel(0).code().arch, "sm_80");
  mock->refuse = "E"; // in "ELF", not in the PTX
  artifact.manifest.kernels[0].code.erase(
      artifact.manifest.kernels[0].code.begin());
  artifact.manifest.kernels[0].code[0].blob = 0;
  artifact.blobs = {kCubin};
  EXPECT_EQ(loadError(artifact),
            "kernel 'scale': cannot load sm_90 cubin: cuModuleLoadDataEx "
            "failed: CUDA_ERROR_MOCK (mocked): ptxas application line 7; "
            "error: refused");
}

TEST_F(DriverTest, LoadErrorsSayWhy) {
  mock->major = 7;
  EXPECT_EQ(loadError(scaleArtifact()),
            "kernel 'scale': expected code for compute capability 7.0, got "
            "sm_80 ptx 8.0, sm_80 cubin");
  mock->major = 8;
  mock->paramSizes["scale"] = {8, 4, 8, 8, 8, 4};
  EXPECT_EQ(loadError(scaleArtifact()), "kernel 'scale': expected 7 "
                                        "parameters, got code with 6");
  mock->paramSizes["scale"] = {8, 4, 8, 8, 8, 4, 4, 4};
  expectHas(loadError(scaleArtifact()), "expected 7 parameters, got code with "
                                        "more");
  mock->paramSizes["scale"] = {8, 8, 8, 8, 8, 4, 4};
  EXPECT_EQ(loadError(scaleArtifact()),
            "kernel 'scale': parameter 1: expected 4 bytes at offset 8, got "
            "code with 8 at 8");
  mock->paramSizes.clear();
  expectHas(loadError(scaleArtifact()), "cuModuleGetFunction failed");
  mock->paramSizes["scale"] = {8, 4, 8, 8, 8, 4, 4};
  mock->maxThreads = 64;
  expectHas(loadError(scaleArtifact()),
            "expected at most 64 threads on this device, got 128");
  mock->maxThreads = 1024;
  mock->sharedOptin = 1000;
  expectHas(loadError(scaleArtifact()),
            "expected at most 1000 bytes of shared memory on this device, got "
            "1024");
  mock->major = 9;
  mock->sharedOptin = 100000;
  mock->hasClusters = false;
  mock->paramSizes["tma"] = {128, 4, 8, 8, 8, 4, 4};
  expectHas(loadError(tensorMapArtifact()), "a driver with clusters");
  EXPECT_EQ(mock->modulesLoaded, 0);
}

TEST_F(DriverTest, SharedMemoryIsAskedForOnce) {
  Artifact artifact = scaleArtifact();
  load(artifact);
  EXPECT_TRUE(mock->functionAttributes.empty());
  artifact.manifest.kernels[0].sharedBytes = 100000;
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  EXPECT_EQ(mock->functionAttributes[8], 100000);
  mock->functionAttributes.clear();
  ASSERT_TRUE(loaded->kernel(0).launch(args).ok());
  EXPECT_TRUE(mock->functionAttributes.empty());
  EXPECT_EQ(mock->launches[0].shared, 100000u);
  // Static and dynamic shared memory count together.
  artifact.manifest.kernels[0].sharedBytes = 40000;
  mock->staticShared = 20000;
  load(artifact);
  EXPECT_EQ(mock->functionAttributes[8], 40000);
}

TEST_F(DriverTest, KernelsShareModules) {
  Artifact artifact = scaleArtifact();
  artifact.manifest.kernels.push_back(artifact.manifest.kernels[0]);
  artifact.manifest.kernels[1].name = "scale2";
  mock->paramSizes["scale2"] = mock->paramSizes["scale"];
  mock->major = 8;
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  EXPECT_EQ(mock->images.size(), 1u);
  EXPECT_EQ(loaded->numKernels(), 2u);
}

TEST_F(DriverTest, LoadsFilesAndBytes) {
  std::string path = "/tmp/tile-runtime-test-" + std::to_string(::getpid());
  ASSERT_TRUE(scaleArtifact().writeFile(path).ok());
  EXPECT_TRUE(LoadedArtifact::load(openDevice(), path).ok());
  ::unlink(path.c_str());
  expectHas(LoadedArtifact::load(openDevice(), path).message(), "cannot read");
  std::string bytes = *scaleArtifact().serialize();
  EXPECT_TRUE(
      LoadedArtifact::load(openDevice(), bytes.data(), bytes.size()).ok());
  expectHas(LoadedArtifact::load(openDevice(), bytes.data(), 60).message(),
            "not a valid artifact");
  // An artifact made in memory is verified all the same.
  Artifact bad = scaleArtifact();
  bad.manifest.kernels[0].params[0].arg = 9;
  expectHas(loadError(bad), "parameter 0");
}

} // namespace
