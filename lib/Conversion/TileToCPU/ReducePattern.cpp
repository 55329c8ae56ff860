//===- ReducePattern.cpp - reduce on the CPU ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines along one dimension in increasing index, starting from the kind's
// identity (so a row of ignored NaNs gives it). Floats narrower than f32 are
// combined in f32 and rounded once.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
struct ReduceLowering : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  /// The value that changes nothing. Magnitudes are not negative: 0 for absmax.
  static TypedAttr identity(OpBuilder &b, ReduceOp op, Type type) {
    ReduceKind kind = op.getKind();
    bool extreme = kind == ReduceKind::Max || kind == ReduceKind::Min;
    if (!extreme)
      return b.getZeroAttr(type);
    if (auto floatType = dyn_cast<FloatType>(type))
      return b.getFloatAttr(
          type, APFloat::getInf(floatType.getFloatSemantics(),
                                /*Negative=*/kind == ReduceKind::Max));
    unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    APInt value = kind == ReduceKind::Max
                      ? (op.getIsUnsigned() ? APInt::getMinValue(bits)
                                            : APInt::getSignedMinValue(bits))
                      : (op.getIsUnsigned() ? APInt::getMaxValue(bits)
                                            : APInt::getSignedMaxValue(bits));
    return b.getIntegerAttr(type, value);
  }

  static Value magnitude(OpBuilder &b, Location loc, ReduceOp op, Value x) {
    if (op.getKind() != ReduceKind::AbsSum &&
        op.getKind() != ReduceKind::AbsMax)
      return x;
    if (isa<FloatType>(x.getType()))
      return math::AbsFOp::create(b, loc, x);
    return op.getIsUnsigned() ? x : Value(math::AbsIOp::create(b, loc, x));
  }

  static Value combine(OpBuilder &b, Location loc, ReduceOp op, Value x,
                       Value y) {
    bool isFloat = isa<FloatType>(x.getType());
    switch (op.getKind()) {
    case ReduceKind::Sum:
    case ReduceKind::AbsSum:
      return isFloat ? Value(arith::AddFOp::create(b, loc, x, y))
                     : Value(arith::AddIOp::create(b, loc, x, y));
    case ReduceKind::Max:
    case ReduceKind::AbsMax:
      if (isFloat)
        return op.getPropagateNan()
                   ? Value(arith::MaximumFOp::create(b, loc, x, y))
                   : Value(arith::MaxNumFOp::create(b, loc, x, y));
      return op.getIsUnsigned() ? Value(arith::MaxUIOp::create(b, loc, x, y))
                                : Value(arith::MaxSIOp::create(b, loc, x, y));
    case ReduceKind::Min:
      if (isFloat)
        return op.getPropagateNan()
                   ? Value(arith::MinimumFOp::create(b, loc, x, y))
                   : Value(arith::MinNumFOp::create(b, loc, x, y));
      return op.getIsUnsigned() ? Value(arith::MinUIOp::create(b, loc, x, y))
                                : Value(arith::MinSIOp::create(b, loc, x, y));
    }
    llvm_unreachable("all kinds are listed");
  }

  LogicalResult
  matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto from = cast<MemRefType>(op.getSource().getType());
    auto to = cast<MemRefType>(op.getTarget().getType());
    Type element = from.getElementType();
    Type type = element;
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
      type = rewriter.getF32Type();
    unsigned dim = op.getDim();
    SmallVector<int64_t> kept = llvm::to_vector(from.getShape());
    int64_t extent = kept[dim];
    kept.erase(kept.begin() + dim);

    loopOver(
        rewriter, loc, kept, [&](OpBuilder &b, Location l, ValueRange outer) {
          SmallVector<Value> targetIndices = llvm::to_vector(outer);
          if (to.getRank() == from.getRank())
            targetIndices.insert(targetIndices.begin() + dim,
                                 indexConstant(b, l, 0));
          Value start = arith::ConstantOp::create(b, l, identity(b, op, type));
          auto loop = scf::ForOp::create(
              b, l, indexConstant(b, l, 0), indexConstant(b, l, extent),
              indexConstant(b, l, 1), start,
              [&](OpBuilder &inner, Location il, Value index,
                  ValueRange carried) {
                SmallVector<Value> indices = llvm::to_vector(outer);
                indices.insert(indices.begin() + dim, index);
                Value x = memref::LoadOp::create(inner, il, adaptor.getSource(),
                                                 indices);
                x = magnitude(inner, il, op, castElement(inner, il, x, type));
                scf::YieldOp::create(
                    inner, il, combine(inner, il, op, carried.front(), x));
              });
          Value result = loop.getResult(0);
          if (op.getAccumulate()) {
            Value held = memref::LoadOp::create(b, l, adaptor.getTarget(),
                                                targetIndices);
            result = combine(b, l, op, castElement(b, l, held, type), result);
          }
          memref::StoreOp::create(b, l, castElement(b, l, result, element),
                                  adaptor.getTarget(), targetIndices);
        });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateReducePattern(RewritePatternSet &patterns) {
  patterns.add<ReduceLowering>(patterns.getContext());
}
