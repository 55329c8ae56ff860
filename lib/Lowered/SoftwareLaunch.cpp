//===- SoftwareLaunch.cpp - modules, kernels and launches -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver in software that are about kernels. A launch is
// checked as the driver does and executed at once; that it failed is what the
// next call says, since a GPU would not know sooner.
//
//===----------------------------------------------------------------------===//

#include "SoftwareDriverState.h"
#include <algorithm>
#include <cstring>

using namespace mlir::tile::lowered;
using Impl = SoftwareDevice::Impl;

namespace {
constexpr unsigned kMaxThreads = 1024;
/// Dynamic shared memory beyond this has to be asked for.
constexpr int kDefaultShared = 49152;
/// What every block has beside its own.
constexpr int kSystemShared = 1024;
/// Blocks of a cluster: that any device has, and that it may be asked for.
constexpr uint64_t kPortableCluster = 8, kMaxCluster = 16;
} // namespace

//===----------------------------------------------------------------------===//
// Modules and functions
//===----------------------------------------------------------------------===//

/// Writes why an image does not load to the buffer that the options name.
static void writeLog(unsigned numOptions, const int *options, void **values) {
  char *log = nullptr;
  uintptr_t size = 0;
  for (unsigned i = 0; i < numOptions; ++i) {
    if (options[i] == cuda::kJitErrorLog)
      log = static_cast<char *>(values[i]);
    if (options[i] == cuda::kJitErrorLogSize)
      size = reinterpret_cast<uintptr_t>(values[i]);
  }
  if (!log || !size)
    return;
  const char *text = "expected an image for a device in software";
  size_t length = std::min<size_t>(std::strlen(text), size - 1);
  std::memcpy(log, text, length);
  log[length] = '\0';
}

static cuda::Result moduleLoadDataEx(cuda::Module *module, const void *image,
                                     unsigned numOptions, int *options,
                                     void **values) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (!module || !image || (numOptions && (!options || !values)))
      return cuda::kErrorInvalidValue;
    const char *magic = SoftwareDevice::kImageMagic;
    if (std::strncmp(static_cast<const char *>(image), magic,
                     std::strlen(magic)) != 0) {
      writeLog(numOptions, options, values);
      return kErrorInvalidImage;
    }
    device.modules.insert(++device.nextHandle);
    *module = toHandle<cuda::Module>(device.nextHandle);
    return cuda::kSuccess;
  });
}

static cuda::Result moduleUnload(cuda::Module module) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (!device.modules.erase(toNumber(module)))
      return kErrorInvalidHandle;
    for (auto it = device.functions.begin(); it != device.functions.end();)
      it = it->second.module == toNumber(module) ? device.functions.erase(it)
                                                 : std::next(it);
    return cuda::kSuccess;
  });
}

static cuda::Result moduleGetFunction(cuda::Function *function,
                                      cuda::Module module, const char *name) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (!function || !name)
      return cuda::kErrorInvalidValue;
    if (!device.modules.count(toNumber(module)))
      return kErrorInvalidHandle;
    auto kernel = device.kernels.find(name);
    if (kernel == device.kernels.end())
      return cuda::kErrorNotFound;
    // Asked for once more, it is the same, with what has been set of it.
    for (const auto &[handle, known] : device.functions)
      if (known.module == toNumber(module) && known.name == name) {
        *function = toHandle<cuda::Function>(handle);
        return cuda::kSuccess;
      }
    SoftwareFunction &entry = device.functions[++device.nextHandle];
    entry.module = toNumber(module);
    entry.name = name;
    entry.description = &kernel->second;
    entry.maxDynamicShared =
        std::max(0, kDefaultShared - int(kernel->second.staticShared));
    *function = toHandle<cuda::Function>(device.nextHandle);
    return cuda::kSuccess;
  });
}

/// Calls `body` with the function that a handle stands for.
static cuda::Result withFunction(
    cuda::Function function,
    llvm::function_ref<cuda::Result(Impl &, SoftwareFunction &)> body) {
  return inContext([&](Impl &device) -> cuda::Result {
    SoftwareFunction *entry = device.find(function);
    return entry ? body(device, *entry) : cuda::Result(kErrorInvalidHandle);
  });
}

static cuda::Result funcGetAttribute(int *value, int attribute,
                                     cuda::Function function) {
  return withFunction(function,
                      [&](Impl &, SoftwareFunction &entry) -> cuda::Result {
                        if (!value)
                          return cuda::kErrorInvalidValue;
                        switch (attribute) {
                        case cuda::kFunctionMaxThreads:
                          *value = int(entry.description->maxThreads);
                          return cuda::kSuccess;
                        case cuda::kFunctionStaticShared:
                          *value = int(entry.description->staticShared);
                          return cuda::kSuccess;
                        case cuda::kFunctionLocalBytes:
                        case cuda::kFunctionRegisters: // nothing is assembled
                          *value = 0;
                          return cuda::kSuccess;
                        case cuda::kFunctionMaxDynamicShared:
                          *value = entry.maxDynamicShared;
                          return cuda::kSuccess;
                        case cuda::kFunctionNonPortableCluster:
                          *value = entry.nonPortableCluster;
                          return cuda::kSuccess;
                        default:
                          return cuda::kErrorInvalidValue;
                        }
                      });
}

