//===- RingRun.h - one run of a ring model ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes each agent's steps for one choice of sizes. Control flow does not
// depend on timing, so an agent's sequence of ring operations is found without
// the others: a trace. On the way the rules are checked that concern one agent
// alone: numbering (R1), pairing (R2), views (R4), asynchronous reads (R5),
// registers in flight (R7), tokens (R8).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_RINGRUN_H
#define TILE_LIB_ANALYSIS_RINGRUN_H

#include "RingChoices.h"
#include <array>
#include <optional>
#include <set>

namespace mlir::tile::rings {

enum class EventKind : uint8_t {
  Acquire,
  Fill, // a multicast copy: writes peers' slots, too
  Commit,
  Wait,
  Release,
  Drain,
  Fork,
  Join
};

struct Event {
  EventKind kind;
  int32_t instance = -1, use = 0;
  /// Commit: number of its cp.async group, -1 if it has none. Wait: groups that
  /// are complete afterwards.
  int32_t group = -1;
  const Step *step = nullptr;
};

struct Trace {
  int agent = 0, rank = 0;
  std::vector<Event> events;
};

/// What `tile.ring.create` made, once for each time that it ran.
struct Instance {
  int ring = 0, rank = 0;
  /// Per use: which buffers were written, which were read and where first.
  struct Use {
    uint64_t filled = 0, read = 0;
    /// Multicast copies into it, by the dimensions of the cluster in which the
    /// blocks differ that share them.
    std::array<int, 8> multicasts = {};
    const Step *reader = nullptr;
    const Step *writer = nullptr;
  };
  std::vector<Use> uses;
};

/// Why a run ended without traces.
enum class RunEnd : uint8_t { Complete, Infeasible, OutOfBudget, Found };

/// What was executed in all runs together.
struct Coverage {
  /// For each step: the trip counts seen in feasible runs; for branches, 0 and
  /// 1.
  std::vector<std::set<int64_t>> seen;
  /// Depends on values that are enumerated.
  std::vector<bool> isSymbolic;
  std::vector<int64_t> attempts;
  std::vector<const Step *> steps;
};

class Run {
public:
  Run(const Model &model, Choices &choices, Coverage &coverage, int64_t &steps,
      int64_t budget)
      : model(model), choices(choices), coverage(coverage), steps(steps),
        budget(budget) {}

  RunEnd execute();

  std::vector<Trace> traces;
  std::vector<Instance> instances;
  Finding finding;
  /// Found only if nothing else is: uses that were acquired for nothing.
  std::optional<Finding> deferred;
  /// Trip counts by step, sides of branches by 0 and 1: seen, if this run turns
  /// out to be one that sizes can give.
  std::vector<std::pair<int, int64_t>> counts;
  std::string reason; // of Infeasible, where it is not just out of range

  const Ring &ringOf(const Event &event) const {
    return model.rings[instances[event.instance].ring];
  }

private:
  friend class AgentRun;
  const Model &model;
  Choices &choices;
  Coverage &coverage;
  int64_t &steps;
  int64_t budget;
  /// What producers stored: (instance, use, buffer, indices) -> value.
  std::map<std::vector<int64_t>, int64_t> payloads;
  /// No agent can go on without a payload: it is then a free value.
  bool payloadsAreFree = false;
};

/// `acquire ring[3]`.
std::string describeEvent(const Model &model, const Run &run,
                          const Event &event);

} // namespace mlir::tile::rings
#endif // TILE_LIB_ANALYSIS_RINGRUN_H
