//===- Iterations.cpp - questions about iterations become comparisons -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Iterations.h"
#include "tile/Dialect/Tile/IR/Iterations.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Loops are asked until all operations are lowered.
static LogicalResult keep(KernelLowering &, IterationOp) { return success(); }

void tile::nvvm::replaceIterations(KernelLowering &lowering) {
  lowering.function.walk([&](IterationOp op) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(buildComparison(builder, op));
  });
}

void tile::nvvm::registerIterationLowerings(Registry &registry) {
  registry.add<IterationOp>(keep);
}
