//===- FoldSubviews.cpp - parts of tiles as operands ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a tile has no layout of its own: it is where the tile is. What
// addresses elements adds the part's offsets. A gemm or a reduction works on
// whole tiles: slices along the first dimensions (`%t[%k]`, the buffers of a
// pipeline written by hand) are tiles, and so are columns in panels, also of a
// slice; gemms take them where they are, and copies that complete at a barrier
// of the program fill slices where they are: a tensor copy's target is a tile.
// Another part is copied, and back where it is written.
//
//===----------------------------------------------------------------------===//
#include "FoldSubviews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/Occupancy.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
class PartFolder {
public:
  PartFolder(memref::SubViewOp part, bool remarks,
             llvm::SmallPtrSetImpl<Operation *> &slices)
      : part(part), dropped(part.getDroppedDims()), remarks(remarks),
        slices(slices) {}

  LogicalResult fold();

private:
  LogicalResult foldInto(OpOperand &use);
  void foldSubview(memref::SubViewOp inner);
  LogicalResult foldMove(OpOperand &use);
  LogicalResult copyFor(Operation *user);
  /// Whether the part is left in place for `use`, as a slice.
  bool keepFor(OpOperand &use);
  /// The part as columns of a slice, made for `user`; null where it is not
  /// that, or where its tile has no place for either.
  Value columnsOfSlice(Operation *user);
  template <typename OpT> void foldElement(OpT access);
  /// Indices of the tile that are `indices` of the part; empty stands for
  /// zeros.
  SmallVector<Value> indicesOf(OpBuilder &b, Location loc, ValueRange indices);
  /// Extents of the tile that are `extents` of the part.
  SmallVector<int64_t> extentsOf(ArrayRef<int64_t> extents) const;

  memref::SubViewOp part;
  llvm::SmallBitVector dropped;
  bool remarks;
  llvm::SmallPtrSetImpl<Operation *> &slices; // that gemms take in place
};
} // namespace

/// What instructions take as the begin of a matrix (PTX ISA, "ldmatrix"), and
/// tensor copies as their target (PTX ISA, "cp.async.bulk.tensor").
static constexpr int64_t kMatrixAlignment = 16, kTensorAlignment = 128;

SmallVector<Value> PartFolder::indicesOf(OpBuilder &b, Location loc,
                                         ValueRange indices) {
  SmallVector<Value> result;
  size_t next = 0;
  for (auto [d, offset] : llvm::enumerate(part.getMixedOffsets())) {
    Value first = getValueOrCreateConstantIndexOp(b, loc, offset);
    if (!indices.empty() && !dropped.test(d))
      first = b.createOrFold<arith::AddIOp>(loc, first, indices[next++]);
    result.push_back(first);
  }
  return result;
}

SmallVector<int64_t> PartFolder::extentsOf(ArrayRef<int64_t> extents) const {
  SmallVector<int64_t> result;
  size_t next = 0;
  for (unsigned d = 0; d < dropped.size(); ++d)
    result.push_back(dropped.test(d) ? 1 : extents[next++]);
  return result;
}

template <typename OpT> void PartFolder::foldElement(OpT access) {
  OpBuilder b(access);
  SmallVector<Value> indices =
      indicesOf(b, access.getLoc(), access.getIndices());
  access.getMemrefMutable().assign(part.getSource());
  access.getIndicesMutable().assign(indices);
}

/// A part of a part is a part of the tile.
void PartFolder::foldSubview(memref::SubViewOp inner) {
  OpBuilder b(inner);
  SmallVector<Value> offsets;
  for (OpFoldResult offset : inner.getMixedOffsets())
    offsets.push_back(
        getValueOrCreateConstantIndexOp(b, inner.getLoc(), offset));
  SmallVector<OpFoldResult> sizes;
  size_t next = 0;
  for (unsigned d = 0; d < dropped.size(); ++d)
    sizes.push_back(dropped.test(d) ? OpFoldResult(b.getIndexAttr(1))
                                    : inner.getMixedSizes()[next++]);
  SmallVector<OpFoldResult> first =
      getAsOpFoldResult(indicesOf(b, inner.getLoc(), offsets));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  auto type = memref::SubViewOp::inferRankReducedResultType(
      inner.getType().getShape(), part.getSourceType(), first, sizes, strides);
  Value folded = memref::SubViewOp::create(
      b, inner.getLoc(), type, part.getSource(), first, sizes, strides);
  inner.replaceAllUsesWith(folded);
  inner.erase();
}

