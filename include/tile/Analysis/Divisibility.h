//===- Divisibility.h - what is known to divide a value ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known divisors of index values and of memref strides: constants, arithmetic,
// loop bounds, and the promises of `tile.assume`. Copy selection and vector
// widths rest on it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_DIVISIBILITY_H
#define TILE_ANALYSIS_DIVISIBILITY_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The promises about a value, wherever they stand.
llvm::SmallVector<AssumeOp> promisesOf(Value value);
/// The same, and those that say what it equals.
llvm::SmallVector<AssumeOp> promisesAbout(Value value);

/// The largest power-of-two-or-other integer known to divide `value` (at least
/// 1; 2^32 for zero, which everything divides). Index or integer values.
int64_t knownDivisor(Value value);

/// Divisor known of the size of dimension `dim` of a ranked memref: its static
/// size, or what `tile.assume` says of a `memref.dim` of it.
int64_t sizeDivisor(Value memref, unsigned dim);

/// Divisor known of a memref's stride (in elements) in dimension `dim`.
int64_t strideDivisor(Value memref, unsigned dim);

/// Bytes that the address of a buffer in global memory is known to be a
/// multiple of, a power of two: what is promised of an argument or an address;
/// of a view, what its offset leaves of that. At least the bytes of an element.
int64_t knownAlignment(Value buffer);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_DIVISIBILITY_H
