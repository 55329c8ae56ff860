//===- ElementCast.h - conversion of elements between types -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tile.copy` does to an element whose type changes. Both lowerings call
// this one function, so that they cannot differ.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_ELEMENTCAST_H
#define TILE_CONVERSION_ELEMENTCAST_H

#include "mlir/IR/Builders.h"

namespace mlir::tile {

/// Converts `value` (a scalar or a vector) to `type`'s element type:
/// - float to float: `arith.extf`/`arith.truncf`, to nearest even; between
///   two formats of one width, or neither of which holds the other, through
///   f32;
/// - float to integer: `arith.fptosi`, i1 by `!= 0`;
/// - integer to float: `arith.sitofp`, i1 as 0 or 1;
/// - integer to integer: sign-extension or truncation, i1 as 0 or 1, to i1 by
/// `!= 0`.
Value castElement(OpBuilder &builder, Location loc, Value value, Type type);

} // namespace mlir::tile
#endif // TILE_CONVERSION_ELEMENTCAST_H
