//===- Iterations.cpp - questions about iterations become comparisons -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers tile.iteration, and what --tile-skip-rows builds: tile.any_row asks
// whether a group of warps has one of some rows, tile.row_iterations says up to
// which iteration a loop has one of the group's rows.
// test/Conversion/TileToNVVM/Prepare/skip-rows.mlir has both.
//
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

namespace {
/// The rows of a group of warps: as many from its number times that on.
struct OwnRows {
  Value first, end;
};
} // namespace

static OwnRows ownRows(KernelLowering &lowering, int64_t rows, int64_t groups) {
  int64_t count = rows / groups;
  Value first =
      lowering.toI64(lowering.mulConst(lowering.groupId(groups), count));
  return {first, lowering.add(first, lowering.i64(count))};
}

static Value isLess(KernelLowering &lowering, Value a, Value b) {
  return lowering.builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                      a, b);
}

static LogicalResult lowerAnyRow(KernelLowering &lowering, AnyRowOp op) {
  auto &b = lowering.builder;
  OwnRows own = ownRows(lowering, op.getRows(), op.getGroups());
  Value isInFront = isLess(lowering, own.first, lowering.toI64(op.getEnd()));
  Value isBehind = isLess(lowering, lowering.toI64(op.getFirst()), own.end);
  op.replaceAllUsesWith(b.createOrFold<arith::AndIOp>(isInFront, isBehind));
  return success();
}

/// Iteration i has a row of the group where first + i * step < end of its rows.
static LogicalResult lowerRowIterations(KernelLowering &lowering,
                                        RowIterationsOp op) {
  auto &b = lowering.builder;
  auto step = static_cast<int64_t>(op.getStep());
  OwnRows own = ownRows(lowering, op.getRows(), op.getGroups());
  Value first = lowering.toI64(op.getFirst()),
        lower = lowering.toI64(op.getLower()),
        upper = lowering.toI64(op.getUpper()), last;
  if (step == 0) {
    last = b.createOrFold<arith::SelectOp>(isLess(lowering, first, own.end),
                                           upper, lower);
  } else {
    Value left = b.createOrFold<arith::MaxSIOp>(
        b.createOrFold<arith::SubIOp>(own.end, first), lowering.i64(0));
    last = b.createOrFold<arith::DivUIOp>(
        lowering.add(left, lowering.i64(step - 1)), lowering.i64(step));
    last = b.createOrFold<arith::MaxSIOp>(last, lower);
    last = b.createOrFold<arith::MinSIOp>(last, upper);
  }
  Value exists = isLess(lowering, own.first, lowering.toI64(op.getEnd()));
  last = b.createOrFold<arith::SelectOp>(exists, last, lower);
  op.replaceAllUsesWith(
      b.createOrFold<arith::IndexCastOp>(b.getIndexType(), last));
  return success();
}

void tile::nvvm::registerIterationLowerings(Registry &registry) {
  registry.add<AnyRowOp>(lowerAnyRow);
  registry.add<RowIterationsOp>(lowerRowIterations);
  registry.add<IterationOp>(keep);
}
