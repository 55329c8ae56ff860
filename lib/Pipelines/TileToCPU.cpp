//===- TileToCPU.cpp - the pipeline from tile IR to LLVM for the CPU ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Pipelines/TileToCPU.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"
#include "tile/Conversion/Passes.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Calls the library's expm1, where the conversion to LLVM subtracts one from
/// an exponential, which loses small x.
struct CallExpM1Pass : PassWrapper<CallExpM1Pass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CallExpM1Pass)

  void runOnOperation() override {
    ConversionTarget target(getContext());
    target.addIllegalOp<math::ExpM1Op>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<func::FuncDialect, vector::VectorDialect>();
  }
};
} // namespace

void tile::buildTileToCPU(OpPassManager &manager,
                          const TileToCPUOptions &options) {
  manager.addPass(createFormRolesPass());
  // Loops over elements become scf loops, whose variables are no affine
  // dimensions; and what maps divide by is checked like other divisions.
  manager.addPass(createLowerAffinePass());
  // Blocks outside of the grid run here, too.
  manager.addPass(createGuardOverhangPass());
  // With checks an index outside of a tile is an error.
  if (!options.checkAccesses)
    manager.addPass(createGuardAccessesPass());
  ConvertTileToCPUPassOptions convert;
  convert.widen = options.widen;
  convert.checkAssumptions = options.checkAssumptions;
  convert.checkAccesses = options.checkAccesses;
  convert.lazyAsync = options.lazyAsync;
  convert.poison = options.poison;
  convert.poisonPattern = options.poisonPattern;
  convert.backwards = options.backwards;
  convert.blocks = options.blocks;
  manager.addPass(createConvertTileToCPUPass(convert));

  // Arithmetic in formats without instructions is done in f32, then rounded.
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN"};
  emulate.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  manager.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeF8E8M0 = true;
  manager.addPass(arith::createArithExpandOpsPass(expand));
  manager.addPass(createExpandSmallFloatsPass());

  manager.addPass(createLowerAffinePass());
  manager.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  // log(1 + x) would lose small x: the library's log1p does not.
  manager.addPass(std::make_unique<CallExpM1Pass>());
  ConvertMathToLLVMPassOptions exact;
  exact.approximateLog1p = false;
  manager.addPass(createConvertMathToLLVMPass(exact));
  manager.addPass(createConvertMathToLibmPass());
  // The pass convert-vector-to-llvm would bring in the dialects of other CPUs.
  ConvertToLLVMPassOptions vector;
  vector.filterDialects = {"vector"};
  vector.useDynamic = false;
  manager.addPass(createConvertToLLVMPass(vector));
  FinalizeMemRefToLLVMConversionPassOptions memref;
  memref.useAlignedAlloc = true;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void tile::registerTileToCPUPipeline() {
  PassPipelineRegistration<TileToCPUOptions>(
      "tile-to-cpu",
      "lower tile kernels, at any phase, to LLVM for this machine's CPU",
      buildTileToCPU);
}
