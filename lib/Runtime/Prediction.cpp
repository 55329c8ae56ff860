//===- Prediction.cpp - how long a launch will take -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums behind docs/Rationale/TileChoice.md. Cycles of the busiest
// multiprocessor come first, then the clock that power allows for that mixture,
// then DRAM. Constants are either figures of the device (DeviceFigures) or
// fitted to 7,100 times of f16 GEMMs of random sizes on one H200, 6 % off
// (standard deviation of the logarithm, those counting most that are fast).
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/Prediction.h"

#include <algorithm>
#include <cmath>

using namespace mlir::tile::runtime;

//===----------------------------------------------------------------------===//
// Constants of the model
//
// All of them were fitted on one H200 and hold for other devices as far as
// these work like it: what differs is in the device's figures.
//===----------------------------------------------------------------------===//

/// Between iterations of a pipelined loop: a wait and a release of a ring, by
/// warps that do nothing else; or a wait, a barrier, and the issue of the next
/// copies, by all warps. The second from 385 TFLOP/s at a K step of 32 against
/// 395 at 64 by mma.sync.
static constexpr double kRoleCycles = 9.8, kBarrierCycles = 100;
/// Of a tile, where slots are released to other multiprocessors, too: who
/// stores keeps the others waiting.
static constexpr double kClusterCycles = 2790;
/// What the latency of a load grows to where all multiprocessors load.
static constexpr double kLatencyUnderLoad = 1.32;
/// Until the first iteration of a loop has its data beyond the load itself:
/// launch of the block, descriptors, first barriers.
static constexpr double kFillCycles = 2560;
/// Of a persistent block, which goes through its part of the grid.
static constexpr double kPersistentCycles = 1000;
/// What the L2 cache is asked for besides, as a part of the bytes loaded, where
/// rows of a tile start between its lines: at half of one, at a sector, or
/// between sectors. Measured on an H100: GEMMs of 128 x 256 tiles without
/// multicast run at 390 TFLOP/s in place of 690 where K is an odd multiple of
/// eight 16-bit elements.
static constexpr double kAtHalfLines = 0.18, kAtSectors = 0.08,
                        kBetweenSectors = 0.62;
/// Requests of so many blocks for the same lines become one on their way to the
/// L2 cache, where blocks are launched one by one: those follow each other on
/// neighbouring multiprocessors. Clusters are dealt out to groups of
/// multiprocessors by turns, and their multicasts are not merged. Measured on
/// an H200: 347 x 4096 x 14336 in tiles of 88 x 128 asks for 0.32 GB in place
/// of 0.79, in clusters of 2 x 1 for 0.63.
static constexpr int64_t kNeighbours = 8;
static constexpr double kMerged = 0.54;
/// Cycles of a byte of a tile that lies outside of its tensor. Tensor copies
/// fill it with zeros, one after the other with what they load: with 5 rows of
/// A a tile of 128 x 128 takes 1.45 times as long as one of 8 x 128 on an H200,
/// though both read the same bytes.
static constexpr double kOutsideCycles = 0.0153;
/// Exponent of how limits add up: each hides the others, less the closer they
/// are. With 8, 3 stages instead of 4 cost 1 % at 128 x 256 x 64.
static constexpr double kOverlap = 8;
/// Energy beside that of a cycle of tensor cores: a cycle of shared memory, a
/// cycle of traffic from L2, a cycle without any of it.
static constexpr double kSharedEnergy = 0.017, kL2Energy = 0.025,
                        kIdleEnergy = 0.042;
/// Of a launch; and of DRAM until it streams, which a kernel that computes
/// meanwhile does not notice.
static constexpr double kLaunchMicroseconds = 2.8, kDramMicroseconds = 4.1;
/// Of the data sheet's (or a plain copy's) bandwidth.
static constexpr double kDramPart = 0.97;
/// Latencies until the blocks that share a tile have met: of the meeting, of
/// each partner; the part of it in rounds that follow another one. What they
/// add up is counted among the bytes loaded (CostFacts.cpp).
static constexpr double kPartnerWaits = 0.117, kMeetingWaits = 1.07,
                        kLaterMeeting = 0.17;
