//===- PackedCasts.cpp - i4, i8 and fp4 to floats, i4 to bytes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt from integers has a quarter of the throughput of arithmetic, or less. A
// number of four bits among the last of a power of two's mantissa is that power
// plus the number; one subtraction, which is exact, takes it off. f16 has room
// for eight bits, too (bf16 has seven). fp4's three low bits below f16's
// exponent are the number times 2^-14, as a denormal of f16 where it is one of
// fp4; below bf16's, times 2^-126. Two elements share the 32 bits of an f16x2
// or bf16x2, and four codes that become bytes share a word.
//
//===----------------------------------------------------------------------===//
#include "MathBuilder.h"
#include "SmallFloats.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tile;

bool tile::isPackedCast(Operation *op) {
  if (!isa<arith::SIToFPOp, arith::UIToFPOp, arith::ExtSIOp, arith::ExtUIOp>(
          op))
    return false;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return from.isInteger(4) && (to.isInteger(8) || to.isInteger(16));
  return (from.isInteger(4) && (to.isF16() || to.isBF16() || to.isF32())) ||
         (from.isInteger(8) && to.isF16());
}

/// A splat of `value` in the shape of `type`.
static Value splat(ImplicitLocOpBuilder &b, Type type, double value) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr attr = b.getFloatAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

/// Codes, extended: one in an integer of `width` bits, or two in the halves of
/// 32.
static Num widen(ImplicitLocOpBuilder &b, ArrayRef<Value> codes,
                 unsigned width) {
  if (codes.size() == 1)
    return unsignedTo(Num(b, codes[0]), b.getIntegerType(width));
  Type i32 = b.getI32Type();
  return unsignedTo(Num(b, codes[0]), i32) |
         shl(unsignedTo(Num(b, codes[1]), i32), 16);
}

/// An integer's bits as a value of `type`: a float, or two in its halves.
static Value asFloats(ImplicitLocOpBuilder &b, Num bits, Type type) {
  if (isa<VectorType>(type))
    return LLVM::BitcastOp::create(b, type, bits);
  return arith::BitcastOp::create(b, type, bits);
}

/// Applies `convert`, which gives a value of `count` elements from so many
/// codes (1 or 2), to all elements.
static Value
convertCodes(ImplicitLocOpBuilder &b, Value source, Type result, bool inPairs,
             llvm::function_ref<Value(ArrayRef<Value>, Type)> convert) {
  SmallVector<Value> codes = unpack(b, source), results;
  Type element = getElementTypeOrSelf(result);
  for (size_t i = 0; i < codes.size();) {
    size_t count = inPairs && i + 1 < codes.size() ? 2 : 1;
    Type type = count == 2 ? Type(VectorType::get(2, element)) : element;
    Value value = convert(ArrayRef<Value>(codes).slice(i, count), type);
    for (size_t e = 0; e < count; ++e)
      results.push_back(count == 1 ? value
                                   : vector::ExtractOp::create(b, value, e));
    i += count;
  }
  return pack(b, result, results);
}

namespace {
/// The bits of 2^n (n the mantissa's width), and how the sign is kept out of
/// the way: the code's top bit flipped is the number plus 8, of i8 plus 128.
template <typename OpT> struct IntegerToFloat : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!isPackedCast(op) || !isScalarOrFixedVector(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected codes of known length");
    constexpr bool isSigned = std::is_same_v<OpT, arith::SIToFPOp>;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type to = getElementTypeOrSelf(op.getType());
    unsigned width = to.getIntOrFloatBitWidth();
    int64_t power = to.isF32() ? 0x4b000000 : to.isF16() ? 0x6400 : 0x4300;
    double anchor = to.isF32() ? 0x1p23 : to.isF16() ? 1024 : 128;
    int64_t sign =
        1
        << (getElementTypeOrSelf(op.getIn().getType()).getIntOrFloatBitWidth() -
            1);
    int64_t flip = power | (isSigned ? sign : 0);
    if (isSigned)
      anchor += double(sign);
    rewriter.replaceOp(
        op, convertCodes(
                b, op.getIn(), op.getType(), width == 16,
                [&](ArrayRef<Value> codes, Type type) -> Value {
                  Num bits = widen(b, codes, width);
                  bits = bits ^ (codes.size() == 2 ? flip << 16 | flip : flip);
                  Value shifted = asFloats(b, bits, type);
                  // bf16 has fma from sm_80 on, sub from sm_90 on.
                  if (to.isBF16())
                    return math::FmaOp::create(b, shifted, splat(b, type, 1),
                                               splat(b, type, -anchor));
                  return arith::SubFOp::create(b, shifted,
                                               splat(b, type, anchor));
                }));
    return success();
  }
};

