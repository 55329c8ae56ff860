//===- SoftwareDriver.h - the CUDA driver in software -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device in software that the driver's functions work on, so that the
// launcher (tile/Runtime) runs over it as it is: contexts, memory, modules,
// launches and their limits, and the driver's errors where a caller breaks a
// rule. What a launch does is a function of whoever makes the device.
//
//   SoftwareDevice device(options, kernels, launch);
//   auto driver = runtime::Driver::create(SoftwareDevice::functions(),
//                                         SoftwareDevice::contextFunctions());
//
// Work is done when it is asked for: streams and events order nothing, and the
// time between events is 0. A launch that fails is reported as on a GPU: by
// whatever is called after it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_SOFTWAREDRIVER_H
#define TILE_LIB_LOWERED_SOFTWAREDRIVER_H

#include "ReadOnlyCache.h"
#include "tile/Runtime/CudaDriver.h"
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mlir::tile::lowered {

/// One launch, checked: the kernel exists, and the numbers fit the device.
struct LaunchRequest {
  std::string kernel;
  std::array<unsigned, 3> grid = {1, 1, 1};
  unsigned threads = 1; ///< of a block
  std::array<unsigned, 3> cluster = {1, 1, 1};
  unsigned sharedBytes = 0; ///< dynamic
  bool cooperative = false; ///< all blocks run together
  std::vector<std::vector<char>> params;
};

/// The memory of a device. Addresses are not the host's, and none is given out
/// twice: an access to memory that has been freed finds nothing.
class GlobalMemory {
public:
  /// Refuses to hold more than `capacity` bytes.
  explicit GlobalMemory(size_t capacity) : capacity(capacity) {}
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;

  struct Region {
    uint64_t begin;
    size_t bytes;
    char *host; ///< aligned to 256 bytes
    Shadow shadow;
    ReadOnlyBytes readOnly; ///< of the launch
  };

  /// An address that is a multiple of 256 and not of 512, so that code which
  /// relies on more is found; unmapped addresses surround the region. The bytes
  /// hold NaNs, and count as not written. 0 where there is no memory left.
  uint64_t allocate(size_t bytes);
  /// False where no region starts at the address.
  bool free(uint64_t address);
  void freeAll();
  /// A new launch: nothing is read through the read-only cache yet.
  void startLaunch();

  /// The region that contains the address, or null.
  Region *find(uint64_t address) {
    if (last && address - last->begin < last->bytes)
      return last;
    return lookUp(address);
  }
  /// The same, where all of the bytes are in it.
  Region *find(uint64_t address, size_t bytes) {
    Region *region = find(address);
    return region && bytes <= region->bytes - (address - region->begin)
               ? region
               : nullptr;
  }

  size_t bytesInUse() const { return used; }
  size_t bytesInAll() const { return capacity; }
  size_t numRegions() const { return regions.size(); }

private:
  Region *lookUp(uint64_t address);

  std::map<uint64_t, std::unique_ptr<Region>> regions;
  Region *last = nullptr; ///< where the last address was found
  uint64_t next = uint64_t(1) << 40;
  size_t capacity, used = 0;
};

/// What a device says of itself.
struct SoftwareDeviceOptions {
  int major = 9, minor = 0;
  /// Few: persistent kernels then have several tiles each.
  int multiprocessors = 4;
  size_t memoryBytes = size_t(4) << 30;
  int l2Bytes = 50 << 20;
  int maxSharedPerBlock = 227 << 10; ///< opt-in
  int sharedPerMultiprocessor = 228 << 10;
  int threadsPerMultiprocessor = 2048;
  int blocksPerMultiprocessor = 32;
  int maxGrid[3] = {2147483647, 65535, 65535};
  int driverVersion = 13000;

  bool hasClusters() const { return major >= 9; }
  bool hasTensorMaps() const { return major >= 9; }
  /// The limits of an architecture (TargetInfo.h); of one that is not known,
  /// those of the oldest.
  static SoftwareDeviceOptions of(int major, int minor);
};

/// What a driver knows of a kernel from its code.
struct KernelDescription {
  unsigned maxThreads = 1024;
  unsigned staticShared = 0;
  /// Each aligned to its size; tensor maps, of 128 bytes, to 64.
  std::vector<size_t> paramSizes;
};

/// One device. The driver's functions carry no context, so they are at most one
/// device's at a time; without one they say that the driver is shut down. Any
/// thread may call them; they take turns.
class SoftwareDevice {
public:
  /// Executes a launch; returns an empty string, or what went wrong.
  using Launch = std::function<std::string(const LaunchRequest &)>;

  SoftwareDevice(const SoftwareDeviceOptions &options,
                 std::map<std::string, KernelDescription> kernels,
                 Launch launch);
  ~SoftwareDevice();
  SoftwareDevice(const SoftwareDevice &) = delete;
  SoftwareDevice &operator=(const SoftwareDevice &) = delete;

  /// What images start with that the device loads. Each module has all kernels
  /// of the device.
  static constexpr const char *kImageMagic = "TILELOWERED\n";

  static const runtime::cuda::Functions &functions();
  static const runtime::cuda::ContextFunctions &contextFunctions();

  /// Takes the device off the driver's functions, so that another one may be
  /// made or resumed; it keeps its state.
  void suspend();
  /// Gives the driver's functions to this device again; no other one has them.
  void resume();

  /// Must not be called while a function of the driver runs.
  GlobalMemory &memory();

  /// What went wrong in the launch that failed, or "". As on a GPU, everything
  /// that needs the context fails from then on, until the context is released
  /// for good or `clearError` is called.
  std::string lastError() const;
  void clearError();

  struct Impl;

private:
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_SOFTWAREDRIVER_H
