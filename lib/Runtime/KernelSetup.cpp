//===- KernelSetup.cpp - Making a kernel ready on a device ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that can be settled once, when the artifact is loaded: parameter offsets,
// shared memory, clusters; and whether code and manifest fit the device and
// each other.
//
//===----------------------------------------------------------------------===//

#include "ArgCheck.h"
#include "LaunchBuffer.h"
#include "TensorMaps.h"

#include <algorithm>

using namespace mlir::tile::runtime;

/// Dynamic shared memory beyond this has to be asked for.
constexpr int64_t kDefaultShared = 49152;
/// Clusters of up to this many blocks run on any device that has clusters.
constexpr int64_t kPortableCluster = 8;

cuda::LaunchAttribute
mlir::tile::runtime::launchAttribute(const KernelSpec &spec) {
  cuda::LaunchAttribute attribute = {};
  if (spec.cooperative) {
    attribute.id = cuda::kLaunchCooperative;
    attribute.value.cooperative = 1;
    return attribute;
  }
  attribute.id = cuda::kLaunchClusterDimension;
  attribute.value.cluster = {unsigned(spec.cluster[0]),
                             unsigned(spec.cluster[1]),
                             unsigned(spec.cluster[2])};
  if (spec.persistent)
    attribute.value.cluster = {
        unsigned(spec.cluster[0] * spec.cluster[1] * spec.cluster[2]), 1, 1};
  return attribute;
}

Status Kernel::configure(Device &onDevice, const ContextScope &driver) {
  device = &onDevice;
  const KernelSpec &spec = *description;

  unsigned offset = 0;
  for (const ParamSpec &param : spec.params) {
    offset = (offset + param.align() - 1) / param.align() * param.align();
    paramOffsets.push_back(offset);
    offset += param.size();
    hasWorkspaces |= param.kind == ParamKind::Workspace;
  }
  if (Status status = checkParams(driver); !status.ok())
    return status;

  Status status;
  auto attribute = [&](int which, int &value) {
    if (status.ok())
      status = driver.check(driver->funcGetAttribute(&value, which, entry),
                            "cuFuncGetAttribute");
  };
  attribute(cuda::kFunctionRegisters, used.registers);
  attribute(cuda::kFunctionLocalBytes, used.localBytes);
  attribute(cuda::kFunctionStaticShared, used.staticShared);
  attribute(cuda::kFunctionMaxThreads, used.maxThreads);
  if (!status.ok())
    return kernelError(spec, status.message());

  if (spec.threads > used.maxThreads)
    return kernelError(spec, "expected at most " +
                                 std::to_string(used.maxThreads) +
                                 " threads on this device, got " +
                                 std::to_string(spec.threads));
  int64_t shared = spec.sharedBytes + used.staticShared;
  if (shared > device->maxSharedPerBlock())
    return kernelError(spec,
                       "expected at most " +
                           std::to_string(device->maxSharedPerBlock()) +
                           " bytes of shared memory on this device, got " +
                           std::to_string(shared));
  auto set = [&](int which, int value) {
    if (status.ok())
      status = driver.check(driver->funcSetAttribute(entry, which, value),
                            "cuFuncSetAttribute");
  };
  if (shared > kDefaultShared)
    set(cuda::kFunctionMaxDynamicShared, int(spec.sharedBytes));

  int64_t blocks = spec.cluster[0] * spec.cluster[1] * spec.cluster[2];
  clustered = blocks > 1;
  if (clustered && (!device->hasClusters() || !driver->launchKernelEx))
    return kernelError(spec, "expected a device and a driver with clusters");
  if (spec.cooperative &&
      (!driver->launchKernelEx || !driver->occupancyMaxActiveBlocks))
    return kernelError(spec,
                       "expected a driver with cuLaunchKernelEx and "
                       "cuOccupancyMaxActiveBlocksPerMultiprocessor, for a "
                       "cooperative launch (CUDA 11.8 or newer)");
  if (blocks > kPortableCluster)
    set(cuda::kFunctionNonPortableCluster, 1);
  if (!status.ok())
    return kernelError(spec, status.message());
  if (clustered && (spec.persistent || !spec.cost.empty()))
    used.activeClusters = countActiveClusters(driver);
  if (spec.cooperative) {
    status = driver.check(driver->occupancyMaxActiveBlocks(
                              &used.activeBlocks, entry, int(spec.threads),
                              size_t(spec.sharedBytes)),
                          "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    if (!status.ok())
      return kernelError(spec, status.message());
  }

  if (!spec.tensorMaps.empty()) {
    if (!driver->tensorMapEncodeTiled || !driver->tensorMapEncodeIm2col)
      return kernelError(spec, "expected a driver with tensor maps");
    tensorMaps = std::make_unique<TensorMapCache>();
  }
  return Status();
}

/// The clusters that the device runs at a time, after everything that decides
/// it has been set; 0 where the driver does not say. Nothing else is on the
/// device in its answer.
int Kernel::countActiveClusters(const ContextScope &driver) const {
  if (!driver->occupancyMaxActiveClusters)
    return 0;
  cuda::LaunchAttribute attribute = launchAttribute(*description);
  cuda::LaunchConfig config = {attribute.value.cluster.x,
                               1,
                               1,
                               unsigned(description->threads),
                               1,
                               1,
                               unsigned(description->sharedBytes),
                               nullptr,
                               &attribute,
                               1};
  int count = 0;
  if (driver->occupancyMaxActiveClusters(&count, entry, &config) !=
      cuda::kSuccess)
    return 0;
  return std::max(count, 0);
}

int64_t Kernel::clusterPlaces() const {
  return used.activeClusters /
         std::max<int64_t>(1, description->cost.launch.resident);
}

/// Compares the manifest's parameters with the code's: a mismatch would pass
/// garbage to the kernel. Drivers before CUDA 12.4 cannot be asked. Parameters
/// are passed one by one, so only sizes matter once a tensor map has been
/// placed: the code aligns it within its bank of constants, where parameters do
/// not start at a multiple of 64.
Status Kernel::checkParams(const ContextScope &driver) const {
  if (!driver->funcGetParamInfo)
    return Status();
  size_t offset = 0, size = 0, count = description->params.size();
  bool knowsOffsets = true;
  for (size_t i = 0; i < count; ++i) {
    if (driver->funcGetParamInfo(entry, i, &offset, &size) != cuda::kSuccess)
      return kernelError(*description, "expected " + std::to_string(count) +
                                           " parameters, got code with " +
                                           std::to_string(i));
    knowsOffsets &= description->params[i].kind != ParamKind::TensorMap;
    if ((knowsOffsets && offset != paramOffsets[i]) ||
        size != description->params[i].size())
      return kernelError(*description,
                         "parameter " + std::to_string(i) + ": expected " +
                             std::to_string(description->params[i].size()) +
                             " bytes at offset " +
                             std::to_string(paramOffsets[i]) +
                             ", got code with " + std::to_string(size) +
                             " at " + std::to_string(offset));
  }
  if (driver->funcGetParamInfo(entry, count, &offset, &size) == cuda::kSuccess)
    return kernelError(*description, "expected " + std::to_string(count) +
                                         " parameters, got code with more");
  return Status();
}
