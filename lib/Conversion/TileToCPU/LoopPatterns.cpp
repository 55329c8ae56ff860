//===- LoopPatterns.cpp - parallel, pipelined and alloc on the CPU --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `parallel` runs its iterations in row-major order (any order is allowed);
// `pipelined` is the sequential loop it means. A tile is allocated once per
// call, however deep its `alloc` stands: its contents are undefined until
// written.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
struct AllocLowering : OpConversionPattern<AllocOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AllocOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, allocateScratch(rewriter, op, cast<MemRefType>(op.getType())));
    return success();
  }
};

/// Moves the body of a tile loop to the end of `block`, before its terminator.
void moveBody(ConversionPatternRewriter &rewriter, Region &from, Block *block,
              ValueRange indices) {
  Block &body = from.front();
  rewriter.eraseOp(body.getTerminator());
  rewriter.inlineBlockBefore(&body, block->getTerminator(), indices);
}

struct ParallelLowering : OpConversionPattern<ParallelOp> {
  using OpConversionPattern::OpConversionPattern;
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
      indices.push_back(loop.getInductionVar());
      block = loop.getBody();
      rewriter.setInsertionPointToStart(block);
    }
    moveBody(rewriter, op.getBodyRegion(), block, indices);
    rewriter.eraseOp(op);
    return success();
  }
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
} // namespace

void tile::populateLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<AllocLowering, ParallelLowering, PipelinedLowering>(
      patterns.getContext());
}
