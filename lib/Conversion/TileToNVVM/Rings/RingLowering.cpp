//===- RingLowering.cpp - the operations of rings -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the protocol of an operation's ring, and binds the views of a slot to
// addresses.
//
//===----------------------------------------------------------------------===//
#include "Prepare/SharedLives.h"
#include "Rings/RingProtocol.h"
#include "Schedule/Mbarriers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Whether `user` loads metadata of a gemm that the asynchronous proxy reads
/// operands of. The wait for it stands between the fence for those and the
/// gemm, and --tile-verify-nvvm cannot tell whose bytes a wait is for.
static bool loadsMetadata(Operation *user, Value view) {
  auto move = dyn_cast<TileMoveOpInterface>(user);
  return move && move.getSource() == view &&
         llvm::any_of(move.getTarget().getUsers(), [&](Operation *reader) {
           auto gemm = dyn_cast<GemmOp>(reader);
           return gemm && gemm.getMetadata() == move.getTarget() &&
                  traitsOf(gemm).readsByDescriptor;
         });
}

bool tile::nvvm::isReadByAsyncProxy(RingWaitOp wait) {
  RingType type = wait.getRing().getType();
  return type.hasConsumer(RingConsumer::Wgmma) ||
         type.hasConsumer(RingConsumer::Tcgen05) ||
         type.hasConsumer(RingConsumer::TmaStore) ||
         llvm::any_of(wait.getViews(), [](Value view) {
           return llvm::any_of(view.getUsers(), [&](Operation *user) {
             return readsThroughAsyncProxy(user, view) ||
                    loadsMetadata(user, view);
           });
         });
}

static std::unique_ptr<MbarrierRing>
makeMbarrierRing(KernelLowering &lowering, RingCreateOp ring, int64_t base) {
  if (ring.getPair())
    return makePairRing(lowering, ring, base);
  switch (ring.getRing().getType().getProducer()) {
  case RingProducer::Tma:
    return std::make_unique<TmaRing>(lowering, ring, base);
  case RingProducer::Mma:
    return std::make_unique<AccumulatorRing>(lowering, ring, base);
  case RingProducer::CpAsyncMbarrier:
  case RingProducer::ThreadsMbarrier:
    return std::make_unique<RoleRing>(lowering, ring, base);
  case RingProducer::CpAsync:
  case RingProducer::Threads:
    break;
  }
  llvm_unreachable("a ring without mbarriers");
}

/// The protocol of the ring that `op` is about; null after an error.
static std::unique_ptr<RingProtocol> protocolOf(KernelLowering &lowering,
                                                Operation *op, Value value) {
  RingCreateOp ring = creationOf(value);
  bool usesMbarriers = cast<RingType>(value.getType()).usesMbarriers();
  auto base = lowering.arena.mbarriers.find(ring);
  if (!ring || (usesMbarriers && base == lowering.arena.mbarriers.end())) {
    op->emitOpError() << "expected a ring made by `tile.ring.create` in the "
                         "kernel's top block";
    return nullptr;
  }
  if (!usesMbarriers)
    return makeGroupRing(lowering, ring);
  if (!RingArrivals::of(ring)) {
    ring.emitOpError()
        << "expected `tile.arrivals`, which say what its mbarriers "
           "count: run --tile-count-arrivals";
    return nullptr;
  }
  return makeMbarrierRing(lowering, ring, base->second);
}

/// Binds the views of a slot to addresses.
static LogicalResult bindViews(KernelLowering &lowering, Operation *op,
                               Value ringValue, Value use, ValueRange views) {
  RingCreateOp ring = creationOf(ringValue);
  RingType type = ring.getRing().getType();
  if (type.inTensorMemory())
    return success(); // by who uses them (TensorMemory.cpp)
  if (!ring.getLayouts())
    return op->emitOpError() << "expected a ring made by `tile.ring.create` "
                                "with layouts";
  auto it = lowering.arena.offsets.find(ring);
  if (it == lowering.arena.offsets.end())
    return op->emitOpError() << "expected a ring with shared memory";
  int64_t stageBytes;
  SmallVector<int64_t> offsets = ringBufferOffsets(ring, stageBytes);
  auto &b = lowering.builder;
  Value number = lowering.toI32(use);
  Value slot =
      b.createOrFold<arith::RemUIOp>(number, lowering.i32(type.getStages()));
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

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static LogicalResult lowerCreate(KernelLowering &lowering, RingCreateOp ring) {
  auto protocol = protocolOf(lowering, ring, ring.getRing());
  return protocol ? protocol->create() : failure();
}

static LogicalResult lowerAcquire(KernelLowering &lowering,
                                  RingAcquireOp acquire) {
  Operation *op = acquire;
  auto protocol = protocolOf(lowering, op, acquire.getRing());
  if (!protocol)
    return failure();
  protocol->acquire(acquire.getUse(), acquire.getViews());
  return bindViews(lowering, op, acquire.getRing(), acquire.getUse(),
                   acquire.getViews());
}

static LogicalResult lowerWait(KernelLowering &lowering, RingWaitOp wait) {
  Operation *op = wait;
  auto protocol = protocolOf(lowering, op, wait.getRing());
  if (!protocol)
    return failure();
  if (!wait.getAgain())
    protocol->wait(wait);
  return bindViews(lowering, op, wait.getRing(), wait.getUse(),
                   wait.getViews());
}

static LogicalResult lowerCommit(KernelLowering &lowering,
                                 RingCommitOp commit) {
  Operation *op = commit;
  auto protocol = protocolOf(lowering, op, commit.getRing());
  if (!protocol)
    return failure();
  protocol->commit(commit.getUse());
  return success();
}

static LogicalResult lowerRelease(KernelLowering &lowering,
                                  RingReleaseOp release) {
  Operation *op = release;
  auto protocol = protocolOf(lowering, op, release.getRing());
  if (!protocol)
    return failure();
  protocol->release(release);
  return success();
}

static LogicalResult lowerDrain(KernelLowering &lowering, RingDrainOp drain) {
  auto protocol = protocolOf(lowering, drain, drain.getRing());
  if (!protocol)
    return failure();
  protocol->drain();
  return success();
}

void tile::nvvm::emitProducerTails(KernelLowering &lowering) {
  auto &b = lowering.builder;
  for (auto &[op, uses] : lowering.sharedUses) {
    auto ring = cast<RingCreateOp>(op);
    int64_t stages = ring.getRing().getType().getStages();
    auto protocol =
        makeMbarrierRing(lowering, ring, lowering.arena.mbarriers.lookup(op));
    Value first = LLVM::LoadOp::create(b, b.getI32Type(), uses);
    onOneThread(lowering, lowering.elected(), [&] {
      for (int64_t slot = 0; slot < stages; ++slot)
        protocol->waitEmpty(lowering.addConst(first, slot));
    });
  }
  lowering.sharedUses.clear();
}

void tile::nvvm::registerRingLowerings(Registry &registry) {
  registry.add<RingCreateOp>(lowerCreate);
  registry.add<RingAcquireOp>(lowerAcquire);
  registry.add<RingWaitOp>(lowerWait);
  registry.add<RingCommitOp>(lowerCommit);
  registry.add<RingReleaseOp>(lowerRelease);
  registry.add<RingDrainOp>(lowerDrain);
}
