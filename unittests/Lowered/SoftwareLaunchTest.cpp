//===- SoftwareLaunchTest.cpp - Modules and launches in software ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver's functions for kernels do, and the limits of launches.
//
//===----------------------------------------------------------------------===//

#include "SoftwareDriverFixture.h"

#include <cstring>

using namespace mlir::tile::lowered;
using namespace mlir::tile::lowered::test;

namespace {

using SoftwareLaunchTest = SoftwareDriverTest;

//===----------------------------------------------------------------------===//
// Modules and functions
//===----------------------------------------------------------------------===//

TEST_F(SoftwareLaunchTest, LoadsItsOwnImages) {
  char log[16] = "";
  int options[] = {cuda::kJitErrorLog, cuda::kJitErrorLogSize};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log)))};
  cuda::Module module = nullptr;
  EXPECT_EQ(c.moduleLoadDataEx(&module, ".version 8.0\n", 2, options, values),
            kErrorInvalidImage);
  EXPECT_STREQ(log, "expected an ima");
  EXPECT_EQ(c.moduleLoadDataEx(&module, ".version", 0, nullptr, nullptr),
            kErrorInvalidImage);
  module = load();
  cuda::Function function = nullptr, again = nullptr;
  EXPECT_EQ(c.moduleGetFunction(&function, module, "other"),
            cuda::kErrorNotFound);
  EXPECT_EQ(c.moduleGetFunction(&function, module, "small"), cuda::kSuccess);
  EXPECT_EQ(c.moduleGetFunction(&again, module, "small"), cuda::kSuccess);
  EXPECT_EQ(function, again);
  int value = 0;
  EXPECT_EQ(c.moduleUnload(module), cuda::kSuccess);
  EXPECT_EQ(c.moduleUnload(module), kErrorInvalidHandle);
  EXPECT_EQ(c.moduleGetFunction(&again, module, "small"), kErrorInvalidHandle);
  EXPECT_EQ(c.funcGetAttribute(&value, cuda::kFunctionRegisters, function),
            kErrorInvalidHandle);
}

