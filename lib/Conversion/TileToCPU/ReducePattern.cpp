//===- ReducePattern.cpp - reduce and scan on the CPU ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines along one dimension in increasing index (a reversed scan: in
// decreasing), starting from the neutral value (so a row of ignored NaNs gives
// it). Floats narrower than f32 are combined in f32 and rounded once.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "tile/Conversion/Combination.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Loads and stores of a tuple: an element of each buffer.
struct Tuples {
  SmallVector<Value> buffers;
  const Combiner &combiner;

  SmallVector<Value> load(OpBuilder &b, Location loc,
                          ValueRange indices) const {
    SmallVector<Value> loaded;
    for (auto [buffer, type] : llvm::zip(buffers, combiner.workingTypes())) {
      Value x = memref::LoadOp::create(b, loc, buffer, indices);
      loaded.push_back(castElement(b, loc, x, type));
    }
    return loaded;
  }
  void store(OpBuilder &b, Location loc, ValueRange values,
             ValueRange indices) const {
    for (auto [buffer, value] : llvm::zip(buffers, values)) {
      Type element = cast<MemRefType>(buffer.getType()).getElementType();
      memref::StoreOp::create(b, loc, castElement(b, loc, value, element),
                              buffer, indices);
    }
  }
};

/// What buffers have become in the conversion.
SmallVector<Value> remapped(ConversionPatternRewriter &rewriter,
                            ArrayRef<Value> buffers) {
  return llvm::map_to_vector(
      buffers, [&](Value buffer) { return rewriter.getRemappedValue(buffer); });
}

/// The index of a row in a tile without dimension `dim`, or with extent one
/// there.
SmallVector<Value> rowIndices(OpBuilder &b, Location loc, Value tile,
                              ValueRange row, unsigned dim) {
  SmallVector<Value> indices = llvm::to_vector(row);
  if (size_t(cast<MemRefType>(tile.getType()).getRank()) > row.size())
    indices.insert(indices.begin() + dim, indexConstant(b, loc, 0));
  return indices;
}

template <typename OpT> struct ReduceLowering : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Reduction reduction(op);
    const Combiner &combiner = reduction.combiner;
    Tuples sources{remapped(rewriter, reduction.sources), combiner};
    Tuples targets{remapped(rewriter, reduction.targets), combiner};
    unsigned dim = reduction.dim;
    SmallVector<int64_t> kept = llvm::to_vector(
        cast<MemRefType>(sources.buffers.front().getType()).getShape());
    int64_t extent = kept[dim];
    kept.erase(kept.begin() + dim);

    loopOver(
        rewriter, loc, kept, [&](OpBuilder &b, Location l, ValueRange outer) {
          SmallVector<Value> targetIndices =
              rowIndices(b, l, targets.buffers.front(), outer, dim);
          auto loop = scf::ForOp::create(
              b, l, indexConstant(b, l, 0), indexConstant(b, l, extent),
              indexConstant(b, l, 1), combiner.neutral(b, l),
              [&](OpBuilder &inner, Location il, Value index,
                  ValueRange carried) {
                SmallVector<Value> indices = llvm::to_vector(outer);
                indices.insert(indices.begin() + dim, index);
                SmallVector<Value> x = sources.load(inner, il, indices);
                for (Value &value : x)
                  value = combiner.prepare(inner, il, value);
                scf::YieldOp::create(inner, il,
                                     combiner.combine(inner, il, carried, x));
              });
          SmallVector<Value> result =
              llvm::to_vector_of<Value>(loop.getResults());
          if (reduction.accumulates)
            result = combiner.combine(b, l, targets.load(b, l, targetIndices),
                                      result);
          targets.store(b, l, result, targetIndices);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename OpT> struct ScanLowering : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Scan scan(op);
    const Combiner &combiner = scan.combiner;
    Tuples sources{remapped(rewriter, scan.sources), combiner};
    Tuples targets{remapped(rewriter, scan.targets), combiner};
    Tuples carries{remapped(rewriter, scan.carries), combiner};
    unsigned dim = scan.dim;
    SmallVector<int64_t> others = llvm::to_vector(
        cast<MemRefType>(sources.buffers.front().getType()).getShape());
    int64_t extent = others[dim];
    others.erase(others.begin() + dim);

    auto scanRow = [&](OpBuilder &b, Location l, ValueRange outer) {
      Value last = indexConstant(b, l, extent - 1);
      SmallVector<Value> start = combiner.neutral(b, l), carryIndices;
      if (!carries.buffers.empty()) {
        carryIndices = rowIndices(b, l, carries.buffers.front(), outer, dim);
        start = carries.load(b, l, carryIndices);
      }
      auto loop = scf::ForOp::create(
          b, l, indexConstant(b, l, 0), indexConstant(b, l, extent),
          indexConstant(b, l, 1), start,
          [&](OpBuilder &inner, Location il, Value place, ValueRange carried) {
            Value index = scan.isReverse
                              ? arith::SubIOp::create(inner, il, last, place)
                              : place;
            SmallVector<Value> indices = llvm::to_vector(outer);
            indices.insert(indices.begin() + dim, index);
            SmallVector<Value> soFar = combiner.combine(
                inner, il, carried, sources.load(inner, il, indices));
            targets.store(inner, il,
                          scan.isExclusive ? carried : ValueRange(soFar),
                          indices);
            scf::YieldOp::create(inner, il, soFar);
          });
      if (!carries.buffers.empty())
        carries.store(b, l, loop.getResults(), carryIndices);
    };
    loopOver(rewriter, op.getLoc(), others, scanRow);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateReducePattern(RewritePatternSet &patterns) {
  patterns.add<ReduceLowering<ReduceOp>, ReduceLowering<ReduceWithOp>,
               ScanLowering<ScanOp>, ScanLowering<ScanWithOp>>(
      patterns.getContext());
}
