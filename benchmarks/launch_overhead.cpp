//===- launch_overhead.cpp - What a launch costs above cuLaunchKernel -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches an empty kernel with a GEMM's signature (three matrices of dynamic
// shape, two scalars) by cuLaunchKernel itself and by each way of the
// launcher, and prints the time of a call on the host; and what the driver's
// other forms of the same launch cost: parameters in one buffer, the extended
// call, the default stream, three parameters only. Rounds of the ways
// alternate, so that clocks and other load hit all of them; the median over
// rounds is reported. Needs a GPU and its driver; links libdl and libpthread.
//
// usage: launch-overhead [LIBCUDA [ROUNDS]]
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/Launcher.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

using namespace mlir::tile::runtime;

namespace {

// Parameters: A, rows and row stride of A, B, stride of B, C, columns and
// stride of C, alpha, n.
const char *kEmptyKernel = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry empty(
  .param .u64 p0, .param .u32 p1, .param .u64 p2, .param .u64 p3,
  .param .u64 p4, .param .u64 p5, .param .u32 p6, .param .u64 p7,
  .param .f32 p8, .param .u32 p9)
{
  ret;
}
)";

ArgSpec matrix(const char *name, Access access) {
  ArgSpec arg;
  arg.name = name;
  arg.type = ElementType::F16;
  arg.shape = {kDynamic, kDynamic};
  arg.strides = {kDynamic, 1};
  arg.alignment = 16;
  arg.access = access;
  return arg;
}

ArgSpec scalar(const char *name, ElementType type) {
  ArgSpec arg;
  arg.name = name;
  arg.kind = ArgKind::Scalar;
  arg.type = type;
  arg.access = Access::Read;
  return arg;
}

Artifact emptyArtifact() {
  KernelSpec kernel;
  kernel.name = "empty";
  kernel.args = {matrix("A", Access::Read), matrix("B", Access::Read),
                 matrix("C", Access::Write), scalar("alpha", ElementType::F32),
                 scalar("n", ElementType::I32)};
  kernel.params = {ParamSpec::pointer(0),
                   ParamSpec::extent(0, 0, ElementType::I32),
                   ParamSpec::stride(0, 0, ElementType::I64),
                   ParamSpec::pointer(1),
                   ParamSpec::stride(1, 0, ElementType::I64),
                   ParamSpec::pointer(2),
                   ParamSpec::extent(2, 1, ElementType::I32),
                   ParamSpec::stride(2, 0, ElementType::I64),
                   ParamSpec::scalar(3, ElementType::F32),
                   ParamSpec::scalar(4, ElementType::I32)};
  kernel.grid = {ceilDiv(Expr::dim(2, 1), 128), ceilDiv(Expr::dim(2, 0), 128),
                 Expr(1)};
  kernel.threads = 128;
  Expr::Kind eq = Expr::Kind::Eq, mod = Expr::Kind::Mod;
  for (unsigned arg = 0; arg < 3; ++arg)
    kernel.assumptions.push_back(
        {Expr::binary(eq, Expr::binary(mod, Expr::stride(arg, 0), 8), 0),
         "expected aligned rows"});
  kernel.assumptions.push_back(
      {Expr::binary(eq, Expr::dim(0, 1), Expr::dim(1, 0)),
       "expected matching inner extents"});
  CodeSpec code;
  code.arch = "sm_80";
  code.format = CodeFormat::PTX;
  code.ptxVersion = "7.0";
  kernel.code = {code};
  Artifact artifact;
  artifact.manifest.compiler = "launch-overhead";
  artifact.manifest.kernels = {kernel};
  artifact.blobs = {kEmptyKernel};
  return artifact;
}

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "launch-overhead: error: %s\n", message.c_str());
  std::exit(1);
}

template <typename T> T take(Result<T> result) {
  if (!result)
    fail(result.message());
  return std::move(*result);
}

void need(const Status &status) {
  if (!status.ok())
    fail(status.message());
}

struct Way {
  const char *name;
  std::function<void()> call;
  std::vector<double> microseconds;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  std::shared_ptr<Driver> driver =
      take(argc > 1 ? Driver::open(argv[1]) : Driver::open());
  long rounds = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 400;
  if (rounds < 1 || rounds > 1000000)
    fail("expected 1 to 1000000 rounds");
  std::shared_ptr<Device> device = take(Device::open(driver));
  std::unique_ptr<LoadedArtifact> loaded =
      take(LoadedArtifact::load(device, emptyArtifact()));
  const Kernel &kernel = loaded->kernel(0);
  cuda::Stream stream = take(device->createStream());

