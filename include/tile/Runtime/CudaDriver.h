//===- CudaDriver.h - The CUDA driver, opened at run time -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuda as a table of functions found by dlopen: no CUDA header, import
// library or driver is needed to build or to start a program, only to run a
// kernel. Declares the part of the driver's interface that the launcher needs,
// after the CUDA Driver API reference (values and layouts are checked against
// <cuda.h> by a unit test where CUDA is installed), and wraps devices, memory
// and events for tools. Artifacts and kernels are Launcher.h's.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_RUNTIME_CUDADRIVER_H
#define TILE_RUNTIME_CUDADRIVER_H

#include "tile/Runtime/Support.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace mlir::tile::runtime {

/// The driver's types and values, under names that its header's macros do not
/// touch.
namespace cuda {

// NOLINTBEGIN(performance-enum-size): the driver's enumerations are ints.

using Result = int; ///< CUresult
using Device = int; ///< CUdevice
using DevicePtr = uint64_t;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;

enum : Result {
  kSuccess = 0,
  kErrorInvalidValue = 1,
  kErrorDeinitialized = 4,
  kErrorNoDevice = 100,
  kErrorInvalidDevice = 101,
  kErrorNoBinaryForGpu = 209,
  kErrorUnsupportedPtxVersion = 222,
  kErrorNotFound = 500,
};

enum DeviceAttribute : int {
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kMultiprocessorCount = 16,
  kL2CacheSize = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedPerBlockOptin = 97,
  kClusterLaunch = 120,
};

enum FunctionAttribute : int {
  kFunctionMaxThreads = 0,
  kFunctionStaticShared = 1,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionMaxDynamicShared = 8,
  kFunctionNonPortableCluster = 14,
};

enum PointerAttribute : int {
  kPointerMemoryType = 2,
  kPointerIsManaged = 8,
  kPointerDeviceOrdinal = 9,
};

enum MemoryType : unsigned { kMemoryHost = 1, kMemoryDevice = 2 };

enum JitOption : int { kJitErrorLog = 5, kJitErrorLogSize = 6 };

enum StreamFlag : unsigned { kStreamNonBlocking = 1 };

enum StreamCaptureMode : int { kCaptureRelaxed = 2 };

enum LaunchAttributeId : int {
  kLaunchCooperative = 2,
  kLaunchClusterDimension = 4
};

union LaunchAttributeValue {
  char pad[64];
  struct {
    unsigned x, y, z;
  } cluster;
  int cooperative;
};

struct LaunchAttribute {
  int id;
  char pad[4];
  LaunchAttributeValue value;
};

struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

/// Element types of tensor maps.
enum TensorMapType : int {
  kMapUInt8 = 0,
  kMapUInt16 = 1,
  kMapUInt32 = 2,
  kMapInt32 = 3,
  kMapUInt64 = 4,
  kMapInt64 = 5,
  kMapFloat16 = 6,
  kMapFloat32 = 7,
  kMapFloat64 = 8,
  kMapBFloat16 = 9,
  kMapTFloat32 = 11,
};

// NOLINTEND(performance-enum-size)

/// The handle of each thread's default stream (CU_STREAM_PER_THREAD).
inline Stream perThreadStream() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<Stream>(uintptr_t(2));
}

/// The functions that any thread may call at any time, named as the driver's
/// without their prefix.
struct Functions {
  Result (*init)(unsigned flags);
  Result (*driverGetVersion)(int *version);
  Result (*getErrorName)(Result error, const char **text);
  Result (*getErrorString)(Result error, const char **text);

  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(Device *device, int ordinal);
  Result (*deviceGetName)(char *name, int size, Device device);
  Result (*deviceGetAttribute)(int *value, int attribute, Device device);
  Result (*deviceTotalMem)(size_t *bytes, Device device);
  Result (*devicePrimaryCtxRetain)(Context *context, Device device);
  Result (*devicePrimaryCtxRelease)(Device device);

  Result (*ctxGetCurrent)(Context *context);
  Result (*ctxPushCurrent)(Context context);
  Result (*ctxPopCurrent)(Context *context);
};

/// The functions that work in the context that is current on the calling
/// thread, and fail where there is none: `ContextScope` is the way to them.
/// Those marked optional are null where the driver is too old for them.
struct ContextFunctions {
  Result (*ctxSynchronize)();

