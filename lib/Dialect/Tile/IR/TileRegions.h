//===- TileRegions.h - regions of buffers, for verifiers and effects ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What copy, fill, atomic and the moves by rows share: deriving extents,
// checking that regions make sense, and turning accesses into memory effects.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_IR_TILEREGIONS_H
#define TILE_LIB_DIALECT_TILE_IR_TILEREGIONS_H

#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace mlir::tile {

/// One side of a copy as written.
struct RegionSpec {
  StringRef name; // "source", "target"
  Value buffer;
  OperandRange offsets;
  std::optional<ArrayRef<int64_t>> sizes;
};

/// Both sides of an operation with regions.
template <typename OpT> RegionSpec sourceOf(OpT op) {
  return {"source", op.getSource(), op.getSourceOffsets(), op.getSourceSizes()};
}
template <typename OpT> RegionSpec targetOf(OpT op) {
  return {"target", op.getTarget(), op.getTargetOffsets(), op.getTargetSizes()};
}

/// What a move of `op`'s source to its target touches.
template <typename OpT>
void appendCopyAccesses(OpT op, bool atomic,
                        SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back({op.getSource(), llvm::to_vector(op.getSourceOffsets()),
                      op.getSourceExtents(), false, false});
  accesses.push_back({op.getTarget(), llvm::to_vector(op.getTargetOffsets()),
                      op.getTargetExtents(), true, atomic});
}

/// Extents of `side`: stated, or derived from the other side, or the whole
/// buffer. Empty when they cannot be derived.
SmallVector<int64_t> deriveExtents(const RegionSpec &side,
                                   const RegionSpec &other);

/// Extents without the ones.
SmallVector<int64_t> dropUnitExtents(ArrayRef<int64_t> extents);

/// Checks one side by the numbered constraints `prefix`-1, -2, -4.
LogicalResult verifyRegion(Operation *op, StringRef prefix,
                           const RegionSpec &side, ArrayRef<int64_t> extents);

/// Checks both sides by the constraints -1, -2, -3 and -4, and by `underivable`
/// that both have extents.
LogicalResult verifyRegionPair(Operation *op, StringRef prefix,
                               StringRef underivable, const RegionSpec &source,
                               const RegionSpec &target);

/// Checks a hint on how many elements a thread moves at a time.
LogicalResult verifyCoalescedWidth(Operation *op, StringRef constraint,
                                   std::optional<uint64_t> width);

/// Both operands are ranked memrefs; checked before anything casts them.
LogicalResult verifyRanked(Operation *op, ValueRange buffers);

/// Whether a move turns elements of one type into those of another.
bool isConvertible(Type from, Type to);

/// A stated loop layout has the tile's shape (or [1] for a single element) and
/// the kernel's threads.
LogicalResult verifyLoopLayout(Operation *op, StringRef constraint,
                               std::optional<FragmentLayoutAttr> layout,
                               SmallVector<int64_t> shape);

/// The carry of a scan along `dim` of a tile of type `rows` is a tile of its
/// own, none of `others`.
LogicalResult verifyCarry(Operation *op, StringRef constraint, MemRefType rows,
                          int64_t dim, Value carry, ValueRange others);

/// An index into mbarriers that is a constant is one of them.
LogicalResult verifyMbarrierIndex(Operation *op, StringRef constraint,
                                  Value barriers, Value index);

/// A place in the cluster that is a constant is one of its blocks.
LogicalResult verifyPlaceInCluster(Operation *op, StringRef constraint,
                                   Value block);

/// Memory effects that follow from the accesses of a tile operation.
void effectsFromAccesses(
    TileOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_IR_TILEREGIONS_H
