//===- RingRun.cpp - one run of a ring model ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RingRun.h"
#include "RingEval.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

/// Loops whose count is enumerated and comes out larger than this multiple of
/// the range are outside of it: another loop's size made them so.
static constexpr int64_t kRangeFactor = 8;
/// How often a step may ask for values that give it another count.
static constexpr uint8_t kAttempts = 8;

static int64_t rangeOf(const Step &step) { return 2 * step.stages + 2; }

std::string rings::describeEvent(const Model &model, const Run &run,
                                 const Event &event) {
  static constexpr StringLiteral names[] = {
      "acquire", "multicast into", "commit", "wait", "release", "drain"};
  if (event.kind == EventKind::Fork || event.kind == EventKind::Join)
    return event.kind == EventKind::Fork ? "roles start" : "roles end";
  std::string text =
      (names[static_cast<int>(event.kind)] + " " + run.ringOf(event).name)
          .str();
  return event.kind == EventKind::Drain
             ? text
             : text + "[" + std::to_string(event.use) + "]";
}

namespace {
/// How far one agent is with one instance of a ring.
struct LocalRing {
  int64_t acquired = 0, committed = 0, waited = 0, released = 0;
  bool isDrained = false;
};

/// What has been issued and not been awaited.
struct InFlight {
  int64_t token;
  const Step *step;
  SmallVector<std::pair<int, int>, 2> slots; // (instance, use) that it reads
  bool isSourceFree = false;
};
} // namespace

namespace mlir::tile::rings {
class AgentRun {
public:
  AgentRun(Run &run, int agent, int rank, Environment env)
      : run(run), model(run.model), choices(run.choices), agent(agent),
        rank(rank), scalars(run.model, run.choices, std::move(env), agent, rank,
                            [this](ArrayRef<int64_t> key, bool &missing) {
                              return payload(key, missing);
                            }) {
    trace.agent = agent;
    trace.rank = rank;
  }

  /// Executes the agent to its end.
  bool execute();
  bool isWaitingForPayload() const { return scalars.isMissingPayload; }

  Trace trace;
  RunEnd end = RunEnd::Complete;

private:
  bool execute(const Body &body);
  bool execute(const Step &step);
  bool create(const Step &step);
  bool ringOp(const Step &step);
  bool access(const Step &step);
  bool issue(const Step &step);
  bool await(const Step &step);
  bool loop(const Step &step);
  bool whileLoop(const Step &step);
  bool branch(const Step &step);
  bool specialize(const Step &step);
  bool finish();

  std::optional<int64_t> payload(ArrayRef<int64_t> key, bool &missing);
  enum class Need { Condition, Value };
  std::optional<int64_t> force(ScalarId id, const Step &step, Need need);
  void decide(ArrayRef<int> vars, const Step &step,
              llvm::function_ref<std::vector<Assignment>()> domain);
  /// Notes that `step` ran `count` times, and asks for what it has not yet.
  void cover(const Step &step, int64_t count);

  bool touchSlot(const Step &step, const Touch &touch);
  bool touchBuffer(const Step &step, const Touch &touch);
  bool checkBackEdge(const Step &loop);
  Instance::Use &useOf(int instance, int64_t use);

  bool stop(RunEnd why) {
    end = why;
    return false;
  }
  bool report(StringRef rule, const Step &step, const Twine &message,
              const Step *other = nullptr, StringRef note = "");
  void appendTrace(Finding &finding, int instance) const;
  std::string slotName(int instance, int64_t use) const {
    return model.rings[run.instances[instance].ring].name + "[" +
           std::to_string(use) + "]";
  }

  Run &run;
  const Model &model;
  Choices &choices;
  int agent, rank;
  Evaluator scalars;
  llvm::DenseMap<int, LocalRing> local;
  SmallVector<InFlight> inFlight;
  int64_t tokens = 0;
  int32_t groups = 0;
};
} // namespace mlir::tile::rings

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

