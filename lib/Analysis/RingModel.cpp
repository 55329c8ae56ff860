//===- RingModel.cpp - reduces a kernel to its schedule -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two passes over the kernel: the first finds out which control flow and which
// values matter (something happens inside, or something is computed that a
// step needs), the second writes the steps.
//
//===----------------------------------------------------------------------===//
#include "RingModel.h"
#include "RingScalars.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

namespace {
class Extractor {
public:
  explicit Extractor(Model &model)
      : model(model), kernel(model.kernel),
        scalars(model, [this](Value memref) { return slotOf(memref); }) {}

  void run();

private:
  // What matters.
  void collectRingsAndBuffers();
  void collectUsersOfViews();
  void markHeavy(Operation *op);
  void need(Value value);
  void closeNeeds();
  bool isAsync(Operation *op) const;
  /// Asynchronous operations and ring operations, by what they need.
  void findEvents();

  // Steps.
  int compile(Block &block);
  void compileOp(Operation &op, Body &body);
  void compileRingOp(Operation &op, Body &body);
  void compileFor(LoopLikeOpInterface loop, Body &body);
  void compileWhile(scf::WhileOp loop, Body &body);
  void compileIf(scf::IfOp branch, Body &body);
  void compileSpecialize(WarpSpecializeOp op, Body &body);
  /// Accesses of everything below `op`, without its control flow.
  void compileAccesses(Operation &op, Body &body);
  bool addTouches(Operation *op, Step &step);
  Step &append(Body &body, StepKind kind, Operation *op);
  void classifyReader(Operation *op, Step &step);

  std::pair<int, int> slotOf(Value memref) const;
  Value baseOf(Value memref) const;
  void unsupported(Operation *op, const Twine &reason) {
    if (model.unsupported)
      return;
    model.unsupported = op;
    model.unsupportedReason = reason.str();
  }
  int agentOf(Operation *op) const;
  void finishRings();

  Model &model;
  KernelOp kernel;
  ScalarBuilder scalars;
  llvm::DenseMap<Value, int> rings, buffers;
  llvm::DenseMap<Operation *, int> views;
  llvm::DenseSet<Operation *> heavy, light;
  llvm::DenseSet<Value> needed;
  SmallVector<Value> pending;
};
} // namespace

static Value ringOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<RingAcquireOp, RingCommitOp, RingWaitOp, RingReleaseOp,
            RingDrainOp>([](auto ringOp) -> Value { return ringOp.getRing(); })
      .Default([](Operation *) { return Value(); });
}

static Value useOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<RingAcquireOp, RingCommitOp, RingWaitOp, RingReleaseOp>(
          [](auto ringOp) -> Value { return ringOp.getUse(); })
      .Default([](Operation *) { return Value(); });
}

bool Extractor::isAsync(Operation *op) const {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return gemm.isAsync();
  if (auto copy = dyn_cast<CopyOp>(op))
    return copy.isAsync();
  return false;
}

//===----------------------------------------------------------------------===//
// Buffers and views
//===----------------------------------------------------------------------===//

/// Through views of views, but not through the slot of a ring.
Value Extractor::baseOf(Value memref) const {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    if (view.getViewDest() != memref)
      break;
    memref = view.getViewSource();
  }
  return memref;
}

std::pair<int, int> Extractor::slotOf(Value memref) const {
  Value base = baseOf(memref);
  auto it = views.find(base.getDefiningOp());
  if (!base.getDefiningOp() || it == views.end())
    return {-1, -1};
  return {it->second, static_cast<int>(cast<OpResult>(base).getResultNumber())};
}

int Extractor::agentOf(Operation *op) const {
  for (; op && op != kernel; op = op->getParentOp())
    if (auto roles = dyn_cast_or_null<WarpSpecializeOp>(op->getParentOp()))
      return op->getParentRegion()->getRegionNumber() + 1;
  return 0;
}

void Extractor::collectRingsAndBuffers() {
  auto track = [&](Value memref) {
    Value base = baseOf(memref);
    if (isGlobal(base) || slotOf(base).first >= 0)
      return;
    if (buffers.try_emplace(base, static_cast<int>(buffers.size())).second)
      model.buffers.push_back(base);
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto create = dyn_cast<RingCreateOp>(op)) {
      Ring ring;
      ring.create = create;
      ring.type = create.getRing().getType();
      ring.stages = ring.type.getStages();
      ring.hasPeers = create.getPeers() && *create.getPeers() > 1;
      ring.storesLeaveSlots = ring.type.hasConsumer(RingSide::TmaStore);
      rings[create.getRing()] = static_cast<int>(model.rings.size());
      model.maxStages = std::max(model.maxStages, ring.stages);
      model.rings.push_back(std::move(ring));
    } else if (isa<RingAcquireOp, RingWaitOp>(op)) {
      views[op] = static_cast<int>(model.views.size());
      auto it = rings.find(ringOf(op));
      model.views.push_back(
          {it == rings.end() ? -1 : it->second, isa<RingAcquireOp>(op), op});
    } else if (auto gemm = dyn_cast<GemmOp>(op); gemm && gemm.isAsync()) {
      track(gemm.getC());
      track(gemm.getA());
      track(gemm.getB());
    } else if (auto copy = dyn_cast<CopyOp>(op); copy && copy.isAsync()) {
      track(copy.getSource());
    }
  });
  for (auto [i, ring] : llvm::enumerate(model.rings))
    ring.name = model.rings.size() == 1 ? "ring" : "ring" + std::to_string(i);
}

