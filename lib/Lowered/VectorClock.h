//===- VectorClock.h - what happens before an agent -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks that thousands of threads share. A clock is a list of chunks of
// 64 components; clocks share the chunks in which they agree, so that a copy
// costs a pointer a chunk, and two clocks that one synchronization made compare
// by pointers. A clock that others hold never changes; its only owner may
// change it in place. Synchronizations of the race detector decide when
// (Races.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_VECTORCLOCK_H
#define TILE_LIB_LOWERED_VECTORCLOCK_H

#include "Races.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include <array>

namespace mlir::tile::lowered {

/// Consecutive components of a clock. A null reference stands for zeros.
struct ClockChunk : llvm::RefCountedBase<ClockChunk> {
  static constexpr unsigned kSize = 64;
  std::array<uint32_t, kSize> values = {};
};
using ClockChunks = std::vector<llvm::IntrusiveRefCntPtr<ClockChunk>>;

/// What an agent knows of groups of blocks that ran before its own (see
/// RaceDetector::restart), by increasing number of the group.
using PastGroups =
    std::vector<std::pair<uint32_t, std::shared_ptr<const ClockChunks>>>;

class VectorClock {
public:
  /// Numbers for clocks, and how many are alive.
  struct Counters {
    uint64_t lastSerial = 0;
    size_t alive = 0;
  };

  VectorClock(std::shared_ptr<Counters> counters, uint32_t group);
  VectorClock(const VectorClock &other);
  VectorClock &operator=(const VectorClock &) = delete;
  ~VectorClock();

  /// The group of blocks whose agents the components count.
  uint32_t group() const { return ownGroup; }
  /// Whether the clock was made with these counters: for one detector.
  bool isOf(const Counters &made) const { return counters.get() == &made; }
  uint32_t get(Agent agent) const {
    size_t chunk = agent / ClockChunk::kSize;
    if (chunk >= chunks.size() || !chunks[chunk])
      return 0;
    return chunks[chunk]->values[agent % ClockChunk::kSize];
  }
  /// The component of an agent of an earlier group.
  uint32_t getPast(uint32_t group, Agent agent) const;

  /// Whether `other` is known to be part of this clock, from how this clock was
  /// made. False says nothing.
  bool wasMadeFrom(const VectorClock &other) const;
  /// Whether no component of `other` is larger. Both are of one group.
  bool covers(const VectorClock &other) const;

  /// Changes a clock that has no other holder.
  void raise(Agent agent, uint32_t value);
  void join(const VectorClock &other);

  /// The same knowledge for a later group: all components are past.
  std::shared_ptr<VectorClock> toGroup(uint32_t group) const;

  /// A number that no other clock has and that changes with the clock.
  uint64_t serial() const { return ownSerial; }

private:
  void remember(uint64_t serial);

  std::shared_ptr<Counters> counters;
  uint64_t ownSerial;
  uint32_t ownGroup;
  unsigned nextPart = 0;
  /// Serials of some clocks that are part of this one.
  std::array<uint64_t, 4> parts = {};
  ClockChunks chunks;
  std::shared_ptr<const PastGroups> past;
};

/// Makes and joins the clocks of one detector.
class ClockFactory {
public:
  uint32_t group() const { return currentGroup; }
  /// New clocks are of the next group of blocks.
  void startGroup();
  /// Clocks of the groups before the current one say nothing from now on:
  /// what they count is ordered anyway.
  void startLaunch() { firstGroup = currentGroup; }
  size_t alive() const { return counters->alive; }

  /// What a clock, perhaps one of an earlier group, means for this group. One
  /// of another detector means nothing: another launch orders it.
  ClockRef inThisGroup(const ClockRef &clock);
  /// The join of two clocks of this group. Gives one of them where it covers
  /// the other: agents that acquire the same then hold the same clock.
  ClockRef join(const ClockRef &a, const ClockRef &b);

  /// `into` covers `clock`, or the component, from now on. `into` changes in
  /// place where it has no other holder.
  void addTo(ClockRef &into, const ClockRef &clock);
  void raise(ClockRef &into, Agent agent, uint32_t value);

private:
  static constexpr size_t kJoins = 512;
  /// A recent join, by the serials of the clocks; b is 0 for inThisGroup.
  struct JoinEntry {
    uint64_t a = 0, b = 0;
    ClockRef joined;
  };

  VectorClock &own(ClockRef &clock);

  uint32_t currentGroup = 1, firstGroup = 1;
  std::shared_ptr<VectorClock::Counters> counters =
      std::make_shared<VectorClock::Counters>();
  std::vector<JoinEntry> joins = std::vector<JoinEntry>(kJoins);
};

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_VECTORCLOCK_H
