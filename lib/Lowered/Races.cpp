//===- Races.cpp - who may have seen what, and who has not ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An agent knows a shared clock and, beyond it, its own accesses (a thread) or
// those of its issuer up to its start (an operation). After a barrier all its
// threads hold one clock, and a release into an mbarrier adds one component to
// the clock that the signal alone holds.
//
// An epoch of an agent ends where something else may learn of its accesses: a
// release, a fence, the start of an operation.
//
//===----------------------------------------------------------------------===//

#include "AccessTable.h"
#include "VectorClock.h"
#include <algorithm>
#include <cassert>

using namespace mlir::tile::lowered;

namespace {

struct AgentState {
  ClockRef order;
  ClockRef proxy;
  /// Whose accesses are known beyond the clocks, and up to which epoch. A
  /// thread knows all of its own, of which some are visible to the
  /// asynchronous proxy; an operation knows those of its issuer.
  Agent issuer = 0;
  uint32_t issuerOrder = 0;
  uint32_t issuerProxy = 0;
  /// The epoch, from 1, and whether it has accesses.
  uint32_t clock = 1;
  bool hasAccesses = false;
  /// Operations that share the agent now, and the epoch in which they began.
  unsigned operations = 0;
  uint32_t firstClock = 0;
};

enum class Verdict { Ordered, FenceMissing, Unordered };

/// Parts of an access that are treated as one.
struct Transition {
  ShadowCell before, after;
};

} // namespace

struct RaceDetector::Impl {
  unsigned threads;
  std::vector<AgentState> agents;
  Agent nextAsync;
  ClockFactory clocks;
  AccessTable table;
  /// What the shadows of this launch name, and these shadows.
  std::shared_ptr<const void> launch;
  std::vector<std::weak_ptr<Shadow::Impl>> shadows;

  Impl(unsigned threads, unsigned asyncAgents)
      : threads(threads), agents(threads + std::max(asyncAgents, 1u)),
        nextAsync(threads), table(agents.size()) {}

  bool isThread(Agent agent) const { return agent < threads; }

  // Agents.
  void restart();
  uint32_t endEpoch(AgentState &agent);
  void publish(Agent from, Signal &into);
  Agent freeAsyncAgent();

  // Accesses.
  void adopt(Shadow::Impl &shadow, const std::shared_ptr<Shadow::Impl> &owner);
  void collect();
  bool knows(const ClockRef &clock, const AgentState &who, uint32_t beyond,
             const AccessRecord &earlier) const;
  Verdict judge(Agent who, Proxy proxy, const AccessRecord &earlier) const;
  std::optional<Race> findRace(Agent who, AccessKind kind, Proxy proxy,
                               ShadowCell cell) const;
  std::optional<Race> peek(Agent who, Shadow::Impl &memory, size_t offset,
                           size_t bytes, Proxy proxy) const;
  ShadowCell update(Agent who, uint32_t access, ShadowCell cell);
};

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

void RaceDetector::Impl::restart() {
  clocks.startGroup();
  for (Agent agent = 0; agent < agents.size(); ++agent) {
    agents[agent] = AgentState();
    agents[agent].issuer = agent;
  }
  nextAsync = threads;
  table.startGroup();
}

/// The last epoch that has ended: others may know the accesses up to it.
uint32_t RaceDetector::Impl::endEpoch(AgentState &agent) {
  if (agent.hasAccesses) {
    ++agent.clock;
    agent.hasAccesses = false;
  }
  return agent.clock - 1;
}

void RaceDetector::Impl::publish(Agent from, Signal &into) {
  AgentState &agent = agents[from];
  uint32_t ended = endEpoch(agent);
  into.order = clocks.inThisGroup(into.order);
  into.proxy = clocks.inThisGroup(into.proxy);
  clocks.addTo(into.order, agent.order);
  clocks.addTo(into.proxy, agent.proxy);
  // The clocks keep nothing about an operation without accesses, nor about
  // operations that had the same agent number before.
  if (isThread(from) || ended >= agent.firstClock)
    clocks.raise(into.order, from, ended);
  if (!isThread(from))
    clocks.raise(into.order, agent.issuer, agent.issuerOrder);
  clocks.raise(into.proxy, agent.issuer, agent.issuerProxy);
}

Agent RaceDetector::Impl::freeAsyncAgent() {
  Agent agent = nextAsync;
  do {
    if (agents[agent].operations == 0)
      break;
    agent = agent + 1 < agents.size() ? agent + 1 : threads;
  } while (agent != nextAsync);
  nextAsync = agent + 1 < agents.size() ? agent + 1 : threads;
  return agent;
}

RaceDetector::RaceDetector(unsigned threads, unsigned asyncAgents)
    : impl(std::make_unique<Impl>(threads, asyncAgents)) {
  startLaunch();
}
RaceDetector::~RaceDetector() = default;

void RaceDetector::startLaunch() {
  impl->restart();
  impl->clocks.startLaunch();
  impl->table.clear();
  impl->shadows.clear();
  // Shadows that name accesses of another launch forget them when they are
  // used; they keep the old object alive, so that its address stays theirs.
  impl->launch = std::make_shared<char>();
}

