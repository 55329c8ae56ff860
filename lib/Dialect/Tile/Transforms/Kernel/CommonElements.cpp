//===- CommonElements.cpp - elements of several iterations ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several iterations of a parallel loop name one element where its indices
// leave out an index of the loop (`acc[i]` in a loop over i and j), have
// quotients (`m[i / 32]`), are sums of the loop's (`acc[i + j]`), come from
// memory (`count[x[i]]`) or meet those of another update of the iteration.
// Threads deal iterations out among them, and several hold the element. Sums, extrema and bit operations become atomic updates,
// which the pass combines. Where a loop reads the element in another way, one
// thread gets all of its iterations.
//
//===----------------------------------------------------------------------===//
#include "CommonElements.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/IterationValues.h"
#include "tile/Analysis/LayoutAnalysis.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/ElementUpdate.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

SmallVector<unsigned> tile::dimsBesideElement(ArrayRef<int64_t> extents,
                                              ArrayRef<LoopIndex> indices) {
  SmallVector<unsigned> dims;
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (extent > 1 && llvm::none_of(indices, [&, d = dim](const LoopIndex &f) {
          return f.dependsOn(d);
        }))
      dims.push_back(dim);
  return dims;
}

/// The layout of a loop in which a thread has all iterations along `beside`,
/// the last dimension fastest; threads deal out the other dimensions.
static FragmentLayout inOrder(ArrayRef<int64_t> extents,
                              ArrayRef<unsigned> beside, int64_t threads) {
  if (beside.size() == extents.size())
    return FragmentLayout::replicated(extents, threads);
  SmallVector<int64_t> shape(extents);
  for (unsigned dim : llvm::reverse(beside))
    shape.erase(shape.begin() + dim);
  SmallVector<unsigned> lastFirst = llvm::to_vector(
      llvm::reverse(llvm::seq<unsigned>(0, unsigned(shape.size()))));
  FragmentLayout layout =
      FragmentLayout::blocked(shape, threads, /*vector=*/1, lastFirst);
  // Those of `beside` that come before are not in the layout yet.
  for (unsigned i = beside.size(); i-- > 0;)
    layout = layout.expanded(beside[i] - i, extents[beside[i]]);
  return layout;
}

/// Whether an operation of the loop other than `store` and `load` accesses the
/// buffer that `store` writes; with `isRead`, whether one reads it.
static bool hasOtherAccesses(const LoopDemand &demand, memref::StoreOp store,
                             memref::LoadOp load, bool isRead = false) {
  return llvm::any_of(demand.accesses, [&](const LoopAccess &other) {
    return other.buffer() == store.getMemRef() &&
           other.operand->getOwner() != store &&
           other.operand->getOwner() != load && (!isRead || other.isRead);
  });
}

static void makeAtomic(const ElementUpdate &update) {
  memref::StoreOp store = update.store;
  OpBuilder builder(store);
  memref::AtomicRMWOp::create(builder, store.getLoc(), update.kind,
                              update.createOperand(builder), store.getMemRef(),
                              store.getIndices());
  store.erase();
  for (Operation *op : llvm::reverse(update.chain))
    op->erase();
  memref::LoadOp load = update.load;
  load.erase();
}

namespace {
/// Changes the iterations of one loop.
class CommonElements {
public:
  CommonElements(ParallelOp loop, const TargetInfo &target, bool remarks)
      : loop(loop), target(target), remarks(remarks) {}

  LogicalResult run();

private:
  /// Whether they changed the loop.
  FailureOr<bool> formBeside(const LoopDemand &demand, const LoopAccess &access,
                             memref::StoreOp store);
  FailureOr<bool> formIrregular(const LoopDemand &demand,
                                const LoopAccess &access,
                                memref::StoreOp store);
  bool formPairs(const LoopDemand &demand);
  bool putInOrder(const LoopDemand &demand);

  ParallelOp loop;
  const TargetInfo &target;
  bool remarks;
};
} // namespace

