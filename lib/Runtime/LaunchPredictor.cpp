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

/// Whether the model says the same of two devices.
static bool areAlike(const DeviceFigures &a, const DeviceFigures &b) {
  return a.multiprocessors == b.multiprocessors && a.maxGHz == b.maxGHz &&
         a.sustainedGHz == b.sustainedGHz &&
         a.dramBytesPerSecond == b.dramBytesPerSecond &&
         a.l2Capacity == b.l2Capacity && a.sharedBytes == b.sharedBytes &&
         a.l2Bytes == b.l2Bytes && a.loadLatency == b.loadLatency &&
         a.groups == b.groups;
}

LaunchPredictor::LaunchPredictor(std::vector<const CostSpec *> costs,
                                 Span<const int64_t> places) {
  std::vector<Expr> known;
  auto placeOf = [&](const Expr &expr) {
    auto found = std::find(known.begin(), known.end(), expr);
    if (found == known.end())
      found = known.insert(found, expr);
    return uint16_t(found - known.begin());
  };
  for (const CostSpec *cost : costs) {
    Kernel kernel = {};
    kernel.cost = cost;
    kernel.device = &cost->device;
    for (const Kernel &other : kernels)
      if (areAlike(*other.device, cost->device)) {
        kernel.device = other.device;
        break;
      }
    kernel.facts = cost->launch;
    kernel.facts.places = cost->launch.placesOf(cost->device);
    if (size_t i = kernels.size(); i < places.size() && places[i] > 0)
      kernel.facts.places = places[i];
    for (unsigned d = 0; d < 3; ++d)
      kernel.tiles[d] = placeOf(cost->tiles[d]);
    kernel.firstLoop = uint32_t(loops.size());
    kernel.numLoops = uint16_t(cost->loops.size());
    for (const CostLoop &loop : cost->loops) {
      Phase phase;
      phase.work = loop.work;
      phase.stages = loop.stages;
      phase.requests = loop.work.loaded * leastRequestsBeside(cost->launch);
      loops.push_back({iterationCycles(phase, cost->launch, cost->device),
                       loop.times, placeOf(loop.trips), uint8_t(loop.parent),
                       loop.stages > 1});
    }
    kernel.firstStream = uint32_t(traffic.size());
    kernel.numStreams = uint16_t(cost->streams.size());
    for (const CostStream &stream : cost->streams)
      traffic.push_back({stream.bytes, stream.loaded, stream.elementBytes,
                         placeOf(stream.elements), placeOf(stream.pitch),
                         uint8_t(stream.loop), stream.varies, stream.isStore});
    kernels.push_back(kernel);
  }
  for (const Expr &expr : known)
    exprs.emplace_back(expr);
}

/// What the model is asked for one launch of a kernel.
struct LaunchPredictor::Launch {
  LaunchFacts facts;
  unsigned numLoops = 0, numStreams = 0;
  double trips[kMaxCostLoops], runs[kMaxCostLoops];
  double requests[kMaxCostLoops]; ///< beside the bytes loaded
  Stream streams[kMaxCostStreams];
  bool hasValues = true;

  int64_t valueOf(unsigned at, const Values &values) {
    if (at < kMaxKept) {
      hasValues &= values.kept[at].isKnown;
      return values.kept[at].value;
    }
    Expr::Value value = values.exprs[at].evaluate(values.args);
    hasValues &= value.ok();
    return value.value;
  }
  Span<const Stream> allStreams() const {
    return Span<const Stream>(streams, numStreams);
  }
};

/// Grid and trips; false where an expression has no value.
bool LaunchPredictor::read(const Kernel &kernel, const Values &values,
                           Launch &launch) const {
  launch.facts = kernel.facts;
  launch.hasValues = true;
  for (unsigned d = 0; d < 3; ++d) {
    int64_t cluster = launch.facts.cluster[d];
    int64_t tiles =
        std::max<int64_t>(0, launch.valueOf(kernel.tiles[d], values));
    // Clusters cover the grid; what overhangs works for nothing.
    launch.facts.grid[d] =
        cluster == 1 ? tiles : (tiles + cluster - 1) / cluster * cluster;
  }
  launch.numLoops = kernel.numLoops;
  const Loop *own = loops.data() + kernel.firstLoop;
  for (unsigned i = 0; i < launch.numLoops; ++i) {
    launch.trips[i] =
        double(std::max<int64_t>(0, launch.valueOf(own[i].trips, values)));
    unsigned parent = own[i].parent;
    launch.runs[i] =
        i > 0 ? launch.runs[parent] * launch.trips[parent] * own[i].times : 1;
  }
  return launch.hasValues;
}

