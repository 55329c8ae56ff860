//===- Occupancy.h - blocks that share a multiprocessor ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates how many blocks of a kernel a multiprocessor runs at a time, with
// roles and without. Two blocks hide each other's prologues, epilogues and
// waits; roles cost registers for the threads that copy. --tile-pipeline
// decides with it about roles and resident blocks, once (KernelDecisions.h);
// the cost model asks what will be decided. docs/Rationale/Hopper.md has the
// measurements.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_OCCUPANCY_H
#define TILE_ANALYSIS_OCCUPANCY_H

#include "tile/Analysis/Reason.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/DeviceInfo.h"
#include "tile/Target/ThreadBudget.h"
#include <limits>
#include <optional>

namespace mlir::tile {

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Bytes of one slot with a layout, up to where the next may begin.
int64_t sharedBytesOf(SharedLayoutAttr layout);

/// Bytes of shared memory of a tile, or of all slots of a ring; 0 for other
/// operations. A tile that a pipelined loop fills counts for each of its
/// stages. Layouts must have been inferred.
int64_t sharedBytesOf(Operation *op);

/// Bytes of the slots that a loop itself asks for: another loop that fills the
/// same tile may have more.
int64_t slotBytes(PipelinedOp loop);

/// Bytes that all tiles and rings of a kernel take.
int64_t tileBytes(KernelOp kernel);
/// The same once loops have no more stages than shared memory has room for:
/// --tile-fit-stages takes stages off the widest loop until all tiles fit, down
/// to two. Tiles that lie in each other's bytes count twice here, so stages may
/// stay that are taken off.
int64_t fittingTileBytes(KernelOp kernel, const TargetInfo &target);

/// Of these bytes, those of slots that nobody needs any more when `op` runs: of
/// pipelined loops in front of it, where no loop comes around. What is needed
/// from there on can lie in them (--tile-place-shared-memory).
int64_t idleBytes(Operation *op, int64_t fittingBytes);

/// Stages of a pipelined loop; none for other operations, and for null.
std::optional<int64_t> stagesOf(Operation *loop);
/// Stages of the pipelined loop around `op`; none where there is none.
std::optional<int64_t> stagesAround(Operation *op);

/// Bytes that certainly are in use at the same time: with roles all rings and
/// tiles, otherwise those that the iterations of one loop use (after its drain
/// the memory of a ring serves others). A lower bound: places are chosen later,
/// by the lives of buffers.
int64_t bytesTogether(KernelOp kernel);

/// Scratch and barriers of a block, which later passes add.
inline constexpr int64_t kSlackBytes = 2048;

//===----------------------------------------------------------------------===//
// What a block needs
//===----------------------------------------------------------------------===//

/// Registers of a thread that hold what the gemms of a region read and write.
int64_t gemmRegisters(Region &region);

/// What the threads that compute in `region` hold; `copies` is what a thread
/// needs that copies together with others, or 0.
RoleDemand demandOf(KernelOp kernel, Region &region, const TargetInfo &target,
                    int64_t copies);

/// A block as a multiprocessor sees it. Passes read it from the program, the
/// cost model estimates it before layouts are known.
struct BlockFacts {
  int64_t threads = 0; ///< that compute
  int64_t bytes = 0;   ///< of shared memory
  int64_t widest = 0; ///< registers of a thread that one wgmma reads and writes
  RoleDemand demand;
  /// All its products are by wgmma, and there are some.
  bool multipliesByWgmma = false;
  /// The fewest stages of a loop with products.
  int64_t stages = std::numeric_limits<int64_t>::max();
  /// Blocks that a multiprocessor has to run when all run at once.
  int64_t most = std::numeric_limits<int64_t>::max();
};

/// Blocks that each multiprocessor has to run when `blocks` run at once.
int64_t blocksEach(int64_t blocks, const DeviceInfo &device);

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Whether the registers of a kernel of one warpgroup beside its producers
/// suffice for two blocks when they are redistributed, and for one only when
/// they are not.
bool sharesByRedistribution(const BlockFacts &block, const TargetInfo &target);

/// Blocks of `threads` threads, which each need what is demanded, that have
/// registers, shared memory and places.
int64_t blocksThatFit(const BlockFacts &block, const TargetInfo &target,
                      int64_t threads);

/// Why a kernel whose copies are all by TMA runs faster without roles; nothing
/// where it does not: where roles leave one block on a multiprocessor and
/// without them there are several, or more of them while loads run one
/// iteration ahead only. Persistent kernels and clusters keep roles.
std::optional<Reason> whyFasterAlone(KernelOp kernel, const BlockFacts &block,
                                     const TargetInfo &target);
/// The same of a kernel with layouts.
std::optional<Reason> whyFasterAlone(KernelOp kernel, const TargetInfo &target);

/// How many blocks of a kernel with roles a multiprocessor runs at a time, and
/// whether its roles get registers from each other.
struct Residency {
  int64_t blocks = 1;
  bool redistributes = true;
};

/// Decides it for a kernel whose loops have become rings and whose roles are
/// still to be built. `copies` as in demandOf.
Residency decideResidency(KernelOp kernel, const TargetInfo &target,
                          int64_t copies);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_OCCUPANCY_H
