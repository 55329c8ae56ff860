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

/// Whether `op` (which may be null) shows a slot of a ring: one to be filled or
/// one to be read.
inline bool showsSlot(Operation *op) {
  return isa_and_nonnull<RingAcquireOp, RingWaitOp>(op);
}

/// The ring whose slot `view` shows; null where it is no such view.
inline Value ringOf(Value view) {
  Operation *op = view.getDefiningOp();
  if (auto acquire = dyn_cast_or_null<RingAcquireOp>(op))
    return acquire.getRing();
  auto wait = dyn_cast_or_null<RingWaitOp>(op);
  return wait ? wait.getRing() : Value();
}

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_BUFFERS_H
