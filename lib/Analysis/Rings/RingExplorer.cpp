//===- RingExplorer.cpp - who meets whom in a run of agents ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both explorations (RingCounting.cpp, RingExhaustive.cpp) start from, and
// the checks of R3 that need no order.
//
//===----------------------------------------------------------------------===//
#include "RingExplorer.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

//===----------------------------------------------------------------------===//
// Who meets whom
//===----------------------------------------------------------------------===//

System::System(const Model &model, const Run &run) : model(model), run(run) {
  std::map<std::pair<int, int>, SmallVector<int, 2>> threadsOf;
  for (const Trace &trace : run.traces) {
    const Agent &agent = model.agents[trace.agent];
    for (int split = 0; split < (agent.isSplit ? 2 : 1); ++split) {
      std::string name = agent.name;
      if (model.clusterSize > 1)
        name += " of block " + std::to_string(trace.rank);
      if (agent.isSplit)
        name += split ? " (another thread)" : " (a thread)";
      threadsOf[{trace.rank, trace.agent}].push_back(
          static_cast<int>(threads.size()));
      threads.push_back({trace.agent, trace.rank, split, &trace, name});
    }
  }
  for (const Instance &instance : run.instances) {
    Meeting meeting;
    meeting.ring = &model.rings[instance.ring];
    for (int agent : meeting.ring->producers)
      for (int thread : threadsOf[{instance.rank, agent}])
        if (meeting.ring->isBarrierProtocol || threads[thread].split == 0)
          meeting.producers.push_back(thread);
    for (int agent : meeting.ring->consumers)
      for (int thread : threadsOf[{instance.rank, agent}])
        meeting.consumers.push_back(thread);
    meetings.push_back(std::move(meeting));
  }
  for (auto [i, instance] : llvm::enumerate(run.instances))
    for (auto [j, other] : llvm::enumerate(run.instances)) {
      bool isPeer = instance.ring == other.ring && instance.rank != other.rank;
      if (i != j && !isPeer)
        continue;
      meetings[i].peers.push_back(static_cast<int>(j));
      const Ring &ring = *meetings[i].ring;
      // Groups are alike seen from either side.
      if (inGroup(i, j, ring.releases)) {
        meetings[i].emptied.push_back(static_cast<int>(j));
        meetings[i].emptiers.append(meetings[j].consumers.begin(),
                                    meetings[j].consumers.end());
      }
      if (inGroup(i, j, ring.fills))
        meetings[i].fillers.append(meetings[j].producers.begin(),
                                   meetings[j].producers.end());
    }
}

bool System::inGroup(int instance, int other,
                     ArrayRef<ClusterDims> groups) const {
  return instance == other || llvm::any_of(groups, [&](ClusterDims dims) {
           return model.groups->isGroup(run.instances[instance].rank,
                                        run.instances[other].rank, dims);
         });
}

bool System::skips(const Thread &thread, const Event &event) const {
  if (thread.split == 0 || event.instance < 0 ||
      meetingOf(event).ring->isBarrierProtocol)
    return false;
  return event.kind == EventKind::Acquire || event.kind == EventKind::Commit ||
         event.kind == EventKind::Fill;
}

int System::instanceAt(const Meeting &meeting, int thread) const {
  for (int peer : meeting.peers)
    if (run.instances[peer].rank == threads[thread].rank)
      return peer;
  llvm_unreachable("every block of a cluster makes the same rings");
}

Note System::note(const Thread &thread, const Event &event) const {
  return {event.step->op->getLoc(),
          thread.name + ": " + describeEvent(model, run, event)};
}

//===----------------------------------------------------------------------===//
// Totals
//===----------------------------------------------------------------------===//

static int64_t count(const System &system, int thread, int instance,
                     EventKind kind) {
  int64_t found = 0;
  for (const Event &event : system.threads[thread].trace->events)
    found += event.instance == instance && event.kind == kind;
  return found;
}

bool rings::checkTotals(const System &system, bool early, Finding &finding) {
  for (auto [i, meeting] : llvm::enumerate(system.meetings)) {
    int instance = static_cast<int>(i);
    const Ring &ring = *meeting.ring;
    auto report = [&](RingRule rule, Operation *op, const Twine &message) {
      finding = {rule, op, message.str(), {}};
      return false;
    };
    auto slot = [&](size_t use) {
      return ring.name + "[" + std::to_string(use) + "]";
    };
    const auto &uses = system.run.instances[i].uses;
    if (early) {
      if (ring.releases.empty() && ring.fills.empty())
        continue;
      for (int peer : meeting.peers) {
        const auto &theirs = system.run.instances[peer].uses;
        if (theirs.size() != uses.size() &&
            system.inGroup(instance, peer, ring.releases))
          return report(RingRule::R18, ring.create,
                        "the blocks of a cluster use " + ring.name + " " +
                            std::to_string(uses.size()) + " and " +
                            std::to_string(theirs.size()) + " times");
        for (size_t use = 0; use < std::min(uses.size(), theirs.size()); ++use)
          for (ClusterDims dims : ring.fills) {
            int mine = uses[use].multicasts[dims],
                other = theirs[use].multicasts[dims];
            if (mine != other && system.inGroup(instance, peer, dims))
              return report(
                  RingRule::R10, (mine ? uses : theirs)[use].writer->op,
                  "the blocks of a cluster multicast " + std::to_string(mine) +
                      " and " + std::to_string(other) + " parts into " +
                      slot(use) + ": each waits for the parts of all");
          }
      }
      continue;
    }
    for (auto [use, state] : llvm::enumerate(uses))
      if (uint64_t missing = state.read & ~state.filled)
        return report(RingRule::R16, state.reader->op,
                      "buffer " + std::to_string(llvm::countr_zero(missing)) +
                          " of " + slot(use) +
                          " is read, and nothing was copied into it");
    // A use that nothing was copied into may stay unread at the end.
    if (ring.isBarrierProtocol || meeting.producers.empty() ||
        meeting.consumers.empty())
      continue;
    int64_t committed =
        count(system, meeting.producers.front(), instance, EventKind::Commit);
    for (int producer : meeting.producers) {
      int64_t theirs = count(system, producer, instance, EventKind::Commit);
      if (theirs != committed)
        return report(RingRule::R3, ring.create,
                      "'" + system.threads[meeting.producers.front()].name +
                          "' commits " + ring.name + " " +
                          std::to_string(committed) + " times, '" +
                          system.threads[producer].name + "' " +
                          std::to_string(theirs) + " times");
    }
    for (int consumer : meeting.consumers) {
      int64_t released = count(system, consumer, instance, EventKind::Release);
      for (int64_t use = released; use < committed; ++use)
        if (use < static_cast<int64_t>(uses.size()) && uses[use].filled)
          return report(RingRule::R3, ring.create,
                        ring.name + " is filled " + std::to_string(committed) +
                            " times, and '" + system.threads[consumer].name +
                            "' consumes " + std::to_string(released) + " uses");
    }
  }
  return true;
}
