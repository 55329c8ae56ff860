//===- OverlapParts.cpp - the parts of a loop with two products -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of --tile-overlap-gemms: which operations of a loop are its first
// products, which its last ones, and what of the rest can run beside those.
//
//===----------------------------------------------------------------------===//
#include "OverlapParts.h"
#include "Asynchronous.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Iterations.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Which
//===----------------------------------------------------------------------===//

/// Numbers, and a promise about rows, which goes where the loop is rotated.
static bool isScalar(Operation *op) {
  return isa<AssumeRowsOp>(op) ||
         (op->getNumRegions() == 0 && isMemoryEffectFree(op));
}

/// A gemm by wgmma that can be left in flight, and that nothing awaits yet.
static GemmOp unscheduledGemm(Operation *op) {
  auto gemm = dyn_cast<GemmOp>(op);
  bool isGroup = gemm && canStayInFlight(gemm) && !gemm.getToken() &&
                 traitsOf(gemm).completion == MmaCompletion::WarpgroupGroups;
  return isGroup ? gemm : GemmOp();
}

static bool isWait(Operation *op) {
  return showsSlot(op) && !showsOpenSlot(op);
}

static bool isRelease(Operation *op) {
  auto ring = dyn_cast<TileRingOpInterface>(op);
  return ring && ring.releasesSlot();
}

static SmallVector<GemmOp> gemmsOf(ArrayRef<Operation *> part) {
  SmallVector<GemmOp> gemms;
  for (Operation *op : part)
    if (GemmOp gemm = unscheduledGemm(op))
      gemms.push_back(gemm);
  return gemms;
}

/// The tiles that a gemm reads beside its accumulator.
static SmallVector<Value> operandsOf(GemmOp gemm) {
  SmallVector<Value> tiles{gemm.getA(), gemm.getB()};
  if (gemm.getMetadata())
    tiles.push_back(gemm.getMetadata());
  return tiles;
}

OverlapParts::OverlapParts(scf::ForOp loop) : loop(loop) {
  SmallVector<Operation *> ops;
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isScalar(&op))
      ops.push_back(&op);
  auto isPart = [](Operation *op) {
    return unscheduledGemm(op) || isWait(op) || isRelease(op);
  };
  auto begin = llvm::find_if_not(ops, isPart);
  auto end =
      std::find_if_not(ops.rbegin(), std::make_reverse_iterator(begin), isPart)
          .base();
  auto take = [](auto from, auto to, SmallVector<Operation *> &issued,
                 SmallVector<Operation *> &releases) {
    for (Operation *op : llvm::make_range(from, to))
      (isRelease(op) ? releases : issued).push_back(op);
  };
  take(ops.begin(), begin, first, firstReleases);
  between.append(begin, end);
  take(end, ops.end(), last, lastReleases);
  if (gemmsOf(first).empty() || gemmsOf(last).empty()) {
    first.clear();
    last.clear();
  }
  for (GemmOp gemm : gemmsOf(last)) {
    pending.append(operandsOf(gemm));
    pending.push_back(gemm.getC());
  }
}

//===----------------------------------------------------------------------===//
// Whether
//===----------------------------------------------------------------------===//

static bool isOneOf(Value tile, ArrayRef<Value> tiles) {
  return llvm::any_of(tiles, [&](Value other) {
    return getViewedTile(tile) == getViewedTile(other);
  });
}

Reason OverlapParts::whyNotOperands() const {
  SmallVector<Value> early, sums;
  for (GemmOp gemm : gemmsOf(first)) {
    early.append(operandsOf(gemm));
    if (isOneOf(gemm.getC(), pending))
      return {"the last product reads, or adds to, what the first one writes",
              "write the operand to a tile of its own"};
    if (!gemm.getClear() && !isOneOf(gemm.getC(), sums))
      return {"the first product adds to what the iteration before has left",
              "with `clear` it does not"};
    sums.push_back(gemm.getC());
  }
  for (GemmOp gemm : gemmsOf(last))
    if (isOneOf(gemm.getC(), early))
      return {"the first product reads what the last one writes",
              "a product that depends on the one of the iteration before has "
              "to wait for it"};
  SmallVector<OpAccess> accesses;
  for (Operation *op : between)
    if (collectAccesses(op, accesses))
      return {"'" + op->getName().getStringRef().str() +
                  "' stands between the products, and orders other accesses",
              "put it outside of the loop"};
  for (const OpAccess &access : accesses)
    if (access.access.isWrite && isOneOf(access.access.buffer, early))
      return {"the loop writes an operand of its first product",
              "prepare it before the loop, or copy it into a ring"};
  return {};
}

/// Whether all that uses `value`, through views too, belongs to `part`.
static bool isUsedBy(Value value, ArrayRef<Operation *> part) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (llvm::is_contained(part, user))
      return true;
    return isScalar(user) &&
           llvm::all_of(user->getResults(),
                        [&](Value result) { return isUsedBy(result, part); });
  });
}

