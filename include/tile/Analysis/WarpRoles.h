//===- WarpRoles.h - may warps be divided into roles? -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the copies of a kernel can be issued by warps of their own, which
// know nothing of what the others compute, and what that takes. Nothing here
// rewrites. docs/Rationale/ProducerWarps.md has the reasons.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_WARPROLES_H
#define TILE_ANALYSIS_WARPROLES_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/ThreadBudget.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <string>

namespace mlir::tile {

/// Why `threads` of a kernel on `target` get no role beside them that copies,
/// whatever the program does; empty where they can. With `isAskedFor` it is
/// enough that roles are possible, without registers to redistribute.
std::string whyNoRoles(const TargetInfo &target, int64_t threads,
                       bool isAskedFor);

struct RoleDecision {
  bool specialize = false;
  /// Why not; empty when it is done.
  std::string reason;
  /// What stands in the way, when it is an operation.
  Operation *cause = nullptr;
  /// Copies of pipelined loops, other than by TMA, that the producers may make
  /// with all their threads.
  llvm::SmallPtrSet<Operation *, 4> shared;
};

/// Decides for a kernel whose copies have plans. Roles are possible when all
/// that decides which copies are made (their offsets, and the loops and
/// branches around them) is scalar arithmetic and reads of memory that the
/// kernel does not write: of every copy by TMA, and of at least one that runs
/// ahead. They are worth their warps when copies by TMA run ahead in a
/// pipelined loop, or any other copies into what wgmma reads, and registers can
/// be given to those who compute. With `isAskedFor` it is enough that they are
/// possible.
RoleDecision decideRoles(KernelOp kernel, const TargetInfo &target,
                         bool isAskedFor);

/// Registers that a thread needs to make the copies of a role: an estimate.
int64_t estimateCopyRegisters(Region &role);

/// Copies from global memory to a shared tile that complete on an mbarrier.
bool isTmaLoad(TileMoveOpInterface copy);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_WARPROLES_H
