//===- Magnitudes.cpp - a kernel on absolute values -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Magnitudes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tile;

/// Whether a function that grows or turns (an exponential, a logarithm, a sine)
/// is taken of what the operation computes.
static bool feedsFunction(Operation *op) {
  SmallVector<Operation *> work{op};
  DenseSet<Operation *> seen{op};
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (isa<math::MathDialect>(user->getDialect()) &&
          !isa<math::AbsFOp, math::FmaOp, math::SqrtOp, math::RsqrtOp>(user))
        return true;
      if (isa<arith::ArithDialect, math::MathDialect>(user->getDialect()) &&
          seen.insert(user).second)
        work.push_back(user);
    }
  return false;
}

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

void run::useMagnitudes(ModuleOp module) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
            arith::NegFOp, arith::SIToFPOp, math::FmaOp>(op) &&
        !feedsFunction(op))
      found.push_back(op);
  });
  module.getContext()->loadDialect<arith::ArithDialect, math::MathDialect>();
  for (Operation *op : found) {
    OpBuilder builder(op);
    auto magnitude = [&](Value value) -> Value {
      return math::AbsFOp::create(builder, op->getLoc(), value);
    };
    for (OpOperand &operand : op->getOpOperands())
      if (isFloat(operand.get()))
        operand.set(magnitude(operand.get()));
    Value result;
    if (isa<arith::SubFOp>(op)) {
      result = arith::AddFOp::create(builder, op->getLoc(), op->getOperand(0),
                                     op->getOperand(1));
    } else if (isa<arith::NegFOp>(op)) {
      result = op->getOperand(0);
    } else if (isa<arith::SIToFPOp>(op)) {
      builder.setInsertionPointAfter(op);
      result = magnitude(op->getResult(0));
      op->getResult(0).replaceAllUsesExcept(result, result.getDefiningOp());
      continue;
    } else {
      continue;
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}
