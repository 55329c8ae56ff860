//===- SmallFloats.cpp - casts from and to fp8 and fp4 --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fp8 casts are cvt.rn.satfinite on targets that have it, two elements an
// instruction; elsewhere, and for fp4, integer arithmetic with the same result
// but for the sign of a NaN. Values of these formats are integers in LLVM:
// each cast ends (or begins) with an arith.bitcast. f8E8M0FNU, an exponent
// alone, is upstream's expansion, as on the CPU.
//
//===----------------------------------------------------------------------===//
#include "SmallFloats.h"
#include "MathBuilder.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A format with sign, exponent and mantissa whose casts saturate.
struct Format {
  unsigned exponentBits, mantissaBits;
  int bias;
  double largest;       // the largest finite number
  uint32_t largestCode; // and its code
  uint32_t infinity;    // code of infinity; 0: none
  uint32_t nan;         // code a NaN becomes; largestCode: none
  bool inCvt;           // cvt of PTX knows it from sm_89 on
  unsigned width() const { return 1 + exponentBits + mantissaBits; }
};
} // namespace

static std::optional<Format> formatOf(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return Format{4, 3, 7, 448.0, 0x7e, 0, 0x7f, true};
  if (isa<Float8E5M2Type>(type))
    return Format{5, 2, 15, 57344.0, 0x7b, 0x7c, 0x7f, true};
  if (isa<Float4E2M1FNType>(type))
    return Format{2, 1, 1, 6.0, 0x7, 0, 0x7, false};
  return std::nullopt;
}

bool tile::isSmallFloat(Type type) {
  return formatOf(type) || isa<Float8E8M0FNUType>(type);
}

/// f64 to f32 by rounding to odd: a later rounding to a format with at most 22
/// significant bits then gives what rounding once would (S. Boldo, G.
/// Melquiond, Emulation of FMA and correctly rounded sums, 2008).
static Num roundToOdd(Num x) {
  Type f32 = x.b().getF32Type();
  Num nearest = toFloat(x, f32);
  Num back = toFloat(nearest, x.type());
  Num code = bits(nearest);
  // Codes of one sign grow with the magnitude: step back where it grew.
  Num grew = abs(back) > abs(x);
  Num towardsZero = select(grew, code - code.likeInt(1), code);
  Num inexact = (back < x) | (back > x); // neither for a NaN
  return fromBits(select(inexact, towardsZero | 1, code), f32);
}

/// The code of an f32 in `format`, an integer of its width.
static Num encode(Num x, const Format &format) {
  unsigned drop = 23 - format.mantissaBits;
  Num code = bits(x);
  Num magnitudeBits = code & 0x7fffffff;
  Num magnitude = fromBits(magnitudeBits, x.type());
  // Saturation comes first: the limit is a number of the format, so rounding
  // cannot pass it. A NaN takes the limit too, and is put right at the end.
  Num limited = select(magnitude < format.largest, magnitude, format.largest);
  Num limitedBits = bits(limited);
  // Normal numbers: add half a unit less one, and the last kept bit; cut.
  Num last = shrUnsigned(limitedBits, drop) & 1;
  Num rounded =
      shrUnsigned(limitedBits + last + double((1u << (drop - 1)) - 1), drop);
  Num normal = rounded - double((127 - format.bias) << format.mantissaBits);
  // Below them, adding the power of two whose last bit is the format's unit
  // makes the addition round.
  double anchor =
      std::ldexp(1.0, 23 + 1 - format.bias - int(format.mantissaBits));
  Num subnormal = bits(limited + anchor) - bits(x.like(anchor));
  Num result =
      select(limited < std::ldexp(1.0, 1 - format.bias), subnormal, normal);
  if (format.nan != format.largestCode)
    result = select(isNaN(x), double(format.nan), result);
  Num sign = shl(shrUnsigned(code, 31), format.width() - 1);
  return signedTo(result | sign, x.b().getIntegerType(format.width()));
}

/// The f32 that a code of `format` stands for; exact.
static Num decode(Num code, const Format &format) {
  Type f32 = code.b().getF32Type();
  Num wide = unsignedTo(code, code.b().getI32Type());
  Num magnitude = wide & ((1 << (format.width() - 1)) - 1);
  // Read with f32's bias the number is too small by a power of two, exactly;
  // as a denormal of f32 if it is small.
  Num moved = fromBits(shl(magnitude, 23 - format.mantissaBits), f32);
  Num value = moved * std::ldexp(1.0, 127 - format.bias);
  if (format.infinity)
    value = select(equal(magnitude, double(format.infinity)), infinity(value),
                   value);
  if (format.nan != format.largestCode) {
    double lastNumber = format.infinity ? format.infinity : format.largestCode;
    value = select(magnitude > lastNumber, quietNaN(value), value);
  }
  Num sign = shl(shrUnsigned(wide, format.width() - 1), 31);
  return fromBits(bits(value) | sign, f32);
}

static NVVM::FPRoundingModeAttr nearestEven(OpBuilder &b) {
  return NVVM::FPRoundingModeAttr::get(b.getContext(),
                                       NVVM::FPRoundingMode::RN);
}

/// Two codes, as vector<2xi8>, from two f32.
static Value cvtToCodes(ImplicitLocOpBuilder &b, Value first, Value second,
                        Type format) {
  auto saturate = NVVM::SaturationModeAttr::get(
      b.getContext(), NVVM::SaturationMode::SATFINITE);
  // The instruction's first operand becomes the upper byte.
  return NVVM::ConvertF32x2ToF8x2Op::create(
      b, VectorType::get(2, b.getI8Type()), second, first, nearestEven(b),
      saturate, b.getBoolAttr(false), TypeAttr::get(format));
}

