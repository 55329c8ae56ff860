//===- LayoutSolver.cpp - decisions on fragments and loops ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LayoutSolver.h for the order of decisions. Collection of the demands is
// in LayoutAnalysis.cpp, the layouts of shared memory in SharedChoice.cpp.
//
//===----------------------------------------------------------------------===//
#include "LayoutSolver.h"
#include "LayoutRelations.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"

using namespace mlir;
using namespace mlir::tile;

static ArrayRef<int64_t> shapeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getShape();
}

unsigned tile::elementBitsOf(Value buffer) {
  return getStorageBits(cast<MemRefType>(buffer.getType()).getElementType());
}

LogicalResult LayoutSolver::solve() {
  if (failed(collect()) || failed(settleSharedLayouts()))
    return failure();
  for (OperationDemands &demands : operations)
    everything.push_back(&demands);
  chooseAlternatives();
  decideFragments();
  findConversions();
  classifyConversions();
  compareWithAll();
  chooseShared();
  for (OperationDemands &demands : operations)
    if (const LayoutAlternative *selected = demands.constraints.selected()) {
      LayoutDecision decision = selected->decision;
      if (demands.constraints.selection != 0)
        decision.why += "; not the cheapest alone, but together with what it "
                        "is chained to";
      result.decisions.push_back(
          {demands.op, std::move(decision), selected->cost});
    }
  return success();
}

void LayoutSolver::decideFragments() {
  assignStated();
  assignExact();
  propagate(everything);
  assignPreferences();
  propagate(everything);
  findUndecided();
  while (chooseFreeLoop() || chooseFreeSliceSource(everything))
    propagate(everything);
  chooseRemaining();
}

bool LayoutSolver::assign(Value buffer, FragmentLayout layout,
                          std::string why) {
  if (!viewed.fits(buffer, layout))
    return false;
  ArrayRef<Value> group = viewed.group(buffer);
  for (Value other : group)
    if (other != buffer)
      result.fragments[other] = {
          *ViewedTiles::seenAs(*ViewedTiles::seenAs(layout, group.front()),
                               other),
          why + ", seen with another shape"};
  FragmentChoice &choice = result.fragments[buffer];
  choice.layout = std::move(layout);
  choice.why = std::move(why);
  return true;
}

/// Fragments are entered without a layout (no reason) when collected.
const FragmentLayout *LayoutSolver::layoutOf(Value buffer) const {
  const auto *found = result.fragments.find(buffer);
  if (found == result.fragments.end() || found->second.why.empty())
    return nullptr;
  return &found->second.layout;
}

void LayoutSolver::setLoop(OperationDemands &demands, FragmentLayout layout,
                           std::string why, std::optional<LayoutCost> cost) {
  result.loops[demands.op] = {std::move(layout), std::move(why), cost};
}

void LayoutSolver::assignStated() {
  for (auto &[buffer, choice] : result.fragments)
    if (FragmentLayoutAttr stated = getFragmentLayout(buffer);
        stated && !getTileViewSource(buffer.getDefiningOp()))
      assign(buffer, stated.getLayout(), "stated by the user");
  for (OperationDemands &demands : operations)
    if (demands.constraints.loopDemand &&
        demands.constraints.loopDemand->stated)
      setLoop(demands, demands.constraints.loopDemand->stated.getLayout(),
              "stated by the user");
}

/// Where exact demands disagree, the buffer takes the layout that is cheapest
/// to convert to the others.
void LayoutSolver::assignExact() {
  struct Weighted {
    const ExactDemand *demand;
    double frequency;
  };
  llvm::MapVector<Value, SmallVector<Weighted>> byBuffer;
  for (OperationDemands &demands : operations)
    for (const ExactDemand &demand : demands.exacts())
      if (!demand.isPreference && !layoutOf(demand.buffer()))
        byBuffer[demand.buffer()].push_back({&demand, demands.frequency});
  for (auto &[buffer, demands] : byBuffer) {
    if (layoutOf(buffer))
      continue; // a view of it has been decided
    const Weighted *best = nullptr;
    double bestCost = 0;
    for (const Weighted &candidate : demands) {
      double cost = 0;
      for (const Weighted &other : demands) {
        const FragmentLayout &mine = candidate.demand->layout;
        const FragmentLayout &theirs = other.demand->layout;
        unsigned bits = elementBitsOf(buffer);
        if (other.demand->reads)
          cost += other.frequency * conversionCost(mine, theirs, bits);
        if (other.demand->writes)
          cost += other.frequency * conversionCost(theirs, mine, bits);
      }
      if (!best || cost < bestCost) {
        best = &candidate;
        bestCost = cost;
      }
    }
    assign(buffer, best->demand->layout, best->demand->why);
  }
}

