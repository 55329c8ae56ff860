//===- SharedLives.h - when buffers in shared memory live -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles and rings of a kernel in shared memory: their sizes, and from which
// operation to which their contents matter. Two buffers that are never alive
// together may share bytes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_PREPARE_SHAREDLIVES_H
#define TILE_LIB_CONVERSION_TILETONVVM_PREPARE_SHAREDLIVES_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile::nvvm {

struct SharedBufferLife {
  /// A loop or roles around `home`.
  struct Around {
    Operation *op;
    int64_t first, last;
  };
  Operation *owner = nullptr; // tile.alloc or tile.ring.create
  /// Each execution of this block has contents of its own: the owner's block,
  /// or the body of a loop whose iterations overwrite the buffer before they
  /// use it.
  Block *home = nullptr;
  int64_t bytes = 0, alignment = 16;
  /// Positions in program order, inclusive, of its uses and of what awaits
  /// asynchronous ones.
  int64_t first = 0, last = -1;
  SmallVector<Around, 2> around;
  /// Something asynchronous uses it.
  bool isAwaited = false;
};

class SharedLives {
public:
  /// Collects the buffers of `kernel` that are used, in program order. Fails
  /// with an error where one has no layout.
  static FailureOr<SharedLives> create(KernelOp kernel);

  ArrayRef<SharedBufferLife> buffers() const { return all; }
  /// The operation at a position; null behind the last.
  Operation *at(int64_t position) const {
    return position < static_cast<int64_t>(operations.size())
               ? operations[position]
               : nullptr;
  }
  /// Positions of the kernel.
  int64_t size() const { return static_cast<int64_t>(operations.size()); }

private:
  explicit SharedLives(KernelOp kernel);
  LogicalResult collect();
  int64_t endOf(Operation *op);
  void addUses(SharedBufferLife &buffer, Value value);

  KernelOp kernel;
  DenseMap<Operation *, int64_t> position;
  SmallVector<Operation *> operations;
  SmallVector<SharedBufferLife> all;
};

/// Whether the contents of both matter at one time. A buffer whose home is a
/// loop lives as long as the loop iterates: its address is fixed, and another
/// iteration's use of bytes shared with a buffer outside would clash. With
/// `isTight`, two buffers of one iteration can follow each other (barriers
/// order the iterations), unless one is still read when its iteration ends.
/// Roles run side by side: what one allocates lives while any runs. With
/// `isTight`, a role that has read a ring to its end keeps its tiles in the
/// slots, at the price of a barrier, as a kernel without roles does.
bool aliveTogether(const SharedBufferLife &a, const SharedBufferLife &b,
                   bool isTight);

/// Whether nobody uses `ring` from `op` on: what was copied into its slots, by
/// this block or a peer, was waited for, read, and is not needed again. False
/// in a loop, whose next iteration would need it, and for rings without
/// mbarriers.
bool isIdleFrom(RingCreateOp ring, Operation *op);

/// Bytes of each buffer of a ring, each aligned for the next.
SmallVector<int64_t> ringBufferOffsets(RingCreateOp ring, int64_t &stageBytes);
/// Bytes of all slots of a ring.
int64_t ringBytes(RingCreateOp ring);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_PREPARE_SHAREDLIVES_H
