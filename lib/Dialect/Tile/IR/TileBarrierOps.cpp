//===- TileBarrierOps.cpp - where threads meet ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and effects of `tile.barrier`, `tile.fence` and
// `tile.commit_copies`.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/TileBarrierOps.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Warps whose barriers the hardware counts together.
static constexpr int64_t kWarpsOfGroup = 4;

LogicalResult BarrierOp::verify() {
  if (std::optional<uint64_t> count = getGroups()) {
    auto groups = static_cast<int64_t>(*count);
    int64_t warps = getAgentThreads(*this) / 32;
    if (groups < 2 || (warps && warps % (groups * kWarpsOfGroup)))
      return emitOpError() << "[barrier-1] expected two `groups` or more, each "
                              "of whole warpgroups, among the agent's "
                           << warps << " warps, got " << groups;
  }
  return success();
}

LogicalResult FenceOp::verify() {
  if (!getCopies() && !getProxy())
    return emitOpError() << "[fence-1] expected `copies`, `proxy` or both";
  if (std::optional<uint64_t> groups = getInFlight())
    if (!getCopies() || *groups < 1 || *groups > kMostInFlight)
      return emitOpError() << "[fence-2] expected `in_flight` of 1 to "
                           << kMostInFlight << " beside `copies`, got "
                           << *groups;
  return success();
}

/// They order everything around them.
static void orderEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void BarrierOp::getEffects(EffectList &effects) { orderEffects(effects); }
void FenceOp::getEffects(EffectList &effects) { orderEffects(effects); }
void CommitCopiesOp::getEffects(EffectList &effects) { orderEffects(effects); }

#define GET_OP_CLASSES
#include "tile/Dialect/Tile/IR/TileBarrierOps.cpp.inc"