Reason OverlapParts::whyNotSlots() const {
  static constexpr char kSplit[] =
      "copies that one of the products reads alone have a ring of their own";
  auto ringsOf = [](ArrayRef<Operation *> part) {
    llvm::SmallDenseSet<Value> rings;
    for (Operation *op : part)
      if (auto ring = dyn_cast<TileRingOpInterface>(op))
        rings.insert(ring.getRing());
    return rings;
  };
  llvm::SmallDenseSet<Value> early = ringsOf(first), late = ringsOf(last);
  for (Value ring : early)
    if (late.contains(ring))
      return {"both products wait for slots of one ring", kSplit};
  if (early != ringsOf(firstReleases) || late != ringsOf(lastReleases))
    return {"a slot is released elsewhere than with the product that reads it",
            kSplit};
  for (ArrayRef<Operation *> part : {ArrayRef(first), ArrayRef(last)})
    for (Operation *op : part) {
      if (isWait(op) && !llvm::all_of(op->getResults(), [&](Value view) {
            return isUsedBy(view, part);
          }))
        return {"a product's slot has other readers", kSplit};
      // Scalars on the way are computed again for another iteration.
      SmallVector<Value> operands(op->getOperands());
      llvm::SmallPtrSet<Operation *, 8> seen;
      while (!operands.empty()) {
        Value operand = operands.pop_back_val();
        Operation *definition = operand.getDefiningOp();
        if (isFunctionOfIndex(loop, operand) ||
            llvm::is_contained(part, definition))
          continue;
        if (!definition || !isScalar(definition))
          return {"a product's operands depend on other results of the loop",
                  "compute them from the loop's index"};
        if (loop->isProperAncestor(definition) &&
            seen.insert(definition).second)
          llvm::append_range(operands, definition->getOperands());
      }
    }
  for (Operation *op : between)
    if (isa<TileRingOpInterface>(op))
      return {"a ring is used between the products", kSplit};
  return {};
}

Reason OverlapParts::whyNot() {
  if (loop.getNumResults())
    return {"the loop carries values", "keep them in fragments"};
  if (getConstantIntValue(loop.getStep()).value_or(0) != 1)
    return {"its step is not one",
            "loops that --tile-pipeline makes have that"};
  if (llvm::any_of(between, [](Operation *op) { return unscheduledGemm(op); }))
    return {"it has a third product between the two",
            "products that follow each other directly count as one"};
  Reason why = whyNotOperands();
  return why.empty() ? whyNotSlots() : why;
}

/// Registers that a thread needs beside the fragments of such a loop. Measured
/// with ptxas: at 24 it keeps the products asynchronous, at 16 it does not
/// (C7512).
static constexpr int64_t kRegistersBesideOverlap = 24;

/// Three warpgroups hide each other's arithmetic, and each has fewer registers:
/// measured, their products take 1 to 6 % longer when two are in flight.
static constexpr int64_t kMostWarpsToOverlap = 8;

/// Registers of one thread for the fragments that a loop names.
static int64_t fragmentRegisters(Operation *loop) {
  llvm::SmallDenseSet<Operation *> seen;
  int64_t registers = 0;
  loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (AllocOp alloc = allocationOf(operand);
          alloc && getFragmentLayout(operand) && seen.insert(alloc).second)
        registers += registersOfFragment(alloc);
  });
  return registers;
}

Reason tile::whyNoRoomToOverlap(Operation *loop, int64_t warps,
                                int64_t registers) {
  if (warps > kMostWarpsToOverlap)
    return {std::to_string(warps) + " warps hide each other's arithmetic",
            "with two warpgroups products can run beside it"};
  int64_t needed = fragmentRegisters(loop) + kRegistersBesideOverlap;
  if (registers && needed > registers)
    return {"a thread would need " + std::to_string(needed) +
                " registers, expected at most " + std::to_string(registers),
            "fewer columns of the first product take fewer"};
  return {};
}

//===----------------------------------------------------------------------===//
// What runs beside
//===----------------------------------------------------------------------===//

/// A store in the body of `loop` of `value` at `indices`, where it is the only
/// one to its fragment; null where there is none.
static memref::StoreOp storeOf(ParallelOp loop, Value value, ValueRange indices,
                               ArrayRef<memref::StoreOp> stores) {
  for (memref::StoreOp store : stores)
    if (store.getValueToStore() == value &&
        llvm::equal(store.getIndices(), indices) &&
        llvm::count_if(stores, [&](memref::StoreOp other) {
          return other.getMemRef() == store.getMemRef();
        }) == 1)
      return store;
  return {};
}

namespace {
/// Divides a loop over a tile: stores to `late` tiles get a loop of their own,
/// which reads from the others what those hold already.
class Fission {
public:
  Fission(ParallelOp loop, ArrayRef<Value> late);
  /// The loop of the late stores; null where it cannot be divided.
  ParallelOp run();

private:
  bool canClone(Value value, ValueRange indices);
  Value clone(Value value, ValueRange indices);