void AgentRun::appendTrace(Finding &finding, int instance) const {
  constexpr size_t kShown = 5;
  SmallVector<const Event *, kShown> last;
  for (const Event &event : llvm::reverse(trace.events)) {
    if (event.instance != instance || last.size() == kShown)
      continue;
    last.push_back(&event);
  }
  for (const Event *event : llvm::reverse(last))
    finding.notes.push_back(
        {event->step->op->getLoc(),
         model.agents[agent].name + ": " + describeEvent(model, run, *event)});
}

bool AgentRun::report(StringRef rule, const Step &step, const Twine &message,
                      const Step *other, StringRef note) {
  run.finding = {rule.str(), step.op, message.str(), {}};
  if (other)
    run.finding.notes.push_back({other->op->getLoc(), note.str()});
  int ring = step.ring >= 0 || !other ? step.ring : other->ring;
  if (ring >= 0)
    appendTrace(run.finding, scalars.env.instanceOfRing[ring]);
  return stop(RunEnd::Found);
}

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

void AgentRun::cover(const Step &step, int64_t count) {
  Coverage &coverage = run.coverage;
  size_t range = step.kind == StepKind::If ? 1 : rangeOf(step);
  std::vector<bool> &seen = coverage.seen[step.id];
  coverage.steps[step.id] = &step;
  if (seen.empty())
    seen.resize(range + 1);
  if (count >= static_cast<int64_t>(seen.size()))
    seen.resize(count + 1);
  seen[count] = true;
  if (coverage.attempts[step.id] >= kAttempts || step.kind == StepKind::While)
    return;
  SmallVector<int64_t> missing;
  for (size_t i = 0; i <= range; ++i)
    if (!seen[i])
      missing.push_back(static_cast<int64_t>(i));
  if (missing.empty())
    return;
  ++coverage.attempts[step.id];
  SmallVector<ScalarId, 3> of{step.use};
  if (step.kind == StepKind::For)
    of = {step.lower, step.stride, step.upper};
  SmallVector<int, 2> vars = scalars.variablesOf(of, /*unassignedOnly=*/false);
  if (vars.empty())
    return;
  coverage.isSymbolic[step.id] = true;
  SmallVector<int, 2> decided = choices.latestDecision(vars, step.id);
  if (decided.empty())
    return;
  choices.extend(decided, step.kind == StepKind::For
                              ? scalars.solveTrips(step, decided, missing)
                              : scalars.solveCondition(step.use, decided,
                                                       !seen[0], !seen[1]));
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
    // A broken promise is nobody's fault here.
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
  bool isSymbolic = run.coverage.isSymbolic[step.id];
  if (isSymbolic && *count > kRangeFactor * rangeOf(step))
    return stop(RunEnd::Infeasible);
  cover(step, *count);

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
// Ring operations: R1, R2, R5
//===----------------------------------------------------------------------===//

bool AgentRun::create(const Step &step) {
  int &instance = scalars.env.instanceOfRing[step.ring];
  if (instance >= 0) {
    const LocalRing &before = local[instance];
    if (!before.isDrained && (before.acquired || before.waited))
      return report("R12", step,
                    "the ring is created again while its memory may be in use: "
                    "expected 'tile.ring.drain' before");
  }
  instance = static_cast<int>(run.instances.size());
  run.instances.push_back({step.ring, rank, {}});
  return true;
}

Instance::Use &AgentRun::useOf(int instance, int64_t use) {
  auto &uses = run.instances[instance].uses;
  if (use >= static_cast<int64_t>(uses.size()))
    uses.resize(use + 1);
  return uses[use];
}

bool AgentRun::ringOp(const Step &step) {
  int instance = step.ring < 0 ? -1 : scalars.env.instanceOfRing[step.ring];
  if (instance < 0)
    return stop(RunEnd::Infeasible);
  LocalRing &ring = local[instance];
  const Ring &type = model.rings[step.ring];
  Event event{EventKind::Drain, instance, 0, -1, &step};
  if (step.kind == StepKind::Drain) {
    if (ring.waited != ring.released)
      return report("R2", step,
                    slotName(instance, ring.released) +
                        " was waited for and is not released when the ring is "
                        "drained");
    ring.isDrained = true;
    event.group = groups;
    trace.events.push_back(event);
    return true;
  }
  std::optional<int64_t> forced = force(step.use, step, Need::Value);
  if (!forced)
    return false;
  int64_t use = *forced;
  auto here = [&] { return slotName(instance, use); };
  if (ring.isDrained)
    return report("R2", step, here() + " is used after the ring was drained");
  auto misnumbered = [&](int64_t expected) {
    return report("R1", step,
                  "expected use " + std::to_string(expected) + " of " +
                      type.name + ", got " + std::to_string(use) +
                      ": uses count on from the ring's creation");
  };
  switch (step.kind) {
  case StepKind::Acquire:
    if (use != ring.acquired)
      return misnumbered(ring.acquired);
    ++ring.acquired;
    event.kind = EventKind::Acquire;
    useOf(instance, use);
    break;
  case StepKind::Commit:
    if (use < ring.committed)
      return report("R2", step, here() + " is committed twice");
    if (use >= ring.acquired)
      return use == ring.committed
                 ? report("R2", step, here() + " is committed, not acquired")
                 : misnumbered(ring.committed);
    if (use != ring.committed)
      return report("R2", step,
                    slotName(instance, ring.committed) +
                        " was acquired and is not committed before " + here());
    ++ring.committed;
    event.kind = EventKind::Commit;
    if (type.isBarrierProtocol && type.type.getProducer() == RingSide::CpAsync)
      event.group = groups++;
    break;
  case StepKind::Wait:
    if (use != ring.waited)
      return misnumbered(ring.waited);
    ++ring.waited;
    event.kind = EventKind::Wait;
    event.group = std::max<int64_t>(0, groups - step.inFlight);
    break;
  default:
    if (use < ring.released)
      return report("R2", step, here() + " is released twice");
    if (use >= ring.waited)
      return use == ring.released
                 ? report("R2", step, here() + " is released, not waited for")
                 : misnumbered(ring.released);
    if (use != ring.released)
      return report("R2", step,
                    slotName(instance, ring.released) +
                        " was waited for and is not released before " + here());
    for (const InFlight &flight : inFlight)
      if (!flight.isSourceFree &&
          llvm::is_contained(flight.slots,
                             std::pair<int, int>(instance, use)) &&
          !type.type.hasConsumer(RingSide::Tcgen05))
        return report("R5", step,
                      here() +
                          " is released while an asynchronous operation may "
                          "still read it",
                      flight.step, "issued here, and not awaited");
    ++ring.released;
    event.kind = EventKind::Release;
    break;
  }
  event.use = static_cast<int32_t>(use);
  if (step.view >= 0)
    scalars.env.useOfView[step.view] = {instance, event.use};
  trace.events.push_back(event);
  return true;
}

//===----------------------------------------------------------------------===//
// Accesses: R4, R7
//===----------------------------------------------------------------------===//

/// Copies and stores that may fill a slot, by the ring's producer.
static bool mayFill(Operation *op, RingSide producer) {
  auto copy = dyn_cast<CopyOp>(op);
  bool fromGlobal = copy && isGlobal(copy.getSource());
  std::optional<CopyPlanAttr> plan;
  if (copy)
    plan = copy.getPlan();
  switch (producer) {
  case RingSide::Tma:
    return fromGlobal &&
           (!plan || plan->getInstruction() == CopyInstruction::Tma);
  case RingSide::CpAsync: // the wait's barrier publishes plain stores as well
  case RingSide::CpAsyncMbarrier:
    return !plan || plan->getInstruction() != CopyInstruction::Tma;
  default:
    return !plan || (plan->getInstruction() != CopyInstruction::Tma &&
                     plan->getInstruction() != CopyInstruction::CpAsync);
  }
}

bool AgentRun::touchSlot(const Step &step, const Touch &touch) {
  const View &view = model.views[touch.view];
  auto [instance, use] = scalars.env.useOfView[touch.view];
  const Ring &ring = model.rings[view.ring];
  RingType type = ring.type;
  LocalRing &state = local[instance];
  auto slot = [&, instance = instance, use = use] {
    return slotName(instance, use);
  };
  Step from(StepKind::Access, view.op, view.ring);
  Instance::Use &record = useOf(instance, use);
  if (view.isAcquire) {
    if (!touch.isWrite)
      return report("R4", step,
                    "the view of 'tile.ring.acquire' is read: " + slot() +
                        " is only there to be filled",
                    &from, "the view is from here");
    if (use < state.committed)
      return report("R4", step, slot() + " is written after it was committed",
                    &from, "the view is from here");
    if (!mayFill(step.op, type.getProducer()))
      return report("R4", step,
                    slot() + " is written by something other than " +
                        stringifyRingSide(type.getProducer()) +
                        ", which its ring expects",
                    &from, "the view is from here");
    record.filled |= uint64_t(1) << std::min(touch.buffer, 63);
    record.writer = &step;
    if (step.isMulticast) {
      ++record.multicasts;
      trace.events.push_back({EventKind::Fill, instance, use, -1, &step});
    }
    return true;
  }
  if (touch.isWrite)
    return report("R4", step,
                  "the view of 'tile.ring.wait' is written: " + slot() +
                      " is only there to be read",
                  &from, "the view is from here");
  if (use < state.released)
    return report("R4", step, slot() + " is read after it was released", &from,
                  "the view is from here");
  bool known = type.hasConsumer(step.kindOfReader);
  if (!known && step.readerIsOpen)
    known = type.hasConsumer(RingSide::Wgmma) ||
            type.hasConsumer(RingSide::Threads) ||
            type.hasConsumer(RingSide::TmaStore);
  if (!known && !type.hasConsumer(RingSide::Tcgen05))
    return report("R4", step,
                  slot() + " is read by " +
                      stringifyRingSide(step.kindOfReader) +
                      ", which is not among the consumers of its ring",
                  &from, "the view is from here");
  uint64_t bit = uint64_t(1) << std::min(touch.buffer, 63);
  if (!(record.read & bit)) {
    record.read |= bit;
    record.reader = &step;
  }
  return true;
}

bool AgentRun::touchBuffer(const Step &step, const Touch &touch) {
  for (const InFlight &flight : inFlight) {
    if (flight.step->op == step.op && flight.token < 0)
      continue;
    for (const Touch &theirs : flight.step->touches) {
      if (theirs.view >= 0 || theirs.buffer != touch.buffer)
        continue;
      bool both = theirs.isAccumulator && touch.isAccumulator;
      bool copies = isa<CopyOp>(flight.step->op);
      if (both || (!touch.isWrite && !theirs.isWrite) ||
          (copies && flight.isSourceFree))
        continue;
      Value buffer = model.buffers[touch.buffer];
      StringRef what = theirs.isAccumulator ? "the accumulator of a gemm"
                       : copies             ? "the source of a copy"
                       : isFragment(buffer) ? "a register operand of a gemm"
                                            : "an operand of a gemm";
      return report("R7", step,
                    what + " in flight is " +
                        (touch.isWrite ? "written" : "read") +
                        " before its token was awaited",
                    flight.step, "in flight since here");
    }
  }
  return true;
}

bool AgentRun::access(const Step &step) {
  for (const Touch &touch : step.touches)
    if (touch.view >= 0 ? !touchSlot(step, touch) : !touchBuffer(step, touch))
      return false;
  if (step.stored == kNoScalar)
    return true;
  auto store = llvm::find_if(step.touches, [](const Touch &touch) {
    return touch.view >= 0 && touch.isWrite;
  });
  if (store == step.touches.end())
    return true;
  auto [instance, use] = scalars.env.useOfView[store->view];
  std::vector<int64_t> key{instance, use, store->buffer};
  for (ScalarId index : step.indices) {
    std::optional<int64_t> value = force(index, step, Need::Value);
    if (!value)
      return false;
    key.push_back(*value);
  }
  std::optional<int64_t> value = force(step.stored, step, Need::Value);
  if (!value)
    return false;
  run.payloads[key] = *value;
  return true;
}

bool AgentRun::issue(const Step &step) {
  InFlight flight{++tokens, &step, {}, false};
  for (const Touch &touch : step.touches) {
    if (touch.view < 0) {
      if (!touchBuffer(step, touch))
        return false;
      continue;
    }
    if (!touchSlot(step, touch))
      return false;
    flight.slots.push_back(scalars.env.useOfView[touch.view]);
  }
  scalars.set(step.token, flight.token);
  inFlight.push_back(std::move(flight));
  return true;
}

bool AgentRun::await(const Step &step) {
  for (ScalarId token : step.tokens) {
    std::optional<int64_t> number = force(token, step, Need::Value);
    if (!number)
      return false;
    for (InFlight &flight : inFlight)
      if (flight.token == *number)
        flight.isSourceFree = true;
    if (!step.awaitsReadOnly)
      llvm::erase_if(inFlight, [&](const InFlight &flight) {
        return flight.token == *number;
      });
  }
  return true;
}

/// R7b: ptxas serializes a gemm whose accumulator crosses the back edge of a
/// loop in which something else reads it.
bool AgentRun::checkBackEdge(const Step &loop) {
  for (const InFlight &flight : inFlight) {
    if (!isa<GemmOp>(flight.step->op) ||
        !loop.op->isProperAncestor(flight.step->op))
      continue;
    auto accumulator =
        llvm::find_if(flight.step->touches,
                      [](const Touch &touch) { return touch.isAccumulator; });
    if (accumulator == flight.step->touches.end())
      continue;
    const Step *reader = nullptr;
    SmallVector<int> bodies(loop.bodies.begin(), loop.bodies.end());
    while (!bodies.empty() && !reader)
      for (const Step &inner : model.bodies[bodies.pop_back_val()].steps) {
        bodies.append(inner.bodies.begin(), inner.bodies.end());
        if (inner.kind != StepKind::Access || isa<GemmOp>(inner.op))
          continue;
        for (const Touch &touch : inner.touches)
          if (touch.view < 0 && touch.buffer == accumulator->buffer &&
              !touch.isWrite && !reader)
            reader = &inner;
      }
    if (reader)
      return report("R7b", *flight.step,
                    "the accumulator is in flight across the back edge of a "
                    "loop in which something other than a gemm reads it",
                    reader, "it is read here");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The end of an agent: R2, R8
//===----------------------------------------------------------------------===//

bool AgentRun::finish() {
  Step atEnd(StepKind::Access);
  for (const InFlight &flight : inFlight)
    if (!flight.isSourceFree)
      return report("R8", *flight.step,
                    "the token of this operation is not awaited before '" +
                        model.agents[agent].name + "' ends");
  for (int instance : llvm::seq<int>(0, run.instances.size())) {
    auto it = local.find(instance);
    if (it == local.end())
      continue;
    const LocalRing &ring = it->second;
    const Ring &type = model.rings[run.instances[instance].ring];
    auto opOf = [&](EventKind kind, int64_t use) -> const Step & {
      for (const Event &event : trace.events)
        if (event.instance == instance && event.kind == kind &&
            event.use == use)
          return *event.step;
      return atEnd;
    };
    if (ring.waited != ring.released)
      return report("R2", opOf(EventKind::Wait, ring.released),
                    slotName(instance, ring.released) +
                        " is waited for and never released");
    if (ring.acquired != ring.committed) {
      const Step &step = opOf(EventKind::Acquire, ring.committed);
      report("R2", step,
             slotName(instance, ring.committed) +
                 " is acquired and never committed");
      // Among one agent's groups the count is what matters: if a wait relies
      // on it, R16 says so.
      if (!type.isBarrierProtocol)
        return false;
      run.deferred = run.finding;
      end = RunEnd::Complete;
    }
  }
  return true;
}

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
