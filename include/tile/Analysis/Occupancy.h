//===- Occupancy.h - blocks that share a multiprocessor ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates how many blocks of a kernel a multiprocessor runs at a time, with
// roles and without. Two blocks hide each other's prologues, epilogues and
// waits; roles cost registers for the threads that copy. Read by those who
// decide about roles and their registers. docs/Rationale/Hopper.md has the
// measurements.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_OCCUPANCY_H
#define TILE_ANALYSIS_OCCUPANCY_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/ThreadBudget.h"
#include <optional>

namespace mlir::tile {

/// Bytes of shared memory that a kernel's tiles will take, every stage of the
/// loops that fill them included. Layouts must have been inferred.
int64_t tileBytes(KernelOp kernel);

/// Scratch and barriers of a block, which later passes add.
inline constexpr int64_t kSlackBytes = 2048;

/// Registers of a thread that hold what the gemms of a region read and write.
int64_t gemmRegisters(Region &region);

/// What the threads that compute in `region` hold; `copies` is what a thread
/// needs that copies together with others, or 0.
RoleDemand demandOf(KernelOp kernel, Region &region, const TargetInfo &target,
                    int64_t copies);

/// Whether the registers of a kernel of one warpgroup beside its producers
/// suffice for two blocks when they are redistributed, and for one only when
/// they are not. `bytes` is a block's shared memory.
bool sharesByRedistribution(Region &region, const TargetInfo &target,
                            int64_t consumers, int64_t bytes,
                            const RoleDemand &demand);

/// Blocks of `threads` threads, which each need what is demanded, that have
/// registers, shared memory and places.
int64_t blocksThatFit(const TargetInfo &target, int64_t threads, int64_t bytes,
                      const RoleDemand &demand);

/// Why a kernel whose copies are all by TMA runs faster without roles; nothing
/// where it does not: where roles leave one block on a multiprocessor and
/// without them there are several, or more of them while loads run one
/// iteration ahead only. Persistent kernels and clusters keep roles.
std::optional<std::string> whyFasterAlone(KernelOp kernel,
                                          const TargetInfo &target);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_OCCUPANCY_H