/// False where `op` is no move that has offsets on this side.
LogicalResult PartFolder::foldMove(OpOperand &use) {
  Operation *op = use.getOwner();
  OpBuilder b(op);
  if (auto move = dyn_cast<TileMoveOpInterface>(op)) {
    bool isTarget = &use == &move.getTargetMutable();
    if (move.getAddressing() != MoveAddressing::Box ||
        (!isTarget && use.get() != move.getSource()))
      return failure();
    SmallVector<Value> from(move.getSourceOffsets());
    SmallVector<Value> to(move.getTargetOffsets());
    SmallVector<int64_t> fromExtents = move.getSourceExtents();
    SmallVector<int64_t> toExtents = move.getTargetExtents();
    SmallVector<Value> &offsets = isTarget ? to : from;
    SmallVector<int64_t> &extents = isTarget ? toExtents : fromExtents;
    offsets = indicesOf(b, op->getLoc(), offsets);
    extents = extentsOf(extents);
    return success(move.setRegions(
        isTarget ? move.getSource() : part.getSource(), from, fromExtents,
        isTarget ? part.getSource() : move.getTarget(), to, toExtents));
  }
  auto fill = dyn_cast<FillOp>(op);
  if (!fill)
    return failure();
  SmallVector<int64_t> extents = extentsOf(fill.getExtents());
  SmallVector<Value> offsets = indicesOf(b, op->getLoc(), fill.getOffsets());
  fill.getTargetMutable().assign(part.getSource());
  fill.getOffsetsMutable().assign(offsets);
  fill.setSizes(extents);
  return success();
}

/// Whether copies may fill the tile ahead of a loop's other work: then it
/// becomes the slots of a ring, which have no views.
static bool isFilledAhead(Value tile) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    auto copy = dyn_cast<TileMoveOpInterface>(user);
    return copy && copy.getTarget() == tile && stagesAround(user).has_value();
  });
}

/// The copy that fills the whole of `use` and completes at a barrier.
static CopyOp completingCopyInto(OpOperand &use) {
  auto copy = dyn_cast<CopyOp>(use.getOwner());
  return copy && copy.getCompletion() && &use == &copy.getTargetMutable() &&
                 copy.getTargetExtents() ==
                     cast<MemRefType>(use.get().getType()).getShape()
             ? copy
             : CopyOp();
}

Value PartFolder::columnsOfSlice(Operation *user) {
  if (dropped.none() || dropped.all())
    return {};
  OpBuilder b(user);
  ArrayRef<int64_t> shape = part.getSourceType().getShape();
  SmallVector<OpFoldResult> first = part.getMixedOffsets(), own;
  SmallVector<OpFoldResult> sizes, ownSizes;
  SmallVector<int64_t> rows;
  for (auto [d, extent] : llvm::enumerate(shape)) {
    sizes.push_back(b.getIndexAttr(dropped.test(d) ? 1 : extent));
    if (dropped.test(d))
      continue;
    rows.push_back(extent);
    own.push_back(std::exchange(first[d], b.getIndexAttr(0)));
    ownSizes.push_back(part.getMixedSizes()[d]);
  }
  SmallVector<OpFoldResult> ones(shape.size(), b.getIndexAttr(1));
  auto slice = memref::SubViewOp::create(
      b, part.getLoc(),
      memref::SubViewOp::inferRankReducedResultType(rows, part.getSourceType(),
                                                    first, sizes, ones),
      part.getSource(), first, sizes, ones);
  ones.resize(own.size());
  auto columns =
      memref::SubViewOp::create(b, part.getLoc(), slice, own, ownSizes, ones);
  if (getTileViewSource(slice) && isColumns(columns)) {
    slices.insert(slice);
    slices.insert(columns);
    return columns;
  }
  columns.erase();
  slice.erase();
  return {};
}

bool PartFolder::keepFor(OpOperand &use) {
  Operation *user = use.getOwner();
  auto gemm = dyn_cast<GemmOp>(user);
  bool isOperand = gemm && use.get() != gemm.getC();
  if (isOperand && allocationOf(getViewedTile(part.getSource())) &&
      !getSharedLayout(part.getSource()) &&
      !isFilledAhead(getViewedTile(part.getSource())))
    if (Value columns = columnsOfSlice(user)) {
      use.set(columns);
      return true;
    }
  bool isFilled = completingCopyInto(use) && !isColumns(part);
  MemRefType type = part.getType();
  int64_t bytes =
      type.getNumElements() * getStorageBits(type.getElementType()) / 8;
  if ((!isOperand && !isFilled) || !getTileViewSource(part) ||
      !allocationOf(getViewedTile(part)) ||
      bytes % (isFilled ? kTensorAlignment : kMatrixAlignment))
    return false;
  if (isColumns(part) && isFilledAhead(getViewedTile(part)))
    return false;
  // In a stated layout slices may begin anywhere; inference chooses none such.
  if (getSharedLayout(part.getSource()) && !getSharedLayout(part.getResult()))
    return false;
  OpBuilder b(user);
  Operation *own = b.clone(*part);
  use.set(own->getResult(0));
  slices.insert(own);
  return true;
}