void LayoutSolver::assignPreferences() {
  for (OperationDemands &demands : operations)
    for (const ExactDemand &demand : demands.exacts())
      if (demand.isPreference && !layoutOf(demand.buffer()))
        assign(demand.buffer(), demand.layout, demand.why);
}

void LayoutSolver::propagate(ArrayRef<OperationDemands *> among) {
  // Each round decides at least one buffer or loop.
  bool changed = true;
  while (changed) {
    changed = false;
    for (OperationDemands *demands : among) {
      if (demands->constraints.loopDemand)
        changed |= propagateLoop(*demands);
      changed |= propagateSlices(*demands);
    }
  }
}

/// Conversions that a loop's accesses would need in a layout, in cycles.
double LayoutSolver::disagreement(OperationDemands &demands,
                                  const FragmentLayout &loop) {
  double cost = 0;
  const LoopDemand &demand = *demands.constraints.loopDemand;
  for (auto [access, owned] : llvm::zip_equal(demand.accesses, demands.owned)) {
    const FragmentLayout *known = owned ? layoutOf(access.buffer()) : nullptr;
    if (!known || isCompatible(*owned, *known, loop))
      continue;
    FragmentLayout wanted =
        fragmentFromLoop(shapeOf(access.buffer()), *owned, loop);
    unsigned bits = elementBitsOf(access.buffer());
    // Of equals, those without another operation.
    cost += 1;
    if (access.isRead || !owned->isWhole)
      cost += conversionCost(*known, wanted, bits);
    if (access.isWrite)
      cost += conversionCost(wanted, *known, bits);
  }
  return cost * demands.frequency;
}

bool LayoutSolver::propagateLoop(OperationDemands &demands) {
  const LoopDemand &demand = *demands.constraints.loopDemand;
  bool changed = false;
  if (!result.loops.count(demands.op)) {
    std::optional<FragmentLayout> best;
    double bestCost = 0;
    Value from;
    for (auto [access, owned] :
         llvm::zip_equal(demand.accesses, demands.owned)) {
      const FragmentLayout *known = owned ? layoutOf(access.buffer()) : nullptr;
      if (!known)
        continue;
      std::optional<FragmentLayout> candidate =
          loopFromFragment(demand.shape, *owned, *known);
      if (!candidate)
        continue;
      double cost = disagreement(demands, *candidate);
      if (best && cost >= bestCost)
        continue;
      best = candidate;
      bestCost = cost;
      from = access.buffer();
    }
    if (!best)
      return false;
    setLoop(demands, *best, "where " + describeValue(from) + " is held");
    changed = true;
  }
  const FragmentLayout &loop = result.loops.find(demands.op)->second.layout;
  for (auto [access, owned] : llvm::zip_equal(demand.accesses, demands.owned)) {
    if (!owned || !owned->isWhole || layoutOf(access.buffer()))
      continue;
    changed |=
        assign(access.buffer(),
               fragmentFromLoop(shapeOf(access.buffer()), *owned, loop),
               "held where " + describeOperation(demands.op) + " uses it");
  }
  return changed;
}

bool LayoutSolver::propagateSlices(OperationDemands &demands) {
  bool changed = false;
  for (const SliceDemand &slice : demands.constraints.slices) {
    Value source = slice.source->get(), target = slice.target->get();
    const FragmentLayout *known = layoutOf(source);
    if (!known || layoutOf(target))
      continue;
    auto sliced = known->sliced(slice.dim, slice.keepDim);
    if (!sliced)
      continue;
    changed |= assign(target, *sliced,
                      "slice of " + describeValue(source) +
                          " along dimension " + std::to_string(slice.dim));
  }
  return changed;
}

/// What loops that access parts of `buffer` at an offset cost in all, where its
/// layout deals out these parts: they go through shared memory then. Layouts
/// that leave most threads without an element save nothing by that: the others
/// have no registers for it.
double LayoutSolver::shiftedCost(Value buffer, const FragmentLayout &layout) {
  int64_t elements = computeProduct(shapeOf(buffer));
  bool leavesNoThreadOut =
      layout.replication() > 1 ||
      layout.numRegisters() <=
          int64_t(2 * llvm::divideCeil(elements, layout.numThreads()));
  double cost = 0;
  for (OperationDemands *demands : everything) {
    if (!demands->constraints.loopDemand)
      continue;
    const LoopDemand &loop = *demands->constraints.loopDemand;
    for (auto [access, owned] : llvm::zip_equal(loop.accesses, demands->owned))
      if (owned && owned->isShifted && access.buffer() == buffer &&
          !(leavesNoThreadOut && mayHold(*demands, *owned, layout)))
        cost += demands->frequency *
                sharedTripCost(layout, layout, elementBitsOf(buffer));
  }
  return cost;
}

