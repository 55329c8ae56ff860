//===- FreeChoices.cpp - free choices, by all that follows from them ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of which nothing has decided a fragment yet may have any layout. What
// it takes decides its fragments, these decide other loops, and so on. A choice
// that is the cheapest for one loop can be dear for another: a loop that reads
// shared memory row by row leaves two bytes a thread to the copy that stores
// the transposed tile. So loops that hang together by fragments are decided
// together: each option of each of them is tried, everything that follows is
// decided, and the option with the least cost of all stays.
//
//===----------------------------------------------------------------------===//
#include "LayoutRelations.h"
#include "LayoutSolver.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Options of one loop that are tried. The cheapest for the loop alone come
/// first, one for each dimension that memory is contiguous along, and, where
/// loops read parts of fragments, one for each dimension of which each thread
/// has all.
constexpr size_t kOptionsOfLoop = 4;
/// Trials are made among so many loops and operations. A kernel with more of
/// them that hang together takes what is cheapest for each loop alone: time
/// grows with their product.
constexpr size_t kMaxLoops = 12;
constexpr size_t kMaxOperations = 64;
/// Another option than the cheapest of the loop that matters most has to be
/// cheaper by this factor: the model does not tell smaller differences.
constexpr double kWorthwhile = 0.98;
} // namespace

void LayoutSolver::findUndecided() {
  undecided.clear();
  undecidedOf.clear();
  llvm::EquivalenceClasses<void *> together;
  auto join = [&](Operation *op, Value buffer) {
    if (!isFragment(buffer) || layoutOf(buffer))
      return;
    together.unionSets(op, buffer.getAsOpaquePointer());
    for (Value other : viewed.group(buffer))
      together.unionSets(op, other.getAsOpaquePointer());
  };
  for (OperationDemands *demands : everything) {
    if (demands->constraints.loopDemand)
      for (const LoopAccess &access : demands->constraints.loopDemand->accesses)
        join(demands->op, access.buffer());
    for (const SliceDemand &slice : demands->constraints.slices) {
      join(demands->op, slice.source->get());
      join(demands->op, slice.target->get());
    }
  }
  llvm::DenseMap<void *, unsigned> numbers;
  auto memberOf = [&](void *member) -> Undecided * {
    if (!together.contains(member))
      return nullptr;
    auto [found, isNew] =
        numbers.try_emplace(together.getLeaderValue(member), undecided.size());
    if (isNew)
      undecided.emplace_back();
    return &undecided[found->second];
  };
  for (OperationDemands *demands : everything)
    if (Undecided *group = memberOf(demands->op)) {
      group->operations.push_back(demands);
      undecidedOf[demands->op] = group - undecided.data();
    }
  for (auto &[buffer, choice] : result.fragments)
    if (Undecided *group = memberOf(buffer.getAsOpaquePointer()))
      group->fragments.push_back(buffer);
}

/// Whether the loop has no layout, and would decide a fragment.
bool LayoutSolver::isFree(const OperationDemands &demands) const {
  if (!demands.constraints.loopDemand || result.loops.count(demands.op))
    return false;
  for (auto [access, owned] :
       llvm::zip_equal(demands.constraints.loopDemand->accesses, demands.owned))
    if (owned && owned->isWhole && !layoutOf(access.buffer()))
      return true;
  return false;
}

/// The free loop that matters most: more dimensions first (slices follow from
/// them), then more work. Memory traffic is what a free layout is chosen for.
OperationDemands *
LayoutSolver::mostWork(ArrayRef<OperationDemands *> among) const {
  OperationDemands *chosen = nullptr;
  std::pair<unsigned, double> weight;
  for (OperationDemands *demands : among) {
    if (!isFree(*demands))
      continue;
    ArrayRef<int64_t> shape = demands->constraints.loopDemand->shape;
    unsigned rank = llvm::count_if(shape, [](int64_t e) { return e > 1; });
    double work = demands->frequency * (1 + 8 * double(demands->walks.size()));
    for (int64_t extent : shape)
      work *= double(extent);
    if (!chosen || std::pair(rank, work) > weight) {
      chosen = demands;
      weight = {rank, work};
    }
  }
  return chosen;
}