LogicalResult PartFolder::copyFor(Operation *user) {
  SmallVector<OpAccess> accesses;
  if (!isa<TileOpInterface>(user) || collectAccesses(user, accesses))
    return user->emitOpError()
           << "expected an operation on tiles, or on single elements, as user "
              "of a part of a tile";
  bool reads = false, writes = false;
  for (const OpAccess &own : accesses)
    if (own.access.buffer == part.getResult())
      (own.access.isWrite ? writes : reads) = true;
  auto type = cast<MemRefType>(part.getSource().getType());
  ArrayRef<int64_t> shape = part.getType().getShape();
  // A reduction and a scan load what they read into registers anyway.
  Attribute space = type.getMemorySpace();
  if (combinesRows(user) && !writes)
    space = FragmentSpaceAttr::get(part->getContext());
  OpBuilder b(part->getContext());
  b.setInsertionPointAfterValue(part.getSource());
  Value own =
      AllocOp::create(b, user->getLoc(),
                      MemRefType::get(shape, type.getElementType(),
                                      MemRefLayoutAttrInterface(), space),
                      Attribute());
  SmallVector<int64_t> extents = extentsOf(shape);
  b.setInsertionPoint(user);
  SmallVector<Value> offsets = indicesOf(b, user->getLoc(), {});
  if (reads || writes) { // what is not written stays
    auto in = CopyOp::create(b, user->getLoc(), part.getSource(), offsets, own,
                             ValueRange());
    in.setSourceSizes(extents);
    in.setTargetSizes(shape);
  }
  b.setInsertionPointAfter(user);
  if (writes) {
    auto out = CopyOp::create(b, user->getLoc(), own, ValueRange(),
                              part.getSource(), offsets);
    out.setSourceSizes(shape);
    out.setTargetSizes(extents);
  }
  for (OpOperand &operand : user->getOpOperands())
    if (operand.get() == part.getResult())
      operand.set(own);
  remarkAt(remarks, user)
      << "works on a copy of a part of a tile: its instructions take whole "
         "tiles; a `tile.alloc` of the part's shape is used in place";
  return success();
}

LogicalResult PartFolder::foldInto(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto inner = dyn_cast<memref::SubViewOp>(user)) {
    foldSubview(inner);
    return success();
  }
  // What canonicalization leaves of a part whose offsets became constants.
  if (auto cast = dyn_cast<memref::CastOp>(user)) {
    cast.replaceAllUsesWith(part.getResult());
    cast.erase();
    return success();
  }
  if (auto load = dyn_cast<memref::LoadOp>(user))
    foldElement(load);
  else if (auto store = dyn_cast<memref::StoreOp>(user))
    foldElement(store);
  else if (auto rmw = dyn_cast<memref::AtomicRMWOp>(user))
    foldElement(rmw);
  else if (auto access = dyn_cast<TileElementOpInterface>(user))
    foldElement(access);
  else if (!keepFor(use) && failed(foldMove(use)))
    return copyFor(user);
  return success();
}

LogicalResult PartFolder::fold() {
  bool isDense = llvm::all_of(part.getStaticStrides(),
                              [](int64_t stride) { return stride == 1; });
  if (!part.getType().hasStaticShape() || !isDense)
    return part.emitOpError() << "expected a part of a tile with static "
                                 "extents and strides of one, got "
                              << part.getType();
  while (!part->use_empty())
    if (failed(foldInto(*part->use_begin())))
      return failure();
  part.erase();
  return success();
}

/// Writes what a copy that completes at a barrier fills as a part of its own.
static void showSlice(CopyOp copy) {
  SmallVector<int64_t> extents = copy.getTargetExtents();
  auto type = cast<MemRefType>(copy.getTarget().getType());
  if (copy.getTargetOffsets().empty() || !isShared(copy.getTarget()))
    return;
  // One index in each of the first dimensions.
  ArrayRef<int64_t> own = ArrayRef<int64_t>(extents).drop_while(
      [](int64_t extent) { return extent == 1; });
  if (own.empty() || own.size() == extents.size())
    return;
  OpBuilder b(copy);
  SmallVector<OpFoldResult> offsets =
      getAsOpFoldResult(copy.getTargetOffsets());
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), extents);
  SmallVector<OpFoldResult> strides(extents.size(), b.getIndexAttr(1));
  auto part =
      memref::SubViewOp::create(b, copy.getLoc(),
                                memref::SubViewOp::inferRankReducedResultType(
                                    own, type, offsets, sizes, strides),
                                copy.getTarget(), offsets, sizes, strides);
  if (!getTileViewSource(part) ||
      !copy.setRegions(copy.getSource(),
                       SmallVector<Value>(copy.getSourceOffsets()),
                       copy.getSourceExtents(), part, ValueRange(), own))
    part.erase();
}

LogicalResult tile::foldSubviews(KernelOp kernel, bool remarks) {
  kernel.getBodyRegion().walk([](CopyOp copy) {
    if (copy.getCompletion())
      showSlice(copy);
  });
  // What is in a part comes behind it, and is folded into the tile with it.
  llvm::SmallPtrSet<Operation *, 8> slices;
  while (true) {
    memref::SubViewOp part;
    kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](memref::SubViewOp op) {
      if (slices.contains(op) ||
          (!isShared(op.getResult()) && !isFragment(op.getResult())))
        return WalkResult::advance();
      part = op;
      return WalkResult::interrupt();
    });
    if (!part)
      return success();
    if (failed(PartFolder(part, remarks, slices).fold()))
      return failure();
  }
}
