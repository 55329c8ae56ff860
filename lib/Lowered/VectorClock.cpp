//===- VectorClock.cpp - what happens before an agent ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorClock.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mlir::tile::lowered;

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

static bool coversChunk(const ClockChunk &a, const ClockChunk &b) {
  // Without an early exit the loop becomes vector instructions.
  bool covered = true;
  for (unsigned i = 0; i < ClockChunk::kSize; ++i)
    covered &= a.values[i] >= b.values[i];
  return covered;
}

static bool coversChunks(const ClockChunks &a, const ClockChunks &b) {
  for (size_t i = 0; i < b.size(); ++i) {
    if (!b[i] || (i < a.size() && a[i] == b[i]))
      continue;
    if (i >= a.size() || !a[i] || !coversChunk(*a[i], *b[i]))
      return false;
  }
  return true;
}

/// The larger components of both. Takes over `from`'s chunks where it can:
/// equal pointers make the next comparison cheap.
static void joinChunks(ClockChunks &into, const ClockChunks &from) {
  if (into.size() < from.size())
    into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    if (!from[i] || into[i] == from[i])
      continue;
    if (!into[i] || coversChunk(*from[i], *into[i])) {
      into[i] = from[i];
      continue;
    }
    if (coversChunk(*into[i], *from[i]))
      continue;
    if (into[i]->UseCount() > 1)
      into[i] = new ClockChunk(*into[i]);
    for (unsigned j = 0; j < ClockChunk::kSize; ++j)
      into[i]->values[j] = std::max(into[i]->values[j], from[i]->values[j]);
  }
}

//===----------------------------------------------------------------------===//
// Groups of the past
//===----------------------------------------------------------------------===//

static bool coversPast(const PastGroups &a, const PastGroups &b) {
  auto own = a.begin();
  for (const auto &[group, chunks] : b) {
    while (own != a.end() && own->first < group)
      ++own;
    if (own == a.end() || own->first != group ||
        (own->second != chunks && !coversChunks(*own->second, *chunks)))
      return false;
  }
  return true;
}

static std::shared_ptr<const PastGroups>
joinPast(const std::shared_ptr<const PastGroups> &a,
         const std::shared_ptr<const PastGroups> &b) {
  if (!b || a == b || (a && coversPast(*a, *b)))
    return a;
  if (!a || coversPast(*b, *a))
    return b;
  auto joined = std::make_shared<PastGroups>();
  joined->reserve(a->size() + b->size());
  auto i = a->begin(), j = b->begin();
  while (i != a->end() || j != b->end()) {
    if (j == b->end() || (i != a->end() && i->first < j->first)) {
      joined->push_back(*i++);
    } else if (i == a->end() || j->first < i->first) {
      joined->push_back(*j++);
    } else {
      if (i->second == j->second) {
        joined->push_back(*i);
      } else {
        auto both = std::make_shared<ClockChunks>(*i->second);
        joinChunks(*both, *j->second);
        joined->emplace_back(i->first, std::move(both));
      }
      ++i, ++j;
    }
  }
  return joined;
}

//===----------------------------------------------------------------------===//
// VectorClock
//===----------------------------------------------------------------------===//

VectorClock::VectorClock(std::shared_ptr<Counters> counters, uint32_t group)
    : counters(std::move(counters)), ownSerial(++this->counters->lastSerial),
      ownGroup(group) {
  ++this->counters->alive;
}

VectorClock::VectorClock(const VectorClock &other)
    : counters(other.counters), ownSerial(++counters->lastSerial),
      ownGroup(other.ownGroup), nextPart(other.nextPart), parts(other.parts),
      chunks(other.chunks), past(other.past) {
  ++counters->alive;
  remember(other.ownSerial);
}

VectorClock::~VectorClock() { --counters->alive; }

uint32_t VectorClock::getPast(uint32_t group, Agent agent) const {
  if (!past)
    return 0;
  auto found =
      llvm::lower_bound(*past, group, [](const auto &entry, uint32_t wanted) {
        return entry.first < wanted;
      });
  if (found == past->end() || found->first != group)
    return 0;
  const ClockChunks &known = *found->second;
  size_t chunk = agent / ClockChunk::kSize;
  return chunk < known.size() && known[chunk]
             ? known[chunk]->values[agent % ClockChunk::kSize]
             : 0;
}

