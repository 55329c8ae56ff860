//===- MockCuda.cpp - A CUDA driver without a device ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's symbols, as far as the runtime uses them. "Device memory" is
// the host's; modules and functions are numbers that lead back to names. As of
// the real driver, most functions work in the calling thread's current context
// and refuse where it is not the one that their objects belong to.
//
//===----------------------------------------------------------------------===//

#include "MockCuda.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace {

MockCuda state;
/// Over what launches from several threads change.
std::mutex mutex;

struct Function {
  std::string name;
};
struct Module {
  std::map<std::string, Function> functions;
};
/// The layout that cuLaunchKernelEx reads, written from the CUDA Driver API.
struct LaunchAttribute {
  int id;
  int pad;
  unsigned value[16];
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void *stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

const MockAllocation *find(uint64_t pointer) {
  auto next = state.memory.upper_bound(pointer);
  if (next == state.memory.begin())
    return nullptr;
  --next;
  return pointer < next->first + next->second.size ? &next->second : nullptr;
}

int context; // its address is the primary context
/// Of the calling thread, the current one last.
thread_local std::vector<void *> contexts;

constexpr int kErrorInvalidContext = 201;

/// What a function answers that needs the primary context: success, or the
/// error of a thread on which it is not the current one.
int inContext() {
  return !contexts.empty() && contexts.back() == &context
             ? 0
             : kErrorInvalidContext;
}

int record(const LaunchConfig &config, void *function, void **params) {
  std::lock_guard<std::mutex> lock(mutex);
  ++state.numLaunches;
  if (state.quiet || state.launchResult)
    return state.launchResult;
  MockLaunch launch = {};
  launch.kernel = static_cast<Function *>(function)->name;
  launch.shared = config.shared;
  launch.stream = config.stream;
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = config.grid[i];
    launch.block[i] = config.block[i];
  }
  for (unsigned i = 0; i < config.numAttributes; ++i) {
    if (config.attributes[i].id == 4)
      for (int d = 0; d < 3; ++d)
        launch.cluster[d] = config.attributes[i].value[d];
    if (config.attributes[i].id == 2)
      launch.cooperative = config.attributes[i].value[0] == 1;
  }
  const std::vector<size_t> &sizes = state.paramSizes[launch.kernel];
  for (size_t i = 0; i < sizes.size(); ++i)
    launch.params.emplace_back(static_cast<const char *>(params[i]), sizes[i]);
  state.launches.push_back(launch);
  return 0;
}

} // namespace

