//===- RingExhaustive.cpp - every interleaving, with hardware's guards ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A state is each thread's place in its trace, the phases and counts of the
// mbarriers, and the copies in flight. Guards test one parity, as
// `mbarrier.try_wait.parity` does; what they should have tested is read off the
// threads' places.
//
//===----------------------------------------------------------------------===//
#include "RingExplorer.h"
#include <unordered_set>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

namespace {
class Exhaustive {
public:
  Exhaustive(const System &system, int64_t &states, int64_t maxStates,
             Finding &finding);
  Outcome run();

private:
  using State = std::vector<int16_t>;
  // Per thread.
  enum { Next, Barriers, InBarrier, LandedGroups, kThreadFields };
  // Per slot of an instance.
  enum {
    FullPhase,
    FullArrived,
    FullMissing, // parts armed and not landed; negative when they came early
    Flying,
    EmptyPhase,
    EmptyArrived,
    kSlotFields
  };
  enum class Move { Done, Blocked, Found };

  int16_t &of(State &state, int thread, int field) const {
    return state[thread * kThreadFields + field];
  }
  int16_t &of(State &state, int instance, int64_t use, int field) const {
    int64_t slot = use % system.meetings[instance].ring->stages;
    return state[slotsFrom[instance] + slot * kSlotFields + field];
  }
  /// How many events of a kind `thread` has behind it.
  int64_t done(State &state, int thread, int instance, EventKind kind) const;

  /// Executes the next event of `thread` in `state`.
  Move step(State &state, int thread);
  Move barrier(State &state, int thread);
  Move wait(State &state, int thread, const Event &event);
  Move acquire(State &state, int thread, const Event &event);
  void commit(State &state, int thread, const Event &event);
  void completeFull(State &state, int instance, int64_t use) const;
  Move report(RingRule rule, int thread, const Event &event,
              const Twine &message);
  void deadlock(State &state);
  bool isFinished(State &state) const;

  const System &system;
  int64_t &states;
  int64_t maxStates;
  Finding &finding;
  std::vector<size_t> slotsFrom;
  State initial;
  /// Places of events by (thread, instance, kind).
  std::map<std::tuple<int, int, EventKind>, std::vector<int32_t>> places;
  /// The interleaving under way: threads, -1 for a copy that landed.
  std::vector<std::pair<int, const Event *>> path;
};
} // namespace

Exhaustive::Exhaustive(const System &system, int64_t &states, int64_t maxStates,
                       Finding &finding)
    : system(system), states(states), maxStates(maxStates), finding(finding) {
  size_t fields = system.threads.size() * kThreadFields;
  for (const Meeting &meeting : system.meetings) {
    slotsFrom.push_back(fields);
    if (!meeting.ring->isBarrierProtocol)
      fields += meeting.ring->stages * kSlotFields;
  }
  initial.resize(fields, 0);
  for (auto [i, thread] : llvm::enumerate(system.threads))
    for (auto [place, event] : llvm::enumerate(thread.trace->events))
      if (!system.skips(thread, event))
        places[{static_cast<int>(i), event.instance, event.kind}].push_back(
            static_cast<int32_t>(place));
}

int64_t Exhaustive::done(State &state, int thread, int instance,
                         EventKind kind) const {
  auto it = places.find({thread, instance, kind});
  if (it == places.end())
    return 0;
  return llvm::lower_bound(it->second,
                           static_cast<int32_t>(of(state, thread, Next))) -
         it->second.begin();
}

Exhaustive::Move Exhaustive::report(RingRule rule, int thread,
                                    const Event &event, const Twine &message) {
  finding = {rule, event.step->op, message.str(), {}};
  constexpr size_t kShown = 10;
  size_t from = path.size() > kShown ? path.size() - kShown : 0;
  for (auto [who, what] : ArrayRef(path).drop_front(from))
    if (who >= 0 && what->instance >= 0)
      finding.notes.push_back(system.note(system.threads[who], *what));
  finding.notes.push_back(system.note(system.threads[thread], event));
  return Move::Found;
}

void Exhaustive::completeFull(State &state, int instance, int64_t use) const {
  auto producers =
      static_cast<int16_t>(system.meetings[instance].producers.size());
  if (of(state, instance, use, FullArrived) < producers ||
      of(state, instance, use, FullMissing) != 0)
    return;
  of(state, instance, use, FullArrived) -= producers;
  ++of(state, instance, use, FullPhase);
}

Exhaustive::Move Exhaustive::barrier(State &state, int thread) {
  const Thread &self = system.threads[thread];
  of(state, thread, InBarrier) = 1;
  int16_t mine = of(state, thread, Barriers);
  for (auto [i, other] : llvm::enumerate(system.threads)) {
    int sibling = static_cast<int>(i);
    if (other.agent != self.agent || other.rank != self.rank)
      continue;
    if (of(state, sibling, Barriers) + of(state, sibling, InBarrier) <= mine)
      return Move::Blocked;
  }
  of(state, thread, InBarrier) = 0;
  ++of(state, thread, Barriers);
  return Move::Done;
}