  Result (*moduleLoadDataEx)(Module *module, const void *image,
                             unsigned numOptions, int *options, void **values);
  Result (*moduleUnload)(Module module);
  Result (*moduleGetFunction)(Function *function, Module module,
                              const char *name);
  Result (*funcGetAttribute)(int *value, int attribute, Function function);
  Result (*funcSetAttribute)(Function function, int attribute, int value);
  Result (*funcGetParamInfo)(Function function, size_t index, size_t *offset,
                             size_t *size); ///< optional

  Result (*launchKernel)(Function function, unsigned gridX, unsigned gridY,
                         unsigned gridZ, unsigned blockX, unsigned blockY,
                         unsigned blockZ, unsigned sharedBytes, Stream stream,
                         void **params, void **extra);
  Result (*launchKernelEx)(const LaunchConfig *config, Function function,
                           void **params, void **extra); ///< optional
  Result (*occupancyMaxActiveClusters)(
      int *count, Function function,
      const LaunchConfig *config); ///< optional
  Result (*occupancyMaxActiveBlocks)(int *blocksOfMultiprocessor,
                                     Function function, int threads,
                                     size_t sharedBytes); ///< optional

  Result (*memAlloc)(DevicePtr *pointer, size_t bytes);
  Result (*memFree)(DevicePtr pointer);
  Result (*memGetInfo)(size_t *free, size_t *total);
  Result (*memcpyHtoD)(DevicePtr to, const void *from, size_t bytes);
  Result (*memcpyDtoH)(void *to, DevicePtr from, size_t bytes);
  Result (*memcpyDtoD)(DevicePtr to, DevicePtr from, size_t bytes);
  Result (*memsetD8)(DevicePtr to, unsigned char value, size_t count);
  Result (*memsetD8Async)(DevicePtr to, unsigned char value, size_t count,
                          Stream stream);
  Result (*pointerGetAttribute)(void *data, int attribute, DevicePtr pointer);

  Result (*streamCreate)(Stream *stream, unsigned flags);
  Result (*streamDestroy)(Stream stream);
  Result (*streamSynchronize)(Stream stream);
  Result (*threadExchangeStreamCaptureMode)(int *mode); ///< optional
  Result (*eventCreate)(Event *event, unsigned flags);
  Result (*eventDestroy)(Event event);
  Result (*eventRecord)(Event event, Stream stream);
  Result (*eventSynchronize)(Event event);
  Result (*eventElapsedTime)(float *milliseconds, Event begin, Event end);

  Result (*tensorMapEncodeTiled)(TensorMap *map, int type, unsigned rank,
                                 void *address, const uint64_t *dims,
                                 const uint64_t *strides, const unsigned *box,
                                 const unsigned *elementStrides, int interleave,
                                 int swizzle, int l2,
                                 int fill); ///< optional
  Result (*tensorMapEncodeIm2col)(TensorMap *map, int type, unsigned rank,
                                  void *address, const uint64_t *dims,
                                  const uint64_t *strides, const int *lower,
                                  const int *upper, unsigned channels,
                                  unsigned pixels,
                                  const unsigned *elementStrides,
                                  int interleave, int swizzle, int l2,
                                  int fill); ///< optional
};

} // namespace cuda

/// The opened driver library.
class Driver {
public:
  /// Opens `path` (by default the system's driver) and initializes it. Fails
  /// with a sentence where there is no driver, an unfit one, or no device.
  static Result<std::shared_ptr<Driver>>
  open(const std::string &path = "libcuda.so.1");
  /// The same over functions of the caller's, which behave as the driver's: a
  /// driver in software, say.
  static Result<std::shared_ptr<Driver>>
  create(const cuda::Functions &functions,
         const cuda::ContextFunctions &contextFunctions);

  /// The functions that need no context; a `ContextScope` gives access to the
  /// others.
  const cuda::Functions &functions() const { return table; }
  int numDevices() const { return deviceCount; }
  /// 13000 for CUDA 13.0: the newest CUDA that this driver runs.
  int version() const { return driverVersion; }

  /// Success, or "WHAT failed: CUDA_ERROR_... (driver's explanation)".
  Status check(cuda::Result result, const char *what) const;

private:
  friend class ContextScope;
  Driver() = default;
  /// Initializes the driver that the tables of functions belong to, and asks
  /// what it has.
  Status start();

  cuda::Functions table = {};
  cuda::ContextFunctions contextTable = {};
  int deviceCount = 0;
  int driverVersion = 0;
};

class Workspaces;

