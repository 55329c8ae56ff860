//===- AtomicPatterns.cpp - where blocks meet -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks run on several threads of the CPU: loads and stores with a memory
// order become atomic operations, which order all memory there. The runtime is
// told of reads that a loop repeats, so that other blocks get on.
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "TileToCPU.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A value that is read by adding nothing to it.
struct AtomicLoadLowering : OpConversionPattern<AtomicLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AtomicLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type =
        cast<MemRefType>(adaptor.getMemref().getType()).getElementType();
    if (op->getParentOfType<scf::WhileOp>())
      RuntimeCalls(op).call(rewriter, "poll", {});
    bool isFloat = isa<FloatType>(type);
    // The sum of a zero and -0.0 is that zero.
    TypedAttr nothing = isFloat ? TypedAttr(rewriter.getFloatAttr(type, -0.0))
                                : TypedAttr(rewriter.getIntegerAttr(type, 0));
    Value operand =
        arith::ConstantOp::create(rewriter, op.getLoc(), type, nothing);
    rewriter.replaceOpWithNewOp<memref::AtomicRMWOp>(
        op, isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::ori,
        operand, adaptor.getMemref(), adaptor.getIndices());
    return success();
  }
};

struct AtomicStoreLowering : OpConversionPattern<AtomicStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AtomicStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    memref::AtomicRMWOp::create(
        rewriter, op.getLoc(), arith::AtomicRMWKind::assign, adaptor.getValue(),
        adaptor.getMemref(), adaptor.getIndices());
    rewriter.eraseOp(op);
    return success();
  }
};

/// The block that completes the sum makes the counter zero again.
struct LastArrivalLowering : OpConversionPattern<LastArrivalOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LastArrivalOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // To look at a counter is to add nothing to it.
    Value added = adaptor.getWeight();
    if (op.getIfLast())
      added = arith::ConstantOp::create(rewriter, loc,
                                        rewriter.getZeroAttr(added.getType()));
    Value before = memref::AtomicRMWOp::create(
        rewriter, loc, arith::AtomicRMWKind::addi, added, adaptor.getCounters(),
        adaptor.getIndices());
    Value sum =
        arith::AddIOp::create(rewriter, loc, before, adaptor.getWeight());
    Value last = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       sum, adaptor.getTotal());
    auto branch =
        scf::IfOp::create(rewriter, loc, last, /*withElseRegion=*/false);
    OpBuilder inside = branch.getThenBodyBuilder();
    Value zero = arith::ConstantOp::create(inside, loc,
                                           inside.getZeroAttr(sum.getType()));
    memref::StoreOp::create(inside, loc, zero, adaptor.getCounters(),
                            adaptor.getIndices());
    rewriter.replaceOp(op, last);
    return success();
  }
};

struct GridBarrierLowering : OpConversionPattern<GridBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(GridBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RuntimeCalls runtime(op);
    runtime.call(rewriter, "grid_barrier", {runtime.getBlock()});
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateAtomicPatterns(RewritePatternSet &patterns) {
  patterns.add<AtomicLoadLowering, AtomicStoreLowering, LastArrivalLowering,
               GridBarrierLowering>(patterns.getContext());
}
