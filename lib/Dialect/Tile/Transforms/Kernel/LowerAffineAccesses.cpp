//===- LowerAffineAccesses.cpp - affine accesses and loops ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs first in the pipelines that infer layouts: the passes after it know one
// form of element access, and loops and conditions of scf.
//
//===----------------------------------------------------------------------===//
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LOWERAFFINEACCESSESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// One index per result of the access map, as arithmetic before `op`.
static std::optional<SmallVector<Value>> expandIndices(OpBuilder &builder,
                                                       Operation *op,
                                                       AffineMap map,
                                                       ValueRange operands) {
  return affine::expandAffineMap(builder, op->getLoc(), map, operands);
}

namespace {
struct LowerAffineAccessesPass
    : tile::impl::LowerAffineAccessesPassBase<LowerAffineAccessesPass> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([](Operation *op) -> WalkResult {
      OpBuilder builder(op);
      if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
        auto indices =
            expandIndices(builder, op, load.getMap(), load.getMapOperands());
        if (!indices)
          return op->emitError() << "expected indices that can be computed";
        auto lowered = memref::LoadOp::create(builder, op->getLoc(),
                                              load.getMemRef(), *indices);
        op->replaceAllUsesWith(lowered);
        op->erase();
      } else if (auto store = dyn_cast<affine::AffineStoreOp>(op)) {
        auto indices =
            expandIndices(builder, op, store.getMap(), store.getMapOperands());
        if (!indices)
          return op->emitError() << "expected indices that can be computed";
        memref::StoreOp::create(builder, op->getLoc(), store.getValueToStore(),
                                store.getMemRef(), *indices);
        op->erase();
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted() || failed(lowerLoops()))
      signalPassFailure();
  }

private:
  /// Loops and branches of affine maps become those of scf, which later passes
  /// ask for their bounds.
  LogicalResult lowerLoops() {
    bool isAny = getOperation()
                     ->walk([](Operation *op) {
                       return isa<affine::AffineForOp, affine::AffineIfOp>(op)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
    if (!isAny)
      return success();
    ConversionTarget target(getContext());
    target.addIllegalOp<affine::AffineForOp, affine::AffineIfOp>();
    target.addDynamicallyLegalOp<affine::AffineYieldOp>([](Operation *op) {
      return isa<affine::AffineParallelOp>(op->getParentOp());
    });
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    populateAffineToStdConversionPatterns(patterns);
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};
} // namespace
