//===- LayoutSolver.h - solves the demands of one kernel --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of decisions: layouts of shared operands that an instruction takes
// in few layouts only; layouts the user stated, exact demands, propagation
// through loops and reductions to a fixed point, then free choices by cost,
// each followed by propagation. What remains in conflict becomes a list of
// conversions. Other shared memory comes last (SharedChoice.cpp): it adapts to
// the threads, never the other way round.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_LAYOUTSOLVER_H
#define TILE_LIB_ANALYSIS_LAYOUTSOLVER_H

#include "LoopCost.h"
#include "ViewedTiles.h"
#include "tile/Analysis/LayoutAnalysis.h"

namespace mlir::tile {

/// The demands of one operation, and how often it runs.
struct OperationDemands {
  Operation *op;
  LayoutConstraints constraints;
  double frequency = 1;
  /// From constraints.loopDemand: the owned accesses by position (nullopt for
  /// memory), and the walks through memory.
  SmallVector<std::optional<OwnedAccess>> owned;
  SmallVector<MemoryWalk> walks;

  ArrayRef<ExactDemand> exacts() const {
    const LayoutAlternative *selected = constraints.selected();
    return selected ? ArrayRef<ExactDemand>(selected->exacts)
                    : ArrayRef<ExactDemand>();
  }
};

class LayoutSolver {
public:
  LayoutSolver(KernelOp kernel, const TargetInfo &target,
               LayoutAnalysis &result, bool isExhaustive = false)
      : kernel(kernel), target(target), result(result),
        isExhaustive(isExhaustive) {}

  LogicalResult solve();

private:
  // Collection.
  LogicalResult collect();
  LogicalResult collect(Operation *op);
  LogicalResult checkBuffers(Operation *op);
  LogicalResult checkThreads(Operation *op, FragmentLayoutAttr stated);
  LogicalResult checkViews();

  // Alternatives (AlternativeChoice.cpp).
  LogicalResult settleSharedLayouts();
  void chooseAlternatives();
  void decideFragments();
  double conversionsCost();
  double evaluateSelection();
  void forget();

  // Decisions on fragments and loops.
  /// False, and nothing is decided, where a view of the same registers has no
  /// form of the layout.
  bool assign(Value buffer, FragmentLayout layout, std::string why);
  const FragmentLayout *layoutOf(Value buffer) const;
  void assignStated();
  void assignExact();
  void propagate(ArrayRef<OperationDemands *> among);
  bool propagateLoop(OperationDemands &demands);
  bool propagateSlices(OperationDemands &demands);
  void assignPreferences();
  bool chooseFreeSliceSource(ArrayRef<OperationDemands *> among);
  bool assignFromParts(Value buffer);
  void assignFree(Value buffer);
  void chooseRemaining();
  /// For a loop that nothing decides: the layout of another one over the same
  /// shape that touches the same global memory, so that each thread touches
  /// its own part in both and none waits; unless that costs more than `most`.
  bool chooseOwners(OperationDemands &demands, const LayoutCost &most);
  void setLoop(OperationDemands &demands, FragmentLayout layout,
               std::string why, std::optional<LayoutCost> cost = std::nullopt);
  double disagreement(OperationDemands &demands, const FragmentLayout &loop);
  double shiftedCost(Value buffer, const FragmentLayout &layout);
  bool mayHold(OperationDemands &demands, const OwnedAccess &access,
               const FragmentLayout &fragment);
  /// The layouts among which a free loop's is chosen.
  std::vector<FragmentLayout> candidatesOf(OperationDemands &demands);
  LayoutCost freeLoopCost(OperationDemands &demands,
                          const FragmentLayout &layout);

  // Free choices (FreeChoices.cpp).
  /// A layout for a loop, and its cost for this loop alone.
  struct LoopOption {
    OperationDemands *demands;
    FragmentLayout layout;
    LayoutCost alone;
  };
  /// Operations that hang together by fragments without a layout.
  struct Undecided {
    SmallVector<OperationDemands *> operations;
    SmallVector<Value> fragments;
  };
  void findUndecided();
  bool chooseFreeLoop();
  bool isFree(const OperationDemands &demands) const;
  OperationDemands *mostWork(ArrayRef<OperationDemands *> among) const;
  std::vector<LoopOption> cheapestAlone(OperationDemands &demands);
  std::optional<LoopOption> cheapestTogether(OperationDemands &first);
  void complete(const Undecided &undecided,
                const std::vector<std::vector<LoopOption>> &options);
  double costOf(const Undecided &undecided);
  double registersCost(const Undecided &undecided) const;
  double leastCost(const Undecided &undecided, size_t &tried);
  void compareWithAll();
  /// What has been decided of a group; a trial ends by restoring it.
  struct Decided;
  Decided remember(const Undecided &undecided) const;
  void restore(const Undecided &undecided, const Decided &decided);

  // Conflicts.
  void findConversions();
  void classifyConversions();
  void convert(Operation *op, OpOperand *operand, FragmentLayout layout,
               bool reads, bool writes, std::string why);

  // Shared memory (SharedChoice.cpp).
  void chooseShared();
  SharedChoice chooseShared(Value buffer);
  struct SharedUses;
  SharedUses usesOf(Value buffer);

  KernelOp kernel;
  const TargetInfo &target;
  LayoutAnalysis &result;
  bool isExhaustive;
  std::vector<OperationDemands> operations;
  SmallVector<OperationDemands *> everything; // `operations`, as pointers
  /// What free choices decide together, and where each operation belongs.
  std::vector<Undecided> undecided;
  llvm::DenseMap<Operation *, unsigned> undecidedOf;
  llvm::DenseMap<unsigned, LayoutSearch> searched; // by group
  ViewedTiles viewed;
  /// Layouts of buffers that an instruction takes in few layouts only.
  llvm::DenseMap<Value, SharedLayout> settledShared;
};

/// A tile by the place of its allocation, an operation by name and place.
std::string describeValue(Value value);
std::string describeOperation(Operation *op);
unsigned elementBitsOf(Value buffer);

} // namespace mlir::tile
#endif // TILE_LIB_ANALYSIS_LAYOUTSOLVER_H