/// Two f16 from two codes, given as vector<2xi8>.
static Value cvtToF16(ImplicitLocOpBuilder &b, Value codes, Type format) {
  return NVVM::ConvertF8x2ToF16x2Op::create(
      b, VectorType::get(2, b.getF16Type()), codes, b.getBoolAttr(false),
      TypeAttr::get(format));
}

/// Calls `convert` on neighbouring pairs of `elements`, the last one with
/// itself where their number is odd, and returns the converted elements.
static SmallVector<Value>
inPairs(ImplicitLocOpBuilder &b, ArrayRef<Value> elements,
        llvm::function_ref<Value(Value, Value)> convert) {
  SmallVector<Value> results;
  for (size_t i = 0; i < elements.size(); i += 2) {
    bool hasSecond = i + 1 < elements.size();
    Value pair = convert(elements[i], elements[hasSecond ? i + 1 : i]);
    results.push_back(vector::ExtractOp::create(b, pair, 0));
    if (hasSecond)
      results.push_back(vector::ExtractOp::create(b, pair, 1));
  }
  return results;
}

namespace {
struct TruncateToSmall : OpRewritePattern<arith::TruncFOp> {
  TruncateToSmall(MLIRContext *context, bool hasCvt, PatternBenefit benefit)
      : OpRewritePattern(context, benefit), hasCvt(hasCvt) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    std::optional<Format> format = formatOf(element);
    if (!format || !isScalarOrFixedVector(op.getType()))
      return rewriter.notifyMatchFailure(op,
                                         "expected fp8 or fp4 of known length");
    if (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op,
                                         "expected rounding to nearest even");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type f32 = b.getF32Type();
    SmallVector<Value> elements;
    for (Value value : unpack(b, op.getIn())) {
      Num x(b, value);
      elements.push_back(x.isDouble() ? roundToOdd(x) : toFloat(x, f32));
    }
    if (hasCvt && format->inCvt)
      elements = inPairs(b, elements, [&](Value first, Value second) {
        return cvtToCodes(b, first, second, element);
      });
    else
      for (Value &value : elements)
        value = encode(Num(b, value), *format);
    Type codes = withShapeOf(op.getType(), b.getIntegerType(format->width()));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(),
                                                  pack(b, codes, elements));
    return success();
  }
  bool hasCvt;
};

struct ExtendFromSmall : OpRewritePattern<arith::ExtFOp> {
  ExtendFromSmall(MLIRContext *context, bool hasCvt, PatternBenefit benefit)
      : OpRewritePattern(context, benefit), hasCvt(hasCvt) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getIn().getType());
    std::optional<Format> format = formatOf(element);
    if (!format || !isScalarOrFixedVector(op.getType()))
      return rewriter.notifyMatchFailure(op,
                                         "expected fp8 or fp4 of known length");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type codes =
        withShapeOf(op.getIn().getType(), b.getIntegerType(format->width()));
    SmallVector<Value> elements =
        unpack(b, arith::BitcastOp::create(b, codes, op.getIn()));
    if (hasCvt && format->inCvt) {
      auto pairType = VectorType::get(2, b.getI8Type());
      elements = inPairs(b, elements, [&](Value first, Value second) {
        Value pair = vector::FromElementsOp::create(b, pairType,
                                                    ValueRange{first, second});
        return cvtToF16(b, pair, element);
      });
    } else {
      for (Value &value : elements)
        value = decode(Num(b, value), *format);
    }
    // Every number of these formats is one of f16 and of bf16.
    Type to = getElementTypeOrSelf(op.getType());
    for (Value &value : elements) {
      Num x(b, value);
      if (to.isBF16())
        x = toFloat(x, b.getF32Type());
      value = toFloat(x, to);
    }
    rewriter.replaceOp(op, pack(b, op.getType(), elements));
    return success();
  }
  bool hasCvt;
};

/// Arithmetic on a small format: in f32, then rounded.
struct ComputeInF32 : RewritePattern {
  ComputeInF32(MLIRContext *context, PatternBenefit benefit)
      : RewritePattern(MatchAnyOpTypeTag(), benefit, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::ConstantOp, arith::BitcastOp, arith::SelectOp, arith::ExtFOp,
            arith::TruncFOp>(op))
      return rewriter.notifyMatchFailure(op, "no arithmetic on floats");
    auto isSmall = [](Type type) {
      return isSmallFloat(getElementTypeOrSelf(type));
    };
    if (llvm::none_of(op->getOperandTypes(), isSmall) &&
        llvm::none_of(op->getResultTypes(), isSmall))
      return rewriter.notifyMatchFailure(op, "no small floats");
    Location loc = op->getLoc();
    auto wide = [&](Type type) {
      return withShapeOf(type, rewriter.getF32Type());
    };
    IRMapping operands;
    for (Value operand : op->getOperands())
      if (isSmall(operand.getType()) && !operands.contains(operand))
        operands.map(operand, arith::ExtFOp::create(rewriter, loc,
                                                    wide(operand.getType()),
                                                    operand, nullptr));
    Operation *inF32 = rewriter.clone(*op, operands);
    SmallVector<Value> results;
    for (Value result : inF32->getResults()) {
      Type type = result.getType();
      if (isSmall(type)) {
        result.setType(wide(type));
        result = arith::TruncFOp::create(rewriter, loc, type, result);
      }
      results.push_back(result);
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void tile::populateSmallFloatPatterns(RewritePatternSet &patterns,
                                      const TargetInfo &target,
                                      PatternBenefit benefit) {
  patterns.add<TruncateToSmall, ExtendFromSmall>(
      patterns.getContext(), target.hasFp8Conversion(), benefit);
  patterns.add<ComputeInF32>(patterns.getContext(), benefit);
  arith::populateExpandF8E8M0Patterns(patterns);
}
