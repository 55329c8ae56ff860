//===- SplitMoves.cpp - a loop's moves as loops of their own --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "SplitMoves.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

/// Operations that are looked at on the way from an index to a loop's own.
static constexpr unsigned kMaxVisited = 64;

bool tile::isComputedFrom(Value value, Value iv) {
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

namespace {
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

void tile::splitMoves(scf::ForOp loop, ParallelOp parallel, int64_t rounds) {
  MoveSplitter(loop, parallel, rounds).run();
}
