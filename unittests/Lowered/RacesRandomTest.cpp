//===- RacesRandomTest.cpp - the race detector against its definition -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random traces of accesses and synchronizations, each up to its first race.
// The reference keeps every access of the trace and, for each agent, the set of
// accesses that happen before it: no clocks, no epochs, nothing shared.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Lowered/Races.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace mlir::tile::lowered;

namespace {

using Accesses = std::set<unsigned>;

struct Knowledge {
  Accesses order, proxy;
  void add(const Knowledge &other) {
    order.insert(other.order.begin(), other.order.end());
    proxy.insert(other.proxy.begin(), other.proxy.end());
  }
};

struct Event {
  size_t offset, bytes;
  AccessKind kind;
  Proxy proxy;
};

enum class Found { Nothing, FenceMissing, Race };

class Reference {
public:
  std::map<unsigned, Knowledge> agents, signals;

  Found access(unsigned agent, const Event &event) {
    Found found = Found::Nothing;
    Knowledge &own = agents[agent];
    for (unsigned i = 0; i < events.size(); ++i) {
      const Event &other = events[i];
      bool overlap = other.offset < event.offset + event.bytes &&
                     event.offset < other.offset + other.bytes;
      bool reads =
          event.kind == AccessKind::Read && other.kind == AccessKind::Read;
      bool atomics =
          event.kind == AccessKind::Atomic && other.kind == AccessKind::Atomic;
      if (!overlap || reads || atomics)
        continue;
      if (!own.order.count(i))
        return Found::Race;
      if (event.proxy == Proxy::Async && other.proxy == Proxy::Generic &&
          !own.proxy.count(i))
        found = Found::FenceMissing;
    }
    own.order.insert(unsigned(events.size()));
    events.push_back(event);
    return found;
  }

private:
  std::vector<Event> events;
};

/// One trace, in the detector and the reference. Operations have numbers of
/// their own in the reference.
class Trace {
public:
  static constexpr unsigned kThreads = 6, kSignals = 3, kBytes = 24;

  /// `mayMiss`: operations share agents, and races are only not to be invented.
  Trace(RaceDetector &detector, std::mt19937 &random, bool inBlocks,
        bool mayMiss)
      : detector(detector), random(random), inBlocks(inBlocks),
        mayMiss(mayMiss), memory(kBytes), signals(kSignals) {
    detector.startLaunch();
  }

  /// Does something. Returns what the reference found.
  Found step() {
    unsigned action = pick(20);
    unsigned thread = pick(kThreads), signal = pick(kSignals);
    if (action < 4) {
      return access(thread, threadKey(thread), Proxy::Generic);
    } else if (action < 7 && !operations.empty()) {
      auto [key, agent] =
          *std::next(operations.begin(), pick(unsigned(operations.size())));
      // Some are cp.async.
      return access(agent, key, key % 8 ? Proxy::Async : Proxy::Generic);
    } else if (action < 9) {
      detector.release(thread, signals[signal]);
      reference.signals[signal].add(reference.agents[threadKey(thread)]);
    } else if (action < 12) {
      detector.acquire(thread, signals[signal]);
      reference.agents[threadKey(thread)].add(reference.signals[signal]);
    } else if (action < 15) {
      synchronize();
    } else if (action == 15) {
      detector.fenceProxy(thread);
      Knowledge &own = reference.agents[threadKey(thread)];
      own.proxy = own.order;
    } else if (action == 16 && begun < 60) {
      unsigned key = 1000000 + begun++;
      operations[key] = detector.beginAsync(thread);
      reference.agents[key] = reference.agents[threadKey(thread)];
    } else if (action < 19 && !operations.empty()) {
      auto operation =
          std::next(operations.begin(), pick(unsigned(operations.size())));
      detector.endAsync(operation->second, signals[signal]);
      reference.signals[signal].add(reference.agents[operation->first]);
      operations.erase(operation);
    } else if (action == 19) {
      other(signal);
    }
    return Found::Nothing;
  }

private:
  RaceDetector &detector;
  std::mt19937 &random;
  bool inBlocks, mayMiss;
  Shadow memory;
  std::vector<Signal> signals;
  Reference reference;
  std::map<unsigned, Agent> operations;
  unsigned begun = 0, block = 0;

  unsigned pick(unsigned count) { return random() % count; }
  /// Threads of different blocks are different agents.
  unsigned threadKey(unsigned thread) { return block * kThreads + thread; }

  Found access(Agent agent, unsigned key, Proxy proxy) {
    size_t bytes = 1 + pick(4);
    unsigned kinds = pick(6);
    Event event{pick(unsigned(kBytes - bytes)), bytes,
                kinds < 3   ? AccessKind::Read
                : kinds < 5 ? AccessKind::Write
                            : AccessKind::Atomic,
                proxy};
    Found expected = reference.access(key, event);
    std::optional<Race> race =
        detector.access(agent, memory, event.offset, event.bytes, event.kind,
                        event.proxy, pick(5));
    // The first byte with a race may be one of which only the fence is missing.
    if (race || !mayMiss)
      EXPECT_EQ(bool(race), expected != Found::Nothing);
    if (race && !race->onlyFenceMissing)
      EXPECT_EQ(expected, Found::Race);
    if (race && event.bytes == 1 && !mayMiss)
      EXPECT_EQ(race->onlyFenceMissing, expected == Found::FenceMissing);
    return expected;
  }

  void synchronize() {
    std::vector<Agent> some;
    Knowledge all;
    for (unsigned thread = 0; thread < kThreads; ++thread)
      if (pick(4)) {
        some.push_back(thread);
        all.add(reference.agents[threadKey(thread)]);
      }
    detector.synchronize(some);
    for (Agent thread : some)
      reference.agents[threadKey(thread)] = all;
  }

  void other(unsigned signal) {
    unsigned second = pick(kSignals);
    switch (pick(inBlocks ? 4 : 3)) {
    case 0:
      signals[signal].clear();
      reference.signals[signal] = {};
      break;
    case 1:
      signals[signal] = signals[second];
      reference.signals[signal] = reference.signals[second];
      break;
    case 2:
      break;
    case 3:
      detector.restart();
      operations.clear();
      ++block;
      break;
    }
  }
};

void compare(unsigned asyncAgents, bool inBlocks, unsigned traces,
             bool mayMiss = false) {
  RaceDetector detector(Trace::kThreads, asyncAgents);
  std::mt19937 random(1);
  unsigned races = 0, fences = 0, steps = 0;
  for (unsigned i = 0; i < traces; ++i) {
    Trace trace(detector, random, inBlocks, mayMiss);
    Found found = Found::Nothing;
    for (unsigned step = 0; step < 400 && found == Found::Nothing; ++step) {
      found = trace.step();
      ++steps;
      if (testing::Test::HasFailure())
        FAIL() << "trace " << i << ", step " << step;
    }
    races += found == Found::Race;
    fences += found == Found::FenceMissing;
  }
  EXPECT_GT(races, traces / 2);
  EXPECT_GT(fences, traces / 100);
  EXPECT_GT(steps, traces * 20);
}

TEST(RacesRandom, OneBlock) { compare(64, false, 20000); }
TEST(RacesRandom, BlocksOneAfterTheOther) { compare(64, true, 20000); }
TEST(RacesRandom, SharedAgents) { compare(2, true, 20000, true); }

} // namespace