/// Whether the threads that execute a loop, as it is decided or can be, hold
/// what it reads of a fragment in this layout.
bool LayoutSolver::mayHold(OperationDemands &demands, const OwnedAccess &access,
                           const FragmentLayout &fragment) {
  auto *decided = result.loops.find(demands.op);
  if (decided != result.loops.end())
    return isCompatible(access, fragment, decided->second.layout);
  return loopAroundFragment(demands.constraints.loopDemand->shape, access,
                            fragment)
      .has_value();
}

LayoutCost LayoutSolver::freeLoopCost(OperationDemands &demands,
                                      const FragmentLayout &layout) {
  const LoopDemand &demand = *demands.constraints.loopDemand;
  LayoutCost cost = loopCost(demands.walks, layout);
  cost.conversions = disagreement(demands, layout) / demands.frequency;
  // What the layout means for the fragments it decides.
  int64_t registers = 0;
  llvm::SmallDenseMap<Value, FragmentLayout> decided;
  for (auto [access, owned] : llvm::zip_equal(demand.accesses, demands.owned)) {
    if (!owned || !owned->isWhole || layoutOf(access.buffer()) ||
        decided.count(access.buffer()))
      continue;
    FragmentLayout fragment =
        fragmentFromLoop(shapeOf(access.buffer()), *owned, layout);
    registers += registersPerThread(fragment, elementBitsOf(access.buffer()));
    if (!viewed.fits(access.buffer(), fragment))
      cost.conversions += conversionCost(
          fragment, viewed.dealtOut(access.buffer(), fragment.numThreads()),
          elementBitsOf(access.buffer()));
    cost.conversions +=
        shiftedCost(access.buffer(), fragment) / demands.frequency;
    decided.try_emplace(access.buffer(), std::move(fragment));
  }
  cost.registers =
      registerCost(registers, demands.constraints.numThreads(), target);
  for (OperationDemands &other : operations)
    for (const SliceDemand &slice : other.constraints.slices) {
      auto found = decided.find(slice.source->get());
      if (found != decided.end())
        cost.reductions += reductionCost(found->second, slice.dim) *
                           other.frequency / demands.frequency;
    }
  return cost;
}

/// A fragment that only reductions touch: coalesced along its last dimension,
/// unless reducing says otherwise.
bool LayoutSolver::chooseFreeSliceSource(ArrayRef<OperationDemands *> among) {
  for (OperationDemands *demands : among)
    for (const SliceDemand &slice : demands->constraints.slices) {
      Value source = slice.source->get();
      if (layoutOf(source))
        continue;
      LoopDemand whole;
      whole.shape = llvm::to_vector(shapeOf(source));
      int64_t threads = demands->constraints.numThreads();
      std::optional<FragmentLayout> best;
      double bestCost = 0;
      for (FragmentLayout &candidate : loopCandidates(whole, {}, threads)) {
        double cost =
            reductionCost(candidate, slice.dim) +
            shiftedCost(source, candidate) / demands->frequency +
            registerCost(registersPerThread(candidate, elementBitsOf(source)),
                         threads, target);
        if ((best && cost >= bestCost) || !viewed.fits(source, candidate))
          continue;
        best = candidate;
        bestCost = cost;
      }
      assign(source,
             best ? best->canonicalized() : viewed.dealtOut(source, threads),
             "cheapest to reduce");
      return true;
    }
  return false;
}

/// Where only loops over parts of a fragment touch it: as one of them that has
/// a layout needs it.
bool LayoutSolver::assignFromParts(Value buffer) {
  for (OperationDemands &demands : operations) {
    auto *found = result.loops.find(demands.op);
    if (found == result.loops.end())
      continue;
    const FragmentLayout &loop = found->second.layout;
    for (auto [access, owned] : llvm::zip_equal(
             demands.constraints.loopDemand->accesses, demands.owned)) {
      if (!owned || access.buffer() != buffer)
        continue;
      FragmentLayout layout = fragmentFromLoop(shapeOf(buffer), *owned, loop);
      if (isCompatible(*owned, layout, loop) &&
          assign(buffer, layout.canonicalized(),
                 "held where " + describeOperation(demands.op) +
                     " uses a part of it"))
        return true;
    }
  }
  return false;
}

