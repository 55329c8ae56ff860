//===- OrderedKeys.h - numbers as integers that sort alike ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which `tile.sort` and `tile.topk` put numbers is that of
// unsigned integers of the same width. A signed integer has its sign bit
// inverted. Of a float the bits below the sign are in order already: a negative
// one has all of its bits inverted, another one its sign bit. So -0 comes
// before +0. Every NaN is the greatest key.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_ORDEREDKEYS_H
#define TILE_CONVERSION_ORDEREDKEYS_H

#include "mlir/IR/Builders.h"

namespace mlir::tile {

/// The key of `value`, an integer as wide as `value`. With `descending` the
/// order of keys is the reverse one.
Value orderedKey(OpBuilder &builder, Location loc, Value value, bool isUnsigned,
                 bool descending);

/// The number of type `type` whose key is `key`; a quiet NaN for a NaN's.
Value numberOfKey(OpBuilder &builder, Location loc, Value key, Type type,
                  bool isUnsigned, bool descending);

} // namespace mlir::tile
#endif // TILE_CONVERSION_ORDEREDKEYS_H
