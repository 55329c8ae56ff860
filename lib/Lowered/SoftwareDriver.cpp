//===- SoftwareDriver.cpp - devices, contexts and errors ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the driver that need no context, and the device that all of
// them use. SoftwareMemory.cpp has memory, streams and events,
// SoftwareLaunch.cpp modules, kernels and launches.
//
//===----------------------------------------------------------------------===//

#include "SoftwareDriverState.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstring>

using namespace mlir::tile::lowered;
using Impl = SoftwareDevice::Impl;

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

namespace {
/// The device that the driver's functions are for, since they carry none.
struct Registry {
  std::mutex mutex;
  Impl *device = nullptr;
};
} // namespace

static Registry &registry() {
  static Registry instance;
  return instance;
}

SoftwareDeviceOptions SoftwareDeviceOptions::of(int major, int minor) {
  SoftwareDeviceOptions options;
  options.major = major;
  options.minor = minor;
  const TargetInfo *limits = &TargetInfo::all().front();
  for (const TargetInfo &target : TargetInfo::all())
    if (int(target.capability) == major * 10 + minor)
      limits = &target;
  options.sharedPerMultiprocessor = int(limits->sharedPerSm);
  options.maxSharedPerBlock = int(limits->sharedPerBlock);
  options.threadsPerMultiprocessor = int(limits->threadsPerSm);
  options.blocksPerMultiprocessor = int(limits->blocksPerSm);
  return options;
}

SoftwareDevice::SoftwareDevice(const SoftwareDeviceOptions &options,
                               std::map<std::string, KernelDescription> kernels,
                               Launch launch)
    : impl(std::make_unique<Impl>(options, std::move(kernels),
                                  std::move(launch))) {
  resume();
}

SoftwareDevice::~SoftwareDevice() { suspend(); }

void SoftwareDevice::resume() {
  std::lock_guard<std::mutex> lock(registry().mutex);
  if (registry().device)
    llvm::report_fatal_error("expected one device in software at a time: "
                             "destroy or suspend the other one first");
  registry().device = impl.get();
}

void SoftwareDevice::suspend() {
  std::lock_guard<std::mutex> lock(registry().mutex);
  if (registry().device == impl.get())
    registry().device = nullptr;
}

GlobalMemory &SoftwareDevice::memory() { return impl->memory; }

std::string SoftwareDevice::lastError() const {
  std::lock_guard<std::mutex> lock(registry().mutex);
  return impl->lastError;
}

void SoftwareDevice::clearError() {
  std::lock_guard<std::mutex> lock(registry().mutex);
  impl->sticky = cuda::kSuccess;
  impl->lastError.clear();
}

void Impl::destroyContext() {
  memory.freeAll();
  modules.clear();
  functions.clear();
  streams.clear();
  events.clear();
  sticky = cuda::kSuccess;
}

cuda::Result
mlir::tile::lowered::withDevice(llvm::function_ref<cuda::Result(Impl &)> body,
                                bool needsInit) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  Impl *device = registry().device;
  if (!device)
    return cuda::kErrorDeinitialized;
  if (needsInit && !device->initialized)
    return kErrorNotInitialized;
  return body(*device);
}