/// The same of a block that shares tiles with others by stream-K: what it wrote
/// has to have arrived before it says so, and the last one reads it.
static constexpr double kStreamWaits = 6;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

int64_t DeviceFigures::clusterPlaces(int64_t size) const {
  if (groups.empty())
    return std::max<int64_t>(1, multiprocessors / size);
  int64_t places = 0;
  for (int64_t group : groups)
    places += group / size;
  return std::max<int64_t>(1, places);
}

int64_t LaunchFacts::placesOf(const DeviceFigures &device) const {
  return places > 0 ? places : device.clusterPlaces(clusterSize());
}

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

Work mlir::tile::runtime::operator*(const Work &work, double times) {
  return {work.tensorCycles * times, work.threadCycles * times,
          work.sharedRead * times,   work.sharedWritten * times,
          work.loaded * times,       work.stored * times,
          work.waits * times};
}

/// To the power of kOverlap, and the root: three products, three roots.
static double raise(double x) {
  x *= x;
  x *= x;
  return x * x;
}
static double lower(double x) { return std::sqrt(std::sqrt(std::sqrt(x))); }
static_assert(kOverlap == 8, "raise and lower are by hand");

/// Limits that overlap: the longest, and a little of the others.
static double together(std::initializer_list<double> limits) {
  double longest = std::max(limits);
  if (longest <= 0)
    return 0;
  double sum = 0;
  for (double limit : limits)
    sum += raise(std::max(0.0, limit) / longest);
  return longest * lower(sum);
}

/// Cycles from a load to its data, where all multiprocessors load.
static double latencyOf(const DeviceFigures &device) {
  return kLatencyUnderLoad * device.loadLatency;
}

/// Reads and writes of shared memory take turns.
static double sharedCycles(const Work &work, const DeviceFigures &device) {
  return (work.sharedRead + work.sharedWritten) / device.sharedBytes;
}

double mlir::tile::runtime::outsideBytes(const Stream &stream, double bytes,
                                         double loaded,
                                         const std::array<int64_t, 3> &grid) {
  if (stream.isStore)
    return 0;
  double reach = bytes;
  for (unsigned d = 0; d < 3; ++d)
    if (stream.varies[d])
      reach *= double(grid[d]);
  return reach > stream.footprint ? loaded * (1 - stream.footprint / reach) : 0;
}

/// Of `count` blocks that follow each other, how many differ in each index.
/// The order of docs/Rationale/BlockOrder.md: rows of a panel, columns.
static std::array<double, 3> extentsOf(const LaunchFacts &launch,
                                       double count) {
  std::array<double, 3> extents = {1, 1, 1};
  auto take = [&](unsigned d, double most) {
    double extent = double(std::max<int64_t>(1, launch.grid[d]));
    double taken = std::min({count, extent, most});
    extents[d] *= taken;
    count = std::max(1.0, count / std::max(1.0, taken));
  };
  if (launch.panel)
    take(1, double(launch.panel));
  take(0, INFINITY);
  if (!launch.panel)
    take(1, INFINITY);
  take(2, INFINITY);
  return extents;
}

double mlir::tile::runtime::requestsBeside(int64_t pitch,
                                           const std::array<bool, 3> &varies,
                                           const LaunchFacts &launch) {
  if (pitch % kSectorBytes != 0)
    return kBetweenSectors;
  if (pitch % kLineBytes != 0)
    return pitch % (kLineBytes / 2) == 0 ? kAtHalfLines : kAtSectors;
  if (launch.clusterSize() > 1)
    return 0;
  std::array<double, 3> extents = extentsOf(launch, kNeighbours);
  double same = 1;
  for (unsigned d = 0; d < 3; ++d)
    if (!varies[d])
      same *= extents[d];
  return -kMerged * (1 - 1 / same);
}

