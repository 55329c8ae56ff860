//===- ClusterExchange.h - pieces of an exchanged fragment ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many registers of a fragment the blocks of a cluster exchange at a time,
// and how these lie in shared memory. PlaceSharedMemory.cpp chooses a piece,
// ClusterReduce.cpp exchanges one after the other.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_REDUCE_CLUSTEREXCHANGE_H
#define TILE_LIB_CONVERSION_TILETONVVM_REDUCE_CLUSTEREXCHANGE_H

#include "Prepare/SharedArena.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile::nvvm {

class ClusterExchange {
public:
  /// Of a fragment with `registers` in each of the agent's `threads`. Pieces
  /// are registers of the fragment, or of one part (`parts`).
  ClusterExchange(ClusterReduceOp op, int64_t registers, int64_t threads);

  /// One access of a thread: `width` registers together. `groups` such accesses
  /// hold a piece, rounded up so that each block has as many (`perBlock`), or,
  /// of a part, what each of the other blocks sends (`perBlock`); those of all
  /// threads take `groupBytes`.
  struct Shape {
    int64_t width, groups, perBlock, groupBytes;
    int64_t bytes() const { return groups * groupBytes; }
  };
  /// As wide as an access can be while every block has a share.
  Shape shapeOf(int64_t count) const;

  /// The most registers that fit `available` bytes at a time; at least one.
  int64_t largestPiece(int64_t available) const;
  /// The piece with which as many blocks run on a multiprocessor as without the
  /// exchange, unless it would take many rounds. `used` bytes are taken.
  int64_t choosePiece(KernelOp kernel, const TargetInfo &target,
                      int64_t used) const;

  /// Registers that are exchanged piece by piece.
  int64_t numRegisters() const { return registers; }

  /// The type that elements are exchanged and combined in.
  Type carrier;

private:
  int64_t bytesOfElement() const { return carrier.getIntOrFloatBitWidth() / 8; }
  int64_t blocks, registers, threads;
  bool inParts;
};

/// A ring that nobody uses from `op` on: what was copied into it, by this block
/// or a peer, was waited for, read, and is not needed again. Null in a loop,
/// whose next iteration would need it.
RingCreateOp findIdleRing(ClusterReduceOp op, const SharedArena &arena);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_REDUCE_CLUSTEREXCHANGE_H
