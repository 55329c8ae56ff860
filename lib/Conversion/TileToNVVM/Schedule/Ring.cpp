//===- Ring.cpp - rings and their signals ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two protocols (docs/Rationale/Schedules.md, section 4). One agent alone: full
// is a group of cp.async, one per commit, then a barrier; empty is the barrier
// of a later wait. All others: full and empty are mbarriers, whose phase is the
// parity of how often the slot was used; who arrives, and how often, is in
// RingArrivals.cpp. In a pair of blocks that multiply as one, full of operands
// and empty of accumulators are the leader's alone; the two others are in both
// blocks, which the leader's commits reach together.
// Which wait precedes which production is the pipeliner's business.
//
//===----------------------------------------------------------------------===//
#include "ClusterPlace.h"
#include "Prepare/BarrierAccesses.h"
#include "Prepare/SharedLives.h"
#include "RingArrivals.h"
#include "Tcgen05/TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
/// The mbarriers of a ring in the arena.
struct RingBarriers {
  KernelLowering &lowering;
  int64_t base, stages;

  /// Pointer to the barrier of a slot (i32).
  Value full(Value slot) { return pointer(base, slot); }
  Value empty(Value slot) {
    return pointer(base + stages * kMbarrierBytes, slot);
  }

private:
  Value pointer(int64_t offset, Value slot) {
    auto &b = lowering.builder;
    Value start = lowering.sharedAt(offset);
    return LLVM::GEPOp::create(
        b, start.getType(), b.getI8Type(), start,
        ArrayRef<LLVM::GEPArg>{lowering.mulConst(slot, kMbarrierBytes)});
  }
};
} // namespace

static RingType typeOf(Value ring) { return cast<RingType>(ring.getType()); }

static bool isPair(Value ring) {
  auto create = ring.getDefiningOp<RingCreateOp>();
  return create && create.getPair();
}

static FailureOr<RingBarriers> barriersOf(KernelLowering &lowering,
                                          Operation *op, Value ring) {
  auto create = ring.getDefiningOp<RingCreateOp>();
  auto it = create ? lowering.arena.mbarriers.find(create)
                   : lowering.arena.mbarriers.end();
  if (it == lowering.arena.mbarriers.end())
    return op->emitOpError() << "expected a ring made by `tile.ring.create` in "
                                "the kernel's top block";
  return RingBarriers{lowering, it->second, typeOf(ring).getStages()};
}

/// The agent of an operation: the role it is in, or the kernel.
static Region *agentOf(Operation *op) {
  Region *region = op->getParentRegion();
  while (!isa<WarpSpecializeOp, LLVM::LLVMFuncOp>(region->getParentOp()))
    region = region->getParentRegion();
  return region;
}

/// Agents among the users of a ring by one kind of operation.
template <typename OpT>
static llvm::SmallSetVector<Region *, 4> agents(RingCreateOp ring) {
  llvm::SmallSetVector<Region *, 4> result;
  for (Operation *user : ring->getUsers())
    if (isa<OpT>(user))
      result.insert(agentOf(user));
  return result;
}

/// inline PTX with a memory clobber: it orders what is around it.
static void emit(KernelLowering &lowering, StringRef text,
                 StringRef constraints, ValueRange operands) {
  std::string clobbering =
      constraints.empty() ? "~{memory}" : constraints.str() + ",~{memory}";
  lowering.inlineAsm(TypeRange(), text, clobbering, operands);
}

static Value address(KernelLowering &lowering, Value pointer) {
  return LLVM::PtrToIntOp::create(lowering.builder,
                                  lowering.builder.getI32Type(), pointer);
}

