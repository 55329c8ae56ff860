//===- ExpandSmallFloats.cpp - casts of bf16, fp8, fp4 as integer code ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM has no types for fp8 and fp4, and rounds to bf16 by a library call or an
// instruction that flushes denormals. Here a cast is arithmetic on bits, for
// scalars and vectors alike, so that what the dialect promises (nearest even,
// saturation) holds on every host. f8E8M0FNU, which has no sign and no
// mantissa, is left to upstream's arith-expand.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tile/Conversion/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDSMALLFLOATSPASS
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

namespace {
/// A format of sign, exponent and mantissa. Codes are without the sign bit.
struct Format {
  int exponentBits, mantissaBits, bias;
  uint32_t largest;  // code of the largest finite number
  uint32_t infinity; // code of infinity; 0 where there is none
  uint32_t nan;      // code a NaN becomes; `largest` where there is none
  bool saturates;    // overflow gives `largest`, not `infinity`
  int bits() const { return 1 + exponentBits + mantissaBits; }
};

std::optional<Format> formatOf(Type type) {
  if (isa<BFloat16Type>(type))
    return Format{8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, false};
  if (isa<Float8E4M3FNType>(type))
    return Format{4, 3, 7, 0x7e, 0, 0x7f, true};
  if (isa<Float8E5M2Type>(type))
    return Format{5, 2, 15, 0x7b, 0x7c, 0x7f, true};
  if (isa<Float4E2M1FNType>(type))
    return Format{2, 1, 1, 0x7, 0, 0x7, true};
  return std::nullopt;
}

/// Element-wise arithmetic on values of one shape.
class Bits {
public:
  Bits(OpBuilder &b, Location loc, Type like) : b(b), loc(loc), like(like) {}

  Type typed(Type element) const {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector.clone(element);
    return element;
  }
  Type i(unsigned width) const { return typed(b.getIntegerType(width)); }
  Type f32() const { return typed(b.getF32Type()); }