extern "C" {

MockCuda *mockCudaState() { return &state; }
std::vector<void *> *mockCudaContexts() { return &contexts; }

int cuInit(unsigned) { return state.initResult; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuGetErrorName(int error, const char **text) {
  *text = error == 2                      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kErrorInvalidContext ? "CUDA_ERROR_INVALID_CONTEXT"
                                          : "CUDA_ERROR_MOCK";
  return 0;
}
int cuGetErrorString(int, const char **text) { return *text = "mocked", 0; }

int cuDeviceGetCount(int *count) { return *count = state.numDevices, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int size, int) {
  return std::strncpy(name, "Mock", size_t(size)), 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = 1 << 30, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case 5:
    *value = 0x7fffffff;
    return 0;
  case 6:
  case 7:
    *value = 65535;
    return 0;
  case 75:
    *value = state.major;
    return 0;
  case 76:
    *value = state.minor;
    return 0;
  case 97:
    *value = state.sharedOptin;
    return 0;
  case 120:
    *value = state.hasClusters;
    return 0;
  default:
    *value = state.multiprocessors;
    return 0;
  }
}
int cuDevicePrimaryCtxRetain(void **result, int) {
  ++state.primaryRetained;
  return *result = &context, 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return --state.primaryRetained, 0; }

int cuCtxGetCurrent(void **result) {
  *result = contexts.empty() ? nullptr : contexts.back();
  return 0;
}
int cuCtxPushCurrent_v2(void *pushed) { return contexts.push_back(pushed), 0; }
int cuCtxPopCurrent_v2(void **popped) {
  if (contexts.empty())
    return kErrorInvalidContext;
  *popped = contexts.back();
  return contexts.pop_back(), 0;
}
int cuCtxSynchronize() { return inContext(); }

int cuModuleLoadDataEx(void **module, const void *image, unsigned numOptions,
                       int *options, void **values) {
  if (int error = inContext())
    return error;
  std::string text = static_cast<const char *>(image);
  if (!state.refuse.empty() && text.find(state.refuse) != std::string::npos) {
    char *log = nullptr;
    for (unsigned i = 0; i < numOptions; ++i)
      if (options[i] == 5)
        log = static_cast<char *>(values[i]);
    if (log)
      std::strcpy(log, "ptxas application\n\tline 7; error: refused\n");
    return 218;
  }
  state.images.push_back(text);
  ++state.modulesLoaded;
  return *module = new Module, 0;
}
int cuModuleUnload(void *module) {
  if (int error = inContext())
    return error;
  --state.modulesLoaded;
  return delete static_cast<Module *>(module), 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  if (int error = inContext())
    return error;
  if (!state.paramSizes.count(name))
    return 500;
  Function &entry = static_cast<Module *>(module)->functions[name];
  entry.name = name;
  return *function = &entry, 0;
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
  if (int error = inContext())
    return error;
  *value = attribute == 0   ? state.maxThreads
           : attribute == 1 ? state.staticShared
           : attribute == 4 ? 40
                            : 0;
  return 0;
}
int cuFuncSetAttribute(void *, int attribute, int value) {
  if (int error = inContext())
    return error;
  return state.functionAttributes[attribute] = value, 0;
}
int cuFuncGetParamInfo(void *function, size_t index, size_t *offset,
                       size_t *size) {
  if (int error = inContext())
    return error;
  const std::vector<size_t> &sizes =
      state.paramSizes[static_cast<Function *>(function)->name];
  if (index >= sizes.size())
    return 1;
  size_t at = 0;
  for (size_t i = 0; i <= index; ++i) {
    size_t align = sizes[i] == 128 ? 64 : sizes[i];
    at = (at + align - 1) / align * align;
    *offset = at;
    at += sizes[i];
  }
  return *size = sizes[index], 0;
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned shared, void *stream,
                   void **params, void **) {
  if (int error = inContext())
    return error;
  LaunchConfig config = {{gridX, gridY, gridZ},
                         {blockX, blockY, blockZ},
                         shared,
                         stream,
                         nullptr,
                         0};
  return record(config, function, params);
}
int cuLaunchKernelEx(const LaunchConfig *config, void *function, void **params,
                     void **) {
  if (int error = inContext())
    return error;
  return record(*config, function, params);
}

int cuOccupancyMaxActiveClusters(int *count, void *,
                                 const LaunchConfig *config) {
  if (int error = inContext())
    return error;
  ++state.clusterQuestions;
  state.sharedAsked = config->shared;
  if (state.groups.empty())
    return 801;
  unsigned blocks = 0;
  for (unsigned i = 0; i < config->numAttributes; ++i)
    if (const unsigned *value = config->attributes[i].value;
        config->attributes[i].id == 4)
      blocks = value[0] * value[1] * value[2];
  if (!blocks || config->grid[0] % blocks)
    return 1;
  *count = 0;
  for (unsigned group : state.groups)
    *count += int(group / blocks);
  return 0;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int,
                                                size_t shared) {
  if (int error = inContext())
    return error;
  ++state.blockQuestions;
  state.sharedAsked = unsigned(shared);
  *blocks = state.activeBlocks;
  return 0;
}

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  if (int error = inContext())
    return error;
  if (state.captures && state.captureMode != 2)
    return 900; // CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
  if (bytes > size_t(1) << 30)
    return 2;
  *pointer = reinterpret_cast<uint64_t>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  state.memory[*pointer] = {bytes, 0, false, false};
  return 0;
}
int cuMemFree_v2(uint64_t pointer) {
  if (int error = inContext())
    return error;
  if (!state.memory.erase(pointer))
    return 1;
  return std::free(reinterpret_cast<void *>(pointer)), 0;
}
int cuMemGetInfo_v2(size_t *available, size_t *total) {
  if (int error = inContext())
    return error;
  return *available = *total = size_t(1) << 30, 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  if (int error = inContext())
    return error;
  return std::memcpy(reinterpret_cast<void *>(to), from, bytes), 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  if (int error = inContext())
    return error;
  return std::memcpy(to, reinterpret_cast<void *>(from), bytes), 0;
}
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
  if (int error = inContext())
    return error;
  return std::memcpy(reinterpret_cast<void *>(to),
                     reinterpret_cast<void *>(from), bytes),
         0;
}
int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t count) {
  if (int error = inContext())
    return error;
  return std::memset(reinterpret_cast<void *>(to), value, count), 0;
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *) {
  if (int error = inContext())
    return error;
  return cuMemsetD8_v2(to, value, count);
}
int cuPointerGetAttribute(void *data, int attribute, uint64_t pointer) {
  if (int error = inContext())
    return error;
  const MockAllocation *allocation = find(pointer);
  if (!allocation)
    return 1;
  int value = attribute == 9     ? allocation->device
              : attribute == 8   ? int(allocation->managed)
              : allocation->host ? 1
                                 : 2;
  return std::memcpy(data, &value, sizeof(value)), 0;
}