/// What a launch whose grid and trips are known moves; `hasValues` says whether
/// all of it has a value.
void LaunchPredictor::readStreams(const Kernel &kernel, const Values &values,
                                  Launch &launch) const {
  std::fill_n(launch.requests, launch.numLoops, 0.0);
  launch.numStreams = kernel.numStreams;
  const Loop *own = loops.data() + kernel.firstLoop;
  for (unsigned i = 0; i < launch.numStreams; ++i) {
    const Traffic &any = traffic[kernel.firstStream + i];
    int64_t elements = launch.valueOf(any.elements, values),
            pitch = launch.valueOf(any.pitch, values);
    if (any.loaded > 0)
      launch.requests[any.loop] +=
          any.loaded * requestsBeside(int64_t(double(pitch) * any.elementBytes),
                                      any.varies, launch.facts);
    double share = own[any.loop].isPipelined ? double(launch.facts.split) : 1;
    double times = launch.trips[any.loop] * launch.runs[any.loop];
    Stream &stream = launch.streams[i];
    stream.footprint = double(elements) * any.elementBytes;
    stream.bytesPerTile = std::min(any.bytes * times * share, stream.footprint);
    stream.varies = any.varies;
    stream.isStore = any.isStore;
    stream.outside = outsideBytes(stream, any.bytes * times * share,
                                  any.loaded * times, launch.facts.grid);
  }
}

/// Microseconds that a launch takes at least: its loops at the highest clock,
/// with all that neighbours can ask for together.
double LaunchPredictor::bound(const Kernel &kernel,
                              const Launch &launch) const {
  double pipelined = 0, straight = 0;
  const Loop *own = loops.data() + kernel.firstLoop;
  for (unsigned i = 0; i < launch.numLoops; ++i)
    (own[i].isPipelined ? pipelined : straight) +=
        launch.runs[i] * launch.trips[i] * own[i].cycles;
  return leastMicroseconds(launch.facts, pipelined, straight, *kernel.device,
                           launch.allStreams());
}

void LaunchPredictor::predict(Span<const ExprArg> args, double *times) const {
  Kept kept[kMaxKept];
  size_t numKept = std::min(exprs.size(), kMaxKept);
  for (size_t i = 0; i < numKept; ++i) {
    Expr::Value value = exprs[i].evaluate(args);
    kept[i] = {value.value, value.ok()};
  }
  Values values{args, exprs.data(), kept};
  uint16_t order[kMaxVersions + 1];
  size_t count = 0;
  Launch launch;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (std::isnan(times[i]))
      continue;
    launch.numStreams = 0;
    times[i] =
        read(kernels[i], values, launch) ? bound(kernels[i], launch) : INFINITY;
    order[count++] = uint16_t(i);
  }
  // Those with the least bounds are likely to be the fastest, and rule the
  // others out.
  auto isLater = [&](uint16_t a, uint16_t b) { return times[a] > times[b]; };
  std::make_heap(order, order + count, isLater);
  for (double least = INFINITY; count; --count) {
    std::pop_heap(order, order + count, isLater);
    size_t i = order[count - 1];
    if (!(times[i] < least))
      return;
    read(kernels[i], values, launch);
    readStreams(kernels[i], values, launch);
    if (!launch.hasValues) {
      times[i] = INFINITY;
      continue;
    }
    times[i] = bound(kernels[i], launch);
    if (times[i] < least)
      times[i] = predict(kernels[i], launch, least);
    least = std::min(least, times[i]);
  }
}

double LaunchPredictor::predict(const Kernel &kernel, const Launch &launch,
                                double atMost) const {
  const CostSpec &cost = *kernel.cost;
  std::array<Phase, kMaxCostLoops> phases;
  for (unsigned i = 0; i < launch.numLoops; ++i) {
    phases[i].work = cost.loops[i].work;
    phases[i].stages = cost.loops[i].stages;
    phases[i].requests = launch.requests[i];
    phases[i].trips = launch.trips[i];
    phases[i].runs = launch.runs[i];
  }
  return runtime::predict(launch.facts,
                          Span<const Phase>(phases.data(), launch.numLoops),
                          launch.allStreams(), *kernel.device, atMost)
      .microseconds;
}

double mlir::tile::runtime::predictLaunch(const CostSpec &cost,
                                          Span<const ExprArg> args) {
  double time = 0;
  LaunchPredictor({&cost}).predict(args, &time);
  return time;
}
