//===- CombineUpdates.cpp - fewer atomic updates of one element -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. `acc[i] += x[i, j]` in a parallel loop over i and j is
// an atomic update for each i and j, and all of one i wait for each other. What
// the loop adds to one element is summed first, as `tile.reduce` does it: in a
// thread's registers, then in its warp. One update for each i is left. Updates
// written as loads and stores become atomic ones first (CommonElements.cpp).
//
// Where updates stand under conditions, the one that is left does, too: under
// the same ones where all updates of an element have them in common, else where
// any iteration has updated, which is combined like the sums.
//
//===----------------------------------------------------------------------===//
#include "CommonElements.h"
#include "Phases.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Analysis/LayoutAnalysis.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/ThreadBudget.h"

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
        if (failed(formUpdates(loop, *target, remarks)))
          return signalPassFailure();
        combine(loop, *target);
      }
    }
  }

private:
  void combine(ParallelOp loop, const TargetInfo &target) {
    SmallVector<memref::AtomicRMWOp> updates;
    loop.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // Of a loop inside, each round updates.
      if (isa<LoopLikeOpInterface>(op) && op != loop)
        return WalkResult::skip();
      if (auto update = dyn_cast<memref::AtomicRMWOp>(op))
        updates.push_back(update);
      return WalkResult::advance();
    });
    int64_t registers = 0;
    for (memref::AtomicRMWOp update : updates)
      combine(loop, update, target, registers);
  }
  void combine(ParallelOp loop, memref::AtomicRMWOp update,
               const TargetInfo &target, int64_t &registers);

  /// The dimensions of the loop that the updated element does not depend on.
  /// None where its indices cannot be computed once more behind the loop.
  static SmallVector<unsigned> dimsOfOneElement(ParallelOp loop,
                                                memref::AtomicRMWOp update) {
    ValueRange ivs = loop.getBodyRegion().getArguments();
    SmallVector<LoopIndex> forms;
    for (Value index : update.getIndices()) {
      forms.push_back(analyzeLoopIndex(index, ivs));
      if (forms.back().isIrregular)
        return {};
    }
    return dimsBesideElement(loop.getExtents(), forms);
  }

  void rewrite(ParallelOp loop, memref::AtomicRMWOp update,
               const Reduction &reduction, ArrayRef<unsigned> combined);
};
} // namespace

/// The operations of the loop that compute `values`.
static SetVector<Operation *> computedBy(ParallelOp loop, ValueRange values) {
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  options.inclusive = true;
  SetVector<Operation *> slice;
  for (Value value : values)
    if (Operation *op = value.getDefiningOp(); op && options.filter(op))
      (void)getBackwardSlice(value, &slice, options);
  return slice;
}

/// What `values` are computed by in the loop, once more.
static void cloneWithin(ParallelOp loop, ValueRange values, OpBuilder &builder,
                        IRMapping &map) {
  for (Operation *op : topologicalSort(computedBy(loop, values)))
    if (llvm::none_of(op->getResults(),
                      [&](Value result) { return map.contains(result); }))
      builder.clone(*op, map);
}

/// Conditions under which an iteration updates: values, and what they have to
/// be.
using Conditions = SmallVector<std::pair<Value, bool>>;

/// The conditions of the branches in which `update` stands, where each of them
/// is the same for all iterations that update one element, and can be computed
/// once more behind the loop.
static std::optional<Conditions>
conditionsBesideElement(ParallelOp loop, memref::AtomicRMWOp update,
                        ArrayRef<unsigned> combined) {
  Conditions found;
  Operation *inner = update;
  for (; inner->getParentOp() != loop; inner = inner->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(inner->getParentOp());
    if (!branch)
      return std::nullopt;
    Value condition = branch.getCondition();
    auto isCombined = [&](Value value) {
      auto iv = dyn_cast<BlockArgument>(value);
      return iv && iv.getOwner() == &loop.getBodyRegion().front() &&
             llvm::is_contained(combined, iv.getArgNumber());
    };
    if (isCombined(condition))
      return std::nullopt;
    for (Operation *op : computedBy(loop, condition))
      if (!isPure(op) || op->getNumRegions() ||
          llvm::any_of(op->getOperands(), isCombined))
        return std::nullopt;
    found.emplace_back(condition, branch.thenBlock() == inner->getBlock());
  }
  // The outermost first.
  std::reverse(found.begin(), found.end());
  return found;
}

