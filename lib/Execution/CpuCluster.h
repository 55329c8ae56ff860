//===- CpuCluster.h - blocks of a cluster that meet -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a cluster that meet by hand (Meeting.h) run at the same time, each
// on a thread of its own. They know each other's tiles, wait for each other,
// and arrive at each other's barriers by messages, which the other block reads
// when it waits. Once all of them sleep, nobody wakes them: a deadlock.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_EXECUTION_CPUCLUSTER_H
#define TILE_LIB_EXECUTION_CPUCLUSTER_H

#include "llvm/ADT/StringRef.h"
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace mlir::tile {

struct CpuContext;

/// Arrivals at a barrier of another block.
struct CpuArrival {
  int64_t number, index; ///< of the create, and among its barriers
  int64_t threads;
};

class CpuCluster {
public:
  explicit CpuCluster(unsigned size) : peers(size) {}

  enum class Outcome { Met, Stopped, Deadlock };

  /// All blocks wait for each other.
  Outcome meet(unsigned rank);
  /// The block has ended; waits until the others have, too.
  Outcome end(unsigned rank);

  /// Where a tile of a block lies, by its number.
  void setTile(unsigned rank, int64_t tile, char *address);
  /// Waits until the block has it.
  Outcome findTile(unsigned rank, int64_t tile, unsigned of, char *&address);

  void send(unsigned to, CpuArrival arrival);
  /// The first of what has been sent and not been read; sleeps until there is
  /// something. `what` says what the block waits for.
  Outcome receive(unsigned rank, CpuArrival &arrival, std::string what);

  /// What the blocks wait for, where that is a deadlock.
  std::string describe();
  /// Wakes everybody, for good.
  void stop();
  unsigned size() const { return static_cast<unsigned>(peers.size()); }

private:
  struct Peer {
    bool asleep = false, ended = false;
    std::string waiting;
    std::deque<CpuArrival> inbox;
    std::map<int64_t, char *> tiles;
  };
  using Lock = std::unique_lock<std::mutex>;
  Outcome sleep(Lock &lock, unsigned rank, std::string what,
                const std::function<bool()> &ready);

  std::vector<Peer> peers;
  unsigned arrived = 0, ended = 0;
  uint64_t meetings = 0, runs = 0;
  bool stopped = false;
  std::mutex mutex;
  std::condition_variable changed;
};

/// Functions that kernels whose clusters meet call: name and address.
void appendClusterFunctions(
    std::vector<std::pair<llvm::StringRef, void *>> &functions);

} // namespace mlir::tile
#endif // TILE_LIB_EXECUTION_CPUCLUSTER_H
