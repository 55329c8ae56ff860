//===- SoftwareDriverFixture.h - A device in software -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device of two kernels whose launches are recorded, with its context
// current.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_UNITTESTS_LOWERED_SOFTWAREDRIVERFIXTURE_H
#define TILE_UNITTESTS_LOWERED_SOFTWAREDRIVERFIXTURE_H

#include "../../lib/Lowered/SoftwareDriverState.h"

#include <gtest/gtest.h>

namespace mlir::tile::lowered::test {

class SoftwareDriverTest : public ::testing::Test {
protected:
  void SetUp() override { open(SoftwareDeviceOptions::of(9, 0)); }

  /// A device of these options, with its context current.
  void open(const SoftwareDeviceOptions &options) {
    device.reset();
    KernelDescription small, wide;
    small.maxThreads = 256;
    small.staticShared = 1024;
    small.paramSizes = {4, 8, 128, 1};
    device = std::make_unique<SoftwareDevice>(
        options,
        std::map<std::string, KernelDescription>{{"small", small},
                                                 {"wide", wide}},
        [this](const LaunchRequest &request) {
          requests.push_back(request);
          return answer;
        });
    ASSERT_EQ(f.init(0), cuda::kSuccess);
    ASSERT_EQ(f.devicePrimaryCtxRetain(&context, 0), cuda::kSuccess);
    ASSERT_EQ(f.ctxPushCurrent(context), cuda::kSuccess);
  }

  cuda::Module load() {
    cuda::Module module = nullptr;
    EXPECT_EQ(
        c.moduleLoadDataEx(&module, "TILELOWERED\ntext", 0, nullptr, nullptr),
        cuda::kSuccess);
    return module;
  }
  cuda::Function get(const char *name) {
    cuda::Function function = nullptr;
    EXPECT_EQ(c.moduleGetFunction(&function, load(), name), cuda::kSuccess);
    return function;
  }
  /// A launch of "wide", with a cluster if there is one.
  cuda::Result launch(std::array<unsigned, 3> grid, unsigned threads,
                      unsigned shared = 0,
                      std::array<unsigned, 3> cluster = {0, 0, 0}) {
    if (!wide)
      wide = get("wide");
    if (cluster[0] == 0)
      return c.launchKernel(wide, grid[0], grid[1], grid[2], threads, 1, 1,
                            shared, nullptr, nullptr, nullptr);
    cuda::LaunchConfig config = clustered(grid, threads, cluster);
    config.sharedBytes = shared;
    return c.launchKernelEx(&config, wide, nullptr, nullptr);
  }
  cuda::LaunchConfig clustered(std::array<unsigned, 3> grid, unsigned threads,
                               std::array<unsigned, 3> cluster) {
    attribute = {};
    attribute.id = cuda::kLaunchClusterDimension;
    attribute.value.cluster = {cluster[0], cluster[1], cluster[2]};
    return {grid[0], grid[1], grid[2], threads,    1,
            1,       0,       nullptr, &attribute, 1};
  }
  uint64_t allocate(size_t bytes) {
    uint64_t address = 0;
    EXPECT_EQ(c.memAlloc(&address, bytes), cuda::kSuccess);
    return address;
  }

  const cuda::Functions &f = SoftwareDevice::functions();
  const cuda::ContextFunctions &c = SoftwareDevice::contextFunctions();
  std::unique_ptr<SoftwareDevice> device;
  cuda::Context context = nullptr;
  cuda::Function wide = nullptr;
  cuda::LaunchAttribute attribute;
  std::vector<LaunchRequest> requests;
  std::string answer;
};

} // namespace mlir::tile::lowered::test

#endif // TILE_UNITTESTS_LOWERED_SOFTWAREDRIVERFIXTURE_H