/// Views stay with the operation that gave them: R4.
void Extractor::collectUsersOfViews() {
  for (View &view : model.views) {
    SmallVector<Value> memrefs(view.op->getResults());
    while (!memrefs.empty()) {
      Value memref = memrefs.pop_back_val();
      for (Operation *user : memref.getUsers()) {
        if (agentOf(user) != agentOf(view.op) ||
            user->hasTrait<OpTrait::IsTerminator>() ||
            isa<scf::ForOp, scf::WhileOp>(user)) {
          Finding finding{"R4",
                          user,
                          "the view of a slot leaves the operations between '" +
                              view.op->getName().getStringRef().str() +
                              "' and the end of its use",
                          {}};
          finding.notes.push_back({view.op->getLoc(), "the view is from here"});
          model.findings.push_back(std::move(finding));
        } else if (auto derived = dyn_cast<ViewLikeOpInterface>(user)) {
          memrefs.push_back(derived.getViewDest());
        } else if (!isa<TileOpInterface, MemoryEffectOpInterface>(user) &&
                   !isMemoryEffectFree(user)) {
          unsupported(user, "'" + user->getName().getStringRef() +
                                "' may do anything to the slot of a ring");
        }
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// What matters
//===----------------------------------------------------------------------===//

void Extractor::need(Value value) {
  if (needed.insert(value).second)
    pending.push_back(value);
}

void Extractor::markHeavy(Operation *op) {
  for (op = op->getParentOp(); op && op != kernel; op = op->getParentOp()) {
    if (!heavy.insert(op).second)
      return;
    auto needTokens = [&](ValueRange values) {
      for (Value value : values)
        if (isa<TokenType>(value.getType()))
          need(value);
    };
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      need(loop.getLowerBound());
      need(loop.getUpperBound());
      need(loop.getStep());
      needTokens(loop.getRegionIterArgs());
    } else if (auto loop = dyn_cast<PipelinedOp>(op)) {
      need(loop.getLowerBound());
      need(loop.getUpperBound());
      need(loop.getStep());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      need(branch.getCondition());
      needTokens(branch.getResults());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      need(loop.getConditionOp().getCondition());
      needTokens(loop.getResults());
    } else if (!isa<WarpSpecializeOp>(op)) {
      unsupported(op, "'" + op->getName().getStringRef() +
                          "' contains ring operations, and it is not known "
                          "how often it runs them");
    }
  }
}

void Extractor::closeNeeds() {
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        markHeavy(argument.getOwner()->getTerminator());
        unsigned n = argument.getArgNumber();
        if (n == 0)
          continue;
        need(loop.getInitArgs()[n - 1]);
        need(loop.getYieldedValues()[n - 1]);
      } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
        markHeavy(argument.getOwner()->getTerminator());
        unsigned n = argument.getArgNumber();
        if (argument.getOwner() == loop.getBeforeBody()) {
          need(loop.getInits()[n]);
          need(loop.getYieldedValues()[n]);
        } else {
          need(loop.getConditionOp().getArgs()[n]);
        }
      }
      continue;
    }
    Operation *op = value.getDefiningOp();
    unsigned n = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      need(loop.getRegionIterArg(n));
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      markHeavy(branch.thenBlock()->getTerminator());
      need(branch.thenYield().getOperand(n));
      need(branch.elseYield().getOperand(n));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      markHeavy(loop.getBeforeBody()->getTerminator());
      need(loop.getConditionOp().getArgs()[n]);
    } else if (isa<TokenType>(value.getType())) {
      continue; // an issue
    } else {
      for (Value operand : op->getOperands())
        if (operand.getType().isIntOrIndex())
          need(operand);
      // What consumers load from a slot, producers store.
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        int view = slotOf(load.getMemRef()).first;
        if (view < 0)
          continue;
        kernel.walk([&](memref::StoreOp store) {
          int other = slotOf(store.getMemRef()).first;
          if (other < 0 || model.views[other].ring != model.views[view].ring)
            return;
          need(store.getValueToStore());
          for (Value index : store.getIndices())
            need(index);
        });
      }
    }
  }
}

