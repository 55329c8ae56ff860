//===- Addresses.h - memory that a program knows by address -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_ADDRESSES_H
#define TILE_DIALECT_TILE_IR_ADDRESSES_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Bytes that the address is promised to be a multiple of: `tile.alignment`,
/// else an element's.
int64_t getAlignment(FromAddressOp op);

/// The same of memory that the launcher provides (`tile.workspace`).
inline constexpr int64_t kWorkspaceAlignment = 256;

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_ADDRESSES_H
