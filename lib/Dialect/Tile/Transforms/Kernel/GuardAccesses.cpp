//===- GuardAccesses.cpp - no element outside of a tile -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts, and in front of the lowering for the CPU, so that both
// mean the same. A tile in shared memory lies between others: an index outside
// of it would read what belongs to somebody else, or overwrite it. Where the
// program does not show that an index is inside (IndexOrder.h), the access gets
// a condition: what lies outside reads as zero and is not written, as it is in
// global memory under the guards of a front end. A constant index outside is an
// error, unless it stands in a branch, which may never be taken. Copies and
// views at an offset that the program computes are not looked at.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/IndexOrder.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/ElementUpdate.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_GUARDACCESSESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// An access to one element; null where an operation makes none.
struct ElementAccess {
  Value buffer;
  ValueRange indices;
};

struct GuardAccessesPass
    : tile::impl::GuardAccessesPassBase<GuardAccessesPass> {
  using GuardAccessesPassBase::GuardAccessesPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      IndexOrder order(kernel);
      SmallVector<Operation *> accesses;
      kernel.walk([&](Operation *op) {
        if (isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp,
                TileElementOpInterface>(op))
          accesses.push_back(op);
      });
      findUpdates(accesses);
      for (Operation *op : accesses)
        if (failed(guard(op, order)))
          return signalPassFailure();
    }
  }

private:
  LogicalResult guard(Operation *op, const IndexOrder &order);
  void findUpdates(ArrayRef<Operation *> accesses);

  /// Updates of an element, by what loads it; what stores them.
  llvm::DenseMap<Operation *, ElementUpdate> updates;
  llvm::DenseSet<Operation *> ofUpdates;
};
} // namespace

/// Loads and stores that are an update of one element have one condition, under
/// which they stay an update.
void GuardAccessesPass::findUpdates(ArrayRef<Operation *> accesses) {
  updates.clear();
  ofUpdates.clear();
  for (Operation *op : accesses) {
    auto store = dyn_cast<memref::StoreOp>(op);
    std::optional<ElementUpdate> update =
        store ? updateOf(store) : std::nullopt;
    if (!update)
      continue;
    bool isBetween = false;
    for (Operation *between = update->load->getNextNode(); between != op;
         between = between->getNextNode())
      isBetween |= mayWrite(between, store.getMemRef());
    if (isBetween)
      continue;
    updates.insert({update->load, *update});
    ofUpdates.insert(store);
  }
}

static ElementAccess accessOf(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return {load.getMemRef(), load.getIndices()};
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return {store.getMemRef(), store.getIndices()};
  if (auto element = dyn_cast<TileElementOpInterface>(op))
    return {element.getMemref(), element.getIndices()};
  auto rmw = cast<memref::AtomicRMWOp>(op);
  return {rmw.getMemref(), rmw.getIndices()};
}

/// All bits zero, which e8m0 has no zero for.
static Value zeroOf(OpBuilder &builder, Location loc, Type type) {
  auto number = dyn_cast<FloatType>(type);
  if (!number)
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Type bits = builder.getIntegerType(number.getWidth());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(bits));
  return builder.createOrFold<arith::BitcastOp>(loc, type, zero);
}

/// Puts `op` under `condition`; what it gives is zero elsewhere.
static void putUnder(Operation *op, Value condition) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  bool isUsed = op->getNumResults() && !op->use_empty();
  auto branch = scf::IfOp::create(
      builder, loc, isUsed ? TypeRange(op->getResultTypes()) : TypeRange(),
      condition,
      /*withElseRegion=*/isUsed);
  if (isUsed)
    op->getResult(0).replaceAllUsesWith(branch.getResult(0));
  if (!isUsed) {
    op->moveBefore(branch.thenBlock()->getTerminator());
    return;
  }
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, op->getResult(0));
  builder.setInsertionPointToEnd(branch.elseBlock());
  Value zero = zeroOf(builder, loc, op->getResult(0).getType());
  scf::YieldOp::create(builder, loc, zero);
}

/// The same of an update as a whole, where its store stands.
static void putUnder(const ElementUpdate &update, Value condition) {
  memref::StoreOp store = update.store;
  OpBuilder builder(store);
  auto branch = scf::IfOp::create(builder, store.getLoc(), condition,
                                  /*withElseRegion=*/false);
  Operation *end = branch.thenBlock()->getTerminator();
  memref::LoadOp load = update.load;
  load->moveBefore(end);
  for (Operation *op : update.chain)
    op->moveBefore(end);
  store->moveBefore(end);
}

LogicalResult GuardAccessesPass::guard(Operation *op, const IndexOrder &order) {
  // What loads the element has been guarded, and this with it.
  if (ofUpdates.contains(op))
    return success();
  ElementAccess access = accessOf(op);
  auto type = cast<MemRefType>(access.buffer.getType());
  // Fragments are indexed by what their loops' extents bound, so that only
  // constants can be outside.
  if (!isShared(access.buffer) && !isFragment(access.buffer))
    return success();
  Value condition;
  std::string text;
  for (auto [d, index] : llvm::enumerate(access.indices)) {
    if (type.isDynamicDim(d))
      continue;
    int64_t extent = type.getDimSize(d);
    std::optional<int64_t> number = getConstantIntValue(index);
    bool isOutside = number && (*number < 0 || *number >= extent);
    // A branch that is never taken may name what does not exist.
    if (isOutside && !op->getParentOfType<scf::IfOp>())
      return op->emitOpError()
             << "expected index " << d << " of a tile to be in [0, " << extent
             << "), got " << *number;
    if (number && !isOutside)
      continue;
    if (!isOutside && (!isShared(access.buffer) || !guards ||
                       order.isInside(index, extent, op)))
      continue;
    OpBuilder builder(op);
    Value end = arith::ConstantIndexOp::create(builder, op->getLoc(), extent);
    Value inside = arith::CmpIOp::create(builder, op->getLoc(),
                                         arith::CmpIPredicate::ult, index, end);
    condition = condition ? arith::AndIOp::create(builder, op->getLoc(),
                                                  condition, inside)
                                .getResult()
                          : inside;
    text += (text.empty() ? "index " : " and ") + std::to_string(d) +
            " is not known to be below " + std::to_string(extent);
  }
  if (!condition)
    return success();
  remarkAt(remarks, op) << "guarded: " << text
                        << "; what lies outside of the tile reads as zero and "
                           "is not written. `tile.assume` can promise the "
                           "bound";
  if (auto update = updates.find(op); update != updates.end())
    putUnder(update->second, condition);
  else
    putUnder(op, condition);
  ++guardedAccesses;
  return success();
}