double mlir::tile::runtime::leastRequestsBeside(const LaunchFacts &launch) {
  return launch.clusterSize() > 1 ? 0
                                  : -kMerged * (1 - 1.0 / double(kNeighbours));
}

/// The limit that is reached first.
double mlir::tile::runtime::iterationCycles(const Phase &phase,
                                            const LaunchFacts &launch,
                                            const DeviceFigures &device) {
  const Work &work = phase.work;
  double load = (work.loaded + phase.requests) / device.l2Bytes;
  double store = work.stored / device.l2Bytes;
  if (phase.stages <= 1) {
    // One thing after the other: a load, what is done with it, a store.
    return load + work.tensorCycles + work.threadCycles +
           (work.sharedRead + work.sharedWritten) / device.sharedBytes + store +
           work.waits * latencyOf(device);
  }
  // Loads of `stages - 1` iterations are under way at a time.
  double pace = (latencyOf(device) + load) / double(phase.stages - 1);
  // One warpgroup's arithmetic hides behind the products of the others.
  double groups = std::max<double>(1, double(launch.consumers) / 128);
  double exposed = work.threadCycles / groups;
  double compute = together({work.tensorCycles, sharedCycles(work, device),
                             load + store, work.threadCycles, pace});
  return compute + exposed * (work.tensorCycles > 0 ? 1 : 0) +
         (launch.hasRoles ? kRoleCycles : kBarrierCycles) +
         work.waits * latencyOf(device);
}

