//===- LaunchPredictor.cpp - a launch, by what the manifest says ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of several kernels takes the least time for the arguments of a launch.
// What each of them does stands in the manifest as formulas of the arguments;
// the sums are those of Prediction.cpp.
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/Prediction.h"

#include <algorithm>
#include <cmath>

using namespace mlir::tile::runtime;

LaunchPredictor::LaunchPredictor(std::vector<const CostSpec *> costs,
                                 Span<const int64_t> places) {
  auto placeOf = [&](const Expr &expr) {
    auto found = std::find(exprs.begin(), exprs.end(), expr);
    if (found == exprs.end())
      found = exprs.insert(found, expr);
    return uint16_t(found - exprs.begin());
  };
  for (const CostSpec *cost : costs) {
    Kernel kernel{cost, {}, {}};
    kernel.clusters = cost->launch.placesOf(cost->device);
    if (size_t i = kernels.size(); i < places.size() && places[i] > 0)
      kernel.clusters = places[i];
    for (const Expr &tiles : cost->tiles)
      kernel.places.push_back(placeOf(tiles));
    for (const CostLoop &loop : cost->loops) {
      Phase phase;
      phase.work = loop.work;
      phase.stages = loop.stages;
      phase.requests = loop.work.loaded * leastRequestsBeside(cost->launch);
      kernel.cycles.push_back(
          iterationCycles(phase, cost->launch, cost->device));
      kernel.places.push_back(placeOf(loop.trips));
    }
    for (const CostStream &stream : cost->streams) {
      kernel.places.push_back(placeOf(stream.elements));
      kernel.places.push_back(placeOf(stream.pitch));
    }
    kernels.push_back(std::move(kernel));
  }
}

/// What the model is asked for one launch of a kernel, but for its streams.
struct LaunchPredictor::Launch {
  LaunchFacts facts;
  std::array<Phase, kMaxCostLoops> phases;
  const uint16_t *place = nullptr; ///< of the next expression
  bool hasValues = true;

  int64_t next(const Values &values) {
    unsigned at = *place++;
    Expr::Value value = at < kMaxKept ? values.kept[at]
                                      : values.exprs[at].evaluate(values.args);
    hasValues &= value.ok();
    return value.value;
  }
};

/// False where an expression has no value.
bool LaunchPredictor::read(const Kernel &kernel, const Values &values,
                           Launch &launch) {
  const CostSpec &cost = *kernel.cost;
  launch.place = kernel.places.data();
  launch.facts = cost.launch;
  launch.facts.places = kernel.clusters;
  for (unsigned d = 0; d < 3; ++d) {
    int64_t cluster = launch.facts.cluster[d];
    int64_t tiles = std::max<int64_t>(0, launch.next(values));
    // Clusters cover the grid; what overhangs works for nothing.
    launch.facts.grid[d] =
        cluster == 1 ? tiles : (tiles + cluster - 1) / cluster * cluster;
  }
  for (size_t i = 0; i < cost.loops.size(); ++i) {
    const CostLoop &loop = cost.loops[i];
    Phase &phase = launch.phases[i];
    phase.stages = loop.stages;
    phase.trips = double(std::max<int64_t>(0, launch.next(values)));
    phase.cycles = kernel.cycles[i];
    if (i > 0)
      phase.runs = launch.phases[loop.parent].runs *
                   launch.phases[loop.parent].trips * loop.times;
  }
  return launch.hasValues;
}

/// Microseconds that a launch takes at least: its pipelined loops at the
/// highest clock, with all that neighbours can ask for together.
double LaunchPredictor::bound(const Kernel &kernel, const Values &values) {
  Launch launch;
  if (!read(kernel, values, launch))
    return INFINITY;
  int64_t clusters =
      launch.facts.blocks() / std::max<int64_t>(1, launch.facts.clusterSize());
  int64_t rounds = (clusters + kernel.clusters - 1) / kernel.clusters;
  double cycles = 0;
  for (size_t i = 0; i < kernel.cost->loops.size(); ++i) {
    const Phase &phase = launch.phases[i];
    if (phase.stages > 1)
      cycles += phase.runs * phase.trips * phase.cycles;
  }
  cycles *=
      double(rounds) /
      double(std::max<int64_t>(1, std::min(launch.facts.resident, rounds)));
  return leastMicroseconds(cycles, kernel.cost->device);
}

void LaunchPredictor::predict(Span<const ExprArg> args, double *times) const {
  Values values{args, exprs.data(), {}};
  for (size_t i = 0; i < exprs.size() && i < kMaxKept; ++i)
    values.kept[i] = exprs[i].evaluate(args);
  // The one with the least bound is likely to be among the fastest, and rules
  // others out.
  size_t first = kernels.size();
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (std::isnan(times[i]))
      continue;
    times[i] = bound(kernels[i], values);
    if (first == kernels.size() || times[i] < times[first])
      first = i;
  }
  if (first == kernels.size())
    return;
  double least = predict(kernels[first], values, INFINITY);
  times[first] = least;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (i == first || !(times[i] < least))
      continue;
    times[i] = predict(kernels[i], values, least);
    least = std::min(least, times[i]);
  }
}

double LaunchPredictor::predict(const Kernel &kernel, const Values &values,
                                double atMost) {
  const CostSpec &cost = *kernel.cost;
  Launch launch;
  if (!read(kernel, values, launch))
    return INFINITY;
  size_t numLoops = cost.loops.size();
  for (size_t i = 0; i < numLoops; ++i)
    launch.phases[i].work = cost.loops[i].work;
  std::array<Stream, kMaxCostStreams> streams;
  for (size_t i = 0; i < cost.streams.size(); ++i) {
    const CostStream &any = cost.streams[i];
    int64_t elements = launch.next(values), pitch = launch.next(values);
    Phase &phase = launch.phases[any.loop];
    if (any.loaded > 0)
      phase.requests +=
          any.loaded * requestsBeside(int64_t(double(pitch) * any.elementBytes),
                                      any.varies, launch.facts);
    double share = phase.stages > 1 ? double(launch.facts.split) : 1;
    double times = phase.trips * phase.runs;
    Stream &stream = streams[i];
    stream.footprint = double(elements) * any.elementBytes;
    stream.bytesPerTile = std::min(any.bytes * times * share, stream.footprint);
    stream.varies = any.varies;
    stream.isStore = any.isStore;
    stream.outside = outsideBytes(stream, any.bytes * times * share,
                                  any.loaded * times, launch.facts.grid);
  }
  if (!launch.hasValues)
    return INFINITY;
  return runtime::predict(
             launch.facts, Span<const Phase>(launch.phases.data(), numLoops),
             Span<const Stream>(streams.data(), cost.streams.size()),
             cost.device, atMost)
      .microseconds;
}

double mlir::tile::runtime::predictLaunch(const CostSpec &cost,
                                          Span<const ExprArg> args) {
  double time = 0;
  LaunchPredictor({&cost}).predict(args, &time);
  return time;
}
