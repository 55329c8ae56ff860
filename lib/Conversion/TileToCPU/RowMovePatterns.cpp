//===- RowMovePatterns.cpp - im2col, gather, scatter on the CPU -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the elements of a tile, each of which is found by the definition
// of its operation and tested against the bounds of the global buffer.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Index arithmetic at one place.
struct Indices {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) const { return indexConstant(b, loc, value); }
  Value add(Value x, Value y) const {
    return arith::AddIOp::create(b, loc, x, y);
  }
  Value mul(Value x, Value y) const {
    return arith::MulIOp::create(b, loc, x, y);
  }
  Value div(Value x, Value y) const {
    return arith::DivSIOp::create(b, loc, x, y);
  }
  Value rem(Value x, Value y) const {
    return arith::RemSIOp::create(b, loc, x, y);
  }
  Value less(Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  }
  Value both(Value x, Value y) const {
    return arith::AndIOp::create(b, loc, x, y);
  }
  /// Whether all indices lie inside of `buffer`: a negative one is a large
  /// unsigned one.
  Value inside(Value buffer, ArrayRef<Value> indices) const {
    Value all;
    for (auto [d, index] : llvm::enumerate(indices)) {
      Value size = memref::DimOp::create(b, loc, buffer, d);
      Value fits =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, size);
      all = all ? both(all, fits) : fits;
    }
    return all;
  }
};

/// The element of `buffer` at `indices` where `exists` holds, else zero, as
/// `type`.
Value loadOrZero(OpBuilder &b, Location loc, Value exists, Value buffer,
                 ArrayRef<Value> indices, Type type) {
  return scf::IfOp::create(
             b, loc, exists,
             [&](OpBuilder &then, Location) {
               Value element =
                   memref::LoadOp::create(then, loc, buffer, indices);
               scf::YieldOp::create(then, loc,
                                    castElement(then, loc, element, type));
             },
             [&](OpBuilder &other, Location) {
               Value zero = arith::ConstantOp::create(other, loc,
                                                      other.getZeroAttr(type));
               scf::YieldOp::create(other, loc, zero);
             })
      .getResult(0);
}

struct Im2colLowering : OpConversionPattern<Im2colOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Im2colOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = adaptor.getSource(), target = adaptor.getTarget();
    unsigned numSpatial = op.getNumSpatial();
    Indices at{rewriter, loc};
    // outputs = max(0, floor(room / stride) + 1), of room >= 0
    SmallVector<Value> outputs;
    Value pixels = memref::DimOp::create(rewriter, loc, source, 0);
    for (unsigned i = 0; i < numSpatial; ++i) {
      int64_t extra = op.getPadLower(i) + op.getPadUpper(i) - 1 -
                      op.getDilation(i) * (op.getKernel()[i] - 1);
      Value size = memref::DimOp::create(rewriter, loc, source, i + 1);
      Value room = at.add(size, at.constant(extra));
      Value count =
          at.add(at.div(room, at.constant(op.getStride(i))), at.constant(1));
      Value none = at.less(room, at.constant(0));
      outputs.push_back(
          arith::SelectOp::create(rewriter, loc, none, at.constant(0), count));
      pixels = at.mul(pixels, outputs.back());
    }
    Type type = elementTypeOf(target);
    loopOver(rewriter, loc, op.getTileShape(),
             [&](OpBuilder &b, Location l, ValueRange tile) {
               Indices in{b, l};
               Value pixel = in.add(adaptor.getPixel(), tile[0]);
               // The number of outputs is never zero in this division: without
               // outputs there is no pixel.
               Value exists = in.less(pixel, pixels);
               SmallVector<Value> from(numSpatial + 2);
               Value left = pixel;
               for (unsigned i = numSpatial; i-- > 0;) {
                 Value count =
                     arith::MaxSIOp::create(b, l, outputs[i], in.constant(1));
                 Value output = in.rem(left, count);
                 left = in.div(left, count);
                 Value first = in.mul(output, in.constant(op.getStride(i)));
                 Value tap = in.mul(adaptor.getFilter()[i],
                                    in.constant(op.getDilation(i)));
                 from[i + 1] = in.add(in.add(first, tap),
                                      in.constant(-op.getPadLower(i)));
               }
               from.front() = left;
               from.back() = in.add(adaptor.getChannel(), tile[1]);
               exists = in.both(exists, in.inside(source, from));
               Value value = loadOrZero(b, l, exists, source, from, type);
               memref::StoreOp::create(b, l, value, target, tile);
             });
    rewriter.eraseOp(op);
    return success();
  }
};

/// The element of the global buffer that element `tile` of the tile names.
template <typename OpT>
SmallVector<Value> namedElement(OpT op, typename OpT::Adaptor adaptor,
                                OpBuilder &b, Location loc, ValueRange tile) {
  Indices in{b, loc};
  Value indices = adaptor.getIndices();
  Value at = in.add(adaptor.getFirst(), tile[0]);
  auto load = [&](OpBuilder &builder) -> Value {
    Value row = memref::LoadOp::create(builder, loc, indices, at);
    if (row.getType().isIndex())
      return row;
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      row);
  };
  Value row;
  if (isGlobal(op.getIndices()))
    row = scf::IfOp::create(
              b, loc, in.inside(indices, at),
              [&](OpBuilder &then, Location) {
                scf::YieldOp::create(then, loc, load(then));
              },
              [&](OpBuilder &other, Location) {
                scf::YieldOp::create(other, loc, indexConstant(other, loc, -1));
              })
              .getResult(0);
  else
    row = load(b);
  return {row, in.add(adaptor.getColumn(), tile[1])};
}

struct GatherLowering : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value source = adaptor.getSource(), target = adaptor.getTarget();
    loopOver(rewriter, op.getLoc(), op.getTileShape(),
             [&](OpBuilder &b, Location l, ValueRange tile) {
               SmallVector<Value> from = namedElement(op, adaptor, b, l, tile);
               Value value =
                   loadOrZero(b, l, Indices{b, l}.inside(source, from), source,
                              from, elementTypeOf(target));
               memref::StoreOp::create(b, l, value, target, tile);
             });
    rewriter.eraseOp(op);
    return success();
  }
};

struct ScatterLowering : OpConversionPattern<ScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScatterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value source = adaptor.getSource(), target = adaptor.getTarget();
    loopOver(rewriter, op.getLoc(), op.getTileShape(),
             [&](OpBuilder &b, Location l, ValueRange tile) {
               SmallVector<Value> to = namedElement(op, adaptor, b, l, tile);
               auto branch =
                   scf::IfOp::create(b, l, Indices{b, l}.inside(target, to));
               OpBuilder inner = branch.getThenBodyBuilder();
               Value element = memref::LoadOp::create(inner, l, source, tile);
               memref::StoreOp::create(
                   inner, l,
                   castElement(inner, l, element, elementTypeOf(target)),
                   target, to);
             });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateRowMovePatterns(RewritePatternSet &patterns) {
  patterns.add<Im2colLowering, GatherLowering, ScatterLowering>(
      patterns.getContext());
}
