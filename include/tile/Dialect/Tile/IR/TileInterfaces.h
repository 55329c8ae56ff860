//===- TileInterfaces.h - interfaces of tile operations ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_TILEINTERFACES_H
#define TILE_DIALECT_TILE_IR_TILEINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "tile/Dialect/Tile/IR/MoveAttributes.h"

namespace mlir::tile {

/// One region of one buffer that an operation touches.
struct TileAccess {
  Value buffer;
  /// Offsets per dimension; empty means the region starts at zero.
  llvm::SmallVector<Value> offsets;
  /// Extents per dimension; empty means the whole buffer.
  llvm::SmallVector<int64_t> extents;
  bool isWrite = false;
  bool isAtomic = false;
  bool isWholeBuffer() const { return extents.empty(); }
};

/// How a move finds the elements of its global side: a box of them, the rows of
/// a convolution's matrix, or rows that a buffer of indices names.
enum class MoveAddressing { Box, Im2col, Indexed };

/// Receives the demands of operations; defined by layout inference.
class LayoutConstraints;

} // namespace mlir::tile

#include "tile/Dialect/Tile/IR/TileInterfaces.h.inc"

#endif // TILE_DIALECT_TILE_IR_TILEINTERFACES_H
