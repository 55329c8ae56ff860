//===- RingModel.cpp - reduces a kernel to its schedule -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two passes over the kernel: the first, here, finds out which control flow and
// which values matter (something happens inside, or something is computed that
// a step needs); the second writes the steps (RingSteps.cpp).
//
//===----------------------------------------------------------------------===//
#include "RingExtractor.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/Tokens.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

Value rings::ringOf(Operation *op) {
  auto ringOp = dyn_cast<TileRingOpInterface>(op);
  return ringOp ? ringOp.getRing() : Value();
}

Value rings::useOf(Operation *op) {
  auto ringOp = dyn_cast<TileRingOpInterface>(op);
  return ringOp ? ringOp.getUse() : Value();
}

bool Extractor::createsRing(Operation *op) const {
  return op->getNumResults() == 1 && rings.contains(op->getResult(0));
}

bool Extractor::isAsync(Operation *op) const {
  return isa<TileOpInterface>(op) && getToken(op);
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
  Region *agent = op && op != kernel ? getAgent(op) : nullptr;
  return agent && agent->getParentOp() != kernel ? agent->getRegionNumber() + 1
                                                 : 0;
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
      ring.releases = getReleaseGroups(*model.groups, create);
      ring.arrivals = RingArrivals::of(create);
      ring.storesLeaveSlots = ring.type.hasConsumer(RingConsumer::TmaStore);
      rings[create.getRing()] = static_cast<int>(model.rings.size());
      model.maxStages = std::max(model.maxStages, ring.stages);
      model.rings.push_back(std::move(ring));
    } else if (showsSlot(op)) {
      views[op] = static_cast<int>(model.views.size());
      auto it = rings.find(ringOf(op));
      model.views.push_back({it == rings.end() ? -1 : it->second,
                             cast<TileRingOpInterface>(op).fillsSlots(), op});
    } else if (isAsync(op)) {
      SmallVector<TileAccess> accesses;
      cast<TileOpInterface>(op).getAccesses(accesses);
      for (const TileAccess &access : accesses)
        track(access.buffer);
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
          Finding finding{RingRule::R4,
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
    if (isCountedLoop(op)) {
      auto loop = cast<LoopLikeOpInterface>(op);
      need(cast<Value>(*loop.getSingleLowerBound()));
      need(cast<Value>(*loop.getSingleUpperBound()));
      need(cast<Value>(*loop.getSingleStep()));
      needTokens(loop.getRegionIterArgs());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      need(branch.getCondition());
      needTokens(branch.getResults());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      need(loop.getConditionOp().getCondition());
      needTokens(loop.getResults());
    } else if (!isa<TileAgentsOpInterface>(op)) {
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
    } else if (ValueRange tokens = awaitedBy(op); !tokens.empty()) {
      for (Value token : tokens)
        need(token);
      markHeavy(op);
    } else if (isAsync(op) || createsRing(op) ||
               (isa<TileAgentsOpInterface>(op) && op != kernel)) {
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

/// Who meets whom at a ring, and R3 as far as it needs no execution.
void Extractor::checkPairs() {
  kernel.walk([&](GemmOp gemm) {
    bool isPairGemm = gemm.getPlan() && gemm.getPlan()->getPair();
    for (Value operand : {gemm.getA(), gemm.getB()}) {
      auto [view, buffer] = slotOf(operand);
      bool isShared = view >= 0 && isPair(view);
      if (isShared == isPairGemm)
        continue;
      model.findings.push_back(
          {RingRule::R22,
           gemm,
           isPairGemm
               ? "a gemm of a pair of blocks reads an operand that is in "
                 "no ring with `pair`: the other block's part may not "
                 "have arrived"
               : "a gemm of one block reads a ring with `pair`: half of "
                 "an operand is in the other block",
           {}});
    }
  });
}

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
      model.findings.push_back({RingRule::R3, ring.create, message.str(), {}});
    };
    if (ring.type.getProducer() == RingProducer::CpAsync && !isAlone)
      report("expected one role to fill and to read a ring filled by cp_async, "
             "whose groups no other role can wait for");
    else if (ring.producers.empty() && !ring.consumers.empty())
      report("the ring is waited for, but no role fills it");
    else if (ring.consumers.empty() && !ring.producers.empty())
      report("the ring is filled, but no role waits for it");
    if (ring.isBarrierProtocol)
      model.agents[ring.producers.front()].isSplit = true;
    checkArrivals(ring);
  }
}

/// Whether agents meet in ways that are not modelled: at the program's own
/// mbarriers, or as roles of which there are several, or in loops.
bool Extractor::isWrittenByHand() {
  Operation *roles = nullptr;
  kernel.getBodyRegion().walk([&](Operation *op) {
    bool haveAgents = isa<TileAgentsOpInterface>(op);
    bool isSecond =
        haveAgents && (roles || op->getParentOp() != kernel.getOperation());
    if (haveAgents)
      roles = op;
    if (model.unsupported || (!isSecond && !makesMbarriers(op)))
      return;
    model.unsupported = op;
    model.unsupportedReason = "the program parts its warps by hand";
  });
  return model.unsupported != nullptr;
}

void Extractor::run() {
  model.agents.push_back({"block", -1, kernel.getNumWarps(), false});
  kernel.walk([&](WarpSpecializeOp op) {
    for (auto [name, warps] : llvm::zip(op.getNames(), op.getWarps()))
      model.agents.push_back(
          {cast<StringAttr>(name).getValue().str(), -1, warps, false});
  });
  model.clusterSize = std::max<int64_t>(1, kernel.getClusterSize());
  model.groups.emplace(kernel);
  if (auto cluster = kernel.getCluster())
    model.clusterExtents.assign(cluster->begin(), cluster->end());
  collectRingsAndBuffers();
  checkClaims();
  if (model.isTrivial() || isWrittenByHand())
    return;
  collectUsersOfViews();
  checkPairs();
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