cuda::Result
mlir::tile::lowered::inContext(llvm::function_ref<cuda::Result(Impl &)> body) {
  return withDevice([&](Impl &device) -> cuda::Result {
    auto it = device.contexts.find(std::this_thread::get_id());
    if (it == device.contexts.end() || it->second.empty())
      return kErrorInvalidContext;
    if (!device.retained)
      return kErrorContextIsDestroyed;
    if (device.sticky != cuda::kSuccess)
      return device.sticky;
    return body(device);
  });
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

namespace {
struct ErrorText {
  cuda::Result error;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {cuda::kSuccess, "CUDA_SUCCESS", "no error"},
    {cuda::kErrorInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kErrorOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kErrorNotInitialized, "CUDA_ERROR_NOT_INITIALIZED",
     "the driver has not been initialized"},
    {cuda::kErrorDeinitialized, "CUDA_ERROR_DEINITIALIZED",
     "the driver is shut down"},
    {cuda::kErrorNoDevice, "CUDA_ERROR_NO_DEVICE", "no device"},
    {cuda::kErrorInvalidDevice, "CUDA_ERROR_INVALID_DEVICE",
     "invalid device ordinal"},
    {kErrorInvalidImage, "CUDA_ERROR_INVALID_IMAGE",
     "the image is none of this device"},
    {kErrorInvalidContext, "CUDA_ERROR_INVALID_CONTEXT",
     "no context is current, or it is invalid"},
    {kErrorInvalidHandle, "CUDA_ERROR_INVALID_HANDLE",
     "invalid resource handle"},
    {cuda::kErrorNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kErrorLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {kErrorContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED",
     "the context has been destroyed"},
    {kErrorLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "a launch has failed"},
    {kErrorCooperativeTooLarge, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
     "too many blocks in cooperative launch"},
    {kErrorUnsupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {kErrorInvalidClusterSize, "CUDA_ERROR_INVALID_CLUSTER_SIZE",
     "the cluster does not fit the device or the grid"},
};
} // namespace

static const ErrorText *findError(cuda::Result error) {
  for (const ErrorText &entry : kErrors)
    if (entry.error == error)
      return &entry;
  return nullptr;
}

static cuda::Result getErrorName(cuda::Result error, const char **text) {
  const ErrorText *entry = findError(error);
  *text = entry ? entry->name : nullptr;
  return entry ? cuda::kSuccess : cuda::kErrorInvalidValue;
}

static cuda::Result getErrorString(cuda::Result error, const char **text) {
  const ErrorText *entry = findError(error);
  *text = entry ? entry->text : nullptr;
  return entry ? cuda::kSuccess : cuda::kErrorInvalidValue;
}

//===----------------------------------------------------------------------===//
// The driver and its device
//===----------------------------------------------------------------------===//

static cuda::Result init(unsigned flags) {
  return withDevice(
      [&](Impl &device) -> cuda::Result {
        if (flags != 0)
          return cuda::kErrorInvalidValue;
        device.initialized = true;
        return cuda::kSuccess;
      },
      /*needsInit=*/false);
}

static cuda::Result driverGetVersion(int *version) {
  return withDevice(
      [&](Impl &device) -> cuda::Result {
        if (!version)
          return cuda::kErrorInvalidValue;
        *version = device.options.driverVersion;
        return cuda::kSuccess;
      },
      /*needsInit=*/false);
}

static cuda::Result deviceGetCount(int *count) {
  return withDevice([&](Impl &) -> cuda::Result {
    if (!count)
      return cuda::kErrorInvalidValue;
    *count = 1;
    return cuda::kSuccess;
  });
}

static cuda::Result deviceGet(cuda::Device *device, int ordinal) {
  return withDevice([&](Impl &) -> cuda::Result {
    if (!device)
      return cuda::kErrorInvalidValue;
    if (ordinal != 0)
      return cuda::kErrorInvalidDevice;
    *device = 0;
    return cuda::kSuccess;
  });
}

/// Called with the only device.
static cuda::Result ofDevice(cuda::Device device, const void *result,
                             llvm::function_ref<cuda::Result(Impl &)> body) {
  return withDevice([&](Impl &impl) -> cuda::Result {
    if (!result)
      return cuda::kErrorInvalidValue;
    return device == 0 ? body(impl) : cuda::kErrorInvalidDevice;
  });
}

static cuda::Result deviceGetName(char *name, int size, cuda::Device device) {
  return ofDevice(device, name, [&](Impl &impl) -> cuda::Result {
    if (size <= 0)
      return cuda::kErrorInvalidValue;
    std::string text = "sm_" + std::to_string(impl.options.major) +
                       std::to_string(impl.options.minor) + " in software";
    size_t length = std::min(text.size(), size_t(size) - 1);
    std::memcpy(name, text.data(), length);
    name[length] = '\0';
    return cuda::kSuccess;
  });
}

static cuda::Result deviceGetAttribute(int *value, int attribute,
                                       cuda::Device device) {
  return ofDevice(device, value, [&](Impl &impl) -> cuda::Result {
    const SoftwareDeviceOptions &options = impl.options;
    switch (attribute) {
    case cuda::kMaxGridX:
    case cuda::kMaxGridY:
    case cuda::kMaxGridZ:
      *value = options.maxGrid[attribute - cuda::kMaxGridX];
      return cuda::kSuccess;
    case cuda::kMultiprocessorCount:
      *value = options.multiprocessors;
      return cuda::kSuccess;
    case cuda::kL2CacheSize:
      *value = options.l2Bytes;
      return cuda::kSuccess;
    case cuda::kComputeCapabilityMajor:
      *value = options.major;
      return cuda::kSuccess;
    case cuda::kComputeCapabilityMinor:
      *value = options.minor;
      return cuda::kSuccess;
    case cuda::kMaxSharedPerBlockOptin:
      *value = options.maxSharedPerBlock;
      return cuda::kSuccess;
    case cuda::kClusterLaunch:
      *value = options.hasClusters();
      return cuda::kSuccess;
    default:
      return cuda::kErrorInvalidValue;
    }
  });
}

static cuda::Result deviceTotalMem(size_t *bytes, cuda::Device device) {
  return ofDevice(device, bytes, [&](Impl &impl) -> cuda::Result {
    *bytes = impl.memory.bytesInAll();
    return cuda::kSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// The handle of the primary context, the only one there is.
static cuda::Context primaryContext() { return toHandle<cuda::Context>(0x100); }

static cuda::Result devicePrimaryCtxRetain(cuda::Context *context,
                                           cuda::Device device) {
  return ofDevice(device, context, [&](Impl &impl) -> cuda::Result {
    ++impl.retained;
    *context = primaryContext();
    return cuda::kSuccess;
  });
}

static cuda::Result devicePrimaryCtxRelease(cuda::Device device) {
  return ofDevice(device, &device, [&](Impl &impl) -> cuda::Result {
    if (!impl.retained)
      return kErrorInvalidContext;
    if (--impl.retained == 0)
      impl.destroyContext();
    return cuda::kSuccess;
  });
}

static cuda::Result ctxGetCurrent(cuda::Context *context) {
  return withDevice([&](Impl &impl) -> cuda::Result {
    if (!context)
      return cuda::kErrorInvalidValue;
    auto it = impl.contexts.find(std::this_thread::get_id());
    bool isAny = it != impl.contexts.end() && !it->second.empty();
    *context = isAny ? it->second.back() : nullptr;
    return cuda::kSuccess;
  });
}

static cuda::Result ctxPushCurrent(cuda::Context context) {
  return withDevice([&](Impl &impl) -> cuda::Result {
    if (context != primaryContext() || !impl.retained)
      return kErrorInvalidContext;
    impl.contexts[std::this_thread::get_id()].push_back(context);
    return cuda::kSuccess;
  });
}

static cuda::Result ctxPopCurrent(cuda::Context *context) {
  return withDevice([&](Impl &impl) -> cuda::Result {
    auto it = impl.contexts.find(std::this_thread::get_id());
    if (it == impl.contexts.end())
      return kErrorInvalidContext;
    if (context)
      *context = it->second.back();
    it->second.pop_back();
    if (it->second.empty())
      impl.contexts.erase(it);
    return cuda::kSuccess;
  });
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

const cuda::Functions &SoftwareDevice::functions() {
  static const cuda::Functions table = [] {
    cuda::Functions f = {};
    f.init = ::init;
    f.driverGetVersion = ::driverGetVersion;
    f.getErrorName = ::getErrorName;
    f.getErrorString = ::getErrorString;
    f.deviceGetCount = ::deviceGetCount;
    f.deviceGet = ::deviceGet;
    f.deviceGetName = ::deviceGetName;
    f.deviceGetAttribute = ::deviceGetAttribute;
    f.deviceTotalMem = ::deviceTotalMem;
    f.devicePrimaryCtxRetain = ::devicePrimaryCtxRetain;
    f.devicePrimaryCtxRelease = ::devicePrimaryCtxRelease;
    f.ctxGetCurrent = ::ctxGetCurrent;
    f.ctxPushCurrent = ::ctxPushCurrent;
    f.ctxPopCurrent = ::ctxPopCurrent;
    return f;
  }();
  return table;
}

const cuda::ContextFunctions &SoftwareDevice::contextFunctions() {
  static const cuda::ContextFunctions table = [] {
    cuda::ContextFunctions f = {};
    addMemoryFunctions(f);
    addLaunchFunctions(f);
    return f;
  }();
  return table;
}
