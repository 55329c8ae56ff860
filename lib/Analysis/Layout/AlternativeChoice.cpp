//===- AlternativeChoice.cpp - which alternative each operation takes -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation that offers several ways to run (a gemm: grids of warps) takes
// its cheapest, unless the conversions that follow cost more. That can only be
// where an operand in registers comes from another operation with alternatives:
// chained gemms. There whole selections are compared.
//
//===----------------------------------------------------------------------===//
#include "LayoutSolver.h"

using namespace mlir;
using namespace mlir::tile;

using AllowedLayouts = llvm::DenseMap<Value, SmallVector<SharedLayout>>;

/// Restricts the layouts that are allowed for each buffer to those that an
/// alternative accepts. Returns false, and leaves `allowed` unchanged, if no
/// layout is left for some buffer.
static bool narrow(const LayoutAlternative &alternative,
                   AllowedLayouts &allowed) {
  AllowedLayouts narrowed = allowed;
  for (const SharedDemand &demand : alternative.shareds) {
    if (demand.oneOf.empty())
      continue;
    auto [found, isNew] = narrowed.try_emplace(demand.buffer, demand.oneOf);
    if (isNew)
      continue;
    llvm::erase_if(found->second, [&](const SharedLayout &layout) {
      return !llvm::is_contained(demand.oneOf, layout);
    });
    if (found->second.empty())
      return false;
  }
  allowed = std::move(narrowed);
  return true;
}

/// Decides the buffers of which an instruction takes few layouts only, for the
/// operations that run most often first, and drops alternatives that cannot
/// live with the decision. Fails where a plan that the user stated is one.
LogicalResult LayoutSolver::settleSharedLayouts() {
  SmallVector<OperationDemands *> byFrequency;
  for (OperationDemands &demands : operations)
    if (demands.constraints.selected())
      byFrequency.push_back(&demands);
  llvm::stable_sort(byFrequency, [](OperationDemands *a, OperationDemands *b) {
    return a->frequency > b->frequency;
  });

  AllowedLayouts allowed;
  for (OperationDemands *demands : byFrequency)
    for (const LayoutAlternative &alternative :
         demands->constraints.alternatives)
      if (narrow(alternative, allowed))
        break;
  for (auto &[buffer, layouts] : allowed) {
    layouts.truncate(1);
    settledShared[buffer] = layouts.front();
  }
  for (OperationDemands *demands : byFrequency) {
    auto &alternatives = demands->constraints.alternatives;
    auto fits = [&](const LayoutAlternative &alternative) {
      AllowedLayouts settled = allowed;
      return narrow(alternative, settled);
    };
    std::vector<LayoutAlternative> kept;
    for (LayoutAlternative &alternative : alternatives)
      if (fits(alternative))
        kept.push_back(alternative);
    if (kept.empty())
      return demands->op->emitOpError()
             << "expected shared operands in a layout that "
             << alternatives.front().decision.value
             << " reads, got one that another operation needs";
    // The cheapest is gone: say why.
    if (!fits(alternatives.front()))
      for (LayoutAlternative &alternative : kept) {
        std::string why;
        llvm::raw_string_ostream(why)
            << alternatives.front().decision.value
            << ": another operation needs a shared operand in a layout that "
               "it does not read";
        alternative.decision.refused.push_back(why);
      }
    alternatives = std::move(kept);
  }
  return success();
}

void LayoutSolver::forget() {
  for (auto &[buffer, choice] : result.fragments)
    choice = FragmentChoice();
  result.loops.clear();
  result.conversions.clear();
}

/// Cost of the conversions of a solved kernel, by how often each runs.
double LayoutSolver::conversionsCost() {
  llvm::DenseMap<Operation *, double> frequency;
  for (OperationDemands &demands : operations)
    frequency[demands.op] = demands.frequency;
  double cost = 0;
  for (const LayoutConversion &conversion : result.conversions) {
    const FragmentLayout &own = *layoutOf(conversion.buffer);
    unsigned bits = elementBitsOf(conversion.buffer);
    double once = 0;
    if (conversion.reads)
      once += conversionCost(own, conversion.layout, bits);
    if (conversion.writes)
      once += conversionCost(conversion.layout, own, bits);
    cost += once * frequency.lookup(conversion.op);
  }
  return cost;
}

double LayoutSolver::evaluateSelection() {
  forget();
  decideFragments();
  findConversions();
  double cost = conversionsCost();
  for (OperationDemands &demands : operations)
    if (const LayoutAlternative *selected = demands.constraints.selected())
      cost += selected->cost * demands.frequency;
  for (OperationDemands &demands : operations)
    for (const SliceDemand &slice : demands.constraints.slices)
      cost += demands.frequency *
              reductionCost(*layoutOf(slice.source->get()), slice.dim);
  forget();
  return cost;
}

void LayoutSolver::chooseAlternatives() {
  // Several operations with a choice, and an operand in registers to carry the
  // choice of one to another.
  SmallVector<OperationDemands *> open;
  bool hasRegisterOperand = false;
  for (OperationDemands &demands : operations) {
    const LayoutAlternative *first = demands.constraints.selected();
    if (!first)
      continue;
    for (const ExactDemand &demand : first->exacts)
      hasRegisterOperand |= demand.reads && !demand.writes;
    if (demands.constraints.alternatives.size() > 1) {
      open.push_back(&demands);
    }
  }
  if (open.empty() || !hasRegisterOperand)
    return;

  SmallVector<unsigned> best(open.size(), 0);
  auto select = [&](ArrayRef<unsigned> choice) {
    for (auto [demands, selection] : llvm::zip_equal(open, choice))
      demands->constraints.selection = selection;
  };
  select(best);
  double bestCost = evaluateSelection();
  auto consider = [&](ArrayRef<unsigned> choice) {
    select(choice);
    double cost = evaluateSelection();
    if (cost < bestCost) {
      bestCost = cost;
      best.assign(choice.begin(), choice.end());
      return true;
    }
    return false;
  };
  // First all operations take the same alternative, where each of them has it:
  // one grid of warps for the whole chain. Then one operation at a time is
  // decided.
  for (OperationDemands *leader : open)
    for (const LayoutAlternative &wanted : leader->constraints.alternatives) {
      SmallVector<unsigned> choice = best;
      for (auto [position, demands] : llvm::enumerate(open))
        for (auto [i, alternative] :
             llvm::enumerate(demands->constraints.alternatives))
          if (alternative.decision.value == wanted.decision.value)
            choice[position] = i;
      if (choice != best)
        consider(choice);
    }
  for (size_t position = 0; position < open.size(); ++position)
    for (unsigned i = 0; i < open[position]->constraints.alternatives.size();
         ++i) {
      SmallVector<unsigned> choice = best;
      if (choice[position] == i)
        continue;
      choice[position] = i;
      consider(choice);
    }
  select(best);
}
