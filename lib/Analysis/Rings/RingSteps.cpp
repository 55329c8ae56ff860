//===- RingSteps.cpp - the steps of a schedule ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second pass of RingModel.cpp: writes what matters as steps that RingRun
// executes.
//
//===----------------------------------------------------------------------===//
#include "RingExtractor.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

Step &Extractor::append(Body &body, StepKind kind, Operation *op) {
  Step step(kind, op);
  step.id = model.numControlSteps++;
  step.stages = model.maxStages;
  body.steps.push_back(std::move(step));
  return body.steps.back();
}

bool Extractor::isPair(int view) {
  int ring = model.views[view].ring;
  return ring >= 0 && model.rings[ring].create.getPair();
}

/// Which kind of consumer reads slots by `op`.
void Extractor::classifyReader(Operation *op, Step &step) {
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    // Without a plan a token says that it is no gemm of threads.
    step.readerIsOpen = !gemm.getPlan();
    step.kindOfReader = step.readerIsOpen && gemm.isAsync()
                            ? RingConsumer::Wgmma
                            : traitsOf(gemm).reader;
  } else if (auto copy = dyn_cast<TileMoveOpInterface>(op)) {
    // Without a plan a token says so; with one, threads may store behind a
    // token, too.
    bool byProxy =
        isGlobal(copy.getTarget()) &&
        (copy.getPlanAttr() ? copy.isMovedByProxy() : copy.isAsync());
    step.kindOfReader =
        byProxy ? RingConsumer::TmaStore : RingConsumer::Threads;
    step.readerIsOpen = !copy.getPlanAttr() && !copy.isAsync();
  }
}

bool Extractor::addTouches(Operation *op, Step &step) {
  SmallVector<OpAccess> accesses;
  if (isa<ViewLikeOpInterface>(op) || isa<memref::DimOp>(op))
    return false;
  if (!isa<TileOpInterface>(op) &&
      (op->getNumRegions() || isMemoryEffectFree(op)))
    return false;
  collectAccesses(op, accesses);
  for (const OpAccess &own : accesses) {
    Touch touch;
    auto [view, buffer] = slotOf(own.access.buffer);
    if (view >= 0) {
      touch.view = view;
      touch.buffer = buffer;
    } else {
      auto it = buffers.find(baseOf(own.access.buffer));
      if (it == buffers.end())
        continue;
      touch.buffer = it->second;
    }
    touch.isWrite = own.access.isWrite;
    if (auto gemm = dyn_cast<GemmOp>(op))
      touch.isAccumulator = own.access.buffer == gemm.getC();
    // An atomic both reads and writes.
    if (own.access.isAtomic) {
      Touch read = touch;
      read.isWrite = false;
      step.touches.push_back(read);
    }
    step.touches.push_back(touch);
  }
  return !step.touches.empty();
}

void Extractor::compileAccesses(Operation &root, Body &body) {
  root.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Step probe(StepKind::Access);
    if (addTouches(op, probe)) {
      Step &step = append(body, StepKind::Access, op);
      step.touches = std::move(probe.touches);
    }
    return isa<TileOpInterface>(op) ? WalkResult::skip()
                                    : WalkResult::advance();
  });
}

void Extractor::compileRingOp(Operation &op, Body &body) {
  auto kind = llvm::TypeSwitch<Operation *, StepKind>(&op)
                  .Case([](RingAcquireOp) { return StepKind::Acquire; })
                  .Case([](RingCommitOp) { return StepKind::Commit; })
                  .Case([](RingWaitOp) { return StepKind::Wait; })
                  .Case([](RingReleaseOp) { return StepKind::Release; })
                  .Default([](Operation *) { return StepKind::Drain; });
  Step &step = append(body, kind, &op);
  auto it = rings.find(ringOf(&op));
  step.ring = it == rings.end() ? -1 : it->second;
  if (Value use = useOf(&op))
    step.use = scalars.get(use);
  if (auto view = views.find(&op); view != views.end())
    step.view = view->second;
  if (auto wait = dyn_cast<RingWaitOp>(op)) {
    step.inFlight = wait.getInFlight() ? *wait.getInFlight() : 0;
    step.isAgain = wait.getAgain();
  }
  step.meets = op.hasAttr(kMeetAttrName);
  if (step.ring < 0)
    return;
  Ring &ring = model.rings[step.ring];
  int agent = agentOf(&op);
  bool produces = kind == StepKind::Acquire || kind == StepKind::Commit;
  auto &side = produces ? ring.producers : ring.consumers;
  if (kind != StepKind::Drain && !llvm::is_contained(side, agent))
    side.push_back(agent);
}