Exhaustive::Move Exhaustive::acquire(State &state, int thread,
                                     const Event &event) {
  const Meeting &meeting = system.meetingOf(event);
  const Ring &ring = *meeting.ring;
  if (ring.isBarrierProtocol) {
    if (ring.storesLeaveSlots)
      if (Move move = barrier(state, thread); move != Move::Done)
        return move;
  } else {
    int64_t round = event.use / ring.stages;
    int16_t phase = of(state, event.instance, event.use, EmptyPhase);
    if ((phase & 1) != (round & 1))
      return Move::Blocked;
    if (phase != round)
      return report(RingRule::R17, thread, event,
                    "the parity of another phase lets the acquire pass");
  }
  int64_t before = event.use - ring.stages;
  for (int consumer : meeting.emptiers)
    if (before >= 0 &&
        done(state, consumer, system.instanceAt(meeting, consumer),
             EventKind::Release) <= before)
      return report(RingRule::R15, thread, event,
                    ring.name + "[" + std::to_string(event.use) +
                        "] is acquired while '" +
                        system.threads[consumer].name + "' has not left use " +
                        std::to_string(before) + " in its slot");
  return Move::Done;
}

Exhaustive::Move Exhaustive::wait(State &state, int thread,
                                  const Event &event) {
  const Meeting &meeting = system.meetingOf(event);
  const Ring &ring = *meeting.ring;
  if (!ring.isBarrierProtocol) {
    int64_t round = event.use / ring.stages;
    int16_t phase = of(state, event.instance, event.use, FullPhase);
    if ((phase & 1) == (round & 1))
      return Move::Blocked;
    if (phase != round + 1)
      return report(phase <= round ? RingRule::R16 : RingRule::R17, thread,
                    event, "the parity of another phase lets the wait pass");
    return Move::Done;
  }
  int16_t &landed = of(state, thread, LandedGroups);
  landed = std::max<int16_t>(landed, static_cast<int16_t>(event.group));
  if (Move move = barrier(state, thread); move != Move::Done)
    return move;
  for (int producer : meeting.producers) {
    bool isCommitted =
        done(state, producer, event.instance, EventKind::Commit) > event.use;
    int32_t group = -1;
    if (isCommitted) {
      const auto &commits =
          places[{producer, event.instance, EventKind::Commit}];
      group = system.threads[producer].trace->events[commits[event.use]].group;
    }
    if (!isCommitted ||
        (group >= 0 && group >= of(state, producer, LandedGroups)))
      return report(RingRule::R16, thread, event,
                    ring.name + "[" + std::to_string(event.use) +
                        "] is read before the part of '" +
                        system.threads[producer].name + "' has landed");
  }
  return Move::Done;
}

void Exhaustive::commit(State &state, int thread, const Event &event) {
  const Meeting &meeting = system.meetingOf(event);
  const Ring &ring = *meeting.ring;
  if (ring.isBarrierProtocol)
    return;
  ++of(state, event.instance, event.use, FullArrived);
  RingProducer side = ring.type.getProducer();
  if (side == RingProducer::Tma || side == RingProducer::CpAsyncMbarrier ||
      side == RingProducer::Mma) {
    // One part of this block's own; of each multicast of a block that it is in
    // a group with another, which may land, and be counted, before it is
    // expected here.
    const auto &multicasts =
        system.run.instances[event.instance].uses[event.use].multicasts;
    SmallVector<ClusterDims, 2> groups;
    for (ClusterDims dims : ring.fills)
      if (multicasts[dims])
        groups.push_back(dims);
    for (int peer : meeting.peers) {
      if (!system.inGroup(event.instance, peer, groups))
        continue;
      ++of(state, event.instance, event.use, FullMissing);
      ++of(state, peer, event.use, Flying);
    }
  }
  completeFull(state, event.instance, event.use);
}

