//===- TileMbarrierOps.cpp - warps and barriers by hand -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "TileRegions.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

LogicalResult MbarrierCreateOp::verify() {
  int64_t barriers = getBarriers().getType().getCount();
  ArrayRef<int64_t> counts = getArrivals();
  if (counts.size() != 1 && static_cast<int64_t>(counts.size()) != barriers)
    return emitOpError() << "[mbarrier-1] expected 1 or " << barriers
                         << " numbers of arrivals, got " << counts.size();
  // PTX ISA, "mbarrier.init": the largest count.
  constexpr int64_t kMaxArrivals = (int64_t(1) << 20) - 1;
  for (int64_t count : counts)
    if (count < 1 || count > kMaxArrivals)
      return emitOpError() << "[mbarrier-1] expected 1 to " << kMaxArrivals
                           << " arrivals, got " << count;
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && (*this)->getParentOp() != kernel)
    return emitOpError() << "[mbarrier-2] expected to stand in the kernel's "
                            "top block: barriers are initialized once";
  if (kernel && kernel.getPersistent())
    return emitOpError() << "[mbarrier-2] expected a kernel without "
                            "`persistent`: phases go on from tile to tile; "
                            "write the loop over tiles in the kernel";
  if (kernel && getCluster() && !kernel.getCluster())
    return emitOpError() << "[mbarrier-4] expected a kernel with clusters: "
                            "state `cluster` behind its threads";
  return success();
}

void MbarrierCreateOp::getEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getBarriers()));
}

LogicalResult tile::verifyMbarrierIndex(Operation *op, StringRef constraint,
                                        Value barriers, Value index) {
  int64_t count = cast<MbarrierType>(barriers.getType()).getCount();
  APInt number;
  if (matchPattern(index, m_ConstantInt(&number)) &&
      (number.isNegative() || number.getSExtValue() >= count))
    return op->emitOpError()
           << "[" << constraint << "] expected an index from 0 to " << count - 1
           << ", got " << number.getSExtValue();
  return success();
}

LogicalResult MbarrierArriveOp::verify() {
  if (failed(
          verifyMbarrierIndex(*this, "mbarrier-3", getBarriers(), getIndex())))
    return failure();
  if (!getBlock())
    return success();
  if (getAfterCopies())
    return emitOpError() << "[mbarrier-6] expected no `after_copies` with "
                            "`block`: copies complete at barriers of the block "
                            "itself";
  auto create = getBarriers().getDefiningOp<MbarrierCreateOp>();
  if (create && !create.getCluster())
    return emitOpError() << "[mbarrier-5] expected barriers of a `cluster`: "
                            "state it where `tile.mbarrier.create` makes them";
  return verifyPlaceInCluster(*this, "mbarrier-5", getBlock());
}

LogicalResult MbarrierWaitOp::verify() {
  return verifyMbarrierIndex(*this, "mbarrier-3", getBarriers(), getIndex());
}

/// They order everything around them.
static void barrierEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
void MbarrierArriveOp::getEffects(EffectList &effects) {
  barrierEffects(effects);
}
void MbarrierWaitOp::getEffects(EffectList &effects) {
  barrierEffects(effects);
}

//===----------------------------------------------------------------------===//
// OnWarpsOp
//===----------------------------------------------------------------------===//

LogicalResult OnWarpsOp::verify() {
  int64_t first = getFirst(), count = getCount(), registers = getRegisters();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  int64_t warps = kernel.getNumWarps();
  if (first < 0 || count < 1 || first > warps - count)
    return emitOpError() << "[on-warps-1] expected warps of the kernel's "
                         << warps << ", got " << count << " from " << first
                         << " on";
  if (count >= 4 && first % 4)
    return emitOpError() << "[on-warps-1] expected four warps or more to start "
                            "at a multiple of four, got warp "
                         << first;
  if (registers && (registers < 24 || registers > 256 || registers % 8))
    return emitOpError() << "[on-warps-4] expected a register budget that is "
                            "a multiple of 8 from 24 to 256, got "
                         << registers;
  if ((*this)->getParentOfType<OnWarpsOp>() ||
      (*this)->getParentOfType<WarpSpecializeOp>())
    return emitOpError() << "[on-warps-3] expected no other warps, and no "
                            "role, around it";
  LogicalResult result = success();
  kernel.getBodyRegion().walk([&](OnWarpsOp other) {
    int64_t begin = other.getFirst(), end = begin + int64_t(other.getCount());
    bool isSame = begin == first && end == first + count;
    if (isSame || end <= first || first + count <= begin)
      return WalkResult::advance();
    InFlightDiagnostic diag =
        emitOpError() << "[on-warps-2] expected ranges that are equal or "
                         "disjoint, got warps "
                      << first << " to " << first + count - 1 << " and "
                      << begin << " to " << end - 1;
    diag.attachNote(other.getLoc()) << "the others";
    result = diag;
    return WalkResult::interrupt();
  });
  return result;
}
