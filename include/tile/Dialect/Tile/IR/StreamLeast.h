//===- StreamLeast.h - from when on tiles are shared ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_DIALECT_TILE_IR_STREAMLEAST_H
#define TILE_DIALECT_TILE_IR_STREAMLEAST_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tile {

/// On a kernel with `stream_k`: an i64, the iterations of a tile that sharing
/// it has to save at least. Absent: what it costs on an H200.
inline constexpr llvm::StringLiteral kStreamLeastAttrName = "tile.stream_least";

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_STREAMLEAST_H