void tile::nvvm::onOneThread(KernelLowering &lowering, Value predicate,
                             llvm::function_ref<void()> body) {
  if (!predicate)
    return body();
  auto &b = lowering.builder;
  auto branch = scf::IfOp::create(b, predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

static LogicalResult createMbarriers(KernelLowering &lowering,
                                     RingCreateOp ring) {
  RingType type = ring.getRing().getType();
  for (RingSide side : type.getConsumers())
    if (side != RingSide::Wgmma && side != RingSide::Threads &&
        side != RingSide::TmaStore &&
        !(side == RingSide::Tcgen05 && lowering.target.hasTcgen05()))
      return ring.emitOpError()
             << "expected a ring to "
             << (lowering.target.hasTcgen05() ? "tcgen05" : "wgmma")
             << " or threads on " << lowering.target.arch << ", got " << type;
  bool fromMma = type.inTensorMemory() && lowering.target.hasTcgen05();
  bool fromRole = type.isFilledByRole() && lowering.target.hasMbarriers();
  if (!fromMma && !fromRole &&
      (type.getProducer() != RingSide::Tma || !lowering.target.hasTma()))
    return ring.emitOpError() << "expected a ring from cp_async or threads on "
                              << lowering.target.arch << ", got " << type;
  auto warpsOf = [&](Region *agent) -> int64_t {
    auto roles = dyn_cast<WarpSpecializeOp>(agent->getParentOp());
    return roles ? roles.getWarps()[agent->getRegionNumber()]
                 : lowering.agent.warps;
  };
  int64_t producers = 0, consumers = 0;
  for (Region *agent : agents<RingCommitOp>(ring))
    producers += producerArrivals(type, warpsOf(agent));
  for (Region *agent : agents<RingReleaseOp>(ring))
    consumers += consumerArrivals(ring, warpsOf(agent));
  int64_t peers = ring.getPeers().value_or(1);
  // The leader of a pair empties operands' slots for both; both empty its
  // accumulators. Otherwise who is written into by this block's copies does.
  int64_t emptiers = 1;
  if (!ring.getPair() || fromMma)
    emptiers = numBlocksInGroups(
        lowering, getReleaseGroups(ClusterGroups(lowering.kernel), ring));
  FailureOr<RingBarriers> barriers = barriersOf(lowering, ring, ring.getRing());
  if (failed(barriers))
    return failure();
  onOneThread(lowering, lowering.elected(), [&] {
    for (int64_t slot = 0; slot < type.getStages(); ++slot) {
      Value number = lowering.i32(slot);
      for (auto [barrier, count] :
           {std::pair(barriers->full(number), std::max<int64_t>(producers, 1)),
            std::pair(barriers->empty(number),
                      std::max<int64_t>(consumers * emptiers, 1))})
        emit(lowering, "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r",
             {address(lowering, barrier), lowering.i32(count)});
    }
    // Where there are clusters; the barrier is enough for the block itself.
    if (lowering.target.hasClusters())
      emit(lowering, "fence.mbarrier_init.release.cluster;", "", {});
  });
  // Published before anybody arrives: to the cluster where blocks reach each
  // other.
  if (peers > 1)
    lowering.clusterBarrier();
  else
    lowering.barrier();
  return success();
}

static LogicalResult lowerCreate(KernelLowering &lowering, Operation *op) {
  auto ring = cast<RingCreateOp>(op);
  RingType type = ring.getRing().getType();
  if (type.usesMbarriers())
    return createMbarriers(lowering, ring);
  RingSide producer = type.getProducer();
  bool known = producer == RingSide::CpAsync || producer == RingSide::Threads;
  for (RingSide side : type.getConsumers())
    known &= side == RingSide::Threads ||
             (side == RingSide::TmaStore && lowering.target.hasTma()) ||
             (side == RingSide::Wgmma && lowering.target.hasWgmma()) ||
             (side == RingSide::Tcgen05 && lowering.target.hasTcgen05());
  if (!known)
    return op->emitOpError()
           << "expected a ring from cp_async or threads to threads on "
           << lowering.target.arch << ", got " << type;
  // Its barrier is one agent's; groups are, too.
  llvm::SmallSetVector<Region *, 4> users = agents<RingCommitOp>(ring);
  for (Region *agent : agents<RingWaitOp>(ring))
    users.insert(agent);
  if (users.size() > 1)
    return op->emitOpError() << "expected one role to fill and to read it, or "
                                "a ring from cp_async_mbarrier or "
                                "threads_mbarrier, got "
                             << type;
  return success();
}

/// Slot of a use (i32), and the parity (i32) of how often the slot was filled
/// before.
static Value slotOf(KernelLowering &lowering, Value use, int64_t stages) {
  return lowering.builder.createOrFold<arith::RemUIOp>(lowering.toI32(use),
                                                       lowering.i32(stages));
}
static Value parityOf(KernelLowering &lowering, Value use, int64_t stages) {
  auto &b = lowering.builder;
  Value round =
      b.createOrFold<arith::DivUIOp>(lowering.toI32(use), lowering.i32(stages));
  return b.createOrFold<arith::AndIOp>(round, lowering.i32(1));
}

/// Waits until the phase of `parity` has completed.
void tile::nvvm::waitParity(KernelLowering &lowering, Value barrier,
                            Value parity, bool ofCluster) {
  std::string test =
      lowering.target.hasMbarrierTryWait() ? "try_wait" : "test_wait";
  emit(lowering,
       "{ .reg .pred done; again: mbarrier." + test + ".parity" +
           (ofCluster ? ".acquire.cluster" : "") +
           ".shared::cta.b64 done, [$0], $1; @!done bra again; }",
       "r,r", {address(lowering, barrier), parity});
}

/// Binds the views of a slot to addresses.
static LogicalResult bindViews(KernelLowering &lowering, Operation *op,
                               Value ringValue, Value use, ValueRange views) {
  auto ring = ringValue.getDefiningOp<RingCreateOp>();
  if (typeOf(ringValue).inTensorMemory())
    return success(); // by who uses them (TensorMemory.cpp)
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
    Value pointer = lowering.sharedAt(it->second + offsets[i]);
    if (offset)
      pointer = LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(),
                                    pointer, ArrayRef<LLVM::GEPArg>{offset});
    lowering.shareds[view] = {
        pointer, cast<SharedLayoutAttr>(ring.getLayoutsAttr()[i]).getLayout()};
  }
  return success();
}

