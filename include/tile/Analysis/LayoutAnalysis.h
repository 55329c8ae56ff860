//===- LayoutAnalysis.h - layouts of a kernel's buffers ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves the demands that the operations of one kernel make of layouts
// (LayoutConstraints.h) and says, for each buffer and each loop over a tile,
// the layout chosen and why. Rewrites nothing; the pass tile-infer-layouts
// writes the result into the IR. docs/Rationale/LayoutInference.md states the
// order of decisions and the cost function.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LAYOUTANALYSIS_H
#define TILE_ANALYSIS_LAYOUTANALYSIS_H

#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/MapVector.h"
#include <vector>

namespace mlir::tile {

/// The terms of the cost of a free choice, in cycles of one multiprocessor.
struct LayoutCost {
  double globalTraffic = 0; // sectors of 32 bytes
  double sharedTraffic = 0; // wavefronts, bank conflicts included
  double issue = 0;         // instructions, idle and replicated work included
  double registers = 0;     // registers beyond what occupancy affords
  double reductions = 0;    // shuffles and trips through shared memory
  double conversions = 0;   // convert_layout
  double total() const {
    return globalTraffic + sharedTraffic + issue + registers + reductions +
           conversions;
  }
  void print(raw_ostream &os) const;
};

struct FragmentChoice {
  FragmentLayout layout;
  std::string why;
};

struct SharedChoice {
  SharedLayout layout;
  std::string why;
  /// Worst bank conflict degree of any access, and which access that is.
  int64_t degree = 1;
};

struct LoopChoice {
  FragmentLayout layout;
  std::string why;
  /// Set where the choice was free.
  std::optional<LayoutCost> cost;
};

/// Whether the loop both reads and writes memory of one buffer. Of threads that
/// repeat an iteration one alone writes: the others might read too early or too
/// late, so that what they keep in fragments would differ.
bool changesWhatItReads(const LoopDemand &loop);

/// Whether the loop uses what an atomic access of it returns. Of threads that
/// repeat an iteration one alone makes the access, and has the value.
bool takesAtomicValues(Operation *loop);

/// For an access of a fragment by indices that are no plain form of the loop's:
/// the fragment's register for each of the loop's, in layouts under which each
/// thread holds what its iterations name (`IterationValues::registersOf`).
std::optional<SmallVector<int64_t>>
heldRegisters(const LoopAccess &access, const FragmentLayout &loop,
              const FragmentLayout &fragment);
/// Likewise, in the layouts that the program states: of the fragment, and of
/// the loop or of a fragment that determines it.
bool isHeldAsStated(const LoopDemand &loop, const LoopAccess &access);

/// Whether an access of that kind, a load, may turn out to be held once layouts
/// are chosen: its indices follow from the loop's alone. Likewise a store by
/// loop indices that stands under a condition and does not use all of them.
bool mayBeHeld(const LoopAccess &access);

/// Whether `op`, an operation of a loop over the threads of a block, one
/// iteration each, loads from a fragment what the iteration of a thread of the
/// same warp has there, whatever the numbers in the index are.
bool readsWithinWarp(Operation *op);
/// Likewise in these layouts, in which that thread holds it: in which register.
/// The lane is the index modulo the size of a warp.
std::optional<int64_t> registerOfOtherLane(Operation *op,
                                           const FragmentLayout &loop,
                                           const FragmentLayout &fragment);

/// An operation works on `buffer` in another layout than the buffer has.
struct LayoutConversion {
  Operation *op;
  Value buffer;
  SmallVector<OpOperand *> operands;
  FragmentLayout layout;
  bool reads = false, writes = false;
  std::string why;
  ConversionClass kind;
};

struct OperationDecision {
  Operation *op;
  LayoutDecision decision;
  double cost; // of the alternative, without conversions
};

/// What free choices that hang together cost, in cycles for one execution of
/// the kernel, beside the least that any of `tried` combinations costs.
struct LayoutSearch {
  double chosen = 0, best = 0;
  size_t tried = 0;
};

/// The layout over `threads` threads of a loop that touches memory only, as
/// inference chooses it; nullopt where `op` is no such loop.
std::optional<FragmentLayout>
memoryLoopLayout(TileOpInterface op, const TargetInfo &target, int64_t threads);

class LayoutAnalysis {
public:
  /// Fails with a diagnostic when the kernel cannot be laid out for the target:
  /// a stated choice is impossible, or a tile is reached through an operation
  /// that hides which buffer it is.
  /// `isExhaustive`: tries all combinations of free choices, too, and leaves in
  /// `searches` what that would be worth. For kernels of a few loops.
  static FailureOr<LayoutAnalysis>
  compute(KernelOp kernel, const TargetInfo &target, bool isExhaustive = false);

  /// Buffers in the order of their allocation, loops in program order.
  llvm::MapVector<Value, FragmentChoice> fragments;
  llvm::MapVector<Value, SharedChoice> shareds;
  llvm::MapVector<Operation *, LoopChoice> loops;
  std::vector<OperationDecision> decisions;
  std::vector<LayoutConversion> conversions;
  std::vector<LayoutSearch> searches;
  /// Accesses at an offset (OwnedAccess::isShifted), and loads by other indices
  /// (`mayBeHeld`, `readsWithinWarp`), whose threads do not hold the elements
  /// in the layouts chosen, and writes of fragments in loops that
  /// several threads repeat although they change memory that they read: the
  /// layouts are good for the kernel only once these go through shared memory
  /// (`stageTiles`).
  std::vector<OpOperand *> unheld;
  /// Of those, accesses by ownership, at an offset: others are left as they are
  /// until layouts are known on the chance that threads hold them.
  bool movesOwned = false;

  /// Every choice in structured form and in words, with its reason and cost.
  void print(raw_ostream &os, KernelOp kernel) const;
};

} // namespace mlir::tile
#endif // TILE_ANALYSIS_LAYOUTANALYSIS_H
