//===- SharedArena.h - what lies where in shared memory ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places that PlaceSharedMemory.cpp chooses, between their two forms: this
// table, and the attributes of tile/Dialect/Tile/IR/Placement.h. Whoever needs
// the table reads the attributes; nobody but the pass decides.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_PREPARE_SHAREDARENA_H
#define TILE_LIB_CONVERSION_TILETONVVM_PREPARE_SHAREDARENA_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/MapVector.h"
#include <optional>

namespace mlir::tile::nvvm {

inline constexpr int64_t kMbarrierBytes = 8;

/// How the blocks of a cluster exchange a fragment (`tile.cluster_reduce`).
struct ExchangePlace {
  int64_t offset = 0;
  int64_t registers = 1; // of a thread, at a time
  bool inRing = false;
};

/// Places in the shared memory of a block, as bytes from its start.
struct SharedArena {
  /// Tiles and rings that are used, by `tile.alloc` or `tile.ring.create`.
  llvm::MapVector<Operation *, int64_t> offsets;
  /// Full mbarriers of a ring, then its empty ones; or those of a
  /// `tile.mbarrier.create`.
  llvm::MapVector<Operation *, int64_t> mbarriers;
  /// Two mbarriers on which the blocks of a cluster meet.
  std::optional<int64_t> clusterBarriers;
  /// The mbarriers of gemms by tcgen05, and the address of tensor memory.
  std::optional<int64_t> tensorBarriers;
  /// Scratch memory of the operations that use some: bytes [first, second).
  llvm::MapVector<Operation *, std::pair<int64_t, int64_t>> scratch;
  llvm::MapVector<Operation *, ExchangePlace> exchanges;
  /// What a block asks for.
  int64_t bytes = 0;

  /// Bytes [first, second) that a buffer (alloc result or ring view) occupies,
  /// all stages of a ring included.
  std::pair<int64_t, int64_t> range(Value buffer) const;
  /// Where scratch memory begins, behind all else; `bytes` where there is none.
  int64_t scratchBegin() const;
};

/// Replaces the placement attributes in `kernel`.
void writeSharedArena(KernelOp kernel, const SharedArena &arena);

/// Fails with an error that names the pass where `kernel` has no places, or
/// where they do not fit what it contains.
FailureOr<SharedArena> readSharedArena(KernelOp kernel,
                                       const TargetInfo &target);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_PREPARE_SHAREDARENA_H
