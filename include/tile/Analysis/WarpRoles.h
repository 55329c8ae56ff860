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

#include "tile/Analysis/Reason.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/ThreadBudget.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <string>

namespace mlir::tile {

/// Why `threads` of a kernel on `target` get no role beside them that copies,
/// whatever the program does; empty where they can. With `isAskedFor` it is
/// enough that roles are possible, without registers to redistribute.
Reason whyNoRoles(const TargetInfo &target, int64_t threads, bool isAskedFor);

struct RoleDecision {
  bool specialize = false;
  /// Why not; empty when it is done.
  Reason reason;
  /// The operation that prevents roles; null if none does.
  Operation *cause = nullptr;
  /// Copies of pipelined loops that are not made by TMA, and that all threads
  /// of the producer warps may make together.
  llvm::SmallPtrSet<Operation *, 4> shared;
};

/// Decides whether a kernel whose copies have plans gets roles. Roles are
/// possible if every copy by TMA, and at least one copy that runs ahead, can be
/// made by other warps: its offsets, and the loops and branches around it, are
/// scalar arithmetic and reads of memory that the kernel does not write. Roles
/// pay if copies by TMA run ahead in a pipelined loop, or if other copies run
/// ahead into tiles that wgmma reads, and if registers can be given to the
/// warps that compute, unless blocks without roles hide more (Occupancy.h).
/// With `isAskedFor` it is enough that roles are possible.
RoleDecision decideRoles(KernelOp kernel, const TargetInfo &target,
                         bool isAskedFor);

/// Whether the program says itself which warps run what, or counts its threads
/// at mbarriers: nobody else adds warps then.
bool statesRoles(KernelOp kernel);
/// Whether `op` gives the program mbarriers at which it counts threads.
bool makesMbarriers(Operation *op);

/// Whether `op` belongs to filling the slots of mbarrier rings by copies: what
/// a role beside those that compute does.
bool isProduction(Operation *op);

/// Whether --tile-specialize-warps will build roles for a kernel with rings.
bool awaitsRoles(KernelOp kernel);

/// Which of `threads` producers moves which part of a copy that all of them
/// make together, and how wide; nullopt where no layout is known.
struct ProducerShare {
  FragmentLayoutAttr layout;
  CopyPlanAttr plan;
};
std::optional<ProducerShare>
shareAmong(TileMoveOpInterface copy, const TargetInfo &target, int64_t threads);

/// Registers that a thread of `threads` needs for the productions in `region`
/// that all of them make together: an estimate; 0 where one thread issues all.
int64_t estimateCopyRegisters(Region &region, const TargetInfo &target,
                              int64_t threads);

/// Copies from global memory to a shared tile that complete on an mbarrier.
bool isTmaLoad(TileMoveOpInterface copy);

/// Whether `copy` stands in a loop and in no `tile.pipelined`: it fills its
/// tile once for each of the loop's tiles.
bool isInTileLoop(TileMoveOpInterface copy);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_WARPROLES_H
