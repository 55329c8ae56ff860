//===- CostModel.h - how long a kernel will take ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says of a kernel, from what its blocks do (KernelFacts, read off the IR by
// CostFacts.h), what a GPU (DeviceInfo.h) cannot run, and how long it takes, by
// the sums of Runtime/Prediction.h that launchers have, too. Plain C++ without
// IR, so that it is tested by numbers. It ranks candidate programs:
// what differs between them (waves, traffic, overlap, occupancy) is modelled,
// what does not is a constant. docs/Rationale/TileChoice.md has the formulas,
// where the numbers come from, and how predictions compare with measurements.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_COSTMODEL_H
#define TILE_ANALYSIS_COSTMODEL_H

#include "tile/Runtime/Prediction.h"
#include "tile/Target/DeviceInfo.h"
#include "tile/Target/ThreadBudget.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::tile::cost {

using runtime::Phase;
using runtime::Stream;
using runtime::Work;

struct KernelFacts {
  std::array<int64_t, 3> grid = {1, 1, 1}; // blocks
  std::array<int64_t, 3> cluster = {1, 1, 1};
  int64_t threads = 128;   // as launched, producers included
  int64_t registers = 32;  // of a consumer thread
  int64_t sharedBytes = 0; // of a block
  int64_t panel = 0;       // rows; 0: none
  int64_t persistent = 0;  // blocks of a multiprocessor; 0: one per tile
  int64_t split = 1;       // blocks that share a tile's pipelined loop
  int64_t streamK = 0;     // parts of that loop in shared tiles; 0: none are
  bool hasRoles = false;   // loads are issued by warps of their own
  std::vector<Phase> phases;
  std::vector<Stream> streams;

  /// Threads that compute.
  int64_t consumers() const {
    return hasRoles ? threads - kProducerThreads : threads;
  }
  int64_t blocks() const { return grid[0] * grid[1] * grid[2] * split; }
  int64_t clusterSize() const {
    return cluster[0] * cluster[1] * cluster[2] * split;
  }
};

struct Estimate {
  double microseconds = 0;
  int64_t rounds = 0;    // blocks that the busiest multiprocessor works off
  int64_t resident = 0;  // blocks at a time on it
  double busy = 0;       // part of all rounds' places that blocks fill
  double tensorPart = 0; // of the time that tensor cores multiply
  double gigahertz = 0;
  double dramBytes = 0, l2Bytes = 0;
  std::string limit; // what takes longest, in words
  /// Why the kernel cannot run; empty when it can. Nothing else is then set.
  std::string excluded;
};

/// How a kernel is launched, `resident` blocks at a time on a multiprocessor.
runtime::LaunchFacts launchOf(const KernelFacts &facts,
                              const DeviceInfo &device, int64_t resident);

/// What the target cannot run; else nothing, and how many blocks a
/// multiprocessor holds.
std::string exclude(const KernelFacts &facts, const TargetInfo &target,
                    int64_t &resident);

Estimate estimate(const KernelFacts &facts, const DeviceInfo &device,
                  const TargetInfo &target);

} // namespace mlir::tile::cost
#endif // TILE_ANALYSIS_COSTMODEL_H
