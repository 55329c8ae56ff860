//===- LaunchTest.cpp - Launches: parameters, tensor maps, threads --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFixture.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

// Counts allocations of this program, so that a test can say "none".
static std::atomic<size_t> numAllocations = 0;

void *operator new(size_t size) {
  ++numAllocations;
  return std::malloc(size ? size : 1);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

class LaunchTest : public RuntimeTest {};

TEST_F(LaunchTest, PacksParametersAndComputesTheGrid) {
  std::unique_ptr<LoadedArtifact> loaded = load(scaleArtifact());
  int stream = 0;
  Status status =
      loaded->kernel(0).launch(args, reinterpret_cast<cuda::Stream>(&stream));
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(mock->launches.size(), 1u);
  const MockLaunch &launch = mock->launches[0];
  EXPECT_EQ(launch.kernel, "scale");
  EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{3, 2, 3}));
  EXPECT_EQ(launch.block, (std::array<unsigned, 3>{128, 1, 1}));
  EXPECT_EQ(launch.cluster, (std::array<unsigned, 3>{0, 0, 0}));
  EXPECT_EQ(launch.shared, 1024u);
  EXPECT_EQ(launch.stream, &stream);
  ASSERT_EQ(launch.params.size(), 7u);
  EXPECT_EQ(as<uint64_t>(launch.params[0]), kA);
  EXPECT_EQ(as<int32_t>(launch.params[1]), 100);
  EXPECT_EQ(as<int64_t>(launch.params[2]), 72);
  EXPECT_EQ(as<uint64_t>(launch.params[3]), kC);
  EXPECT_EQ(as<int64_t>(launch.params[4]), 300);
  EXPECT_EQ(as<float>(launch.params[5]), 2.5f);
  EXPECT_EQ(as<int32_t>(launch.params[6]), 3);
  EXPECT_TRUE(contexts().empty());
}

TEST_F(LaunchTest, PreparedLaunchesRepeat) {
  std::unique_ptr<LoadedArtifact> loaded = load(scaleArtifact());
  Result<PreparedLaunch> prepared = loaded->kernel(0).prepare(args);
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  EXPECT_TRUE(mock->launches.empty());
  EXPECT_EQ(prepared->grid()[0], 3u);
  Span<const char> param = prepared->param(5);
  EXPECT_EQ(as<float>(std::string(param.begin(), param.end())), 2.5f);
  EXPECT_TRUE(prepared->param(7).empty());
  // What the caller does to its arrays afterwards does not matter.
  shapeA[0] = -7;
  PreparedLaunch moved = std::move(*prepared);
  EXPECT_TRUE(moved.launch().ok());
  EXPECT_TRUE(moved.launch().ok());
  ASSERT_EQ(mock->launches.size(), 2u);
  EXPECT_EQ(mock->launches[0].params, mock->launches[1].params);
  EXPECT_EQ(as<int32_t>(mock->launches[1].params[1]), 100);
  shapeA[0] = 0;
  args[0].data = 0;
  expectHas(loaded->kernel(0).prepare(Span<const Arg>(args, 3)).message(),
            "expected 4 arguments, got 3");
}

TEST_F(LaunchTest, LaunchesAllocateNothing) {
  std::unique_ptr<LoadedArtifact> loaded = load(scaleArtifact());
  const Kernel &kernel = loaded->kernel(0);
  mock->quiet = true;
  size_t before = numAllocations;
  for (int i = 0; i < 10; ++i)
    if (!kernel.launch(args).ok())
      std::abort();
  // cuCtxPushCurrent of the mock may grow a vector once.
  EXPECT_LE(numAllocations - before, 1u);
  EXPECT_EQ(mock->numLaunches, 10);
  // Nor does what is kept of a launch for the next one, or replaced.
  LaunchChecks checks;
  checks.pointers = false;
  before = numAllocations;
  for (int i = 0; i < 10; ++i) {
    shapeA[0] = 90 + i / 4;
    if (!kernel.launch(args, nullptr, checks).ok())
      std::abort();
  }
  EXPECT_EQ(numAllocations, before);
  EXPECT_EQ(mock->numLaunches, 20);
}