/// Elements of a fragment that each thread may have all of, where loops name
/// parts of it.
static constexpr int64_t kMaxInEachThread = 32;

/// How a loop reads a part of `buffer` that does not lie at its beginning, or
/// stays at an index of a dimension; null where it does not.
static const OwnedAccess *partRead(const OperationDemands &demands,
                                   Value buffer) {
  if (!demands.constraints.loopDemand)
    return nullptr;
  for (auto [access, owned] :
       llvm::zip_equal(demands.constraints.loopDemand->accesses, demands.owned))
    if (owned && owned->isShifted && !owned->isWrite &&
        access.buffer() == buffer)
      return &*owned;
  return nullptr;
}

std::vector<FragmentLayout>
LayoutSolver::candidatesOf(OperationDemands &demands) {
  const LoopDemand &demand = *demands.constraints.loopDemand;
  int64_t threads = demands.constraints.numThreads();
  std::vector<FragmentLayout> candidates =
      loopCandidates(demand, demands.walks, threads);
  for (auto [access, owned] : llvm::zip_equal(demand.accesses, demands.owned)) {
    if (!owned)
      continue;
    Value buffer = access.buffer();
    const FragmentLayout *known = layoutOf(buffer);
    if (known) {
      // Where the fragment is held of which it reads a part.
      if (owned->isShifted && !owned->determinesLoop)
        if (auto around = loopAroundFragment(demand.shape, *owned, *known))
          candidates.push_back(std::move(*around));
      continue;
    }
    if (!owned->isWhole || !owned->determinesLoop)
      continue;
    bool hasParts = false;
    for (OperationDemands *other : everything)
      if (const OwnedAccess *part = partRead(*other, buffer)) {
        hasParts = true;
        // As a loop that reads a part needs it.
        auto *decided = result.loops.find(other->op);
        if (decided == result.loops.end())
          continue;
        FragmentLayout wanted =
            fragmentFromLoop(cast<MemRefType>(buffer.getType()).getShape(),
                             *part, decided->second.layout);
        if (auto loop = loopFromFragment(demand.shape, *owned, wanted))
          candidates.push_back(std::move(*loop));
      }
    // Each thread may have all of a few elements.
    if (hasParts &&
        computeProduct(cast<MemRefType>(buffer.getType()).getShape()) <=
            kMaxInEachThread)
      candidates.push_back(FragmentLayout::replicated(demand.shape, threads));
  }
  return candidates;
}

/// The options of a loop, those that are cheapest for it alone first.
std::vector<LayoutSolver::LoopOption>
LayoutSolver::cheapestAlone(OperationDemands &demands) {
  std::vector<LoopOption> options;
  for (FragmentLayout &candidate : candidatesOf(demands)) {
    LayoutCost cost = freeLoopCost(demands, candidate);
    options.push_back({&demands, std::move(candidate), cost});
  }
  llvm::stable_sort(options, [](const LoopOption &a, const LoopOption &b) {
    return a.alone.total() < b.alone.total();
  });
  return options;
}

/// Decides what follows from the decisions made so far, each other loop by the
/// cheapest of its options.
void LayoutSolver::complete(
    const Undecided &group,
    const std::vector<std::vector<LoopOption>> &options) {
  auto decide = [&](OperationDemands &demands) {
    const LoopOption *best = nullptr;
    double bestCost = 0;
    for (const std::vector<LoopOption> &ofLoop : options) {
      if (ofLoop.front().demands != &demands)
        continue;
      for (const LoopOption &option : ofLoop) {
        double cost = freeLoopCost(demands, option.layout).total();
        if (best && cost >= bestCost)
          continue;
        best = &option;
        bestCost = cost;
      }
    }
    setLoop(demands,
            best ? best->layout.canonicalized()
                 : coalescedLayout(*demands.constraints.loopDemand,
                                   demands.walks,
                                   demands.constraints.numThreads())
                       .canonicalized(),
            "trial");
  };
  propagate(group.operations);
  while (true) {
    if (OperationDemands *next = mostWork(group.operations))
      decide(*next);
    else if (!chooseFreeSliceSource(group.operations))
      break;
    propagate(group.operations);
  }
  for (OperationDemands *demands : group.operations)
    if (demands->constraints.loopDemand && !result.loops.count(demands->op))
      decide(*demands);
}