/// Waits until the slot of a use is empty. The first round passes: a fresh
/// barrier's preceding phase counts as complete.
static void waitEmpty(KernelLowering &lowering, RingBarriers &barriers,
                      Value use, int64_t stages, bool ofCluster = false) {
  Value parity = lowering.builder.createOrFold<arith::XOrIOp>(
      parityOf(lowering, use, stages), lowering.i32(1));
  waitParity(lowering, barriers.empty(slotOf(lowering, use, stages)), parity,
             ofCluster);
}

/// Remembers how often a ring was used, for `emitProducerTails`.
static void countUse(KernelLowering &lowering, RingCreateOp ring, Value use) {
  if (ring.getPeers().value_or(1) == 1 ||
      !ring.getRing().getType().hasConsumer(RingSide::Tcgen05))
    return;
  auto &b = lowering.builder;
  Value &uses = lowering.sharedUses[ring];
  if (!uses) {
    uses = lowering.allocaArray(b.getI32Type(), 1);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(uses.getDefiningOp());
    LLVM::StoreOp::create(b, lowering.i32(0), uses);
  }
  LLVM::StoreOp::create(b, lowering.addConst(lowering.toI32(use), 1), uses);
}

void tile::nvvm::emitProducerTails(KernelLowering &lowering) {
  auto &b = lowering.builder;
  for (auto &[op, uses] : lowering.sharedUses) {
    auto ring = cast<RingCreateOp>(op);
    int64_t stages = ring.getRing().getType().getStages();
    RingBarriers barriers{lowering, lowering.arena.mbarriers.lookup(op),
                          stages};
    Value first = LLVM::LoadOp::create(b, b.getI32Type(), uses);
    onOneThread(lowering, lowering.elected(), [&] {
      for (int64_t slot = 0; slot < stages; ++slot)
        waitEmpty(lowering, barriers, lowering.addConst(first, slot), stages);
    });
  }
  lowering.sharedUses.clear();
}

