//===- RunCuda.cpp - running a kernel on a GPU ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RunCuda.h"
#include "Elements.h"
#include "Strides.h"
#include "tile/Target/DeviceInfo.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;
namespace cuda = mlir::tile::runtime::cuda;

/// Bytes on either side of each buffer, all bits set, that must stay so. Keeps
/// the buffer aligned as the driver aligns memory.
static constexpr size_t kGuardBytes = 4096;
static constexpr char kPoison = '\xff';

/// A timed sample lasts about this long, so that the cost of its two events
/// (microseconds) does not show.
static constexpr double kSampleMilliseconds = 1.0;
/// Launching goes on this long before the first sample: clocks rise from idle.
static constexpr double kWarmUpMilliseconds = 50.0;
static constexpr int kMostLaunchesPerSample = 1000;

static llvm::Error toError(const runtime::Status &status) {
  return status.ok() ? llvm::Error::success()
                     : llvm::createStringError(status.message());
}
template <typename T>
static llvm::Error toError(const runtime::Result<T> &result) {
  return llvm::createStringError(result.message());
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

llvm::Error CudaSession::open() {
  if (opened)
    return llvm::Error::success();
  auto driver = runtime::Driver::open();
  if (!driver)
    return toError(driver);
  return open(*driver);
}

llvm::Error CudaSession::open(std::shared_ptr<runtime::Driver> driver) {
  auto device = runtime::Device::open(std::move(driver));
  if (!device)
    return toError(device);
  opened = *device;
  return llvm::Error::success();
}

llvm::Expected<std::string> CudaSession::arch() const {
  // What is compiled runs here only, so it may use what only this architecture
  // has (suffix a).
  unsigned capability = opened->computeMajor() * 10 + opened->computeMinor();
  if (const TargetInfo *best = TargetInfo::newestFor(capability))
    return best->arch.str();
  return llvm::createStringError(
      "expected a device of compute capability 8.0 or later, got " +
      std::to_string(opened->computeMajor()) + "." +
      std::to_string(opened->computeMinor()) + " (" + opened->name() + ")");
}

std::string CudaSession::deviceName() const {
  const DeviceInfo *device = DeviceInfo::find(
      opened->name(), opened->computeMajor() * 10 + opened->computeMinor(),
      opened->multiprocessors());
  return device ? device->name.str() : "";
}

bool CudaSession::isLost() const {
  return opened && !opened->synchronize().ok();
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

bool run::isArtifact(StringRef bytes) {
  return bytes.starts_with(StringRef("\x8f"
                                     "TILE\r\n\x1a",
                                     8));
}

llvm::Expected<const runtime::KernelSpec *>
run::findKernel(const runtime::Manifest &manifest, StringRef name) {
  if (name.empty() && manifest.kernels.size() == 1)
    return &manifest.kernels.front();
  std::string names;
  for (const runtime::KernelSpec &kernel : manifest.kernels) {
    if (kernel.name == name)
      return &kernel;
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  if (name.empty())
    return llvm::createStringError("expected --kernel=NAME with one of " +
                                   names);
  return llvm::createStringError("expected a kernel of the artifact (" + names +
                                 "), got '" + name + "'");
}

static Type elementTypeOf(runtime::ElementType type, MLIRContext *context) {
  using runtime::ElementType;
  auto integer = [&](unsigned width) -> Type {
    return IntegerType::get(context, width);
  };
  switch (type) {
  case ElementType::I1:
    return integer(1);
  case ElementType::I4:
    return integer(4);
  case ElementType::I8:
  case ElementType::UI8:
    return integer(8);
  case ElementType::I16:
  case ElementType::UI16:
    return integer(16);
  case ElementType::I32:
  case ElementType::UI32:
    return integer(32);
  case ElementType::I64:
  case ElementType::UI64:
    return integer(64);
  case ElementType::F4E2M1FN:
    return Float4E2M1FNType::get(context);
  case ElementType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::F32:
  case ElementType::TF32: // f32 in memory
    return Float32Type::get(context);
  case ElementType::F64:
    return Float64Type::get(context);
  }
  llvm_unreachable("all element types are listed");
}

llvm::Expected<Signature> run::signatureOf(const runtime::KernelSpec &kernel,
                                           MLIRContext *context) {
  Signature signature;
  signature.kernel = kernel.name;
  for (const runtime::ArgSpec &arg : kernel.args) {
    Type type = elementTypeOf(arg.type, context);
    bool isBuffer = arg.kind == runtime::ArgKind::MemRef;
    if (isBuffer)
      type = MemRefType::get(
          arg.shape, type,
          StridedLayoutAttr::get(context, /*offset=*/0, arg.strides));
    signature.parameters.push_back({arg.name, type,
                                    arg.access != runtime::Access::Write,
                                    isBuffer && arg.isWritten(),
                                    /*hint=*/{}, /*isIndices=*/false,
                                    /*sparseColumns=*/0});
  }
  return signature;
}

llvm::Error run::checkSameSignature(const Signature &source,
                                    const Signature &artifact) {
  if (source.parameters.size() != artifact.parameters.size())
    return llvm::createStringError("expected kernel '" + artifact.kernel +
                                   "' to have " +
                                   std::to_string(source.parameters.size()) +
                                   " arguments as its source, got " +
                                   std::to_string(artifact.parameters.size()));
  for (auto [ours, theirs] :
       llvm::zip(source.parameters, artifact.parameters)) {
    auto kindOf = [](Type type) {
      auto memref = dyn_cast<MemRefType>(type);
      Type element = memref ? memref.getElementType() : type;
      if (element.isIndex())
        element = IntegerType::get(type.getContext(), 64);
      return std::make_pair(memref ? memref.getRank() : int64_t(-1), element);
    };
    if (kindOf(ours.type) == kindOf(theirs.type) && ours.name == theirs.name)
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "expected argument '" << ours.name << "' of type " << ours.type
        << ", as in the source, got '" << theirs.name << "' of type "
        << theirs.type;
    return llvm::createStringError(text);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {
/// Device memory with a guard on either side.
class GuardedBuffer {
public:
  explicit GuardedBuffer(runtime::Device &device) : device(&device) {}
  ~GuardedBuffer() {
    // A lost context frees its memory itself.
    if (base)
      (void)device->free(base);
  }
  GuardedBuffer(GuardedBuffer &&other)
      : device(other.device), base(std::exchange(other.base, 0)),
        bytes(other.bytes) {}
  GuardedBuffer &operator=(GuardedBuffer &&) = delete;

  cuda::DevicePtr data() const { return base + kGuardBytes; }

  llvm::Error create(const Buffer &contents) {
    bytes = contents.size();
    auto pointer = device->allocate(bytes + 2 * kGuardBytes);
    if (!pointer)
      return toError(pointer);
    base = *pointer;
    if (auto failure =
            toError(device->fillBytes(base, static_cast<unsigned char>(kPoison),
                                      bytes + 2 * kGuardBytes)))
      return failure;
    return toError(device->copyToDevice(data(), contents.data(), bytes));
  }

  /// The contents; an error where a guard was written.
  llvm::Error read(StringRef name, Buffer &contents) const {
    contents = Buffer(bytes);
    if (auto failure =
            toError(device->copyToHost(contents.data(), data(), bytes)))
      return failure;
    std::vector<char> guard(kGuardBytes);
    for (bool after : {false, true}) {
      cuda::DevicePtr place = after ? data() + bytes : base;
      if (auto failure =
              toError(device->copyToHost(guard.data(), place, guard.size())))
        return failure;
      auto touched =
          llvm::find_if(guard, [](char byte) { return byte != kPoison; });
      if (touched == guard.end())
        continue;
      int64_t offset = touched - guard.begin();
      std::string where =
          after ? std::to_string(offset) + " bytes after its end"
                : std::to_string(kGuardBytes - offset) + " bytes before it";
      return llvm::createStringError("the kernel wrote outside of argument '" +
                                     name + "', " + where);
    }
    return llvm::Error::success();
  }

private:
  runtime::Device *device;
  cuda::DevicePtr base = 0;
  size_t bytes = 0;
};
} // namespace

/// Checks that buffers which are only read did not change, nor places between
/// the elements.
static llvm::Error checkUntouched(const Argument &argument,
                                  const Buffer &before, const Buffer &after) {
  if (!argument.isWritten) {
    if (std::memcmp(before.data(), after.data(), before.size()) == 0)
      return llvm::Error::success();
    return llvm::createStringError("the kernel wrote argument '" +
                                   argument.name + "', which it only reads");
  }
  if (argument.numElements() == argument.span())
    return llvm::Error::success();
  std::vector<bool> isElement(argument.span(), false);
  ElementOrder(argument.shape, argument.strides)
      .forEachRun(0, argument.numElements(),
                  [&](int64_t, int64_t place, int64_t stride, int64_t count) {
                    for (int64_t i = 0; i < count; ++i)
                      isElement[place + i * stride] = true;
                  });
  for (int64_t i = 0; i < argument.span(); ++i)
    if (!isElement[i] && loadBitsAt(argument.element, before.data(), i) !=
                             loadBitsAt(argument.element, after.data(), i))
      return llvm::createStringError(
          "the kernel wrote between the rows of argument '" + argument.name +
          "', " + std::to_string(i) + " elements after its first");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// Milliseconds of `count` launches one after the other.
static llvm::Expected<double>
timeLaunches(runtime::Device &device, const runtime::PreparedLaunch &launch,
             int count, cuda::Event begin, cuda::Event end) {
  if (auto failure = toError(device.record(begin)))
    return failure;
  for (int i = 0; i < count; ++i)
    if (auto failure = toError(launch.launch()))
      return failure;
  if (auto failure = toError(device.record(end)))
    return failure;
  auto elapsed = device.elapsed(begin, end);
  if (!elapsed)
    return toError(elapsed);
  return *elapsed;
}

/// Appends `samples` times of one launch, in seconds.
static llvm::Error bench(runtime::Device &device,
                         const runtime::PreparedLaunch &launch,
                         unsigned samples, std::vector<double> &seconds) {
  auto begin = device.createEvent(), end = device.createEvent();
  if (!begin || !end)
    return begin ? toError(end) : toError(begin);
  auto measure = [&]() -> llvm::Error {
    double spent = 0, shortest = INFINITY;
    for (int launches = 0; launches < 3 || (spent < kWarmUpMilliseconds &&
                                            launches < kMostLaunchesPerSample);
         ++launches) {
      auto time = timeLaunches(device, launch, 1, *begin, *end);
      if (!time)
        return time.takeError();
      spent += *time;
      shortest = std::min(shortest, *time);
    }
    int count = static_cast<int>(
        std::clamp(std::ceil(kSampleMilliseconds / std::max(shortest, 1e-6)),
                   1.0, static_cast<double>(kMostLaunchesPerSample)));
    for (unsigned i = 0; i < samples; ++i) {
      auto time = timeLaunches(device, launch, count, *begin, *end);
      if (!time)
        return time.takeError();
      seconds.push_back(*time * 1e-3 / count);
    }
    return llvm::Error::success();
  };
  llvm::Error result = measure();
  (void)device.destroyEvent(*begin);
  (void)device.destroyEvent(*end);
  return result;
}

/// `NVIDIA H200, sm_90 cubin by ptxas 13.0.88, 168 registers`
static std::string describe(const runtime::Device &device,
                            const runtime::Kernel &kernel) {
  const runtime::CodeSpec &code = kernel.code();
  std::string text = device.name() + ", " + code.arch;
  if (code.format == runtime::CodeFormat::PTX)
    text += " PTX " + code.ptxVersion + " by the driver";
  else
    text += " cubin by " + code.assembler +
            (code.assemblerVersion.empty() ? "" : " " + code.assemblerVersion);
  text += ", " + std::to_string(kernel.resources().registers) + " registers";
  if (kernel.resources().localBytes)
    text += ", " + std::to_string(kernel.resources().localBytes) +
            " bytes of local memory";
  return text;
}

llvm::Expected<RunResult>
run::runOnCuda(CudaSession &session, runtime::Artifact artifact,
               StringRef kernelName, ArrayRef<Argument> arguments,
               const Memory &memory, const RunOptions &options) {
  if (auto failure = session.open())
    return failure;
  runtime::Device &device = *session.device();
  auto loaded =
      runtime::LoadedArtifact::load(session.device(), std::move(artifact));
  if (!loaded)
    return toError(loaded);
  const runtime::Kernel *kernel = (*loaded)->find(kernelName.str());
  if (!kernel || kernel->spec().args.size() != arguments.size())
    return llvm::createStringError("expected kernel '" + kernelName + "' of " +
                                   llvm::Twine(arguments.size()) +
                                   " arguments in the artifact");

  std::vector<GuardedBuffer> buffers;
  std::vector<runtime::Arg> args;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    runtime::ElementType type = kernel->spec().args[i].type;
    buffers.emplace_back(device);
    if (argument.isBuffer) {
      if (auto failure = buffers.back().create(memory[i]))
        return failure;
      args.push_back(runtime::Arg::memref(
          buffers.back().data(), type, argument.shape.size(),
          argument.shape.data(), argument.strides.data()));
      continue;
    }
    uint64_t bits = 0;
    if (isa<FloatType>(argument.element))
      storeElement(argument.element, &bits, argument.scalar);
    else
      storeInteger(argument.element, &bits,
                   static_cast<int64_t>(argument.scalar));
    args.push_back(runtime::Arg::scalar(type, bits));
  }

  auto launch = kernel->prepare(args);
  if (!launch)
    return toError(launch);
  if (options.launch)
    if (auto failure = toError(launch->launch()))
      return failure;
  if (auto failure = toError(device.synchronize()))
    return failure;

  RunResult result;
  result.where = describe(device, *kernel);
  const unsigned *grid = launch->grid();
  result.blocks = int64_t(1) * grid[0] * grid[1] * grid[2];
  // A tensor core cuts each product to the last place of the largest (2 u) and
  // the sum of an instruction's products, four or more, again (2 u).
  result.accumulationFactor = 3;
  // The tensor cores of Ada and Hopper keep some 13 bits after the leading one
  // of the largest term of an fp8 product (DeepSeek-V3, 3.3.2).
  result.shortRoundoff = 0x1p-13;
  result.memory.resize(arguments.size());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (!argument.isBuffer)
      continue;
    if (auto failure = buffers[i].read(argument.name, result.memory[i]))
      return failure;
    if (auto failure = checkUntouched(argument, memory[i], result.memory[i]))
      return failure;
  }
  // Timed launches go on with the memory that the first one left: its results
  // are read by now.
  if (options.repeats)
    if (auto failure = bench(device, *launch, options.repeats, result.seconds))
      return failure;
  return result;
}
