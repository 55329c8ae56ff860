//===- ToLLVM.cpp - upstream's dialects to the LLVM dialect ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of the lowering, over patterns of upstream. Loops and branches
// become blocks first. A split moves what follows in its block, operation by
// operation, so they are taken from the end of each block to its start: each
// split moves what lies up to the next one, and a kernel of n branches costs n,
// not its square. (The conversion driver goes from the start, and notes each
// operation moved, to be able to roll back.) Affine maps become arithmetic with
// masks and shifts in place of upstream's signed divisions.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::tile;

/// What has to become blocks and plain arithmetic before the rest.
static bool isStructured(Operation *op) {
  return isa<affine::AffineDialect, scf::SCFDialect>(op->getDialect()) ||
         isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

/// The operations of a region that are converted, from its end to its start,
/// each before the operations inside it. A terminator goes with the operation
/// that it ends.
static void collectFromEnd(Region &region, SmallVectorImpl<Operation *> &ops) {
  for (Block &block : llvm::reverse(region))
    for (Operation &op : llvm::reverse(block)) {
      if (isStructured(&op) && !op.hasTrait<OpTrait::IsTerminator>())
        ops.push_back(&op);
      for (Region &nested : op.getRegions())
        collectFromEnd(nested, ops);
    }
}

/// `expr` by arithmetic; remainders and quotients of powers of two by masks and
/// shifts, which are what affine's rounding down makes of them, of whatever
/// sign. LLVM sees which bits of a thread's number reach the result.
static Value expandByBits(PatternRewriter &rewriter, Location loc,
                          AffineExpr expr, ValueRange dims,
                          ValueRange symbols) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return affine::expandAffineExpr(rewriter, loc, expr, dims, symbols);
  Value lhs = expandByBits(rewriter, loc, binary.getLHS(), dims, symbols);
  auto literal = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t divisor = literal ? literal.getValue() : 0;
  AffineExprKind kind = expr.getKind();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  if (llvm::isPowerOf2_64(divisor) && divisor > 0) {
    if (kind == AffineExprKind::Mod)
      return arith::AndIOp::create(rewriter, loc, lhs, constant(divisor - 1));
    if (kind == AffineExprKind::FloorDiv)
      return arith::ShRSIOp::create(rewriter, loc, lhs,
                                    constant(llvm::Log2_64(divisor)));
  }
  Value rhs = expandByBits(rewriter, loc, binary.getRHS(), dims, symbols);
  if (kind == AffineExprKind::Add)
    return arith::AddIOp::create(rewriter, loc, lhs, rhs);
  if (kind == AffineExprKind::Mul)
    return arith::MulIOp::create(rewriter, loc, lhs, rhs);
  MLIRContext *context = expr.getContext();
  return affine::expandAffineExpr(
      rewriter, loc,
      getAffineBinaryOpExpr(kind, getAffineDimExpr(0, context),
                            getAffineSymbolExpr(0, context)),
      lhs, rhs);
}

namespace {
struct ExpandApply : OpRewritePattern<affine::AffineApplyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(affine::AffineApplyOp op,
                                PatternRewriter &rewriter) const override {
    AffineMap map = op.getAffineMap();
    rewriter.replaceOp(op, expandByBits(rewriter, op.getLoc(), map.getResult(0),
                                        op.getDimOperands(),
                                        op.getSymbolOperands()));
    return success();
  }
};
} // namespace

static LogicalResult expandStructured(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateAffineToStdConversionPatterns(patterns);
  patterns.add<ExpandApply>(context, /*benefit=*/2);
  populateSCFToControlFlowConversionPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(context);
  // Patterns leave others: affine loops become those of scf.
  SmallVector<Operation *> ops;
  while (true) {
    ops.clear();
    collectFromEnd(module.getBodyRegion(), ops);
    if (ops.empty())
      return success();
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (failed(applicator.matchAndRewrite(op, rewriter)))
        return op->emitOpError() << "has no lowering for GPUs";
    }
  }
}

LogicalResult tile::nvvm::convertToLLVM(ModuleOp module) {
  if (failed(expandStructured(module)))
    return failure();
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addLegalOp<ModuleOp, LLVM::LLVMFuncOp>();
  ConversionConfig config;
  config.allowPatternRollback = false;
  return applyFullConversion(module, target, std::move(patterns), config);
}