  Value integer(Type type, uint64_t value) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    return constant(type, b.getIntegerAttr(getElementTypeOrSelf(type),
                                           APInt(width, value, false, true)));
  }
  Value number(Type type, double value) {
    return constant(type, b.getFloatAttr(getElementTypeOrSelf(type), value));
  }
  Value bitcast(Type type, Value x) {
    return arith::BitcastOp::create(b, loc, type, x);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value bitAnd(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value bitOr(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value left(Value x, uint64_t n) {
    return arith::ShLIOp::create(b, loc, x, integer(x.getType(), n));
  }
  Value right(Value x, uint64_t n) {
    return arith::ShRUIOp::create(b, loc, x, integer(x.getType(), n));
  }
  Value compare(arith::CmpIPredicate kind, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, kind, x, y);
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }

private:
  Value constant(Type type, TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, Attribute(value));
    return arith::ConstantOp::create(b, loc, value);
  }
  OpBuilder &b;
  Location loc;
  Type like;
};

/// Rounds f64 to f32 "to odd": the last bit records whether anything was lost,
/// so that a second rounding to a narrower format is right (Boldo, Melquiond).
Value roundToOdd(OpBuilder &b, Location loc, Value x) {
  Bits bits(b, loc, x.getType());
  Value nearest = arith::TruncFOp::create(b, loc, bits.f32(), x);
  Value back = arith::ExtFOp::create(b, loc, x.getType(), nearest);
  Type i32 = bits.i(32), i64 = bits.i(64);
  Value code = bits.bitcast(i32, nearest);
  Value magnitudeMask = bits.integer(i64, ~(uint64_t(1) << 63));
  Value exact = bits.bitAnd(bits.bitcast(i64, x), magnitudeMask);
  Value rounded = bits.bitAnd(bits.bitcast(i64, back), magnitudeMask);
  // Magnitudes compare as integers: step back where rounding went up, which
  // gives truncation; then set the last bit where something was lost.
  Value up = bits.compare(arith::CmpIPredicate::ugt, rounded, exact);
  Value truncated = bits.select(up, bits.sub(code, bits.integer(i32, 1)), code);
  Value odd = bits.bitOr(truncated, bits.integer(i32, 1));
  Value same = bits.compare(arith::CmpIPredicate::eq, rounded, exact);
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value result =
      bits.select(arith::OrIOp::create(b, loc, same, isNan), code, odd);
  return bits.bitcast(bits.f32(), result);
}

/// The code of an f32 in `format`, sign included, as an integer of its width.
Value encode(OpBuilder &b, Location loc, Value x, const Format &format) {
  Bits bits(b, loc, x.getType());
  Type i32 = bits.i(32), f32 = bits.f32();
  int drop = 23 - format.mantissaBits;
  Value all = bits.bitcast(i32, x);
  Value magnitude = bits.bitAnd(all, bits.integer(i32, 0x7fffffff));

  // Normal numbers: add just under half a unit, plus the last kept bit, then
  // cut; move the exponent to its new bias.
  Value last = bits.bitAnd(bits.right(magnitude, drop), bits.integer(i32, 1));
  Value half = bits.integer(i32, (1u << (drop - 1)) - 1);
  Value normal = bits.right(bits.add(bits.add(magnitude, half), last), drop);
  normal = bits.sub(normal,
                    bits.integer(i32, static_cast<uint32_t>(127 - format.bias)
                                          << format.mantissaBits));
  Value code = normal;
  if (format.bias != 127) {
    // Below the smallest normal number: adding a power of two whose last bit
    // weighs one unit of the format lets the addition round.
    uint32_t anchorBits = static_cast<uint32_t>(127 + drop - (format.bias - 1))
                          << 23;
    Value anchor = bits.integer(i32, anchorBits);
    Value sum = arith::AddFOp::create(b, loc, bits.bitcast(f32, magnitude),
                                      bits.bitcast(f32, anchor));
    Value subnormal = bits.sub(bits.bitcast(i32, sum), anchor);
    uint32_t smallest = static_cast<uint32_t>(127 - format.bias + 1) << 23;
    Value isSmall = bits.compare(arith::CmpIPredicate::ult, magnitude,
                                 bits.integer(i32, smallest));
    code = bits.select(isSmall, subnormal, normal);
  }
  if (format.saturates) {
    Value largest = bits.integer(i32, format.largest);
    code = bits.select(bits.compare(arith::CmpIPredicate::ugt, code, largest),
                       largest, code);
  }
  Value isNan = bits.compare(arith::CmpIPredicate::ugt, magnitude,
                             bits.integer(i32, 0x7f800000));
  code = bits.select(isNan, bits.integer(i32, format.nan), code);
  Value sign = bits.left(bits.right(all, 31), format.bits() - 1);
  code = bits.bitOr(code, sign);
  return arith::TruncIOp::create(b, loc, bits.i(format.bits()), code);
}

/// The f32 that a code of `format` stands for; exact.
Value decode(OpBuilder &b, Location loc, Value code, const Format &format) {
  Bits bits(b, loc, code.getType());
  Type i32 = bits.i(32), f32 = bits.f32();
  Value all = arith::ExtUIOp::create(b, loc, i32, code);
  // The upper half of an f32, sign included. Taken apart and put together
  // again LLVM 22 loses the sign: it makes fabs of the magnitude's mask.
  if (format.bias == 127)
    return bits.bitcast(f32, bits.left(all, 32 - format.bits()));
  uint32_t magnitudeMask = (1u << (format.bits() - 1)) - 1;
  Value magnitude = bits.bitAnd(all, bits.integer(i32, magnitudeMask));
  Value sign = bits.left(bits.right(all, format.bits() - 1), 31);
  Value moved = bits.left(magnitude, 23 - format.mantissaBits);
  // Read with f32's bias the number is too small by a power of two;
  // multiplying by it is exact, for subnormals too.
  Value scale = bits.bitcast(
      f32,
      bits.integer(i32, static_cast<uint32_t>(127 + 127 - format.bias) << 23));
  moved = bits.bitcast(
      i32, arith::MulFOp::create(b, loc, bits.bitcast(f32, moved), scale));
  if (format.infinity) {
    Value infinity = bits.integer(i32, format.infinity);
    Value isInfinite =
        bits.compare(arith::CmpIPredicate::eq, magnitude, infinity);
    moved = bits.select(isInfinite, bits.integer(i32, 0x7f800000), moved);
  }
  if (format.nan != format.largest) {
    uint32_t firstNan = format.infinity ? format.infinity + 1 : format.nan;
    Value isNan = bits.compare(arith::CmpIPredicate::uge, magnitude,
                               bits.integer(i32, firstNan));
    moved = bits.select(isNan, bits.integer(i32, 0x7fc00000), moved);
  }
  return bits.bitcast(f32, bits.bitOr(moved, sign));
}

/// Whether this pass makes the cast to `to` one through f32.
bool roundsThroughOdd(Type from, Type to) {
  return from.isF64() && (formatOf(to) || to.isF16());
}

struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    std::optional<Format> format = formatOf(to);
    Bits bits(rewriter, loc, op.getIn().getType());
    if (roundsThroughOdd(from, to)) {
      Value odd = roundToOdd(rewriter, loc, op.getIn());
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
      return success();
    }
    if (!format)
      return rewriter.notifyMatchFailure(op, "a format LLVM rounds to");
    Value x = op.getIn();
    if (!from.isF32())
      x = arith::ExtFOp::create(rewriter, loc, bits.f32(), x);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(
        op, op.getType(), encode(rewriter, loc, x, *format));
    return success();
  }
};

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    std::optional<Format> format = formatOf(from);
    if (!format)
      return rewriter.notifyMatchFailure(op, "a format LLVM knows");
    Bits bits(rewriter, loc, op.getIn().getType());
    Value code = bits.bitcast(bits.i(format->bits()), op.getIn());
    Value wide = decode(rewriter, loc, code, *format);
    if (to.isF32())
      rewriter.replaceOp(op, wide);
    else if (to.isF64())
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), wide);
    else
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};

/// Conversions from and to integers go through f32.
template <typename OpT> struct ExpandFromInt : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!formatOf(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "a format LLVM knows");
    Bits bits(rewriter, op.getLoc(), op.getType());
    Value wide = OpT::create(rewriter, op.getLoc(), bits.f32(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};
template <typename OpT> struct ExpandToInt : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!formatOf(getElementTypeOrSelf(op.getIn().getType())))
      return rewriter.notifyMatchFailure(op, "a format LLVM knows");
    Bits bits(rewriter, op.getLoc(), op.getType());
    Value wide =
        arith::ExtFOp::create(rewriter, op.getLoc(), bits.f32(), op.getIn());
    rewriter.replaceOpWithNewOp<OpT>(op, op.getType(), wide);
    return success();
  }
};

struct ExpandSmallFloatsPass
    : tile::impl::ExpandSmallFloatsPassBase<ExpandSmallFloatsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandTruncF, ExpandExtF, ExpandFromInt<arith::SIToFPOp>,
                 ExpandFromInt<arith::UIToFPOp>, ExpandToInt<arith::FPToSIOp>,
                 ExpandToInt<arith::FPToUIOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