LogicalResult CommonElements::run() {
  LayoutConstraints constraints(target, getAgentThreads(loop));
  cast<TileOpInterface>(loop.getOperation()).getLayoutConstraints(constraints);
  if (!constraints.loopDemand)
    return success();
  const LoopDemand &demand = *constraints.loopDemand;
  if (formPairs(demand))
    return run();
  for (const LoopAccess &access : demand.accesses) {
    auto store = dyn_cast<memref::StoreOp>(access.operand->getOwner());
    if (!store || isLocal(store.getMemRef()))
      continue;
    bool hasAllIndices =
        dimsBesideElement(loop.getExtents(), access.indices).empty();
    FailureOr<bool> changed = hasAllIndices
                                  ? formIrregular(demand, access, store)
                                  : formBeside(demand, access, store);
    if (failed(changed))
      return failure();
    // The accesses that were collected are not these any more.
    if (*changed)
      return run();
  }
  return success();
}

/// Whether `condition` holds for one value of `iv` at most: the index is
/// compared with what does not change with the loop's indices of `beside`.
static bool picksOne(Value condition, Value iv, ValueRange beside) {
  Operation *op = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
    return picksOne(both.getLhs(), iv, beside) ||
           picksOne(both.getRhs(), iv, beside);
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  auto isIndex = [&](Value value) {
    while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
      value = cast.getIn();
    return value == iv;
  };
  auto isSteady = [&](Value value) {
    if (llvm::is_contained(beside, value))
      return false;
    Operation *definition = value.getDefiningOp();
    if (!definition)
      return true;
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    Operation *loop = iv.getParentBlock()->getParentOp();
    options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
    if (failed(getBackwardSlice(definition, &slice, options)))
      return false;
    return llvm::none_of(slice, [&](Operation *inner) {
      return llvm::any_of(inner->getOperands(), [&](Value operand) {
        return llvm::is_contained(beside, operand);
      });
    });
  };
  return (isIndex(compare.getLhs()) && isSteady(compare.getRhs())) ||
         (isIndex(compare.getRhs()) && isSteady(compare.getLhs()));
}

/// Whether of the iterations that name the element that `store` writes, which
/// differ in the indices `dims`, one at most comes to it.
static bool isPicked(ParallelOp loop, memref::StoreOp store,
                     ArrayRef<unsigned> dims) {
  SmallVector<Value> beside = llvm::map_to_vector(dims, [&](unsigned dim) {
    return Value(loop.getBodyRegion().getArgument(dim));
  });
  return llvm::all_of(beside, [&](Value iv) {
    for (Operation *op = store; op->getParentOp() != loop;
         op = op->getParentOp())
      if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
          branch && branch.getThenRegion().isAncestor(op->getParentRegion()) &&
          picksOne(branch.getCondition(), iv, beside))
        return true;
    return false;
  });
}

/// Whether the iterations are the threads of a program that says what each of
/// them does.
static bool isOverThreads(ParallelOp loop) {
  return loop.getExtents().size() == 1 && loop.getCoalescedWidth() == 1 &&
         loop.getExtents().front() == getAgentThreads(loop);
}

/// Whether the indices name another element in each iteration whatever the run
/// brings: each index of the loop that has several values is a part of an index
/// of the element that has no other part that changes.
static bool nameEachOnce(ArrayRef<int64_t> extents,
                         ArrayRef<LoopIndex> indices) {
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (extent > 1 && llvm::none_of(indices, [&, d = dim](const LoopIndex &f) {
          if (f.isIrregular || f.coefficients[d] == 0)
            return false;
          for (auto [other, coefficient] : llvm::enumerate(f.coefficients))
            if (other != d && coefficient != 0 && extents[other] > 1)
              return false;
          return true;
        }))
      return false;
  return true;
}