static LogicalResult lowerAcquire(KernelLowering &lowering, Operation *op) {
  auto acquire = cast<RingAcquireOp>(op);
  RingType type = typeOf(acquire.getRing());
  if (type.usesMbarriers()) {
    FailureOr<RingBarriers> barriers =
        barriersOf(lowering, op, acquire.getRing());
    if (failed(barriers))
      return failure();
    int64_t stages = type.getStages();
    // Only who issues the copies, or gemms, has to know: one thread, or all.
    auto wait = [&] {
      waitEmpty(lowering, *barriers, acquire.getUse(), stages,
                isPair(acquire.getRing()) && type.inTensorMemory());
    };
    if (type.inTensorMemory())
      onIssuer(lowering, wait);
    else
      onOneThread(lowering,
                  type.isFilledByRole() ? Value() : lowering.elected(), wait);
    countUse(lowering, acquire.getRing().getDefiningOp<RingCreateOp>(),
             acquire.getUse());
    SlotBinding binding;
    binding.full = barriers->full(slotOf(lowering, acquire.getUse(), stages));
    binding.peers =
        acquire.getRing().getDefiningOp<RingCreateOp>().getPeers().value_or(1);
    auto ring = acquire.getRing().getDefiningOp<RingCreateOp>();
    binding.isPair = isPair(ring.getRing());
    for (auto [i, view] : llvm::enumerate(acquire.getViews())) {
      binding.pairDim = ring.getPairDim(i);
      lowering.slots[view] = binding;
    }
  } else if (type.hasConsumer(RingSide::TmaStore)) {
    // The thread that issued a store out of the slot has waited for it; the
    // others do so here.
    lowering.barrier();
  }
  return bindViews(lowering, op, acquire.getRing(), acquire.getUse(),
                   acquire.getViews());
}

static bool readByAsyncProxy(RingWaitOp wait) {
  RingType type = typeOf(wait.getRing());
  return type.hasConsumer(RingSide::Wgmma) ||
         type.hasConsumer(RingSide::Tcgen05) ||
         type.hasConsumer(RingSide::TmaStore) ||
         llvm::any_of(wait.getViews(), [](Value view) {
           return llvm::any_of(view.getUsers(), [&](Operation *user) {
             return readsThroughAsyncProxy(user, view);
           });
         });
}

/// What was written through the generic proxy has arrived; the async proxy
/// reads it next. The fence stands where the wait is: cp.async of others
/// completes on an mbarrier, so that nobody else knows when (PTX ISA, "Memory
/// Consistency Model": a proxy fence anywhere on the causality path).
static void emitProxyFence(KernelLowering &lowering) {
  emit(lowering, "fence.proxy.async.shared::cta;", "", {});
}

static bool needsFence(RingWaitOp wait) {
  return !wait.getAgain() && typeOf(wait.getRing()).isFilledByRole() &&
         readByAsyncProxy(wait);
}
/// Waits of one iteration stand together: the last fence is enough.
static bool isFencedNext(RingWaitOp wait) {
  auto next = dyn_cast_or_null<RingWaitOp>(wait->getNextNode());
  return next && (needsFence(next) || (!next.getAgain() && isFencedNext(next)));
}

