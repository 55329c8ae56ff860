//===- KernelDecisions.h - what passes decided of a kernel ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program asks for and what a pass decides are different things:
// attributes of `tile.kernel` that are its own are the program's, and no pass
// writes them; a decision is an attribute beside them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_KERNELDECISIONS_H
#define TILE_DIALECT_TILE_IR_KERNELDECISIONS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// On a kernel, a unit: its warps are divided into roles. --tile-pipeline
/// writes it, which decides; `specialize` is what the program asks.
inline constexpr llvm::StringLiteral kRolesAttrName = "tile.roles";

/// On a kernel, a unit: its warps get no roles, because it fits shared memory
/// without them only. --tile-fit-stages writes it, which has tried both.
inline constexpr llvm::StringLiteral kWithoutRolesAttrName =
    "tile.without_roles";

/// On a kernel, a unit: a tile that TMA fills once in each iteration of a loop
/// over tiles has two slots, so that warps with the role of loading fill one
/// while the others read the other. --tile-fit-stages writes it, which knows
/// whether both fit.
inline constexpr llvm::StringLiteral kSecondSlotsAttrName = "tile.second_slots";

/// On a kernel, an i64: how many of its blocks a multiprocessor runs at a time
/// with the registers that its roles have. --tile-pipeline writes it
/// (Occupancy.h), --tile-specialize-warps gives registers for as many; without
/// it there is one. The launch bounds of the kernel say so to ptxas.
inline constexpr llvm::StringLiteral kResidentAttrName = "tile.resident";
/// On a kernel, a unit: the threads of its roles keep the registers of the
/// launch, because several of its blocks have room as they are.
/// --tile-pipeline writes it.
inline constexpr llvm::StringLiteral kKeepsRegistersAttrName =
    "tile.keeps_registers";
/// On a kernel, an array of i64: the positions of arguments of which every
/// block reads a part of its own, once. --tile-find-streams writes it, together
/// with kStreamLimitsAttrName.
inline constexpr llvm::StringLiteral kStreamsAttrName = "tile.streams";
/// On a kernel with kStreamsAttrName, an array of i64: the positions of
/// arguments of which all blocks read the same. They are kept as streams are,
/// for as long as the cache likes.
inline constexpr llvm::StringLiteral kSharedReadsAttrName = "tile.shared_reads";
/// On a kernel, an array of arrays of i64: arguments that are read once, though
/// the kernel writes far less. The first number of each is the position, the
/// others are dimensions of the grid: blocks that differ along them alone read
/// the same, which counts as once where they run at the same time.
/// --tile-find-streams writes it, together with kStreamLimitsAttrName.
inline constexpr llvm::StringLiteral kReadOnceAttrName = "tile.read_once";
/// On a kernel with kStreamLimitsAttrName, an array of i64: the positions of
/// the arguments that it writes.
inline constexpr llvm::StringLiteral kResultsAttrName = "tile.results";
/// On a kernel, an array of four i64. The first three are bytes: where the
/// arguments of kStreamsAttrName have the first in all, or more, the L2 cache
/// is asked to keep what is loaded of them; of the second, what the last blocks
/// load, it is told that nobody needs them any more; up to the third, what is
/// read once leaves the cache first where far less is written. The fourth says
/// how many blocks run at the same time at least.
inline constexpr llvm::StringLiteral kStreamLimitsAttrName =
    "tile.stream_limits";
/// No multiprocessor runs more blocks at a time.
inline constexpr int64_t kMaxResidentBlocks = 32;

/// The kernel that `op` is in, or is.
inline KernelOp kernelOf(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  return kernel ? kernel : op->getParentOfType<KernelOp>();
}

/// Of the kernel that `op` is in, or is.
inline int64_t residentBlocks(Operation *op) {
  auto blocks = kernelOf(op)->getAttrOfType<IntegerAttr>(kResidentAttrName);
  return blocks ? blocks.getInt() : 1;
}

/// Whether the warps of a kernel, of `op` or around it, get roles, or have
/// them: it was decided, or the program asks for it, which --tile-pipeline
/// grants or refuses with an error.
inline bool hasRoles(Operation *op) {
  KernelOp kernel = kernelOf(op);
  return kernel->hasAttr(kRolesAttrName) ||
         kernel.getSpecialize().value_or(false);
}

/// Whether nobody has said that the warps of a kernel get no roles: neither the
/// program, by `specialize = false`, nor a pass that decided so.
inline bool mayGetRoles(KernelOp kernel) {
  return kernel.getSpecialize().value_or(true) &&
         !kernel->hasAttr(kWithoutRolesAttrName);
}

/// Whether some of the block's warps run `op`, in a role, and not all.
inline bool runsInRole(Operation *op) {
  return op->getParentOfType<WarpSpecializeOp>() != nullptr;
}

/// Whether nothing is behind `op` but the kernel's end.
inline bool endsKernel(Operation *op) {
  return isa_and_nonnull<ReturnOp>(op->getNextNode());
}

/// Whether whoever runs `op` has nothing behind it but the kernel's end.
inline bool isLastOfKernel(Operation *op) {
  Operation *next = op->getNextNode();
  if (!next || !next->hasTrait<OpTrait::IsTerminator>())
    return false;
  auto roles = dyn_cast<WarpSpecializeOp>(op->getParentOp());
  return roles ? endsKernel(roles) : isa<ReturnOp>(next);
}

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_KERNELDECISIONS_H