void RaceDetector::restart() { impl->restart(); }

void RaceDetector::release(Agent from, Signal &into) {
  impl->publish(from, into);
}

void RaceDetector::acquire(Agent to, const Signal &from) {
  AgentState &agent = impl->agents[to];
  agent.order =
      impl->clocks.join(agent.order, impl->clocks.inThisGroup(from.order));
  agent.proxy =
      impl->clocks.join(agent.proxy, impl->clocks.inThisGroup(from.proxy));
}

void RaceDetector::synchronize(llvm::ArrayRef<Agent> threads) {
  Signal all;
  for (Agent thread : threads)
    impl->publish(thread, all);
  // The signal covers what each of them knew.
  for (Agent thread : threads) {
    impl->agents[thread].order = all.order;
    impl->agents[thread].proxy = all.proxy;
  }
}

void RaceDetector::fenceProxy(Agent thread) {
  assert(impl->isThread(thread) && "operations have no fences");
  AgentState &agent = impl->agents[thread];
  agent.issuerProxy = impl->endEpoch(agent);
  agent.proxy = agent.order;
}

uint32_t RaceDetector::momentOf(Agent thread) {
  AgentState &agent = impl->agents[thread];
  agent.hasAccesses = true; // the next release ends this epoch
  return agent.clock;
}

bool RaceDetector::comesAfter(const Signal &signal, Agent thread,
                              uint32_t moment) {
  ClockRef order = impl->clocks.inThisGroup(signal.order);
  return order && order->get(thread) >= moment;
}

Agent RaceDetector::beginAsync(Agent issuer) {
  Agent operation = impl->freeAsyncAgent();
  AgentState &agent = impl->agents[operation];
  AgentState &from = impl->agents[issuer];
  ++agent.clock;
  agent.hasAccesses = false;
  if (agent.operations++ == 0) {
    agent.firstClock = agent.clock;
    if (impl->isThread(issuer)) {
      agent.issuer = issuer;
      agent.issuerOrder = impl->endEpoch(from);
      agent.issuerProxy = from.issuerProxy;
      agent.order = from.order;
      agent.proxy = from.proxy;
      return operation;
    }
    agent.order = agent.proxy = nullptr;
  } else {
    // No agent is free: operations share one, with what each of them knows.
    impl->clocks.raise(agent.order, agent.issuer, agent.issuerOrder);
    impl->clocks.raise(agent.proxy, agent.issuer, agent.issuerProxy);
  }
  agent.issuer = operation;
  agent.issuerOrder = agent.issuerProxy = 0;
  Signal known;
  impl->publish(issuer, known);
  impl->clocks.addTo(agent.order, known.order);
  impl->clocks.addTo(agent.proxy, known.proxy);
  return operation;
}

