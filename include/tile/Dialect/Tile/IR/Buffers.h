//===- Buffers.h - short questions about buffers ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes ask of a value that is a buffer, in one place and by one name:
// what it holds, and the ring whose slot it shows.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_BUFFERS_H
#define TILE_DIALECT_TILE_IR_BUFFERS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

inline Type elementTypeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}
/// Bits that an element of the buffer takes in memory.
inline int64_t storageBitsOf(Value buffer) {
  return getStorageBits(elementTypeOf(buffer));
}

/// The allocation that `buffer` is the whole of; null where it is something
/// else, or a part of one.
inline AllocOp allocationOf(Value buffer) {
  return buffer.getDefiningOp<AllocOp>();
}

/// Whether `op` (which may be null) shows a slot of a ring: one to be filled or
/// one to be read.
inline bool showsSlot(Operation *op) {
  auto ring = dyn_cast_or_null<TileRingOpInterface>(op);
  return ring && ring.showsSlot();
}

/// Whether `op` shows a slot of a ring to be filled.
inline bool showsOpenSlot(Operation *op) {
  auto ring = dyn_cast_or_null<TileRingOpInterface>(op);
  return ring && ring.showsSlot() && ring.fillsSlots();
}

/// The ring whose slot `view` shows; null where it is no such view.
inline Value ringOf(Value view) {
  auto op = view.getDefiningOp<TileRingOpInterface>();
  return op ? op.getRing() : Value();
}

/// Whether `view` shows a slot that is to be filled, or one that is to be read.
inline bool isToBeFilled(Value view) {
  return showsOpenSlot(view.getDefiningOp());
}
inline bool isToBeRead(Value view) {
  auto op = view.getDefiningOp<TileRingOpInterface>();
  return op && !op.fillsSlots();
}

/// Where a ring, or the ring whose slot a view shows, is created.
inline RingCreateOp creationOf(Value ring) {
  return ring.getDefiningOp<RingCreateOp>();
}
inline RingCreateOp creationOfSlot(Value view) {
  Value ring = ringOf(view);
  return ring ? creationOf(ring) : RingCreateOp();
}

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_BUFFERS_H