/// Bytes from and to DRAM: what blocks that run together read is read once by
/// all of them, and stays for the next ones where the L2 cache holds it.
static double dramBytes(const LaunchFacts &launch, Span<const Stream> streams,
                        const DeviceFigures &device) {
  int64_t blocks = launch.blocks();
  int64_t concurrent =
      std::min(blocks, launch.placesOf(device) * launch.clusterSize() *
                           std::max<int64_t>(1, launch.resident));
  double rounds = std::max(1.0, double(blocks) / double(concurrent));
  std::array<double, 3> together = extentsOf(
      launch, double(std::max<int64_t>(1, concurrent / launch.split)));
  double inputs = 0;
  for (const Stream &stream : streams)
    if (!stream.isStore)
      inputs += stream.footprint;
  double bytes = 0;
  for (const Stream &stream : streams) {
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

static double dramMicroseconds(double bytes, const DeviceFigures &device) {
  return kDramMicroseconds +
         bytes / (device.dramBytesPerSecond * kDramPart) * 1e6;
}

namespace {
/// Blocks that a multiprocessor works off, in whole and as far as their loops
/// go, and how many of them at a time.
struct Rounds {
  int64_t count;
  double loops;
  double parallel;
};
} // namespace

static Rounds roundsOf(const LaunchFacts &launch, int64_t places) {
  int64_t clusters =
      std::max<int64_t>(1, launch.blocks() / launch.clusterSize());
  int64_t count = (clusters + places - 1) / places;
  auto loops = double(count);
  // Tiles of the last round are shared: by as many blocks each, or by all.
  int64_t left = clusters % places;
  if (launch.streamK && left) {
    int64_t each =
        std::min({places / left, launch.streamK, kMostSharersOfTile});
    loops = double(clusters / places) +
            (each > 1 ? 1 / double(each) : double(left) / double(places));
  }
  // Fewer blocks than places that are shared: each has one to itself.
  return {count, loops, double(std::min(launch.resident, count))};
}

/// Cycles beside pipelined loops: straight-line code of `straight` cycles a
/// block, blocks that start, and what they wait for each other.
static double restCycles(const LaunchFacts &launch, double straight,
                         const Rounds &rounds, const DeviceFigures &device) {
  double n = double(rounds.count), parallel = rounds.parallel;
  // Roles load ahead across the tiles of a persistent block.
  double fills = launch.persistent && launch.hasRoles ? 1 : n;
  double rest =
      (straight * n + fills * (kFillCycles + latencyOf(device))) / parallel;
  if (launch.clusterSize() > launch.split)
    rest += kClusterCycles * n / parallel;
  if (launch.persistent)
    rest += kPersistentCycles;
  if (launch.split > 1)
    rest += (kMeetingWaits + kPartnerWaits * double(launch.split - 1)) *
            latencyOf(device) * (1 + kLaterMeeting * (n / parallel - 1));
  if (launch.streamK)
    rest += kStreamWaits * latencyOf(device);
  return rest;
}

double mlir::tile::runtime::leastMicroseconds(const LaunchFacts &launch,
                                              double pipelined, double straight,
                                              const DeviceFigures &device,
                                              Span<const Stream> streams) {
  if (launch.blocks() <= 0)
    return kLaunchMicroseconds;
  Rounds rounds = roundsOf(launch, launch.placesOf(device));
  double least =
      pipelined * rounds.loops / rounds.parallel / device.maxGHz * 1e-3;
  if (streams.size())
    least = std::max(
        least, dramMicroseconds(dramBytes(launch, streams, device), device));
  return least +
         restCycles(launch, straight, rounds, device) / device.maxGHz * 1e-3 +
         kLaunchMicroseconds;
}

namespace {
class Predictor {
public:
  Predictor(const LaunchFacts &launch, Span<const Phase> phases,
            Span<const Stream> streams, const DeviceFigures &device)
      : launch(launch), phases(phases), streams(streams), device(device) {}

  Prediction run(double atMost);

private:
  double blockCycles(bool isPipelined) const;
  double microseconds(double gigahertz) const;
  double clock(double energy) const;
  void nameLimit(double tensor, double shared, double load, double threads,
                 Prediction &result) const;

  const LaunchFacts &launch;
  Span<const Phase> phases;
  Span<const Stream> streams;
  const DeviceFigures &device;
  double loops = 0, rest = 0; // cycles
  double outside = 0;         // cycles that loads of nothing take
  double dram = 0;            // microseconds
};
} // namespace

/// One block alone on its multiprocessor: loops that run ahead, or the rest.
double Predictor::blockCycles(bool isPipelined) const {
  double cycles = 0;
  for (const Phase &phase : phases)
    if ((phase.stages > 1) == isPipelined)
      cycles +=
          phase.runs * phase.trips * iterationCycles(phase, launch, device);
  return cycles;
}

/// Loops and DRAM overlap; between them blocks start and end.
double Predictor::microseconds(double gigahertz) const {
  return together(
             {loops / gigahertz * 1e-3, dram + outside / gigahertz * 1e-3}) +
         rest / gigahertz * 1e-3 + kLaunchMicroseconds;
}

/// The highest clock at which the energy of a run, which grows with the square
/// of the clock, is what power gives in its time.
double Predictor::clock(double energy) const {
  double power =
      device.sustainedGHz * device.sustainedGHz * device.sustainedGHz * 1e3;
  // Of a clock that is too high: what is missing of the energy, over it.
  auto missing = [&](double gigahertz) {
    return energy * gigahertz * gigahertz - power * microseconds(gigahertz);
  };
  double high = device.maxGHz, above = missing(high);
  if (above <= 0)
    return high;
  // Energy grows, and the time shrinks: one root, by false position with the
  // weight of the end that stays halved (the Illinois method; Dowell and
  // Jarratt, BIT 11, 1971).
  double low = 0.1, below = missing(low);
  if (below >= 0)
    return low;
  constexpr double kExact = 1e-6;
  constexpr int kSteps = 40;
  int side = 0;
  for (int i = 0; i < kSteps && high - low > kExact; ++i) {
    double middle = (low * above - high * below) / (above - below);
    double value = missing(middle);
    if (std::abs(value) <= kExact * power)
      return middle;
    if (value > 0) {
      high = middle;
      above = value;
      below = side > 0 ? below / 2 : below;
      side = 1;
    } else {
      low = middle;
      below = value;
      above = side < 0 ? above / 2 : above;
      side = -1;
    }
  }
  return low;
}

void Predictor::nameLimit(double tensor, double shared, double load,
                          double threads, Prediction &result) const {
  struct Limit {
    double value;
    const char *name;
  };
  const Limit limits[] = {{tensor, "tensor cores"},
                          {shared, "shared memory"},
                          {load, "traffic from L2"},
                          {threads, "arithmetic of threads"}};
  double longest = std::max({tensor, shared, load, threads});
  // Of limits that are about the same, the first one: tensor cores, and shared
  // memory that feeds them just as fast.
  constexpr double kAlike = 0.97;
  const Limit *most = std::find_if(
      std::begin(limits), std::end(limits),
      [&](const Limit &limit) { return limit.value >= kAlike * longest; });
  if (dram > loops / result.gigahertz * 1e-3)
    result.limit = "DRAM";
  else if (most->value < 0.5 * (loops + rest))
    result.limit = "latency";
  else
    result.limit = most->name;
}

Prediction Predictor::run(double atMost) {
  Prediction result;
  if (launch.blocks() <= 0) {
    result.microseconds = kLaunchMicroseconds;
    result.limit = "an empty grid";
    return result;
  }
  int64_t size = launch.clusterSize();
  int64_t clusters = std::max<int64_t>(1, launch.blocks() / size);
  int64_t places = launch.placesOf(device);
  Rounds rounds = roundsOf(launch, places);
  result.rounds = rounds.count;
  result.busy = double(clusters) / (double(places) * rounds.loops);

  Work total;
  for (const Phase &phase : phases) {
    double times = phase.runs * phase.trips;
    total += phase.work * times;
    total.loaded += phase.requests * times;
  }
  double n = rounds.loops;
  double load = total.loaded / device.l2Bytes;
  double tensor = total.tensorCycles * n,
         shared = sharedCycles(total, device) * n;
  double threads = total.threadCycles * n;
  loops = together({blockCycles(/*isPipelined=*/true) * n / rounds.parallel,
                    tensor, shared, load * n, threads});
  rest = restCycles(launch, blockCycles(/*isPipelined=*/false), rounds, device);

  result.dramBytes = dramBytes(launch, streams, device);
  dram = dramMicroseconds(result.dramBytes, device);
  for (const Stream &stream : streams)
    outside += kOutsideCycles * stream.outside * n;
  // No clock is higher.
  result.microseconds = microseconds(device.maxGHz);
  if (result.microseconds > atMost)
    return result;

  double energy = kSharedEnergy * (total.sharedRead + total.sharedWritten) /
                      device.sharedBytes +
                  kL2Energy * load + total.tensorCycles + total.threadCycles;
  // Multiprocessors that no cluster fits on are idle, too.
  double working = result.busy * double(places * size) /
                   double(std::max(device.multiprocessors, places * size));
  energy = energy * n * working + kIdleEnergy * (loops + rest);
  result.l2Bytes = (total.loaded + total.stored) * double(launch.blocks());
  result.gigahertz = clock(energy);
  result.microseconds = microseconds(result.gigahertz);
  result.tensorPart =
      tensor * working / result.gigahertz * 1e-3 / result.microseconds;
  nameLimit(tensor, shared, load * n, threads, result);
  return result;
}

Prediction mlir::tile::runtime::predict(const LaunchFacts &launch,
                                        Span<const Phase> phases,
                                        Span<const Stream> streams,
                                        const DeviceFigures &device,
                                        double atMost) {
  return Predictor(launch, phases, streams, device).run(atMost);
}
