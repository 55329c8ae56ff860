//===- RingAgent.h - one agent of a run -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RingRun.cpp executes control flow and values, RingChecks.cpp the operations
// on rings, slots and tokens, and the rules about them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_RINGAGENT_H
#define TILE_LIB_ANALYSIS_RINGAGENT_H

#include "RingEval.h"
#include "RingRun.h"

namespace mlir::tile::rings {

/// How far one agent is with one instance of a ring.
struct LocalRing {
  int64_t acquired = 0, committed = 0, waited = 0, released = 0;
  bool isDrained = false;
  /// By use, until it is released: kinds of readers, as bits.
  llvm::SmallDenseMap<int64_t, unsigned, 4> readers;
};

/// What has been issued and not been awaited.
struct InFlight {
  int64_t token;
  const Step *step;
  SmallVector<std::pair<int, int>, 2> slots; // (instance, use) that it reads
  bool isSourceFree = false;
};
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
  void cover(const Step &step, int64_t count, bool isInRange = true);

  bool touchSlot(const Step &step, const Touch &touch);
  bool checkFree(const Step &step, const Ring &type, int instance, int64_t use);
  /// R9: who arrives at a release can speak for those who have read.
  bool checkArrival(const Step &step, LocalRing &ring, int instance,
                    int64_t use);
  bool touchBuffer(const Step &step, const Touch &touch);
  bool checkBackEdge(const Step &loop);
  Instance::Use &useOf(int instance, int64_t use);

  bool stop(RunEnd why) {
    end = why;
    return false;
  }
  bool report(RingRule rule, const Step &step, const Twine &message,
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

#endif // TILE_LIB_ANALYSIS_RINGAGENT_H