  constexpr int64_t kSize = 256;
  cuda::DevicePtr memory[3];
  for (cuda::DevicePtr &pointer : memory)
    pointer = take(device->allocate(kSize * kSize * 2));
  const int64_t shape[] = {kSize, kSize}, strides[] = {kSize, 1};
  const Arg args[] = {
      Arg::memref(memory[0], ElementType::F16, 2, shape, strides),
      Arg::memref(memory[1], ElementType::F16, 2, shape, strides),
      Arg::memref(memory[2], ElementType::F16, 2, shape, strides),
      Arg::f32(1.0f), Arg::i32(1)};
  PreparedLaunch prepared = take(kernel.prepare(args));

  // What a caller of the driver does at the least: the context is current, the
  // parameters are where they are.
  ContextScope context(*device);
  int32_t rows = kSize, n = 1;
  int64_t stride = kSize;
  float alpha = 1.0f;
  void *params[] = {&memory[0], &rows, &stride, &memory[1], &stride,
                    &memory[2], &rows, &stride, &alpha,     &n};
  // The same parameters in one buffer, laid out as the kernel's are.
  struct alignas(8) {
    uint64_t a;
    uint32_t rows;
    int64_t strideA;
    uint64_t b;
    int64_t strideB;
    uint64_t c;
    uint32_t columns;
    int64_t strideC;
    float alpha;
    uint32_t n;
  } packed = {memory[0], kSize, kSize, memory[1], kSize,
              memory[2], kSize, kSize, 1.0f,      1};
  size_t packedBytes = sizeof(packed);
  // cuda.h: CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END.
  void *extra[] = {reinterpret_cast<void *>(1), &packed,
                   reinterpret_cast<void *>(2), &packedBytes, nullptr};
  cuda::LaunchConfig plain = {2, 2, 1, 128, 1, 1, 0, stream, nullptr, 0};
  auto launchOn = [&](cuda::Stream where, void **given, void **more) {
    need(context.check(context->launchKernel(kernel.function(), 2, 2, 1, 128, 1,
                                             1, 0, where, given, more),
                       "cuLaunchKernel"));
  };
  LaunchChecks trusting;
  trusting.pointers = trusting.overlap = false;

  std::vector<Way> ways = {
      {"cuLaunchKernel", [&] { launchOn(stream, params, nullptr); }, {}},
      {"the same, one buffer", [&] { launchOn(stream, nullptr, extra); }, {}},
      {"the same, default stream",
       [&] { launchOn(nullptr, params, nullptr); },
       {}},
      {"cuCtxGetCurrent",
       [&] {
         cuda::Context current = nullptr;
         driver->functions().ctxGetCurrent(&current);
       },
       {}},
      {"PreparedLaunch::launch", [&] { need(prepared.launch(stream)); }, {}},
      {"Kernel::launch, trusting",
       [&] { need(kernel.launch(args, stream, trusting)); },
       {}},
      {"Kernel::launch", [&] { need(kernel.launch(args, stream)); }, {}},
  };

  if (context->launchKernelEx)
    ways.push_back(
        {"cuLaunchKernelEx",
         [&] {
           need(context.check(context->launchKernelEx(&plain, kernel.function(),
                                                      params, nullptr),
                              "cuLaunchKernelEx"));
         },
         {}});

  // Few enough launches that the driver's queue never fills and the host never
  // waits for the device.
  constexpr int kLaunches = 200;
  for (long round = -10; round < rounds; ++round)
    for (Way &way : ways) {
      auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < kLaunches; ++i)
        way.call();
      std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - begin;
      need(device->synchronize(stream));
      if (round >= 0) // the first ones warm up
        way.microseconds.push_back(time.count() / kLaunches);
    }

  std::printf("device: %s, driver for CUDA %d.%d; %ld rounds of %d launches\n",
              device->name().c_str(), driver->version() / 1000,
              driver->version() % 1000 / 10, rounds, kLaunches);
  double base = median(ways[0].microseconds);
  for (const Way &way : ways)
    std::printf("%-26s %7.3f us a launch, %+7.3f us\n", way.name,
                median(way.microseconds), median(way.microseconds) - base);

  for (cuda::DevicePtr pointer : memory)
    need(device->free(pointer));
  need(device->destroyStream(stream));
  return 0;
}