  ParallelOp loop;
  Block &body;
  SmallVector<memref::StoreOp> early, moved;
  bool isPlain = true;
  IRMapping mapping;
  OpBuilder builder;
};
} // namespace

Fission::Fission(ParallelOp loop, ArrayRef<Value> late)
    : loop(loop), body(loop.getBodyRegion().front()), builder(loop) {
  for (Operation &op : body.without_terminator()) {
    if (auto store = dyn_cast<memref::StoreOp>(op))
      (isOneOf(store.getMemRef(), late) ? moved : early).push_back(store);
    else if (auto load = dyn_cast<memref::LoadOp>(op))
      isPlain &= !isOneOf(load.getMemRef(), late);
    else
      isPlain &= isScalar(&op);
  }
}

bool Fission::canClone(Value value, ValueRange indices) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &body || storeOf(loop, value, indices, early))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op);
      load && llvm::any_of(early, [&](memref::StoreOp store) {
        return mayAlias(store.getMemRef(), load.getMemRef());
      }))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return canClone(operand, indices);
  });
}

Value Fission::clone(Value value, ValueRange indices) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &body || mapping.contains(value))
    return mapping.lookupOrDefault(value);
  Value result;
  if (memref::StoreOp store = storeOf(loop, value, indices, early)) {
    SmallVector<Value> at;
    for (Value index : store.getIndices())
      at.push_back(clone(index, indices));
    result =
        memref::LoadOp::create(builder, store.getLoc(), store.getMemRef(), at);
  } else {
    for (Value operand : op->getOperands())
      clone(operand, indices);
    builder.clone(*op, mapping);
    return mapping.lookup(value);
  }
  mapping.map(value, result);
  return result;
}

ParallelOp Fission::run() {
  if (!isPlain || early.empty() || moved.empty())
    return {};
  for (memref::StoreOp store : moved)
    for (Value operand : store->getOperands())
      if (!canClone(operand, store.getIndices()))
        return {};
  builder.setInsertionPointAfter(loop);
  ParallelOp late = builder.cloneWithoutRegions(loop);
  Block &block = late.getBodyRegion().emplaceBlock();
  for (BlockArgument argument : body.getArguments())
    mapping.map(argument,
                block.addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToEnd(&block);
  for (memref::StoreOp store : moved) {
    for (Value operand : store->getOperands())
      clone(operand, store.getIndices());
    builder.clone(*store, mapping);
  }
  builder.clone(*body.getTerminator(), mapping);
  for (memref::StoreOp store : moved)
    store.erase();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return late;
}

void OverlapParts::splitStores(Operation *op) {
  between.push_back(op);
  if (auto parallel = dyn_cast<ParallelOp>(op))
    if (ParallelOp late = Fission(parallel, pending).run())
      between.push_back(late);
}

/// Whether `op` uses a value of `ops`, through scalars too.
static bool usesResultsOf(Operation *op,
                          const llvm::SmallDenseSet<Operation *> &ops) {
  bool uses = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *definition = operand.getDefiningOp();
          definition && definition->getBlock() == op->getBlock())
        uses |= ops.contains(definition) ||
                (isScalar(definition) && usesResultsOf(definition, ops));
  });
  return uses;
}

static bool conflict(ArrayRef<OpAccess> a, ArrayRef<OpAccess> b) {
  return llvm::any_of(a, [&](const OpAccess &one) {
    return llvm::any_of(b, [&](const OpAccess &other) {
      return (one.access.isWrite || other.access.isWrite) &&
             mayAlias(one.access.buffer, other.access.buffer);
    });
  });
}

Reason OverlapParts::divide() {
  SmallVector<Operation *> undivided;
  std::swap(undivided, between);
  for (Operation *op : undivided)
    splitStores(op);
  SmallVector<OpAccess> delayed;
  llvm::SmallDenseSet<Operation *> moved;
  SmallVector<Value> results;
  for (GemmOp gemm : gemmsOf(first))
    results.push_back(gemm.getC());
  bool computes = false;
  for (Operation *op : between) {
    SmallVector<OpAccess> accesses;
    collectAccesses(op, accesses);
    bool waits = usesResultsOf(op, moved) || conflict(accesses, delayed) ||
                 llvm::any_of(accesses, [&](const OpAccess &access) {
                   return isOneOf(access.access.buffer, pending);
                 });
    if (!waits) {
      beside.push_back(op);
      computes |= llvm::any_of(accesses, [&](const OpAccess &access) {
        return access.access.isWrite && isOneOf(access.access.buffer, results);
      });
      continue;
    }
    after.push_back(op);
    moved.insert(op);
    delayed.append(accesses);
  }
  if (!computes)
    return {"all that is computed with the first product's result touches what "
            "the last product reads or writes",
            "write the operand of the last product by a loop of its own"};
  return {};
}