/// An element whose indices leave out loop indices: `acc[i]` in a loop over i
/// and j. Where the loop does not read it a condition picks the iteration that
/// writes.
FailureOr<bool> CommonElements::formBeside(const LoopDemand &demand,
                                           const LoopAccess &access,
                                           memref::StoreOp store) {
  bool isRead = dependsOnElement(store) ||
                hasOtherAccesses(demand, store, {}, /*isRead=*/true);
  if (isPicked(loop, store,
               dimsBesideElement(loop.getExtents(), access.indices)) ||
      (access.isConditional() && isOverThreads(loop) &&
       !isFragment(store.getMemRef())))
    return false;
  if (!isRead || isHeldAsStated(demand, access) ||
      getOwnedAccess(demand, access))
    return false;
  std::optional<ElementUpdate> update = updateOf(store);
  // Of fewer bits they round in order, which one thread can keep where no other
  // index names the element, too.
  SmallVector<int64_t> others(loop.getExtents());
  for (unsigned dim : dimsBesideElement(loop.getExtents(), access.indices))
    others[dim] = 1;
  bool isInOrder = getStorageBits(store.getValueToStore().getType()) < 32 &&
                   nameEachOnce(others, access.indices);
  if (update && !hasOtherAccesses(demand, store, update->load) && !isInOrder &&
      !loop.getLayout()) {
    makeAtomic(*update);
    return true;
  }
  if (!loop.getLayout())
    return putInOrder(demand);
  InFlightDiagnostic diag =
      store.emitOpError()
      << "expected a layout of the loop in which one thread has all iterations "
         "of an element that they read and write, got threads that have "
         "different parts of index "
      << dimsBesideElement(loop.getExtents(), access.indices).front();
  diag.attachNote(loop.getLoc()) << "in this loop; without a `layout` the "
                                    "compiler states such a one";
  return diag;
}

/// Gives all iterations of an element that the loop reads and writes to one
/// thread.
bool CommonElements::putInOrder(const LoopDemand &demand) {
  llvm::SmallSetVector<unsigned, 4> dims;
  for (const LoopAccess &access : demand.accesses) {
    auto store = dyn_cast<memref::StoreOp>(access.operand->getOwner());
    if (store && !isLocal(store.getMemRef()) &&
        !isPicked(loop, store,
                  dimsBesideElement(loop.getExtents(), access.indices)) &&
        (dependsOnElement(store) ||
         hasOtherAccesses(demand, store, {}, /*isRead=*/true)))
      dims.insert_range(dimsBesideElement(loop.getExtents(), access.indices));
  }
  SmallVector<unsigned> beside = llvm::to_vector(dims);
  llvm::sort(beside);
  loop.setLayoutAttr(FragmentLayoutAttr::get(
      loop.getContext(),
      inOrder(loop.getExtents(), beside, getAgentThreads(loop))));
  remarkAt(remarks, loop)
      << "one thread has all iterations of an element, in the order of their "
         "indices: they read and write it; sums, extrema and bit operations "
         "that nothing else in the loop reads are combined among threads";
  return true;
}

/// Whether an index is an element of memory that changes with the loop, or is
/// computed from one.
static bool hasIndexFromMemory(ParallelOp loop, memref::StoreOp store) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  SetVector<Operation *> slice;
  for (Value index : store.getIndices())
    if (Operation *op = index.getDefiningOp(); op && options.filter(op))
      if (failed(getBackwardSlice(op, &slice, options)))
        return false;
  return llvm::any_of(slice, [](Operation *op) {
    return isa<memref::LoadOp>(op) && !isMemoryEffectFree(op);
  });
}

