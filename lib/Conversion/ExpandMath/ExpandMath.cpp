//===- ExpandMath.cpp - math without a device library ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After tile ops are gone and before arith and math become LLVM: replaces each
// math function that NVPTX has no instruction for. The formulas are in the
// files beside; here is the table that maps operations to them, and the pattern
// that brings vectors and narrow types to their f32 and f64 scalars.
//
//===----------------------------------------------------------------------===//
#include "tile/Conversion/ExpandMath.h"
#include "Approximations.h"
#include "Expansions.h"
#include "SmallFloats.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tile/Conversion/Passes.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Above upstream's patterns for the same operations.
static constexpr unsigned kBenefit = 10;

namespace {
/// One result element from one element of each operand: f32, f64 or integer.
using Formula = Num (*)(ArrayRef<Num>);

template <Num (*function)(Num)> Num unary(ArrayRef<Num> x) {
  return function(x[0]);
}
template <Num (*function)(Num, Num)> Num binary(ArrayRef<Num> x) {
  return function(x[0], x[1]);
}

/// Applies a formula to each element.
struct ExpandFunction : RewritePattern {
  /// `approximate` may be null; it is for f32 only.
  ExpandFunction(MLIRContext *context, StringRef name, Formula accurate,
                 Formula approximate, bool alwaysFast)
      : RewritePattern(name, kBenefit, context), accurate(accurate),
        approximate(approximate), alwaysFast(alwaysFast) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override;

private:
  bool isFast(Operation *op) const {
    if (alwaysFast)
      return true;
    auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
    return flags &&
           arith::bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                                     arith::FastMathFlags::afn);
  }

  Formula accurate, approximate;
  bool alwaysFast;
};
} // namespace

/// The type a formula computes in: f32 for anything narrower.
static FailureOr<Type> computeType(Type element) {
  auto floatType = dyn_cast<FloatType>(element);
  if (!floatType)
    return element;
  if (floatType.getWidth() < 32)
    return Type(Float32Type::get(element.getContext()));
  if (floatType.isF32() || floatType.isF64())
    return element;
  return failure();
}

LogicalResult ExpandFunction::matchAndRewrite(Operation *op,
                                              PatternRewriter &rewriter) const {
  Type resultType = op->getResult(0).getType();
  Type element = getElementTypeOrSelf(resultType);
  FailureOr<Type> compute = computeType(element);
  if (failed(compute) || !isScalarOrFixedVector(resultType))
    return rewriter.notifyMatchFailure(
        op, "expected scalars or vectors of known length of at most 64 bits");
  Formula formula = accurate;
  if (approximate && compute->isF32() && isFast(op))
    formula = approximate;
  if (!formula)
    return rewriter.notifyMatchFailure(op,
                                       "the operation is accurate as it is");

  for (Type type : op->getOperandTypes())
    if (auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type)))
      if (integer.getWidth() > 64)
        return rewriter.notifyMatchFailure(op, "expected at most 64 bits");

  ImplicitLocOpBuilder b(op->getLoc(), rewriter);
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.push_back(unpack(b, operand));
  SmallVector<Value> results;
  for (size_t i = 0; i < operands.front().size(); ++i) {
    SmallVector<Num> inputs;
    for (ArrayRef<Value> operand : operands) {
      Num input(b, operand[i]);
      if (isa<FloatType>(input.type()))
        input = toFloat(input, *compute);
      else if (isa<IndexType>(input.type()))
        input = input.of(arith::IndexCastOp::create(b, b.getI64Type(), input));
      inputs.push_back(input);
    }
    Num result = formula(inputs);
    if (isa<FloatType>(element))
      result = toFloat(result, element);
    else if (isa<IndexType>(element))
      result = result.of(arith::IndexCastOp::create(b, element, result));
    results.push_back(result);
  }
  rewriter.replaceOp(op, pack(b, resultType, results));
  return success();
}