static LogicalResult lowerWait(KernelLowering &lowering, Operation *op) {
  auto wait = cast<RingWaitOp>(op);
  RingType type = typeOf(wait.getRing());
  if (wait.getAgain())
    return bindViews(lowering, op, wait.getRing(), wait.getUse(),
                     wait.getViews());
  if (type.usesMbarriers()) {
    FailureOr<RingBarriers> barriers = barriersOf(lowering, op, wait.getRing());
    if (failed(barriers))
      return failure();
    int64_t stages = type.getStages();
    // Only who issues the gemms has to know, where nobody else reads.
    bool byOne =
        type.hasConsumer(RingSide::Tcgen05) && type.getConsumers().size() == 1;
    auto waitFull = [&] {
      waitParity(lowering,
                 barriers->full(slotOf(lowering, wait.getUse(), stages)),
                 parityOf(lowering, wait.getUse(), stages));
    };
    if (isPair(wait.getRing()) && !type.inTensorMemory())
      onIssuer(lowering, waitFull);
    else
      onOneThread(lowering, byOne ? lowering.elected() : Value(), waitFull);
    if (type.inTensorMemory())
      emitTcgen05Fence(lowering, /*before=*/false);
    if (needsFence(wait) && !isFencedNext(wait))
      onOneThread(lowering, byOne ? lowering.elected() : Value(),
                  [&] { emitProxyFence(lowering); });
  } else {
    if (type.getProducer() == RingSide::CpAsync)
      NVVM::CpAsyncWaitGroupOp::create(lowering.builder,
                                       wait.getInFlight().value_or(0));
    if (readByAsyncProxy(wait))
      emitProxyFence(lowering);
    lowering.barrier();
  }
  return bindViews(lowering, op, wait.getRing(), wait.getUse(),
                   wait.getViews());
}

static LogicalResult lowerCommit(KernelLowering &lowering, Operation *op) {
  auto commit = cast<RingCommitOp>(op);
  RingType type = typeOf(commit.getRing());
  if (type.usesMbarriers()) {
    FailureOr<RingBarriers> barriers =
        barriersOf(lowering, op, commit.getRing());
    if (failed(barriers))
      return failure();
    auto full = [&] {
      return address(lowering, barriers->full(slotOf(lowering, commit.getUse(),
                                                     type.getStages())));
    };
    if (type.inTensorMemory()) {
      onIssuer(lowering, [&] {
        emitTcgen05Commit(lowering, full(), isPair(commit.getRing()) ? 2 : 1);
      });
      return success();
    }
    auto &b = lowering.builder;
    if (type.getProducer() == RingSide::CpAsyncMbarrier) {
      // Counted in at the start, so it does not count itself in: .noinc.
      Value slot = slotOf(lowering, commit.getUse(), type.getStages());
      NVVM::CpAsyncMBarrierArriveOp::create(b, barriers->full(slot),
                                            /*noinc=*/true);
      return success();
    }
    if (type.getProducer() == RingSide::ThreadsMbarrier) {
      // The arrival releases what its thread has seen: its warp's stores.
      NVVM::SyncWarpOp::create(b, lowering.i32(-1));
      Value lane =
          b.createOrFold<arith::AndIOp>(lowering.threadId(), lowering.i32(31));
      Value isFirst = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                    lane, lowering.i32(0));
      onOneThread(lowering, isFirst, [&] {
        emit(lowering, "mbarrier.arrive.shared::cta.b64 _, [$0];", "r",
             {full()});
      });
      return success();
    }
    onOneThread(lowering, lowering.elected(), [&] {
      // The copies of a pair complete in the leader's block.
      onOneThread(lowering,
                  isPair(commit.getRing()) ? isLeader(lowering) : Value(), [&] {
                    emit(lowering, "mbarrier.arrive.shared::cta.b64 _, [$0];",
                         "r", {full()});
                  });
    });
    return success();
  }
  if (type.getProducer() == RingSide::CpAsync)
    NVVM::CpAsyncCommitGroupOp::create(lowering.builder);
  return success();
}

