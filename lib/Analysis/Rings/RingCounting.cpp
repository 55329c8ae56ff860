//===- RingCounting.cpp - counting semantics and vector clocks ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the agents once, counting: docs/Rationale/VerifyRings.md, "Semantics",
// says why one run speaks for all interleavings.
//
//===----------------------------------------------------------------------===//
#include "RingExplorer.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

namespace {
using Clock = SmallVector<int32_t, 8>;

/// The clocks of one thread's events of one kind at one instance, by use.
struct History {
  std::vector<int32_t> rows;
  int64_t count = 0;
};

struct State {
  size_t next = 0;
  Clock clock;
  int barriers = 0;
  bool isInBarrier = false;
  struct Group {
    int32_t number, instance, use;
  };
  std::deque<Group> groups; // in flight, oldest first
};

class Counting {
public:
  Counting(const System &system, int64_t &steps, int64_t budget,
           Finding &finding)
      : system(system), steps(steps), budget(budget), finding(finding),
        size(system.threads.size()), states(size),
        histories(system.meetings.size() * kKinds * size) {
    for (State &state : states)
      state.clock.resize(size, 0);
  }

  Outcome run();

private:
  enum Kind { Acquired, Committed, Waited, Released, Landed, kKinds };
  enum class Move { Done, Blocked, Found };

  History &history(int instance, Kind kind, int thread) {
    return histories[(static_cast<size_t>(instance) * kKinds + kind) * size +
                     thread];
  }
  ArrayRef<int32_t> row(const History &history, int64_t use) const {
    return ArrayRef<int32_t>(history.rows).slice(use * size, size);
  }
  void join(Clock &clock, ArrayRef<int32_t> other) {
    for (size_t i = 0; i < size; ++i)
      clock[i] = std::max(clock[i], other[i]);
  }
  void record(int instance, Kind kind, int thread) {
    History &to = history(instance, kind, thread);
    const Clock &clock = states[thread].clock;
    to.rows.insert(to.rows.end(), clock.begin(), clock.end());
    ++to.count;
  }
  /// `thread`'s event happened before what `clock` knows of.
  bool isBefore(int instance, Kind kind, int thread, int64_t use,
                const Clock &clock) {
    History &of = history(instance, kind, thread);
    return use < of.count && row(of, use)[thread] <= clock[thread];
  }

  Move step(int thread);
  Move barrier(int thread);
  Move acquire(int thread, const Event &event);
  Move wait(int thread, const Event &event);
  void land(int thread, int32_t complete);
  Move checkPeers(int thread, const Event &event);
  bool checkPhases();
  Move report(RingRule rule, int thread, const Event &event,
              const Twine &message);
  void deadlock();
  std::string reasonOf(int thread);

  const System &system;
  int64_t &steps;
  int64_t budget;
  Finding &finding;
  size_t size;
  std::vector<State> states;
  std::vector<History> histories;
  /// Clocks of arrivals at the block barriers of an agent: (rank, agent).
  std::map<std::pair<int, int>, std::vector<std::pair<int, Clock>>> barriers;
  std::map<int, std::pair<int, Clock>> forks; // by rank: arrivals
  std::vector<std::pair<int, const Event *>> log;
};
} // namespace

Counting::Move Counting::report(RingRule rule, int thread, const Event &event,
                                const Twine &message) {
  finding = {rule, event.step->op, message.str(), {}};
  // The last events at the slot concerned, in the order of this run.
  constexpr size_t kShown = 8;
  const Meeting &meeting = system.meetingOf(event);
  SmallVector<Note, kShown> notes;
  for (auto [who, what] : llvm::reverse(log)) {
    if (notes.size() == kShown)
      break;
    if (what->instance < 0 ||
        (what->kind != EventKind::Drain &&
         (system.meetingOf(*what).ring != meeting.ring ||
          (what->use - event.use) % meeting.ring->stages != 0)))
      continue;
    notes.push_back(system.note(system.threads[who], *what));
  }
  for (Note &note : llvm::reverse(notes))
    finding.notes.push_back(std::move(note));
  finding.notes.push_back(system.note(system.threads[thread], event));
  return Move::Found;
}

