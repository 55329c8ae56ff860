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
  // All operations on the same decision where they have it: one grid of warps
  // for the whole chain. Then one operation at a time.
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
