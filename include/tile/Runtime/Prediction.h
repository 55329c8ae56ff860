//===- Prediction.h - how long a launch will take ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model behind docs/Rationale/TileChoice.md, as sums over numbers: what a
// kernel's blocks do, how many there are, and the figures of a GPU. The
// compiler asks it to choose what programs leave open; the launcher asks it
// which of several kernels to take for the sizes of a launch, by the same sums
// on what the manifest says (`cost`). Nothing here allocates.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_RUNTIME_PREDICTION_H
#define TILE_RUNTIME_PREDICTION_H

#include "tile/Runtime/Expr.h"
#include "tile/Runtime/Support.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::tile::runtime {

/// Other forms of a kernel that an artifact may have.
inline constexpr unsigned kMaxVersions = 384;

/// Bytes of a line of the L2 cache, which are requested at a time, and of a
/// sector, which are delivered at a time.
inline constexpr int64_t kLineBytes = 128, kSectorBytes = 32;
/// Blocks that share a tile by `stream_k` at most, where tiles are few: the
/// last one to arrive reads what all of them have left.
inline constexpr int64_t kMostSharersOfTile = 8;

/// What decides how fast a device is, as far as the model knows.
struct DeviceFigures {
  std::string name; ///< for the reader
  int64_t multiprocessors = 1;
  double maxGHz = 1;               ///< clock that is not limited by power
  double sustainedGHz = 1;         ///< clock with tensor cores always busy
  double dramBytesPerSecond = 1e9; ///< that plain copies get
  double l2Capacity = 0;           ///< bytes
  double sharedBytes = 1;          ///< read or written a cycle
  double l2Bytes = 1;              ///< from the L2 cache, a cycle
  double loadLatency = 0;          ///< cycles from a load to its data
  /// Multiprocessors of each group that a cluster has to fit in; empty where
  /// that is not known.
  std::vector<int64_t> groups;

  /// Clusters of `size` blocks that run at a time, one block a multiprocessor.
  int64_t clusterPlaces(int64_t size) const;
};

/// What a block does in a part of its program, once.
struct Work {
  double tensorCycles = 0; // at the rate of the instruction used
  double threadCycles = 0; // of arithmetic by threads
  double sharedRead = 0, sharedWritten = 0; // bytes
  double loaded = 0; // bytes from L2, less what a cluster's peers bring
  double stored = 0; // bytes to L2
  double waits = 0;  // latencies that nothing hides

  Work &operator+=(const Work &other);
};
Work operator*(const Work &work, double times);

/// A loop whose loads run ahead, or straight-line code (trips 1, stages 1).
struct Phase {
  Work work; // of one iteration
  /// What the L2 cache is asked for beside the bytes loaded (`requestsBeside`):
  /// more where rows start between its lines, less where neighbours ask for the
  /// same.
  double requests = 0;
  double trips = 1; // iterations each time the loop runs
  double runs = 1;  // times it runs in a block
  int64_t stages = 1;
};

/// One buffer's traffic with DRAM.
struct Stream {
  double bytesPerTile = 0; // what a place of the grid reads or writes
  double footprint = 0;    // distinct bytes of all blocks together
  double outside = 0;      // bytes loaded by a block of what is not there
  /// Whether blocks along a dimension of the grid touch different parts.
  std::array<bool, 3> varies = {false, false, false};
  bool isStore = false;
};

/// How a kernel is launched, and how much of it a multiprocessor holds.
struct LaunchFacts {
  std::array<int64_t, 3> grid = {1, 1, 1}; // blocks, of whole clusters
  std::array<int64_t, 3> cluster = {1, 1, 1};
  int64_t consumers = 128; // threads that compute
  int64_t resident = 1;    // blocks at a time on a multiprocessor
  int64_t panel = 0;       // rows; 0: none
  int64_t persistent = 0;  // blocks of a multiprocessor; 0: one per tile
  int64_t split = 1;       // blocks that share a tile's pipelined loop
  int64_t streamK = 0;     // parts of that loop in shared tiles; 0: none are
  bool hasRoles = false;   // loads are issued by warps of their own
  /// Clusters of this size that run at a time, one block a multiprocessor; 0:
  /// as the device's groups tell.
  int64_t places = 0;

  int64_t blocks() const { return grid[0] * grid[1] * grid[2] * split; }
  int64_t clusterSize() const {
    return cluster[0] * cluster[1] * cluster[2] * split;
  }
  int64_t placesOf(const DeviceFigures &device) const;
};

/// Of the bytes `loaded` by a block, in the mean, those that lie outside of the
/// buffer: blocks reach further than it. `bytes`: what a place of the grid
/// reads.
double outsideBytes(const Stream &stream, double bytes, double loaded,
                    const std::array<int64_t, 3> &grid);

/// Of what a block loads, what the L2 cache is asked for besides, as a part of
/// it. `pitch`: bytes from row to row; 0: rows do not matter. `varies`: as in
/// Stream.
double requestsBeside(int64_t pitch, const std::array<bool, 3> &varies,
                      const LaunchFacts &launch);
/// The least that it can be.
double leastRequestsBeside(const LaunchFacts &launch);

/// Cycles of an iteration in the steady state.
double iterationCycles(const Phase &phase, const LaunchFacts &launch,
                       const DeviceFigures &device);

