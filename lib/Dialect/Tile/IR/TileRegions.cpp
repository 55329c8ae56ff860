//===- TileRegions.cpp - regions of buffers, for verifiers and effects ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "TileRegions.h"
#include "TileTunables.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

SmallVector<int64_t> tile::dropUnitExtents(ArrayRef<int64_t> extents) {
  SmallVector<int64_t> kept;
  for (int64_t extent : extents)
    if (extent != 1)
      kept.push_back(extent);
  return kept;
}

/// Whether a buffer's type gives the extents of a region, if only once tunables
/// are chosen.
static bool givesExtents(Value buffer) {
  return cast<MemRefType>(buffer.getType()).hasStaticShape() ||
         isOpenTile(buffer);
}

/// The whole buffer's extents when it gives them.
static SmallVector<int64_t> wholeExtents(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!givesExtents(buffer))
    return {};
  return llvm::to_vector(type.getShape());
}

/// Aligns `extents` to the right of a buffer of `rank` dimensions, dropping
/// leading ones when there are too many.
static SmallVector<int64_t> rightAlign(SmallVector<int64_t> extents,
                                       size_t rank) {
  if (extents.size() > rank) {
    // Only ones may be dropped; leading ones first, then any.
    while (extents.size() > rank && !extents.empty() && extents.front() == 1)
      extents.erase(extents.begin());
    for (size_t i = extents.size(); i-- > 0 && extents.size() > rank;)
      if (extents[i] == 1)
        extents.erase(extents.begin() + i);
    return extents;
  }
  SmallVector<int64_t> aligned(rank - extents.size(), 1);
  aligned.append(extents);
  return aligned;
}

SmallVector<int64_t> tile::deriveExtents(const RegionSpec &side,
                                         const RegionSpec &other) {
  if (side.sizes)
    return llvm::to_vector(*side.sizes);
  size_t rank = cast<MemRefType>(side.buffer.getType()).getRank();
  if (other.sizes)
    return rightAlign(llvm::to_vector(*other.sizes), rank);
  // Neither states extents: a tile (not global) gives them; between two of a
  // kind, a side without offsets, then the target.
  bool sideIsTile = !isGlobal(side.buffer),
       otherIsTile = !isGlobal(other.buffer);
  bool fromSide = sideIsTile != otherIsTile
                      ? sideIsTile
                      : (side.offsets.empty() != other.offsets.empty()
                             ? side.offsets.empty()
                             : side.name == "target");
  SmallVector<int64_t> own = wholeExtents(side.buffer);
  SmallVector<int64_t> others = wholeExtents(other.buffer);
  bool othersKnown = givesExtents(other.buffer);
  bool ownKnown = givesExtents(side.buffer);
  if (fromSide && ownKnown)
    return own;
  if (othersKnown)
    return rightAlign(others, rank);
  return own;
}

LogicalResult tile::verifyRegion(Operation *op, StringRef prefix,
                                 const RegionSpec &side,
                                 ArrayRef<int64_t> extents) {
  auto type = cast<MemRefType>(side.buffer.getType());
  size_t rank = type.getRank();
  if (!side.offsets.empty() && side.offsets.size() != rank)
    return op->emitOpError()
           << "[" << prefix << "-1] expected " << rank << " offsets of the "
           << side.name << ", got " << side.offsets.size();
  if (extents.size() != rank)
    return op->emitOpError()
           << "[" << prefix << "-2] expected " << rank << " extents of the "
           << side.name << ", got " << extents.size();
  // What is stated is a number: the one that stands for "open" is none.
  for (auto [d, extent] : llvm::enumerate(extents))
    if (extent < 1 && (side.sizes || !ShapedType::isDynamic(extent)))
      return op->emitOpError()
             << "[" << prefix << "-2] expected positive extents of the "
             << side.name << ", got " << extent << " in dimension " << d;
  if (!isTileShape(closeExtents(extents)))
    return op->emitOpError()
           << "[" << prefix << "-2] expected extents of the " << side.name
           << " of product at most " << kMaxTileElements;
  if (isGlobal(side.buffer))
    return success();
  for (auto [d, extent] : llvm::enumerate(extents)) {
    int64_t size = type.getDimSize(d), offset = 0;
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(extent))
      continue; // asked again once tunables are chosen
    bool known = side.offsets.empty();
    if (!known) {
      APInt constant;
      if (matchPattern(side.offsets[d], m_ConstantInt(&constant))) {
        offset = constant.getSExtValue();
        known = true;
      }
    }
    int64_t end = 0;
    if (extent > size ||
        (known &&
         (offset < 0 || llvm::AddOverflow(offset, extent, end) || end > size)))
      return op->emitOpError()
             << "[" << prefix << "-4] expected a region inside the "
             << side.name << ", got [" << offset << ", " << offset << "+"
             << extent << ") in dimension " << d << " of extent " << size;
  }
  return success();
}

