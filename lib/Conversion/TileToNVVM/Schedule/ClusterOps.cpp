//===- ClusterOps.cpp - blocks of a cluster by hand -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier of a cluster is the hardware's, at which all threads arrive and
// wait: it is a barrier of the block, too. A tile of another block lies at the
// same place as this block's own; threads store there as they would here, and
// where the copy arrives, one of them does once all have stored. Blocks wait
// for each other's begin in front of the first such copy.
//
//===----------------------------------------------------------------------===//
#include "Schedule/ClusterOps.h"
#include "Moves/Move.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

LogicalResult tile::nvvm::requireClusters(KernelLowering &lowering,
                                          Operation *op) {
  if (lowering.target.hasClusters())
    return success();
  return op->emitOpError() << "expected a target with clusters, got "
                           << lowering.target.arch;
}

static LogicalResult lowerBarrier(KernelLowering &lowering, Operation *op) {
  if (failed(requireClusters(lowering, op)))
    return failure();
  lowering.clusterBarrier();
  // What others wrote for the tensor core's own reads.
  if (usesAsyncProxy(lowering))
    emitProxyFence(lowering);
  return success();
}

/// The target as the block `rank` has it: `base` in shared memory of the
/// cluster.
static Value peerBase(KernelLowering &lowering, Value base, Value rank) {
  auto &b = lowering.builder;
  constexpr unsigned kSharedCluster = 7;
  return LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kSharedCluster),
      mapToBlock(lowering, sharedAddress(lowering, base), rank));
}

static LogicalResult lowerClusterCopy(KernelLowering &lowering,
                                      ClusterCopyOp copy) {
  Operation *op = copy;
  if (failed(requireClusters(lowering, op)) ||
      failed(requireLayout(op, copy.getLayout().has_value())) ||
      failed(lowering.shared(copy.getTarget(), op)))
    return failure();
  FragmentLayout loop = lowering.loopLayout(*copy.getLayout());
  Value rank = lowering.toI32(copy.getBlock());
  FailureOr<Endpoint> source =
      Endpoint::create(lowering, op, copy.getSource(), copy.getSourceOffsets(),
                       copy.getSourceExtents(), loop);
  Value &base = lowering.shareds[copy.getTarget()].base;
  llvm::SaveAndRestore atPeer(base, peerBase(lowering, base, rank));
  FailureOr<Endpoint> target =
      Endpoint::create(lowering, op, copy.getTarget(), copy.getTargetOffsets(),
                       copy.getTargetExtents(), loop);
  if (failed(source) || failed(target) ||
      failed(moveByThreads(lowering, copy, *source, *target, loop,
                           /*isInside=*/true)))
    return failure();
  if (!copy.getBarriers())
    return success();
  FailureOr<Value> barrier = barrierAt(lowering, op, copy.getBarriers(),
                                       lowering.toI32(copy.getIndex()));
  if (failed(barrier))
    return failure();
  lowering.barrier();
  onOneThread(lowering, lowering.elected(), [&] {
    arriveAtPeer(lowering, sharedAddress(lowering, *barrier), rank);
  });
  return success();
}

/// Whether `op` is, or contains, an operation of this kind that passes `test`.
template <typename OpT>
static bool holds(
    Operation *op,
    llvm::function_ref<bool(OpT)> test = [](OpT) { return true; }) {
  return op
      ->walk([&](OpT inner) {
        return test(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// All blocks of the cluster meet there.
static bool holdsMeeting(Operation *op) {
  return holds<ClusterBarrierOp>(op) ||
         holds<MbarrierCreateOp>(
             op, [](MbarrierCreateOp create) { return create.getCluster(); }) ||
         holds<RingCreateOp>(op, [](RingCreateOp ring) {
           return ring.getPeers().value_or(1) > 1;
         });
}

void tile::nvvm::announceBlock(KernelLowering &lowering) {
  KernelOp kernel = lowering.kernel;
  // Pairs have met when they took their columns.
  if (!holds<ClusterCopyOp>(kernel) || !lowering.target.hasClusters() ||
      lowering.tensorMemory.isPair)
    return;
  auto first = llvm::find_if(kernel.getBodyRegion().front(), [](Operation &op) {
    return holds<ClusterCopyOp>(&op) || holdsMeeting(&op);
  });
  // Not under a condition: all of them come there in any case.
  if (first->getNumRegions() == 0 && holdsMeeting(&*first))
    return;
  lowering.inlineAsm(TypeRange(), "barrier.cluster.arrive.relaxed.aligned;",
                     "~{memory}", ValueRange());
  OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPoint(&*first);
  lowering.inlineAsm(TypeRange(), "barrier.cluster.wait.aligned;", "~{memory}",
                     ValueRange());
}

void tile::nvvm::registerClusterMeetingLowerings(Registry &registry) {
  registry.add<ClusterBarrierOp>(lowerBarrier);
  registry.add<ClusterCopyOp>(lowerClusterCopy);
}