struct Prediction {
  double microseconds = 0;
  int64_t rounds = 0;    // blocks that the busiest multiprocessor works off
  double busy = 0;       // part of all rounds' places that blocks fill
  double tensorPart = 0; // of the time that tensor cores multiply
  double gigahertz = 0;
  double dramBytes = 0, l2Bytes = 0;
  const char *limit = ""; // what takes longest, in words
};

/// Predicts a launch. `atMost`: where the time is certainly longer, the result
/// is that bound, and the rest of the prediction is left out.
Prediction predict(const LaunchFacts &launch, Span<const Phase> phases,
                   Span<const Stream> streams, const DeviceFigures &device,
                   double atMost = 1e300);

/// Microseconds that a launch takes at least, whose blocks take so many cycles
/// at least in pipelined loops and in straight-line code: at the highest clock.
/// `streams`: all of them, or none, which leaves DRAM out.
double leastMicroseconds(const LaunchFacts &launch, double pipelined,
                         double straight, const DeviceFigures &device,
                         Span<const Stream> streams);

//===----------------------------------------------------------------------===//
// What the manifest says
//===----------------------------------------------------------------------===//

inline constexpr unsigned kMaxCostLoops = 8, kMaxCostStreams = 16;

/// A phase whose trips depend on the arguments of a launch.
struct CostLoop {
  Work work;
  int64_t stages = 1;
  Expr trips = Expr(1);
  double times = 1;    ///< it runs in an iteration of the loop around it
  unsigned parent = 0; ///< that loop; the first one is the block itself
};

/// Traffic whose amount depends on the arguments of a launch.
struct CostStream {
  unsigned loop = 0; ///< in which it stands
  double bytes = 0;  ///< of an iteration
  double loaded = 0; ///< of an iteration, from L2, as in CostLoop::work
  Expr elements;     ///< of the whole buffer
  Expr pitch;        ///< elements from row to row; 0: rows do not matter
  double elementBytes = 0;
  std::array<bool, 3> varies = {false, false, false};
  bool isStore = false;
};

/// What the model has to know of a kernel to predict any launch of it.
struct CostSpec {
  DeviceFigures device; ///< that the kernel was compiled for
  LaunchFacts launch;   ///< but for the grid
  /// Points of the grid, before clusters cover it.
  std::array<Expr, 3> tiles = {Expr(1), Expr(1), Expr(1)};
  std::vector<CostLoop> loops;
  std::vector<CostStream> streams;

  bool empty() const { return loops.empty(); }
};

/// Predicts launches of kernels that take the same arguments. What is the same
/// for all launches is computed once, and what several kernels ask of the
/// arguments is evaluated once a launch.
class LaunchPredictor {
public:
  /// `costs`, of a kernel and its versions, live as long as this; none is
  /// empty. `places`: of each of them,
  /// how many clusters run at a time, one block a multiprocessor, where
  /// somebody has counted them; 0, or none at all, elsewhere.
  explicit LaunchPredictor(std::vector<const CostSpec *> costs,
                           Span<const int64_t> places = {});

  /// Sets `times`, of each kernel, to the microseconds of a launch with these
  /// arguments: infinite where an expression has no value. A time that is NAN
  /// before stays so: the kernel is none for the launch. Only the least is
  /// exact: of a kernel that is certainly slower it is a lower bound. Bounds
  /// without DRAM are computed of all kernels; in their order, those below the
  /// least time so far get a bound with DRAM, and a whole prediction.
  void predict(Span<const ExprArg> args, double *times) const;

private:
  /// What is read of every kernel at every launch lies together: a launch of
  /// new sizes finds none of it in the caches of its core.
  struct Kernel {
    const CostSpec *cost;
    const DeviceFigures *device;   ///< of the first kernel that has the same
    LaunchFacts facts;             ///< but for the grid
    std::array<uint16_t, 3> tiles; ///< places in `exprs`
    uint16_t numLoops, numStreams;
    uint32_t firstLoop, firstStream;
  };
  struct Loop {
    double cycles; ///< of an iteration at least
    double times;
    uint16_t trips; ///< place in `exprs`
    uint8_t parent;
    bool isPipelined;
  };
  struct Traffic {
    double bytes, loaded, elementBytes;
    uint16_t elements, pitch; ///< places in `exprs`
    uint8_t loop;
    std::array<bool, 3> varies;
    bool isStore;
  };
  /// Values of expressions for one launch: the first ones are kept (on the
  /// stack, so that a launch allocates nothing), others evaluated at each use.
  static constexpr size_t kMaxKept = 1024;
  struct Kept {
    int64_t value;
    bool isKnown;
  };
  struct Values {
    Span<const ExprArg> args;
    const ExprProgram *exprs;
    const Kept *kept;
  };
  struct Launch;
  bool read(const Kernel &kernel, const Values &values, Launch &launch) const;
  void readStreams(const Kernel &kernel, const Values &values,
                   Launch &launch) const;
  double bound(const Kernel &kernel, const Launch &launch) const;
  double predict(const Kernel &kernel, const Launch &launch,
                 double atMost) const;

  std::vector<ExprProgram> exprs;
  std::vector<Kernel> kernels;
  std::vector<Loop> loops;
  std::vector<Traffic> traffic;
};

/// The same of one kernel.
double predictLaunch(const CostSpec &cost, Span<const ExprArg> args);

/// `cost` as JSON, and back: how the compiler keeps it on a kernel.
std::string serializeCost(const CostSpec &cost);
Result<CostSpec> parseCost(const std::string &text);

} // namespace mlir::tile::runtime

#endif // TILE_RUNTIME_PREDICTION_H
