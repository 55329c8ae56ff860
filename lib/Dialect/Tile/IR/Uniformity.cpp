//===- Uniformity.cpp - block-uniform code and disjoint writes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniformity needs no dataflow here. Block level starts from kernel arguments
// and block indices, which are uniform; every operation gives equal results for
// equal operands and memory; so only two things could make a value differ
// between threads: asking for the thread's identity, and reading memory whose
// contents differ between threads (fragments, local memory). Both are refused,
// and with them control flow that is not uniform cannot be written.
//
//===----------------------------------------------------------------------===//
#include "Uniformity.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tile/Dialect/Tile/IR/ElementUpdate.h"

using namespace mlir;
using namespace mlir::tile;

/// Dialects whose operations name threads, exchange between them, or wait for
/// them.
static bool speaksOfThreads(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "gpu" || dialect == "nvvm" || dialect == "nvgpu";
}

/// A buffer of fragments or local memory that `op`, not a tile operation, reads
/// or writes.
static Value accessedPrivateBuffer(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || op->getNumRegions())
    return {};
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    Value value = instance.getValue();
    if (value &&
        isa<MemoryEffects::Read, MemoryEffects::Write>(instance.getEffect()) &&
        (isFragment(value) || isLocal(value)))
      return value;
  }
  return {};
}

LogicalResult tile::verifyBlockUniform(KernelOp kernel) {
  WalkResult walk = kernel.getBodyRegion().walk<WalkOrder::PreOrder>(
      [&](Operation *op) -> WalkResult {
        if (speaksOfThreads(op)) {
          op->emitOpError() << "[kernel-10] expected code of a block, got an "
                               "operation on its threads";
          return WalkResult::interrupt();
        }
        if (isa_and_nonnull<TileDialect>(op->getDialect()))
          return WalkResult::advance();
        if (op->getParentOfType<ParallelOp>())
          return WalkResult::advance();
        if (Value buffer = accessedPrivateBuffer(op)) {
          InFlightDiagnostic diag =
              op->emitOpError()
              << "[kernel-10] expected elements of "
              << stringifyMemorySpace(getMemorySpace(buffer))
              << " memory to be accessed inside `tile.parallel` only";
          diag.attachNote()
              << "outside it, values and control flow are the same "
                 "for all threads of a block";
          return WalkResult::interrupt();
        }
        return WalkResult::advance();
      });
  return failure(walk.wasInterrupted());
}

/// Loop indices that `indices` are computed from, through any operations.
static void collectUsedIndices(ParallelOp loop, ValueRange indices,
                               llvm::SmallDenseSet<Value> &used) {
  SmallVector<Value> worklist(indices.begin(), indices.end());
  llvm::SmallDenseSet<Value> seen;
  Block *body = &loop.getBodyRegion().front();
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == body)
        used.insert(argument);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!loop->isProperAncestor(op))
      continue;
    llvm::append_range(worklist, op->getOperands());
    // A result of scf.if or scf.for depends on what its body reads.
    op->walk([&](Operation *nested) {
      llvm::append_range(worklist, nested->getOperands());
    });
  }
}

LogicalResult tile::verifyDisjointStores(ParallelOp loop) {
  if (llvm::is_contained(loop.getExtents(), 0))
    return success();
  for (Operation &op : loop.getBodyRegion().front()) {
    // Stores under conditions may run in one iteration only: undecided.
    Value buffer;
    ValueRange indices;
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      // --tile-combine-updates combines updates, or puts them in order.
      if (dependsOnElement(store))
        continue;
      buffer = store.getMemRef();
      indices = store.getIndices();
    } else if (auto store = dyn_cast<affine::AffineStoreOp>(op)) {
      buffer = store.getMemRef();
      indices = store.getMapOperands();
    } else {
      continue;
    }
    if (isLocal(buffer) ||
        loop->isProperAncestor(buffer.getParentRegion()->getParentOp()))
      continue; // a thread's own
    llvm::SmallDenseSet<Value> used;
    collectUsedIndices(loop, indices, used);
    for (BlockArgument iv : loop.getBodyRegion().getArguments()) {
      int64_t extent = loop.getExtents()[iv.getArgNumber()];
      if (extent <= 1 || used.contains(iv))
        continue;
      InFlightDiagnostic diag =
          op.emitOpError()
          << "[parallel-4] expected each iteration to write an element of its "
             "own, got one element written by "
          << extent << " iterations along index " << iv.getArgNumber();
      diag.attachNote(loop.getLoc()) << "in this loop; use `memref.atomic_rmw` "
                                        "or `tile.reduce` to combine "
                                        "values";
      return failure();
    }
  }
  return success();
}
