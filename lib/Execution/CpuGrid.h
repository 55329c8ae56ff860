//===- CpuGrid.h - blocks that wait for each other --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a kernel in which they meet (Meeting.h) run on threads of their
// own. What one of them finds wrong ends the others, which would wait for it
// for ever.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_EXECUTION_CPUGRID_H
#define TILE_LIB_EXECUTION_CPUGRID_H

#include "CpuCluster.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace mlir::tile {

struct CpuContext;

/// As many blocks as get a thread each.
inline constexpr int64_t kMaxMeetingBlocks = 1024;

/// One run of a kernel: where its blocks meet.
class CpuGrid {
public:
  explicit CpuGrid(int64_t blocks) : blocks(blocks) {}

  /// The cluster of a worker whose blocks meet those of its neighbours: `size`
  /// workers each run the blocks of one cluster after another.
  CpuCluster *clusterOf(unsigned worker, unsigned size);

  enum class Outcome { Met, Stopped, Uneven };
  /// Waits until all blocks have arrived.
  Outcome arrive();
  /// A thread has run its block to the end, or to where something was wrong.
  void end(bool failed);
  /// Whether the run is over because something was wrong.
  bool isStopped() const { return stopped.load(std::memory_order_relaxed); }

private:
  void stop();

  const int64_t blocks;
  int64_t arrived = 0, ended = 0;
  uint64_t meetings = 0;
  std::atomic<bool> stopped{false};
  std::deque<CpuCluster> clusters; ///< which do not move
  std::mutex mutex;                ///< of all but `stopped` and `clusters`
  std::condition_variable changed;
};

/// Functions that kernels whose blocks meet call: name and address.
void appendGridFunctions(
    std::vector<std::pair<llvm::StringRef, void *>> &functions);

} // namespace mlir::tile
#endif // TILE_LIB_EXECUTION_CPUGRID_H
