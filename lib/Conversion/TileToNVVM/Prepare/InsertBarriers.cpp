//===- InsertBarriers.cpp - barriers where accesses need them -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After shared memory is placed, before the lowering: the pass writes the
// barriers and fences into the kernel that BarrierPlacement.cpp finds it to
// need, and says why each stands there.
//
//===----------------------------------------------------------------------===//
#include "BarrierPlacement.h"
#include "CopyGroups.h"
#include "tile/Conversion/Passes.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Placement.h"
#include "tile/Dialect/Tile/IR/TileBarrierOps.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

static void emit(const Meeting &meeting) {
  OpBuilder builder(meeting.op);
  Location loc = meeting.op->getLoc();
  if (meeting.waitsForCopies || meeting.fences)
    FenceOp::create(builder, loc, meeting.waitsForCopies,
                    meeting.inFlight
                        ? builder.getI64IntegerAttr(meeting.inFlight)
                        : IntegerAttr(),
                    meeting.fences);
  if (meeting.isBarrier)
    BarrierOp::create(builder, loc,
                      meeting.groups > 1
                          ? builder.getI64IntegerAttr(meeting.groups)
                          : IntegerAttr());
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct InsertBarriersPass
    : tile::impl::InsertBarriersPassBase<InsertBarriersPass> {
  using InsertBarriersPassBase::InsertBarriersPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireChosen(module)))
      return signalPassFailure();
    const TargetInfo *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    for (KernelOp kernel : module.getOps<KernelOp>())
      if (failed(insert(kernel, *target)))
        return signalPassFailure();
  }

private:
  LogicalResult insert(KernelOp kernel, const TargetInfo &target);
  void explain(const Meeting &meeting, const AccessTable &table);
};
} // namespace

LogicalResult InsertBarriersPass::insert(KernelOp kernel,
                                         const TargetInfo &target) {
  if (kernel->hasAttr(kHasBarriersAttrName))
    return kernel.emitOpError() << "expected no barriers of an earlier "
                                   "--tile-insert-barriers";
  FailureOr<SharedArena> arena = readSharedArena(kernel, target);
  if (failed(arena))
    return failure();
  AccessTable table(kernel, *arena, target);
  SmallVector<Meeting> meetings = placeBarriers(kernel, *arena, table);
  // Groups are counted where some of them stay under way.
  if (llvm::any_of(meetings,
                   [](const Meeting &meeting) { return meeting.inFlight; }))
    commitCopies(kernel, table);
  for (const Meeting &meeting : meetings) {
    emit(meeting);
    ++(meeting.isBarrier ? insertedBarriers : insertedFences);
    explain(meeting, table);
  }
  kernel->setAttr(kHasBarriersAttrName, UnitAttr::get(&getContext()));
  return success();
}

void InsertBarriersPass::explain(const Meeting &meeting,
                                 const AccessTable &table) {
  if (!remarks)
    return;
  Remark remark = remarkAt(remarks, meeting.op);
  if (!meeting.isBarrier)
    remark << "each thread fences before this";
  else if (meeting.groups > 1)
    remark << "the threads of each of " << meeting.groups
           << " groups of warps meet before this";
  else
    remark << "all threads meet before this";
  if (meeting.waitsForCopies)
    remark << ", once their own copies have landed";
  if (meeting.inFlight)
    remark << " but for the newest " << meeting.inFlight << " group"
           << (meeting.inFlight > 1 ? "s" : "") << " of them";
  if (meeting.isBarrier && meeting.fences)
    remark << ", and fence first";
  if (meeting.conflict)
    remark.attachNote(table.firstOf(*meeting.conflict))
        << "it may touch what this "
        << (table[*meeting.conflict].isWrite ? "writes" : "reads");
}
