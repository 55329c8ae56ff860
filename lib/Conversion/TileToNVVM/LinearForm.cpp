//===- LinearForm.cpp - indices as sums of a parallel loop's own ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "LinearForm.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/Divisibility.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

int64_t LinearForm::evaluate(ArrayRef<int64_t> indices) const {
  int64_t value = constant;
  for (auto [coefficient, index] : llvm::zip(coefficients, indices))
    value += coefficient * index;
  return value;
}

int64_t LinearForm::restDivisor() const {
  int64_t divisor = 0;
  for (Value value : rest)
    divisor = std::gcd(divisor, knownDivisor(value));
  return divisor == 0 ? int64_t(1) << 31 : divisor;
}

static LinearForm sum(LinearForm a, const LinearForm &b, int64_t sign) {
  for (auto [x, y] : llvm::zip(a.coefficients, b.coefficients))
    x += sign * y;
  a.constant += sign * b.constant;
  a.rest.append(b.rest.begin(), b.rest.end());
  return a;
}

static std::optional<LinearForm> scaled(LinearForm a, int64_t factor) {
  if (!a.rest.empty())
    return std::nullopt;
  for (int64_t &coefficient : a.coefficients)
    coefficient *= factor;
  a.constant *= factor;
  return a;
}

static std::optional<LinearForm> ofValue(ParallelOp loop, Value value);

static std::optional<LinearForm> ofExpr(ParallelOp loop, AffineExpr expr,
                                        ValueRange operands, unsigned numDims) {
  unsigned rank = loop.getExtents().size();
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return LinearForm{SmallVector<int64_t>(rank, 0), constant.getValue(), {}};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return ofValue(loop, operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return ofValue(loop, operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto lhs = ofExpr(loop, binary.getLHS(), operands, numDims);
  auto rhs = ofExpr(loop, binary.getRHS(), operands, numDims);
  if (!lhs || !rhs)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add)
    return sum(*lhs, *rhs, 1);
  if (binary.getKind() == AffineExprKind::Mul)
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return scaled(*lhs, factor.getValue());
  return std::nullopt;
}

static std::optional<LinearForm> ofValue(ParallelOp loop, Value value) {
  unsigned rank = loop.getExtents().size();
  LinearForm form{SmallVector<int64_t>(rank, 0), 0, {}};
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    form.constant = constant.getSExtValue();
    return form;
  }
  Region &body = loop.getBodyRegion();
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getOwner() == &body.front()) {
      form.coefficients[argument.getArgNumber()] = 1;
      return form;
    }
  if (!body.isAncestor(value.getParentRegion())) {
    form.rest.push_back(value);
    return form;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    auto lhs = ofValue(loop, op->getOperand(0));
    auto rhs = ofValue(loop, op->getOperand(1));
    if (!lhs || !rhs || (isa<arith::SubIOp>(op) && !rhs->rest.empty()))
      return std::nullopt;
    return sum(*lhs, *rhs, isa<arith::AddIOp>(op) ? 1 : -1);
  }
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0u, 1u})
      if (matchPattern(op->getOperand(i), m_ConstantInt(&constant)))
        if (auto other = ofValue(loop, op->getOperand(1 - i)))
          return scaled(*other, constant.getSExtValue());
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return ofExpr(loop, apply.getAffineMap().getResult(0),
                  apply.getMapOperands(), apply.getAffineMap().getNumDims());
  return std::nullopt;
}

std::optional<LinearForm> tile::nvvm::getLinearForm(ParallelOp loop,
                                                    Value value) {
  return ofValue(loop, value);
}