namespace {
/// Both functions of one argument; what they share is merged afterwards.
struct SplitSinCos : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = op.getOperand();
    rewriter.replaceOp(
        op,
        ValueRange{math::SinOp::create(rewriter, loc, x, op.getFastmath()),
                   math::CosOp::create(rewriter, loc, x, op.getFastmath())});
    return success();
  }
};

/// isnan, isinf, isfinite, isnormal as comparisons, which upstream's conversion
/// has for some of them only.
template <typename OpT> struct ExpandClass : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(x.getType()));
    if (!element || !(element.isF16() || element.isBF16() || element.isF32() ||
                      element.isF64()))
      return rewriter.notifyMatchFailure(op, "expected a type NVPTX has");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto compare = [&](arith::CmpFPredicate predicate, Value left, APFloat to) {
      TypedAttr constant = b.getFloatAttr(element, to);
      if (auto vectorType = dyn_cast<VectorType>(x.getType()))
        constant = DenseElementsAttr::get(vectorType, Attribute(constant));
      return arith::CmpFOp::create(b, predicate, left,
                                   arith::ConstantOp::create(b, constant));
    };
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    APFloat infinity = APFloat::getInf(semantics);
    Value result;
    if (isa<math::IsNaNOp>(op)) {
      result = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    } else {
      Value magnitude = math::AbsFOp::create(b, x);
      result = compare(isa<math::IsInfOp>(op) ? arith::CmpFPredicate::OEQ
                                              : arith::CmpFPredicate::OLT,
                       magnitude, infinity);
      if (isa<math::IsNormalOp>(op))
        result = arith::AndIOp::create(
            b, result,
            compare(arith::CmpFPredicate::OGE, magnitude,
                    APFloat::getSmallestNormalized(semantics)));
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// min(max(x, low), high), a NaN among them staying one.
struct ExpandClamp : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value low = arith::MaximumFOp::create(rewriter, op.getLoc(), op.getValue(),
                                          op.getMin(), op.getFastmath());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, low, op.getMax(),
                                                   op.getFastmath());
    return success();
  }
};

struct ExpandMathPass : tile::impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    const TargetInfo *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    ExpandMathOptions options;
    options.fastMath = fastMath;
    if (failed(expandMath(getOperation(), *target, options)))
      signalPassFailure();
  }
};
} // namespace

/// Operations a pattern may match: the rest of a kernel is not looked at.
static bool mayExpand(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) || !isSelectedByNVPTX(op) ||
         isa<arith::DivFOp>(op) || isPackedCast(op);
}

LogicalResult tile::expandMath(Operation *root, const TargetInfo &target,
                               const ExpandMathOptions &options) {
  SmallVector<Operation *> worklist;
  root->walk([&](Operation *op) {
    if (mayExpand(op))
      worklist.push_back(op);
  });
  if (worklist.empty())
    return success();
  RewritePatternSet patterns(root->getContext());
  populateExpandMathPatterns(patterns, target, options);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
      .setScope(&root->getRegion(0));
  // What no pattern matched is reported below.
  (void)applyOpPatternsGreedily(worklist, std::move(patterns), config);
  bool isComplete = true;
  root->walk([&](Operation *op) {
    if (isSelectedByNVPTX(op))
      return;
    isComplete = false;
    op->emitError() << "expected an operation that NVPTX has code for, got '"
                    << op->getName() << "' on " << op->getOperand(0).getType();
  });
  return success(isComplete);
}

bool tile::isSelectedByNVPTX(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<arith::ConstantOp, arith::BitcastOp, arith::SelectOp>(op))
    return true;
  auto isLegalType = [](Type type) {
    if (!isa<VectorType, FloatType>(type))
      return true;
    if (!isScalarOrFixedVector(type))
      return false;
    Type element = getElementTypeOrSelf(type);
    return !isa<FloatType>(element) || element.isF16() || element.isBF16() ||
           element.isF32() || element.isF64();
  };
  if (!llvm::all_of(op->getOperandTypes(), isLegalType) ||
      !llvm::all_of(op->getResultTypes(), isLegalType))
    return false;
  if (!isa<math::MathDialect>(op->getDialect()))
    return !isa<arith::ScalingExtFOp, arith::ScalingTruncFOp, arith::RemFOp>(
        op);
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundOp,
             math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