/// The cost of all operations of a group in which everything is decided, by how
/// often each runs.
double LayoutSolver::costOf(const Undecided &group) {
  double cost = 0, often = 1;
  for (OperationDemands *demands : group.operations) {
    often = std::max(often, demands->frequency);
    if (demands->constraints.loopDemand) {
      const FragmentLayout &layout =
          result.loops.find(demands->op)->second.layout;
      cost += demands->frequency * loopCost(demands->walks, layout).total();
      cost += disagreement(*demands, layout);
    }
    for (const SliceDemand &slice : demands->constraints.slices) {
      const FragmentLayout *source = layoutOf(slice.source->get());
      const FragmentLayout *target = layoutOf(slice.target->get());
      if (!source || !target)
        continue;
      cost += demands->frequency * reductionCost(*source, slice.dim);
      if (auto sliced = source->sliced(slice.dim, slice.keepDim))
        cost += demands->frequency *
                conversionCost(*sliced, *target,
                               elementBitsOf(slice.target->get()));
    }
  }
  return cost + often * registersCost(group);
}

/// Of the operation whose fragments take the most registers. Registers that
/// spill cost what registerCost says. Those that leave a multiprocessor to one
/// block, which hides less latency than two, cost a little.
double LayoutSolver::registersCost(const Undecided &group) const {
  constexpr double kOneBlock = 0.125;
  double cost = 0;
  for (OperationDemands *demands : group.operations) {
    if (!demands->constraints.loopDemand)
      continue;
    int64_t registers = 0;
    llvm::SmallDenseSet<Value> counted;
    for (const LoopAccess &access : demands->constraints.loopDemand->accesses)
      if (const FragmentLayout *layout = layoutOf(access.buffer());
          layout && counted.insert(access.buffer()).second)
        registers +=
            registersPerThread(*layout, elementBitsOf(access.buffer()));
    int64_t threads = demands->constraints.numThreads();
    cost = std::max(cost, registerCost(registers, threads, target, 1) +
                              kOneBlock *
                                  registerCost(registers, threads, target, 2));
  }
  return cost;
}

struct LayoutSolver::Decided {
  std::vector<FragmentChoice> fragments; // of the group, in its order
  size_t loops; // of the kernel: later ones were decided after
};

LayoutSolver::Decided LayoutSolver::remember(const Undecided &group) const {
  Decided decided{{}, result.loops.size()};
  for (Value buffer : group.fragments)
    decided.fragments.push_back(result.fragments.find(buffer)->second);
  return decided;
}

void LayoutSolver::restore(const Undecided &group, const Decided &decided) {
  while (result.loops.size() > decided.loops)
    result.loops.pop_back();
  for (auto [buffer, choice] :
       llvm::zip_equal(group.fragments, decided.fragments))
    result.fragments.find(buffer)->second = choice;
}

/// The least cost of a group over all options of all of its loops, in whatever
/// order they are decided.
double LayoutSolver::leastCost(const Undecided &group, size_t &tried) {
  constexpr size_t kMostTried = 200000;
  double least = std::numeric_limits<double>::infinity();
  bool anyFree = false;
  Decided before = remember(group);
  for (OperationDemands *demands : group.operations) {
    if (!isFree(*demands) || tried >= kMostTried)
      continue;
    anyFree = true;
    SmallVector<FragmentLayout, 0> seen;
    for (LoopOption &option : cheapestAlone(*demands)) {
      FragmentLayout layout = option.layout.canonicalized();
      if (llvm::is_contained(seen, layout))
        continue;
      seen.push_back(layout);
      setLoop(*demands, std::move(layout), "trial");
      propagate(group.operations);
      least = std::min(least, leastCost(group, tried));
      restore(group, before);
    }
  }
  if (anyFree)
    return least;
  ++tried;
  complete(group, {});
  least = costOf(group);
  restore(group, before);
  return least;
}

/// The cost of what was chosen, for each group of which all was tried.
void LayoutSolver::compareWithAll() {
  for (unsigned i = 0; i < undecided.size(); ++i)
    if (auto found = searched.find(i); found != searched.end()) {
      found->second.chosen = costOf(undecided[i]);
      result.searches.push_back(found->second);
    }
}

