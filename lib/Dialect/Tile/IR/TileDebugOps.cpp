//===- TileDebugOps.cpp - print, assert, assume ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "TileRegions.h"
#include "TileTunables.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

LogicalResult PrintOp::verify() {
  Type type = getValue().getType();
  auto memref = dyn_cast<MemRefType>(type);
  bool isTile = memref && (memref.hasStaticShape() || isOpenTile(getValue())) &&
                (isShared(getValue()) || isFragment(getValue())) &&
                isStorageType(memref.getElementType());
  if (!isTile && (memref || !isStorageType(type)))
    return emitOpError()
           << "[print-1] expected a scalar or a shared or fragment "
              "buffer, got "
           << type;
  return success();
}

void PrintOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  if (isa<MemRefType>(getValue().getType()))
    accesses.push_back({getValue(), {}, {}, false, false});
}

void PrintOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
  effects.emplace_back(MemoryEffects::Write::get()); // keeps prints in order
}

void AssertOp::getEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Write::get(),
                       ProgramOrderResource::get());
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// The first of two values that are equal stands for both behind the promise.
static LogicalResult useOneOf(AssumeOp op, PatternRewriter &rewriter) {
  Value value = op.getValue(), same = op.getEquals();
  bool changed = false;
  rewriter.replaceUsesWithIf(same, value, [&](OpOperand &use) {
    Operation *user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
    bool isBehind = user && op->isBeforeInBlock(user);
    changed |= isBehind;
    return isBehind;
  });
  return success(changed);
}

LogicalResult AssumeOp::canonicalize(AssumeOp op, PatternRewriter &rewriter) {
  APInt constant, other;
  if (op.getEquals()) {
    bool isKept = op.getEquals() == op.getValue() ||
                  (matchPattern(op.getValue(), m_ConstantInt(&constant)) &&
                   matchPattern(op.getEquals(), m_ConstantInt(&other)) &&
                   constant == other);
    if (!isKept)
      return useOneOf(op, rewriter);
    if (!op.getMin() && !op.getMax() && !op.getDivisibleBy())
      rewriter.eraseOp(op);
    else
      rewriter.modifyOpInPlace(op, [&] { op.getEqualsMutable().clear(); });
    return success();
  }
  if (!matchPattern(op.getValue(), m_ConstantInt(&constant)))
    return failure();
  int64_t value = constant.getSExtValue();
  bool kept = (!op.getMin() || value >= static_cast<int64_t>(*op.getMin())) &&
              (!op.getMax() || value <= static_cast<int64_t>(*op.getMax())) &&
              (!op.getDivisibleBy() ||
               value % static_cast<int64_t>(*op.getDivisibleBy()) == 0);
  if (!kept)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AssumeOp::verify() {
  if (!getDivisibleBy() && !getMin() && !getMax() && !getEquals())
    return emitOpError() << "[assume-1] expected one of `equals`, "
                            "`divisible_by`, `min` and `max`";
  if (getEquals() && !getValue().getType().isIndex())
    return emitOpError() << "[assume-3] expected an index that equals another, "
                            "got "
                         << getValue().getType();
  if (getDivisibleBy() && static_cast<int64_t>(*getDivisibleBy()) < 1)
    return emitOpError()
           << "[assume-2] expected a positive `divisible_by`, got "
           << static_cast<int64_t>(*getDivisibleBy());
  if (getMin() && getMax() &&
      static_cast<int64_t>(*getMin()) > static_cast<int64_t>(*getMax()))
    return emitOpError() << "[assume-2] expected min <= max, got "
                         << static_cast<int64_t>(*getMin()) << " and "
                         << static_cast<int64_t>(*getMax());
  return success();
}

void AssumeOp::getEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Write::get(),
                       ProgramOrderResource::get());
}

LogicalResult AssumeRowsOp::verify() {
  if (static_cast<int64_t>(getRows()) < 1)
    return emitOpError() << "[assume-rows-1] expected at least one row, got "
                         << static_cast<int64_t>(getRows());
  return success();
}

void AssumeRowsOp::getEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Write::get(),
                       ProgramOrderResource::get());
}
