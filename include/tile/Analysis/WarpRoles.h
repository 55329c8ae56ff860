//===- WarpRoles.h - may warps be divided into roles? -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the copies of a kernel can be issued by warps of their own, which
// know nothing of what the others compute. Nothing here rewrites.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_WARPROLES_H
#define TILE_ANALYSIS_WARPROLES_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"
#include <string>

namespace mlir::tile {

/// Threads of the warpgroup that issues copies, added to the kernel's own.
inline constexpr int64_t kProducerThreads = 128;

struct RoleDecision {
  bool specialize = false;
  /// Why not; empty when it is done.
  std::string reason;
  /// What stands in the way, when it is an operation.
  Operation *cause = nullptr;
};

/// Decides for a kernel whose copies have plans: producers and consumers are
/// worth their warps when copies by TMA run ahead in a pipelined loop, and
/// possible when all that decides which copies are made (their offsets, and
/// the loops and branches around them) is scalar arithmetic and reads of
/// memory that the kernel does not write.
RoleDecision decideRoles(KernelOp kernel, const TargetInfo &target);

/// Copies from global memory to a shared tile that complete on an mbarrier.
bool isTmaLoad(TileMoveOpInterface copy);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_WARPROLES_H
