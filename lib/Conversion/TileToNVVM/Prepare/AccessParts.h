//===- AccessParts.h - which part of a tile is accessed ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The box of a tile in shared memory that an operation reads or writes, by the
// values of its offsets. Programs that copy asynchronously by themselves have
// several slots in one tile, or several columns of it: while one is filled,
// another is read, and no barrier has to part the two.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_ACCESSPARTS_H
#define TILE_LIB_CONVERSION_TILETONVVM_ACCESSPARTS_H

#include "tile/Analysis/IndexOrder.h"

namespace mlir::tile::nvvm {

/// The parts of so many iterations before, and after, are told apart.
inline constexpr int64_t kMaxIterations = 3;

struct AccessPart {
  /// One per dimension; empty for the whole tile, or where the part is unknown.
  SmallVector<OpFoldResult, 4> offsets;
  SmallVector<int64_t, 4> extents;
  /// The operation that accesses it, inside of the tile operation where its
  /// threads compute the offsets.
  Operation *place = nullptr;
  /// The tile operation whose threads compute offsets, each its own; null where
  /// all threads have the same.
  Operation *threads = nullptr;
  /// The iteration whose offsets they are; the current one without a loop.
  LoopIteration iteration = {};

  bool isWhole() const { return offsets.empty(); }
  bool isConstant() const {
    return llvm::all_of(
        offsets, [](OpFoldResult offset) { return isa<Attribute>(offset); });
  }
  bool operator==(const AccessPart &other) const {
    return offsets == other.offsets && extents == other.extents &&
           threads == other.threads && (!threads || place == other.place) &&
           iteration.loop == other.iteration.loop &&
           iteration.before == other.iteration.before;
  }
  /// Whether offsets are computed inside of `loop`: another iteration has other
  /// ones.
  bool dependsOn(Operation *loop) const;
  /// What it is in the next iteration of `loop`: the part of an earlier one, or
  /// the whole tile where that is too long ago.
  AccessPart afterIteration(Operation *loop) const;
};

/// The parts of `buffer`, a tile in shared memory, that `op` reads or writes;
/// one whole part where that is not known.
SmallVector<AccessPart> partsOf(Operation *op, Value buffer, bool isWrite);

/// Whether the parts, of one tile, have no element in common. `second` is of
/// the current iteration of each loop around it.
bool areApart(const AccessPart &first, const AccessPart &second,
              const IndexOrder &order);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_ACCESSPARTS_H
