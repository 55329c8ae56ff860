//===- RingAccesses.cpp - what one agent may touch when -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of the contents of slots, and of what asynchronous operations in flight
// read and write: R4, R7, R7b.
//
//===----------------------------------------------------------------------===//
#include "RingAgent.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

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