Exhaustive::Move Exhaustive::step(State &state, int thread) {
  const Thread &self = system.threads[thread];
  int16_t &next = of(state, thread, Next);
  const Event &event = self.trace->events[next];
  if (next == 0 && self.agent != 0)
    for (auto [i, other] : llvm::enumerate(system.threads))
      if (other.agent == 0 && other.rank == self.rank &&
          done(state, static_cast<int>(i), -1, EventKind::Fork) == 0)
        return Move::Blocked;
  Move move = Move::Done;
  if (!system.skips(self, event)) {
    switch (event.kind) {
    case EventKind::Acquire:
      move = acquire(state, thread, event);
      break;
    case EventKind::Wait:
      move = wait(state, thread, event);
      break;
    case EventKind::Commit:
      commit(state, thread, event);
      break;
    case EventKind::Release: {
      const Meeting &meeting = system.meetingOf(event);
      if (meeting.ring->isBarrierProtocol)
        break;
      for (int peer : meeting.emptied) {
        int16_t &arrived = of(state, peer, event.use, EmptyArrived);
        if (++arrived ==
            static_cast<int16_t>(system.meetings[peer].emptiers.size())) {
          arrived = 0;
          ++of(state, peer, event.use, EmptyPhase);
        }
      }
      break;
    }
    case EventKind::Fill: {
      const Meeting &meeting = system.meetingOf(event);
      int64_t before = event.use - meeting.ring->stages;
      for (int peer : meeting.peers) {
        if (!system.inGroup(event.instance, peer, event.step->multicast))
          continue;
        for (int consumer : system.meetings[peer].consumers)
          if (before >= 0 &&
              done(state, consumer, peer, EventKind::Release) <= before)
            return report(RingRule::R15, thread, event,
                          "a multicast lands while '" +
                              system.threads[consumer].name +
                              "' has not left its slot");
      }
      break;
    }
    case EventKind::Drain:
      if (system.meetingOf(event).ring->isBarrierProtocol) {
        int16_t &landed = of(state, thread, LandedGroups);
        landed = std::max<int16_t>(landed, static_cast<int16_t>(event.group));
        move = barrier(state, thread);
      }
      break;
    case EventKind::Join:
      for (auto [i, other] : llvm::enumerate(system.threads))
        if (other.agent != 0 && other.rank == self.rank &&
            of(state, static_cast<int>(i), Next) <
                static_cast<int16_t>(other.trace->events.size()))
          return Move::Blocked;
      break;
    case EventKind::Fork:
      break;
    }
  }
  if (move == Move::Done)
    ++of(state, thread, Next);
  return move;
}

bool Exhaustive::isFinished(State &state) const {
  for (auto [i, thread] : llvm::enumerate(system.threads))
    if (of(state, static_cast<int>(i), Next) <
        static_cast<int16_t>(thread.trace->events.size()))
      return false;
  return true;
}

void Exhaustive::deadlock(State &state) {
  finding = {RingRule::R14, nullptr, "deadlock: no role can go on", {}};
  for (auto [i, thread] : llvm::enumerate(system.threads)) {
    int16_t next = of(state, static_cast<int>(i), Next);
    if (next >= static_cast<int16_t>(thread.trace->events.size()))
      continue;
    const Event &event = thread.trace->events[next];
    // Who waits for the end of the others is not to blame.
    if (event.kind == EventKind::Join)
      continue;
    if (!finding.op)
      finding.op = event.step->op;
    finding.notes.push_back(system.note(thread, event));
  }
}

Outcome Exhaustive::run() {
  for (const Thread &thread : system.threads)
    if (thread.trace->events.size() > 30000)
      return Outcome::OutOfBudget; // a place takes 16 bits
  // One frame per step under way: the state before it, and what comes next.
  struct Frame {
    State state;
    int choice = 0;
    bool hasMoved = false;
  };
  std::unordered_set<std::string> visited;
  auto isNew = [&](const State &state) {
    return visited
        .insert(std::string(reinterpret_cast<const char *>(state.data()),
                            state.size() * sizeof(int16_t)))
        .second;
  };
  int threads = static_cast<int>(system.threads.size());
  // Landings follow the threads' steps in the order of choices.
  SmallVector<std::pair<int, int>> slots;
  for (auto [i, meeting] : llvm::enumerate(system.meetings))
    if (!meeting.ring->isBarrierProtocol)
      for (int slot = 0; slot < meeting.ring->stages; ++slot)
        slots.push_back({static_cast<int>(i), slot});
  std::vector<Frame> stack;
  stack.push_back({initial});
  isNew(initial);
  while (!stack.empty()) {
    Frame &top = stack.back();
    int choices = threads + static_cast<int>(slots.size());
    if (top.choice == choices) {
      if (!top.hasMoved && !isFinished(top.state)) {
        deadlock(top.state);
        return Outcome::Found;
      }
      stack.pop_back();
      if (!path.empty())
        path.pop_back();
      continue;
    }
    int choice = top.choice++;
    State after = top.state;
    const Event *event = nullptr;
    if (choice < threads) {
      const Trace &trace = *system.threads[choice].trace;
      int16_t next = of(after, choice, Next);
      if (next >= static_cast<int16_t>(trace.events.size()))
        continue;
      event = &trace.events[next];
      // What concerns nobody else needs no alternatives.
      if (system.skips(system.threads[choice], *event))
        top.choice = choices;
      Move move = step(after, choice);
      if (move == Move::Found)
        return Outcome::Found;
      // To arrive at a barrier is a step, too.
      if (move == Move::Blocked && after == top.state)
        continue;
    } else {
      auto [instance, slot] = slots[choice - threads];
      if (of(after, instance, slot, Flying) == 0)
        continue;
      --of(after, instance, slot, Flying);
      --of(after, instance, slot, FullMissing);
      completeFull(after, instance, slot);
    }
    top.hasMoved = true;
    if (!isNew(after))
      continue;
    if (++states > maxStates)
      return Outcome::OutOfBudget;
    path.push_back({choice < threads ? choice : -1, event});
    stack.push_back({std::move(after)});
  }
  return Outcome::Ok;
}

Outcome rings::exploreAll(const System &system, int64_t &states,
                          int64_t maxStates, Finding &finding) {
  return Exhaustive(system, states, maxStates, finding).run();
}