TEST_F(LaunchTest, OtherContextsStayCurrent) {
  std::unique_ptr<LoadedArtifact> loaded = load(scaleArtifact());
  int other = 0;
  contexts() = {&other};
  ASSERT_TRUE(loaded->kernel(0).launch(args).ok());
  EXPECT_EQ(contexts(), std::vector<void *>{&other});
  contexts().clear();
}

TEST_F(LaunchTest, EveryThreadPreparesAndLaunches) {
  std::unique_ptr<LoadedArtifact> loaded = load(tensorMapArtifact());
  ASSERT_TRUE(loaded);
  const Kernel &kernel = loaded->kernel(0);
  shapeC[1] = stridesC[0] = 256;
  Status launched, again;
  std::unique_ptr<Result<PreparedLaunch>> prepared;
  std::thread([&] { launched = kernel.launch(args); }).join();
  EXPECT_TRUE(launched.ok()) << launched.message();
  shapeA[0] = 99; // a map of its own
  std::thread([&] {
    prepared = std::make_unique<Result<PreparedLaunch>>(kernel.prepare(args));
  }).join();
  ASSERT_TRUE(prepared->ok()) << prepared->message();
  std::thread([&] { again = (*prepared)->launch(); }).join();
  EXPECT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(mock->tensorMaps.size(), 2u);
  EXPECT_EQ(mock->launches.size(), 2u);
}