/// Whether all iterations of the loop name an element that exists, for whatever
/// condition the update stands under.
static bool namesExisting(ParallelOp loop, memref::AtomicRMWOp update) {
  auto type = cast<MemRefType>(update.getMemref().getType());
  for (auto [dim, index] : llvm::enumerate(update.getIndices())) {
    LoopIndex form =
        analyzeLoopIndex(index, loop.getBodyRegion().getArguments());
    if (form.isIrregular || !form.uniforms.empty() || type.isDynamicDim(dim))
      return false;
    int64_t least = form.constant, most = form.constant;
    for (auto [factor, extent] :
         llvm::zip_equal(form.coefficients, loop.getExtents()))
      (factor < 0 ? least : most) += factor * (extent - 1);
    if (least < 0 || most >= type.getDimSize(dim))
      return false;
  }
  return true;
}

/// Whether an element to which only the identity was added is as it was: but
/// for numbers whose maximum with NaN is the number.
static bool keepsElement(memref::AtomicRMWOp update) {
  return update.getKind() != arith::AtomicRMWKind::maxnumf &&
         update.getKind() != arith::AtomicRMWKind::minnumf;
}

/// Whether it has to be known, besides the sum, that an iteration updated.
static bool countsUpdates(ParallelOp loop, memref::AtomicRMWOp update,
                          ArrayRef<unsigned> combined) {
  return !(namesExisting(loop, update) && keepsElement(update)) &&
         !conditionsBesideElement(loop, update, combined);
}