/// An element that several iterations name though its indices leave out none of
/// the loop's: they have quotients or remainders (`m[i / 32]`), are sums of the
/// loop's (`acc[i + j]`), or come from memory (`count[x[i]]`).
FailureOr<bool> CommonElements::formIrregular(const LoopDemand &demand,
                                              const LoopAccess &access,
                                              memref::StoreOp store) {
  if (nameEachOnce(loop.getExtents(), access.indices) ||
      !dependsOnElement(store) || isHeldAsStated(demand, access))
    return false;
  std::optional<ElementUpdate> update = updateOf(store);
  std::optional<IterationValues> elements = IterationValues::compute(
      store.getIndices(), loop.getBodyRegion().getArguments(),
      loop.getExtents());
  if (!elements) {
    // Nobody knows whether two iterations name one element. A program that says
    // what each thread does may see to it by a condition.
    if (!update || hasOtherAccesses(demand, store, update->load) ||
        !hasIndexFromMemory(loop, store) ||
        (access.isConditional() && isOverThreads(loop)))
      return false;
    remarkAt(remarks, store)
        << "several iterations may update one element, whose index comes from "
           "memory: made an atomic update";
    makeAtomic(*update);
    return true;
  }
  if (!elements->hasRepeated())
    return false;
  // A condition may pick one of the iterations.
  if (isGlobal(store.getMemRef()) && !update)
    return false;
  if (!update || hasOtherAccesses(demand, store, update->load)) {
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
  remarkAt(remarks, store)
      << "several iterations update one element: made an atomic update; "
         "layouts under which one thread executes them need none";
  makeAtomic(*update);
  return true;
}

/// Whether two accesses of a buffer name different elements whatever their
/// iterations: one of their indices takes numbers apart from those of the
/// other's, or with another remainder.
static bool areApart(ArrayRef<int64_t> extents, const LoopAccess &a,
                     const LoopAccess &b) {
  for (auto [x, y] : llvm::zip_equal(a.indices, b.indices)) {
    if (x.isIrregular || y.isIrregular || x.uniforms != y.uniforms)
      continue;
    int64_t divisor = 0;
    auto rangeOf = [&](const LoopIndex &index) {
      std::pair<int64_t, int64_t> range = {index.constant, index.constant};
      for (auto [coefficient, extent] :
           llvm::zip_equal(index.coefficients, extents)) {
        if (extent == 1)
          continue;
        divisor = std::gcd(divisor, coefficient);
        (coefficient < 0 ? range.first : range.second) +=
            coefficient * (extent - 1);
      }
      return range;
    };
    auto first = rangeOf(x), second = rangeOf(y);
    if (first.second < second.first || second.second < first.first ||
        (divisor != 0 && (x.constant - y.constant) % divisor != 0))
      return true;
  }
  return false;
}

/// Whether they name the same element in each iteration.
static bool areSame(const LoopAccess &a, const LoopAccess &b) {
  return llvm::all_of(llvm::zip_equal(a.indices, b.indices), [](auto pair) {
    auto &[x, y] = pair;
    return !x.isIrregular && !y.isIrregular && x.constant == y.constant &&
           x.coefficients == y.coefficients && x.uniforms == y.uniforms;
  });
}

/// Two updates in an iteration, of elements that another iteration updates by
/// the other one (`s[i] += x; s[i + 1] += x`): whether they became atomic.
bool CommonElements::formPairs(const LoopDemand &demand) {
  if (loop.getLayout() || isOverThreads(loop))
    return false;
  for (const LoopAccess &access : demand.accesses) {
    auto store = dyn_cast<memref::StoreOp>(access.operand->getOwner());
    if (!store || isLocal(store.getMemRef()) || !dependsOnElement(store) ||
        isHeldAsStated(demand, access))
      continue;
    SmallVector<ElementUpdate> updates;
    bool arePairs = false, areUpdates = true;
    for (const LoopAccess &other : demand.accesses) {
      if (other.buffer() != access.buffer() || !other.isWrite)
        continue;
      auto otherStore = dyn_cast<memref::StoreOp>(other.operand->getOwner());
      std::optional<ElementUpdate> update =
          otherStore ? updateOf(otherStore) : std::nullopt;
      areUpdates &=
          update && (updates.empty() || update->kind == updates.front().kind);
      if (update)
        updates.push_back(*update);
      arePairs |= other.operand != access.operand && !areSame(access, other) &&
                  !areApart(loop.getExtents(), access, other);
    }
    // Loads other than those of the updates see what was there in between.
    auto reads = llvm::count_if(demand.accesses, [&](const LoopAccess &other) {
      return other.buffer() == access.buffer() && other.isRead;
    });
    if (!arePairs || !areUpdates || reads != int64_t(updates.size()))
      continue;
    remarkAt(remarks, store)
        << "several iterations update one element by different indices: made "
           "atomic updates";
    for (const ElementUpdate &update : updates)
      makeAtomic(update);
    return true;
  }
  return false;
}

LogicalResult tile::formUpdates(ParallelOp loop, const TargetInfo &target,
                                bool remarks) {
  return CommonElements(loop, target, remarks).run();
}
