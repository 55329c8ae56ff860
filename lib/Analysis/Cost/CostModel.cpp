//===- CostModel.cpp - how long a kernel will take ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device cannot run is excluded here; how long the rest takes is
// predicted by the sums that the launcher has, too (Runtime/Prediction.h).
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CostModel.h"
#include <algorithm>

using namespace mlir::tile;
using namespace mlir::tile::cost;

/// At launch, with so few registers a thread, ptxas wants all that a role needs
/// to fit: it refuses wgmma with 112 accumulators in blocks of 512 threads, and
/// takes 96.
static constexpr int64_t kFewRegisters = 128;
/// Shared memory that the system keeps of each block.
static constexpr int64_t kReservedShared = 1024;
static constexpr int64_t kMaxPortableCluster = 8;

runtime::LaunchFacts cost::launchOf(const KernelFacts &facts,
                                    const DeviceInfo &device,
                                    int64_t resident) {
  runtime::LaunchFacts launch;
  launch.grid = facts.grid;
  launch.cluster = facts.cluster;
  launch.consumers = facts.consumers();
  launch.resident = resident;
  launch.panel = facts.panel;
  launch.persistent = facts.persistent;
  launch.split = facts.split;
  launch.streamK = facts.streamK;
  launch.hasRoles = facts.hasRoles;
  int64_t size = launch.clusterSize();
  if (size <= static_cast<int64_t>(device.clusters.size()))
    launch.places = device.clusters[size - 1];
  return launch;
}

std::string cost::exclude(const KernelFacts &facts, const TargetInfo &target,
                          int64_t &resident) {
  if (facts.threads > 1024)
    return std::to_string(facts.threads) +
           " threads with those that load, of 1024";
  if (facts.clusterSize() > kMaxPortableCluster)
    return "clusters of " + std::to_string(facts.clusterSize()) +
           " blocks, of " + std::to_string(kMaxPortableCluster);
  if (facts.clusterSize() > 1 && target.capability < 90)
    return target.arch.str() + " has no clusters";
  if (facts.sharedBytes > target.sharedPerBlock)
    return std::to_string(facts.sharedBytes) + " bytes of shared memory, of " +
           std::to_string(target.sharedPerBlock);
  // Producers give registers up; without roles all threads have the same.
  ThreadBudget budget(target);
  int64_t consumers = facts.consumers();
  int64_t wanted = std::max<int64_t>(1, facts.persistent);
  int64_t registers = budget.consumer(consumers, facts.hasRoles, wanted);
  if (facts.registers > registers)
    return "about " + std::to_string(facts.registers) +
           " registers a thread, of " + std::to_string(registers);
  int64_t launched = budget.launched(facts.threads);
  if (facts.hasRoles && launched <= kFewRegisters && facts.registers > launched)
    return "about " + std::to_string(facts.registers) +
           " registers a thread, with " + std::to_string(launched) +
           " at launch";
  int64_t byShared = target.sharedPerSm / (facts.sharedBytes + kReservedShared);
  int64_t byRegisters =
      budget.blocks(facts.registers, consumers, facts.hasRoles);
  int64_t byThreads = target.threadsPerSm / facts.threads;
  resident = std::max<int64_t>(
      1, std::min({byShared, byRegisters, byThreads, target.blocksPerSm}));
  if (facts.persistent)
    resident = std::min(resident, facts.persistent);
  return "";
}

Estimate cost::estimate(const KernelFacts &facts, const DeviceInfo &device,
                        const TargetInfo &target) {
  Estimate result;
  result.excluded = exclude(facts, target, result.resident);
  if (!result.excluded.empty())
    return result;
  runtime::Prediction predicted =
      runtime::predict(launchOf(facts, device, result.resident), facts.phases,
                       facts.streams, device.figures());
  result.microseconds = predicted.microseconds;
  result.rounds = predicted.rounds;
  result.busy = predicted.busy;
  result.tensorPart = predicted.tensorPart;
  result.gigahertz = predicted.gigahertz;
  result.dramBytes = predicted.dramBytes;
  result.l2Bytes = predicted.l2Bytes;
  result.limit = predicted.limit;
  return result;
}
