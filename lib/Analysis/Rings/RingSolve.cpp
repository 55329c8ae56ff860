//===- RingSolve.cpp - values of variables that give a result -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifier asks which sizes make a loop run so often, or a condition true.
// Scalars are computed for chosen values of the variables, nothing is solved
// symbolically: one variable is searched, the others are set to 0, 1 or much,
// or to a combination of small values with which the loop runs.
//
//===----------------------------------------------------------------------===//
#include "RingEval.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

std::optional<int64_t> Evaluator::evalFresh(ScalarId id, Cache &cache) {
  const Scalar &scalar = model.scalars[id];
  switch (scalar.code) {
  case ScalarCode::Constant:
    return scalar.constant;
  case ScalarCode::Bound:
    return env.known[id] ? std::optional(env.values[id]) : std::nullopt;
  case ScalarCode::Leaf:
    return leafValue(id);
  default:
    break;
  }
  if (auto it = cache.find(id); it != cache.end())
    return it->second;
  SmallVector<int64_t, 3> operands;
  for (ScalarId operand : scalar.operands) {
    std::optional<int64_t> value = evalFresh(operand, cache);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  ++work;
  return cache[id] = compute(scalar, operands);
}

/// The least value from `value` on that the source may have.
int64_t Evaluator::clip(int var, int64_t value) const {
  const Source &source = choices.sourceOf(var);
  value = std::clamp(value, source.min, source.isBool ? 1 : source.max);
  int64_t divisor = std::max<int64_t>(1, source.divisor);
  int64_t up = llvm::divideCeilSigned(value, divisor) * divisor;
  return up <= source.max ? up
                          : llvm::divideFloorSigned(value, divisor) * divisor;
}

std::optional<int64_t> Evaluator::trips(std::optional<int64_t> lower,
                                        std::optional<int64_t> upper,
                                        std::optional<int64_t> stride) {
  if (!lower || !upper || !stride || *stride <= 0)
    return std::nullopt;
  return *upper <= *lower ? 0
                          : llvm::divideCeilSigned(*upper - *lower, *stride);
}

namespace {
/// Keeps the values of variables while they are tried out.
struct Restore {
  Restore(Choices &choices, ArrayRef<int> vars) : choices(choices), vars(vars) {
    for (int var : vars)
      saved.push_back(choices.variables[var]);
  }
  ~Restore() {
    for (auto [var, variable] : llvm::zip(vars, saved))
      choices.variables[var] = variable;
  }
  Choices &choices;
  SmallVector<int, 2> vars;
  SmallVector<Variable, 2> saved;
};
} // namespace

/// What variables outside of a search are set to, extents of buffers and all
/// else, one after the other: zero, one, a number so large that it does not
/// limit the loop, and extents so large that a block at the start of a buffer
/// is far from its end.
static constexpr int64_t kPlenty = int64_t(1) << 20;
static constexpr std::pair<int64_t, int64_t> kOthers[] = {
    {0, 0}, {1, 1}, {kPlenty, kPlenty}, {kPlenty, 0}};
static constexpr int64_t kLargest = int64_t(1) << 24;

Assignment Evaluator::assignmentOf(ArrayRef<int> vars, int64_t extents,
                                   int64_t rest) const {
  Assignment assignment;
  for (int var : vars)
    assignment.push_back(
        clip(var, choices.sourceOf(var).isExtent ? extents : rest));
  return assignment;
}

void Evaluator::assign(ArrayRef<int> vars, const Assignment &values, int pivot,
                       int64_t value) {
  for (auto [i, var] : llvm::enumerate(vars)) {
    choices.variables[var].value =
        static_cast<int>(i) == pivot ? clip(var, value) : values[i];
    choices.variables[var].isAssigned = true;
  }
}

namespace mlir::tile::rings {
/// The trip count of a loop as a function of one variable (`pivot`; a constant
/// where that is negative), the others fixed.
class TripSearch {
public:
  TripSearch(Evaluator &scalars, const Step &loop, ArrayRef<int> vars,
             int pivot, Assignment others)
      : scalars(scalars), loop(loop), vars(vars), pivot(pivot),
        others(std::move(others)),
        divisor(pivot < 0
                    ? 1
                    : std::max<int64_t>(
                          1, scalars.choices.sourceOf(vars[pivot]).divisor)) {}

  /// Trip counts of the k-th multiple; a failure counts as none.
  int64_t at(int64_t k) {
    auto [it, isNew] = known.try_emplace(k, -1);
    if (isNew)
      it->second = evaluate(k);
    return it->second;
  }

  /// Trip counts where the variable is as large as any that is tried.
  int64_t atMost() { return at(kLargest / divisor); }

  /// Whether the variable makes a difference: asked at a few places.
  bool varies() {
    for (int64_t k = 1; k * divisor < kLargest; k *= 32)
      if (at(k) != at(0))
        return true;
    return atMost() != at(0);
  }

  /// The roundest multiple that gives `count` (a whole number of steps, where
  /// there is one); none where the count jumps over it.
  std::optional<int64_t> find(int64_t count) {
    int64_t first = least(count);
    if (at(first) != count)
      return std::nullopt;
    int64_t last = std::max(first, least(count + 1) - 1);
    if (at(last) != count)
      last = first;
    for (int bit = 40; bit >= 0; --bit)
      if (int64_t round = (last >> bit) << bit;
          round >= first && at(round) == count)
        return round;
    return last;
  }

  /// The fewest trips but none that the loop makes, up to `most`, and where.
  std::optional<std::pair<int64_t, int64_t>> findFewest(int64_t most) {
    int64_t k = least(1), count = at(k);
    if (count < 1 || count > most)
      return std::nullopt;
    return std::pair(k, count);
  }

  /// Sets the variables.
  void assign(int64_t k) { scalars.assign(vars, others, pivot, k * divisor); }

private:
  int64_t evaluate(int64_t k) {
    assign(k);
    Evaluator::Cache cache;
    return Evaluator::trips(scalars.evalFresh(loop.lower, cache),
                            scalars.evalFresh(loop.upper, cache),
                            scalars.evalFresh(loop.stride, cache))
        .value_or(-1);
  }

  /// The least k with at least `count` trips, by doubling and halving; right
  /// where the count does not fall, and checked.
  int64_t least(int64_t count) {
    int64_t high = 1;
    while (high * divisor < kLargest && at(high) < count)
      high *= 2;
    int64_t low = -1;
    while (low + 1 < high) {
      int64_t middle = low + (high - low) / 2;
      (at(middle) >= count ? high : low) = middle;
    }
    return high;
  }

  Evaluator &scalars;
  const Step &loop;
  ArrayRef<int> vars;
  int pivot;
  Assignment others;
  int64_t divisor;
  std::map<int64_t, int64_t> known;
};
} // namespace mlir::tile::rings

/// More trips of a loop are not explored: taps of a filter times one or two
/// blocks of channels.
static constexpr int64_t kMostTrips = 64;

std::vector<Assignment> Evaluator::combinations(const Step &loop,
                                                ArrayRef<int> vars,
                                                int64_t most, bool orAny) {
  static constexpr int64_t kMultiples[] = {0, 1, 2, 4, 16, kPlenty};
  static constexpr size_t kMostVariables = 4, kMostKept = 4;
  std::vector<Assignment> entered;
  if (vars.size() > kMostVariables)
    return entered;
  Assignment values(vars.size(), 0);
  std::function<void(size_t)> choose = [&](size_t number) {
    if (number == vars.size()) {
      TripSearch trips(*this, loop, vars, /*pivot=*/-1, values);
      if (int64_t count = trips.at(0); count > 0 && count <= kMostTrips)
        entered.push_back(values);
      return;
    }
    const Source &source = choices.sourceOf(vars[number]);
    std::optional<int64_t> last;
    for (int64_t multiple : kMultiples) {
      values[number] =
          clip(vars[number], multiple * std::max<int64_t>(1, source.divisor));
      if (last != values[number])
        choose(number + 1);
      last = values[number];
    }
  };
  choose(0);
  // Those from which one variable alone makes the loop run often.
  std::vector<Assignment> reaching;
  for (const Assignment &start : entered)
    for (int pivot = 0; pivot < static_cast<int>(vars.size()); ++pivot)
      if (TripSearch(*this, loop, vars, pivot, start).atMost() >= most) {
        reaching.push_back(start);
        break;
      }
  if (!reaching.empty() || !orAny)
    entered = std::move(reaching);
  // Some of them, from all over the range.
  std::vector<Assignment> kept;
  size_t count = std::min(entered.size(), kMostKept);
  for (size_t i = 0; i < count; ++i)
    kept.push_back(
        entered[i * (entered.size() - 1) / std::max<size_t>(1, count - 1)]);
  return kept;
}

std::vector<Assignment> Evaluator::solveTrips(const Step &loop,
                                              ArrayRef<int> vars,
                                              ArrayRef<int64_t> wanted,
                                              bool together) {
  Restore restore(choices, vars);
  std::map<int64_t, Assignment> found;
  auto isFound = [&](int64_t count) { return found.count(count) != 0; };
  auto current = [&] {
    Assignment assignment;
    for (int var : vars)
      assignment.push_back(choices.variables[var].value);
    return assignment;
  };
  auto searchFrom = [&](const Assignment &others, ArrayRef<int64_t> counts) {
    for (int pivot = static_cast<int>(vars.size()) - 1; pivot >= 0; --pivot) {
      if (llvm::all_of(counts, isFound))
        return;
      TripSearch trips(*this, loop, vars, pivot, others);
      bool isOne = !trips.varies();
      for (int64_t count : counts) {
        if (isFound(count) || (isOne && trips.at(0) != count))
          continue;
        if (std::optional<int64_t> k = trips.find(count)) {
          trips.assign(*k);
          found[count] = current();
        }
      }
    }
  };
  auto search = [&](ArrayRef<int64_t> counts) {
    for (auto [extents, rest] : kOthers)
      searchFrom(assignmentOf(vars, extents, rest), counts);
  };
  search(wanted);
  // What divides the sizes, or what the trips are a multiple of, may leave none
  // of these counts but 0: larger ones.
  auto isEntered = [&] {
    return llvm::none_of(wanted, [](int64_t count) { return count > 0; }) ||
           (!found.empty() && found.rbegin()->first > 0);
  };
  if (!isEntered())
    search({8, 16});
  for (int pivot = static_cast<int>(vars.size()) - 1;
       pivot >= 0 && !isEntered(); --pivot) {
    TripSearch trips(*this, loop, vars, pivot, assignmentOf(vars, 0, 0));
    if (auto fewest = trips.findFewest(kMostTrips)) {
      trips.assign(fewest->first);
      found[fewest->second] = current();
    }
  }
  std::vector<Assignment> result;
  auto keepFound = [&] {
    for (auto &[count, assignment] : found)
      if (!llvm::is_contained(result, assignment))
        result.push_back(assignment);
  };
  keepFound();
  // Around combinations with which the loop runs, each with its own range:
  // where one variable does not make it use a slot again.
  if (together || found.empty() || found.rbegin()->first < wanted.back() / 2)
    for (const Assignment &others :
         combinations(loop, vars, wanted.back(), together)) {
      found.clear();
      searchFrom(others, wanted);
      keepFound();
    }
  // Where a variable that was decided before keeps the loop short: buffers that
  // leave it free to run as often as that one is made to say.
  if (!llvm::all_of(wanted, isFound)) {
    TripSearch plenty(*this, loop, vars, /*pivot=*/-1,
                      assignmentOf(vars, kPlenty, 0));
    int64_t count = plenty.at(0);
    if (llvm::is_contained(wanted, count) &&
        !llvm::is_contained(result, current()))
      result.push_back(current());
  }
  return result;
}

void Evaluator::collectConstants(ScalarId id, SmallVectorImpl<int64_t> &found,
                                 llvm::SmallDenseSet<ScalarId> &seen) {
  if (!seen.insert(id).second)
    return;
  const Scalar &scalar = model.scalars[id];
  if (scalar.code == ScalarCode::Constant)
    found.push_back(scalar.constant);
  else if (env.known[id])
    found.push_back(env.values[id]);
  if (scalar.code != ScalarCode::Leaf)
    for (ScalarId operand : scalar.operands)
      collectConstants(operand, found, seen);
}

std::vector<Assignment> Evaluator::solveCondition(ScalarId condition,
                                                  ArrayRef<int> vars,
                                                  bool wantFalse,
                                                  bool wantTrue) {
  Restore restore(choices, vars);
  SmallVector<int64_t> constants{0, 1, 2, 3};
  llvm::SmallDenseSet<ScalarId> seen;
  collectConstants(condition, constants, seen);
  constants.push_back(kPlenty);
  SmallVector<int64_t> candidates; // in this order, any number among them
  for (int64_t constant : constants)
    for (int64_t delta : {0, 1, -1})
      if (int64_t candidate; !llvm::AddOverflow(constant, delta, candidate) &&
                             !llvm::is_contained(candidates, candidate))
        candidates.push_back(candidate);
  bool wanted[] = {wantFalse, wantTrue};
  std::vector<Assignment> result;
  for (auto [extents, rest] : kOthers) {
    Assignment others = assignmentOf(vars, extents, rest);
    for (int pivot = 0; pivot < static_cast<int>(vars.size()); ++pivot)
      for (int64_t candidate : candidates) {
        if (!wanted[0] && !wanted[1])
          return result;
        assign(vars, others, pivot, candidate);
        Cache cache;
        std::optional<int64_t> value = evalFresh(condition, cache);
        if (!value || !wanted[*value != 0])
          continue;
        wanted[*value != 0] = false;
        Assignment assignment;
        for (int var : vars)
          assignment.push_back(choices.variables[var].value);
        result.push_back(std::move(assignment));
      }
  }
  return result;
}

std::vector<Assignment> Evaluator::smallValues(ArrayRef<int> vars,
                                               int64_t count) {
  Restore restore(choices, vars);
  std::vector<Assignment> result;
  for (int pivot = 0; pivot < static_cast<int>(vars.size()); ++pivot) {
    const Source &source = choices.sourceOf(vars[pivot]);
    int64_t divisor = std::max<int64_t>(1, source.divisor);
    int64_t least = std::max<int64_t>(0, source.min);
    for (int64_t k = 0; k < (source.isBool ? 2 : count); ++k) {
      assign(vars, assignmentOf(vars, least, least), pivot,
             clip(vars[pivot], least) + k * divisor);
      Assignment assignment;
      for (int var : vars)
        assignment.push_back(choices.variables[var].value);
      if (!llvm::is_contained(result, assignment))
        result.push_back(std::move(assignment));
    }
  }
  return result;
}
