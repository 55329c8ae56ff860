//===- UnrollIndexLoops.cpp - loops that index fragments ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "UnrollIndexLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Limits of what is written out: rounds of a loop, and operations in all of
/// them. A loop beyond keeps its fragment in shared memory.
constexpr int64_t kMaxRounds = 64;
constexpr int64_t kMaxOperations = 4096;
/// Operations that are looked at on the way from an index to a loop's own.
constexpr unsigned kMaxVisited = 64;
} // namespace

/// Whether `value` is computed from `iv`, by operations without regions.
static bool isComputedFrom(Value value, Value iv) {
  SmallVector<Value> open{value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (next == iv)
      return true;
    Operation *op = next ? next.getDefiningOp() : nullptr;
    if (op && op->getNumRegions() == 0 && isPure(op) &&
        seen.size() < kMaxVisited && seen.insert(op).second)
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

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
  if (auto parallel = loop->getParentOfType<ParallelOp>())
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

namespace {
/// Takes what a loop of one iteration's code moves between memory and values
/// into loops of its own, in front of it and behind it, through memory of the
/// thread: there neighbours move as vectors, which in a loop that is written
/// out round by round nothing could make of them again.
class MoveSplitter {
public:
  MoveSplitter(scf::ForOp loop, ParallelOp parallel, int64_t rounds)
      : loop(loop), parallel(parallel), rounds(rounds), builder(loop) {}

  void run() {
    if (rounds < 2 || !isConstantIntValue(loop.getLowerBound(), 0) ||
        !isConstantIntValue(loop.getStep(), 1) || !loop.getInitArgs().empty())
      return;
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<memref::LoadOp, memref::StoreOp>(op) &&
          (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)))
        return;
    for (auto load :
         llvm::make_early_inc_range(loop.getBody()->getOps<memref::LoadOp>()))
      if (isMemory(load.getMemRef()) && movesAlone(load, load.getIndices()))
        loadAhead(load);
    for (auto store :
         llvm::make_early_inc_range(loop.getBody()->getOps<memref::StoreOp>()))
      if (isMemory(store.getMemRef()) && movesAlone(store, store.getIndices()))
        storeBehind(store);
  }

private:
  static bool isMemory(Value buffer) {
    return isShared(buffer) || isGlobal(buffer);
  }
  /// Whether no other access of the loop may touch the same memory (but loads
  /// beside a load), and the indices follow from the round and from what is
  /// outside alone.
  bool movesAlone(Operation *access, ValueRange indices) {
    Value buffer = bufferOf(access);
    for (Operation &op : loop.getBody()->without_terminator()) {
      Value other = bufferOf(&op);
      if (other && &op != access && mayAlias(buffer, other) &&
          !(isa<memref::LoadOp>(op) && isa<memref::LoadOp>(access)))
        return false;
    }
    SetVector<Operation *> needed;
    return llvm::all_of(indices,
                        [&](Value index) { return addSlice(index, needed); }) &&
           llvm::any_of(indices, [&](Value index) {
             return isComputedFrom(index, loop.getInductionVar());
           });
  }
  static Value bufferOf(Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return load.getMemRef();
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return store.getMemRef();
    return {};
  }
  /// The loop's operations that compute `value`, in order; false where one of
  /// them reads memory.
  bool addSlice(Value value, SetVector<Operation *> &needed) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || needed.contains(op))
      return true;
    if (!isPure(op) || op->getNumRegions() != 0)
      return false;
    for (Value operand : op->getOperands())
      if (!addSlice(operand, needed))
        return false;
    needed.insert(op);
    return true;
  }
  Value allocate(Type element) {
    OpBuilder outside(parallel);
    auto type = MemRefType::get({rounds}, element, MemRefLayoutAttrInterface(),
                                LocalSpaceAttr::get(element.getContext()));
    return AllocOp::create(outside, loop.getLoc(), type, ValueRange())
        .getResult();
  }
  /// A loop of as many rounds, with the operations that compute `indices`.
  scf::ForOp like(ValueRange indices, IRMapping &mapping, OpBuilder &at) {
    auto made = scf::ForOp::create(at, loop.getLoc(), loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep());
    mapping.map(loop.getInductionVar(), made.getInductionVar());
    OpBuilder inside(made.getBody(), made.getBody()->begin());
    SetVector<Operation *> needed;
    for (Value index : indices)
      addSlice(index, needed);
    for (Operation *op : needed)
      inside.clone(*op, mapping);
    return made;
  }
  void loadAhead(memref::LoadOp load) {
    Value kept = allocate(load.getType());
    IRMapping mapping;
    builder.setInsertionPoint(loop);
    scf::ForOp made = like(load.getIndices(), mapping, builder);
    OpBuilder inside(made.getBody()->getTerminator());
    Operation *moved = inside.clone(*load, mapping);
    memref::StoreOp::create(inside, load.getLoc(), moved->getResult(0), kept,
                            made.getInductionVar());
    OpBuilder here(load);
    load.replaceAllUsesWith(memref::LoadOp::create(here, load.getLoc(), kept,
                                                   loop.getInductionVar())
                                .getResult());
    load.erase();
  }
  void storeBehind(memref::StoreOp store) {
    Value kept = allocate(store.getValueToStore().getType());
    IRMapping mapping;
    builder.setInsertionPointAfter(loop);
    scf::ForOp made = like(store.getIndices(), mapping, builder);
    OpBuilder inside(made.getBody()->getTerminator());
    Value value = memref::LoadOp::create(inside, store.getLoc(), kept,
                                         made.getInductionVar());
    mapping.map(store.getValueToStore(), value);
    inside.clone(*store, mapping);
    OpBuilder here(store);
    memref::StoreOp::create(here, store.getLoc(), store.getValueToStore(), kept,
                            loop.getInductionVar());
    store.erase();
  }

  scf::ForOp loop;
  ParallelOp parallel;
  int64_t rounds;
  OpBuilder builder;
};
} // namespace

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
    if (auto parallel = loop->getParentOfType<ParallelOp>())
      MoveSplitter(loop, parallel, rounds).run();
    writeOut(loop, rounds);
    remarkAt(remarks, loc)
        << "written out: its index says which registers of a fragment are "
           "accessed, and registers cannot be indexed at run time";
  }
}