void Extractor::compileFor(LoopLikeOpInterface loop, Body &body) {
  Operation *op = loop;
  Block &block = loop.getLoopRegions().front()->front();
  int inner = static_cast<int>(model.bodies.size());
  scalars.enter(block, inner); // before its arguments are named
  Step step(StepKind::For, op);
  step.id = model.numControlSteps++;
  auto bound = [&](OpFoldResult value) {
    return scalars.get(cast<Value>(value));
  };
  step.lower = bound(loop.getLoopLowerBounds()->front());
  step.upper = bound(loop.getLoopUpperBounds()->front());
  step.stride = bound(loop.getLoopSteps()->front());
  SmallVector<unsigned> kept;
  if (auto forOp = dyn_cast<scf::ForOp>(op))
    for (auto [i, argument] : llvm::enumerate(forOp.getRegionIterArgs()))
      if (needed.count(argument)) {
        kept.push_back(i);
        step.inits.push_back(scalars.get(forOp.getInitArgs()[i]));
      }
  body.steps.push_back(std::move(step));
  size_t at = body.steps.size() - 1;
  // `body` is stable: bodies live in a deque.
  model.bodies.emplace_back();
  ScalarId induction = scalars.bound(block.getArgument(0));
  SmallVector<ScalarId, 2> carried, yields, results;
  auto forOp = dyn_cast<scf::ForOp>(op);
  for (unsigned i : kept)
    carried.push_back(scalars.bound(forOp.getRegionIterArgs()[i]));
  Body &inside = model.bodies[inner];
  for (Operation &nested : block)
    compileOp(nested, inside);
  for (unsigned i : kept) {
    yields.push_back(scalars.get(forOp.getYieldedValues()[i]));
    results.push_back(scalars.bound(forOp.getResult(i)));
  }
  Step &done = body.steps[at];
  done.induction = induction;
  done.carried = std::move(carried);
  done.yields = std::move(yields);
  done.results = std::move(results);
  done.bodies = {inner};
  op->walk([&](Operation *nested) {
    if (Value ring = ringOf(nested); ring && rings.count(ring)) {
      done.hasRingOps = true;
      done.stages =
          std::max(done.stages, model.rings[rings.lookup(ring)].stages);
    }
  });
  if (!done.hasRingOps)
    done.stages = model.maxStages;
}

void Extractor::compileWhile(scf::WhileOp loop, Body &body) {
  append(body, StepKind::While, loop);
  size_t at = body.steps.size() - 1;
  Block &before = *loop.getBeforeBody(), &after = *loop.getAfterBody();
  SmallVector<ScalarId, 2> inits, carried, yields, passed, received, results;
  for (auto [init, argument] :
       llvm::zip(loop.getInits(), before.getArguments()))
    if (needed.count(argument))
      inits.push_back(scalars.get(init));
  int first = static_cast<int>(model.bodies.size());
  scalars.enter(before, first);
  model.bodies.emplace_back();
  for (BlockArgument argument : before.getArguments())
    if (needed.count(argument))
      carried.push_back(scalars.bound(argument));
  for (Operation &nested : before)
    compileOp(nested, model.bodies[first]);
  ScalarId condition = scalars.get(loop.getConditionOp().getCondition());
  SmallVector<unsigned> kept;
  for (auto [i, value] : llvm::enumerate(loop.getConditionOp().getArgs()))
    if (needed.count(value) && (needed.count(after.getArgument(i)) ||
                                needed.count(loop.getResult(i)))) {
      kept.push_back(i);
      passed.push_back(scalars.get(value));
    }
  int second = static_cast<int>(model.bodies.size());
  scalars.enter(after, second);
  model.bodies.emplace_back();
  for (unsigned i : kept)
    received.push_back(scalars.bound(after.getArgument(i)));
  for (Operation &nested : after)
    compileOp(nested, model.bodies[second]);
  for (auto [i, argument] : llvm::enumerate(before.getArguments()))
    if (needed.count(argument))
      yields.push_back(scalars.get(loop.getYieldedValues()[i]));
  for (unsigned i : kept)
    results.push_back(scalars.bound(loop.getResult(i)));
  Step &done = body.steps[at];
  done.use = condition;
  done.inits = std::move(inits);
  done.carried = std::move(carried);
  done.yields = std::move(yields);
  done.passed = std::move(passed);
  done.received = std::move(received);
  done.results = std::move(results);
  done.bodies = {first, second};
  done.stages = model.maxStages;
  done.hasRingOps = true;
}

