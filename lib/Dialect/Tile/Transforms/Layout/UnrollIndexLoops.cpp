//===- UnrollIndexLoops.cpp - loops that index fragments ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "UnrollIndexLoops.h"
#include "SplitMoves.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Limits of what is written out: rounds of a loop, and operations in all of
/// them. A loop beyond keeps its fragment in shared memory.
constexpr int64_t kMaxRounds = 64;
constexpr int64_t kMaxOperations = 4096;
/// Operations that are looked at on the way from an index to what it follows
/// from.
constexpr unsigned kMaxVisited = 64;
} // namespace

/// Whether `value` says which element of its row an iteration of `parallel`
/// takes once the loops around it are written out: it is computed from their
/// indices, those of the iteration and constants alone.
static bool isKnownOnceWritten(Value value, ParallelOp parallel) {
  SmallVector<Value> open{value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner()->getParentOp() == parallel)
        continue;
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      std::optional<APInt> rounds = loop && loop.getInductionVar() == next
                                        ? loop.getStaticTripCount()
                                        : std::nullopt;
      if (!rounds || rounds->ugt(kMaxRounds))
        return false;
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getNumRegions() != 0 || !isPure(op) || seen.size() >= kMaxVisited ||
        (op->getNumOperands() == 0 && !op->hasTrait<OpTrait::ConstantLike>()))
      return false;
    if (seen.insert(op).second)
      llvm::append_range(open, op->getOperands());
  }
  return true;
}

/// Whether `loop`, in the code of one iteration of `parallel`, takes its index
/// for one within a row of a fragment that the iteration has.
static bool indexesRow(scf::ForOp loop, ParallelOp parallel) {
  auto takesIndex = [&](Value buffer, ValueRange indices) {
    return isFragment(buffer) &&
           llvm::all_of(indices,
                        [&](Value index) {
                          return isKnownOnceWritten(index, parallel);
                        }) &&
           llvm::any_of(indices, [&](Value index) {
             return isComputedFrom(index, loop.getInductionVar());
           });
  };
  return loop.getBody()
      ->walk([&](Operation *op) {
        bool takes = false;
        if (auto load = dyn_cast<memref::LoadOp>(op))
          takes = takesIndex(load.getMemRef(), load.getIndices());
        else if (auto store = dyn_cast<memref::StoreOp>(op))
          takes = takesIndex(store.getMemRef(), store.getIndices());
        return takes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an operation on tiles in `loop` takes the loop's index for one of a
/// fragment's.
static bool indexesFragment(scf::ForOp loop, int64_t threads,
                            const TargetInfo &target) {
  if (ParallelOp parallel = elementLoopAround(loop))
    return indexesRow(loop, parallel);
  auto isIndexed = [&](Operation *op) {
    auto tileOp = dyn_cast<TileOpInterface>(op);
    if (!tileOp)
      return WalkResult::advance();
    LayoutConstraints constraints(target, threads);
    tileOp.getLayoutConstraints(constraints);
    if (constraints.loopDemand)
      for (const LoopAccess &access : constraints.loopDemand->accesses)
        if (isFragment(access.buffer()))
          for (const LoopIndex &index : access.indices)
            for (Value uniform : index.uniforms)
              if (isComputedFrom(uniform, loop.getInductionVar()))
                return WalkResult::interrupt();
    return WalkResult::skip(); // scalar code of a tile loop
  };
  return loop.getBody()->walk<WalkOrder::PreOrder>(isIndexed).wasInterrupted();
}

/// Writes `loop`, of constant bounds, out. (MLIR's `loopUnrollFull` does the
/// same; its header has a function named like our namespace.)
static void writeOut(scf::ForOp loop, int64_t rounds) {
  OpBuilder builder(loop);
  int64_t first = *getConstantIntValue(loop.getLowerBound());
  int64_t step = *getConstantIntValue(loop.getStep());
  SmallVector<Value> carried(loop.getInitArgs());
  for (int64_t round = 0; round < rounds; ++round) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(),
                arith::ConstantOp::create(
                    builder, loop.getLoc(),
                    builder.getIntegerAttr(loop.getInductionVar().getType(),
                                           first + round * step)));
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    for (auto [value, yielded] :
         llvm::zip_equal(carried, loop.getYieldedValues()))
      value = mapping.lookupOrDefault(yielded);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

/// Rounds of `loop` where it is to be written out, else zero.
static int64_t roundsToWrite(scf::ForOp loop, int64_t threads,
                             const TargetInfo &target) {
  std::optional<APInt> rounds = loop.getStaticTripCount();
  if (!rounds || !getConstantIntValue(loop.getLowerBound()) ||
      !getConstantIntValue(loop.getStep()) || rounds->ugt(kMaxRounds))
    return 0;
  int64_t operations = 0;
  loop.getBody()->walk([&](Operation *) { ++operations; });
  int64_t count = rounds->getZExtValue();
  return operations * count <= kMaxOperations &&
                 indexesFragment(loop, threads, target)
             ? count
             : 0;
}

/// Inner loops first: they count among the operations of the outer ones.
static SmallVector<scf::ForOp> loopsOf(KernelOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.getBodyRegion().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  return loops;
}

bool tile::hasIndexLoops(KernelOp kernel, const TargetInfo &target) {
  return llvm::any_of(loopsOf(kernel), [&](scf::ForOp loop) {
    return roundsToWrite(loop, kernel.getThreads(), target) > 0;
  });
}

void tile::unrollIndexLoops(KernelOp kernel, const TargetInfo &target,
                            bool remarks) {
  for (scf::ForOp loop : loopsOf(kernel)) {
    int64_t rounds = roundsToWrite(loop, kernel.getThreads(), target);
    if (rounds == 0)
      continue;
    Location loc = loop.getLoc();
    if (ParallelOp parallel = elementLoopAround(loop))
      splitMoves(loop, parallel, rounds);
    writeOut(loop, rounds);
    remarkAt(remarks, loc)
        << "written out: its index says which registers of a fragment are "
           "accessed, and registers cannot be indexed at run time";
  }
}