TEST_F(SoftwareLaunchTest, FunctionsHaveAttributesAndParameters) {
  cuda::Function function = get("small");
  auto attribute = [&](int which) {
    int value = -1;
    EXPECT_EQ(c.funcGetAttribute(&value, which, function), cuda::kSuccess);
    return value;
  };
  EXPECT_EQ(attribute(cuda::kFunctionMaxThreads), 256);
  EXPECT_EQ(attribute(cuda::kFunctionStaticShared), 1024);
  EXPECT_EQ(attribute(cuda::kFunctionMaxDynamicShared), 49152 - 1024);
  auto set = [&](int which, int value) {
    return c.funcSetAttribute(function, which, value);
  };
  EXPECT_EQ(set(cuda::kFunctionMaxDynamicShared, 232448 - 1023),
            cuda::kErrorInvalidValue);
  EXPECT_EQ(set(cuda::kFunctionMaxDynamicShared, -1), cuda::kErrorInvalidValue);
  EXPECT_EQ(set(cuda::kFunctionMaxDynamicShared, 232448 - 1024),
            cuda::kSuccess);
  EXPECT_EQ(attribute(cuda::kFunctionMaxDynamicShared), 232448 - 1024);
  EXPECT_EQ(set(cuda::kFunctionNonPortableCluster, 2),
            cuda::kErrorInvalidValue);
  EXPECT_EQ(set(cuda::kFunctionMaxThreads, 1), cuda::kErrorInvalidValue);
  const size_t sizes[] = {4, 8, 128, 1}, offsets[] = {0, 8, 64, 192};
  for (size_t i = 0; i < 4; ++i) {
    size_t offset = 99, size = 99;
    EXPECT_EQ(c.funcGetParamInfo(function, i, &offset, &size), cuda::kSuccess);
    EXPECT_EQ(offset, offsets[i]);
    EXPECT_EQ(size, sizes[i]);
  }
  size_t offset = 0, size = 0;
  EXPECT_EQ(c.funcGetParamInfo(function, 4, &offset, &size),
            cuda::kErrorInvalidValue);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST_F(SoftwareLaunchTest, LaunchesPassParameters) {
  int32_t number = 7;
  uint64_t address = 0x123456789a;
  char map[128] = "map", last = 'x';
  void *params[] = {&number, &address, map, &last};
  EXPECT_EQ(c.launchKernel(get("small"), 3, 2, 1, 256, 1, 1, 100, nullptr,
                           params, nullptr),
            cuda::kSuccess);
  ASSERT_EQ(requests.size(), 1u);
  const LaunchRequest &request = requests[0];
  EXPECT_EQ(request.kernel, "small");
  EXPECT_EQ(request.grid, (std::array<unsigned, 3>{3, 2, 1}));
  EXPECT_EQ(request.cluster, (std::array<unsigned, 3>{1, 1, 1}));
  EXPECT_EQ(request.threads, 256u);
  EXPECT_EQ(request.sharedBytes, 100u);
  ASSERT_EQ(request.params.size(), 4u);
  EXPECT_EQ(std::memcmp(request.params[0].data(), &number, 4), 0);
  EXPECT_EQ(std::memcmp(request.params[1].data(), &address, 8), 0);
  EXPECT_EQ(std::memcmp(request.params[2].data(), map, 128), 0);
  EXPECT_EQ(request.params[3], std::vector<char>{'x'});
  // Neither null nor the other way to pass them.
  params[1] = nullptr;
  EXPECT_EQ(c.launchKernel(get("small"), 1, 1, 1, 1, 1, 1, 0, nullptr, params,
                           nullptr),
            cuda::kErrorInvalidValue);
  EXPECT_EQ(c.launchKernel(get("small"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                           params),
            cuda::kErrorInvalidValue);
  EXPECT_EQ(c.launchKernel(get("small"), 1, 1, 1, 257, 1, 1, 0, nullptr, params,
                           nullptr),
            kErrorLaunchOutOfResources);
  EXPECT_EQ(requests.size(), 1u);
}

TEST_F(SoftwareLaunchTest, LaunchesHaveLimits) {
  EXPECT_EQ(launch({1, 1, 1}, 1024), cuda::kSuccess);
  EXPECT_EQ(launch({2147483647, 65535, 65535}, 1), cuda::kSuccess);
  EXPECT_EQ(requests.size(), 2u);
  EXPECT_EQ(launch({1, 1, 1}, 1025), cuda::kErrorInvalidValue);
  EXPECT_EQ(launch({1, 1, 1}, 0), cuda::kErrorInvalidValue);
  EXPECT_EQ(launch({0, 1, 1}, 1), cuda::kErrorInvalidValue);
  EXPECT_EQ(launch({1, 65536, 1}, 1), cuda::kErrorInvalidValue);
  EXPECT_EQ(launch({1, 1, 65536}, 1), cuda::kErrorInvalidValue);
  EXPECT_EQ(launch({2147483648, 1, 1}, 1), cuda::kErrorInvalidValue);
  EXPECT_EQ(
      c.launchKernel(wide, 1, 1, 1, 1, 2, 1, 0, nullptr, nullptr, nullptr),
      kErrorUnsupported);
  EXPECT_EQ(c.launchKernel(wide, 1, 1, 1, 1, 1, 1, 0, toHandle<cuda::Stream>(5),
                           nullptr, nullptr),
            kErrorInvalidHandle);
  EXPECT_EQ(
      c.launchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
      kErrorInvalidHandle);
  EXPECT_EQ(requests.size(), 2u);
  // Shared memory beyond the default has to be asked for.
  EXPECT_EQ(launch({1, 1, 1}, 1, 49152), cuda::kSuccess);
  EXPECT_EQ(launch({1, 1, 1}, 1, 49153), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.funcSetAttribute(wide, cuda::kFunctionMaxDynamicShared, 232448),
            cuda::kSuccess);
  EXPECT_EQ(launch({1, 1, 1}, 1, 232448), cuda::kSuccess);
  EXPECT_EQ(launch({1, 1, 1}, 1, 232449), cuda::kErrorInvalidValue);
}

TEST_F(SoftwareLaunchTest, ClustersHaveLimits) {
  EXPECT_EQ(launch({4, 6, 1}, 128, 0, {2, 3, 1}), cuda::kSuccess);
  EXPECT_EQ(requests.back().cluster, (std::array<unsigned, 3>{2, 3, 1}));
  EXPECT_EQ(launch({5, 6, 1}, 128, 0, {2, 3, 1}), kErrorInvalidClusterSize);
  EXPECT_EQ(launch({4, 6, 1}, 128, 0, {2, 0, 1}), kErrorInvalidClusterSize);
  EXPECT_EQ(launch({16, 1, 1}, 128, 0, {16, 1, 1}), kErrorInvalidClusterSize);
  EXPECT_EQ(c.funcSetAttribute(wide, cuda::kFunctionNonPortableCluster, 1),
            cuda::kSuccess);
  EXPECT_EQ(launch({16, 1, 1}, 128, 0, {16, 1, 1}), cuda::kSuccess);
  EXPECT_EQ(launch({16, 2, 1}, 128, 0, {16, 2, 1}), kErrorInvalidClusterSize);
  cuda::LaunchConfig config = clustered({4, 1, 1}, 128, {2, 1, 1});
  attribute.id = 6;
  EXPECT_EQ(c.launchKernelEx(&config, wide, nullptr, nullptr),
            kErrorUnsupported);
  EXPECT_EQ(c.launchKernelEx(nullptr, wide, nullptr, nullptr),
            cuda::kErrorInvalidValue);

  wide = nullptr;
  open(SoftwareDeviceOptions::of(8, 9));
  EXPECT_EQ(launch({4, 1, 1}, 128, 0, {2, 1, 1}), kErrorUnsupported);
  EXPECT_EQ(launch({4, 1, 1}, 128, 0, {1, 1, 1}), cuda::kSuccess);
  cuda::TensorMap map;
  uint64_t dim = 16;
  unsigned one = 1, box = 16;
  EXPECT_EQ(c.tensorMapEncodeTiled(&map, 0, 1, nullptr, &dim, nullptr, &box,
                                   &one, 0, 0, 0, 0),
            kErrorUnsupported);
}

TEST_F(SoftwareLaunchTest, CountsClustersThatFit) {
  cuda::Function function = get("wide");
  auto count = [&](unsigned blocks, unsigned threads, unsigned shared) {
    cuda::LaunchConfig config =
        clustered({blocks, 1, 1}, threads, {blocks, 1, 1});
    config.sharedBytes = shared;
    int clusters = -1;
    EXPECT_EQ(c.occupancyMaxActiveClusters(&clusters, function, &config),
              cuda::kSuccess);
    return clusters;
  };
  // 4 multiprocessors of 2048 threads and 228 KiB.
  EXPECT_EQ(count(2, 1024, 0), 4);
  EXPECT_EQ(count(2, 32, 0), 64);
  EXPECT_EQ(count(4, 128, 48 << 10), 4);
  ASSERT_EQ(
      c.funcSetAttribute(function, cuda::kFunctionMaxDynamicShared, 200 << 10),
      cuda::kSuccess);
  EXPECT_EQ(count(2, 128, 200 << 10), 2);
  EXPECT_EQ(count(8, 128, 200 << 10), 0);
  // Half of a multiprocessor's is too much for two blocks: each has a kilobyte
  // of the system's, too.
  EXPECT_EQ(count(2, 128, (113 << 10) + 1), 2);
  EXPECT_EQ(count(2, 128, 113 << 10), 4);
}

TEST_F(SoftwareLaunchTest, WhatFailedIsSaidLater) {
  uint64_t address = allocate(4);
  answer = "thread 3 reads nothing";
  EXPECT_EQ(launch({1, 1, 1}, 1), cuda::kSuccess);
  EXPECT_EQ(device->lastError(), "thread 3 reads nothing");
  EXPECT_EQ(c.ctxSynchronize(), kErrorLaunchFailed);
  EXPECT_EQ(c.streamSynchronize(nullptr), kErrorLaunchFailed);
  EXPECT_EQ(c.memFree(address), kErrorLaunchFailed);
  EXPECT_EQ(launch({1, 1, 1}, 1), kErrorLaunchFailed);
  EXPECT_EQ(requests.size(), 1u);
  answer = "";
  device->clearError();
  EXPECT_EQ(device->lastError(), "");
  EXPECT_EQ(launch({1, 1, 1}, 1), cuda::kSuccess);
  EXPECT_EQ(c.ctxSynchronize(), cuda::kSuccess);
}

} // namespace
