//===- DeviceInfo.cpp - table of devices ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the figures come from is said beside them and in
// docs/Rationale/Devices.md.
//
//===----------------------------------------------------------------------===//
#include "tile/Target/DeviceInfo.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstdlib>

using namespace mlir::tile;

// Tensor rates: data sheets, dense, over multiprocessors and clock. Measured on
// the H200 only: mma.sync at 615 of 989 TFLOP/s (benchmarks/RESULTS.md), from
// which Blackwell's quarter (mma.sync unchanged, tcgen05 at twice the rate) is
// an estimate, like all latencies but the H200's.
static constexpr MultiprocessorRates kA100 = {1024, 1.0, 64, 16, 128, 64, 800};
static constexpr MultiprocessorRates kGa10x = {512, 1.0, 128, 16, 128, 64, 700};
static constexpr MultiprocessorRates kOrin = {1024, 1.0, 128, 16, 128, 64, 700};
static constexpr MultiprocessorRates kAda = {512, 1.0, 128, 16, 128, 64, 800};
static constexpr MultiprocessorRates kHopper = {2048, 0.62, 128, 16,
                                                128,  49.8, 1740};
// 148 TFLOP/s of 78 multiprocessors: tensor cores are cut to about a quarter,
// and what mma.sync reaches of that is not known.
static constexpr MultiprocessorRates kH20 = {480, 1.0, 128, 16, 128, 64, 1500};
static constexpr MultiprocessorRates kB200 = {4096, 0.25, 128, 16,
                                              128,  64,   1500};
static constexpr MultiprocessorRates kGeforce = {512, 1.0, 128, 16,
                                                 128, 64,  900};

// Multiprocessors, clocks and L2: data sheets. DRAM: 4.16 of 4.8 TB/s is what a
// copy gets on the H200 (measured); the others are the data sheet's times
// that ratio, or what was entered for the first device of an architecture.
// Sustained clocks: 1.52 GHz by ncu on an H200 (1.59 fits surveys of GEMMs);
// the same for the other devices of its power and multiprocessors; of the H100
// PCIe by its power for each multiprocessor, which energy at the square of the
// clock makes a factor of 0.58^(1/3). Elsewhere the clock counts as not
// limited. The groups of 132 multiprocessors are a guess that explains why 30,
// not 32, clusters of 4 run at a time on an H200.
static constexpr std::array<int64_t, 8> kGroups132 = {18, 18, 18, 18,
                                                      16, 16, 14, 14};

/// Counted by cuOccupancyMaxActiveClusters on one H200 (2026-11-28), of blocks
/// with 200,000 bytes of shared memory. Other devices of 132 multiprocessors
/// may be fused otherwise; the launcher counts itself.
static constexpr std::array<int64_t, 8> kClusters132 = {132, 66, 39, 30,
                                                        22,  17, 15, 15};

/// The first row of an architecture is the device that code is chosen for by
/// default.
static const DeviceInfo kDevices[] = {
    // name, words of the driver's, cc, SMs, GHz at most and sustained, DRAM,
    // L2, rates, groups
    {"A100-SXM", "a100", "sxm", 80, 108, 1.41, 1.41, 1.8e12, 40e6, kA100},
    {"A100-PCIe", "a100", "pcie", 80, 108, 1.41, 1.41, 1.68e12, 40e6, kA100},
    {"A10", "a10", "", 86, 72, 1.69, 1.69, 0.55e12, 6e6, kGa10x},
    {"AGX-Orin", "orin", "", 87, 16, 1.3, 1.3, 0.18e12, 4e6, kOrin},
    {"L40S", "l40s", "", 89, 142, 2.5, 2.5, 0.8e12, 96e6, kAda},
    {"H200", "h200", "", 90, 132, 1.98, 1.59, 4.16e12, 50e6, kHopper,
     kGroups132, kClusters132, /*keptReads=*/100e6, /*leavingReads=*/200e6},
    {"H100-SXM", "h100", "hbm3", 90, 132, 1.98, 1.59, 2.9e12, 50e6, kHopper,
     kGroups132, kClusters132},
    {"H100-PCIe", "h100", "pcie", 90, 114, 1.755, 1.33, 1.74e12, 50e6, kHopper},
    {"H20", "h20", "", 90, 78, 1.98, 1.98, 3.48e12, 60e6, kH20},
    {"GH200", "gh200", "", 90, 132, 1.98, 1.59, 3.48e12, 60e6, kHopper,
     kGroups132, kClusters132},
    {"B200", "b200", "", 100, 148, 1.9, 1.9, 7.0e12, 126e6, kB200},
    {"Thor", "thor", "", 110, 20, 1.57, 1.57, 0.24e12, 32e6, kB200},
    {"RTX-5090", "5090", "", 120, 170, 2.4, 2.4, 1.6e12, 96e6, kGeforce},
};

