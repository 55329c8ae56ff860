//===- Combination.h - how reductions combine elements ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tile.reduce`, `tile.scan` and `tile.cluster_reduce` do to two elements,
// their forms with a region to two tuples of elements, and `tile.atomic` to one
// element in memory. Both lowerings ask here, so that they cannot differ.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_COMBINATION_H
#define TILE_CONVERSION_COMBINATION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace mlir::tile {

struct Combination {
  ReduceKind kind;
  bool isUnsigned = false;
  bool propagatesNan = false;

  /// Signed, and of a NaN and a number the number.
  explicit Combination(ReduceKind kind) : kind(kind) {}
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

/// How tuples of elements are combined: by a kind, tuples of one, or by the
/// region of an operation.
class Combiner {
public:
  /// By the kind of `op`, for elements of type `element`.
  Combiner(Combination kind, Type element);
  /// By `region`, whose arguments are two tuples of the types of `neutral`.
  Combiner(Region &region, ValueRange neutral);

  size_t size() const { return types.size(); }
  /// The types that tuples are combined in.
  ArrayRef<Type> workingTypes() const { return types; }
  /// The tuple that changes nothing.
  SmallVector<Value> neutral(OpBuilder &builder, Location loc) const;
  /// `x` stands before `y`.
  SmallVector<Value> combine(OpBuilder &builder, Location loc, ValueRange x,
                             ValueRange y) const;
  /// An element of the working type before it is combined: its absolute value
  /// where the kind combines those.
  Value prepare(OpBuilder &builder, Location loc, Value x) const;
  /// Whether `combine(x, y)` and `combine(y, x)` are the same bits.
  bool isCommutative() const { return kind.has_value(); }
  /// The kind that combines; null for a region.
  const Combination *combination() const { return kind ? &*kind : nullptr; }
  /// Whether a row of nothing but NaNs has to become the neutral value.
  bool ignoresNan() const { return kind && kind->ignoresNan(types.front()); }

private:
  std::optional<Combination> kind;
  Region *region = nullptr;
  SmallVector<Value, 2> neutralValues;
  SmallVector<Type, 2> types;
};

/// A reduction by a kind or by a region.
struct Reduction {
  explicit Reduction(ReduceOp op);
  explicit Reduction(ReduceWithOp op);

  Operation *op;
  SmallVector<Value, 2> sources, targets;
  unsigned dim;
  bool accumulates;
  Combiner combiner;
};

/// A scan by a kind or by a region.
struct Scan {
  explicit Scan(ScanOp op);
  explicit Scan(ScanWithOp op);

  Operation *op;
  SmallVector<Value, 2> sources, targets, carries;
  unsigned dim;
  bool isReverse, isExclusive;
  FragmentLayoutAttr layout; // null before layout inference
  Combiner combiner;
};

/// What `tile.atomic` does to an element of type `type`.
arith::AtomicRMWKind atomicKindOf(AtomicOp op, Type type);

} // namespace mlir::tile
#endif // TILE_CONVERSION_COMBINATION_H
