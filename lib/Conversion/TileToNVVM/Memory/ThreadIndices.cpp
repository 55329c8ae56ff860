//===- ThreadIndices.cpp - affine indices of a thread ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadIndices.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/BoundedAffine.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

ThreadIndices::ThreadIndices(KernelLowering &lowering, ParallelOp loop,
                             const FragmentLayout &layout)
    : lowering(lowering), loop(loop) {
  bool isNeeded = false;
  loop.getBodyRegion().walk([&](affine::AffineApplyOp apply) {
    isNeeded |= hasQuotients(apply.getAffineMap().getResult(0));
  });
  if (!isNeeded)
    return;
  parts.resize(layout.rank());
  for (Axis axis : {Axis::Lane, Axis::Warp}) {
    Value index;
    for (auto [i, mode] : llvm::enumerate(layout.modes(axis)))
      if (!mode.isReplication() && mode.extent > 1 && mode.stride != 0) {
        Value digit = lowering.threadDigit(layout, axis, i, index);
        parts[mode.dim].push_back({digits.size(), mode.stride});
        digits.push_back(lowering.toIndex(digit));
        extents.push_back(mode.extent);
      }
  }
}

namespace {
/// An index of the loop as an expression of digits (dimensions) and of values
/// that are the same for all registers, or unknown (symbols).
struct Composer {
  ParallelOp loop;
  ArrayRef<SmallVector<std::pair<unsigned, int64_t>>> parts;
  ArrayRef<int64_t> constants;
  const IRMapping &map;
  SmallVector<Value> symbols;
  bool dependsOnThread = false;

  AffineExpr compose(affine::AffineApplyOp apply) {
    AffineMap map = apply.getAffineMap();
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(compose(operand));
    ArrayRef<AffineExpr> all = operands;
    return map.getResult(0).replaceDimsAndSymbols(
        all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  }

  AffineExpr compose(Value value) {
    MLIRContext *context = value.getContext();
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner()->getParentOp() == loop) {
      unsigned dim = argument.getArgNumber();
      AffineExpr expr = getAffineConstantExpr(constants[dim], context);
      for (auto [digit, stride] : parts[dim])
        expr = expr + getAffineDimExpr(digit, context) * stride;
      dependsOnThread = true;
      return expr;
    }
    auto inner = value.getDefiningOp<affine::AffineApplyOp>();
    if (inner && loop->isAncestor(inner))
      return compose(inner);
    value = map.lookupOrDefault(value);
    // The number of a written-out iteration of an inner loop.
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) &&
        constant.isSignedIntN(32))
      return getAffineConstantExpr(constant.getSExtValue(), context);
    auto *known = llvm::find(symbols, value);
    unsigned position = known - symbols.begin();
    if (known == symbols.end())
      symbols.push_back(value);
    return getAffineSymbolExpr(position, context);
  }
};
} // namespace

Value ThreadIndices::emit(affine::AffineApplyOp apply,
                          ArrayRef<int64_t> constants, const IRMapping &map) {
  if (parts.empty())
    return {};
  Composer composer{loop, parts, constants, map, {}};
  AffineExpr expr = composer.compose(apply);
  if (!composer.dependsOnThread || !hasQuotients(expr))
    return {};
  expr = simplifyBounded(expr, extents);
  auto &b = lowering.builder;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, apply.getLoc(),
                                          constant.getValue());
  // All operands are dimensions: values inside of loops are no symbols.
  SmallVector<AffineExpr> symbols;
  SmallVector<Value> operands(digits);
  for (Value symbol : composer.symbols) {
    symbols.push_back(b.getAffineDimExpr(operands.size()));
    operands.push_back(symbol);
  }
  expr = expr.replaceSymbols(symbols);
  return affine::AffineApplyOp::create(
      b, apply.getLoc(), AffineMap::get(operands.size(), 0, expr), operands);
}
