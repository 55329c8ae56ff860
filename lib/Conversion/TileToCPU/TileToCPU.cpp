//===- TileToCPU.cpp - kernels as functions over memrefs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass `convert-tile-to-cpu`: runs at any phase after (or before) layout
// inference, and leaves scf, memref, arith, math and vector to the upstream
// conversions that the pipeline `tile-to-cpu` lists. What each operation means
// is in the pattern files next to this one.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tile/Conversion/Passes.h"
#include "tile/Dialect/Tile/IR/Tunables.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTTILETOCPUPASS
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

Value tile::indexConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

void tile::loopOver(
    OpBuilder &builder, Location loc, ArrayRef<int64_t> extents,
    function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  Value zero = indexConstant(builder, loc, 0);
  Value one = indexConstant(builder, loc, 1);
  SmallVector<Value> lower(extents.size(), zero), step(extents.size(), one);
  SmallVector<Value> upper;
  for (int64_t extent : extents)
    upper.push_back(indexConstant(builder, loc, extent));
  scf::buildLoopNest(builder, loc, lower, upper, step,
                     [&](OpBuilder &b, Location l, ValueRange indices) {
                       body(b, l, indices);
                     });
}

Block &tile::enclosingEntry(Operation *op) {
  for (Operation *parent = op->getParentOp();; parent = parent->getParentOp())
    if (isa<func::FuncOp>(parent) || parent->hasAttr(kRoleAttrName) ||
        parent->hasAttr(kDeferredAttrName))
      return parent->getRegion(0).front();
}

Value tile::allocateScratch(OpBuilder &builder, Operation *user,
                            MemRefType type) {
  Block &entry = enclosingEntry(user);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry);
  auto buffer = memref::AllocOp::create(
      builder, user->getLoc(), type, builder.getI64IntegerAttr(kCpuAlignment));
  builder.setInsertionPoint(entry.getTerminator());
  memref::DeallocOp::create(builder, user->getLoc(), buffer);
  return buffer;
}

/// Every buffer is plain memory from here on.
static void dropMemorySpaces(func::FuncOp function) {
  auto drop = [](Value value) {
    if (auto type = dyn_cast<MemRefType>(value.getType()))
      if (type.getMemorySpace())
        value.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                      type.getLayout()));
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), drop);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), drop);
  });
  function.walk([](memref::MemorySpaceCastOp cast) {
    if (cast.getSource().getType() == cast.getType()) {
      cast.replaceAllUsesWith(cast.getSource());
      cast.erase();
    }
  });
  SmallVector<Type> inputs(function.getBody().front().getArgumentTypes());
  function.setType(FunctionType::get(function.getContext(), inputs, {}));
}

namespace {
struct ConvertTileToCPUPass
    : tile::impl::ConvertTileToCPUPassBase<ConvertTileToCPUPass> {
  using ConvertTileToCPUPassBase::ConvertTileToCPUPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())) ||
        failed(verifyOnlyKernels(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    if (widen)
      widenFloats(module);
    if (checkAccesses)
      for (KernelOp kernel : module.getOps<KernelOp>())
        tile::checkAccesses(kernel);

    for (KernelOp kernel : module.getOps<KernelOp>())
      noteArrivals(kernel);
    std::optional<unsigned> pattern;
    if (poison)
      pattern = poisonPattern;
    SmallVector<func::FuncOp> functions;
    for (KernelOp kernel :
         llvm::make_early_inc_range(module.getOps<KernelOp>()))
      functions.push_back(buildFunction(kernel, blocks));
    for (func::FuncOp function : functions)
      if (failed(lowerAgents(function, lazyAsync, pattern)))
        return signalPassFailure();

    RewritePatternSet patterns(&getContext());
    populateLoopPatterns(patterns, backwards, pattern);
    populateAtomicPatterns(patterns);
    populateMovePatterns(patterns);
    populateRowMovePatterns(patterns);
    populateGemmPattern(patterns);
    populateReducePattern(patterns);
    populateSortPatterns(patterns);
    populateViewPattern(patterns);
    populateDebugPatterns(patterns, checkAssumptions);
    ConversionTarget target(getContext());
    target.addIllegalDialect<TileDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();

    for (func::FuncOp function : functions) {
      dropMemorySpaces(function);
      outlineRegions(function);
    }
    module->removeAttr(kTargetAttrName);
  }
};
} // namespace
