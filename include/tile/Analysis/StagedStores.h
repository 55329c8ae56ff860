//===- StagedStores.h - results on their way out ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which results leave registers through a tile in shared memory, in which
// pieces, and which of them can wait in registers until the next tile's
// products run. The passes that do so ask (--tile-stage-stores,
// --tile-delay-stores), and the cost model, which foresees it before layouts
// are known. What belongs to one such store after --tile-schedule-stores is
// asked here, too.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_STAGEDSTORES_H
#define TILE_ANALYSIS_STAGEDSTORES_H

#include "tile/Analysis/Reason.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"
#include <optional>

namespace mlir::tile {

/// Smaller tiles are not worth a trip through shared memory.
inline constexpr int64_t kSmallBytes = 4096;
/// What is left for stores in each row of a tile, by what stages loads. Where
/// less is left, pieces are narrower, down to a sector.
inline constexpr int64_t kPieceRowBytes = 128;

/// Results in registers: the elements have `bits` where they go.
struct StoredTile {
  int64_t rows = 0, columns = 0, bits = 0;
};

/// The tile whose store may go through shared memory, as far as the program and
/// the shape decide it; else `why` says why it is stored directly.
FailureOr<StoredTile> storedTile(TileMoveOpInterface store, Reason &why);

/// A piece of a tile: so many positions along one dimension, all along the
/// other one.
struct StoredPiece {
  unsigned dim = 1;
  int64_t extent = 0;
};

/// The shared memory that a kernel takes without the tile that a store goes
/// through, and how many of these bytes nobody needs any more then.
struct SharedRoom {
  int64_t used = 0, idle = 0;
};

/// Whether results may leave through bytes that pipelined loops have used.
/// Out of tensor memory a piece comes to registers as a whole, and the large
/// pieces that slots hold spill.
bool mayLeaveThroughSlots(const TargetInfo &target);

/// The pieces in which a tile leaves: the largest that leave room for `blocks`
/// on a multiprocessor (0: for any number), else the smallest that fit at all,
/// else the largest that fit where they may lie in idle bytes, which costs a
/// barrier; none where none fits. Pieces are columns where threads hold whole
/// shares of them, else rows. `isPossible` says whether they do.
std::optional<StoredPiece>
storedPiece(const StoredTile &tile, SharedRoom room, int64_t blocks,
            const TargetInfo &target,
            llvm::function_ref<bool(unsigned dim, int64_t extent)> isPossible);

/// A piece of the results on its way out, as --tile-schedule-stores leaves it:
/// a wait until the stores from the staging tile before have read it, the copy
/// from registers to that tile, and the store out of it, which returns a token.
struct StagedStore {
  AwaitOp await;
  TileMoveOpInterface stage, store; // plain ones

  SmallVector<Operation *, 3> ops() { return {await, stage, store}; }
  AllocOp fragment() { return allocationOf(stage.getSource()); }
  /// Whether it fills whole registers while it waits.
  bool waitsInWholeRegisters();
};

/// The staged store that begins with `await`; nullopt where it waits for
/// something else, or none follows in its block.
std::optional<StagedStore> stagedStoreAt(AwaitOp await);

/// Whether results fill whole registers while they wait: elements of 32 bits,
/// or pairs that an instruction stores at once (stmatrix). Bytes and halves
/// that are stored one by one would take a register each.
bool waitInWholeRegisters(int64_t bits, bool storesMatrices);

/// Whether a fragment of f16 or bf16 is filled from one of f32 and only copied
/// after that.
bool isPlainResult(AllocOp alloc);

/// Of a thread's registers, those in which results can wait beside the
/// fragments that are alive while products run.
int64_t registersForResults(int64_t registers, int64_t alive);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_STAGEDSTORES_H
