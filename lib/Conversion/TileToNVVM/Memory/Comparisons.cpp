//===- Comparisons.cpp - comparisons of indices in 32 bits ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparisons.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Indices of a loop, and constants, beyond this are left to 64 bits.
static constexpr int64_t kLargest = int64_t(1) << 28;

namespace {
/// coefficients * indices + constant + the sum of the multiples of `uniforms`.
struct Sum {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
  SmallVector<std::pair<Value, int64_t>> uniforms;
};
} // namespace

/// Adds `factor * value` to `sum`; false for what is no such sum.
static bool add(Value value, int64_t factor, ParallelOp loop, Sum &sum) {
  if (std::abs(factor) > kLargest)
    return false;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    int64_t product;
    return constant.isSignedIntN(32) &&
           !llvm::MulOverflow(factor, constant.getSExtValue(), product) &&
           !llvm::AddOverflow(sum.constant, product, sum.constant) &&
           std::abs(sum.constant) <= kLargest;
  }
  if (!loop.getBodyRegion().isAncestor(value.getParentRegion())) {
    sum.uniforms.push_back({value, factor});
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner()->getParentOp() != loop)
      return false;
    int64_t &coefficient = sum.coefficients[argument.getArgNumber()];
    return !llvm::AddOverflow(coefficient, factor, coefficient);
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return add(op->getOperand(0), factor, loop, sum) &&
           add(op->getOperand(1), isa<arith::SubIOp>(op) ? -factor : factor,
               loop, sum);
  if (isa<arith::MulIOp>(op))
    for (bool isSecond : {false, true})
      if (matchPattern(op->getOperand(isSecond), m_ConstantInt(&constant)) &&
          constant.isSignedIntN(29))
        return !llvm::MulOverflow(factor, constant.getSExtValue(), factor) &&
               add(op->getOperand(!isSecond), factor, loop, sum);
  return false;
}

/// Whether what compares alike as signed numbers does by this predicate.
static bool isSigned(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::uge:
    return false;
  default:
    return true;
  }
}

LoopComparisons::LoopComparisons(KernelLowering &lowering, ParallelOp loop,
                                 ArrayRef<Value> threadPart)
    : lowering(lowering) {
  auto &b = lowering.builder;
  auto extents = loop.getExtents();
  loop.getBodyRegion().walk([&](arith::CmpIOp comparison) {
    if (!comparison.getLhs().getType().isIndex() ||
        !isSigned(comparison.getPredicate()))
      return;
    Sum sides[2];
    for (bool isRight : {false, true}) {
      sides[isRight].coefficients.resize(extents.size());
      if (!add(comparison->getOperand(isRight), 1, loop, sides[isRight]))
        return;
    }
    // Indices to the left, all else to the right.
    SmallVector<int64_t> coefficients = sides[0].coefficients;
    int64_t least = 0, most = 0;
    for (auto [d, coefficient] : llvm::enumerate(coefficients)) {
      int64_t reach;
      if (llvm::SubOverflow(coefficient, sides[1].coefficients[d],
                            coefficient) ||
          llvm::MulOverflow(coefficient, extents[d] - 1, reach))
        return;
      (reach < 0 ? least : most) += reach;
      if (least < -kLargest || most > kLargest)
        return;
    }
    // One that no index enters is hoisted, and one of constants is folded.
    if ((least == 0 && most == 0) ||
        (sides[0].uniforms.empty() && sides[1].uniforms.empty()))
      return;

    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    Value bound = index(sides[1].constant - sides[0].constant);
    for (bool isRight : {false, true})
      for (auto [value, factor] : sides[isRight].uniforms)
        bound = b.createOrFold<arith::AddIOp>(
            bound, b.createOrFold<arith::MulIOp>(
                       value, index(isRight ? factor : -factor)));
    // Beyond what the indices reach, all values compare alike.
    bound = arith::MaxSIOp::create(b, bound, index(least - 1));
    bound = arith::MinSIOp::create(b, bound, index(most + 1));
    bound = arith::IndexCastOp::create(b, b.getI32Type(), bound);
    for (auto [part, coefficient] : llvm::zip(threadPart, coefficients))
      if (part && coefficient)
        bound = b.createOrFold<arith::SubIOp>(
            bound, lowering.mulConst(part, coefficient));
    shared.insert(
        {comparison, {comparison.getPredicate(), coefficients, bound}});
  });
}

Value LoopComparisons::emit(arith::CmpIOp comparison,
                            ArrayRef<int64_t> constants) {
  auto found = shared.find(comparison);
  if (found == shared.end())
    return {};
  int64_t sum = 0;
  for (auto [coefficient, constant] :
       llvm::zip(found->second.coefficients, constants))
    sum += coefficient * constant;
  return arith::CmpIOp::create(lowering.builder, found->second.predicate,
                               lowering.i32(sum), found->second.bound);
}