void Extractor::compileIf(scf::IfOp branch, Body &body) {
  append(body, StepKind::If, branch).use = scalars.get(branch.getCondition());
  size_t at = body.steps.size() - 1;
  body.steps[at].stages = model.maxStages;
  SmallVector<unsigned> kept;
  for (OpResult result : branch.getResults())
    if (needed.count(result))
      kept.push_back(result.getResultNumber());
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
    if (region->empty())
      continue;
    int inner = compile(region->front());
    Step &step = body.steps[at];
    step.bodies.push_back(inner);
    auto &yields =
        region == &branch.getThenRegion() ? step.yields : step.elseYields;
    for (unsigned i : kept)
      yields.push_back(
          scalars.get(region->front().getTerminator()->getOperand(i)));
  }
  for (unsigned i : kept)
    body.steps[at].results.push_back(scalars.bound(branch.getResult(i)));
  branch->walk([&](Operation *nested) {
    body.steps[at].hasRingOps |= static_cast<bool>(ringOf(nested));
  });
}

void Extractor::compileAgents(Operation *op, Body &body) {
  append(body, StepKind::Specialize, op);
  for (auto [i, role] : llvm::enumerate(op->getRegions())) {
    int inner = compile(role.front());
    model.agents[i + 1].body = inner;
  }
}

void Extractor::compileOp(Operation &op, Body &body) {
  if (createsRing(&op)) {
    append(body, StepKind::Create, &op).ring = rings.lookup(op.getResult(0));
  } else if (ringOf(&op)) {
    compileRingOp(op, body);
  } else if (auto await = dyn_cast<AwaitOp>(op)) {
    Step &step = append(body, StepKind::Await, &op);
    step.awaitsReadOnly = await.getRead();
    for (Value token : await.getTokens())
      step.tokens.push_back(scalars.get(token));
  } else if (auto promise = dyn_cast<AssumeOp>(op)) {
    if (!needed.count(promise.getValue()))
      return;
    append(body, StepKind::Assume, &op).use = scalars.get(promise.getValue());
    scalars.assume(promise);
  } else if (isAsync(&op)) {
    Step &step = append(body, StepKind::Issue, &op);
    addTouches(&op, step);
    classifyReader(&op, step);
    step.token = scalars.bound(op.getResult(0));
  } else if (isa<TileAgentsOpInterface>(op)) {
    compileAgents(&op, body);
  } else if (heavy.count(&op)) {
    if (isCountedLoop(&op))
      compileFor(cast<LoopLikeOpInterface>(op), body);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      compileWhile(loop, body);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      compileIf(branch, body);
  } else if (light.count(&op)) {
    if (op.getNumRegions() && !isa<TileOpInterface>(op))
      return compileAccesses(op, body);
    Step &step = append(body, StepKind::Access, &op);
    addTouches(&op, step);
    classifyReader(&op, step);
    // A slot of a pair is full once the copies of both blocks have landed.
    if (auto copy = dyn_cast<TileMoveOpInterface>(op)) {
      step.multicast = model.groups->of(copy);
      if (step.multicast && sharing.copiesDiffer(copy, step.multicast))
        model.findings.push_back(
            {RingRule::R10,
             &op,
             "blocks that share this copy do not copy the same: it depends on "
             "the block's place along a dimension in which they differ",
             {}});
      if (llvm::any_of(step.touches, [&](const Touch &touch) {
            return touch.view >= 0 && touch.isWrite && isPair(touch.view);
          }))
        step.multicast = model.groups->all();
    }
    if (step.multicast)
      for (const Touch &touch : step.touches)
        if (touch.view >= 0 && touch.isWrite &&
            model.views[touch.view].ring >= 0) {
          Ring &ring = model.rings[model.views[touch.view].ring];
          if (!llvm::is_contained(ring.fills, step.multicast))
            ring.fills.push_back(step.multicast);
        }
    if (auto store = dyn_cast<memref::StoreOp>(op);
        store && needed.count(store.getValueToStore())) {
      step.stored = scalars.get(store.getValueToStore());
      for (Value index : store.getIndices())
        step.indices.push_back(scalars.get(index));
    }
  }
}

int Extractor::compile(Block &block) {
  int id = static_cast<int>(model.bodies.size());
  model.bodies.emplace_back();
  scalars.enter(block, id);
  for (Operation &op : block)
    compileOp(op, model.bodies[id]);
  return id;
}