/// Whether something that an iteration does after `update` can tell that the
/// update has not been made yet: it accesses the buffer, or it takes part in an
/// order between threads. An update of the same kind that uses no result
/// cannot.
static bool isSeenInIteration(ParallelOp loop, memref::AtomicRMWOp update) {
  auto isEarlier = [&](Operation *op) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*update);
    return ancestor && op->isBeforeInBlock(ancestor);
  };
  return loop
      .walk([&](Operation *op) {
        Value buffer;
        if (auto load = dyn_cast<memref::LoadOp>(op))
          buffer = isEarlier(op) ? Value() : load.getMemRef();
        else if (auto store = dyn_cast<memref::StoreOp>(op))
          buffer = store.getMemRef();
        else if (auto other = dyn_cast<memref::AtomicRMWOp>(op))
          buffer = other == update || (other.getKind() == update.getKind() &&
                                       other.getResult().use_empty())
                       ? Value()
                       : other.getMemref();
        else if (isa<TileElementOpInterface>(op))
          return WalkResult::interrupt();
        return buffer && mayAlias(buffer, update.getMemref())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Sums `update` up first; `registers` counts what a thread has for the values
/// of the loop's updates.
void CombineUpdatesPass::combine(ParallelOp loop, memref::AtomicRMWOp update,
                                 const TargetInfo &target, int64_t &registers) {
  // A stated layout says which thread updates what, and results are what an
  // element held between two updates.
  if (loop.getLayout() || !update.getResult().use_empty() ||
      isSeenInIteration(loop, update))
    return;
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
  registers += llvm::divideCeil(computeProduct(loop.getExtents()), threads) *
               (words + countsUpdates(loop, update, combined));
  int64_t room = ThreadBudget(target).launched(threads) / 2;
  if (registers > room) {
    missedAt(remarks, update,
             Twine(updatesOfOne) +
                 " updates of one element are not combined first",
             "their values take " + plural(registers, "register") +
                 " of a thread, and " + plural(room, "is there", "are there") +
                 " for them",
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

/// Whether the indices of `update` are loop indices of their own, or constants:
/// no two combinations of those that they use name one element.
static bool namesDistinctElements(ParallelOp loop, memref::AtomicRMWOp update) {
  llvm::SmallDenseSet<unsigned> used;
  for (Value index : update.getIndices()) {
    LoopIndex form =
        analyzeLoopIndex(index, loop.getBodyRegion().getArguments());
    if (form.isIrregular)
      return false;
    std::optional<unsigned> own;
    for (auto [dim, factor] : llvm::enumerate(form.coefficients)) {
      if (factor == 0)
        continue;
      if (own || !used.insert(dim).second)
        return false;
      own = dim;
    }
  }
  return true;
}

void CombineUpdatesPass::rewrite(ParallelOp loop, memref::AtomicRMWOp update,
                                 const Reduction &reduction,
                                 ArrayRef<unsigned> combined) {
  Location loc = update.getLoc();
  OpBuilder builder(loop);
  Type element = update.getValue().getType();
  auto allocate = [&](ArrayRef<int64_t> shape, Type element) -> Value {
    auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                                FragmentSpaceAttr::get(&getContext()));
    return AllocOp::create(builder, loc, type, Attribute());
  };
  SmallVector<int64_t> shape(loop.getExtents());
  Value values = allocate(shape, element);
  ValueRange ivs = loop.getBodyRegion().getArguments();
  std::optional<Conditions> conditions =
      conditionsBesideElement(loop, update, combined);
  Value updates; // 1 where an iteration updates; null: `conditions` say it
  Type flag = builder.getI32Type();
  auto number = [&](OpBuilder &at, int64_t value) -> Value {
    return arith::ConstantOp::create(at, loc, at.getIntegerAttr(flag, value));
  };
  if (countsUpdates(loop, update, combined))
    updates = allocate(shape, flag);
  if (update->getParentOp() != loop) {
    // Iterations that update nothing leave the element as it is.
    builder.setInsertionPointToStart(&loop.getBodyRegion().front());
    memref::StoreOp::create(
        builder, loc,
        arith::getIdentityValue(update.getKind(), element, builder, loc),
        values, ivs);
    if (updates)
      memref::StoreOp::create(builder, loc, number(builder, 0), updates, ivs);
  }
  builder.setInsertionPoint(update);
  memref::StoreOp::create(builder, loc, update.getValue(), values, ivs);
  if (updates)
    memref::StoreOp::create(builder, loc, number(builder, 1), updates, ivs);

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
    auto reduce = [&](Value &parts, Type type, const Reduction &how) {
      Value all = allocate(shape, type);
      ReduceOp::create(builder, loc, how.kind, parts, all, dim,
                       /*accumulate=*/false, how.propagatesNan, how.isUnsigned);
      parts = all;
    };
    reduce(values, element, reduction);
    if (updates)
      reduce(updates, flag, Reduction{ReduceKind::BitOr});
  }

  bool isOwn =
      isFragment(update.getMemref()) && namesDistinctElements(loop, update);
  ParallelOp::create(
      builder, loc, shape, [&](OpBuilder &body, Location at, ValueRange inner) {
        // The element depends on no other dimension than those that are left.
        IRMapping map;
        Value zero = arith::ConstantIndexOp::create(body, at, 0);
        for (Value iv : ivs)
          map.map(iv, zero);
        for (auto [dim, iv] : llvm::zip_equal(left, inner))
          map.map(ivs[dim], iv);
        // Nothing is updated, or accessed, where no iteration would do it.
        OpBuilder::InsertionGuard guard(body);
        auto under = [&](Value condition) {
          auto branch =
              scf::IfOp::create(body, at, condition, /*withElse=*/false);
          body.setInsertionPointToStart(branch.thenBlock());
        };
        if (updates)
          under(arith::CmpIOp::create(
              body, at, arith::CmpIPredicate::ne,
              memref::LoadOp::create(body, at, updates, inner),
              number(body, 0)));
        for (const auto &[condition, holds] :
             conditions.value_or(Conditions())) {
          cloneWithin(loop, condition, body, map);
          Value value = map.lookupOrDefault(condition);
          if (!holds)
            value = arith::XOrIOp::create(
                body, at, value,
                arith::ConstantIntOp::create(body, at, body.getI1Type(), 1));
          under(value);
        }
        cloneWithin(loop, update.getIndices(), body, map);
        SmallVector<Value> indices;
        for (Value index : update.getIndices())
          indices.push_back(map.lookupOrDefault(index));
        Value sum = memref::LoadOp::create(body, at, values, inner);
        if (!isOwn) {
          memref::AtomicRMWOp::create(body, at, update.getKind(), sum,
                                      update.getMemref(), indices);
          return;
        }
        Value old =
            memref::LoadOp::create(body, at, update.getMemref(), indices);
        Value both =
            arith::getReductionOp(update.getKind(), body, at, old, sum);
        memref::StoreOp::create(body, at, both, update.getMemref(), indices);
      });
  update.erase();
}
