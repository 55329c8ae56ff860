//===- ToLLVM.cpp - upstream's dialects to the LLVM dialect ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of the lowering, over patterns of upstream. Loops and branches
// become blocks first. A split moves what follows in its block, operation by
// operation, so they are taken from the end of each block to its start: each
// split moves what lies up to the next one, and a kernel of n branches costs n,
// not its square. (The conversion driver goes from the start, and notes each
// operation moved, to be able to roll back.)
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

static LogicalResult expandStructured(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateAffineToStdConversionPatterns(patterns);
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
