//===- HostLaunch.cpp - a lowered kernel on the host's memory -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "HostLaunch.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::runtime;

namespace {
/// Bytes of the host that arguments span, and their copy on the device.
/// Arguments that share bytes share a copy.
struct Region {
  ByteRange host;
  cuda::DevicePtr base = 0;  ///< what was allocated
  cuda::DevicePtr bytes = 0; ///< of the first byte, on the device
  bool isWritten = false;
};

/// The copies, for the time of a launch.
class HostBuffers {
public:
  explicit HostBuffers(Device &device) : device(device) {}
  ~HostBuffers() {
    for (Region &region : regions)
      if (region.base)
        (void)device.free(region.base);
  }

  Status create(const KernelSpec &spec, const CheckedArgs &checked);
  /// Where the byte at `address` of the host is on the device.
  cuda::DevicePtr translate(const ByteRange &range, uint64_t address) const;
  Status copyBack();

private:
  Device &device;
  std::vector<Region> regions;
};
} // namespace

/// Copies keep their addresses' remainder by this, which no instruction's
/// alignment exceeds, so that what is misaligned stays so.
static constexpr uint64_t kKeptAlignment = 16;

Status HostBuffers::create(const KernelSpec &spec, const CheckedArgs &checked) {
  for (auto [i, arg] : llvm::enumerate(spec.args))
    if (arg.kind == ArgKind::MemRef && !checked.ranges[i].empty())
      regions.push_back({checked.ranges[i], 0, 0, arg.isWritten()});
  llvm::sort(regions, [](const Region &a, const Region &b) {
    return a.host.begin < b.host.begin;
  });
  std::vector<Region> merged;
  for (const Region &region : regions) {
    if (merged.empty() || !merged.back().host.overlaps(region.host)) {
      merged.push_back(region);
      continue;
    }
    Region &last = merged.back();
    last.host.end = std::max(last.host.end, region.host.end);
    last.isWritten |= region.isWritten;
  }
  regions = std::move(merged);
  for (Region &region : regions) {
    uint64_t lead = region.host.begin % kKeptAlignment;
    size_t bytes = region.host.end - region.host.begin;
    Result<cuda::DevicePtr> base = device.allocate(lead + bytes);
    if (!base)
      return base.error();
    region.base = *base;
    region.bytes = *base + lead;
    if (Status status = device.copyToDevice(
            region.bytes, reinterpret_cast<const void *>(region.host.begin),
            bytes);
        !status.ok())
      return status;
  }
  return Status();
}

cuda::DevicePtr HostBuffers::translate(const ByteRange &range,
                                       uint64_t address) const {
  for (const Region &region : regions)
    if (region.host.overlaps(range))
      return region.bytes + (address - region.host.begin);
  return 0;
}

Status HostBuffers::copyBack() {
  for (const Region &region : regions) {
    if (!region.isWritten)
      continue;
    if (Status status = device.copyToHost(
            reinterpret_cast<void *>(region.host.begin), region.bytes,
            region.host.end - region.host.begin);
        !status.ok())
      return status;
  }
  return Status();
}

Status capi::launchOnHost(LoweredProgram &program, const KernelSpec &spec,
                          Span<const Arg> args, const CheckedArgs &checked,
                          std::string &output) {
  Result<std::shared_ptr<Driver>> driver =
      Driver::create(program.driver(), program.driverContext());
  if (!driver)
    return driver.error();
  Result<std::shared_ptr<Device>> device = Device::open(*driver);
  if (!device)
    return device.error();
  Result<std::unique_ptr<LoadedArtifact>> loaded =
      LoadedArtifact::load(*device, program.artifact());
  if (!loaded)
    return loaded.error();
  const Kernel *kernel = (*loaded)->find(spec.name);
  if (!kernel)
    return Error{"kernel '" + spec.name + "': expected it in the artifact"};

  HostBuffers buffers(**device);
  if (Status status = buffers.create(spec, checked); !status.ok())
    return status;
  std::vector<Arg> translated(args.begin(), args.end());
  for (auto [i, arg] : llvm::enumerate(translated))
    if (arg.kind == ArgKind::MemRef)
      arg.data = buffers.translate(checked.ranges[i], arg.data);
  size_t before = program.output().size();
  LaunchChecks checks;
  checks.overlap = false; // of the caller's own memory, it has been checked
  Status status = kernel->launch(translated, nullptr, checks);
  if (status.ok())
    status = (*device)->synchronize();
  output = program.output().substr(before);
  if (std::string finding = program.finding(); !finding.empty())
    return Error{"kernel '" + spec.name + "': " + finding};
  if (!status.ok())
    return status;
  return buffers.copyBack();
}