static cuda::Result funcSetAttribute(cuda::Function function, int attribute,
                                     int value) {
  return withFunction(
      function, [&](Impl &device, SoftwareFunction &entry) -> cuda::Result {
        switch (attribute) {
        case cuda::kFunctionMaxDynamicShared:
          if (value < 0 || value + int64_t(entry.description->staticShared) >
                               device.options.maxSharedPerBlock)
            return cuda::kErrorInvalidValue;
          entry.maxDynamicShared = value;
          return cuda::kSuccess;
        case cuda::kFunctionNonPortableCluster:
          if ((value != 0 && value != 1) || !device.options.hasClusters())
            return cuda::kErrorInvalidValue;
          entry.nonPortableCluster = value;
          return cuda::kSuccess;
        default:
          return cuda::kErrorInvalidValue;
        }
      });
}

static cuda::Result funcGetParamInfo(cuda::Function function, size_t index,
                                     size_t *offset, size_t *size) {
  return withFunction(
      function, [&](Impl &, SoftwareFunction &entry) -> cuda::Result {
        const std::vector<size_t> &sizes = entry.description->paramSizes;
        if (!offset || index >= sizes.size())
          return cuda::kErrorInvalidValue;
        size_t end = 0;
        for (size_t i = 0; i <= index; ++i) {
          size_t align = std::clamp<size_t>(sizes[i], 1, 64);
          *offset = (end + align - 1) / align * align;
          end = *offset + sizes[i];
        }
        if (size)
          *size = sizes[index];
        return cuda::kSuccess;
      });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// What a launch asks for beyond its grid.
struct Wishes {
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool cooperative = false;
};
} // namespace

/// Fills `wishes`, where all that the launch asks for is known here.
static cuda::Result readAttributes(const cuda::LaunchConfig &config,
                                   Wishes &wishes) {
  if (config.numAttributes && !config.attributes)
    return cuda::kErrorInvalidValue;
  for (unsigned i = 0; i < config.numAttributes; ++i) {
    const cuda::LaunchAttribute &attribute = config.attributes[i];
    if (attribute.id == cuda::kLaunchCooperative) {
      wishes.cooperative = attribute.value.cooperative != 0;
      continue;
    }
    if (attribute.id != cuda::kLaunchClusterDimension)
      return kErrorUnsupported;
    wishes.cluster = {attribute.value.cluster.x, attribute.value.cluster.y,
                      attribute.value.cluster.z};
  }
  return cuda::kSuccess;
}

static cuda::Result checkCluster(const SoftwareDeviceOptions &options,
                                 const SoftwareFunction &entry,
                                 const std::array<unsigned, 3> &grid,
                                 const std::array<unsigned, 3> &cluster) {
  uint64_t blocks = 1;
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (cluster[dim] == 0 || cluster[dim] > kMaxCluster ||
        grid[dim] % cluster[dim] != 0)
      return kErrorInvalidClusterSize;
    blocks *= cluster[dim];
  }
  if (blocks > 1 && !options.hasClusters())
    return kErrorUnsupported;
  if (blocks > (entry.nonPortableCluster ? kMaxCluster : kPortableCluster))
    return kErrorInvalidClusterSize;
  return cuda::kSuccess;
}

/// Blocks of these threads and dynamic shared memory that a multiprocessor runs
/// at a time.
static int activeBlocks(const SoftwareDeviceOptions &options,
                        const SoftwareFunction &entry, int threads,
                        int64_t sharedBytes) {
  int64_t shared = sharedBytes + entry.description->staticShared;
  return int(std::min<int64_t>(
      {options.sharedPerMultiprocessor / (shared + kSystemShared),
       options.threadsPerMultiprocessor / threads,
       options.blocksPerMultiprocessor}));
}

/// A cooperative launch has no more blocks than the device runs at a time.
static cuda::Result checkCooperative(const SoftwareDeviceOptions &options,
                                     const SoftwareFunction &entry,
                                     const cuda::LaunchConfig &config) {
  int64_t fit =
      int64_t(options.multiprocessors) *
      activeBlocks(options, entry, int(config.blockX), config.sharedBytes);
  bool fits = int64_t(config.gridX) * config.gridY <= fit &&
              int64_t(config.gridX) * config.gridY * config.gridZ <= fit;
  return fits ? cuda::kSuccess : kErrorCooperativeTooLarge;
}

