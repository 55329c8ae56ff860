//===- LaunchTest.cpp - Launches: parameters, grid, checks ----------------===//
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

template <typename T> T as(const std::string &bytes) {
  EXPECT_EQ(bytes.size(), sizeof(T));
  T value = {};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

class LaunchTest : public RuntimeTest {
protected:
  /// The message of a launch of "scale" with `args` as they stand.
  std::string launchError(Artifact artifact = scaleArtifact()) {
    std::unique_ptr<LoadedArtifact> loaded = load(std::move(artifact));
    return loaded ? loaded->kernel(0).launch(args).message() : "not loaded";
  }
};

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

TEST_F(LaunchTest, EmptyGridsLaunchNothing) {
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

TEST_F(LaunchTest, GridErrorsNameTheExtent) {
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

TEST_F(LaunchTest, ShapesAreChecked) {
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

TEST_F(LaunchTest, KindsAndTypesAreChecked) {
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

TEST_F(LaunchTest, StridesAreChecked) {
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

TEST_F(LaunchTest, StridesOfUnitDimensionsDoNotMatter) {
  // One row of a matrix, as a library may describe it.
  shapeA[0] = 1;
  stridesA[0] = 3;
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(as<int64_t>(mock->launches.back().params[2]), 64);
  shapeC[1] = 1;
  stridesC[1] = 300;
  EXPECT_EQ(launchError(), "");
}

TEST_F(LaunchTest, AddressesAreChecked) {
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

TEST_F(LaunchTest, IndicesOf32BitsAreChecked) {
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

TEST_F(LaunchTest, OverlapWithWrittenArgumentsIsRefused) {
  args[1].data = kA + 128;
  EXPECT_EQ(launchError(),
            "argument 1 ('C'): expected memory of its own, because it is "
            "written; it overlaps argument 0 ('A')");
  EXPECT_EQ(mock->numLaunches, 0);
  Artifact artifact = scaleArtifact();
  artifact.manifest.kernels[0].args[0].mayAlias = true;
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

TEST_F(LaunchTest, WrittenElementsAreDistinct) {
  stridesC[0] = 0;
  EXPECT_EQ(launchError(), "argument 1 ('C'): expected written elements to be "
                           "distinct, got stride 0 in dimension 0");
}

TEST_F(LaunchTest, DriverErrorsNameTheKernel) {
  mock->launchResult = 719;
  EXPECT_EQ(launchError(),
            "kernel 'scale': the launch failed: CUDA_ERROR_MOCK (mocked)");
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

TEST_F(LaunchTest, TensorMapErrorsNameTheArgument) {
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

TEST_F(LaunchTest, VersionsAreTakenWhereTheirAssumptionsHold) {
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

TEST_F(LaunchTest, PersistentGridsFitTheDevice) {
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

TEST_F(LaunchTest, PersistentGridsHaveNoMoreClustersThanRunAtATime) {
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

} // namespace
