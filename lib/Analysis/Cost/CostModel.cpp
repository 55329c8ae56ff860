//===- CostModel.cpp - how long a kernel will take ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums behind docs/Rationale/TileChoice.md. Cycles of the busiest
// multiprocessor come first, then the clock that power allows for that mixture,
// then DRAM. Constants are either figures of the device (DeviceInfo) or fitted
// to measurements of f16 GEMMs on one H200: 98 winners of tuning, 3.2 % off
// (standard deviation of the logarithm), and 720 candidates with few rows, 12
// %.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CostModel.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir::tile;
using namespace mlir::tile::cost;

//===----------------------------------------------------------------------===//
// Constants of the model
//
// All of them were fitted on one H200 and hold for other devices as far as
// these work like it: what differs is in the device's figures.
//===----------------------------------------------------------------------===//

/// At launch, with so few registers a thread, ptxas wants all that a role needs
/// to fit: it refuses wgmma with 112 accumulators in blocks of 512 threads, and
/// takes 96.
static constexpr int64_t kFewRegisters = 128;
/// Between iterations of a pipelined loop: a wait and a release of a ring, by
/// warps that do nothing else; or a wait, a barrier, and the issue of the next
/// copies, by all warps. The second from 385 TFLOP/s at a K step of 32 against
/// 395 at 64 by mma.sync.
static constexpr double kRoleCycles = 20, kBarrierCycles = 100;
/// Of a tile, where slots are released to other multiprocessors, too: who
/// stores keeps the others waiting. Measured at K of 1536 to 8192 with and
/// without a cluster of two (2.5 to 0.8 %; RESULTS.md).
static constexpr double kClusterCycles = 1000;
/// Until the first iteration of a loop has its data beyond the load itself:
/// launch of the block, descriptors, first barriers.
static constexpr double kFillCycles = 600;
/// Exponent of how limits add up: each hides the others, less the closer they
/// are. With 8, 3 stages instead of 4 cost 1 % at 128 x 256 x 64.
static constexpr double kOverlap = 8;
/// Energy beside that of a cycle of tensor cores: a cycle of shared memory, a
/// cycle of traffic from L2, a cycle without any of it.
static constexpr double kSharedEnergy = 0.10, kL2Energy = 0.05,
                        kIdleEnergy = 0.05;
/// Of a launch; and of DRAM until it streams, which a kernel that computes
/// meanwhile does not notice.
static constexpr double kLaunchMicroseconds = 2.5, kDramMicroseconds = 6;
/// Of the data sheet's (or a plain copy's) bandwidth.
static constexpr double kDramPart = 0.97;
/// Latencies until the blocks that share a tile have added up their parts: one,
/// and two for each partner; half of it in rounds that follow another one.
static constexpr double kPartnerWaits = 2, kMeetingWaits = 1,
                        kLaterMeeting = 0.5;
/// Shared memory that the system keeps of each block.
static constexpr int64_t kReservedShared = 1024;
static constexpr int64_t kMaxPortableCluster = 8;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Work &Work::operator+=(const Work &other) {
  tensorCycles += other.tensorCycles;
  threadCycles += other.threadCycles;
  sharedRead += other.sharedRead;
  sharedWritten += other.sharedWritten;
  loaded += other.loaded;
  stored += other.stored;
  waits += other.waits;
  return *this;
}

Work cost::operator*(const Work &work, double times) {
  return {work.tensorCycles * times, work.threadCycles * times,
          work.sharedRead * times,   work.sharedWritten * times,
          work.loaded * times,       work.stored * times,
          work.waits * times};
}

/// Limits that overlap: the longest, and a little of the others.
static double together(std::initializer_list<double> limits) {
  double longest = *std::max_element(limits.begin(), limits.end());
  if (longest <= 0)
    return 0;
  double sum = 0;
  for (double limit : limits)
    sum += std::pow(std::max(0.0, limit) / longest, kOverlap);
  return longest * std::pow(sum, 1 / kOverlap);
}

namespace {
class Estimator {
public:
  Estimator(const KernelFacts &facts, const DeviceInfo &device,
            const TargetInfo &target)
      : facts(facts), device(device), target(target) {}

  Estimate run();

private:
  bool exclude();
  double iterationCycles(const Phase &phase) const;
  double blockCycles(bool isPipelined) const;
  double clock(double energy,
               llvm::function_ref<double(double)> microseconds) const;
  double dramBytes(int64_t concurrent) const;
  double sharedCycles(const Work &work) const {
    return std::max(work.sharedRead, work.sharedWritten) /
           device.rates.sharedBytes;
  }

  const KernelFacts &facts;
  const DeviceInfo &device;
  const TargetInfo &target;
  Estimate result;
};
} // namespace