void tile::populateExpandMathPatterns(RewritePatternSet &patterns,
                                      const TargetInfo &target,
                                      const ExpandMathOptions &options) {
  namespace accurate = expansions;
  namespace fast = approximations;
  auto add = [&](StringRef name, Formula formula, Formula approximation) {
    patterns.add<ExpandFunction>(patterns.getContext(), name, formula,
                                 approximation, options.fastMath);
  };
  add(math::ExpOp::getOperationName(), unary<accurate::exp>, unary<fast::exp>);
  add(math::Exp2Op::getOperationName(), unary<accurate::exp2>,
      unary<fast::exp2>);
  add(math::ExpM1Op::getOperationName(), unary<accurate::expm1>,
      unary<fast::expm1>);
  add(math::LogOp::getOperationName(), unary<accurate::log>, unary<fast::log>);
  add(math::Log2Op::getOperationName(), unary<accurate::log2>,
      unary<fast::log2>);
  add(math::Log10Op::getOperationName(), unary<accurate::log10>,
      unary<fast::log10>);
  add(math::Log1pOp::getOperationName(), unary<accurate::log1p>, nullptr);
  add(math::TanhOp::getOperationName(), unary<accurate::tanh>,
      unary<fast::tanh>);
  add(math::SinhOp::getOperationName(), unary<accurate::sinh>,
      unary<fast::sinh>);
  add(math::CoshOp::getOperationName(), unary<accurate::cosh>,
      unary<fast::cosh>);
  add(math::AsinhOp::getOperationName(), unary<accurate::asinh>, nullptr);
  add(math::AcoshOp::getOperationName(), unary<accurate::acosh>, nullptr);
  add(math::AtanhOp::getOperationName(), unary<accurate::atanh>, nullptr);
  add(math::ErfOp::getOperationName(), unary<accurate::erf>, unary<fast::erf>);
  add(math::ErfcOp::getOperationName(), unary<accurate::erfc>, nullptr);
  add(math::RsqrtOp::getOperationName(), unary<accurate::rsqrt>,
      unary<fast::rsqrt>);
  add(math::CbrtOp::getOperationName(), unary<accurate::cbrt>, nullptr);
  add(math::PowFOp::getOperationName(), binary<accurate::pow>,
      binary<fast::pow>);
  add(math::FPowIOp::getOperationName(), binary<accurate::powInteger>, nullptr);
  add(math::IPowIOp::getOperationName(), binary<accurate::powIntegers>,
      nullptr);
  add(math::SinOp::getOperationName(), unary<accurate::sin>, unary<fast::sin>);
  add(math::CosOp::getOperationName(), unary<accurate::cos>, unary<fast::cos>);
  add(math::TanOp::getOperationName(), unary<accurate::tan>, unary<fast::tan>);
  add(math::AtanOp::getOperationName(), unary<accurate::atan>, nullptr);
  add(math::Atan2Op::getOperationName(), binary<accurate::atan2>, nullptr);
  add(math::AsinOp::getOperationName(), unary<accurate::asin>, nullptr);
  add(math::AcosOp::getOperationName(), unary<accurate::acos>, nullptr);
  add(arith::RemFOp::getOperationName(), binary<accurate::remainder>, nullptr);
  // sqrt.rn and div.rn are instructions; only their fast forms are ours.
  add(math::SqrtOp::getOperationName(), nullptr, unary<fast::sqrt>);
  add(arith::DivFOp::getOperationName(), nullptr, binary<fast::divide>);
  patterns.add<SplitSinCos, ExpandClamp, ExpandClass<math::IsNaNOp>,
               ExpandClass<math::IsInfOp>, ExpandClass<math::IsFiniteOp>,
               ExpandClass<math::IsNormalOp>>(patterns.getContext(), kBenefit);
  populateSmallFloatPatterns(patterns, target, kBenefit);
  populatePackedCastPatterns(patterns, kBenefit + 1);
}