void Extractor::findEvents() {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (Value ring = ringOf(op)) {
      if (!rings.count(ring))
        unsupported(op, "its ring is not the result of 'tile.ring.create'");
      if (Value use = useOf(op))
        need(use);
      markHeavy(op);
    } else if (isa<RingCreateOp, WarpSpecializeOp>(op)) {
      markHeavy(op);
    } else if (auto await = dyn_cast<AwaitOp>(op)) {
      for (Value token : await.getTokens())
        need(token);
      markHeavy(op);
    } else if (isAsync(op)) {
      markHeavy(op);
    } else {
      Step probe(StepKind::Access);
      if (addTouches(op, probe)) {
        bool ofSlot = llvm::any_of(
            probe.touches, [](const Touch &touch) { return touch.view >= 0; });
        if (ofSlot)
          markHeavy(op);
        for (Operation *up = op; up && up != kernel; up = up->getParentOp())
          light.insert(up);
      }
    }
    return isa<TileOpInterface>(op) ? WalkResult::skip()
                                    : WalkResult::advance();
  });
  closeNeeds();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Step &Extractor::append(Body &body, StepKind kind, Operation *op) {
  Step step(kind, op);
  step.id = model.numControlSteps++;
  step.stages = model.maxStages;
  body.steps.push_back(std::move(step));
  return body.steps.back();
}

/// Which kind of consumer reads slots by `op`.
void Extractor::classifyReader(Operation *op, Step &step) {
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    auto plan = gemm.getPlan();
    bool wgmma =
        plan ? plan->getInstruction() == MmaInstruction::Wgmma : gemm.isAsync();
    bool tcgen05 = plan && plan->getInstruction() == MmaInstruction::Tcgen05;
    step.kindOfReader = tcgen05 ? RingSide::Tcgen05
                        : wgmma ? RingSide::Wgmma
                                : RingSide::Threads;
    step.readerIsOpen = !plan;
  } else if (auto copy = dyn_cast<CopyOp>(op)) {
    auto plan = copy.getPlan();
    bool bulk = isGlobal(copy.getTarget()) &&
                (copy.isAsync() ||
                 (plan && plan->getInstruction() == CopyInstruction::Tma));
    step.kindOfReader = bulk ? RingSide::TmaStore : RingSide::Threads;
    step.readerIsOpen = !plan && !copy.isAsync();
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

void Extractor::compileSpecialize(WarpSpecializeOp op, Body &body) {
  append(body, StepKind::Specialize, op);
  for (auto [i, role] : llvm::enumerate(op.getRoles())) {
    int inner = compile(role.front());
    model.agents[i + 1].body = inner;
  }
}

void Extractor::compileOp(Operation &op, Body &body) {
  if (isa<RingCreateOp>(op)) {
    append(body, StepKind::Create, &op).ring =
        rings.lookup(cast<RingCreateOp>(op).getRing());
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
  } else if (auto roles = dyn_cast<WarpSpecializeOp>(op)) {
    compileSpecialize(roles, body);
  } else if (heavy.count(&op)) {
    if (isa<scf::ForOp, PipelinedOp>(op))
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
    if (auto copy = dyn_cast<CopyOp>(op))
      step.isMulticast = copy.getMulticast().has_value();
    if (step.isMulticast)
      for (const Touch &touch : step.touches)
        if (touch.view >= 0 && touch.isWrite &&
            model.views[touch.view].ring >= 0)
          model.rings[model.views[touch.view].ring].hasMulticast = true;
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

/// Who meets whom at a ring, and R3 as far as it needs no execution.
void Extractor::finishRings() {
  for (Ring &ring : model.rings) {
    llvm::sort(ring.producers);
    llvm::sort(ring.consumers);
    bool isAlone = ring.producers.size() <= 1 && ring.consumers.size() <= 1 &&
                   (ring.producers.empty() || ring.consumers.empty() ||
                    ring.producers == ring.consumers);
    ring.isBarrierProtocol =
        isAlone && !ring.producers.empty() && !ring.type.usesMbarriers();
    auto report = [&](const Twine &message) {
      model.findings.push_back({"R3", ring.create, message.str(), {}});
    };
    if (ring.type.getProducer() == RingSide::CpAsync && !isAlone)
      report("expected one role to fill and to read a ring filled by cp_async, "
             "whose groups nobody else can wait for");
    else if (ring.producers.empty() && !ring.consumers.empty())
      report("the ring is waited for, but nobody fills it");
    else if (ring.consumers.empty() && !ring.producers.empty())
      report("the ring is filled, but nobody waits for it");
    if (ring.isBarrierProtocol)
      model.agents[ring.producers.front()].isSplit = true;
  }
}

void Extractor::run() {
  model.agents.push_back({"block", -1, false});
  kernel.walk([&](WarpSpecializeOp op) {
    for (Attribute name : op.getNames())
      model.agents.push_back(
          {cast<StringAttr>(name).getValue().str(), -1, false});
  });
  model.clusterSize = std::max<int64_t>(1, kernel.getClusterSize());
  if (auto cluster = kernel.getCluster())
    model.clusterExtents.assign(cluster->begin(), cluster->end());
  collectRingsAndBuffers();
  if (model.isTrivial())
    return;
  collectUsersOfViews();
  findEvents();
  model.agents[0].body = compile(kernel.getBodyRegion().front());
  finishRings();
}

Model rings::extractModel(KernelOp kernel) {
  Model model;
  model.kernel = kernel;
  Extractor(model).run();
  return model;
}
