//===- RingEval.h - values of a ring model's scalars ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates scalars in one agent, and inverts them: finds assignments of
// variables that make a loop run a given number of times, or a condition hold.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_RINGEVAL_H
#define TILE_LIB_ANALYSIS_RINGEVAL_H

#include "RingChoices.h"
#include <functional>
#include <optional>

namespace mlir::tile::rings {

/// Values of one agent at one point of its execution.
struct Environment {
  std::vector<int64_t> values;
  std::vector<uint8_t> known;
  std::vector<int32_t> variables; // of leaves; -1 before the first look
  std::vector<int> instanceOfRing;
  std::vector<std::pair<int, int>> useOfView; // (instance, use)
};

class Evaluator {
public:
  /// A payload's value, if it is there; sets `missing` when one has to come.
  using PayloadLookup = std::function<std::optional<int64_t>(
      ArrayRef<int64_t> key, bool &missing)>;

  Evaluator(const Model &model, Choices &choices, Environment env, int agent,
            int rank, PayloadLookup payload);

  std::optional<int64_t> eval(ScalarId id);
  void set(ScalarId id, int64_t value) {
    env.values[id] = value;
    env.known[id] = true;
  }
  void forget(ArrayRef<ScalarId> locals) {
    for (ScalarId id : locals) {
      env.known[id] = false;
      env.variables[id] = -1;
    }
  }

  /// Variables that the scalars depend on, through arithmetic only.
  SmallVector<int, 2> variablesOf(ArrayRef<ScalarId> ids, bool unassignedOnly);

  /// Trip count of a loop; none when a bound is unknown or the step not
  /// positive.
  static std::optional<int64_t> trips(std::optional<int64_t> lower,
                                      std::optional<int64_t> upper,
                                      std::optional<int64_t> stride);
  /// Assignments of `vars` for as many of the trip counts as possible. Where
  /// one variable alone does not make the loop run so often, or `together`:
  /// several at a time as well.
  std::vector<Assignment> solveTrips(const Step &loop, ArrayRef<int> vars,
                                     ArrayRef<int64_t> wanted,
                                     bool together = false);
  /// Assignments that make a condition false, and true.
  std::vector<Assignment> solveCondition(ScalarId condition, ArrayRef<int> vars,
                                         bool wantFalse, bool wantTrue);
  /// The first values of each variable, the others at their smallest.
  std::vector<Assignment> smallValues(ArrayRef<int> vars, int64_t count);

  Environment env;
  bool isMissingPayload = false;

  /// Scalars computed since it was asked last: what searching has cost.
  int64_t takeWork() { return std::exchange(work, 0); }

private:
  friend class TripSearch;
  int variableOf(ScalarId id);
  void appendKey(ScalarId id, SmallVectorImpl<int64_t> &key);
  std::optional<int64_t> leafValue(ScalarId id);
  std::optional<int64_t> compute(const Scalar &scalar,
                                 ArrayRef<int64_t> operands) const;
  using Cache = llvm::SmallDenseMap<ScalarId, std::optional<int64_t>, 16>;
  std::optional<int64_t> evalFresh(ScalarId id, Cache &cache);
  void collectConstants(ScalarId id, SmallVectorImpl<int64_t> &found,
                        llvm::SmallDenseSet<ScalarId> &seen);
  /// Values that `vars` may have, as near to these as possible.
  Assignment assignmentOf(ArrayRef<int> vars, int64_t extents,
                          int64_t rest) const;
  /// Sets `vars` to `values`, but `pivot` to `value` (none where negative).
  void assign(ArrayRef<int> vars, const Assignment &values, int pivot,
              int64_t value);
  /// Combinations of values with which the loop runs: some of those from which
  /// one variable makes it run `most` times; of all, where there are none and
  /// `orAny`.
  std::vector<Assignment> combinations(const Step &loop, ArrayRef<int> vars,
                                       int64_t most, bool orAny);
  int64_t clip(int var, int64_t value) const;

  const Model &model;
  Choices &choices;
  int agent, rank;
  PayloadLookup payload;
  int64_t effects = 0, work = 0;
};

} // namespace mlir::tile::rings
#endif // TILE_LIB_ANALYSIS_RINGEVAL_H
