//===- ReducePattern.cpp - reduce and scan on the CPU ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines along one dimension in increasing index (a reversed scan: in
// decreasing), starting from the kind's identity (so a row of ignored NaNs
// gives it). Floats narrower than f32 are combined in f32 and rounded once.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "tile/Conversion/Combination.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
struct ReduceLowering : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto from = cast<MemRefType>(op.getSource().getType());
    auto to = cast<MemRefType>(op.getTarget().getType());
    Type element = from.getElementType();
    Type type = Combination::workingType(element);
    Combination combination(op);
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
          Value start =
              arith::ConstantOp::create(b, l, combination.identity(b, type));
          auto loop = scf::ForOp::create(
              b, l, indexConstant(b, l, 0), indexConstant(b, l, extent),
              indexConstant(b, l, 1), start,
              [&](OpBuilder &inner, Location il, Value index,
                  ValueRange carried) {
                SmallVector<Value> indices = llvm::to_vector(outer);
                indices.insert(indices.begin() + dim, index);
                Value x = memref::LoadOp::create(inner, il, adaptor.getSource(),
                                                 indices);
                x = combination.magnitude(inner, il,
                                          castElement(inner, il, x, type));
                scf::YieldOp::create(
                    inner, il,
                    combination.combine(inner, il, carried.front(), x));
              });
          Value result = loop.getResult(0);
          if (op.getAccumulate()) {
            Value held = memref::LoadOp::create(b, l, adaptor.getTarget(),
                                                targetIndices);
            result = combination.combine(b, l, castElement(b, l, held, type),
                                         result);
          }
          memref::StoreOp::create(b, l, castElement(b, l, result, element),
                                  adaptor.getTarget(), targetIndices);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

struct ScanLowering : OpConversionPattern<ScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto memref = cast<MemRefType>(op.getSource().getType());
    Type element = memref.getElementType();
    Type type = Combination::workingType(element);
    Combination combination(op);
    unsigned dim = op.getDim();
    SmallVector<int64_t> others = llvm::to_vector(memref.getShape());
    int64_t extent = others[dim];
    others.erase(others.begin() + dim);

    auto scanRow = [&](OpBuilder &b, Location l, ValueRange outer) {
      Value start =
          arith::ConstantOp::create(b, l, combination.identity(b, type));
      Value last = indexConstant(b, l, extent - 1);
      scf::ForOp::create(
          b, l, indexConstant(b, l, 0), indexConstant(b, l, extent),
          indexConstant(b, l, 1), start,
          [&](OpBuilder &inner, Location il, Value place, ValueRange carried) {
            Value index = op.getReverse()
                              ? arith::SubIOp::create(inner, il, last, place)
                              : place;
            SmallVector<Value> indices = llvm::to_vector(outer);
            indices.insert(indices.begin() + dim, index);
            Value x =
                memref::LoadOp::create(inner, il, adaptor.getSource(), indices);
            Value soFar = combination.combine(inner, il, carried.front(),
                                              castElement(inner, il, x, type));
            memref::StoreOp::create(inner, il,
                                    castElement(inner, il, soFar, element),
                                    adaptor.getTarget(), indices);
            scf::YieldOp::create(inner, il, soFar);
          });
    };
    loopOver(rewriter, op.getLoc(), others, scanRow);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateReducePattern(RewritePatternSet &patterns) {
  patterns.add<ReduceLowering, ScanLowering>(patterns.getContext());
}
