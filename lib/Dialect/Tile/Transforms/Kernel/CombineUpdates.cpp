//===- CombineUpdates.cpp - fewer atomic updates of one element -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. `acc[i] += x[i, j]` in a parallel loop over i and j is
// an atomic update for each i and j, and all of one i wait for each other. What
// the loop adds to one element is summed first, as `tile.reduce` does it: in a
// thread's registers, then in its warp. One update for each i is left.
//
// Programs also write updates as a load, an operation and a store of one
// element, at indices with quotients that several iterations share
// (`m[i / 32] = max(m[i / 32], x[i])`). Where several threads may execute such
// iterations, they become atomic updates first.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Analysis/IterationValues.h"
#include "tile/Analysis/LayoutAnalysis.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/ThreadBudget.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tile {
#define GEN_PASS_DEF_COMBINEUPDATESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The fewest updates of one element that are worth a reduction.
static constexpr int64_t kLeastUpdates = 4;

namespace {
/// How `tile.reduce` combines what an atomic update combines.
struct Reduction {
  ReduceKind kind;
  bool propagatesNan = false, isUnsigned = false;
};
} // namespace

static std::optional<Reduction> reductionOf(memref::AtomicRMWOp update) {
  switch (update.getKind()) {
  case arith::AtomicRMWKind::addf:
  case arith::AtomicRMWKind::addi:
    return Reduction{ReduceKind::Sum};
  case arith::AtomicRMWKind::maximumf:
    return Reduction{ReduceKind::Max, /*propagatesNan=*/true};
  case arith::AtomicRMWKind::minimumf:
    return Reduction{ReduceKind::Min, /*propagatesNan=*/true};
  case arith::AtomicRMWKind::maxnumf:
  case arith::AtomicRMWKind::maxs:
    return Reduction{ReduceKind::Max};
  case arith::AtomicRMWKind::minnumf:
  case arith::AtomicRMWKind::mins:
    return Reduction{ReduceKind::Min};
  case arith::AtomicRMWKind::maxu:
    return Reduction{ReduceKind::Max, false, /*isUnsigned=*/true};
  case arith::AtomicRMWKind::minu:
    return Reduction{ReduceKind::Min, false, /*isUnsigned=*/true};
  case arith::AtomicRMWKind::andi:
    return Reduction{ReduceKind::BitAnd};
  case arith::AtomicRMWKind::ori:
    return Reduction{ReduceKind::BitOr};
  case arith::AtomicRMWKind::xori:
    return Reduction{ReduceKind::BitXor};
  default:
    return std::nullopt;
  }
}

namespace {
struct CombineUpdatesPass
    : tile::impl::CombineUpdatesPassBase<CombineUpdatesPass> {
  using CombineUpdatesPassBase::CombineUpdatesPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    const TargetInfo *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<ParallelOp> loops;
      kernel.getBodyRegion().walk(
          [&](ParallelOp loop) { loops.push_back(loop); });
      for (ParallelOp loop : loops) {
        if (failed(formUpdates(loop, *target)))
          return signalPassFailure();
        combine(loop, *target);
      }
    }
  }

private:
  LogicalResult formUpdates(ParallelOp loop, const TargetInfo &target);
  void combine(ParallelOp loop, const TargetInfo &target) {
    SmallVector<memref::AtomicRMWOp> updates(
        loop.getBodyRegion().front().getOps<memref::AtomicRMWOp>());
    // A stated layout says which thread updates what, and results are what an
    // element held between two updates.
    if (updates.size() != 1 || loop.getLayout() ||
        !updates.front().getResult().use_empty())
      return;
    memref::AtomicRMWOp update = updates.front();
    std::optional<Reduction> reduction = reductionOf(update);
    Type element = update.getValue().getType();
    // Sums of 16 bits round once for each update, wherever it is made.
    if (!reduction || element.getIntOrFloatBitWidth() < 32)
      return;
    SmallVector<unsigned> combined = dimsOfOneElement(loop, update);
    int64_t updatesOfOne = 1;
    for (unsigned dim : combined)
      updatesOfOne *= loop.getExtents()[dim];
    if (updatesOfOne < kLeastUpdates)
      return;
    int64_t threads = getAgentThreads(loop);
    int64_t words = element.getIntOrFloatBitWidth() / 32;
    int64_t registers =
        llvm::divideCeil(computeProduct(loop.getExtents()), threads) * words;
    int64_t room = ThreadBudget(target).launched(threads) / 2;
    if (registers > room) {
      missedAt(remarks, update,
               Twine(updatesOfOne) +
                   " updates of one element are not combined first",
               "their values take " + plural(registers, "register") +
                   " of a thread, and " +
                   plural(room, "is there", "are there") + " for them",
               "a loop of fewer iterations, or more `threads(...)`, takes "
               "fewer");
      return;
    }
    rewrite(loop, update, *reduction, combined);
    remarkAt(remarks, loop) << updatesOfOne
                            << " updates of one element are combined before "
                               "one of them is made; a `layout` on the loop "
                               "keeps them apart";
    ++combinedUpdates;
  }

  /// The dimensions of the loop that the updated element does not depend on.
  /// None where its indices cannot be computed once more behind the loop.
  static SmallVector<unsigned> dimsOfOneElement(ParallelOp loop,
                                                memref::AtomicRMWOp update) {
    SmallVector<unsigned> dims;
    ValueRange ivs = loop.getBodyRegion().getArguments();
    SmallVector<LoopIndex> forms;
    for (Value index : update.getIndices()) {
      forms.push_back(analyzeLoopIndex(index, ivs));
      if (forms.back().isIrregular)
        return {};
    }
    for (auto [dim, extent] : llvm::enumerate(loop.getExtents()))
      if (extent > 1 && llvm::none_of(forms, [&, d = dim](const LoopIndex &f) {
            return f.dependsOn(d);
          }))
        dims.push_back(dim);
    return dims;
  }

  void rewrite(ParallelOp loop, memref::AtomicRMWOp update,
               const Reduction &reduction, ArrayRef<unsigned> combined);
};
} // namespace

