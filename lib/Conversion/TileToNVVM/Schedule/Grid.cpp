//===- Grid.cpp - a block among those of the grid -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tile.block_range` and `tile.block_coordinates`. Numbers go through the grid
// in the order of BlockOrder.h. The launch is linear, the blocks of a cluster
// are neighbours. `tile.grid_barrier`: where all blocks meet.
// `tile.last_arrival`: which of them came last.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Grid.h"
#include "Memory/ScalarMemory.h"
#include "Schedule/Mbarriers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Conversion/BlockOrder.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// A grid extent as i64: a launch has fewer than 2^31 blocks a dimension.
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

Value tile::nvvm::gridExtent(KernelLowering &lowering, unsigned d) {
  return emitExtent(lowering, lowering.kernel.getGrid().getResult(d));
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

//===----------------------------------------------------------------------===//
// The barrier of the grid
//===----------------------------------------------------------------------===//

/// Where the driver counts arrivals of a cooperative launch: the second word of
/// what the registers %envreg1 (high) and %envreg2 (low) name, as CUDA's own
/// cooperative groups do. It belongs to this launch, and the driver clears it.
static Value arrivalsOfGrid(KernelLowering &lowering) {
  auto &b = lowering.builder;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto wide = [&](Value part) -> Value {
    return arith::ExtUIOp::create(b, i64, part);
  };
  Value high = wide(NVVM::EnvReg1Op::create(b, i32));
  Value low = wide(NVVM::EnvReg2Op::create(b, i32));
  Value address = arith::OrIOp::create(
      b, arith::ShLIOp::create(b, high, lowering.i64(32)), low);
  return LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 1),
      lowering.add(address, lowering.i64(sizeof(uint32_t))));
}

/// Each block adds one to the count, the first one what is left of 2^31: the
/// count's highest bit flips when all have come, and the rest is 0 again.
static Value arrivalsOfBlock(KernelLowering &lowering) {
  auto &b = lowering.builder;
  Type i32 = b.getI32Type();
  Value blocks = lowering.mul(lowering.mul(NVVM::GridDimXOp::create(b, i32),
                                           NVVM::GridDimYOp::create(b, i32)),
                              NVVM::GridDimZOp::create(b, i32));
  Value place = arith::OrIOp::create(
      b,
      arith::OrIOp::create(b, NVVM::BlockIdXOp::create(b, i32),
                           NVVM::BlockIdYOp::create(b, i32)),
      NVVM::BlockIdZOp::create(b, i32));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place,
                                        lowering.i32(0));
  Value rest = arith::SubIOp::create(
      b, lowering.i32(std::numeric_limits<int32_t>::min() + 1), blocks);
  return arith::SelectOp::create(b, isFirst, rest, lowering.i32(1));
}

/// The threads of the block meet, one of them arrives for all and waits until
/// the highest bit has flipped, and they meet again.
static LogicalResult lowerGridBarrier(KernelLowering &lowering, GridBarrierOp) {
  auto &b = lowering.builder;
  constexpr StringLiteral scope = "device";
  lowering.barrier();
  onOneThread(lowering, lowering.elected(), [&] {
    Value count = arrivalsOfGrid(lowering);
    // LLVM's code generator has relaxed read-modify-writes only, whatever their
    // ordering says: the fence releases what the block has written.
    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, scope);
    Value before = LLVM::AtomicRMWOp::create(
        b, LLVM::AtomicBinOp::add, count, arrivalsOfBlock(lowering),
        LLVM::AtomicOrdering::release, scope);
    auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&loop.getBefore());
    auto now = LLVM::LoadOp::create(b, b.getI32Type(), count,
                                    /*alignment=*/sizeof(uint32_t));
    now.setOrdering(LLVM::AtomicOrdering::acquire);
    now.setSyncscope(scope);
    Value changed = arith::XOrIOp::create(b, before, now);
    Value waits = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, changed,
                                        lowering.i32(0));
    scf::ConditionOp::create(b, waits, ValueRange());
    b.createBlock(&loop.getAfter());
    scf::YieldOp::create(b);
  });
  lowering.barrier();
  if (lowering.manifest)
    lowering.manifest->cooperative = true;
  return success();
}

/// The threads of the block meet, so that one of them releases what all have
/// written; what it finds reaches the others through scratch memory.
static LogicalResult lowerLastArrival(KernelLowering &lowering,
                                      LastArrivalOp arrival) {
  auto &b = lowering.builder;
  constexpr StringLiteral scope = "device";
  FailureOr<Value> counter = elementAddress(
      lowering, arrival, arrival.getCounters(), arrival.getIndices());
  if (failed(counter))
    return failure();
  Type i32 = b.getI32Type();
  Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                      lowering.threadId(), lowering.i32(0));
  onOneThread(lowering, first, [&] {
    int64_t bytes = arrival.getWeight().getType().getIntOrFloatBitWidth() / 8;
    Value before;
    if (arrival.getIfLast()) {
      auto now = LLVM::LoadOp::create(b, arrival.getWeight().getType(),
                                      *counter, bytes);
      now.setOrdering(LLVM::AtomicOrdering::acquire);
      now.setSyncscope(scope);
      before = now;
    } else {
      // As above: fences for the code generator.
      LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, scope);
      before = LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, *counter,
                                         arrival.getWeight(),
                                         LLVM::AtomicOrdering::acq_rel, scope);
    }
    Value sum = arith::AddIOp::create(b, before, arrival.getWeight());
    Value last = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, sum,
                                       arrival.getTotal());
    auto branch = scf::IfOp::create(b, last, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      if (!arrival.getIfLast())
        LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, scope);
      Value zero = arith::ConstantOp::create(
          b, cast<TypedAttr>(b.getZeroAttr(sum.getType())));
      auto reset = LLVM::StoreOp::create(b, zero, *counter, bytes);
      reset.setOrdering(LLVM::AtomicOrdering::monotonic);
      reset.setSyncscope(scope);
    }
    LLVM::StoreOp::create(b, arith::ExtUIOp::create(b, i32, last),
                          lowering.scratch(0));
  });
  lowering.barrier();
  Value found = LLVM::LoadOp::create(b, i32, lowering.scratch(0));
  arrival.replaceAllUsesWith(
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, found, lowering.i32(0))
          .getResult());
  return success();
}

void tile::nvvm::registerGridLowerings(Registry &registry) {
  registry.add<LastArrivalOp>(lowerLastArrival);
  registry.add<GridBarrierOp>(lowerGridBarrier);
  registry.add<BlockRangeOp>(lowerRange);
  registry.add<BlockCoordinatesOp>(lowerCoordinates);
}
