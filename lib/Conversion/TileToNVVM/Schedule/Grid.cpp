//===- Grid.cpp - which blocks of the grid a block works off --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tile.block_range` and `tile.block_coordinates`. Numbers go through the grid
// in the order of BlockOrder.h. The launch is linear, the blocks of a cluster
// are neighbours.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Conversion/BlockOrder.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// A grid extent as i32: a launch has fewer than 2^31 blocks a dimension.
static Value emitExtent(KernelLowering &lowering, AffineExpr expr) {
  auto &b = lowering.builder;
  KernelOp kernel = lowering.kernel;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return lowering.i64(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    ArrayRef<int64_t> operands = kernel.getGridOperands();
    int64_t argument = operands[2 * symbol.getPosition()];
    int64_t dim = operands[2 * symbol.getPosition() + 1];
    if (dim < 0)
      return lowering.toI64(lowering.scalars.lookup(argument));
    return lowering.globals[kernel.getKernelArgument(argument)].sizes[dim];
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emitExtent(lowering, binary.getLHS());
  Value rhs = emitExtent(lowering, binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return lowering.add(lhs, rhs);
  case AffineExprKind::Mul:
    return lowering.mul(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return b.createOrFold<arith::CeilDivSIOp>(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return b.createOrFold<arith::FloorDivSIOp>(lhs, rhs);
  default: // Mod, in [0, rhs)
    lhs = b.createOrFold<arith::RemSIOp>(lhs, rhs);
    return b.createOrFold<arith::RemSIOp>(lowering.add(lhs, rhs), rhs);
  }
}

namespace {
/// Clusters along each dimension of the grid, and blocks of a cluster.
struct ClusterGrid {
  SmallVector<Value> counts;    // i32
  SmallVector<int64_t> extents; // of a cluster
  int64_t size = 1;
};
} // namespace

static ClusterGrid clusterGrid(KernelLowering &lowering) {
  auto &b = lowering.builder;
  KernelOp kernel = lowering.kernel;
  ClusterGrid result;
  for (auto [d, expr] : llvm::enumerate(kernel.getGrid().getResults())) {
    int64_t extent = kernel.getCluster() ? (*kernel.getCluster())[d] : 1;
    Value blocks = b.createOrFold<arith::TruncIOp>(b.getI32Type(),
                                                   emitExtent(lowering, expr));
    if (extent != 1)
      blocks = b.createOrFold<arith::DivUIOp>(
          lowering.addConst(blocks, extent - 1), lowering.i32(extent));
    result.counts.push_back(blocks);
    result.extents.push_back(extent);
    result.size *= extent;
  }
  return result;
}

static Value divide(KernelLowering &lowering, Value value, int64_t divisor) {
  return divisor == 1 ? value
                      : lowering.builder.createOrFold<arith::DivUIOp>(
                            value, lowering.i32(divisor));
}

static LogicalResult lowerRange(KernelLowering &lowering, BlockRangeOp range) {
  auto &b = lowering.builder;
  ClusterGrid grid = clusterGrid(lowering);
  Value total = grid.counts[0];
  for (Value count : ArrayRef<Value>(grid.counts).drop_front())
    total = lowering.mul(total, count);
  Value block = NVVM::BlockIdXOp::create(b, b.getI32Type());
  Value blocks = NVVM::GridDimXOp::create(b, b.getI32Type());
  range.getFirst().replaceAllUsesWith(
      lowering.toIndex(divide(lowering, block, grid.size)));
  range.getEnd().replaceAllUsesWith(lowering.toIndex(total));
  range.getStep().replaceAllUsesWith(
      lowering.toIndex(divide(lowering, blocks, grid.size)));
  return success();
}

static LogicalResult lowerCoordinates(KernelLowering &lowering,
                                      BlockCoordinatesOp coordinates) {
  Operation *op = coordinates;
  auto &b = lowering.builder;
  KernelOp kernel = lowering.kernel;
  ClusterGrid grid = clusterGrid(lowering);
  Value number = lowering.toI32(coordinates.getNumber());
  Value rank = lowering.i32(0);
  if (grid.size > 1)
    rank = b.createOrFold<arith::RemUIOp>(
        NVVM::BlockIdXOp::create(b, b.getI32Type()), lowering.i32(grid.size));
  SmallVector<Value> ids =
      buildBlockCoordinates(b, op->getLoc(), number, rank, grid.counts,
                            grid.extents, kernel.getPanel());
  for (auto [result, id] : llvm::zip(coordinates.getCoordinates(), ids))
    result.replaceAllUsesWith(lowering.toIndex(id));
  return success();
}

void tile::nvvm::registerGridLowerings(Registry &registry) {
  registry.add<BlockRangeOp>(lowerRange);
  registry.add<BlockCoordinatesOp>(lowerCoordinates);
}