/// The option, of any loop that hangs together with `first`, after which all of
/// them together cost least; nullopt where the cheapest of `first` is as good.
std::optional<LayoutSolver::LoopOption>
LayoutSolver::cheapestTogether(OperationDemands &first) {
  const Undecided &group = undecided[undecidedOf.lookup(first.op)];
  if (group.operations.size() > kMaxOperations)
    return std::nullopt;
  // Threads of a loop that reads a part of a fragment for several iterations,
  // as rows of B in A x B, need all of a dimension.
  bool readsParts = llvm::any_of(group.operations, [](auto *demands) {
    return llvm::any_of(demands->owned, [](const auto &owned) {
      return owned && owned->isShifted && !owned->determinesLoop;
    });
  });
  std::vector<std::vector<LoopOption>> options;
  unsigned withMemory = 0;
  for (OperationDemands *demands : group.operations) {
    if (!isFree(*demands))
      continue;
    withMemory += !demands->walks.empty();
    std::vector<LoopOption> kept, all = cheapestAlone(*demands);
    llvm::SmallBitVector contiguous(all.front().layout.rank());
    llvm::SmallBitVector undivided(readsParts ? contiguous.size() : 0);
    for (LoopOption &option : all) {
      bool isFirstAlong = false;
      for (unsigned dim = 0; dim < contiguous.size(); ++dim)
        if (!contiguous.test(dim) && option.layout.vectorWidth(dim) > 1) {
          contiguous.set(dim);
          isFirstAlong = true;
        }
      for (unsigned dim = 0; dim < undivided.size(); ++dim)
        if (!undivided.test(dim) &&
            !hasDigits(option.layout, int(dim), /*ofThreads=*/true)) {
          undivided.set(dim);
          isFirstAlong = true;
        }
      bool isWanted = kept.size() < kOptionsOfLoop || isFirstAlong;
      if (isWanted && llvm::none_of(kept, [&](const LoopOption &other) {
            return other.layout.equivalent(option.layout);
          }))
        kept.push_back(std::move(option));
    }
    options.push_back(std::move(kept));
  }
  // Where there are too many, those of one iteration follow from the others: a
  // cluster's gather has one for each block.
  if (options.size() > kMaxLoops)
    llvm::erase_if(options, [](const std::vector<LoopOption> &ofLoop) {
      return llvm::all_of(ofLoop.front().layout.shape(),
                          [](int64_t extent) { return extent == 1; });
    });
  // One loop with memory alone decides what others need.
  if (options.size() > kMaxLoops || withMemory < 2)
    return std::nullopt;

  Decided before = remember(group);
  auto costAfter = [&](const LoopOption &option) {
    setLoop(*option.demands, option.layout.canonicalized(), "trial");
    complete(group, options);
    double cost = costOf(group);
    restore(group, before);
    return cost;
  };

  const LoopOption *best = nullptr;
  double bestCost = 0;
  for (const std::vector<LoopOption> &ofLoop : options)
    if (ofLoop.front().demands == &first)
      bestCost = costAfter(ofLoop.front()) * kWorthwhile;
  for (const std::vector<LoopOption> &ofLoop : options)
    for (const LoopOption &option : ofLoop) {
      double cost = costAfter(option);
      if (cost >= bestCost)
        continue;
      best = &option;
      bestCost = cost;
    }
  if (!best)
    return std::nullopt;
  return *best;
}

/// Decides a loop whose fragments are free: the one that matters most, or one
/// of those that hang together with it.
bool LayoutSolver::chooseFreeLoop() {
  OperationDemands *first = mostWork(everything);
  if (!first)
    return false;
  unsigned group = undecidedOf.lookup(first->op);
  if (isExhaustive && !searched.count(group)) {
    LayoutSearch search;
    search.best = leastCost(undecided[group], search.tried);
    searched[group] = search;
  }
  if (std::optional<LoopOption> together = cheapestTogether(*first)) {
    setLoop(*together->demands, together->layout.canonicalized(),
            "cheapest of the free choices, with all that follows from it",
            together->alone);
    return true;
  }
  LoopOption best = cheapestAlone(*first).front();
  setLoop(*first, best.layout.canonicalized(), "cheapest of the free choices",
          best.alone);
  return true;
}
