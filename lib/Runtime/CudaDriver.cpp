//===- CudaDriver.cpp - The CUDA driver, opened at run time ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the driver's functions and wraps devices, memory, streams and events.
// Launching is left to Kernel.cpp.
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/CudaDriver.h"
#include "Workspaces.h"

#include <dlfcn.h>

using namespace mlir::tile::runtime;

namespace {
/// Looks functions up and remembers the first that is missing.
class Resolver {
public:
  explicit Resolver(void *library) : library(library) {}

  /// `name` carries the suffix of the version whose signature Functions has;
  /// the unsuffixed symbol may be an older one.
  template <typename F> void required(F &slot, const char *name) {
    optional(slot, name);
    if (!slot && !missing)
      missing = name;
  }
  template <typename F> void optional(F &slot, const char *name) {
    slot = reinterpret_cast<F>(::dlsym(library, name));
  }

  const char *missing = nullptr;

private:
  void *library;
};
} // namespace

static const char *resolveAll(void *library, cuda::Functions &f,
                              cuda::ContextFunctions &c) {
  Resolver r(library);
  r.required(f.init, "cuInit");
  r.required(f.driverGetVersion, "cuDriverGetVersion");
  r.required(f.getErrorName, "cuGetErrorName");
  r.required(f.getErrorString, "cuGetErrorString");
  r.required(f.deviceGetCount, "cuDeviceGetCount");
  r.required(f.deviceGet, "cuDeviceGet");
  r.required(f.deviceGetName, "cuDeviceGetName");
  r.required(f.deviceGetAttribute, "cuDeviceGetAttribute");
  r.required(f.deviceTotalMem, "cuDeviceTotalMem_v2");
  r.required(f.devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  r.required(f.devicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  r.required(f.ctxGetCurrent, "cuCtxGetCurrent");
  r.required(f.ctxPushCurrent, "cuCtxPushCurrent_v2");
  r.required(f.ctxPopCurrent, "cuCtxPopCurrent_v2");
  r.required(c.ctxSynchronize, "cuCtxSynchronize");
  r.required(c.moduleLoadDataEx, "cuModuleLoadDataEx");
  r.required(c.moduleUnload, "cuModuleUnload");
  r.required(c.moduleGetFunction, "cuModuleGetFunction");
  r.required(c.funcGetAttribute, "cuFuncGetAttribute");
  r.required(c.funcSetAttribute, "cuFuncSetAttribute");
  r.optional(c.funcGetParamInfo, "cuFuncGetParamInfo");
  r.required(c.launchKernel, "cuLaunchKernel");
  r.optional(c.launchKernelEx, "cuLaunchKernelEx");
  r.optional(c.occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters");
  r.optional(c.occupancyMaxActiveBlocks,
             "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  r.required(c.memAlloc, "cuMemAlloc_v2");
  r.required(c.memFree, "cuMemFree_v2");
  r.required(c.memGetInfo, "cuMemGetInfo_v2");
  r.required(c.memcpyHtoD, "cuMemcpyHtoD_v2");
  r.required(c.memcpyDtoH, "cuMemcpyDtoH_v2");
  r.required(c.memcpyDtoD, "cuMemcpyDtoD_v2");
  r.required(c.memsetD8, "cuMemsetD8_v2");
  r.required(c.memsetD8Async, "cuMemsetD8Async");
  r.required(c.pointerGetAttribute, "cuPointerGetAttribute");
  r.required(c.streamCreate, "cuStreamCreate");
  r.required(c.streamDestroy, "cuStreamDestroy_v2");
  r.required(c.streamSynchronize, "cuStreamSynchronize");
  r.required(c.eventCreate, "cuEventCreate");
  r.required(c.eventDestroy, "cuEventDestroy_v2");
  r.required(c.eventRecord, "cuEventRecord");
  r.required(c.eventSynchronize, "cuEventSynchronize");
  r.required(c.eventElapsedTime, "cuEventElapsedTime");
  r.optional(c.threadExchangeStreamCaptureMode,
             "cuThreadExchangeStreamCaptureMode");
  r.optional(c.tensorMapEncodeTiled, "cuTensorMapEncodeTiled");
  r.optional(c.tensorMapEncodeIm2col, "cuTensorMapEncodeIm2col");
  return r.missing;
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

Result<std::shared_ptr<Driver>> Driver::open(const std::string &path) {
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = ::dlerror();
    return Error{"cannot open the CUDA driver '" + path + "' (" +
                 (reason ? reason : "unknown reason") +
                 "): a GPU target needs an NVIDIA driver"};
  }
  // The library is never closed: it runs threads and exit handlers of its own.
  std::shared_ptr<Driver> driver(new Driver);
  if (const char *missing =
          resolveAll(library, driver->table, driver->contextTable))
    return Error{"the CUDA driver '" + path + "' has no function " + missing +
                 ": expected a driver for CUDA 11 or later"};
  if (Status status = driver->start(); !status.ok())
    return status.takeError();
  return driver;
}

Result<std::shared_ptr<Driver>>
Driver::create(const cuda::Functions &functions,
               const cuda::ContextFunctions &contextFunctions) {
  std::shared_ptr<Driver> driver(new Driver);
  driver->table = functions;
  driver->contextTable = contextFunctions;
  if (Status status = driver->start(); !status.ok())
    return status.takeError();
  return driver;
}

Status Driver::start() {
  if (cuda::Result result = table.init(0)) {
    if (result == cuda::kErrorNoDevice)
      return Error{"the CUDA driver finds no device"};
    return check(result, "cuInit");
  }
  if (Status status =
          check(table.driverGetVersion(&driverVersion), "cuDriverGetVersion");
      !status.ok())
    return status;
  if (Status status =
          check(table.deviceGetCount(&deviceCount), "cuDeviceGetCount");
      !status.ok())
    return status;
  if (deviceCount < 1)
    return Error{"the CUDA driver finds no device"};
  return Status();
}

Status Driver::check(cuda::Result result, const char *what) const {
  if (result == cuda::kSuccess)
    return Status();
  const char *name = nullptr;
  const char *text = nullptr;
  table.getErrorName(result, &name);
  table.getErrorString(result, &text);
  std::string message = std::string(what) + " failed: ";
  message += name ? name : "error " + std::to_string(result);
  if (text)
    message += std::string(" (") + text + ")";
  return Error{message};
}

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

Result<std::shared_ptr<Device>> Device::open(std::shared_ptr<Driver> driver,
                                             int ordinal) {
  if (ordinal < 0 || ordinal >= driver->numDevices())
    return Error{"no device " + std::to_string(ordinal) +
                 ": the CUDA driver finds " +
                 std::to_string(driver->numDevices())};
  const cuda::Functions &f = driver->functions();
  std::shared_ptr<Device> device(new Device);
  device->owner = driver;
  device->index = ordinal;

  Status status;
  auto call = [&](cuda::Result result, const char *what) {
    if (status.ok())
      status = driver->check(result, what);
  };
  call(f.deviceGet(&device->handle, ordinal), "cuDeviceGet");
  auto attribute = [&](int which) {
    int value = 0;
    call(f.deviceGetAttribute(&value, which, device->handle),
         "cuDeviceGetAttribute");
    return value;
  };
  char name[256] = {};
  call(f.deviceGetName(name, sizeof(name) - 1, device->handle),
       "cuDeviceGetName");
  device->deviceName = name;
  call(f.deviceTotalMem(&device->memoryBytes, device->handle),
       "cuDeviceTotalMem");
  device->major = attribute(cuda::kComputeCapabilityMajor);
  device->minor = attribute(cuda::kComputeCapabilityMinor);
  device->numMultiprocessors = attribute(cuda::kMultiprocessorCount);
  device->l2 = attribute(cuda::kL2CacheSize);
  device->sharedPerBlock = attribute(cuda::kMaxSharedPerBlockOptin);
  device->gridLimits[0] = attribute(cuda::kMaxGridX);
  device->gridLimits[1] = attribute(cuda::kMaxGridY);
  device->gridLimits[2] = attribute(cuda::kMaxGridZ);
  // Drivers from before clusters do not know the question.
  int hasClusters = 0;
  device->clusters = f.deviceGetAttribute(&hasClusters, cuda::kClusterLaunch,
                                          device->handle) == cuda::kSuccess &&
                     hasClusters;
  if (status.ok())
    call(f.devicePrimaryCtxRetain(&device->primary, device->handle),
         "cuDevicePrimaryCtxRetain");
  if (!status.ok())
    return status.takeError();
  return device;
}

Device::Device() : workspaces(new Workspaces) {}

Device::~Device() {
  workspaces->free(*this);
  if (nothings)
    (void)free(nothings);
  if (primary)
    owner->functions().devicePrimaryCtxRelease(handle);
}

Result<cuda::DevicePtr> Device::nothing(bool isWritten) {
  std::lock_guard<std::mutex> lock(nothingMutex);
  if (!nothings) {
    Result<cuda::DevicePtr> both = allocate(2 * kNothingBytes);
    if (!both.ok())
      return both.error();
    if (Status status = fillBytes(*both, 0, 2 * kNothingBytes); !status.ok()) {
      (void)free(*both);
      return status.takeError();
    }
    nothings = *both;
  }
  return nothings + (isWritten ? kNothingBytes : 0);
}

Result<cuda::DevicePtr> Device::workspace(cuda::Stream stream, size_t bytes,
                                          bool zeroed) {
  return workspaces->get(*this, stream, bytes, zeroed);
}

Result<cuda::DevicePtr> Device::allocate(size_t bytes) {
  // The driver refuses 0 bytes; an empty buffer still deserves an address.
  cuda::DevicePtr pointer = 0;
  ContextScope driver(*this);
  Status status =
      driver.check(driver->memAlloc(&pointer, bytes ? bytes : 1), "cuMemAlloc");
  if (!status.ok())
    return Error{"cannot allocate " + std::to_string(bytes) +
                 " bytes on the device: " + status.message()};
  return pointer;
}

Status Device::free(cuda::DevicePtr pointer) {
  ContextScope driver(*this);
  return driver.check(driver->memFree(pointer), "cuMemFree");
}

Result<size_t> Device::freeMemory() {
  size_t available = 0, total = 0;
  ContextScope driver(*this);
  Status status =
      driver.check(driver->memGetInfo(&available, &total), "cuMemGetInfo");
  if (!status.ok())
    return status.takeError();
  return available;
}

Status Device::copyToDevice(cuda::DevicePtr to, const void *from,
                            size_t bytes) {
  ContextScope driver(*this);
  return bytes
             ? driver.check(driver->memcpyHtoD(to, from, bytes), "cuMemcpyHtoD")
             : Status();
}

Status Device::copyToHost(void *to, cuda::DevicePtr from, size_t bytes) {
  ContextScope driver(*this);
  return bytes
             ? driver.check(driver->memcpyDtoH(to, from, bytes), "cuMemcpyDtoH")
             : Status();
}

Status Device::copyOnDevice(cuda::DevicePtr to, cuda::DevicePtr from,
                            size_t bytes) {
  ContextScope driver(*this);
  return bytes
             ? driver.check(driver->memcpyDtoD(to, from, bytes), "cuMemcpyDtoD")
             : Status();
}

Status Device::fillBytes(cuda::DevicePtr to, unsigned char value, size_t bytes,
                         cuda::Stream stream) {
  ContextScope driver(*this);
  return bytes ? driver.check(driver->memsetD8Async(to, value, bytes, stream),
                              "cuMemsetD8Async")
               : Status();
}

Status Device::synchronize() {
  ContextScope driver(*this);
  return driver.check(driver->ctxSynchronize(), "cuCtxSynchronize");
}

Result<cuda::Stream> Device::createStream() {
  cuda::Stream stream = nullptr;
  ContextScope driver(*this);
  Status status =
      driver.check(driver->streamCreate(&stream, cuda::kStreamNonBlocking),
                   "cuStreamCreate");
  if (!status.ok())
    return status.takeError();
  return stream;
}

Status Device::destroyStream(cuda::Stream stream) {
  ContextScope driver(*this);
  return driver.check(driver->streamDestroy(stream), "cuStreamDestroy");
}

Status Device::synchronize(cuda::Stream stream) {
  ContextScope driver(*this);
  return driver.check(driver->streamSynchronize(stream), "cuStreamSynchronize");
}

Result<cuda::Event> Device::createEvent() {
  cuda::Event event = nullptr;
  ContextScope driver(*this);
  Status status = driver.check(driver->eventCreate(&event, 0), "cuEventCreate");
  if (!status.ok())
    return status.takeError();
  return event;
}

Status Device::destroyEvent(cuda::Event event) {
  ContextScope driver(*this);
  return driver.check(driver->eventDestroy(event), "cuEventDestroy");
}

Status Device::record(cuda::Event event, cuda::Stream stream) {
  ContextScope driver(*this);
  return driver.check(driver->eventRecord(event, stream), "cuEventRecord");
}

Result<float> Device::elapsed(cuda::Event begin, cuda::Event end) {
  float milliseconds = 0;
  ContextScope driver(*this);
  Status status =
      driver.check(driver->eventSynchronize(end), "cuEventSynchronize");
  if (status.ok())
    status = driver.check(driver->eventElapsedTime(&milliseconds, begin, end),
                          "cuEventElapsedTime");
  if (!status.ok())
    return status.takeError();
  return milliseconds;
}