void VectorClock::remember(uint64_t serial) {
  parts[nextPart] = serial;
  nextPart = (nextPart + 1) % parts.size();
}

bool VectorClock::wasMadeFrom(const VectorClock &other) const {
  return this == &other || llvm::is_contained(parts, other.ownSerial);
}

bool VectorClock::covers(const VectorClock &other) const {
  if (wasMadeFrom(other))
    return true;
  if (!coversChunks(chunks, other.chunks))
    return false;
  return !other.past || past == other.past ||
         (past && coversPast(*past, *other.past));
}

void VectorClock::raise(Agent agent, uint32_t value) {
  if (get(agent) >= value)
    return;
  size_t chunk = agent / ClockChunk::kSize;
  if (chunk >= chunks.size())
    chunks.resize(chunk + 1);
  if (!chunks[chunk])
    chunks[chunk] = new ClockChunk();
  else if (chunks[chunk]->UseCount() > 1)
    chunks[chunk] = new ClockChunk(*chunks[chunk]);
  chunks[chunk]->values[agent % ClockChunk::kSize] = value;
  ownSerial = ++counters->lastSerial;
}

void VectorClock::join(const VectorClock &other) {
  joinChunks(chunks, other.chunks);
  past = joinPast(past, other.past);
  ownSerial = ++counters->lastSerial;
  remember(other.ownSerial);
}

std::shared_ptr<VectorClock> VectorClock::toGroup(uint32_t group) const {
  auto later = std::make_shared<VectorClock>(counters, group);
  auto own = std::make_shared<PastGroups>();
  own->emplace_back(ownGroup, std::make_shared<ClockChunks>(chunks));
  later->past = joinPast(past, own);
  return later;
}

//===----------------------------------------------------------------------===//
// ClockFactory
//===----------------------------------------------------------------------===//

void ClockFactory::startGroup() {
  ++currentGroup;
  joins.assign(kJoins, JoinEntry());
}

ClockRef ClockFactory::inThisGroup(const ClockRef &clock) {
  if (!clock || !clock->isOf(*counters) || clock->group() < firstGroup)
    return nullptr;
  if (clock->group() == currentGroup)
    return clock;
  JoinEntry &entry = joins[clock->serial() % kJoins];
  if (entry.a != clock->serial() || entry.b != 0 || !entry.joined)
    entry = {clock->serial(), 0, clock->toGroup(currentGroup)};
  return entry.joined;
}

ClockRef ClockFactory::join(const ClockRef &a, const ClockRef &b) {
  if (!b || a == b)
    return a;
  if (!a || b->wasMadeFrom(*a))
    return b;
  if (a->wasMadeFrom(*b))
    return a;
  uint64_t first = a->serial(), second = b->serial();
  JoinEntry &entry = joins[(first * 31 + second) % kJoins];
  if (entry.a == first && entry.b == second && entry.joined)
    return entry.joined;
  ClockRef joined;
  if (b->covers(*a)) {
    joined = b;
  } else if (a->covers(*b)) {
    joined = a;
  } else {
    auto both = std::make_shared<VectorClock>(*a);
    both->join(*b);
    joined = std::move(both);
  }
  entry = {first, second, joined};
  return joined;
}

/// A clock that only `clock` holds.
VectorClock &ClockFactory::own(ClockRef &clock) {
  if (!clock)
    clock = std::make_shared<VectorClock>(counters, currentGroup);
  else if (clock.use_count() > 1)
    clock = std::make_shared<VectorClock>(*clock);
  // All clocks are created as above, none as a constant.
  return const_cast<VectorClock &>(*clock);
}

void ClockFactory::addTo(ClockRef &into, const ClockRef &clock) {
  if (!clock || into == clock)
    return;
  if (!into || clock->wasMadeFrom(*into))
    into = clock;
  else if (!into->covers(*clock))
    own(into).join(*clock);
}

void ClockFactory::raise(ClockRef &into, Agent agent, uint32_t value) {
  if (value > (into ? into->get(agent) : 0))
    own(into).raise(agent, value);
}
