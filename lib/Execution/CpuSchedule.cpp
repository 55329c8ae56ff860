//===- CpuSchedule.cpp - rings, roles and tokens of a block ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A failure leaves by `longjmp`, so no function that may fail holds anything
// with a destructor where it does: texts are built by functions that return.
//
//===----------------------------------------------------------------------===//
#include "CpuSchedule.h"
#include "CpuRuntime.h"
#include "tile/Target/Threads.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <cstring>
#include <limits>

using namespace mlir::tile;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static CpuAgent &self(CpuContext *context) {
  return context->schedule.agents[context->schedule.current];
}

[[noreturn]] static void unwind(CpuContext *context) {
  std::longjmp(self(context).unwind, 1);
}

static void setFailure(CpuContext *context, const Twine &text) {
  context->failureKind = "wrong schedule";
  context->failure = text.str();
  context->failedBlock = context->block;
}

/// `tile.ring.wait of use 3 of the ring at ...`
static std::string describe(const char *operation, int64_t use,
                            const CpuRing &ring) {
  return (Twine("tile.ring.") + operation + " of use " + Twine(use) + " of " +
          ring.name)
      .str();
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

static unsigned countRunning(const CpuSchedule &schedule) {
  if (schedule.current == 0)
    return 1;
  unsigned running = 0;
  for (unsigned i = 1; i < schedule.agents.size(); ++i)
    running += !schedule.agents[i].ended;
  return running;
}

static void takeTurn(CpuSchedule &schedule, unsigned agent) {
  std::unique_lock<std::mutex> lock(schedule.mutex);
  schedule.turn.wait(lock, [&] { return schedule.current == agent; });
}

/// Hands the turn to the next role that has not ended, to the block after the
/// last one.
static void passTurn(CpuSchedule &schedule) {
  unsigned count = schedule.agents.size(), next = 0;
  for (unsigned step = 1; step < count && !next; ++step) {
    unsigned i = (schedule.current - 1 + step) % (count - 1) + 1;
    if (!schedule.agents[i].ended)
      next = i;
  }
  {
    std::lock_guard<std::mutex> lock(schedule.mutex);
    schedule.current = next;
  }
  schedule.turn.notify_all();
}

void mlir::tile::letRolesRun(CpuContext *context) {
  CpuSchedule &schedule = context->schedule;
  if (schedule.agents.size() == 1)
    return;
  unsigned agent = schedule.current;
  passTurn(schedule);
  takeTurn(schedule, agent);
  if (context->failedBlock >= 0)
    unwind(context);
}

static void setDeadlock(CpuContext *context) {
  CpuSchedule &schedule = context->schedule;
  std::string text = "deadlock: ";
  bool first = true;
  for (const CpuAgent &agent : schedule.agents) {
    if (agent.waiting.empty())
      continue;
    text += (first ? "" : "; ") + agent.name + " waits in " + agent.waiting;
    first = false;
  }
  setFailure(context, text);
}

/// What the agents of a block wait for, as its cluster says it.
static std::string describeWaits(const CpuSchedule &schedule) {
  std::string text;
  for (const CpuAgent &agent : schedule.agents)
    if (!agent.waiting.empty())
      text += (text.empty() ? "" : " and ") + agent.waiting;
  return text;
}

static bool countArrival(CpuContext *context, const CpuArrival &arrival);

/// Nobody in the block gets on: only blocks of its cluster can help, and false
/// where they will not, with what is wrong said.
static bool hearPeers(CpuContext *context) {
  if (!context->cluster) {
    setDeadlock(context);
    return false;
  }
  // One at a time: who waits sees each phase that they complete.
  CpuArrival arrival = {};
  switch (context->cluster->receive(context->rank, arrival,
                                    describeWaits(context->schedule))) {
  case CpuCluster::Outcome::Met:
    return countArrival(context, arrival);
  case CpuCluster::Outcome::Stopped:
    context->failedBlock = std::numeric_limits<int64_t>::max();
    return false;
  case CpuCluster::Outcome::Deadlock:
    setFailure(context, context->cluster->describe());
    return false;
  }
  return false;
}

/// Lets the other roles run until `ready` says yes; `describe` says what for.
template <typename Describe, typename Ready>
static void waitUntil(CpuContext *context, Describe describe, Ready ready) {
  CpuSchedule &schedule = context->schedule;
  while (!ready()) {
    if (self(context).waiting.empty())
      self(context).waiting = describe();
    if (++schedule.idle >= countRunning(schedule)) {
      if (!hearPeers(context))
        unwind(context);
      schedule.idle = 0;
    }
    unsigned agent = schedule.current;
    passTurn(schedule);
    takeTurn(schedule, agent);
    if (context->failedBlock >= 0)
      unwind(context);
  }
  self(context).waiting.clear();
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

static CpuRing::Counts &counts(CpuContext *context, CpuRing &ring) {
  return ring.counts[context->schedule.current];
}

/// The least of a count over the agents of `mask`.
static int64_t least(const CpuRing &ring, uint64_t mask,
                     int64_t CpuRing::Counts::*count) {
  int64_t result = INT64_MAX;
  for (unsigned i = 0; i < ring.counts.size(); ++i)
    if (mask >> i & 1)
      result = std::min(result, ring.counts[i].*count);
  return result;
}

static void setMismatch(CpuContext *context, const char *operation,
                        int64_t expected, int64_t use, const CpuRing &ring) {
  setFailure(context, "ring use mismatch: expected " +
                          describe(operation, expected, ring) + ", got use " +
                          Twine(use) + " in " + self(context).name);
}

/// Uses are numbered in order (rule R1).
static void checkUse(CpuContext *context, const char *operation, int64_t use,
                     int64_t expected, const CpuRing &ring) {
  if (use == expected)
    return;
  setMismatch(context, operation, expected, use, ring);
  unwind(context);
}

/// An operation on a use comes after another one on it (rule R2).
static void checkAfter(CpuContext *context, const char *operation, int64_t use,
                       int64_t done, const char *before, const CpuRing &ring) {
  if (use < done)
    return;
  setFailure(context, describe(operation, use, ring) + " in " +
                          self(context).name + " before its tile.ring." +
                          before);
  unwind(context);
}

static void poison(const CpuRing &ring, int64_t slot) {
  for (const CpuRing::Buffer &buffer : ring.buffers)
    std::memset(buffer.slots + slot * buffer.stageBytes, buffer.poison,
                buffer.stageBytes);
}

static void ringCreate(CpuContext *context, int64_t number, int64_t stages,
                       uint64_t producers, uint64_t consumers,
                       CpuRingSignal signal, const char *name) {
  std::deque<CpuRing> &rings = context->schedule.rings;
  if (rings.size() <= static_cast<size_t>(number))
    rings.resize(number + 1);
  CpuRing &ring = rings[number];
  ring = CpuRing();
  ring.name = name;
  ring.stages = stages;
  ring.producers = producers;
  ring.consumers = consumers;
  ring.signal = signal;
  ring.counts.resize(64);
}

static void ringBuffer(CpuContext *context, int64_t number, char *slots,
                       int64_t stageBytes, int64_t poisonByte) {
  CpuRing &ring = context->schedule.rings[number];
  ring.buffers.push_back(
      {slots, stageBytes, static_cast<unsigned char>(poisonByte)});
  std::memset(slots, static_cast<int>(poisonByte), ring.stages * stageBytes);
}

/// What a tile holds before anybody has written it.
static void poisonTile(CpuContext *, char *tile, int64_t bytes, int64_t byte) {
  std::memset(tile, static_cast<int>(byte), bytes);
}

static void ringAcquire(CpuContext *context, int64_t number, int64_t use) {
  CpuRing &ring = context->schedule.rings[number];
  checkUse(context, "acquire", use, counts(context, ring).acquired, ring);
  auto what = [&] { return describe("acquire", use, ring); };
  waitUntil(context, what, [&] {
    return least(ring, ring.consumers, &CpuRing::Counts::released) >
           use - ring.stages;
  });
  ++counts(context, ring).acquired;
}

static void ringCommit(CpuContext *context, int64_t number, int64_t use) {
  CpuSchedule &schedule = context->schedule;
  CpuRing &ring = schedule.rings[number];
  checkUse(context, "commit", use, counts(context, ring).committed, ring);
  // Groups of cp.async are committed even where nothing was copied.
  if (ring.signal == CpuRingSignal::Group)
    ring.groups.push_back(schedule.groups++);
  else
    checkAfter(context, "commit", use, counts(context, ring).acquired,
               "acquire", ring);
  ++counts(context, ring).committed;
  schedule.idle = 0;
}

static void setEarlyRead(CpuContext *context, int64_t use, int64_t inFlight,
                         const CpuRing &ring) {
  setFailure(context, describe("wait", use, ring) +
                          " with in_flight = " + Twine(inFlight) +
                          " does not wait for the copies of this use");
}

static void ringWait(CpuContext *context, int64_t number, int64_t use,
                     int64_t inFlight) {
  CpuSchedule &schedule = context->schedule;
  CpuRing &ring = schedule.rings[number];
  checkUse(context, "wait", use, counts(context, ring).waited, ring);
  auto what = [&] { return describe("wait", use, ring); };
  waitUntil(context, what, [&] {
    return ring.producers &&
           least(ring, ring.producers, &CpuRing::Counts::committed) > use;
  });
  if (ring.signal == CpuRingSignal::Group) {
    schedule.landed = std::max(schedule.landed, schedule.groups - inFlight);
    if (ring.groups[use] >= schedule.landed) {
      setEarlyRead(context, use, inFlight, ring);
      unwind(context);
    }
  }
  ++counts(context, ring).waited;
}

static void ringRelease(CpuContext *context, int64_t number, int64_t use) {
  CpuRing &ring = context->schedule.rings[number];
  checkUse(context, "release", use, counts(context, ring).released, ring);
  checkAfter(context, "release", use, counts(context, ring).waited, "wait",
             ring);
  ++counts(context, ring).released;
  context->schedule.idle = 0;
  if (least(ring, ring.consumers, &CpuRing::Counts::released) > use)
    poison(ring, use % ring.stages);
}

static void ringDrain(CpuContext *context, int64_t) {
  context->schedule.landed = context->schedule.groups;
}

/// Every use that was committed was also waited for (rule R3). A single agent
/// without mbarriers may commit uses at the end that hold nothing.
static bool setUnconsumed(CpuContext *context) {
  for (const CpuRing &ring : context->schedule.rings) {
    int64_t waited = least(ring, ring.consumers, &CpuRing::Counts::waited);
    if (ring.signal != CpuRingSignal::Mbarrier || !ring.consumers)
      continue;
    for (const CpuRing::Counts &count : ring.counts)
      if (count.committed > waited) {
        setFailure(context, "expected a " + describe("wait", waited, ring) +
                                ", which was committed");
        return true;
      }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

/// `tile.mbarrier.wait on 1 of the barriers at ...`
static std::string describe(const char *operation, int64_t index,
                            const CpuMbarrier &barrier) {
  return (Twine("tile.mbarrier.") + operation + " on " + Twine(index) + " of " +
          barrier.name)
      .str();
}

static void mbarrierCreate(CpuContext *context, int64_t number, int64_t index,
                           int64_t arrivals, const char *name) {
  context->schedule.mbarriers[{number, index}] = {name, arrivals, arrivals, 0};
}

static void setNoBarrier(CpuContext *context, int64_t number, int64_t index) {
  setFailure(context, Twine("expected an index of ") +
                          context->schedule.mbarriers[{number, 0}].name +
                          ", got " + Twine(index) + " in " +
                          self(context).name);
}

static CpuMbarrier &mbarrierAt(CpuContext *context, int64_t number,
                               int64_t index) {
  auto it = context->schedule.mbarriers.find({number, index});
  if (it == context->schedule.mbarriers.end()) {
    setNoBarrier(context, number, index);
    unwind(context);
  }
  return it->second;
}

static void setTooMany(CpuContext *context, int64_t index, int64_t threads,
                       const CpuMbarrier &barrier) {
  setFailure(context,
             describe("arrive", index, barrier) + " in " + self(context).name +
                 ": expected at most " + Twine(barrier.pending) +
                 " more arrivals in this phase, of " + Twine(barrier.arrivals) +
                 ", got " + Twine(threads) + " threads");
}

/// False where these are more than the phase expects.
static bool count(CpuContext *context, int64_t index, int64_t threads,
                  CpuMbarrier &barrier) {
  if (threads > barrier.pending) {
    setTooMany(context, index, threads, barrier);
    return false;
  }
  barrier.pending -= threads;
  if (barrier.pending == 0) {
    barrier.pending = barrier.arrivals;
    ++barrier.phase;
  }
  context->schedule.idle = 0;
  return true;
}

static void mbarrierArrive(CpuContext *context, int64_t number, int64_t index,
                           int64_t threads) {
  if (!count(context, index, threads, mbarrierAt(context, number, index)))
    unwind(context);
}

static bool countArrival(CpuContext *context, const CpuArrival &arrival) {
  auto it = context->schedule.mbarriers.find({arrival.number, arrival.index});
  if (it != context->schedule.mbarriers.end())
    return count(context, arrival.index, arrival.threads, it->second);
  setNoBarrier(context, arrival.number, arrival.index);
  return false;
}

static void mbarrierWait(CpuContext *context, int64_t number, int64_t index,
                         int64_t parity) {
  CpuMbarrier &barrier = mbarrierAt(context, number, index);
  auto what = [&] { return describe("wait", index, barrier); };
  waitUntil(context, what, [&] { return ((barrier.phase ^ parity) & 1) != 0; });
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

static int64_t defer(CpuContext *context, int64_t isGemm, const char *name,
                     void (*function)(void *), void *frame, int64_t bytes) {
  CpuSchedule &schedule = context->schedule;
  const char *begin = static_cast<const char *>(frame);
  schedule.pending.push_back({++schedule.tokens,
                              schedule.current,
                              isGemm != 0,
                              name,
                              function,
                              {begin, begin + bytes}});
  return schedule.tokens;
}

/// Runs what `which` chooses of the pending operations, in order of issue.
template <typename Which>
static void execute(CpuSchedule &schedule, Which which) {
  for (auto it = schedule.pending.begin(); it != schedule.pending.end();) {
    if (!which(*it)) {
      ++it;
      continue;
    }
    it->function(it->frame.data());
    it = schedule.pending.erase(it);
  }
}

/// As on the GPU, gemms of an agent end in the order of their issue, and so do
/// its bulk copies.
static void await(CpuContext *context, int64_t token) {
  CpuSchedule &schedule = context->schedule;
  const CpuDeferred *named = nullptr;
  for (const CpuDeferred &operation : schedule.pending)
    if (operation.token == token)
      named = &operation;
  if (!named)
    return;
  unsigned agent = named->agent;
  bool isGemm = named->isGemm;
  execute(schedule, [&](const CpuDeferred &operation) {
    return operation.token <= token && operation.agent == agent &&
           operation.isGemm == isGemm;
  });
}

/// Everything that the agent has multiplied so far ends.
static void awaitGemms(CpuContext *context) {
  CpuSchedule &schedule = context->schedule;
  execute(schedule, [&](const CpuDeferred &operation) {
    return operation.isGemm && operation.agent == schedule.current;
  });
}

/// Stores still under way land; a gemm must have been awaited (rule R8).
static void endAgent(CpuContext *context) {
  CpuSchedule &schedule = context->schedule;
  for (const CpuDeferred &operation : schedule.pending)
    if (operation.isGemm && operation.agent == schedule.current) {
      setFailure(context, Twine("expected a tile.await of ") + operation.name);
      unwind(context);
    }
  execute(schedule, [&](const CpuDeferred &operation) {
    return operation.agent == schedule.current;
  });
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

static void clusterGive(CpuContext *context, int64_t box, const char *data,
                        int64_t bytes) {
  context->schedule.handed[box].emplace_back(data, data + bytes);
}

static bool take(CpuSchedule &schedule, int64_t box, char *data) {
  std::deque<std::vector<char>> &waiting = schedule.handed[box];
  if (waiting.empty())
    return false;
  std::copy(waiting.front().begin(), waiting.front().end(), data);
  waiting.pop_front();
  return true;
}

static void clusterTake(CpuContext *context, int64_t box, char *data, int64_t) {
  if (take(context->schedule, box, data))
    return;
  context->block = std::max<int64_t>(context->block, 0);
  setFailure(context, "expected the blocks of a cluster to run a "
                      "tile.cluster_reduce equally often");
  unwind(context);
}

//===----------------------------------------------------------------------===//
// Blocks and roles
//===----------------------------------------------------------------------===//

static void blockBegin(CpuContext *context, int64_t block) {
  CpuSchedule &schedule = context->schedule;
  context->block = block;
  schedule.idle = 0;
  schedule.rings.clear();
  schedule.mbarriers.clear();
  schedule.pending.clear();
  schedule.groups = schedule.landed = 0;
}

static void blockEnd(CpuContext *context) {
  endAgent(context);
  if (setUnconsumed(context))
    unwind(context);
}

static void addRole(CpuContext *context, const char *name,
                    void (*function)(void *), void *frame) {
  CpuAgent &agent = context->schedule.agents.emplace_back();
  agent.name = name;
  agent.body = {function, frame};
}

static void runRole(CpuContext *context, unsigned number) {
  CpuSchedule &schedule = context->schedule;
  takeTurn(schedule, number);
  CpuAgent &agent = schedule.agents[number];
  if (context->failedBlock < 0 && setjmp(agent.unwind) == 0) {
    agent.body.function(agent.body.frame);
    endAgent(context);
  }
  agent.ended = true;
  schedule.idle = 0;
  passTurn(schedule);
}

/// Runs the roles that were added until all have ended.
static void runThreads(CpuContext *context) {
  CpuSchedule &schedule = context->schedule;
  Threads threads;
  unsigned count = schedule.agents.size(), started = 1;
  while (started < count && threads.start([=] { runRole(context, started); }))
    ++started;
  if (started < count) {
    setFailure(context, "the system starts no more threads, of which each role "
                        "needs one (`ulimit -u` limits them)");
    context->failureKind = "too few threads";
    for (unsigned i = started; i < count; ++i)
      schedule.agents[i].ended = true;
  }
  {
    std::lock_guard<std::mutex> lock(schedule.mutex);
    schedule.current = started > 1;
  }
  schedule.turn.notify_all();
  takeTurn(schedule, 0);
}

static void runRoles(CpuContext *context) {
  runThreads(context);
  context->schedule.agents.resize(1);
  if (context->failedBlock >= 0)
    unwind(context);
}

void mlir::tile::appendScheduleFunctions(
    std::vector<std::pair<llvm::StringRef, void *>> &functions) {
  auto add = [&](llvm::StringRef name, auto *function) {
    functions.push_back({name, reinterpret_cast<void *>(function)});
  };
  add("tile_cpu_block_begin", blockBegin);
  add("tile_cpu_block_end", blockEnd);
  add("tile_cpu_ring_create", ringCreate);
  add("tile_cpu_ring_buffer", ringBuffer);
  add("tile_cpu_poison", poisonTile);
  add("tile_cpu_ring_acquire", ringAcquire);
  add("tile_cpu_ring_commit", ringCommit);
  add("tile_cpu_ring_wait", ringWait);
  add("tile_cpu_ring_release", ringRelease);
  add("tile_cpu_ring_drain", ringDrain);
  add("tile_cpu_mbarrier_create", mbarrierCreate);
  add("tile_cpu_mbarrier_arrive", mbarrierArrive);
  add("tile_cpu_mbarrier_wait", mbarrierWait);
  add("tile_cpu_cluster_give", clusterGive);
  add("tile_cpu_cluster_take", clusterTake);
  add("tile_cpu_defer", defer);
  add("tile_cpu_await", await);
  add("tile_cpu_await_gemms", awaitGemms);
  add("tile_cpu_role", addRole);
  add("tile_cpu_run_roles", runRoles);
}
