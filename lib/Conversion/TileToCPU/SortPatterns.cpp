//===- SortPatterns.cpp - sort and topk on the CPU ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By rank: an element's place in the order is the number of elements that come
// before it, those of less key and those of equal key further in front. Equal
// keys keep their order so. Quadratic, and no network.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "tile/Conversion/OrderedKeys.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A row of keys along `dim`, whose other indices are `outer`.
struct Row {
  Value keys;
  unsigned dim;
  bool isUnsigned, descending;

  int64_t extent() const {
    return cast<MemRefType>(keys.getType()).getDimSize(dim);
  }
  SmallVector<Value> at(ValueRange outer, Value index) const {
    SmallVector<Value> indices = llvm::to_vector(outer);
    indices.insert(indices.begin() + dim, index);
    return indices;
  }
  Value key(OpBuilder &b, Location loc, ValueRange outer, Value index) const {
    Value value = memref::LoadOp::create(b, loc, keys, at(outer, index));
    return orderedKey(b, loc, value, isUnsigned, descending);
  }
  /// How many elements come before the one at `index`.
  Value rank(OpBuilder &b, Location loc, ValueRange outer, Value index) const {
    Value own = key(b, loc, outer, index);
    auto count = [&](OpBuilder &inner, Location l, Value other,
                     ValueRange carried) {
      Value theirs = key(inner, l, outer, other);
      Value isLess = arith::CmpIOp::create(inner, l, arith::CmpIPredicate::ult,
                                           theirs, own);
      Value isEqual = arith::CmpIOp::create(inner, l, arith::CmpIPredicate::eq,
                                            theirs, own);
      Value isInFront = arith::CmpIOp::create(
          inner, l, arith::CmpIPredicate::ult, other, index);
      Value counts = arith::OrIOp::create(
          inner, l, isLess,
          arith::AndIOp::create(inner, l, isEqual, isInFront));
      Value one =
          arith::IndexCastUIOp::create(inner, l, inner.getIndexType(), counts);
      Value sum = arith::AddIOp::create(inner, l, carried.front(), one);
      scf::YieldOp::create(inner, l, sum);
    };
    return scf::ForOp::create(b, loc, indexConstant(b, loc, 0),
                              indexConstant(b, loc, extent()),
                              indexConstant(b, loc, 1),
                              indexConstant(b, loc, 0), count)
        .getResult(0);
  }
};

SmallVector<int64_t> withoutDim(MemRefType type, unsigned dim) {
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  shape.erase(shape.begin() + dim);
  return shape;
}

void forEach(OpBuilder &b, Location loc, int64_t count,
             function_ref<void(OpBuilder &, Location, Value)> body) {
  scf::ForOp::create(
      b, loc, indexConstant(b, loc, 0), indexConstant(b, loc, count),
      indexConstant(b, loc, 1), {},
      [&](OpBuilder &inner, Location l, Value index, ValueRange) {
        body(inner, l, index);
        scf::YieldOp::create(inner, l);
      });
}

struct SortLowering : OpConversionPattern<SortOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SortOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Row row{adaptor.getKeys(), unsigned(op.getDim()), op.getIsUnsigned(),
            op.getDescending()};
    auto type = cast<MemRefType>(row.keys.getType());
    SmallVector<Value> buffers = {row.keys};
    llvm::append_range(buffers, adaptor.getPayloads());
    // Rows in their new order, before they replace the old ones.
    SmallVector<Value> sorted;
    for (Value buffer : buffers)
      sorted.push_back(memref::AllocOp::create(
          rewriter, loc,
          MemRefType::get(row.extent(),
                          cast<MemRefType>(buffer.getType()).getElementType()),
          rewriter.getI64IntegerAttr(kCpuAlignment)));
    Type element = type.getElementType();
    auto sortRow = [&](OpBuilder &b, Location l, ValueRange outer) {
      forEach(b, l, row.extent(), [&](OpBuilder &i, Location il, Value index) {
        Value rank = row.rank(i, il, outer, index);
        for (auto [number, buffer] : llvm::enumerate(buffers)) {
          Value value =
              memref::LoadOp::create(i, il, buffer, row.at(outer, index));
          // What a NaN comes out as.
          if (number == 0 && isa<FloatType>(element))
            value = numberOfKey(i, il,
                                orderedKey(i, il, value, row.isUnsigned, false),
                                element, row.isUnsigned, false);
          memref::StoreOp::create(i, il, value, sorted[number], rank);
        }
      });
      forEach(b, l, row.extent(), [&](OpBuilder &i, Location il, Value index) {
        for (auto [from, to] : llvm::zip(sorted, buffers))
          memref::StoreOp::create(i, il,
                                  memref::LoadOp::create(i, il, from, index),
                                  to, row.at(outer, index));
      });
    };
    loopOver(rewriter, loc, withoutDim(type, row.dim), sortRow);
    for (Value buffer : sorted)
      memref::DeallocOp::create(rewriter, loc, buffer);
    rewriter.eraseOp(op);
    return success();
  }
};

struct TopKLowering : OpConversionPattern<TopKOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TopKOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Row row{adaptor.getSource(), unsigned(op.getDim()), op.getIsUnsigned(),
            !op.getSmallest()};
    auto type = cast<MemRefType>(row.keys.getType());
    auto to = cast<MemRefType>(adaptor.getPlaces().getType());
    auto selectRow = [&](OpBuilder &b, Location l, ValueRange outer) {
      forEach(b, l, row.extent(), [&](OpBuilder &i, Location il, Value index) {
        Value rank = row.rank(i, il, outer, index);
        Value isSelected =
            arith::CmpIOp::create(i, il, arith::CmpIPredicate::ult, rank,
                                  indexConstant(i, il, to.getDimSize(row.dim)));
        scf::IfOp::create(i, il, isSelected, [&](OpBuilder &t, Location tl) {
          Value value =
              memref::LoadOp::create(t, tl, row.keys, row.at(outer, index));
          value = numberOfKey(t, tl,
                              orderedKey(t, tl, value, row.isUnsigned, false),
                              value.getType(), row.isUnsigned, false);
          memref::StoreOp::create(t, tl, value, adaptor.getValues(),
                                  row.at(outer, rank));
          Value place =
              arith::IndexCastOp::create(t, tl, to.getElementType(), index);
          memref::StoreOp::create(t, tl, place, adaptor.getPlaces(),
                                  row.at(outer, rank));
          scf::YieldOp::create(t, tl);
        });
      });
    };
    loopOver(rewriter, op.getLoc(), withoutDim(type, row.dim), selectRow);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateSortPatterns(RewritePatternSet &patterns) {
  patterns.add<SortLowering, TopKLowering>(patterns.getContext());
}