TEST_F(LaunchTest, TensorMapsAreEncodedOnceAndClustersLaunched) {
  std::unique_ptr<LoadedArtifact> loaded = load(tensorMapArtifact());
  ASSERT_TRUE(loaded);
  const Kernel &kernel = loaded->kernel(0);
  shapeC[1] = 256;
  stridesC[0] = 256;
  for (int i = 0; i < 3; ++i) {
    Status status = kernel.launch(args);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_EQ(mock->tensorMaps.size(), 1u);
  const MockTensorMap &map = mock->tensorMaps[0];
  EXPECT_EQ(map.type, 6);
  EXPECT_EQ(map.address, kA);
  EXPECT_EQ(map.dims, (std::vector<uint64_t>{64, 100}));
  EXPECT_EQ(map.strides, (std::vector<uint64_t>{144}));
  EXPECT_EQ(map.box, (std::vector<unsigned>{64, 32}));
  EXPECT_EQ(map.swizzle, 3);
  EXPECT_EQ(map.l2, 2);
  ASSERT_EQ(mock->launches.size(), 3u);
  EXPECT_EQ(mock->launches[2].params[0], std::string(128, '\x01'));
  EXPECT_EQ(mock->launches[2].cluster, (std::array<unsigned, 3>{2, 1, 1}));
  // Other arguments, another map; the first is still known.
  shapeA[0] = 99;
  ASSERT_TRUE(kernel.launch(args).ok());
  EXPECT_EQ(mock->launches[3].params[0], std::string(128, '\x02'));
  shapeA[0] = 100;
  ASSERT_TRUE(kernel.launch(args).ok());
  EXPECT_EQ(mock->launches[4].params[0], std::string(128, '\x01'));
  // The cache forgets the oldest, not everything, and stays right.
  for (int round = 0; round < 2; ++round)
    for (shapeA[0] = 1; shapeA[0] <= 40; ++shapeA[0]) {
      ASSERT_TRUE(kernel.launch(args).ok());
      char number = mock->launches.back().params[0][5];
      EXPECT_EQ(mock->tensorMaps[size_t(number) - 1].dims[1],
                uint64_t(shapeA[0]));
    }
}

TEST_F(LaunchTest, TensorsWithoutElementsAreAZero) {
  std::unique_ptr<LoadedArtifact> loaded = load(tensorMapArtifact());
  ASSERT_TRUE(loaded);
  shapeC[1] = stridesC[0] = 256;
  shapeA[0] = 0;
  Status status = loaded->kernel(0).launch(args);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(mock->tensorMaps.size(), 1u);
  const MockTensorMap &map = mock->tensorMaps[0];
  EXPECT_EQ(map.dims, (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(map.strides, (std::vector<uint64_t>{16}));
  // Memory of the device, not of the argument: a kernel may read it.
  EXPECT_NE(map.address, kA);
  std::vector<char> bytes(Device::kNothingBytes, 1);
  ASSERT_TRUE(loaded->device()
                  .copyToHost(bytes.data(), map.address, bytes.size())
                  .ok());
  EXPECT_EQ(bytes, std::vector<char>(Device::kNothingBytes, 0));
}

TEST_F(LaunchTest, ThreadsLaunchTogether) {
  std::unique_ptr<LoadedArtifact> loaded = load(tensorMapArtifact());
  const Kernel &kernel = loaded->kernel(0);
  shapeC[1] = stridesC[0] = 256;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int64_t id = 1; id <= 4; ++id)
    threads.emplace_back([&, id] {
      int64_t shape[2] = {id, 64};
      Arg own[] = {args[0], args[1], args[2], args[3]};
      own[0].shape = shape;
      LaunchChecks checks;
      for (int i = 0; i < 200; ++i) {
        shape[0] = id * 100 + i % 10; // more maps than are kept
        // Without this question, what is kept of the launch before is taken,
        // whichever thread's it was.
        checks.pointers = i % 20 < 5;
        failures += !kernel.launch(own, nullptr, checks).ok();
        failures += !kernel.launch(own, nullptr, checks).ok();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  ASSERT_EQ(mock->launches.size(), 1600u);
  // Each launch got the map of its own extents (numbers of maps wrap at 256).
  for (const MockLaunch &launch : mock->launches) {
    bool found = false;
    size_t number = static_cast<unsigned char>(launch.params[0][0]);
    for (size_t i = number; i <= mock->tensorMaps.size(); i += 256)
      found |= i > 0 && int64_t(mock->tensorMaps[i - 1].dims[1]) ==
                            as<int32_t>(launch.params[1]);
    EXPECT_TRUE(found);
  }
}

TEST_F(LaunchTest, MapsOfConvolutionsHaveCorners) {
  Artifact artifact = tensorMapArtifact();
  KernelSpec &spec = artifact.manifest.kernels[0];
  TensorMapSpec &map = spec.tensorMaps[0];
  // 8 x shape[0] pixels of 64 channels; 3 x 3 taps, a pad of 1 below.
  map.dims = {64, 8, Expr::dim(0, 0), 1};
  map.strides = {144, 1152, 115200};
  map.elementStrides = {1, 2, 1, 1};
  map.box.clear();
  map.im2col = {{-1, -1}, {-2, -2}, 64, 128};
  std::unique_ptr<LoadedArtifact> loaded = load(artifact);
  ASSERT_TRUE(loaded);
  const Kernel &kernel = loaded->kernel(0);
  shapeC[1] = 256;
  stridesC[0] = 256;
  ASSERT_TRUE(kernel.launch(args).ok());
  const MockTensorMap &seen = mock->tensorMaps.back();
  EXPECT_EQ(seen.dims, (std::vector<uint64_t>{64, 8, 100, 1}));
  EXPECT_EQ(seen.box, (std::vector<unsigned>{64, 128}));
  EXPECT_EQ(seen.lower, (std::vector<int>{-1, -1}));
  EXPECT_EQ(seen.upper, (std::vector<int>{-2, -2}));
  EXPECT_EQ(seen.elementStrides, (std::vector<unsigned>{1, 2, 1, 1}));
  // One row of pixels holds no filter: a map of one pixel, anywhere.
  shapeA[0] = 1;
  ASSERT_TRUE(kernel.launch(args).ok());
  const MockTensorMap &empty = mock->tensorMaps.back();
  EXPECT_EQ(empty.dims, (std::vector<uint64_t>{1, 1, 1, 1}));
  EXPECT_EQ(empty.lower, (std::vector<int>{0, 0}));
  EXPECT_EQ(empty.upper, (std::vector<int>{0, 0}));
  EXPECT_NE(empty.address, kA);
}

} // namespace