void RaceDetector::endAsync(Agent operation, Signal &into) {
  AgentState &agent = impl->agents[operation];
  assert(!impl->isThread(operation) && agent.operations > 0 &&
         "expected an operation in flight");
  impl->publish(operation, into);
  if (--agent.operations == 0)
    agent.order = agent.proxy = nullptr;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void RaceDetector::Impl::adopt(Shadow::Impl &shadow,
                               const std::shared_ptr<Shadow::Impl> &owner) {
  if (shadow.launch == launch)
    return;
  shadow.forget();
  shadow.launch = launch;
  shadows.push_back(owner);
}

void RaceDetector::Impl::collect() {
  std::vector<Shadow::Impl *> live;
  std::vector<std::weak_ptr<Shadow::Impl>> kept;
  for (std::weak_ptr<Shadow::Impl> &weak : shadows) {
    // The owner of a shadow holds it longer than this function runs.
    std::shared_ptr<Shadow::Impl> shadow = weak.lock();
    if (!shadow || shadow->launch != launch)
      continue;
    live.push_back(shadow.get());
    kept.push_back(std::move(weak));
  }
  shadows = std::move(kept);
  table.collect(live);
}

/// Whether `earlier`, by another agent, is in `clock` or in what `who` knows of
/// its issuer.
bool RaceDetector::Impl::knows(const ClockRef &clock, const AgentState &who,
                               uint32_t beyond,
                               const AccessRecord &earlier) const {
  if (earlier.group != clocks.group())
    return clock &&
           clock->getPast(earlier.group, earlier.agent) >= earlier.clock;
  if (earlier.agent == who.issuer && earlier.clock <= beyond)
    return true;
  return clock && clock->get(earlier.agent) >= earlier.clock;
}

Verdict RaceDetector::Impl::judge(Agent who, Proxy proxy,
                                  const AccessRecord &earlier) const {
  const AgentState &agent = agents[who];
  bool isOwn = earlier.group == clocks.group() && earlier.agent == who;
  // An operation does not race with itself.
  if (isOwn && !isThread(who) && earlier.clock >= agent.firstClock)
    return Verdict::Ordered;
  bool isOrdered = (isOwn && isThread(who)) ||
                   knows(agent.order, agent, agent.issuerOrder, earlier);
  if (!isOrdered)
    return Verdict::Unordered;
  if (proxy == Proxy::Generic || earlier.proxy == Proxy::Async)
    return Verdict::Ordered;
  return knows(agent.proxy, agent, agent.issuerProxy, earlier)
             ? Verdict::Ordered
             : Verdict::FenceMissing;
}

/// The worst race of an access with what the cell says.
std::optional<Race> RaceDetector::Impl::findRace(Agent who, AccessKind kind,
                                                 Proxy proxy,
                                                 ShadowCell cell) const {
  std::optional<Race> race;
  auto check = [&](uint32_t number) {
    const AccessRecord &earlier = table.access(number);
    bool isWriteAmongThem =
        kind != AccessKind::Read || earlier.kind != AccessKind::Read;
    bool areAtomic =
        kind == AccessKind::Atomic && earlier.kind == AccessKind::Atomic;
    if (!isWriteAmongThem || areAtomic)
      return;
    Verdict verdict = judge(who, proxy, earlier);
    if (verdict == Verdict::Ordered ||
        (race && (verdict == Verdict::FenceMissing || !race->onlyFenceMissing)))
      return;
    race.emplace();
    race->kind = kind;
    race->otherKind = earlier.kind;
    race->proxy = proxy;
    race->otherProxy = earlier.proxy;
    race->other = earlier.agent;
    race->otherSite = earlier.site;
    race->onlyFenceMissing = verdict == Verdict::FenceMissing;
    race->earlierGroup = earlier.group != clocks.group();
  };
  if (cell.write >= ShadowCell::kFirstAccess)
    check(cell.write);
  if (kind != AccessKind::Read || !table.hasReadsOnly(cell.since))
    table.forEachMember(cell.since, check);
  return race;
}

/// The first race of a read that leaves no trace.
std::optional<Race> RaceDetector::Impl::peek(Agent who, Shadow::Impl &memory,
                                             size_t offset, size_t bytes,
                                             Proxy proxy) const {
  for (size_t at = offset; at < offset + bytes; ++at) {
    ShadowCell cell =
        memory.page(at / Shadow::Impl::kPage)[at % Shadow::Impl::kPage];
    if (auto race = findRace(who, AccessKind::Read, proxy, cell)) {
      race->offset = at;
      return race;
    }
  }
  return std::nullopt;
}

/// The cell after an access.
ShadowCell RaceDetector::Impl::update(Agent who, uint32_t number,
                                      ShadowCell cell) {
  const AccessRecord &access = table.access(number);
  if (access.kind == AccessKind::Write)
    return {number, 0};
  if (access.kind == AccessKind::Atomic)
    cell.write = std::max(cell.write, ShadowCell::kWrittenBefore);
  if (access.kind == AccessKind::Read &&
      cell.write >= ShadowCell::kFirstAccess) {
    // What is ordered after a write is ordered after the reads of its epoch.
    const AccessRecord &write = table.access(cell.write);
    if (write.group == clocks.group() && write.agent == who &&
        write.clock == access.clock)
      return cell;
  }
  cell.since = table.add(cell.since, number, [&](const AccessRecord &member) {
    return judge(who, access.proxy, member) == Verdict::Ordered;
  });
  return cell;
}

std::optional<Race> RaceDetector::access(Agent who, Shadow &shadow,
                                         size_t offset, size_t bytes,
                                         AccessKind kind, Proxy proxy,
                                         SiteId site) {
  assert(offset + bytes <= shadow.size() && "outside of the memory");
  Shadow::Impl &memory = *shadow.impl;
  impl->adopt(memory, shadow.impl);
  if (impl->table.wantsCollection())
    impl->collect();
  if (kind == AccessKind::PieceRead)
    return impl->peek(who, memory, offset, bytes, proxy);
  AgentState &agent = impl->agents[who];
  agent.hasAccesses = true;
  uint32_t number = impl->table.number(
      {impl->clocks.group(), who, agent.clock, site, kind, proxy});

  std::optional<Race> first;
  std::optional<Transition> last;
  for (size_t at = offset, end = offset + bytes; at < end;) {
    size_t stop =
        std::min(end, (at / Shadow::Impl::kPage + 1) * Shadow::Impl::kPage);
    ShadowCell *cells = memory.page(at / Shadow::Impl::kPage);
    size_t base = at / Shadow::Impl::kPage * Shadow::Impl::kPage;
    for (; at < stop; ++at) {
      ShadowCell &cell = cells[at - base];
      if (!last || last->before != cell) {
        if (!first && (first = impl->findRace(who, kind, proxy, cell)))
          first->offset = at;
        last = {cell, impl->update(who, number, cell)};
      }
      cell = last->after;
    }
  }
  return first;
}

RaceDetector::Statistics RaceDetector::statistics() const {
  return {impl->clocks.alive(), impl->table.numAccesses(),
          impl->table.numSets(), impl->table.numMembers()};
}
