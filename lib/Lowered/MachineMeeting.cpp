//===- MachineMeeting.cpp - threads that meet ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::tile::lowered;

/// An `.aligned` instruction is executed by all lanes of a warp: none may be
/// elsewhere, waiting at another one.
void Machine::checkLanes(const PtxInstruction &at, const Warp &warp) {
  for (const Thread *lane : warp.lanes) {
    if (lane->state == ThreadState::Exited)
      fail(at, "lane " + std::to_string(lane->lane) +
                   " of the warp has ended, and all must execute it");
    if (lane->waitsAt && lane->waitsAt != &at && !lane->ready)
      fail(at, "lane " + std::to_string(lane->lane) +
                   " of the warp is elsewhere, at " +
                   describe(lane->waitsAt->site) + ", instruction '" +
                   lane->waitsAt->mnemonic + "'");
  }
}

void Machine::meet(
    const PtxInstruction &at, uint64_t *slots, uint32_t mask,
    llvm::function_ref<void(llvm::ArrayRef<uint64_t *>)> together) {
  Thread &self = *current;
  Warp &warp = *self.warp;
  uint32_t present =
      warp.lanes.size() == 32 ? ~0u : (1u << warp.lanes.size()) - 1;
  if (!(mask >> self.lane & 1))
    fail(at, "the mask does not name the executing lane");
  checkLanes(at, warp);
  Rendezvous &meeting = warp.rendezvous;
  if (meeting.arrived == 0) {
    meeting.instruction = &at;
    meeting.slots.assign(32, nullptr);
  }
  meeting.slots[self.lane] = slots;
  meeting.arrived += 1;
  if (meeting.arrived == unsigned(llvm::popcount(mask & present))) {
    std::vector<uint64_t *> all = std::move(meeting.slots);
    meeting.arrived = 0;
    together(all);
    for (Thread *lane : warp.lanes)
      if (lane != &self && (mask >> lane->lane & 1))
        makeRunnable(*lane);
    return;
  }
  self.state = ThreadState::Waiting;
  self.waitsAt = &at;
  self.waitsFor = "other lanes of the warp";
  switchToScheduler();
}

Warpgroup &Machine::meetWarpgroup(
    const PtxInstruction &at, uint64_t *slots,
    llvm::function_ref<void(Warpgroup &, llvm::ArrayRef<uint64_t *>)>
        together) {
  Thread &self = *current;
  Warpgroup &group = *self.block->warpgroups[self.index / 128];
  if (group.threads.size() != 128)
    fail(at, "its warpgroup has " + std::to_string(group.threads.size()) +
                 " threads, and 128 must execute it");
  checkLanes(at, *self.warp);
  Rendezvous &meeting = group.rendezvous;
  if (meeting.arrived == 0) {
    meeting.instruction = &at;
    meeting.slots.assign(128, nullptr);
  } else if (meeting.instruction != &at) {
    fail(at, "another warp of the warpgroup is at " +
                 describe(meeting.instruction->site) + ", instruction '" +
                 meeting.instruction->mnemonic + "'");
  }
  meeting.slots[self.index % 128] = slots;
  if (++meeting.arrived == 128) {
    std::vector<uint64_t *> all = std::move(meeting.slots);
    meeting.arrived = 0;
    together(group, all);
    for (Thread *thread : group.threads)
      if (thread != &self)
        makeRunnable(*thread);
    return group;
  }
  self.state = ThreadState::Waiting;
  self.waitsAt = &at;
  self.waitsFor = "the other threads of the warpgroup";
  switchToScheduler();
  return group;
}

void Machine::synchronize(const PtxInstruction &at, NamedBarrier &barrier,
                          unsigned expected, bool waits,
                          const std::string &name) {
  Thread &self = *current;
  checkLanes(at, *self.warp);
  if (barrier.agents.empty())
    barrier.expected = expected;
  else if (barrier.expected != expected)
    fail(at, name + " is used for " + std::to_string(barrier.expected) +
                 " threads and for " + std::to_string(expected) +
                 " at the same time");
  barrier.agents.push_back(self.agent);
  if (barrier.agents.size() < expected) {
    if (!waits)
      fail(at, "arrivals without a wait are not known here");
    barrier.arrived.push_back(&self);
    self.state = ThreadState::Waiting;
    self.waitsAt = &at;
    self.waitsFor = name + ", where " + std::to_string(barrier.agents.size()) +
                    " of " + std::to_string(expected) + " threads have arrived";
    switchToScheduler();
    return;
  }
  races->synchronize(barrier.agents);
  barrier.agents.clear();
  for (Thread *thread : barrier.arrived)
    makeRunnable(*thread);
  barrier.arrived.clear();
}