/// Both threads of an agent arrive; then both go on.
Counting::Move Counting::barrier(int thread) {
  const Thread &self = system.threads[thread];
  State &state = states[thread];
  auto &arrivals = barriers[{self.rank, self.agent}];
  if (!state.isInBarrier) {
    if (arrivals.size() <= static_cast<size_t>(state.barriers))
      arrivals.push_back({0, Clock(size, 0)});
    auto &[count, clock] = arrivals[state.barriers];
    ++count;
    join(clock, state.clock);
    state.isInBarrier = true;
  }
  auto &[count, clock] = arrivals[state.barriers];
  if (count < (system.model.agents[self.agent].isSplit ? 2 : 1))
    return Move::Blocked;
  join(state.clock, clock);
  state.isInBarrier = false;
  ++state.barriers;
  return Move::Done;
}

Counting::Move Counting::acquire(int thread, const Event &event) {
  const Meeting &meeting = system.meetingOf(event);
  State &state = states[thread];
  int64_t before = event.use - meeting.ring->stages;
  if (meeting.ring->isBarrierProtocol) {
    // A store that leaves the slot is waited for by the thread that issued it.
    if (meeting.ring->storesLeaveSlots)
      if (Move move = barrier(thread); move != Move::Done)
        return move;
    for (int consumer : meeting.consumers)
      if (before >= 0 &&
          !isBefore(event.instance, Released, consumer, before, state.clock)) {
        std::string name = meeting.ring->name;
        return report(RingRule::R15, thread, event,
                      name + "[" + std::to_string(event.use) +
                          "] is acquired while other threads may still read "
                          "use " +
                          std::to_string(before) +
                          " in its slot: no barrier lies between");
      }
    return Move::Done;
  }
  if (before < 0)
    return Move::Done;
  for (int consumer : meeting.emptiers) {
    int instance = system.instanceAt(meeting, consumer);
    if (history(instance, Released, consumer).count <= before)
      return Move::Blocked;
    join(state.clock, row(history(instance, Released, consumer), before));
  }
  return Move::Done;
}

void Counting::land(int thread, int32_t complete) {
  State &state = states[thread];
  while (!state.groups.empty() && state.groups.front().number < complete) {
    State::Group group = state.groups.front();
    state.groups.pop_front();
    // Uses land in order: groups are committed in the order of uses.
    record(group.instance, Landed, thread);
  }
}

Counting::Move Counting::wait(int thread, const Event &event) {
  const Meeting &meeting = system.meetingOf(event);
  State &state = states[thread];
  if (meeting.ring->isBarrierProtocol) {
    if (!state.isInBarrier)
      land(thread, event.group);
    if (Move move = barrier(thread); move != Move::Done)
      return move;
    for (int producer : meeting.producers)
      if (!isBefore(event.instance, Landed, producer, event.use, state.clock))
        return report(
            RingRule::R16, thread, event,
            meeting.ring->name + "[" + std::to_string(event.use) +
                "] is read before it has landed: " +
                (history(event.instance, Committed, producer).count <= event.use
                     ? "it was not committed"
                     : "its group is among those that may be in flight"));
    return Move::Done;
  }
  for (int producer : meeting.fillers) {
    int instance = system.instanceAt(meeting, producer);
    if (history(instance, Committed, producer).count <= event.use)
      return Move::Blocked;
  }
  for (int producer : meeting.fillers) {
    int instance = system.instanceAt(meeting, producer);
    join(state.clock, row(history(instance, Committed, producer), event.use));
  }
  return Move::Done;
}

/// A copy into the peers' slots needs their consumers to have left them.
Counting::Move Counting::checkPeers(int thread, const Event &event) {
  const Meeting &meeting = system.meetingOf(event);
  int64_t before = event.use - meeting.ring->stages;
  for (int peer : meeting.peers) {
    if (!system.inGroup(event.instance, peer, event.step->multicast))
      continue;
    for (int consumer : system.meetings[peer].consumers)
      if (before >= 0 &&
          !isBefore(peer, Released, consumer, before, states[thread].clock))
        return report(RingRule::R15, thread, event,
                      "a multicast into " + meeting.ring->name + "[" +
                          std::to_string(event.use) + "] lands while '" +
                          system.threads[consumer].name +
                          "' may still read use " + std::to_string(before) +
                          " in its slot");
  }
  return Move::Done;
}

