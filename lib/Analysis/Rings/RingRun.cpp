//===- RingRun.cpp - values and control flow of a run ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RingAgent.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

/// Loops whose count is enumerated and comes out larger than this multiple of
/// the range are outside of it: another loop's size made them so.
static constexpr int64_t kRangeFactor = 8;
/// How often a step may ask for values that give it another count, in each
/// block of a cluster.
static constexpr int64_t kAttempts = 8;

/// Scalars that a search for sizes computes in the time of a step (measured:
/// 40,000 a millisecond, against 15,000 steps).
static constexpr int64_t kScalarsPerStep = 3;

static int64_t rangeOf(const Step &step) { return 2 * step.stages + 2; }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<int64_t> AgentRun::payload(ArrayRef<int64_t> key, bool &missing) {
  auto it = run.payloads.find(std::vector<int64_t>(key.begin(), key.end()));
  if (it != run.payloads.end())
    return it->second;
  missing = !run.payloadsAreFree;
  return std::nullopt;
}

void AgentRun::decide(ArrayRef<int> vars, const Step &step,
                      llvm::function_ref<std::vector<Assignment>()> domain) {
  for (int var : vars) {
    SourceKind kind = choices.sourceOf(var).kind;
    if ((kind == SourceKind::Effect || kind == SourceKind::Payload) &&
        !llvm::is_contained(choices.guessingAgents, agent))
      choices.guessingAgents.push_back(agent);
  }
  choices.decide(vars, step.id, [&] {
    std::vector<Assignment> found = domain();
    if (found.empty())
      found = scalars.smallValues(vars, 1);
    return found;
  });
  run.steps += scalars.takeWork() / kScalarsPerStep;
}

std::optional<int64_t> AgentRun::force(ScalarId id, const Step &step,
                                       Need need) {
  std::optional<int64_t> value = scalars.eval(id);
  if (value || scalars.isMissingPayload)
    return value;
  SmallVector<int, 2> vars = scalars.variablesOf({id}, /*unassignedOnly=*/true);
  if (scalars.isMissingPayload)
    return std::nullopt;
  if (vars.empty()) {
    run.reason = "an index is divided by zero";
    stop(RunEnd::Infeasible);
    return std::nullopt;
  }
  decide(vars, step, [&]() -> std::vector<Assignment> {
    if (need == Need::Condition)
      return scalars.solveCondition(id, vars, true, true);
    return scalars.smallValues(vars, rangeOf(step) + 1);
  });
  value = scalars.eval(id);
  if (!value && !scalars.isMissingPayload)
    stop(RunEnd::Infeasible);
  return value;
}

