//===- RingChecks.cpp - what one agent may do -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules that one agent's order of operations decides: R1, R2, R4, R5, R7,
// R8, and the reuse of a ring's memory (R12).
//
//===----------------------------------------------------------------------===//
#include "RingAgent.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

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

bool AgentRun::report(RingRule rule, const Step &step, const Twine &message,
                      const Step *other, StringRef note) {
  run.finding = {rule, step.op, message.str(), {}};
  if (other)
    run.finding.notes.push_back({other->op->getLoc(), note.str()});
  int ring = step.ring >= 0 || !other ? step.ring : other->ring;
  if (ring >= 0)
    appendTrace(run.finding, scalars.env.instanceOfRing[ring]);
  return stop(RunEnd::Found);
}

//===----------------------------------------------------------------------===//
// Ring operations: R1, R2, R5
//===----------------------------------------------------------------------===//

bool AgentRun::create(const Step &step) {
  int &instance = scalars.env.instanceOfRing[step.ring];
  if (instance >= 0) {
    const LocalRing &before = local[instance];
    if (!before.isDrained && (before.acquired || before.waited))
      return report(RingRule::R12, step,
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
      return report(RingRule::R2, step,
                    slotName(instance, ring.released) +
                        " was waited for and is not released when the ring is "
                        "drained");
    // A ring with mbarriers lives as long as the kernel: its uses go on.
    ring.isDrained = !type.type.usesMbarriers();
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
    return report(RingRule::R2, step,
                  here() + " is used after the ring was drained");
  auto misnumbered = [&](int64_t expected) {
    return report(RingRule::R1, step,
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
      return report(RingRule::R2, step, here() + " is committed twice");
    if (use >= ring.acquired)
      return use == ring.committed
                 ? report(RingRule::R2, step,
                          here() + " is committed, not acquired")
                 : misnumbered(ring.committed);
    if (use != ring.committed)
      return report(RingRule::R2, step,
                    slotName(instance, ring.committed) +
                        " was acquired and is not committed before " + here());
    ++ring.committed;
    event.kind = EventKind::Commit;
    if (type.isBarrierProtocol &&
        type.type.getProducer() == RingProducer::CpAsync)
      event.group = groups++;
    break;
  case StepKind::Wait:
    if (step.isAgain) {
      if (use >= ring.waited)
        return report(RingRule::R2, step,
                      here() + " is taken up again, but was not waited for");
      if (step.view >= 0)
        scalars.env.useOfView[step.view] = {instance,
                                            static_cast<int32_t>(use)};
      return true;
    }
    if (use != ring.waited)
      return misnumbered(ring.waited);
    ++ring.waited;
    event.kind = EventKind::Wait;
    event.group = std::max<int64_t>(0, groups - step.inFlight);
    break;
  default:
    if (use < ring.released)
      return report(RingRule::R2, step, here() + " is released twice");
    if (use >= ring.waited)
      return use == ring.released
                 ? report(RingRule::R2, step,
                          here() + " is released, not waited for")
                 : misnumbered(ring.released);
    if (use != ring.released)
      return report(RingRule::R2, step,
                    slotName(instance, ring.released) +
                        " was waited for and is not released before " + here());
    for (const InFlight &flight : inFlight)
      if (!flight.isSourceFree &&
          llvm::is_contained(flight.slots,
                             std::pair<int, int>(instance, use)) &&
          !(type.type.hasConsumer(RingConsumer::Tcgen05) &&
            type.type.usesMbarriers()))
        return report(RingRule::R5, step,
                      here() +
                          " is released while an asynchronous operation may "
                          "still read it",
                      flight.step, "issued here, and not awaited");
    if (!checkArrival(step, ring, instance, use))
      return false;
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
// Arrivals: R9
//===----------------------------------------------------------------------===//

/// Who has to arrive for a kind of reader.
static RingArrival leastArrival(RingConsumer reader) {
  switch (reader) {
  case RingConsumer::Threads:
    return RingArrival::Warp;
  case RingConsumer::Wgmma:
    return RingArrival::Warpgroup;
  case RingConsumer::TmaStore:
    return RingArrival::Agent;
  case RingConsumer::Tcgen05:
    return RingArrival::None;
  }
  llvm_unreachable("all cases are listed");
}

bool AgentRun::checkArrival(const Step &step, LocalRing &ring, int instance,
                            int64_t use) {
  const std::optional<RingArrivals> &arrivals = model.rings[step.ring].arrivals;
  if (!arrivals)
    return true;
  unsigned readers = ring.readers.lookup(use);
  ring.readers.erase(use);
  auto isReadBy = [&](RingConsumer reader) {
    return readers >> static_cast<unsigned>(reader) & 1;
  };
  RingArrival by = arrivals->by;
  if (by == RingArrival::Warpgroup && step.meets)
    return true;
  for (RingConsumer reader :
       {RingConsumer::Threads, RingConsumer::Wgmma, RingConsumer::TmaStore})
    if (isReadBy(reader) && by < leastArrival(reader))
      return report(RingRule::R9, step,
                    slotName(instance, use) + " was read by " +
                        stringifyRingConsumer(reader) +
                        ", for which the ring's arrivals by " +
                        stringify(by).str() +
                        " do not speak: expected arrivals by " +
                        stringify(leastArrival(reader)));
  if (by == RingArrival::Warpgroup && !isReadBy(RingConsumer::Wgmma))
    return report(RingRule::R9, step,
                  "one thread of each warpgroup arrives for " +
                      slotName(instance, use) +
                      ", but no wgmma read it: nothing shows that the other "
                      "warps have passed the wait");
  return true;
}

//===----------------------------------------------------------------------===//
// Accesses: R4, R7
//===----------------------------------------------------------------------===//

/// Copies and stores that may fill a slot, by the ring's producer.
static bool mayFill(Operation *op, RingProducer producer) {
  if (producer == RingProducer::Mma) {
    const MmaTraits *gemm = gemmTraits(op);
    auto tileOp = dyn_cast<TileOpInterface>(op);
    return (tileOp && tileOp.getFillValue()) ||
           (gemm && gemm->writer == producer);
  }
  auto copy = dyn_cast<TileMoveOpInterface>(op);
  bool fromGlobal = copy && isGlobal(copy.getSource());
  bool isOpen = !copy || !copy.getPlanAttr();
  auto fills = [&](RingProducer side) {
    return !isOpen && (traitsOf(copy).fills == side ||
                       traitsOf(copy).fillsForRole == side);
  };
  switch (producer) {
  case RingProducer::Tma: // tensor and bulk copies: both complete on mbarriers
    return fromGlobal && (isOpen || fills(producer));
  case RingProducer::CpAsync: // the wait's barrier publishes plain stores as
                              // well
    return isOpen || fills(producer) || fills(RingProducer::Threads);
  case RingProducer::CpAsyncMbarrier: // its arrivals publish nothing else
    return fromGlobal && (isOpen || fills(producer));
  case RingProducer::Threads:
  case RingProducer::ThreadsMbarrier:
  case RingProducer::Mma: // above
    return isOpen || fills(RingProducer::Threads);
  }
  llvm_unreachable("all cases are listed");
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
  auto fail = [&](const Twine &message) {
    Step from(StepKind::Access, view.op, view.ring);
    return report(RingRule::R4, step, message, &from, "the view is from here");
  };
  Instance::Use &record = useOf(instance, use);
  if (view.isAcquire) {
    // A gemm adds to what it filled before.
    if (!touch.isWrite && touch.isAccumulator &&
        type.getProducer() == RingProducer::Mma)
      return true;
    if (!touch.isWrite)
      return fail("the view of 'tile.ring.acquire' is read: " + slot() +
                  " is only there to be filled");
    if (use < state.committed)
      return fail(slot() + " is written after it was committed");
    if (!mayFill(step.op, type.getProducer()))
      return fail(slot() + " is written by something other than " +
                  stringifyRingProducer(type.getProducer()) +
                  ", which its ring expects");
    record.filled |= uint64_t(1) << std::min(touch.buffer, 63);
    record.writer = &step;
    if (step.multicast) {
      ++record.multicasts[step.multicast];
      trace.events.push_back({EventKind::Fill, instance, use, -1, &step});
    }
    return true;
  }
  if (use < state.released)
    return fail(slot() + " is used after it was released");
  // Between its wait and its release a slot belongs to the threads of a loop
  // whose barriers empty it; no other agent, and no other proxy, is involved.
  if (touch.isWrite && !ring.isBarrierProtocol)
    return fail("the view of 'tile.ring.wait' is written: " + slot() +
                " is only there to be read");
  if (touch.isWrite) {
    record.filled |= uint64_t(1) << std::min(touch.buffer, 63);
    return true;
  }
  // Where a block barrier empties the slot, it counts nobody.
  bool known = ring.isBarrierProtocol || type.hasConsumer(step.kindOfReader);
  if (!known && step.readerIsOpen)
    known = type.hasConsumer(RingConsumer::Wgmma) ||
            type.hasConsumer(RingConsumer::Threads) ||
            type.hasConsumer(RingConsumer::TmaStore);
  if (!known && !type.hasConsumer(RingConsumer::Tcgen05))
    return fail(slot() + " is read by " +
                stringifyRingConsumer(step.kindOfReader) +
                ", which is not among the consumers of its ring");
  if (ring.arrivals)
    state.readers[use] |= 1u << static_cast<unsigned>(step.kindOfReader);
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
      if (isReadAtIssue(flight.step->op, model.buffers[touch.buffer]))
        continue;
      bool copies = isa<TileMoveOpInterface>(flight.step->op);
      if (both || (!touch.isWrite && !theirs.isWrite) ||
          (copies && flight.isSourceFree))
        continue;
      Value buffer = model.buffers[touch.buffer];
      StringRef what = theirs.isAccumulator ? "the accumulator of a gemm"
                       : copies             ? "the source of a copy"
                       : isFragment(buffer) ? "a register operand of a gemm"
                                            : "an operand of a gemm";
      return report(RingRule::R7, step,
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
    // Gemms by tcgen05 are waited for together with all that came before.
    bool isTcgen05 = llvm::any_of(inFlight, [&](const InFlight &flight) {
      return flight.token == *number &&
             flight.step->kindOfReader == RingConsumer::Tcgen05;
    });
    if (!step.awaitsReadOnly)
      llvm::erase_if(inFlight, [&](const InFlight &flight) {
        return flight.token == *number ||
               (isTcgen05 && flight.token < *number &&
                flight.step->kindOfReader == RingConsumer::Tcgen05);
      });
  }
  return true;
}

/// R7b: ptxas serializes a gemm whose accumulator crosses the back edge of a
/// loop in which something else reads it.
bool AgentRun::checkBackEdge(const Step &loop) {
  for (const InFlight &flight : inFlight) {
    if (!gemmTraits(flight.step->op) ||
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
        if (inner.kind != StepKind::Access || gemmTraits(inner.op))
          continue;
        for (const Touch &touch : inner.touches)
          if (touch.view < 0 && touch.buffer == accumulator->buffer &&
              !touch.isWrite && !reader)
            reader = &inner;
      }
    if (reader)
      return report(RingRule::R7b, *flight.step,
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
      return report(RingRule::R8, *flight.step,
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
      return report(RingRule::R2, opOf(EventKind::Wait, ring.released),
                    slotName(instance, ring.released) +
                        " is waited for and never released");
    if (ring.acquired != ring.committed) {
      const Step &step = opOf(EventKind::Acquire, ring.committed);
      report(RingRule::R2, step,
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
