//===- Iterations.cpp - questions about iterations become comparisons -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Iterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The group's rows are as many from its number times that on.
static LogicalResult lowerAnyRow(KernelLowering &lowering, AnyRowOp op) {
  auto &b = lowering.builder;
  auto groups = static_cast<int64_t>(op.getGroups());
  int64_t count = static_cast<int64_t>(op.getRows()) / groups;
  Value own =
      lowering.toI64(lowering.mulConst(lowering.groupId(groups), count));
  Value isInFront = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::slt, own, lowering.toI64(op.getEnd()));
  Value isBehind = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::slt, lowering.toI64(op.getFirst()),
      lowering.add(own, lowering.i64(count)));
  op.replaceAllUsesWith(b.createOrFold<arith::AndIOp>(isInFront, isBehind));
  return success();
}

void tile::nvvm::registerIterationLowerings(Registry &registry) {
  registry.add<AnyRowOp>(lowerAnyRow);
  registry.add<IterationOp>(keep);
}
