//===- LayoutAnalysis.cpp - collects demands, prints the result -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks every operation of a kernel for its demands, through the interface only.
// The decisions are in LayoutSolver.cpp.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/LayoutAnalysis.h"
#include "LayoutSolver.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tile;

FailureOr<LayoutAnalysis> LayoutAnalysis::compute(KernelOp kernel,
                                                  const TargetInfo &target,
                                                  bool isExhaustive) {
  LayoutAnalysis analysis;
  if (failed(LayoutSolver(kernel, target, analysis, isExhaustive).solve()))
    return failure();
  return std::move(analysis);
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

/// Iterations of the loops around an operation; what is unknown counts 16.
static double frequencyOf(Operation *op) {
  constexpr double kUnknownTrips = 16;
  double frequency = 1;
  for (Operation *parent : getEnclosingOps(op)) {
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (!loop)
      continue;
    auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
         step = loop.getLoopSteps();
    double trips = kUnknownTrips;
    if (lower && upper && step && lower->size() == 1) {
      std::optional<int64_t> from = getConstantIntValue(lower->front());
      std::optional<int64_t> to = getConstantIntValue(upper->front());
      std::optional<int64_t> by = getConstantIntValue(step->front());
      if (from && to && by && *by > 0)
        trips = std::max(1.0, (double(*to) - double(*from)) / double(*by));
    }
    frequency *= trips;
  }
  return frequency;
}

static bool isTileMemory(Value value) {
  return isFragment(value) || isShared(value);
}

/// A tile must be used where it was allocated: its layout is found there.
LogicalResult LayoutSolver::checkBuffers(Operation *op) {
  for (Value value : op->getResults())
    if (isTileMemory(value) && !allocationOf(value) && !showsSlot(op) &&
        !getTileViewSource(op))
      return op->emitOpError()
             << "expected a " << stringifyMemorySpace(getMemorySpace(value))
             << " tile to come from `tile.alloc` directly, got a result of '"
             << op->getName() << "'";
  if (showsSlot(op))
    for (Value view : op->getResults())
      if (!getSharedLayout(view))
        return op->emitOpError() << "expected layouts on `tile.ring.create`: "
                                    "layouts are inferred before pipelining";
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (isTileMemory(argument))
          return op->emitOpError()
                 << "expected a "
                 << stringifyMemorySpace(getMemorySpace(argument))
                 << " tile to come from `tile.alloc` directly, got block "
                    "argument "
                 << argument.getArgNumber();
  return success();
}

/// A stated layout spreads over exactly the threads of this block, or role.
LogicalResult LayoutSolver::checkThreads(Operation *op,
                                         FragmentLayoutAttr stated) {
  if (!stated)
    return success();
  FragmentLayout layout = stated.getLayout();
  bool isFragmentOp = op->getNumResults() && isFragment(op->getResult(0));
  int64_t threads =
      isFragmentOp ? getFragmentThreads(op->getResult(0)) : getAgentThreads(op);
  if (layout.numThreads() != threads)
    return op->emitOpError() << "expected a layout over " << threads
                             << " threads, got " << layout.numThreads();
  if (layout.size(Axis::Block) != 1)
    return op->emitOpError()
           << "expected a layout within one block, got one over "
           << layout.size(Axis::Block) << " blocks of a cluster";
  return success();
}

LogicalResult LayoutSolver::collect(Operation *op) {
  if (failed(checkBuffers(op)))
    return failure();
  for (Value value : op->getResults()) {
    if (isFragment(value)) {
      if (failed(checkThreads(op, getFragmentLayout(value))))
        return failure();
      result.fragments.insert({value, FragmentChoice()});
    }
    if (isShared(value))
      result.shareds.insert({value, SharedChoice()});
  }
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (!tileOp)
    return success();
  OperationDemands demands{op,
                           LayoutConstraints(target, getAgentThreads(op)),
                           frequencyOf(op),
                           {},
                           {}};
  tileOp.getLayoutConstraints(demands.constraints);
  if (!demands.constraints.refusal.empty())
    return op->emitOpError() << demands.constraints.refusal;
  bool hadAlternatives = !demands.constraints.alternatives.empty();
  viewed.restate(demands.constraints);
  if (hadAlternatives && demands.constraints.alternatives.empty())
    return op->emitOpError() << "expected shared operands in a layout that "
                                "their views (`tile.view`) have, too";
  if (demands.constraints.loopDemand &&
      failed(checkThreads(op, demands.constraints.loopDemand->stated)))
    return failure();
  if (demands.constraints.loopDemand)
    for (const LoopAccess &access : demands.constraints.loopDemand->accesses) {
      demands.owned.push_back(
          isFragment(access.buffer())
              ? getOwnedAccess(*demands.constraints.loopDemand, access)
              : std::nullopt);
      if (auto walk = memoryWalk(*demands.constraints.loopDemand, access))
        demands.walks.push_back(*walk);
    }
  operations.push_back(std::move(demands));
  return success();
}

/// Where a layout is stated, its views have a form of it.
LogicalResult LayoutSolver::checkViews() {
  WalkResult walk = kernel.getBodyRegion().walk([&](Operation *view) {
    Value source = getTileViewSource(view);
    if (!source)
      return WalkResult::advance();
    Value seen = view->getResult(0);
    std::string reason;
    if (FragmentLayoutAttr stated = getFragmentLayout(source)) {
      if (auto layout = ViewedTiles::seenAs(stated.getLayout(), seen); !layout)
        reason = layout.reason();
    } else if (SharedLayoutAttr stated = getSharedLayout(source)) {
      if (auto layout = ViewedTiles::seenAs(stated.getLayout(), seen); !layout)
        reason = layout.reason();
    }
    if (reason.empty())
      return WalkResult::advance();
    view->emitOpError() << "expected a layout that both shapes have: "
                        << reason;
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult LayoutSolver::collect() {
  viewed.collect(kernel);
  if (failed(checkViews()))
    return failure();
  WalkResult walk = kernel.getBodyRegion().walk<WalkOrder::PreOrder>(
      [&](Operation *op) -> WalkResult {
        return failed(collect(op)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string placeOf(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return "line " + std::to_string(file.getLine());
  return "unknown place";
}

std::string tile::describeValue(Value value) {
  return "the tile of " + placeOf(value.getLoc());
}

std::string tile::describeOperation(Operation *op) {
  return op->getName().getStringRef().str() + " of " + placeOf(op->getLoc());
}

void LayoutCost::print(raw_ostream &os) const {
  os << llvm::format("%.1f cycles", total());
  const std::pair<const char *, double> terms[] = {
      {"global", globalTraffic},  {"shared", sharedTraffic},
      {"issue", issue},           {"registers", registers},
      {"reductions", reductions}, {"conversions", conversions}};
  const char *separator = " = ";
  for (auto [name, value] : terms) {
    if (value == 0)
      continue;
    os << separator << name << llvm::format(" %.1f", value);
    separator = " + ";
  }
}

template <typename LayoutT>
static void printLayout(raw_ostream &os, const LayoutT &layout) {
  os << "    layout: ";
  layout.print(os);
  os << "\n    in words: ";
  layout.describe(os);
  os << "\n";
}

void LayoutAnalysis::print(raw_ostream &os, KernelOp kernel) const {
  AsmState names(kernel);
  auto printBuffer = [&](StringRef space, Value buffer) {
    os << "  " << space << " ";
    buffer.printAsOperand(os, names);
    os << " : " << buffer.getType() << " (" << placeOf(buffer.getLoc())
       << ")\n";
  };
  os << "layouts of kernel @" << kernel.getSymName() << ", "
     << kernel.getThreads() << " threads\n";
  for (auto &[buffer, choice] : fragments) {
    printBuffer("fragment", buffer);
    printLayout(os, choice.layout);
    os << "    why: " << choice.why << "\n";
  }
  for (auto &[buffer, choice] : shareds) {
    printBuffer("shared", buffer);
    printLayout(os, choice.layout);
    os << "    why: " << choice.why << "\n";
  }
  for (const OperationDecision &decision : decisions) {
    os << "  " << describeOperation(decision.op) << "\n    "
       << decision.decision.attribute << ": " << decision.decision.value
       << "\n    why: " << decision.decision.why << "\n";
    if (decision.cost > 0)
      os << "    cost: " << llvm::format("%.1f cycles", decision.cost) << "\n";
    for (const std::string &refused : decision.decision.refused)
      os << "    not possible: " << refused << "\n";
  }
  for (auto &[op, choice] : loops) {
    os << "  " << describeOperation(op) << "\n";
    printLayout(os, choice.layout);
    os << "    why: " << choice.why << "\n";
    if (choice.cost) {
      os << "    cost: ";
      choice.cost->print(os);
      os << "\n";
    }
  }
  for (const LayoutSearch &search : searches)
    os << "  free choices: "
       << llvm::format("%.1f cycles, the best of %zu combinations %.1f\n",
                       search.chosen, search.tried, search.best);
  for (const LayoutConversion &conversion : conversions) {
    os << "  conversion of ";
    conversion.buffer.printAsOperand(os, names);
    os << (conversion.reads ? " before" : "")
       << (conversion.reads && conversion.writes ? " and" : "")
       << (conversion.writes ? " after" : "") << " "
       << describeOperation(conversion.op) << ": "
       << stringify(conversion.kind.kind);
    if (!conversion.kind.reason.empty())
      os << " (" << conversion.kind.reason << ")";
    os << "\n";
    printLayout(os, conversion.layout);
    os << "    why: " << conversion.why << "\n";
  }
}
