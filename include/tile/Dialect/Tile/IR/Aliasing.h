//===- Aliasing.h - the same memory, and who writes it ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two buffers may be the same memory, and whether a part of a kernel
// may write one: one answer for the forms of indices, for the rules of tensor
// copies and for the passes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_ALIASING_H
#define TILE_DIALECT_TILE_IR_ALIASING_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The value a buffer is a view of: a kernel argument, an allocation, a ring,
/// or whatever cannot be traced further.
Value getBaseBuffer(Value buffer);

/// The tile that `buffer` is a view of in the end (`getTileViewSource`);
/// `buffer` itself where it is no such view.
Value getViewedTile(Value buffer);

/// False only when the two buffers are known not to overlap: different memory
/// spaces, two allocations, or two kernel arguments neither of which is marked
/// `tile.may_alias`.
bool mayAlias(Value a, Value b);

/// Whether an operation of `root`, itself included, may write memory of
/// `buffer`, or read it: through another view of it, through an argument that
/// may be the same memory, or because it awaits what does so. What other
/// threads or blocks do beside `root` does not count, wherever it meets them.
bool mayWrite(Operation *root, Value buffer);
bool mayRead(Operation *root, Value buffer);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_ALIASING_H