/// One device, through its primary context, which other libraries (PyTorch,
/// CuPy, the CUDA runtime) share. Memory is freed, and artifacts unloaded,
/// before the last reference to the device goes.
class Device {
public:
  static Result<std::shared_ptr<Device>> open(std::shared_ptr<Driver> driver,
                                              int ordinal = 0);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Driver &driver() const { return *owner; }
  cuda::Context context() const { return primary; }

  int ordinal() const { return index; }
  const std::string &name() const { return deviceName; }
  int computeMajor() const { return major; }
  int computeMinor() const { return minor; }
  int multiprocessors() const { return numMultiprocessors; }
  int l2Bytes() const { return l2; }
  size_t totalMemory() const { return memoryBytes; }
  int64_t maxSharedPerBlock() const { return sharedPerBlock; }
  bool hasClusters() const { return clusters; }
  int64_t maxGrid(unsigned dim) const { return gridLimits[dim]; }

  Result<cuda::DevicePtr> allocate(size_t bytes);
  /// Memory that stands for the elements of a tensor without elements: zeros
  /// that no kernel writes, or memory that none reads. kNothingBytes, aligned
  /// to 256 bytes.
  Result<cuda::DevicePtr> nothing(bool isWritten);
  static constexpr size_t kNothingBytes = 256;
  /// At least `bytes` bytes, aligned to 256, for launches on `stream`, which
  /// share them; zeros, with `zeroed`, as long as every kernel leaves them so.
  /// They stay valid until the device is closed.
  Result<cuda::DevicePtr> workspace(cuda::Stream stream, size_t bytes,
                                    bool zeroed);
  Status free(cuda::DevicePtr pointer);
  Result<size_t> freeMemory();
  Status copyToDevice(cuda::DevicePtr to, const void *from, size_t bytes);
  Status copyToHost(void *to, cuda::DevicePtr from, size_t bytes);
  Status copyOnDevice(cuda::DevicePtr to, cuda::DevicePtr from, size_t bytes);
  Status fillBytes(cuda::DevicePtr to, unsigned char value, size_t bytes,
                   cuda::Stream stream = nullptr);
  /// Waits for everything; kernels that failed are reported here.
  Status synchronize();

  Result<cuda::Stream> createStream();
  Status destroyStream(cuda::Stream stream);
  Status synchronize(cuda::Stream stream);

  Result<cuda::Event> createEvent();
  Status destroyEvent(cuda::Event event);
  Status record(cuda::Event event, cuda::Stream stream = nullptr);
  /// Waits for `end`, then gives the milliseconds between the two.
  Result<float> elapsed(cuda::Event begin, cuda::Event end);

private:
  Device();

  std::shared_ptr<Driver> owner;
  cuda::Device handle = 0;
  cuda::Context primary = nullptr;
  int index = 0;
  std::string deviceName;
  int major = 0, minor = 0;
  int numMultiprocessors = 0;
  int l2 = 0;
  size_t memoryBytes = 0;
  int64_t sharedPerBlock = 0;
  bool clusters = false;
  int64_t gridLimits[3] = {0, 0, 0};
  std::mutex nothingMutex;
  cuda::DevicePtr nothings = 0; ///< zeros, then what is written
  std::unique_ptr<Workspaces> workspaces;
};

/// Makes a device's context current on the calling thread for a scope, and so
/// gives access to the driver's functions that need one:
///
///   ContextScope driver(device);
///   driver->memFree(pointer);
///
/// A context is current on one thread, and the one that opened the device is
/// not the one that launches: every caller makes a scope of its own. Costs one
/// query where the context is current already.
class ContextScope {
public:
  explicit ContextScope(const Device &device) : owner(device.driver()) {
    cuda::Context current = nullptr;
    owner.functions().ctxGetCurrent(&current);
    if (current != device.context())
      pushed =
          owner.functions().ctxPushCurrent(device.context()) == cuda::kSuccess;
  }
  ~ContextScope() {
    cuda::Context popped = nullptr;
    if (pushed)
      owner.functions().ctxPopCurrent(&popped);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  const cuda::ContextFunctions *operator->() const {
    return &owner.contextTable;
  }
  /// As `Driver::check`.
  Status check(cuda::Result result, const char *what) const {
    return owner.check(result, what);
  }

private:
  const Driver &owner;
  bool pushed = false;
};

} // namespace mlir::tile::runtime

#endif // TILE_RUNTIME_CUDADRIVER_H