Counting::Move Counting::step(int thread) {
  const Thread &self = system.threads[thread];
  State &state = states[thread];
  if (state.next == 0 && self.agent != 0) {
    auto [count, clock] = forks[self.rank];
    int expected = system.model.agents[0].isSplit ? 2 : 1;
    if (count < expected)
      return Move::Blocked;
    join(state.clock, clock);
  }
  const Event &event = self.trace->events[state.next];
  if (system.skips(self, event)) {
    ++state.next;
    return Move::Done;
  }
  Move move = Move::Done;
  switch (event.kind) {
  case EventKind::Acquire:
    move = acquire(thread, event);
    break;
  case EventKind::Wait:
    move = wait(thread, event);
    break;
  case EventKind::Fill:
    move = checkPeers(thread, event);
    break;
  case EventKind::Drain:
    if (system.meetingOf(event).ring->isBarrierProtocol) {
      if (!state.isInBarrier)
        land(thread, event.group);
      move = barrier(thread);
    }
    break;
  case EventKind::Join:
    for (auto [other, theirs] : llvm::zip(system.threads, states)) {
      if (other.agent == 0 || other.rank != self.rank)
        continue;
      if (theirs.next < other.trace->events.size())
        return Move::Blocked;
      join(state.clock, theirs.clock);
    }
    break;
  default:
    break;
  }
  if (move != Move::Done)
    return move;
  ++state.clock[thread];
  switch (event.kind) {
  case EventKind::Acquire:
    record(event.instance, Acquired, thread);
    break;
  case EventKind::Commit:
    record(event.instance, Committed, thread);
    if (event.group >= 0)
      state.groups.push_back({event.group, event.instance, event.use});
    else if (system.meetingOf(event).ring->isBarrierProtocol)
      record(event.instance, Landed, thread);
    break;
  case EventKind::Wait:
    record(event.instance, Waited, thread);
    break;
  case EventKind::Release:
    record(event.instance, Released, thread);
    break;
  case EventKind::Fork: {
    auto &[count, clock] = forks[self.rank];
    clock.resize(size, 0);
    ++count;
    join(clock, state.clock);
    break;
  }
  default:
    break;
  }
  log.push_back({thread, &event});
  ++state.next;
  return Move::Done;
}

/// What the next event of a thread that does not go on waits for.
std::string Counting::reasonOf(int thread) {
  const Thread &self = system.threads[thread];
  const Event &event = self.trace->events[states[thread].next];
  std::string what = "'" + self.name + "' waits at ";
  if (event.kind == EventKind::Join)
    return what + "the end of the roles";
  what += describeEvent(system.model, system.run, event);
  const Meeting &meeting = system.meetingOf(event);
  if (meeting.ring->isBarrierProtocol)
    return what + " for its other threads";
  auto name = [&](int64_t use) {
    return meeting.ring->name + "[" + std::to_string(use) + "]";
  };
  bool isWait = event.kind == EventKind::Wait;
  Kind kind = isWait ? Committed : Released;
  int64_t use = isWait ? event.use : event.use - meeting.ring->stages;
  for (int other : isWait ? meeting.fillers : meeting.emptiers) {
    int instance = system.instanceAt(meeting, other);
    if (history(instance, kind, other).count <= use)
      return what + " for '" + system.threads[other].name + "' to " +
             (isWait ? "commit " : "release ") + name(use);
  }
  return what;
}

void Counting::deadlock() {
  finding = {RingRule::R14, nullptr, "", {}};
  SmallVector<int> blocked;
  for (size_t thread = 0; thread < size; ++thread)
    if (states[thread].next < system.threads[thread].trace->events.size() &&
        (states[thread].next > 0 || system.threads[thread].agent == 0 ||
         forks.count(system.threads[thread].rank)))
      blocked.push_back(static_cast<int>(thread));
  // An agent that waits for others to end does not cause the deadlock.
  auto isJoin = [&](int thread) {
    return system.threads[thread].trace->events[states[thread].next].kind ==
           EventKind::Join;
  };
  if (llvm::any_of(blocked, [&](int thread) { return !isJoin(thread); }))
    llvm::erase_if(blocked, isJoin);
  for (int thread : blocked) {
    const Event &event =
        system.threads[thread].trace->events[states[thread].next];
    if (!finding.op) {
      finding.op = event.step->op;
      finding.message = "deadlock: " + reasonOf(thread);
      continue;
    }
    finding.notes.push_back({event.step->op->getLoc(), reasonOf(thread)});
  }
  constexpr size_t kShown = 8;
  size_t from = log.size() > kShown ? log.size() - kShown : 0;
  for (auto [who, what] : ArrayRef(log).drop_front(from))
    if (what->instance >= 0)
      finding.notes.push_back(system.note(system.threads[who], *what));
}

