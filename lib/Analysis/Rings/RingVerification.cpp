//===- RingVerification.cpp - from runs to a verdict ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/RingVerification.h"
#include "RingExplorer.h"
#include "tile/Layout/Plural.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

namespace {
class Verification {
public:
  Verification(KernelOp kernel, const RingVerificationOptions &options)
      : options(options), model(extractModel(kernel)), choices(model) {
    coverage.seen.resize(model.numControlSteps);
    coverage.isSymbolic.resize(model.numControlSteps);
    coverage.attempts.resize(model.numControlSteps);
    coverage.steps.resize(model.numControlSteps);
  }

  RingVerdict verify();

private:
  /// Explores one combination of sizes. False ends the exploration.
  bool explore();
  RingVerdict notProved(Operation *op, const Twine &reason);
  RingVerdict fault(Finding finding);
  RingVerdict conclude();

  const RingVerificationOptions &options;
  Model model;
  Choices choices;
  Coverage coverage;
  RingVerdict verdict;
  int64_t states = 0, feasible = 0;
  /// A fault that shows only if no other does.
  std::optional<Finding> deferred;
  std::string deferredSizes;
  std::string infeasible;
};
} // namespace

RingVerdict Verification::notProved(Operation *op, const Twine &reason) {
  verdict.kind = RingVerdict::NotProved;
  verdict.finding = {
      RingRule::None, op ? op : model.kernel.getOperation(), reason.str(), {}};
  return verdict;
}

StringRef tile::stringify(RingRule rule) {
  static constexpr StringLiteral names[] = {
      "",   "R1",  "R2",  "R3",  "R4",  "R5",  "R7",  "R7b", "R8",
      "R9", "R10", "R12", "R14", "R15", "R16", "R17", "R18", "R22"};
  return names[static_cast<int>(rule)];
}

/// Whether a rule is about what one agent does against what another does.
static bool comparesAgents(RingRule rule) {
  switch (rule) {
  case RingRule::R3:
  case RingRule::R14:
  case RingRule::R15:
  case RingRule::R16:
  case RingRule::R17:
  case RingRule::R18:
    return true;
  default:
    return false;
  }
}

RingVerdict Verification::fault(Finding finding) {
  verdict.kind = RingVerdict::Fault;
  verdict.sizes = choices.describe();
  if (!finding.op)
    finding.op = model.kernel;
  // Values that agents guessed each on its own may be equal in truth (R19).
  if (choices.guessingAgents.size() > 1 && comparesAgents(finding.rule)) {
    verdict.kind = RingVerdict::NotProved;
    finding.message = "roles take counts from values that nothing says are "
                      "equal [R19]; where they differ: " +
                      finding.message;
    finding.rule = RingRule::None;
  }
  verdict.finding = std::move(finding);
  return verdict;
}

bool Verification::explore() {
  ++verdict.vectors;
  Run run(model, choices, coverage, verdict.steps, options.maxSteps);
  RunEnd end = run.execute();
  auto outOf = [&](int64_t limit, StringRef what) {
    notProved(
        nullptr,
        "budget of " + std::to_string(limit) + " " + what + " used after " +
            std::to_string(verdict.vectors - 1) + " of " +
            std::to_string(std::max(choices.estimate(), verdict.vectors)) +
            " trip vectors or more");
    verdict.finding.advice = "`tile-opt --tile-to-schedule=arch=... "
                             "--tile-verify-rings=budget=...` goes on";
    return false;
  };
  switch (end) {
  case RunEnd::Infeasible:
    if (!run.reason.empty())
      infeasible = run.reason;
    return true;
  case RunEnd::OutOfBudget:
    return outOf(options.maxSteps, "steps");
  case RunEnd::Found:
    fault(std::move(run.finding));
    return false;
  case RunEnd::Complete:
    break;
  }
  ++feasible;
  for (auto [id, count] : run.counts)
    coverage.seen[id].insert(count);
  System system(model, run);
  Finding finding;
  if (!checkTotals(system, /*early=*/true, finding)) {
    fault(std::move(finding));
    return false;
  }
  Outcome outcome =
      options.isExhaustive
          ? exploreAll(system, states, options.maxStates, finding)
          : exploreCounting(system, verdict.steps, options.maxSteps, finding);
  if (outcome == Outcome::OutOfBudget)
    return options.isExhaustive ? outOf(options.maxStates, "states")
                                : outOf(options.maxSteps, "steps");
  if (outcome == Outcome::Ok && checkTotals(system, /*early=*/false, finding)) {
    if (run.deferred && !deferred) {
      deferred = std::move(run.deferred);
      deferredSizes = choices.describe();
    }
    return true;
  }
  fault(std::move(finding));
  return false;
}

/// `0 to 8`, or each number where there are gaps.
static std::string describeCounts(const std::set<int64_t> &seen) {
  std::string text;
  for (auto it = seen.begin(); it != seen.end(); ++it) {
    text += (text.empty() ? "" : ", ") + std::to_string(*it);
    auto last = it;
    while (std::next(last) != seen.end() && *std::next(last) == *last + 1)
      ++last;
    if (*last > *it + 1) {
      text += " to " + std::to_string(*last);
      it = last;
    }
  }
  return text;
}

RingVerdict Verification::conclude() {
  if (feasible == 0)
    return notProved(nullptr,
                     "no sizes were found that run the kernel" +
                         (infeasible.empty() ? "" : ": " + infeasible));
  verdict.kind = RingVerdict::Proved;
  verdict.finding.op = model.kernel;
  verdict.finding.message = plural(feasible, "combination") + " of sizes";
  for (const Body &body : model.bodies)
    for (const Step &step : body.steps) {
      bool isLoop = step.kind == StepKind::For || step.kind == StepKind::While;
      if (!step.hasRingOps || (!isLoop && step.kind != StepKind::If) ||
          !coverage.steps[step.id])
        continue; // what never starts is reported where it stands
      const std::set<int64_t> &seen = coverage.seen[step.id];
      bool isEntered = !seen.empty() && *seen.rbegin() > 0;
      // A branch is entered on either side.
      if (!isEntered && coverage.isSymbolic[step.id] &&
          (isLoop || step.bodies.size() < 2))
        return notProved(step.op, "no sizes were found that enter it");
      if (isLoop)
        verdict.finding.notes.push_back(
            {step.op->getLoc(),
             describeCounts(seen) + (seen == std::set<int64_t>{1}
                                         ? " iteration"
                                         : " iterations")});
    }
  return verdict;
}

RingVerdict Verification::verify() {
  if (!model.findings.empty())
    return fault(model.findings.front());
  if (model.isTrivial())
    return verdict;
  if (model.unsupported)
    return notProved(model.unsupported, model.unsupportedReason);
  do
    if (!explore())
      return verdict;
  while (choices.advance());
  if (deferred) {
    verdict.kind = RingVerdict::Fault;
    verdict.finding = std::move(*deferred);
    verdict.sizes = deferredSizes;
    return verdict;
  }
  return conclude();
}

RingVerdict tile::verifyRings(KernelOp kernel,
                              const RingVerificationOptions &options) {
  return Verification(kernel, options).verify();
}
