//===- ElementUpdate.cpp - an element changed by what it was --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Dialect/Tile/IR/ElementUpdate.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/OperationSupport.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

using Kind = arith::AtomicRMWKind;

/// The atomic update that combines an element with a value as `op` does; of a
/// difference, with the value's negative.
static std::optional<Kind> updateBy(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddFOp, arith::SubFOp>([](auto) { return Kind::addf; })
      .Case<arith::AddIOp, arith::SubIOp>([](auto) { return Kind::addi; })
      .Case([](arith::MaximumFOp) { return Kind::maximumf; })
      .Case([](arith::MinimumFOp) { return Kind::minimumf; })
      .Case([](arith::MaxNumFOp) { return Kind::maxnumf; })
      .Case([](arith::MinNumFOp) { return Kind::minnumf; })
      .Case([](arith::MaxSIOp) { return Kind::maxs; })
      .Case([](arith::MinSIOp) { return Kind::mins; })
      .Case([](arith::MaxUIOp) { return Kind::maxu; })
      .Case([](arith::MinUIOp) { return Kind::minu; })
      .Case([](arith::AndIOp) { return Kind::andi; })
      .Case([](arith::OrIOp) { return Kind::ori; })
      .Case([](arith::XOrIOp) { return Kind::xori; })
      .Default([](Operation *) { return std::nullopt; });
}

static bool isDifference(Operation *op) {
  return isa<arith::SubFOp, arith::SubIOp>(op);
}

/// Whether two values of a block are computed in the same way from the same
/// values: a front end that has run no CSE computes an index for the load, and
/// once more for the store.
static bool areComputedAlike(Value a, Value b, int depth = 0) {
  constexpr int kMaxDepth = 12;
  if (a == b)
    return true;
  if (depth == kMaxDepth)
    return false;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || first->getBlock() != second->getBlock() ||
      first->getNumRegions())
    return false;
  if (auto load = dyn_cast<memref::LoadOp>(first)) {
    if (second->isBeforeInBlock(first))
      std::swap(first, second);
    for (Operation *op = first; op != second; op = op->getNextNode())
      if (mayWrite(op, load.getMemRef()))
        return false;
  } else if (!isPure(first)) {
    return false;
  }
  return OperationEquivalence::isEquivalentTo(
      first, second,
      [&](Value x, Value y) {
        return success(areComputedAlike(x, y, depth + 1));
      },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

std::optional<ElementUpdate> tile::updateOf(memref::StoreOp store) {
  ElementUpdate update;
  update.store = store;
  Value value = store.getValueToStore();
  Operation *last = value.getDefiningOp();
  std::optional<Kind> kind =
      last ? updateBy(last) : std::optional<Kind>(std::nullopt);
  if (!kind)
    return std::nullopt;
  update.kind = *kind;
  auto isOld = [&](Value operand) {
    auto load = operand.getDefiningOp<memref::LoadOp>();
    return load && load->getBlock() == store->getBlock() &&
           load.getMemRef() == store.getMemRef() && load->hasOneUse() &&
           llvm::equal(load.getIndices(), store.getIndices(),
                       [](Value a, Value b) { return areComputedAlike(a, b); });
  };
  // From the store up, through operations of the same kind.
  while (true) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != store->getBlock() || !value.hasOneUse() ||
        updateBy(op) != kind)
      return std::nullopt;
    update.chain.insert(update.chain.begin(), op);
    SmallVector<Value, 2> operands(op->getOperands());
    if (isDifference(op))
      operands.pop_back();
    if (Value *old = llvm::find_if(operands, isOld); old != operands.end()) {
      update.load = old->getDefiningOp<memref::LoadOp>();
      return update;
    }
    Value *next = llvm::find_if(operands, [&](Value operand) {
      Operation *inner = operand.getDefiningOp();
      return inner && operand.hasOneUse() && updateBy(inner) == kind;
    });
    if (next == operands.end())
      return std::nullopt;
    value = *next;
  }
}

Value ElementUpdate::createOperand(OpBuilder &builder) const {
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPoint(store);
  memref::LoadOp first = load;
  Value result, before = first.getResult();
  for (Operation *op : chain) {
    Location loc = op->getLoc();
    Value other = op->getOperand(op->getOperand(0) == before ? 1 : 0);
    before = op->getResult(0);
    if (!result) {
      result = other;
      if (isa<arith::SubFOp>(op))
        result = arith::NegFOp::create(builder, loc, other);
      if (isa<arith::SubIOp>(op))
        result = arith::SubIOp::create(
            builder, loc,
            arith::ConstantOp::create(builder, loc,
                                      builder.getZeroAttr(other.getType())),
            other);
      continue;
    }
    Operation *combined = builder.clone(*op);
    combined->setOperands(ValueRange{result, other});
    result = combined->getResult(0);
  }
  return result;
}

bool tile::dependsOnElement(memref::StoreOp store) {
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
