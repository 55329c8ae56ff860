//===- LoopPatterns.cpp - parallel, pipelined and alloc on the CPU --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `parallel` runs its iterations in row-major order, or on request in the
// opposite one (any order is allowed); `pipelined` is the sequential loop it
// means; a question about iterations is the comparison it stands for. A promise
// about rows is erased and a question about rows means all rows, because one
// thread has them all (test/Conversion/TileToCPU/rows.mlir). A tile is
// allocated once per call, however deep its `alloc` stands:
// its contents are undefined until written, and on request overwritten by each
// `alloc`.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "tile/Dialect/Tile/IR/Iterations.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
struct AllocLowering : OpConversionPattern<AllocOp> {
  AllocLowering(MLIRContext *context, std::optional<unsigned> poison)
      : OpConversionPattern(context), poison(poison) {}
  LogicalResult
  matchAndRewrite(AllocOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value buffer =
        allocateScratch(rewriter, op, cast<MemRefType>(op.getType()));
    if (poison)
      poisonBuffer(rewriter, op, buffer, *poison);
    rewriter.replaceOp(op, buffer);
    return success();
  }

  std::optional<unsigned> poison;
};

/// Moves the body of a tile loop to the end of `block`, before its terminator.
void moveBody(ConversionPatternRewriter &rewriter, Region &from, Block *block,
              ValueRange indices) {
  Block &body = from.front();
  rewriter.eraseOp(body.getTerminator());
  rewriter.inlineBlockBefore(&body, block->getTerminator(), indices);
}

struct ParallelLowering : OpConversionPattern<ParallelOp> {
  ParallelLowering(MLIRContext *context, bool backwards)
      : OpConversionPattern(context), backwards(backwards) {}
  LogicalResult
  matchAndRewrite(ParallelOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value zero = indexConstant(rewriter, loc, 0);
    Value one = indexConstant(rewriter, loc, 1);
    SmallVector<Value> indices;
    Block *block = nullptr;
    for (int64_t extent : op.getExtents()) {
      Value upper = indexConstant(rewriter, loc, extent);
      auto loop = scf::ForOp::create(rewriter, loc, zero, upper, one);
      block = loop.getBody();
      rewriter.setInsertionPointToStart(block);
      Value index = loop.getInductionVar();
      if (backwards)
        index = arith::SubIOp::create(
            rewriter, loc, indexConstant(rewriter, loc, extent - 1), index);
      indices.push_back(index);
    }
    moveBody(rewriter, op.getBodyRegion(), block, indices);
    rewriter.eraseOp(op);
    return success();
  }

  bool backwards;
};

struct PipelinedLowering : OpConversionPattern<PipelinedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(PipelinedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto loop =
        scf::ForOp::create(rewriter, op.getLoc(), adaptor.getLowerBound(),
                           adaptor.getUpperBound(), adaptor.getStep());
    moveBody(rewriter, op.getBodyRegion(), loop.getBody(),
             loop.getInductionVar());
    rewriter.eraseOp(op);
    return success();
  }
};

struct IterationLowering : OpConversionPattern<IterationOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(IterationOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildComparison(rewriter, op));
    return success();
  }
};

/// One thread has all rows.
struct AnyRowLowering : OpConversionPattern<AnyRowOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AnyRowOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op,
                                                   rewriter.getBoolAttr(true));
    return success();
  }
};

struct RowIterationsLowering : OpConversionPattern<RowIterationsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RowIterationsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getUpper());
    return success();
  }
};

/// What rows matter for is done for all.
struct AssumeRowsLowering : OpConversionPattern<AssumeRowsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AssumeRowsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateLoopPatterns(RewritePatternSet &patterns, bool backwards,
                                std::optional<unsigned> poison) {
  patterns.add<AllocLowering>(patterns.getContext(), poison);
  patterns.add<ParallelLowering>(patterns.getContext(), backwards);
  patterns.add<PipelinedLowering, IterationLowering, AnyRowLowering,
               RowIterationsLowering, AssumeRowsLowering>(
      patterns.getContext());
}
