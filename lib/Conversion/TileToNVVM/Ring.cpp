//===- Ring.cpp - rings with the cp.async protocol ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Full signal: cp.async groups, one per commit, then a block barrier. Empty
// signal: the barrier of a later wait. docs/Rationale/Schedules.md has the
// protocol; which wait precedes which production is the pipeliner's business.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

static LogicalResult lowerCreate(KernelLowering &lowering, Operation *op) {
  auto ring = cast<RingCreateOp>(op);
  RingSide producer = ring.getRing().getType().getProducer();
  if ((producer != RingSide::CpAsync && producer != RingSide::Threads) ||
      ring.getRing().getType().getConsumers() !=
          ArrayRef<RingSide>(RingSide::Threads))
    return op->emitOpError()
           << "expected a ring from cp_async or threads to threads on "
           << lowering.target.arch << ", got " << ring.getRing().getType();
  return success();
}

/// Binds the views of a slot to addresses.
static LogicalResult bindViews(KernelLowering &lowering, Operation *op,
                               Value ringValue, Value use, ValueRange views) {
  auto ring = ringValue.getDefiningOp<RingCreateOp>();
  if (!ring || !ring.getLayouts())
    return op->emitOpError() << "expected a ring made by `tile.ring.create` "
                                "with layouts";
  auto it = lowering.arena.offsets.find(ring);
  if (it == lowering.arena.offsets.end())
    return op->emitOpError() << "expected a ring with shared memory";
  int64_t stageBytes;
  SmallVector<int64_t> offsets = ringBufferOffsets(ring, stageBytes);
  int64_t stages = ring.getRing().getType().getStages();
  auto &b = lowering.builder;
  Value number = lowering.toI32(use);
  Value slot = b.createOrFold<arith::RemUIOp>(number, lowering.i32(stages));
  Value offset = lowering.mulConst(slot, stageBytes);
  for (auto [i, view] : llvm::enumerate(views)) {
    Value base = lowering.sharedBase;
    int64_t constant = it->second + offsets[i];
    Value pointer = LLVM::GEPOp::create(
        b, base.getType(), b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(constant)});
    if (offset)
      pointer = LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), pointer,
                                    ArrayRef<LLVM::GEPArg>{offset});
    lowering.shareds[view] = {
        pointer, cast<SharedLayoutAttr>(ring.getLayoutsAttr()[i]).getLayout()};
  }
  return success();
}

static LogicalResult lowerAcquire(KernelLowering &lowering, Operation *op) {
  auto acquire = cast<RingAcquireOp>(op);
  return bindViews(lowering, op, acquire.getRing(), acquire.getUse(),
                   acquire.getViews());
}

static LogicalResult lowerWait(KernelLowering &lowering, Operation *op) {
  auto wait = cast<RingWaitOp>(op);
  if (wait.getRing().getType().getProducer() == RingSide::CpAsync)
    NVVM::CpAsyncWaitGroupOp::create(lowering.builder,
                                     wait.getInFlight().value_or(0));
  lowering.barrier();
  return bindViews(lowering, op, wait.getRing(), wait.getUse(),
                   wait.getViews());
}

static LogicalResult lowerCommit(KernelLowering &lowering, Operation *op) {
  if (cast<RingCommitOp>(op).getRing().getType().getProducer() ==
      RingSide::CpAsync)
    NVVM::CpAsyncCommitGroupOp::create(lowering.builder);
  return success();
}

static LogicalResult lowerRelease(KernelLowering &, Operation *) {
  return success();
}

/// Nothing of the ring is in flight afterwards, and every thread has read it.
static LogicalResult lowerDrain(KernelLowering &lowering, Operation *op) {
  if (cast<RingDrainOp>(op).getRing().getType().getProducer() ==
      RingSide::CpAsync)
    NVVM::CpAsyncWaitGroupOp::create(lowering.builder, 0);
  lowering.barrier();
  return success();
}

void tile::nvvm::registerRingLowerings(Registry &registry) {
  registry.add<RingCreateOp>(lowerCreate);
  registry.add<RingAcquireOp>(lowerAcquire);
  registry.add<RingWaitOp>(lowerWait);
  registry.add<RingCommitOp>(lowerCommit);
  registry.add<RingReleaseOp>(lowerRelease);
  registry.add<RingDrainOp>(lowerDrain);
}