/// A fragment that nothing decides: coalesced, unless loops over parts of it
/// could not use that.
void LayoutSolver::assignFree(Value buffer) {
  int64_t threads = getFragmentThreads(buffer);
  LoopDemand whole;
  whole.shape = llvm::to_vector(shapeOf(buffer));
  std::optional<FragmentLayout> best;
  if (whole.shape.empty()) {
    best = FragmentLayout::replicated({}, threads);
  } else {
    best = coalescedLayout(whole, {}, threads);
    unsigned bits = elementBitsOf(buffer);
    double bestCost = shiftedCost(buffer, *best);
    for (FragmentLayout &candidate : loopCandidates(whole, {}, threads)) {
      if (bestCost == 0)
        break;
      double cost =
          shiftedCost(buffer, candidate) +
          registerCost(registersPerThread(candidate, bits), threads, target);
      if (cost >= bestCost)
        continue;
      best = std::move(candidate);
      bestCost = cost;
    }
    best = best->canonicalized();
  }
  if (!assign(buffer, *best, "nothing depends on it"))
    assign(buffer, viewed.dealtOut(buffer, threads),
           "no layout that deals it out has a form for its views");
}

/// Whether one loop writes global memory that the other one touches, too.
static bool sharesWrittenMemory(const LoopDemand &a, const LoopDemand &b) {
  for (const LoopAccess &one : a.accesses)
    for (const LoopAccess &other : b.accesses)
      if ((one.isWrite || other.isWrite) && isGlobal(one.buffer()) &&
          isGlobal(other.buffer()) &&
          getBaseBuffer(one.buffer()) == getBaseBuffer(other.buffer()))
        return true;
  return false;
}

bool LayoutSolver::chooseOwners(OperationDemands &demands,
                                const LayoutCost &most) {
  const LoopDemand &demand = *demands.constraints.loopDemand;
  for (OperationDemands &other : operations) {
    auto decided = result.loops.find(other.op);
    if (decided == result.loops.end() || !other.constraints.loopDemand ||
        other.constraints.loopDemand->shape != demand.shape ||
        other.constraints.numThreads() != demands.constraints.numThreads() ||
        !sharesWrittenMemory(demand, *other.constraints.loopDemand))
      continue;
    FragmentLayout layout = decided->second.layout;
    LayoutCost cost = loopCost(demands.walks, layout);
    if (cost.total() > most.total())
      continue;
    setLoop(demands, layout,
            "as " + describeOperation(other.op) +
                ", which touches the same memory: each thread its own part",
            cost);
    return true;
  }
  return false;
}

void LayoutSolver::chooseRemaining() {
  for (auto &[buffer, choice] : result.fragments)
    if (choice.why.empty() && !assignFromParts(buffer))
      assignFree(buffer);
  for (OperationDemands &demands : operations) {
    if (!demands.constraints.loopDemand || result.loops.count(demands.op))
      continue;
    const LoopDemand &demand = *demands.constraints.loopDemand;
    int64_t threads = demands.constraints.numThreads();
    // Fragments that cannot decide the loop alone (a row used in a tile) still
    // count: the candidate that disagrees least wins.
    bool usesFragments = llvm::any_of(
        demands.owned, [](const auto &owned) { return owned.has_value(); });
    if (!usesFragments) {
      FragmentLayout layout =
          coalescedLayout(demand, demands.walks, threads).canonicalized();
      LayoutCost cost = loopCost(demands.walks, layout);
      if (chooseOwners(demands, cost))
        continue;
      setLoop(demands, layout, "coalesced along memory's contiguous dimension",
              cost);
      continue;
    }
    std::optional<FragmentLayout> best;
    LayoutCost bestCost;
    for (FragmentLayout &candidate : candidatesOf(demands)) {
      LayoutCost cost = freeLoopCost(demands, candidate);
      if (best && cost.total() >= bestCost.total())
        continue;
      best = candidate;
      bestCost = cost;
    }
    setLoop(demands, best->canonicalized(), "cheapest of the free choices",
            bestCost);
  }
}

