//===- Combination.h - how reductions combine two elements ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tile.reduce`, `tile.scan` and `tile.cluster_reduce` do to two elements,
// and `tile.atomic` to one in memory. Both lowerings ask here, so that they
// cannot differ.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_COMBINATION_H
#define TILE_CONVERSION_COMBINATION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

struct Combination {
  ReduceKind kind;
  bool isUnsigned = false;
  bool propagatesNan = false;

  explicit Combination(ReduceOp op)
      : kind(op.getKind()), isUnsigned(op.getIsUnsigned()),
        propagatesNan(op.getPropagateNan()) {}
  explicit Combination(ScanOp op)
      : kind(op.getKind()), isUnsigned(op.getIsUnsigned()),
        propagatesNan(op.getPropagateNan()) {}
  explicit Combination(ClusterReduceOp op)
      : kind(op.getKind()), isUnsigned(op.getIsUnsigned()) {}

  /// The type to combine elements of type `element` in: floats narrower than
  /// f32 are widened, and each result is rounded once.
  static Type workingType(Type element);

  /// The value that changes nothing.
  TypedAttr identity(OpBuilder &builder, Type type) const;
  Value combine(OpBuilder &builder, Location loc, Value x, Value y) const;
  /// The absolute value, where the kind combines those.
  Value magnitude(OpBuilder &builder, Location loc, Value x) const;
  /// Whether a row of nothing but NaNs has to become the identity.
  bool ignoresNan(Type type) const;
};

/// What `tile.atomic` does to an element of type `type`.
arith::AtomicRMWKind atomicKindOf(AtomicOp op, Type type);

} // namespace mlir::tile
#endif // TILE_CONVERSION_COMBINATION_H