/// What the device cannot run; else how many blocks a multiprocessor holds.
bool Estimator::exclude() {
  auto no = [&](std::string why) {
    result.excluded = std::move(why);
    return true;
  };
  if (facts.threads > 1024)
    return no(std::to_string(facts.threads) +
              " threads with those that load, of 1024");
  if (facts.clusterSize() > kMaxPortableCluster)
    return no("clusters of " + std::to_string(facts.clusterSize()) +
              " blocks, of " + std::to_string(kMaxPortableCluster));
  if (facts.clusterSize() > 1 && target.capability < 90)
    return no(target.arch.str() + " has no clusters");
  if (facts.sharedBytes > target.sharedPerBlock)
    return no(std::to_string(facts.sharedBytes) +
              " bytes of shared memory, of " +
              std::to_string(target.sharedPerBlock));
  // Producers give registers up; without roles all threads have the same.
  ThreadBudget budget(target);
  int64_t consumers = facts.consumers();
  int64_t residents = std::max<int64_t>(1, facts.persistent);
  int64_t registers = budget.consumer(consumers, facts.hasRoles, residents);
  if (facts.registers > registers)
    return no("about " + std::to_string(facts.registers) +
              " registers a thread, of " + std::to_string(registers));
  int64_t launched = budget.launched(facts.threads);
  if (facts.hasRoles && launched <= kFewRegisters && facts.registers > launched)
    return no("about " + std::to_string(facts.registers) +
              " registers a thread, with " + std::to_string(launched) +
              " at launch");
  int64_t byShared = target.sharedPerSm / (facts.sharedBytes + kReservedShared);
  int64_t byRegisters =
      budget.blocks(facts.registers, consumers, facts.hasRoles);
  int64_t byThreads = target.threadsPerSm / facts.threads;
  result.resident = std::max<int64_t>(
      1, std::min({byShared, byRegisters, byThreads, target.blocksPerSm}));
  if (facts.persistent)
    result.resident = std::min(result.resident, facts.persistent);
  return false;
}

/// An iteration in the steady state: the limit that is reached first.
double Estimator::iterationCycles(const Phase &phase) const {
  const Work &work = phase.work;
  double load = work.loaded / device.rates.l2Bytes;
  double store = work.stored / device.rates.l2Bytes;
  double groups = std::max<double>(1, double(facts.consumers()) / 128);
  if (phase.stages <= 1) {
    // One thing after the other: a load, what is done with it, a store.
    return load + work.tensorCycles + work.threadCycles +
           (work.sharedRead + work.sharedWritten) / device.rates.sharedBytes +
           store + work.waits * device.rates.loadLatency;
  }
  // Loads of `stages - 1` iterations are under way at a time.
  double pace = (device.rates.loadLatency + load) / double(phase.stages - 1);
  // One warpgroup's arithmetic hides behind the products of the others.
  double exposed = work.threadCycles / groups;
  double compute = together({work.tensorCycles, sharedCycles(work),
                             load + store, work.threadCycles, pace});
  return compute + exposed * (work.tensorCycles > 0 ? 1 : 0) +
         (facts.hasRoles ? kRoleCycles : kBarrierCycles) +
         work.waits * device.rates.loadLatency;
}

/// One block alone on its multiprocessor: loops that run ahead, or the rest.
double Estimator::blockCycles(bool isPipelined) const {
  double cycles = 0;
  for (const Phase &phase : facts.phases)
    if ((phase.stages > 1) == isPipelined)
      cycles += phase.runs * phase.trips * iterationCycles(phase);
  return cycles;
}

/// The highest clock at which the energy of a run, which grows with the square
/// of the clock, is what power gives in its time.
double Estimator::clock(double energy,
                        llvm::function_ref<double(double)> microseconds) const {
  double power = std::pow(device.sustainedGHz, 3) * 1e3;
  auto isTooFast = [&](double gigahertz) {
    return energy * gigahertz * gigahertz > power * microseconds(gigahertz);
  };
  double low = 0.1, high = device.maxGHz;
  if (!isTooFast(high))
    return high;
  constexpr int kSteps = 40;
  for (int i = 0; i < kSteps; ++i) {
    double middle = (low + high) / 2;
    (isTooFast(middle) ? high : low) = middle;
  }
  return low;
}