void AgentRun::cover(const Step &step, int64_t count, bool isInRange) {
  Coverage &coverage = run.coverage;
  int64_t range = step.kind == StepKind::If ? 1 : rangeOf(step);
  coverage.steps[step.id] = &step;
  if (isInRange)
    run.counts.push_back({step.id, count});
  if (coverage.attempts[step.id] >= kAttempts * model.clusterSize ||
      step.kind == StepKind::While)
    return;
  SmallVector<int64_t> missing;
  auto isSeen = [&](int64_t i) {
    return (isInRange && i == count) || coverage.seen[step.id].count(i);
  };
  for (int64_t i = 0; i <= range; ++i)
    if (!isSeen(i))
      missing.push_back(i);
  if (missing.empty())
    return;
  // What made the loop run before may have kept one around it from running.
  const std::set<int64_t> &seen = coverage.seen[step.id];
  bool together =
      coverage.attempts[step.id]++ >= kAttempts / 2 * model.clusterSize &&
      count == 0 && (seen.empty() || *seen.rbegin() == 0);
  SmallVector<ScalarId, 3> of{step.use};
  if (step.kind == StepKind::For)
    of = {step.lower, step.stride, step.upper};
  SmallVector<int, 2> vars = scalars.variablesOf(of, /*unassignedOnly=*/false);
  if (vars.empty())
    return;
  coverage.isSymbolic[step.id] = true;
  for (ArrayRef<int> decided : choices.decisionsOn(vars, step.id)) {
    choices.extend(decided,
                   step.kind == StepKind::For
                       ? scalars.solveTrips(step, decided, missing, together)
                       : scalars.solveCondition(step.use, decided, !isSeen(0),
                                                !isSeen(1)));
    if (!together)
      break;
  }
  run.steps += scalars.takeWork() / kScalarsPerStep;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

bool AgentRun::execute(const Body &body) {
  scalars.forget(body.locals);
  for (const Step &step : body.steps) {
    if (++run.steps > run.budget)
      return stop(RunEnd::OutOfBudget);
    if (!execute(step))
      return false;
  }
  return true;
}

bool AgentRun::execute(const Step &step) {
  switch (step.kind) {
  case StepKind::Create:
    return create(step);
  case StepKind::Acquire:
  case StepKind::Commit:
  case StepKind::Wait:
  case StepKind::Release:
  case StepKind::Drain:
    return ringOp(step);
  case StepKind::Access:
    return access(step);
  case StepKind::Issue:
    return issue(step);
  case StepKind::Await:
    return await(step);
  case StepKind::Assume: {
    std::optional<int64_t> value = scalars.eval(step.use);
    auto promise = cast<AssumeOp>(step.op);
    // Sizes that break a promise of the program are not explored; they show no
    // fault of the schedule.
    if (value &&
        ((promise.getMin() &&
          *value < static_cast<int64_t>(*promise.getMin())) ||
         (promise.getMax() &&
          *value > static_cast<int64_t>(*promise.getMax())) ||
         (promise.getDivisibleBy() &&
          *value % static_cast<int64_t>(*promise.getDivisibleBy()) != 0)))
      return stop(RunEnd::Infeasible);
    return true;
  }
  case StepKind::For:
    return loop(step);
  case StepKind::While:
    return whileLoop(step);
  case StepKind::If:
    return branch(step);
  case StepKind::Specialize:
    return specialize(step);
  }
  llvm_unreachable("all steps are above");
}

bool AgentRun::loop(const Step &step) {
  std::optional<int64_t> lower = scalars.eval(step.lower),
                         upper = scalars.eval(step.upper),
                         stride = scalars.eval(step.stride);
  if (!lower || !upper || !stride) {
    SmallVector<int, 2> vars = scalars.variablesOf(
        {step.lower, step.stride, step.upper}, /*unassignedOnly=*/true);
    if (scalars.isMissingPayload)
      return false;
    run.coverage.isSymbolic[step.id] = true;
    SmallVector<int64_t> wanted =
        llvm::to_vector(llvm::seq<int64_t>(0, rangeOf(step) + 1));
    if (!vars.empty())
      decide(vars, step,
             [&] { return scalars.solveTrips(step, vars, wanted); });
    lower = scalars.eval(step.lower);
    upper = scalars.eval(step.upper);
    stride = scalars.eval(step.stride);
  }
  std::optional<int64_t> count = Evaluator::trips(lower, upper, stride);
  if (!count)
    return scalars.isMissingPayload ? false : stop(RunEnd::Infeasible);
  bool isLong = *count > kRangeFactor * rangeOf(step);
  bool isSymbolic =
      run.coverage.isSymbolic[step.id] ||
      (isLong && !scalars
                      .variablesOf({step.lower, step.stride, step.upper},
                                   /*unassignedOnly=*/false)
                      .empty());
  cover(step, *count, !isLong || !isSymbolic);
  if (isLong && isSymbolic)
    return stop(RunEnd::Infeasible);

  SmallVector<int64_t, 2> carried;
  for (ScalarId init : step.inits) {
    std::optional<int64_t> value = force(init, step, Need::Value);
    if (!value)
      return false;
    carried.push_back(*value);
  }
  const Body &body = model.bodies[step.bodies[0]];
  for (int64_t i = 0; i < *count; ++i) {
    // Before the body: entering it forgets its scalars, its arguments too.
    scalars.forget(body.locals);
    scalars.set(step.induction, *lower + i * *stride);
    for (auto [argument, value] : llvm::zip(step.carried, carried))
      scalars.set(argument, value);
    for (const Step &inner : body.steps) {
      if (++run.steps > run.budget)
        return stop(RunEnd::OutOfBudget);
      if (!execute(inner))
        return false;
    }
    for (auto [yield, value] : llvm::zip(step.yields, carried)) {
      std::optional<int64_t> next = force(yield, step, Need::Value);
      if (!next)
        return false;
      value = *next;
    }
    if (i + 1 < *count && !inFlight.empty() && !checkBackEdge(step))
      return false;
  }
  for (auto [result, value] : llvm::zip(step.results, carried))
    scalars.set(result, value);
  return true;
}

bool AgentRun::whileLoop(const Step &step) {
  SmallVector<int64_t, 2> carried;
  auto forceAll = [&](ArrayRef<ScalarId> ids,
                      SmallVectorImpl<int64_t> &values) {
    values.clear();
    for (ScalarId id : ids) {
      std::optional<int64_t> value = force(id, step, Need::Value);
      if (!value)
        return false;
      values.push_back(*value);
    }
    return true;
  };
  if (!forceAll(step.inits, carried))
    return false;
  const Body &before = model.bodies[step.bodies[0]];
  const Body &after = model.bodies[step.bodies[1]];
  auto runBody = [&](const Body &body, ArrayRef<ScalarId> arguments,
                     ArrayRef<int64_t> values) {
    scalars.forget(body.locals);
    for (auto [argument, value] : llvm::zip(arguments, values))
      scalars.set(argument, value);
    for (const Step &inner : body.steps) {
      if (++run.steps > run.budget)
        return stop(RunEnd::OutOfBudget);
      if (!execute(inner))
        return false;
    }
    return true;
  };
  for (int64_t i = 0;; ++i) {
    if (!runBody(before, step.carried, carried))
      return false;
    // A size in the condition is a number of iterations.
    std::optional<int64_t> condition = force(step.use, step, Need::Value);
    SmallVector<int64_t, 2> passed;
    if (!condition || !forceAll(step.passed, passed))
      return false;
    if (!*condition) {
      cover(step, i);
      for (auto [result, value] : llvm::zip(step.results, passed))
        scalars.set(result, value);
      return true;
    }
    if (i >= rangeOf(step))
      return stop(RunEnd::Infeasible); // longer than what is explored
    if (!runBody(after, step.received, passed) ||
        !forceAll(step.yields, carried) ||
        (!inFlight.empty() && !checkBackEdge(step)))
      return false;
  }
}

bool AgentRun::branch(const Step &step) {
  if (scalars.variablesOf({step.use}, /*unassignedOnly=*/true).size())
    run.coverage.isSymbolic[step.id] = true;
  std::optional<int64_t> condition = force(step.use, step, Need::Condition);
  if (!condition)
    return false;
  cover(step, *condition != 0);
  const auto &yields = *condition ? step.yields : step.elseYields;
  if (*condition || step.bodies.size() > 1)
    if (!execute(model.bodies[step.bodies[*condition ? 0 : 1]]))
      return false;
  for (auto [result, yield] : llvm::zip(step.results, yields)) {
    std::optional<int64_t> value = force(yield, step, Need::Value);
    if (!value)
      return false;
    scalars.set(result, *value);
  }
  return true;
}

bool AgentRun::specialize(const Step &step) {
  trace.events.push_back({EventKind::Fork, -1, 0, -1, &step});
  // A role that loads what another stores comes after it.
  SmallVector<int> pending =
      llvm::to_vector(llvm::seq<int>(1, model.agents.size()));
  while (!pending.empty()) {
    SmallVector<int> later;
    for (int role : pending) {
      AgentRun agentRun(run, role, rank, scalars.env);
      if (agentRun.execute()) {
        run.traces.push_back(std::move(agentRun.trace));
      } else if (agentRun.isWaitingForPayload() &&
                 agentRun.end == RunEnd::Complete) {
        later.push_back(role);
      } else {
        return stop(agentRun.end);
      }
    }
    if (later.size() == pending.size())
      run.payloadsAreFree = true;
    pending = std::move(later);
  }
  trace.events.push_back({EventKind::Join, -1, 0, -1, &step});
  return true;
}

bool AgentRun::execute() {
  return execute(model.bodies[model.agents[agent].body]) && finish();
}

//===----------------------------------------------------------------------===//
// All agents
//===----------------------------------------------------------------------===//

RunEnd Run::execute() {
  traces.clear();
  instances.clear();
  payloads.clear();
  payloadsAreFree = false;
  deferred.reset();
  choices.beginRun();
  for (int rank : llvm::seq<int>(0, model.clusterSize)) {
    AgentRun block(*this, 0, rank, Environment());
    if (!block.execute())
      return block.end == RunEnd::Complete ? RunEnd::Infeasible : block.end;
    traces.push_back(std::move(block.trace));
  }
  return RunEnd::Complete;
}
