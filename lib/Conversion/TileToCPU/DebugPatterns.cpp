//===- DebugPatterns.cpp - print, assert, assume on the CPU ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the functions that whoever runs the program provides (in this
// project lib/Execution/CpuRuntime.cpp): each takes the `%context` that the
// kernel's function was given.
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
struct PrintLowering : OpConversionPattern<PrintOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(PrintOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RuntimeCalls runtime(op);
    Value value = adaptor.getValue();
    Value message = runtime.message(rewriter, op.getMessage());
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type) {
      runtime.printBegin(rewriter, message);
      runtime.printValue(rewriter, value);
    } else {
      loopOver(rewriter, op.getLoc(), type.getShape(),
               [&](OpBuilder &b, Location loc, ValueRange indices) {
                 runtime.printBegin(b, message);
                 for (Value index : indices)
                   runtime.printIndex(b, index);
                 runtime.printValue(
                     b, memref::LoadOp::create(b, loc, value, indices));
               });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct AssertLowering : OpConversionPattern<AssertOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RuntimeCalls(op).check(rewriter, adaptor.getCondition(), op.getMessage());
    rewriter.eraseOp(op);
    return success();
  }
};

struct AssumeLowering : OpConversionPattern<AssumeOp> {
  AssumeLowering(MLIRContext *context, bool check)
      : OpConversionPattern(context), check(check) {}

  LogicalResult
  matchAndRewrite(AssumeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (check) {
      Value value = castElement(rewriter, op.getLoc(), adaptor.getValue(),
                                rewriter.getI64Type());
      promise(rewriter, op, value, op.getDivisibleBy(), "divisible by ");
      promise(rewriter, op, value, op.getMin(), "at least ");
      promise(rewriter, op, value, op.getMax(), "at most ");
      if (adaptor.getEquals()) {
        Value holds = arith::CmpIOp::create(
            rewriter, op.getLoc(), arith::CmpIPredicate::eq, adaptor.getValue(),
            adaptor.getEquals());
        RuntimeCalls(op).check(rewriter, holds, "assumed two equal values");
      }
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void promise(OpBuilder &b, AssumeOp op, Value value,
                      std::optional<uint64_t> bound, StringRef words) {
    if (!bound)
      return;
    Location loc = op.getLoc();
    int64_t number = static_cast<int64_t>(*bound);
    Value limit =
        arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(number));
    Value left = value;
    arith::CmpIPredicate predicate = arith::CmpIPredicate::sle;
    if (words.starts_with("divisible")) {
      left = arith::RemSIOp::create(b, loc, value, limit);
      limit = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
      predicate = arith::CmpIPredicate::eq;
    } else if (words == "at least ") {
      predicate = arith::CmpIPredicate::sge;
    }
    Value holds = arith::CmpIOp::create(b, loc, predicate, left, limit);
    RuntimeCalls(op).check(
        b, holds, ("assumed a value " + words + std::to_string(number)).str());
  }

  bool check;
};
} // namespace

void tile::populateDebugPatterns(RewritePatternSet &patterns,
                                 bool checkAssumptions) {
  patterns.add<PrintLowering, AssertLowering>(patterns.getContext());
  patterns.add<AssumeLowering>(patterns.getContext(), checkAssumptions);
}