/// Checks everything of a launch but its stream and parameters.
static cuda::Result checkConfig(const SoftwareDeviceOptions &options,
                                const SoftwareFunction &entry,
                                const cuda::LaunchConfig &config,
                                Wishes &wishes) {
  const std::array<unsigned, 3> grid = {config.gridX, config.gridY,
                                        config.gridZ};
  for (unsigned dim = 0; dim < 3; ++dim)
    if (grid[dim] == 0 || grid[dim] > unsigned(options.maxGrid[dim]))
      return cuda::kErrorInvalidValue;
  if (config.blockX == 0 || config.blockX > kMaxThreads)
    return cuda::kErrorInvalidValue;
  // This is no rule of the driver: the launcher numbers threads in one
  // dimension.
  if (config.blockY != 1 || config.blockZ != 1)
    return kErrorUnsupported;
  if (config.blockX > entry.description->maxThreads)
    return kErrorLaunchOutOfResources;
  if (config.sharedBytes > unsigned(entry.maxDynamicShared))
    return cuda::kErrorInvalidValue;
  if (cuda::Result result = readAttributes(config, wishes))
    return result;
  if (wishes.cooperative)
    if (cuda::Result result = checkCooperative(options, entry, config))
      return result;
  return checkCluster(options, entry, grid, wishes.cluster);
}

static cuda::Result launch(const cuda::LaunchConfig &config,
                           cuda::Function function, void **params,
                           void **extra) {
  return withFunction(
      function, [&](Impl &device, SoftwareFunction &entry) -> cuda::Result {
        LaunchRequest request;
        Wishes wishes;
        if (cuda::Result result =
                checkConfig(device.options, entry, config, wishes))
          return result;
        request.cluster = wishes.cluster;
        request.cooperative = wishes.cooperative;
        if (!device.isStream(config.stream))
          return kErrorInvalidHandle;
        const std::vector<size_t> &sizes = entry.description->paramSizes;
        if (extra || (!sizes.empty() && !params))
          return cuda::kErrorInvalidValue;
        request.kernel = entry.name;
        request.grid = {config.gridX, config.gridY, config.gridZ};
        request.threads = config.blockX;
        request.sharedBytes = config.sharedBytes;
        for (size_t i = 0; i < sizes.size(); ++i) {
          if (!params[i])
            return cuda::kErrorInvalidValue;
          const char *bytes = static_cast<const char *>(params[i]);
          request.params.emplace_back(bytes, bytes + sizes[i]);
        }
        std::string why = device.launch(request);
        if (!why.empty()) {
          device.sticky = kErrorLaunchFailed;
          device.lastError = std::move(why);
        }
        return cuda::kSuccess;
      });
}

static cuda::Result launchKernel(cuda::Function function, unsigned gridX,
                                 unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY,
                                 unsigned blockZ, unsigned sharedBytes,
                                 cuda::Stream stream, void **params,
                                 void **extra) {
  cuda::LaunchConfig config = {gridX,  gridY,       gridZ,  blockX,  blockY,
                               blockZ, sharedBytes, stream, nullptr, 0};
  return launch(config, function, params, extra);
}

static cuda::Result launchKernelEx(const cuda::LaunchConfig *config,
                                   cuda::Function function, void **params,
                                   void **extra) {
  return config ? launch(*config, function, params, extra)
                : cuda::Result(cuda::kErrorInvalidValue);
}

/// As many as fit if any blocks may form a cluster. A real device has groups of
/// multiprocessors that limit this; they are not modelled.
static cuda::Result
occupancyMaxActiveClusters(int *count, cuda::Function function,
                           const cuda::LaunchConfig *config) {
  return withFunction(
      function, [&](Impl &device, SoftwareFunction &entry) -> cuda::Result {
        if (!count || !config)
          return cuda::kErrorInvalidValue;
        const SoftwareDeviceOptions &options = device.options;
        Wishes wishes;
        if (cuda::Result result = checkConfig(options, entry, *config, wishes))
          return result;
        const auto &cluster = wishes.cluster;
        *count = activeBlocks(options, entry, int(config->blockX),
                              config->sharedBytes) *
                 options.multiprocessors /
                 int(cluster[0] * cluster[1] * cluster[2]);
        return cuda::kSuccess;
      });
}

static cuda::Result occupancyMaxActiveBlocks(int *blocksOfMultiprocessor,
                                             cuda::Function function,
                                             int threads, size_t sharedBytes) {
  return withFunction(
      function, [&](Impl &device, SoftwareFunction &entry) -> cuda::Result {
        if (!blocksOfMultiprocessor || threads < 1 ||
            threads > int(kMaxThreads))
          return cuda::kErrorInvalidValue;
        *blocksOfMultiprocessor =
            activeBlocks(device.options, entry, threads, int64_t(sharedBytes));
        return cuda::kSuccess;
      });
}

void mlir::tile::lowered::addLaunchFunctions(cuda::ContextFunctions &f) {
  f.moduleLoadDataEx = ::moduleLoadDataEx;
  f.moduleUnload = ::moduleUnload;
  f.moduleGetFunction = ::moduleGetFunction;
  f.funcGetAttribute = ::funcGetAttribute;
  f.funcSetAttribute = ::funcSetAttribute;
  f.funcGetParamInfo = ::funcGetParamInfo;
  f.launchKernel = ::launchKernel;
  f.launchKernelEx = ::launchKernelEx;
  f.occupancyMaxActiveClusters = ::occupancyMaxActiveClusters;
  f.occupancyMaxActiveBlocks = ::occupancyMaxActiveBlocks;
}
