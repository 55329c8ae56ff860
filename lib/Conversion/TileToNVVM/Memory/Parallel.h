//===- Parallel.h - lowering of parallel loops ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread runs the iterations its loop layout gives it, unrolled over
// registers. Iterations are taken in groups of consecutive ones along the
// innermost dimension, operation by operation, so that neighbouring accesses to
// memory become one vector access (iterations are unordered, so this is legal).
// Parallel.cpp has loops and operations, ParallelAccess.cpp loads and stores,
// ParallelRuns.cpp the loops inside an iteration.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_MEMORY_PARALLEL_H
#define TILE_LIB_CONVERSION_TILETONVVM_MEMORY_PARALLEL_H

#include "Comparisons.h"
#include "RegisterMap.h"
#include "ThreadIndices.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Analysis/GuardedLoop.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"

namespace mlir::tile::nvvm {

class ParallelLowering {
public:
  ParallelLowering(KernelLowering &lowering, ParallelOp op,
                   const Registry &registry)
      : lowering(lowering), op(op), registry(registry),
        layout(lowering.loopLayout(*op.getLayout())) {}

  LogicalResult run();

private:
  LogicalResult emitGroups();
  FailureOr<Value> emitVote(LoopGuard &guard);
  bool writesMemoryOnly();
  bool hasManyPlaces();
  bool makesCopies();
  /// One group of iterations: registers [reg, reg + width) of the loop.
  LogicalResult emitGroup(int64_t reg, int64_t width);
  LogicalResult emitOp(Operation &inner, int64_t reg,
                       MutableArrayRef<IRMapping> maps);
  bool emitConverted(Operation &inner, MutableArrayRef<IRMapping> maps);
  bool emitComparison(arith::CmpIOp comparison, int64_t reg,
                      MutableArrayRef<IRMapping> maps);
  /// An index with quotients, by the digits of the thread's number.
  bool emitIndex(affine::AffineApplyOp apply, int64_t reg,
                 MutableArrayRef<IRMapping> maps);
  /// An operation with regions, or of the tile dialect, of one iteration.
  LogicalResult emitNested(Operation &inner, int64_t reg, IRMapping &map);
  /// Whether the values are the same for all iterations of a group.
  bool isOneForGroup(ValueRange values);
  /// Whether a condition is the same for `width` iterations from a multiple of
  /// `width` on: it does not change along them, or compares what counts up
  /// along them with a multiple of `width`.
  bool decidesForRun(Value condition, int64_t width);
  /// Whether all iterations of a group of `width` take the same way through
  /// `inner`: a branch on one condition, or a loop with one pair of bounds.
  bool runsTogether(Operation &inner, int64_t width);
  /// Such an operation, once for the group: accesses inside are as wide as
  /// those outside of it.
  LogicalResult emitTogether(Operation &inner, int64_t reg,
                             MutableArrayRef<IRMapping> maps);
  /// How many iterations a loop of a thread has, where it is written out: few,
  /// of little code. It loads what it does not write, so that the loads of all
  /// iterations are under way together, or their numbers say which registers
  /// of the thread or which neighbours in memory they use.
  std::optional<int64_t> writtenOutCount(scf::ForOp loop);
  LogicalResult emitWrittenOut(scf::ForOp loop, int64_t count, int64_t reg,
                               MutableArrayRef<IRMapping> maps);
  /// Whether the loop of a thread moves 4, 8 or 16 neighbouring bytes of global
  /// memory to as many of shared memory, and nothing else.
  bool isPieceOfCpAsync(scf::ForOp loop, int64_t count);
  LogicalResult emitCpAsync(scf::ForOp loop, int64_t reg,
                            MutableArrayRef<IRMapping> maps);
  LogicalResult emitFragmentAccess(Operation &inner, Value buffer,
                                   ValueRange indices, int64_t reg,
                                   MutableArrayRef<IRMapping> maps);
  LogicalResult emitHeldAccess(Operation &inner, FragmentBuffer &fragment,
                               ValueRange indices, int64_t reg,
                               MutableArrayRef<IRMapping> maps);
  void emitShuffle(memref::LoadOp load, FragmentBuffer &fragment,
                   int64_t target, IRMapping &mapping);
  void emitRegister(Operation &inner, FragmentBuffer &fragment, int64_t target,
                    IRMapping &mapping);
  /// `width` when one access may move so many elements for this operand, given
  /// what is known of strides and alignment; else 1.
  int64_t accessWidth(Value buffer, ValueRange indices, int64_t width);
  /// Whether the indices of a group's iterations name `width` elements one
  /// after the other, from a multiple of `width`.
  bool startsRun(ValueRange indices, int64_t width);
  /// The largest such width, `width` or a half, a quarter, ... of it.
  int64_t widestAccess(Value buffer, ValueRange indices, int64_t width);
  LogicalResult emitVectorLoad(memref::LoadOp load, int64_t width,
                               MutableArrayRef<IRMapping> maps);
  LogicalResult emitVectorStore(memref::StoreOp store, int64_t width,
                                MutableArrayRef<IRMapping> maps);
  /// A sum of floats in global memory whose old value nobody asks for.
  static bool isSumInMemory(memref::AtomicRMWOp rmw);
  /// How many of the sums of a group's iterations are one `red`.
  int64_t sumWidth(memref::AtomicRMWOp rmw, int64_t width);
  LogicalResult emitVectorSum(memref::AtomicRMWOp rmw,
                              MutableArrayRef<IRMapping> maps);
  LogicalResult checkFragment(Operation &inner, Value buffer,
                              ValueRange indices);
  void mapIndices(int64_t reg, IRMapping &map);
  LoopIndex indexOf(Value index) {
    return analyzeLoopIndex(index, op.getBodyRegion().getArguments());
  }
  int64_t groupWidth();
  /// Whether an iteration may read what the one before it in a thread's group
  /// wrote.
  bool hasCarriedElements();

  KernelLowering &lowering;
  ParallelOp op;
  const Registry &registry;
  FragmentLayout layout;
  SmallVector<Value> threadPart;
  std::optional<LoopComparisons> comparisons;
  std::optional<ThreadIndices> indices;
  DenseMap<Value, std::shared_ptr<RegisterMap>> registerMaps;
  /// By access whose indices are no plain form of the loop's; empty where
  /// threads do not hold what their iterations name.
  DenseMap<Operation *, std::optional<SmallVector<int64_t>>> heldRegisters;
  Value firstReplica;
  /// The loop of a thread whose iterations the group is now, operation by
  /// operation; null where it is iterations of the parallel loop.
  scf::ForOp threadLoop;
};

/// Whether the iterations of a thread's loop may run operation by operation:
/// none touches what another one writes.
bool mayRunTogether(scf::ForOp loop);

/// Whether `value` is the same in all iterations of a loop.
bool isSameInRun(Value value, scf::ForOp loop);

/// Whether each `width` iterations of a loop name as many elements of a row one
/// after the other, from a multiple of `width`.
bool isRun(ValueRange indices, scf::ForOp loop, int64_t width);

/// The most that one access moves.
inline constexpr int64_t kMaxAccessBits = 128;

/// Runs `body` on one replica only, when iterations are replicated.
LogicalResult once(KernelLowering &lowering, Value firstReplica,
                   llvm::function_ref<LogicalResult()> body);

/// What stands for `values` in an iteration.
SmallVector<Value> mapped(ValueRange values, IRMapping &map);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_MEMORY_PARALLEL_H