llvm::ArrayRef<DeviceInfo> DeviceInfo::all() { return kDevices; }

runtime::DeviceFigures DeviceInfo::figures() const {
  runtime::DeviceFigures figures;
  figures.name = name.str();
  figures.multiprocessors = multiprocessors;
  figures.maxGHz = maxGHz;
  figures.sustainedGHz = sustainedGHz;
  figures.dramBytesPerSecond = dramBytesPerSecond;
  figures.l2Capacity = l2Capacity;
  figures.sharedBytes = rates.sharedBytes;
  figures.l2Bytes = rates.l2Bytes;
  figures.loadLatency = rates.loadLatency;
  for (int64_t group : groups)
    if (group > 0)
      figures.groups.push_back(group);
  return figures;
}

bool DeviceInfo::runs(const TargetInfo &target, std::string *error) const {
  if (target.runsOn(capability))
    return true;
  if (error)
    *error = "expected code that " + name.str() + " (" +
             std::to_string(capability / 10) + "." +
             std::to_string(capability % 10) + ") runs, like that for " +
             TargetInfo::newestFor(capability)->arch.str() + "; got " +
             target.arch.str();
  return false;
}

/// Letters and digits, in lower case.
static std::string essence(llvm::StringRef name) {
  std::string text;
  for (char c : name)
    if (llvm::isAlnum(c))
      text += llvm::toLower(c);
  return text;
}

const DeviceInfo *DeviceInfo::get(llvm::StringRef name, std::string *error) {
  std::string wanted = essence(name);
  for (const DeviceInfo &device : kDevices)
    if (essence(device.name) == wanted)
      return &device;
  if (!error)
    return nullptr;
  *error = "expected a device among ";
  for (const DeviceInfo &device : kDevices) {
    if (&device != kDevices)
      *error += ", ";
    *error += device.name;
  }
  *error += "; got '" + name.str() + "'";
  return nullptr;
}

const DeviceInfo &DeviceInfo::of(const TargetInfo &target,
                                 llvm::StringRef name) {
  if (const DeviceInfo *named = get(name))
    return *named;
  const DeviceInfo *best = &kDevices[0];
  for (const DeviceInfo &device : kDevices)
    if (device.capability <= target.capability &&
        device.capability > best->capability)
      best = &device;
  return *best;
}

/// Whether the driver's name has a device's words.
static bool isNamed(const DeviceInfo &device, llvm::StringRef driverName) {
  std::string lower = driverName.lower();
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(lower, words, " -");
  return llvm::is_contained(words, device.model) &&
         llvm::any_of(words, [&](llvm::StringRef word) {
           return word.starts_with(device.form);
         });
}

const DeviceInfo *DeviceInfo::find(llvm::StringRef driverName,
                                   unsigned capability,
                                   int64_t multiprocessors) {
  const DeviceInfo *nearest = nullptr;
  auto distance = [&](const DeviceInfo &device) {
    return std::abs(device.multiprocessors - multiprocessors);
  };
  for (const DeviceInfo &device : kDevices) {
    if (device.capability != capability)
      continue;
    if (isNamed(device, driverName))
      return &device;
    if (!nearest || distance(device) < distance(*nearest))
      nearest = &device;
  }
  return nearest;
}
