//===- ViewPattern.cpp - views of buffers on the CPU ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers are dense memory in row-major order: a view is another descriptor of
// it. One of other elements is made from the address, which memref has no
// operation for.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::tile;

static SmallVector<int64_t> stridesOf(MemRefType type) {
  return type.getStridesAndOffset().first;
}

/// Strides of dense memory of these sizes.
static SmallVector<Value> denseStrides(OpBuilder &b, Location loc,
                                       ArrayRef<Value> sizes) {
  SmallVector<Value> strides(sizes.size());
  Value stride = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride = arith::MulIOp::create(b, loc, stride, sizes[d]);
  }
  return strides;
}

/// A descriptor of the memory of type `to` at an address (i64).
static Value describe(OpBuilder &b, Location loc, Value address, MemRefType to,
                      ArrayRef<OpFoldResult> sizes) {
  Type i64 = b.getI64Type();
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  Value pointer = LLVM::IntToPtrOp::create(b, loc, pointerType, address);
  auto array = LLVM::LLVMArrayType::get(i64, to.getRank());
  SmallVector<Type> fields{pointerType, pointerType, i64};
  if (to.getRank())
    fields.append({array, array});
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  Value descriptor = LLVM::PoisonOp::create(b, loc, type);
  auto set = [&](Value value, ArrayRef<int64_t> position) {
    descriptor =
        LLVM::InsertValueOp::create(b, loc, descriptor, value, position);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  set(pointer, 0);
  set(pointer, 1);
  set(constant(0), 2);
  SmallVector<Value> extents;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    auto dynamic = dyn_cast<Value>(size);
    extents.push_back(
        dynamic ? Value(arith::IndexCastOp::create(b, loc, i64, dynamic))
                : constant(to.getDimSize(d)));
  }
  for (auto [d, extent, stride] :
       llvm::enumerate(extents, denseStrides(b, loc, extents))) {
    set(extent, {3, int64_t(d)});
    set(stride, {4, int64_t(d)});
  }
  // Spaces are dropped from the types of all buffers.
  auto plain = MemRefType::get(to.getShape(), to.getElementType());
  Value result =
      UnrealizedConversionCastOp::create(b, loc, TypeRange{plain}, descriptor)
          .getResult(0);
  if (plain == to)
    return result;
  return memref::MemorySpaceCastOp::create(b, loc, to, result);
}

namespace {
struct ViewLowering : OpConversionPattern<ViewOp> {
  using OpConversionPattern::OpConversionPattern;

  /// Extents of the result; a dynamic one takes what is left.
  static SmallVector<OpFoldResult> sizesOf(OpBuilder &b, ViewOp op,
                                           Value source) {
    auto from = cast<MemRefType>(op.getSource().getType());
    auto to = cast<MemRefType>(op.getType());
    SmallVector<OpFoldResult> sizes;
    for (int64_t extent : to.getShape())
      sizes.push_back(b.getIndexAttr(extent));
    if (to.getRank() == 0 || !to.isDynamicDim(0))
      return sizes;
    auto bitsOf = [](MemRefType type) {
      int64_t bits = getStorageBits(type.getElementType());
      for (int64_t extent : type.getShape())
        bits *= ShapedType::isDynamic(extent) ? 1 : extent;
      return bits;
    };
    Location loc = op.getLoc();
    Value bits = indexConstant(b, loc, bitsOf(from));
    if (from.isDynamicDim(0))
      bits = arith::MulIOp::create(b, loc, bits,
                                   memref::DimOp::create(b, loc, source, 0));
    sizes[0] = Value(arith::DivUIOp::create(b, loc, bits,
                                            indexConstant(b, loc, bitsOf(to))));
    return sizes;
  }

  /// A descriptor of the memory that `source` is, with other elements.
  static Value reinterpret(OpBuilder &b, ViewOp op, Value source,
                           ArrayRef<OpFoldResult> sizes) {
    Location loc = op.getLoc();
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, source);
    Value word = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
    return describe(b, loc, word, cast<MemRefType>(op.getType()), sizes);
  }

  LogicalResult
  matchAndRewrite(ViewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto from = cast<MemRefType>(op.getSource().getType());
    auto to = cast<MemRefType>(op.getType());
    SmallVector<OpFoldResult> sizes =
        sizesOf(rewriter, op, adaptor.getSource());
    if (from.getElementType() != to.getElementType()) {
      rewriter.replaceOp(op,
                         reinterpret(rewriter, op, adaptor.getSource(), sizes));
      return success();
    }
    SmallVector<OpFoldResult> strides;
    for (int64_t stride : stridesOf(to))
      strides.push_back(rewriter.getIndexAttr(stride));
    rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
        op, to, adaptor.getSource(), rewriter.getIndexAttr(0), sizes, strides);
    return success();
  }
};

struct FromAddressLowering : OpConversionPattern<FromAddressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(FromAddressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getType());
    SmallVector<OpFoldResult> sizes =
        getMixedValues(type.getShape(), adaptor.getSizes(), rewriter);
    rewriter.replaceOp(
        op, describe(rewriter, op.getLoc(), adaptor.getAddress(), type, sizes));
    return success();
  }
};
} // namespace

void tile::populateViewPattern(RewritePatternSet &patterns) {
  patterns.add<FromAddressLowering, ViewLowering>(patterns.getContext());
}
