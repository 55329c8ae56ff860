//===- RowSort.h - sorting networks as tile operations ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of keys lie in shared memory as unsigned integers whose order is theirs
// (OrderedKeys.h), extended to a power of two with the greatest one. Where an
// element's place has to be known, it is the lower bits of the integer, which
// makes equal keys keep their order. A key of 64 bits has a tile of places
// beside it. Batcher's bitonic network ("Sorting networks and their
// applications", AFIPS 1968) then takes them, three of its steps at a time.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_KERNEL_ROWSORT_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_KERNEL_ROWSORT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// How numbers become keys.
struct KeyOrder {
  Type type;
  bool isUnsigned, descending;
};

/// A number of a row, and where it stood.
struct SortedElement {
  Value number;
  Value place; // index; null where places are not kept
};

/// An integer that has a key in its upper bits, a place in its lower ones.
struct PackedKey {
  PackedKey(KeyOrder order, int64_t extent);
  /// 32 or 64; 0 where a key and a place do not fit.
  unsigned bits() const;
  Value pack(ImplicitLocOpBuilder &b, Value number, Value place) const;
  SortedElement unpack(ImplicitLocOpBuilder &b, Value packed) const;

  KeyOrder order;
  unsigned placeBits; // 0 where places are not kept
};

class RowSort {
public:
  /// For rows along `dim` of a tile of `shape`.
  RowSort(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape, unsigned dim,
          KeyOrder order, bool keepsPlaces);

  /// Emits the code that sorts the rows of `source`. Where only the first
  /// `kept` elements of the order are asked for, the others are dropped as soon
  /// as that many less ones are known.
  void sort(Value source, int64_t kept);
  /// In a loop over what `sort` has sorted: element `index` of a row.
  SortedElement load(ValueRange outer, Value index);

  /// Trips of elements through registers, each of all that are left, and bytes
  /// of shared memory.
  int64_t numPasses() const { return passes; }
  int64_t bytes() const;

private:
  void fill(Value source);
  void emitPass(Value stage, Value shift, unsigned width);
  void lowerGroups(Value stage, Value count);
  void sortRuns();
  void mergeRuns();
  void keepLess();
  Value physical(Value place);
  SmallVector<Value> columns(ValueRange outer, Value place);
  void store(ArrayRef<Value> element, ValueRange outer, Value place);
  Value number(int64_t value);
  Value swizzled(Value place);
  Value column(Value place);

  ImplicitLocOpBuilder &b;
  SmallVector<int64_t> others;
  unsigned dim;
  int64_t extent, padded;
  unsigned steps; // log2 of padded
  /// log2 of the elements of a sorted run, and of the runs that each of those
  /// that are left stands for.
  unsigned runSteps = 0, round = 0;
  int64_t passes = 0;
  PackedKey key;
  SmallVector<Value, 2> tiles;
};

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_KERNEL_ROWSORT_H
