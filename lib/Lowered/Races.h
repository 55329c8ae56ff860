//===- Races.h - who may have seen what, and who has not --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds data races while a kernel executes. Every thread has a vector clock, as
// in FastTrack (Flanagan and Freund, PLDI 2009), every byte of memory the epoch
// of its last write and those of the reads since. Two accesses of one byte, one
// of them a write, are a race where neither happens before the other.
//
// The asynchronous proxy (TMA, wgmma's and tcgen05's shared operands) sees a
// write of the generic proxy only after `fence.proxy.async` (PTX ISA, "Memory
// consistency model: Proxies"). Therefore a thread carries two clocks: what
// happens before it, and which writes of the generic proxy are visible to the
// asynchronous one. Both travel through barriers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_RACES_H
#define TILE_LIB_LOWERED_RACES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::tile::lowered {

/// A thread of the blocks that run together, or an asynchronous operation in
/// flight. Threads come first.
using Agent = uint32_t;

/// The static place of an access: an index into the program's table of sites.
using SiteId = uint32_t;

class VectorClock;
using ClockRef = std::shared_ptr<const VectorClock>;

/// What a barrier, a phase of an mbarrier, or a location of an atomic hands
/// from releasing agents to acquiring ones. A copy keeps what was released so
/// far: later releases into the original are not part of it.
struct Signal {
  ClockRef order; ///< null: nothing yet
  ClockRef proxy;
  void clear() { order = proxy = nullptr; }
};

/// A read of a whole piece of which perhaps only a part is used: it races with
/// earlier writes, and nothing later races with it.
enum class AccessKind : uint8_t { Read, Write, Atomic, PieceRead };
enum class Proxy : uint8_t { Generic, Async };

/// The shadow of a contiguous piece of memory. It belongs to the detector and
/// the launch of the last access; another one finds its accesses forgotten and
/// its written bytes still written.
class Shadow {
public:
  explicit Shadow(size_t bytes);
  ~Shadow();
  Shadow(Shadow &&);
  Shadow &operator=(Shadow &&);
  size_t size() const;
  /// Forgets all accesses. `written` says whether the bytes have a value now.
  void reset(bool written);
  /// Whether something has written all bytes.
  bool isWritten(size_t offset, size_t bytes) const;
  /// Bytes get a value from outside of the kernel.
  void setWritten(size_t offset, size_t bytes);

  struct Impl;

private:
  friend class RaceDetector;
  std::shared_ptr<Impl> impl;
};

/// Two accesses that nothing orders.
struct Race {
  size_t offset = 0; ///< first byte, within the shadow
  AccessKind kind, otherKind;
  Proxy proxy, otherProxy;
  Agent other = 0; ///< the agent of the earlier access
  SiteId otherSite = 0;
  /// The accesses are ordered, and only the fence between proxies is missing.
  bool onlyFenceMissing = false;
  /// `other` ran before the last `restart`: an agent of another block.
  bool earlierGroup = false;
};

/// The clocks of all agents of one launch (or of the blocks that run at a
/// time), and the accesses they make.
class RaceDetector {
public:
  /// `asyncAgents`: how many asynchronous operations are told apart at a time;
  /// more only make the detector miss races.
  RaceDetector(unsigned threads, unsigned asyncAgents);
  ~RaceDetector();

  /// A new launch: everything before it happens before it, in both proxies.
  void startLaunch();
  /// The next group of blocks of a launch: all threads start anew. Nothing
  /// orders them with the groups before, although they run later; an access of
  /// global memory that conflicts with one of an earlier group is therefore a
  /// race, unless a signal of that group (a location of an atomic) was
  /// acquired. The shared memory of the new blocks is reset by the caller.
  void restart();

  /// What `from` did and knows goes into `into`; later accesses of `from` are
  /// not part of it.
  void release(Agent from, Signal &into);
  /// `to` happens after what was released into `from`.
  void acquire(Agent to, const Signal &from);
  /// A barrier of several threads: the same as a release of each into one
  /// signal and an acquire of each from it, in one pass.
  void synchronize(llvm::ArrayRef<Agent> threads);
  /// fence.proxy.async: what happens before `thread` now, in the generic proxy,
  /// is visible to asynchronous operations that are ordered after this.
  void fenceProxy(Agent thread);

  /// The moment that `thread` is at, and whether what was released into
  /// `signal` comes after it: then the signal's time of the thread is as late.
  uint32_t momentOf(Agent thread);
  bool comesAfter(const Signal &signal, Agent thread, uint32_t moment);

  /// An asynchronous operation that `issuer` starts: an agent that happens
  /// after the issuer's accesses so far and sees the generic writes that are
  /// visible to the asynchronous proxy.
  Agent beginAsync(Agent issuer);
  /// The operation is complete: `into` receives its accesses, and the knowledge
  /// it began with (waits, mbarriers). Its writes through the generic proxy
  /// (cp.async) are visible to the asynchronous proxy only after a fence. The
  /// agent may be used again for another operation.
  void endAsync(Agent operation, Signal &into);

  /// Records an access and reports the first race of it. `ordered` accesses of
  /// an issuing thread through the asynchronous proxy are made by the agent of
  /// the operation, with Proxy::Async. An access of kind Atomic races with
  /// plain ones only. Async reads need the generic writes they see to be
  /// visible (fence), async writes the generic reads and writes before them.
  std::optional<Race> access(Agent who, Shadow &shadow, size_t offset,
                             size_t bytes, AccessKind kind, Proxy proxy,
                             SiteId site);

  /// What the detector holds, to see that a long run does not make it grow.
  struct Statistics {
    size_t clocks = 0;     ///< alive, also those held by signals
    size_t accesses = 0;   ///< distinct ones in the tables
    size_t accessSets = 0; ///< distinct sets of accesses since a write
    size_t members = 0; ///< of all these sets, as far as they are written out
  };
  Statistics statistics() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_RACES_H