int cuStreamCreate(void **stream, unsigned) {
  if (int error = inContext())
    return error;
  return *stream = &state, 0;
}
int cuStreamDestroy_v2(void *) { return inContext(); }
int cuThreadExchangeStreamCaptureMode(int *mode) {
  if (int error = inContext())
    return error;
  std::swap(*mode, state.captureMode);
  return 0;
}
int cuStreamSynchronize(void *) { return inContext(); }
int cuEventCreate(void **event, unsigned) {
  if (int error = inContext())
    return error;
  return *event = &state, 0;
}
int cuEventDestroy_v2(void *) { return inContext(); }
int cuEventRecord(void *, void *) { return inContext(); }
int cuEventSynchronize(void *) { return inContext(); }
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  if (int error = inContext())
    return error;
  return *milliseconds = 1.5f, 0;
}

int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address,
                           const uint64_t *dims, const uint64_t *strides,
                           const unsigned *box, const unsigned *elementStrides,
                           int interleave, int swizzle, int l2, int fill) {
  if (int error = inContext())
    return error;
  MockTensorMap seen = {type,
                        rank,
                        reinterpret_cast<uint64_t>(address),
                        {dims, dims + rank},
                        {strides, strides + rank - 1},
                        {box, box + rank},
                        {elementStrides, elementStrides + rank},
                        interleave,
                        swizzle,
                        l2,
                        fill,
                        {},
                        {}};
  std::lock_guard<std::mutex> lock(mutex);
  state.tensorMaps.push_back(seen);
  // The map's bytes are its number, so that tests see which one arrived.
  return std::memset(map, int(state.tensorMaps.size()), 128), 0;
}

int cuTensorMapEncodeIm2col(void *map, int type, unsigned rank, void *address,
                            const uint64_t *dims, const uint64_t *strides,
                            const int *lower, const int *upper,
                            unsigned channels, unsigned pixels,
                            const unsigned *elementStrides, int interleave,
                            int swizzle, int l2, int fill) {
  if (int error = inContext())
    return error;
  unsigned box[] = {channels, pixels};
  cuTensorMapEncodeTiled(map, type, rank, address, dims, strides,
                         elementStrides, elementStrides, interleave, swizzle,
                         l2, fill);
  std::lock_guard<std::mutex> lock(mutex);
  MockTensorMap &seen = state.tensorMaps.back();
  seen.box.assign(box, box + 2);
  seen.lower.assign(lower, lower + rank - 2);
  seen.upper.assign(upper, upper + rank - 2);
  return 0;
}

} // extern "C"
