//===- AccessParts.cpp - which part of a tile is accessed -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "AccessParts.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Of a loop with more accesses to one tile the parts are not looked at.
static constexpr size_t kMaxParts = 32;

static bool isDefinedIn(OpFoldResult offset, Operation *op) {
  auto value = dyn_cast<Value>(offset);
  return value && op->isAncestor(value.getParentBlock()->getParentOp());
}

bool AccessPart::dependsOn(Operation *loop) const {
  return llvm::any_of(
      offsets, [&](OpFoldResult offset) { return isDefinedIn(offset, loop); });
}

AccessPart AccessPart::afterIteration(Operation *loop) const {
  auto counted = dyn_cast<scf::ForOp>(loop);
  if (!counted || (iteration.loop && iteration.loop != counted) ||
      iteration.before == kMaxIterations)
    return AccessPart();
  AccessPart part = *this;
  part.iteration = {counted, iteration.before + 1};
  return part;
}

static AccessPart partAt(Operation *place, ValueRange offsets,
                         ArrayRef<int64_t> extents, Operation *op) {
  AccessPart part;
  part.place = place;
  part.extents.assign(extents.begin(), extents.end());
  for (Value offset : offsets) {
    if (std::optional<int64_t> number = getConstantIntValue(offset))
      part.offsets.push_back(
          IntegerAttr::get(IndexType::get(op->getContext()), *number));
    else
      part.offsets.push_back(offset);
  }
  if (part.dependsOn(op))
    part.threads = op;
  return part;
}

SmallVector<AccessPart> tile::nvvm::partsOf(Operation *op, Value buffer,
                                            bool isWrite) {
  SmallVector<AccessPart> whole{AccessPart()};
  // Two elements of half a byte are one byte in memory.
  if (storageBitsOf(buffer) < 8)
    return whole;
  auto isStatic = [](ArrayRef<int64_t> extents) {
    return llvm::all_of(extents, [](int64_t extent) { return extent > 0; });
  };
  if (auto move = dyn_cast<TileMoveOpInterface>(op)) {
    // A move within one tile has two parts of it.
    if (move.getAddressing() != MoveAddressing::Box || move.getCombining() ||
        move.getSource() == move.getTarget())
      return whole;
    bool isTarget = isWrite && move.getTarget() == buffer;
    if (!isTarget && (isWrite || move.getSource() != buffer))
      return whole;
    ValueRange offsets =
        isTarget ? move.getTargetOffsets() : move.getSourceOffsets();
    SmallVector<int64_t> extents =
        isTarget ? move.getTargetExtents() : move.getSourceExtents();
    if (offsets.size() != extents.size() || !isStatic(extents))
      return whole;
    return {partAt(op, offsets, extents, op)};
  }
  auto parallel = dyn_cast<ParallelOp>(op);
  if (!parallel)
    return whole;
  SmallVector<AccessPart> parts;
  WalkResult all = parallel.getBodyRegion().walk([&](Operation *inner) {
    auto add = [&](ValueRange indices) {
      SmallVector<int64_t> ones(indices.size(), 1);
      AccessPart part = partAt(inner, indices, ones, op);
      if (!llvm::is_contained(parts, part))
        parts.push_back(std::move(part));
      return WalkResult::advance();
    };
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      if (load.getMemRef() == buffer)
        return isWrite ? WalkResult::advance() : add(load.getIndices());
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      if (store.getMemRef() == buffer)
        return isWrite ? add(store.getIndices()) : WalkResult::advance();
    bool isOther = llvm::any_of(inner->getOperands(), [&](Value operand) {
      return isa<MemRefType>(operand.getType()) &&
             getViewedTile(operand) == buffer;
    });
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (all.wasInterrupted() || parts.empty() || parts.size() > kMaxParts)
    return whole;
  return parts;
}

bool tile::nvvm::areApart(const AccessPart &first, const AccessPart &second,
                          const IndexOrder &order) {
  if (first.isWhole() || second.isWhole())
    return false;
  // Threads of one loop have offsets of one name with different values.
  if (first.threads && first.threads == second.threads && !first.iteration.loop)
    return false;
  // What holds where an earlier iteration stood does not hold now.
  Operation *user =
      second.threads || first.iteration.loop ? second.place : first.place;
  for (auto [a, extent, b, otherExtent] : llvm::zip_equal(
           first.offsets, first.extents, second.offsets, second.extents))
    if (order.areApart(a, extent, b, otherExtent, user, first.iteration))
      return true;
  return false;
}