/// The atomic update that combines an element with `value` as `op` does.
static std::optional<arith::AtomicRMWKind> updateBy(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<arith::AtomicRMWKind>>(op)
      .Case([](arith::AddFOp) { return arith::AtomicRMWKind::addf; })
      .Case([](arith::AddIOp) { return arith::AtomicRMWKind::addi; })
      .Case([](arith::MaximumFOp) { return arith::AtomicRMWKind::maximumf; })
      .Case([](arith::MinimumFOp) { return arith::AtomicRMWKind::minimumf; })
      .Case([](arith::MaxNumFOp) { return arith::AtomicRMWKind::maxnumf; })
      .Case([](arith::MinNumFOp) { return arith::AtomicRMWKind::minnumf; })
      .Case([](arith::MaxSIOp) { return arith::AtomicRMWKind::maxs; })
      .Case([](arith::MinSIOp) { return arith::AtomicRMWKind::mins; })
      .Case([](arith::MaxUIOp) { return arith::AtomicRMWKind::maxu; })
      .Case([](arith::MinUIOp) { return arith::AtomicRMWKind::minu; })
      .Case([](arith::AndIOp) { return arith::AtomicRMWKind::andi; })
      .Case([](arith::OrIOp) { return arith::AtomicRMWKind::ori; })
      .Case([](arith::XOrIOp) { return arith::AtomicRMWKind::xori; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The load of the element that `store` changes, where `store` writes what an
/// operation makes of it and of another value, and nobody else has it; null
/// otherwise.
static memref::LoadOp loadOfUpdate(memref::StoreOp store) {
  Operation *combining = store.getValueToStore().getDefiningOp();
  if (!combining || combining->getNumOperands() != 2 ||
      combining->getBlock() != store->getBlock() ||
      !combining->getResult(0).hasOneUse() || !updateBy(combining))
    return {};
  for (Value operand : combining->getOperands()) {
    auto load = operand.getDefiningOp<memref::LoadOp>();
    if (load && load->getBlock() == store->getBlock() &&
        load.getMemRef() == store.getMemRef() && load->hasOneUse() &&
        llvm::equal(load.getIndices(), store.getIndices()))
      return load;
  }
  return {};
}

/// Whether what `store` writes is made of the same element's value before.
static bool dependsOnElement(memref::StoreOp store) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return store->getParentOfType<ParallelOp>()->isProperAncestor(op);
  };
  SetVector<Operation *> slice;
  (void)getBackwardSlice(store.getValueToStore(), &slice, options);
  return llvm::any_of(slice, [&](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return load && load.getMemRef() == store.getMemRef() &&
           llvm::equal(load.getIndices(), store.getIndices());
  });
}

/// Makes atomic updates of the loop's updates of elements that several of its
/// iterations name, unless they are one thread's as the program states layouts.
LogicalResult CombineUpdatesPass::formUpdates(ParallelOp loop,
                                              const TargetInfo &target) {
  LayoutConstraints constraints(target, getAgentThreads(loop));
  cast<TileOpInterface>(loop.getOperation()).getLayoutConstraints(constraints);
  if (!constraints.loopDemand)
    return success();
  for (const LoopAccess &access : constraints.loopDemand->accesses) {
    auto store = dyn_cast<memref::StoreOp>(access.operand->getOwner());
    if (!store || isGlobal(store.getMemRef()) || isLocal(store.getMemRef()) ||
        llvm::none_of(access.indices,
                      [](const LoopIndex &form) { return form.isIrregular; }))
      continue;
    if (!dependsOnElement(store) ||
        isHeldAsStated(*constraints.loopDemand, access))
      continue;
    std::optional<IterationValues> elements = IterationValues::compute(
        store.getIndices(), loop.getBodyRegion().getArguments(),
        loop.getExtents());
    if (!elements || !elements->hasRepeated())
      continue;
    memref::LoadOp load = loadOfUpdate(store);
    for (const LoopAccess &other : constraints.loopDemand->accesses)
      if (other.buffer() == store.getMemRef() &&
          other.operand->getOwner() != store &&
          other.operand->getOwner() != load)
        load = {};
    if (!load) {
      InFlightDiagnostic diag =
          store.emitOpError()
          << "expected each iteration to change an element of its own, got one "
             "element that several iterations read and write";
      diag.attachNote(loop.getLoc())
          << "in this loop; sums, extrema and bit operations of an element "
             "that nothing else in the loop uses become atomic updates, and "
             "layouts under which one thread executes the iterations of an "
             "element need none";
      return diag;
    }
    Operation *combining = store.getValueToStore().getDefiningOp();
    Value value =
        combining->getOperand(combining->getOperand(0) == load.getResult());
    OpBuilder builder(store);
    memref::AtomicRMWOp::create(builder, store.getLoc(), *updateBy(combining),
                                value, store.getMemRef(), store.getIndices());
    remarkAt(remarks, store)
        << "several iterations update one element: made an atomic update; "
           "layouts under which one thread executes them need none";
    store.erase();
    combining->erase();
    load.erase();
    // The accesses that were collected are not these any more.
    return formUpdates(loop, target);
  }
  return success();
}

/// What the indices of `update` are computed by, once more.
static void cloneIndices(ParallelOp loop, memref::AtomicRMWOp update,
                         OpBuilder &builder, IRMapping &map) {
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  options.inclusive = true;
  SetVector<Operation *> slice;
  for (Value index : update.getIndices())
    if (Operation *op = index.getDefiningOp(); op && options.filter(op))
      (void)getBackwardSlice(index, &slice, options);
  for (Operation *op : topologicalSort(slice))
    builder.clone(*op, map);
}

void CombineUpdatesPass::rewrite(ParallelOp loop, memref::AtomicRMWOp update,
                                 const Reduction &reduction,
                                 ArrayRef<unsigned> combined) {
  Location loc = update.getLoc();
  OpBuilder builder(loop);
  Type element = update.getValue().getType();
  auto allocate = [&](ArrayRef<int64_t> shape) -> Value {
    auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                                FragmentSpaceAttr::get(&getContext()));
    return AllocOp::create(builder, loc, type, Attribute());
  };
  SmallVector<int64_t> shape(loop.getExtents());
  Value values = allocate(shape);
  builder.setInsertionPoint(update);
  ValueRange ivs = loop.getBodyRegion().getArguments();
  memref::StoreOp::create(builder, loc, update.getValue(), values, ivs);

  // Dimensions go one after the other, the last first; one of extent one stays
  // where no other is left.
  builder.setInsertionPointAfter(loop);
  SmallVector<unsigned> left = llvm::to_vector(
      llvm::seq<unsigned>(0, static_cast<unsigned>(shape.size())));
  for (unsigned dim : llvm::reverse(combined)) {
    if (left.size() > 1) {
      shape.erase(shape.begin() + dim);
      left.erase(left.begin() + dim);
    } else {
      shape.front() = 1;
    }
    Value sums = allocate(shape);
    ReduceOp::create(builder, loc, reduction.kind, values, sums, dim,
                     /*accumulate=*/false, reduction.propagatesNan,
                     reduction.isUnsigned);
    values = sums;
  }

  ParallelOp::create(
      builder, loc, shape, [&](OpBuilder &body, Location at, ValueRange inner) {
        // The element depends on no other dimension than those that are left.
        IRMapping map;
        Value zero = arith::ConstantIndexOp::create(body, at, 0);
        for (Value iv : ivs)
          map.map(iv, zero);
        for (auto [dim, iv] : llvm::zip_equal(left, inner))
          map.map(ivs[dim], iv);
        cloneIndices(loop, update, body, map);
        SmallVector<Value> indices;
        for (Value index : update.getIndices())
          indices.push_back(map.lookupOrDefault(index));
        Value sum = memref::LoadOp::create(body, at, values, inner);
        memref::AtomicRMWOp::create(body, at, update.getKind(), sum,
                                    update.getMemref(), indices);
      });
  update.erase();
}