/// Casts to i8 and i16: four or two codes share 32 bits. LLVM extends single
/// codes as vectors of i4, which NVPTX takes apart through memory, or byte by
/// byte; a signed one that is left over is inline assembly.
template <typename OpT> struct ExtendCodes : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!isPackedCast(op) || !isScalarOrFixedVector(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected i4 of known length");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type to = getElementTypeOrSelf(op.getType());
    size_t fields = 32 / to.getIntOrFloatBitWidth();
    SmallVector<Value> codes = unpack(b, op.getIn()), elements;
    if (!isSigned && codes.size() < fields)
      return rewriter.notifyMatchFailure(op, "expected codes for 32 bits");
    while (elements.size() < codes.size()) {
      ArrayRef<Value> rest = ArrayRef(codes).drop_front(elements.size());
      if (rest.size() >= fields)
        extendTogether(b, rest.take_front(fields), to, elements);
      else
        elements.push_back(extendOne(b, rest.front(), to));
    }
    rewriter.replaceOp(op, pack(b, op.getType(), elements));
    return success();
  }

private:
  static constexpr bool isSigned = std::is_same_v<OpT, arith::ExtSIOp>;

  static void extendTogether(ImplicitLocOpBuilder &b, ArrayRef<Value> codes,
                             Type to, SmallVectorImpl<Value> &elements) {
    unsigned width = to.getIntOrFloatBitWidth();
    Type i32 = b.getI32Type();
    Num word = unsignedTo(Num(b, codes[0]), i32);
    for (size_t i = 1; i < codes.size(); ++i)
      word = word | shl(unsignedTo(Num(b, codes[i]), i32), i * width);
    if (isSigned) {
      // A code's top bit flipped is the number plus 8. It comes off below the
      // field's own top bit, which keeps a field from borrowing of the next.
      int64_t each = width == 8 ? 0x01010101 : 0x00010001;
      int64_t top = each << (width - 1);
      word = ((word ^ (8 * each | top)) - word.likeInt(8 * each)) ^ top;
    }
    Value vector = LLVM::BitcastOp::create(
        b, VectorType::get(int64_t(codes.size()), to), word);
    for (size_t i = 0; i < codes.size(); ++i)
      elements.push_back(vector::ExtractOp::create(b, vector, i));
  }

  static Value extendOne(ImplicitLocOpBuilder &b, Value code, Type to) {
    Num wide = unsignedTo(Num(b, code), b.getI32Type());
    if (!isSigned)
      return signedTo(wide, to);
    auto dialect =
        LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
    Value extended =
        LLVM::InlineAsmOp::create(
            b, TypeRange(wide.type()), Value(wide), "bfe.s32 $0, $1, 0, 4;",
            "=r,r", /*has_side_effects=*/false, /*is_align_stack=*/false,
            LLVM::tailcallkind::TailCallKind::None, dialect,
            /*operand_attrs=*/ArrayAttr())
            .getResult(0);
    return signedTo(Num(b, extended), to);
  }
};

/// fp4 to f16 or bf16: the exponent's and the mantissa's bit below those of the
/// result, of which fp4 lacks all but the last two.
struct Fp4ToHalf : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    if (!isa<Float4E2M1FNType>(getElementTypeOrSelf(op.getIn().getType())) ||
        !(to.isF16() || to.isBF16()) || !isScalarOrFixedVector(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected fp4 to f16 or bf16");
    int64_t exponent = to.isF16() ? 9 : 6;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value source = arith::BitcastOp::create(
        b, withShapeOf(op.getIn().getType(), b.getIntegerType(4)), op.getIn());
    rewriter.replaceOp(
        op, convertCodes(
                b, source, op.getType(), /*inPairs=*/true,
                [&](ArrayRef<Value> codes, Type type) -> Value {
                  Num bits = widen(b, codes, 16);
                  int64_t both = codes.size() == 2 ? 0x00010001 : 1;
                  Num moved =
                      shl(bits & 7 * both, exponent) | shl(bits & 8 * both, 12);
                  Value tiny = asFloats(b, moved, type);
                  // bf16 has fma from sm_80 on, mul from sm_90 on;
                  // adding -0.0 changes no number.
                  if (to.isBF16())
                    return math::FmaOp::create(b, tiny, splat(b, type, 0x1p126),
                                               splat(b, type, -0.0));
                  return arith::MulFOp::create(b, tiny, splat(b, type, 0x1p14));
                }));
    return success();
  }
};
} // namespace

void tile::populatePackedCastPatterns(RewritePatternSet &patterns,
                                      PatternBenefit benefit) {
  patterns
      .add<IntegerToFloat<arith::SIToFPOp>, IntegerToFloat<arith::UIToFPOp>,
           ExtendCodes<arith::ExtSIOp>, ExtendCodes<arith::ExtUIOp>, Fp4ToHalf>(
          patterns.getContext(), benefit);
}
