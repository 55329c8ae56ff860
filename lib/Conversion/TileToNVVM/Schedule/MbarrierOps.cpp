//===- MbarrierOps.cpp - barriers that the program waits at by hand -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One object of 8 bytes for each barrier, initialized in front of everything.
// Every thread arrives and waits for itself, so that what each has done before
// is ordered without a barrier of the role; waits for copies and fences in
// front of an arrival are BarrierPlacement.cpp's business
// (docs/Rationale/Mbarriers.md).
//
//===----------------------------------------------------------------------===//
#include "Schedule/ClusterOps.h"
#include "Schedule/Mbarriers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

FailureOr<Value> tile::nvvm::barrierAt(KernelLowering &lowering, Operation *op,
                                       Value barriers, Value index) {
  auto create = barriers.getDefiningOp<MbarrierCreateOp>();
  auto it = create ? lowering.arena.mbarriers.find(create)
                   : lowering.arena.mbarriers.end();
  if (it == lowering.arena.mbarriers.end())
    return op->emitOpError() << "expected barriers made by "
                                "`tile.mbarrier.create` in the kernel's top "
                                "block";
  return lowering.bytePointer(lowering.sharedAt(it->second),
                              lowering.mulConst(index, kMbarrierBytes), 0);
}

bool tile::nvvm::makesMoreMbarriers(Operation *create) {
  for (Operation *op = create->getNextNode(); op; op = op->getNextNode()) {
    auto ring = dyn_cast<RingCreateOp>(op);
    if (isa<MbarrierCreateOp>(op) ||
        (ring && ring.getRing().getType().usesMbarriers()))
      return true;
    if (!isa<TileStorageOpInterface, AssumeOp>(op) && !isPure(op))
      return false;
  }
  return false;
}

static LogicalResult lowerCreate(KernelLowering &lowering,
                                 MbarrierCreateOp create) {
  Operation *op = create;
  if (!lowering.target.hasMbarriers())
    return op->emitOpError()
           << "expected a target with mbarriers, got " << lowering.target.arch;
  if (create.getCluster() && failed(requireClusters(lowering, op)))
    return failure();
  LogicalResult result = success();
  bool isPublishedLater = !create.getCluster() && makesMoreMbarriers(create);
  onOneThread(lowering, lowering.elected(), [&] {
    int64_t count = create.getBarriers().getType().getCount();
    for (int64_t i = 0; i < count; ++i) {
      FailureOr<Value> barrier =
          barrierAt(lowering, op, create.getBarriers(), lowering.i32(i));
      if (failed(barrier)) {
        result = failure();
        return;
      }
      initMbarrier(lowering, sharedAddress(lowering, *barrier),
                   create.getArrivalsOf(i));
    }
    if (lowering.target.hasClusters() && !isPublishedLater)
      lowering.inlineAsm(TypeRange(), "fence.mbarrier_init.release.cluster;",
                         "~{memory}", {});
  });
  // Published before anybody arrives.
  if (create.getCluster())
    lowering.clusterBarrier();
  else if (!isPublishedLater)
    lowering.barrier();
  return result;
}

static LogicalResult lowerArrive(KernelLowering &lowering,
                                 MbarrierArriveOp arrive) {
  FailureOr<Value> barrier = barrierAt(lowering, arrive, arrive.getBarriers(),
                                       lowering.toI32(arrive.getIndex()));
  if (failed(barrier))
    return failure();
  Value address = sharedAddress(lowering, *barrier);
  // Copies arrive for themselves, and are counted in at once; the thread's own
  // arrival releases what it has stored.
  if (arrive.getAfterCopies())
    NVVM::CpAsyncMBarrierArriveOp::create(lowering.builder, *barrier,
                                          /*noinc=*/false);
  if (Value block = arrive.getBlock())
    arriveAtPeer(lowering, address, lowering.toI32(block));
  else
    arriveMbarrier(lowering, address);
  return success();
}

static LogicalResult lowerWait(KernelLowering &lowering, MbarrierWaitOp wait) {
  FailureOr<Value> barrier = barrierAt(lowering, wait, wait.getBarriers(),
                                       lowering.toI32(wait.getIndex()));
  if (failed(barrier))
    return failure();
  Value parity = lowering.builder.createOrFold<arith::AndIOp>(
      lowering.toI32(wait.getParity()), lowering.i32(1));
  auto create = wait.getBarriers().getDefiningOp<MbarrierCreateOp>();
  waitParity(lowering, *barrier, parity, create.getCluster());
  // What others wrote for the tensor core's own reads.
  if (lowering.target.hasTma() && usesAsyncProxy(lowering))
    emitProxyFence(lowering);
  return success();
}

void tile::nvvm::registerMbarrierLowerings(Registry &registry) {
  registry.add<MbarrierCreateOp>(lowerCreate);
  registry.add<MbarrierArriveOp>(lowerArrive);
  registry.add<MbarrierWaitOp>(lowerWait);
}
