//===- RingExplorer.h - the agents' traces together -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ways to find what goes wrong between agents (R3, R10, R14 to R18):
//
// - counting: a use may be acquired once the use before it in its slot was
//   released by every consumer, and waited for once every producer committed
//   it. Such guards never become false again and no agent chooses by timing, so
//   one interleaving has the events of all interleavings, and vector clocks say
//   what happens before what in each of them.
// - exhaustive: every interleaving, with the guards that hardware has, which
//   are the parities of mbarriers. For small cases, and to test the other one.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_RINGEXPLORER_H
#define TILE_LIB_ANALYSIS_RINGEXPLORER_H

#include "RingRun.h"

namespace mlir::tile::rings {

/// One agent of one block, or one of the two threads that stand for all threads
/// of an agent whose ring is synchronized by block barriers.
struct Thread {
  int agent = 0, rank = 0, split = 0;
  const Trace *trace = nullptr;
  std::string name;
};

/// Which threads meet at one instance of a ring.
struct Meeting {
  const Ring *ring = nullptr;
  SmallVector<int, 2> producers, consumers;
  /// Consumers whose releases empty the slot: the peers' too, in a cluster.
  SmallVector<int, 4> emptiers;
  /// Producers whose copies and commits fill the slot.
  SmallVector<int, 4> fillers;
  /// The same ring in every block of the cluster, this one included, and those
  /// where a release of this block arrives.
  SmallVector<int, 4> peers, emptied;
};

class System {
public:
  System(const Model &model, const Run &run);
  /// An elected thread acts for its agent; the others skip what it does.
  bool skips(const Thread &thread, const Event &event) const;
  const Meeting &meetingOf(const Event &event) const {
    return meetings[event.instance];
  }
  /// The instance of the same ring in the block that `thread` belongs to.
  int instanceAt(const Meeting &meeting, int thread) const;
  /// Whether blocks share copies along one of these sets of dimensions, or are
  /// the same.
  bool inGroup(int instance, int other, ArrayRef<ClusterDims> groups) const;
  /// `load: acquire ring[3]`, a note where it happened.
  Note note(const Thread &thread, const Event &event) const;

  const Model &model;
  const Run &run;
  std::vector<Thread> threads;
  std::vector<Meeting> meetings;
};

enum class Outcome : uint8_t { Ok, Found, OutOfBudget };

Outcome exploreCounting(const System &system, int64_t &steps, int64_t budget,
                        Finding &finding);
Outcome exploreAll(const System &system, int64_t &states, int64_t maxStates,
                   Finding &finding);
/// What the traces show by their totals: R3, R10, R16 (never filled), R18.
/// `early` are the checks whose faults would otherwise show as deadlocks.
bool checkTotals(const System &system, bool early, Finding &finding);

} // namespace mlir::tile::rings
#endif // TILE_LIB_ANALYSIS_RINGEXPLORER_H