void LayoutSolver::convert(Operation *op, OpOperand *operand,
                           FragmentLayout layout, bool reads, bool writes,
                           std::string why) {
  Value buffer = operand->get();
  for (LayoutConversion &known : result.conversions)
    if (known.op == op && known.buffer == buffer &&
        known.layout.equivalent(layout)) {
      known.operands.push_back(operand);
      known.reads |= reads;
      known.writes |= writes;
      return;
    }
  result.conversions.push_back({op,
                                buffer,
                                {operand},
                                std::move(layout),
                                reads,
                                writes,
                                std::move(why),
                                {ConversionKind::Identity, ""}});
}

bool tile::changesWhatItReads(const LoopDemand &loop) {
  llvm::SmallDenseSet<Value, 4> read, written;
  for (const LoopAccess &access : loop.accesses) {
    if (isFragment(access.buffer()) || access.isAtomic)
      continue;
    Value memory = getBaseBuffer(access.buffer());
    if (access.isRead)
      read.insert(memory);
    if (access.isWrite)
      written.insert(memory);
  }
  return llvm::any_of(written,
                      [&](Value buffer) { return read.contains(buffer); });
}

bool tile::takesAtomicValues(Operation *loop) {
  return loop
      ->walk([](Operation *op) {
        bool isAtomic = isa<memref::AtomicRMWOp, TileElementOpInterface>(op);
        return isAtomic && !op->use_empty() ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

void LayoutSolver::findConversions() {
  for (OperationDemands &demands : operations) {
    Operation *op = demands.op;
    for (const ExactDemand &demand : demands.exacts())
      if (!demand.isPreference &&
          !layoutOf(demand.buffer())->equivalent(demand.layout))
        convert(op, demand.operand, demand.layout, demand.reads, demand.writes,
                demand.why);
    for (const SliceDemand &slice : demands.constraints.slices) {
      auto sliced =
          layoutOf(slice.source->get())->sliced(slice.dim, slice.keepDim);
      if (sliced && !layoutOf(slice.target->get())->equivalent(*sliced))
        convert(op, slice.target, *sliced, slice.readsTarget, true,
                "slice of " + describeValue(slice.source->get()));
    }
    if (!demands.constraints.loopDemand)
      continue;
    const FragmentLayout &loop = result.loops.find(op)->second.layout;
    if (loop.replication() > 1 &&
        (changesWhatItReads(*demands.constraints.loopDemand) ||
         takesAtomicValues(op)))
      for (const LoopAccess &access : demands.constraints.loopDemand->accesses)
        if (isFragment(access.buffer()) && access.isWrite)
          result.unheld.push_back(access.operand);
    auto isHeld = [&](const LoopAccess &access, const OwnedAccess &owned) {
      return isCompatible(owned, *layoutOf(access.buffer()), loop);
    };
    // What comes back from a conversion would overwrite parts of the fragment
    // that the loop writes where they are.
    llvm::SmallDenseSet<Value, 2> comeBack;
    for (auto [access, owned] : llvm::zip_equal(
             demands.constraints.loopDemand->accesses, demands.owned))
      if (owned && access.isWrite && !isHeld(access, *owned))
        comeBack.insert(access.buffer());
    for (auto [access, owned] : llvm::zip_equal(
             demands.constraints.loopDemand->accesses, demands.owned)) {
      if (!owned) {
        if (isFragment(access.buffer()) && !access.isAtomic &&
            !heldRegisters(access, loop, *layoutOf(access.buffer())) &&
            !registerOfOtherLane(access.operand->getOwner(), loop,
                                 *layoutOf(access.buffer())))
          result.unheld.push_back(access.operand);
        continue;
      }
      if (owned->isShifted) {
        if (!isHeld(access, *owned) || comeBack.contains(access.buffer())) {
          result.unheld.push_back(access.operand);
          result.movesOwned = true;
        }
      } else if (!isHeld(access, *owned)) {
        convert(op, access.operand,
                fragmentFromLoop(shapeOf(access.buffer()), *owned, loop),
                access.isRead || !owned->isWhole || access.isConditional(),
                access.isWrite, "element by element where the loop runs");
      }
    }
  }
}

void LayoutSolver::classifyConversions() {
  // Where both directions are needed both are counted, and the more expensive
  // one is reported. Within one block every conversion has a class.
  for (LayoutConversion &conversion : result.conversions) {
    const FragmentLayout &own = *layoutOf(conversion.buffer);
    auto consider = [&](const FragmentLayout &from, const FragmentLayout &to) {
      ConversionClass kind = *classifyConversion(from, to);
      if (kind.kind >= conversion.kind.kind)
        conversion.kind = std::move(kind);
    };
    if (conversion.reads)
      consider(own, conversion.layout);
    if (conversion.writes)
      consider(conversion.layout, own);
  }
}