/// Bytes from and to DRAM: what blocks that run together read is read once by
/// all of them, and stays for the next ones where the L2 cache holds it.
double Estimator::dramBytes(int64_t concurrent) const {
  std::array<double, 3> together = {1, 1, 1};
  double left = double(std::max<int64_t>(1, concurrent / facts.split));
  // The order of docs/Rationale/BlockOrder.md: rows of a panel, columns.
  auto take = [&](unsigned d, double most) {
    double extent = double(std::max<int64_t>(1, facts.grid[d]));
    double taken = std::min({left, extent, most});
    together[d] *= taken;
    left = std::max(1.0, left / std::max(1.0, taken));
  };
  if (facts.panel)
    take(1, double(facts.panel));
  take(0, INFINITY);
  if (!facts.panel)
    take(1, INFINITY);
  take(2, INFINITY);
  double inputs = 0;
  for (const Stream &stream : facts.streams)
    if (!stream.isStore)
      inputs += stream.footprint;
  double bytes = 0;
  double rounds = std::max(1.0, double(facts.blocks()) /
                                    double(std::max<int64_t>(1, concurrent)));
  for (const Stream &stream : facts.streams) {
    double distinct = stream.bytesPerTile;
    for (unsigned d = 0; d < 3; ++d)
      if (stream.varies[d])
        distinct *= together[d];
    double moved = distinct * rounds;
    // Three quarters of the cache: the rest holds what is written.
    if (stream.isStore || inputs < 0.75 * device.l2Capacity)
      moved = std::min(moved, stream.footprint);
    bytes += std::max(moved, std::min(stream.footprint, distinct));
  }
  return bytes;
}

Estimate Estimator::run() {
  if (exclude())
    return result;
  int64_t blocks = facts.blocks(), size = facts.clusterSize();
  if (blocks <= 0) {
    result.microseconds = kLaunchMicroseconds;
    result.limit = "an empty grid";
    return result;
  }
  int64_t clusters = std::max<int64_t>(1, blocks / size);
  int64_t places = device.clusterPlaces(size);
  result.rounds = llvm::divideCeil(clusters, places);
  result.busy = double(clusters) / double(places * result.rounds);
  // Fewer blocks than places that are shared: each has one to itself.
  int64_t resident = std::min(result.resident, result.rounds);

  Work total;
  for (const Phase &phase : facts.phases)
    total += phase.work * (phase.runs * phase.trips);
  double n = double(result.rounds);
  double load = total.loaded / device.rates.l2Bytes;
  double tensor = total.tensorCycles * n, shared = sharedCycles(total) * n;
  double parallel = double(resident);
  double loops = together({blockCycles(/*isPipelined=*/true) * n / parallel,
                           tensor, shared, load * n, total.threadCycles * n});
  // Roles load ahead across the tiles of a persistent block.
  double fills = facts.persistent && facts.hasRoles ? 1 : n;
  double rest = (blockCycles(/*isPipelined=*/false) * n +
                 fills * (kFillCycles + device.rates.loadLatency)) /
                parallel;
  if (facts.clusterSize() > facts.split)
    rest += kClusterCycles * n / parallel;
  if (facts.split > 1)
    rest += (kMeetingWaits + kPartnerWaits * double(facts.split - 1)) *
            device.rates.loadLatency * (1 + kLaterMeeting * (n / parallel - 1));
  double cycles = loops + rest;

  double energy = kSharedEnergy * (total.sharedRead + total.sharedWritten) /
                      device.rates.sharedBytes +
                  kL2Energy * load + total.tensorCycles + total.threadCycles;
  // Multiprocessors that no cluster fits on are idle, too.
  double working = result.busy * double(places * size) /
                   double(std::max(device.multiprocessors, places * size));
  energy = energy * n * working + kIdleEnergy * cycles;
  int64_t concurrent =
      std::min(blocks, places * size * std::max<int64_t>(1, result.resident));
  result.dramBytes = dramBytes(concurrent);
  result.l2Bytes = (total.loaded + total.stored) * double(blocks);
  double dram =
      kDramMicroseconds +
      result.dramBytes / (device.dramBytesPerSecond * kDramPart) * 1e6;
  // Loops and DRAM overlap; between them blocks start and end.
  auto microseconds = [&](double gigahertz) {
    return together({loops / gigahertz * 1e-3, dram}) +
           rest / gigahertz * 1e-3 + kLaunchMicroseconds;
  };
  result.gigahertz = clock(energy, microseconds);
  result.microseconds = microseconds(result.gigahertz);
  result.tensorPart =
      tensor * working / result.gigahertz * 1e-3 / result.microseconds;
  struct Limit {
    double value;
    const char *name;
  };
  const Limit limits[] = {{tensor, "tensor cores"},
                          {shared, "shared memory"},
                          {load * n, "traffic from L2"},
                          {total.threadCycles * n, "arithmetic of threads"}};
  const Limit *most = std::max_element(
      std::begin(limits), std::end(limits),
      [](const Limit &a, const Limit &b) { return a.value < b.value; });
  if (dram > loops / result.gigahertz * 1e-3)
    result.limit = "DRAM";
  else if (most->value < 0.5 * cycles)
    result.limit = "latency";
  else
    result.limit = most->name;
  return result;
}

Estimate cost::estimate(const KernelFacts &facts, const DeviceInfo &device,
                        const TargetInfo &target) {
  return Estimator(facts, device, target).run();
}
