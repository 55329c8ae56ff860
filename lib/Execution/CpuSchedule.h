//===- CpuSchedule.h - rings, roles and tokens of a block -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schedule does while a block runs on the CPU: the counting semantics
// of rings (docs/Rationale/VerifyRings.md), roles that take turns, and
// operations put off until they are awaited. A schedule that breaks a rule ends
// its block with a message.
//
// Roles are threads of which one runs at a time, until it has to wait: no
// state here is ever used by two at once, runs are deterministic, and a round
// in which nobody gets on is a deadlock.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_EXECUTION_CPUSCHEDULE_H
#define TILE_LIB_EXECUTION_CPUSCHEDULE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <condition_variable>
#include <csetjmp>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace mlir::tile {

struct CpuContext;

/// Compiled code and what it captured.
struct CpuClosure {
  void (*function)(void *frame) = nullptr;
  void *frame = nullptr;
};

/// One sequence of operations: the block (agent 0) or one of its roles.
struct CpuAgent {
  std::string name = "the block";
  CpuClosure body;
  /// Where a failure goes. Compiled code between has no destructors; its tiles
  /// are lost, which a program about to report an error can afford.
  std::jmp_buf unwind;
  std::string waiting; ///< what for, while it waits
  bool ended = false;
};

/// How "full" is signalled; numbers are `tile_cpu_ring_create`'s.
enum class CpuRingSignal : int64_t {
  Barrier = 0,  ///< the threads of the one agent meet
  Group = 1,    ///< groups of cp.async, which land in order; a wait may leave
                ///< some of them under way
  Mbarrier = 2, ///< agents meet; every use that is committed is waited for
};

struct CpuRing {
  struct Counts {
    int64_t acquired = 0, committed = 0, waited = 0, released = 0;
  };
  struct Buffer {
    char *slots;
    int64_t stageBytes;
    unsigned char poison;
  };
  std::string name;
  int64_t stages = 0;
  /// Agents that acquire or commit, and that wait or release, one bit each.
  uint64_t producers = 0, consumers = 0;
  CpuRingSignal signal = CpuRingSignal::Barrier;
  std::vector<Counts> counts;  ///< by agent
  std::vector<int64_t> groups; ///< the group that each use was committed in
  /// What to overwrite when a slot is released; empty without poisoning.
  std::vector<Buffer> buffers;
};

/// A barrier that counts arrivals of threads.
struct CpuMbarrier {
  const char *name = "";
  int64_t arrivals = 0; ///< that complete a phase
  int64_t pending = 0;  ///< that the current phase still expects
  int64_t phase = 0;    ///< phases that are complete
};

/// An asynchronous operation that was issued, with a frame of its own.
struct CpuDeferred {
  int64_t token;
  unsigned agent;
  bool isGemm;
  const char *name;
  void (*function)(void *frame);
  std::vector<char> frame;
};

struct CpuSchedule {
  /// The block is always there, and never moves: `unwind` refers to frames.
  std::deque<CpuAgent> agents{1};
  unsigned current = 0; ///< the agent whose turn it is
  unsigned idle = 0;    ///< failed attempts to get on since one succeeded
  /// By number; a role may create one while another waits at one.
  std::deque<CpuRing> rings;
  /// By number of the create and index.
  std::map<std::pair<int64_t, int64_t>, CpuMbarrier> mbarriers;
  std::deque<CpuDeferred> pending;
  int64_t tokens = 0;
  /// Groups of cp.async that were committed, and how many have landed.
  int64_t groups = 0, landed = 0;
  /// What blocks of a cluster hand to the next one, by operation and cluster
  /// place, in order. Kept from block to block.
  std::map<int64_t, std::deque<std::vector<char>>> handed;
  std::mutex mutex; ///< of `current`, to hand on turns
  std::condition_variable turn;
};

/// Lets other roles of the block run, where it has some.
void letRolesRun(CpuContext *context);

/// Functions that scheduled kernels call: name and address.
void appendScheduleFunctions(
    std::vector<std::pair<llvm::StringRef, void *>> &functions);

} // namespace mlir::tile
#endif // TILE_LIB_EXECUTION_CPUSCHEDULE_H