/// R17, after a run that came to its end: a barrier's next phase completes only
/// when everybody has seen the one before, and is not arrived at earlier.
bool Counting::checkPhases() {
  for (int self : llvm::seq<int>(0, system.meetings.size())) {
    const Meeting &meeting = system.meetings[self];
    const Ring &ring = *meeting.ring;
    if (ring.isBarrierProtocol)
      continue;
    auto instanceOf = [&](int thread) {
      return system.instanceAt(meeting, thread);
    };
    auto check = [&](ArrayRef<int> arrivers, Kind arrival,
                     ArrayRef<int> waiters, Kind waited, int64_t lag) {
      int64_t uses = std::numeric_limits<int64_t>::max();
      for (int arriver : arrivers)
        uses = std::min(uses,
                        history(instanceOf(arriver), arrival, arriver).count);
      if (arrivers.empty())
        return true;
      for (int64_t use = ring.stages; use < uses; ++use) {
        Clock previous(size, 0), complete(size, 0);
        for (int arriver : arrivers) {
          History &of = history(instanceOf(arriver), arrival, arriver);
          join(previous, row(of, use - ring.stages));
          join(complete, row(of, use));
        }
        auto fail = [&](int thread, StringRef what) {
          Event event{arrival == Committed ? EventKind::Commit
                                           : EventKind::Release,
                      self, static_cast<int32_t>(use), -1, nullptr};
          for (const Event &own : system.threads[thread].trace->events)
            if (own.kind == event.kind && own.use == event.use &&
                own.instance == instanceOf(thread))
              event.step = own.step;
          report(RingRule::R17, thread, event,
                 ring.name + "[" + std::to_string(use) + "] " + what);
          return false;
        };
        for (int arriver : arrivers) {
          History &of = history(instanceOf(arriver), arrival, arriver);
          ArrayRef<int32_t> own = row(of, use);
          for (int other : arrivers)
            if (row(history(instanceOf(other), arrival, other),
                    use - ring.stages)[other] > own[other])
              return fail(arriver, "is signalled before its slot's previous "
                                   "phase is complete");
        }
        for (int waiter : waiters) {
          History &of = history(self, waited, waiter);
          int64_t seen = use - ring.stages + lag;
          if (seen < of.count && row(of, seen)[waiter] > complete[waiter])
            return fail(arrivers.front(),
                        "is complete while the phase before may not have been "
                        "seen by everybody");
        }
      }
      return true;
    };
    if (!check(meeting.fillers, Committed, meeting.consumers, Waited, 0) ||
        !check(meeting.emptiers, Released, meeting.producers, Acquired,
               ring.stages))
      return false;
  }
  return true;
}

Outcome Counting::run() {
  bool isMoving = true;
  while (isMoving) {
    isMoving = false;
    for (size_t thread = 0; thread < size; ++thread)
      while (states[thread].next <
             system.threads[thread].trace->events.size()) {
        if (++steps > budget)
          return Outcome::OutOfBudget;
        Move move = step(static_cast<int>(thread));
        if (move == Move::Found)
          return Outcome::Found;
        if (move == Move::Blocked)
          break;
        isMoving = true;
      }
  }
  for (size_t thread = 0; thread < size; ++thread)
    if (states[thread].next < system.threads[thread].trace->events.size()) {
      deadlock();
      return Outcome::Found;
    }
  return checkPhases() ? Outcome::Ok : Outcome::Found;
}

Outcome rings::exploreCounting(const System &system, int64_t &steps,
                               int64_t budget, Finding &finding) {
  return Counting(system, steps, budget, finding).run();
}