/// One thread of each warpgroup (wgmma), or of each warp once the whole warp
/// has read (threads), arrives; with peers one such thread for each block that
/// writes into the slot. The tensor core arrives by itself once gemms in flight
/// (tcgen05) have read.
static LogicalResult lowerRelease(KernelLowering &lowering, Operation *op) {
  auto release = cast<RingReleaseOp>(op);
  RingType type = typeOf(release.getRing());
  if (!type.usesMbarriers())
    return success(); // the barrier of the next wait
  FailureOr<RingBarriers> barriers =
      barriersOf(lowering, op, release.getRing());
  if (failed(barriers))
    return failure();
  auto &b = lowering.builder;
  auto ring = release.getRing().getDefiningOp<RingCreateOp>();
  int64_t peers = ring.getPeers().value_or(1);
  Value blocks = blocksInGroups(
      lowering, getReleaseGroups(ClusterGroups(lowering.kernel), ring));
  int64_t warps = lowering.agent.warps;
  if (type.hasConsumer(RingSide::Tcgen05))
    onIssuer(lowering, [&] {
      Value slot = slotOf(lowering, release.getUse(), type.getStages());
      emitTcgen05Commit(lowering, address(lowering, barriers->empty(slot)),
                        peers, blocks);
    });
  int64_t arrivals = arrivalsByThreads(ring, warps);
  if (arrivals == 0)
    return success();
  int64_t span = warps / arrivals * 32;
  // What threads read comes before what tensor copies write there next, which
  // is the other proxy's: without the fence, loads that still wait for their
  // turn (ldmatrix with bank conflicts) find the next tile (seen on the H200).
  if (type.getProducer() == RingSide::Tma && !type.inTensorMemory() &&
      type.hasConsumer(RingSide::Threads))
    emitProxyFence(lowering);
  if (readsApart(ring)) {
    if (isReadByThreads(release))
      lowering.barrier(arrivals);
  } else if (arrivals == warps) {
    NVVM::SyncWarpOp::create(b, lowering.i32(-1));
  }
  bool toLeader = type.inTensorMemory() && isPair(release.getRing());
  if (toLeader)
    peers = 1;
  Value place = b.createOrFold<arith::AndIOp>(lowering.threadId(),
                                              lowering.i32(span - 1));
  Value arrives = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                place, lowering.i32(peers));
  if (blocks && !toLeader) {
    // The place counts only where it is a rank: a shift by more is no number.
    Value rank = b.createOrFold<arith::AndIOp>(place, lowering.i32(31));
    Value isWriter = b.createOrFold<arith::TruncIOp>(
        b.getI1Type(), b.createOrFold<arith::ShRUIOp>(blocks, rank));
    arrives = b.createOrFold<arith::AndIOp>(arrives, isWriter);
  }
  onOneThread(lowering, arrives, [&] {
    Value slot = slotOf(lowering, release.getUse(), type.getStages());
    Value empty = address(lowering, barriers->empty(slot));
    // The default scope (release.cta): release.cluster costs a memory barrier
    // of the whole GPU.
    if (toLeader) // tensor memory is no memory of the generic proxy
      emit(lowering,
           "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [$0];", "r",
           {atLeader(lowering, empty)});
    else if (peers == 1)
      emit(lowering, "mbarrier.arrive.shared::cta.b64 _, [$0];", "r", {empty});
    else
      emit(lowering,
           "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, $0, $1; "
           "mbarrier.arrive.shared::cluster.b64 _, [remote]; }",
           "r,r", {empty, place});
  });
  return success();
}

/// Nothing of the ring is in flight afterwards, and every thread has read it.
static LogicalResult lowerDrain(KernelLowering &lowering, Operation *op) {
  RingType type = typeOf(cast<RingDrainOp>(op).getRing());
  // Roles keep the memory of their rings for themselves while any of them runs.
  if (type.usesMbarriers() && lowering.agent.barrier != 0)
    return success();
  if (type.getProducer() == RingSide::CpAsync)
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