LogicalResult tile::verifyRegionPair(Operation *op, StringRef prefix,
                                     StringRef underivable,
                                     const RegionSpec &source,
                                     const RegionSpec &target) {
  for (const RegionSpec *side : {&source, &target})
    if (getMemorySpace(side->buffer) == MemorySpace::Unknown)
      return op->emitOpError()
             << "expected the " << side->name
             << " in global, shared, fragment, local or tensor memory, got "
             << side->buffer.getType();
  SmallVector<int64_t> from = deriveExtents(source, target);
  SmallVector<int64_t> to = deriveExtents(target, source);
  auto rankOf = [](const RegionSpec &side) {
    return cast<MemRefType>(side.buffer.getType()).getRank();
  };
  if ((from.empty() && rankOf(source)) || (to.empty() && rankOf(target)))
    return op->emitOpError() << "[" << underivable
                             << "] expected `sizes` on one side: neither "
                                "buffer's static shape gives the extents";
  if (failed(verifyRegion(op, prefix, source, from)) ||
      failed(verifyRegion(op, prefix, target, to)))
    return failure();
  bool isOpen = llvm::any_of(from, ShapedType::isDynamic) ||
                llvm::any_of(to, ShapedType::isDynamic);
  // An open extent may turn out to be one.
  if (!isOpen && dropUnitExtents(from) != dropUnitExtents(to)) {
    InFlightDiagnostic diag =
        op->emitOpError()
        << "[" << prefix
        << "-3] expected equal extents once ones are dropped, "
           "got [";
    llvm::interleaveComma(from, diag);
    diag << "] from the source and [";
    llvm::interleaveComma(to, diag);
    diag << "] to the target";
    return diag;
  }
  return success();
}

LogicalResult tile::verifyCoalescedWidth(Operation *op, StringRef constraint,
                                         std::optional<uint64_t> width) {
  if (width && !llvm::isPowerOf2_64(*width))
    return op->emitOpError() << "[" << constraint
                             << "] expected `coalesced_width` to be a positive "
                                "power of two, got "
                             << static_cast<int64_t>(*width);
  return success();
}

LogicalResult tile::verifyRanked(Operation *op, ValueRange buffers) {
  for (Value buffer : buffers)
    if (!isa<MemRefType>(buffer.getType()))
      return op->emitOpError()
             << "expected ranked memrefs, got " << buffer.getType();
  return success();
}

bool tile::isConvertible(Type from, Type to) {
  auto isNumber = [](Type type) {
    return isa<IntegerType, IndexType, FloatType>(type) && isStorageType(type);
  };
  return from == to || (isNumber(from) && isNumber(to));
}

LogicalResult tile::verifyLoopLayout(Operation *op, StringRef constraint,
                                     std::optional<FragmentLayoutAttr> layout,
                                     SmallVector<int64_t> shape) {
  if (!layout)
    return success();
  if (shape.empty())
    shape.push_back(1);
  if (layout->getShape() != ArrayRef<int64_t>(shape)) {
    InFlightDiagnostic diag = op->emitOpError()
                              << "[" << constraint
                              << "] expected a layout of shape [";
    llvm::interleaveComma(shape, diag);
    diag << "], got [";
    llvm::interleaveComma(layout->getShape(), diag);
    diag << "]";
    return diag;
  }
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t threads = layout->getLayout().numThreads();
  if (kernel && threads != getAgentThreads(op))
    return op->emitOpError()
           << "[" << constraint << "] expected a layout over "
           << getAgentThreads(op) << " threads, got " << threads;
  return success();
}

void tile::effectsFromAccesses(
    TileOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  SmallVector<TileAccess> accesses;
  op.getAccesses(accesses);
  for (const TileAccess &access : accesses) {
    OpOperand *operand = nullptr;
    for (OpOperand &candidate : op->getOpOperands())
      if (candidate.get() == access.buffer)
        operand = &candidate;
    auto add = [&](MemoryEffects::Effect *effect) {
      if (operand)
        effects.emplace_back(effect, operand);
      else
        effects.emplace_back(effect);
    };
    if (access.isWrite)
      add(MemoryEffects::Write::get());
    if (!access.isWrite || access.isAtomic)
      add(MemoryEffects::Read::get());
  }
}
