//===- TileMoveOps.cpp - copy, fill, atomic, convert_layout ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints, accesses and effects of what moves whole tiles. Regions and
// their bounds are TileRegions.cpp's, rows by index TileRowMoveOps.cpp's.
//
//===----------------------------------------------------------------------===//
#include "MoveSyntax.h"
#include "TileRegions.h"
#include "TileTunables.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Only what leaves shared memory returns a token.
template <typename OpT>
static LogicalResult verifyToken(OpT op, StringRef constraint, StringRef name) {
  if (op.getToken() && (!isShared(op.getSource()) || !isGlobal(op.getTarget())))
    return op.emitOpError()
           << "[" << constraint << "] expected " << name
           << " from shared to global memory to return a token, got "
           << op.getSource().getType() << " to " << op.getTarget().getType();
  return success();
}

bool tile::fillsSlotByProxy(TileMoveOpInterface move) {
  return move.isMovedByProxy() && isToBeFilled(move.getTarget());
}

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

SmallVector<int64_t> CopyOp::getSourceExtents() {
  return deriveExtents(sourceOf(*this), targetOf(*this));
}
SmallVector<int64_t> CopyOp::getTargetExtents() {
  return deriveExtents(targetOf(*this), sourceOf(*this));
}
SmallVector<int64_t> CopyOp::getTileShape() {
  return dropUnitExtents(getTargetExtents());
}

/// Operands and extents of two regions; gives the properties of the operation.
template <typename OpT>
static typename OpT::Properties &
addRegions(OpBuilder &builder, OperationState &state, Value source,
           ValueRange sourceOffsets, Value target, ValueRange targetOffsets,
           ArrayRef<int64_t> sourceSizes, ArrayRef<int64_t> targetSizes) {
  state.addOperands(source);
  state.addOperands(sourceOffsets);
  state.addOperands(target);
  state.addOperands(targetOffsets);
  auto &properties = state.getOrAddProperties<typename OpT::Properties>();
  auto &segments = properties.operandSegmentSizes;
  segments[0] = segments[2] = 1;
  segments[1] = static_cast<int32_t>(sourceOffsets.size());
  segments[3] = static_cast<int32_t>(targetOffsets.size());
  if (!sourceSizes.empty())
    properties.source_sizes = builder.getDenseI64ArrayAttr(sourceSizes);
  if (!targetSizes.empty())
    properties.target_sizes = builder.getDenseI64ArrayAttr(targetSizes);
  return properties;
}

void CopyOp::build(OpBuilder &builder, OperationState &state, Value source,
                   ValueRange sourceOffsets, Value target,
                   ValueRange targetOffsets, ArrayRef<int64_t> sourceSizes,
                   ArrayRef<int64_t> targetSizes) {
  addRegions<CopyOp>(builder, state, source, sourceOffsets, target,
                     targetOffsets, sourceSizes, targetSizes);
}

/// Gives a move other regions; extents that are empty follow from the other's.
template <typename OpT>
static void moveBetween(OpT op, Value source, ValueRange sourceOffsets,
                        ArrayRef<int64_t> sourceExtents, Value target,
                        ValueRange targetOffsets,
                        ArrayRef<int64_t> targetExtents) {
  auto sizes = [](ArrayRef<int64_t> extents) {
    return extents.empty() ? std::optional<ArrayRef<int64_t>>() : extents;
  };
  op.getSourceMutable().assign(source);
  op.getSourceOffsetsMutable().assign(sourceOffsets);
  op.setSourceSizes(sizes(sourceExtents));
  op.getTargetMutable().assign(target);
  op.getTargetOffsetsMutable().assign(targetOffsets);
  op.setTargetSizes(sizes(targetExtents));
}

bool CopyOp::setRegions(Value source, ValueRange sourceOffsets,
                        ArrayRef<int64_t> sourceExtents, Value target,
                        ValueRange targetOffsets,
                        ArrayRef<int64_t> targetExtents) {
  moveBetween(*this, source, sourceOffsets, sourceExtents, target,
              targetOffsets, targetExtents);
  return true;
}

bool CopyOp::runsOnOneThread() { return fillsSlotByProxy(*this); }

/// Whether two regions of one buffer that begin at constants have elements in
/// common, and are not the same.
static bool overlap(const RegionSpec &a, const RegionSpec &b) {
  if (a.buffer != b.buffer)
    return false;
  SmallVector<int64_t> extentsA = deriveExtents(a, b),
                       extentsB = deriveExtents(b, a);
  auto startOf = [](const RegionSpec &side, size_t d) {
    return side.offsets.empty() ? std::optional<int64_t>(0)
                                : getConstantIntValue(side.offsets[d]);
  };
  bool isSame = extentsA == extentsB;
  for (size_t d = 0; d < extentsA.size(); ++d) {
    std::optional<int64_t> first = startOf(a, d), second = startOf(b, d);
    if (!first || !second || extentsA[d] < 0 || extentsB[d] < 0 ||
        *first + extentsA[d] <= *second || *second + extentsB[d] <= *first)
      return false;
    isSame &= *first == *second;
  }
  return !isSame;
}

LogicalResult CopyOp::verify() {
  if (failed(verifyRanked(*this, {getSource(), getTarget()})) ||
      failed(verifyRegionPair(*this, "copy", "copy-7", sourceOf(*this),
                              targetOf(*this))))
    return failure();
  Type from = elementTypeOf(getSource()), to = elementTypeOf(getTarget());
  if (!isConvertible(from, to))
    return emitOpError() << "[copy-5] expected element types that convert, got "
                         << from << " to " << to;
  if (getPad() && getPad().getType() != to)
    return emitOpError() << "[copy-6] expected `pad` of type " << to << ", got "
                         << getPad().getType();
  if (failed(verifyToken(*this, "copy-11", "a copy")))
    return failure();
  if (!isPrefetch(*this) && overlap(sourceOf(*this), targetOf(*this)))
    return emitOpError() << "[copy-16] expected regions that do not overlap: "
                            "both lie in one buffer and have elements in "
                            "common";
  if (Value barriers = getCompletion()) {
    if (!isGlobal(getSource()) || !isShared(getTarget()))
      return emitOpError()
             << "[copy-14] expected a copy from global to shared memory to "
                "complete at a barrier, got "
             << getSource().getType() << " to " << getTarget().getType();
    if (failed(verifyMbarrierIndex(*this, "copy-14", barriers,
                                   getCompletionIndex())))
      return failure();
  }
  MoveConstraints constraints = {"copy-8",  "copy-9",  "copy-10",
                                 "copy-12", "copy-13", "copy-15"};
  if (failed(verifyRequest(*this, constraints)))
    return failure();
  return verifyDecision(*this, constraints);
}

/// A prefetch has none: it changes nothing, and reads nothing that anybody
/// gets.
void CopyOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  if (!isPrefetch(*this))
    appendCopyAccesses(*this, /*atomic=*/false, accesses);
}

void CopyOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
  if (isPrefetch(*this)) // keeps it where it is
    effects.emplace_back(MemoryEffects::Write::get(),
                         ProgramOrderResource::get());
}

//===----------------------------------------------------------------------===//
// FillOp
//===----------------------------------------------------------------------===//

SmallVector<int64_t> FillOp::getExtents() {
  if (getSizes())
    return llvm::to_vector(*getSizes());
  auto type = cast<MemRefType>(getTarget().getType());
  return type.hasStaticShape() || isOpenTile(getTarget())
             ? llvm::to_vector(type.getShape())
             : SmallVector<int64_t>();
}

LogicalResult FillOp::verify() {
  if (failed(verifyRanked(*this, {getTarget()})))
    return failure();
  auto type = cast<MemRefType>(getTarget().getType());
  if (getMemorySpace(type) == MemorySpace::Unknown)
    return emitOpError() << "expected a target in global, shared, fragment, "
                            "local or tensor memory, got "
                         << type;
  if (getValue().getType() != type.getElementType())
    return emitOpError() << "[fill-1] expected a value of type "
                         << type.getElementType() << ", got "
                         << getValue().getType();
  if (!getSizes() && !type.hasStaticShape() && !isOpenTile(getTarget()))
    return emitOpError()
           << "[fill-3] expected `sizes` for a buffer of dynamic shape "
           << type;
  RegionSpec target{"target", getTarget(), getOffsets(), getSizes()};
  if (!getOffsets().empty() &&
      static_cast<int64_t>(getOffsets().size()) != type.getRank())
    return emitOpError() << "[fill-2] expected " << type.getRank()
                         << " offsets, got " << getOffsets().size();
  if (failed(verifyRegion(*this, "fill", target, getExtents())))
    return failure();
  return verifyLoopLayout(*this, "fill-5", getLayout(),
                          dropUnitExtents(getExtents()));
}

void FillOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back(
      {getTarget(), llvm::to_vector(getOffsets()), getExtents(), true, false});
}

void FillOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

//===----------------------------------------------------------------------===//
// AtomicOp
//===----------------------------------------------------------------------===//

SmallVector<int64_t> AtomicOp::getSourceExtents() {
  return deriveExtents(sourceOf(*this), targetOf(*this));
}
SmallVector<int64_t> AtomicOp::getTargetExtents() {
  return deriveExtents(targetOf(*this), sourceOf(*this));
}
SmallVector<int64_t> AtomicOp::getTileShape() {
  return dropUnitExtents(getTargetExtents());
}

void AtomicOp::build(OpBuilder &builder, OperationState &state, AtomicKind kind,
                     Value source, ValueRange sourceOffsets, Value target,
                     ValueRange targetOffsets, ArrayRef<int64_t> sourceSizes,
                     ArrayRef<int64_t> targetSizes) {
  Properties &properties =
      addRegions<AtomicOp>(builder, state, source, sourceOffsets, target,
                           targetOffsets, sourceSizes, targetSizes);
  properties.kind = AtomicKindAttr::get(builder.getContext(), kind);
}

bool AtomicOp::setRegions(Value source, ValueRange sourceOffsets,
                          ArrayRef<int64_t> sourceExtents, Value target,
                          ValueRange targetOffsets,
                          ArrayRef<int64_t> targetExtents) {
  moveBetween(*this, source, sourceOffsets, sourceExtents, target,
              targetOffsets, targetExtents);
  return true;
}

bool AtomicOp::combines(AtomicKind kind, Type element) {
  return isa<Float32Type>(element) || element.isInteger(32) ||
         element.isInteger(64) ||
         (kind == AtomicKind::Add &&
          isa<Float16Type, BFloat16Type, Float64Type>(element));
}

LogicalResult AtomicOp::verify() {
  if (failed(verifyRanked(*this, {getSource(), getTarget()})) ||
      failed(verifyRegionPair(*this, "atomic", "atomic-8", sourceOf(*this),
                              targetOf(*this))))
    return failure();
  Type from = elementTypeOf(getSource()), to = elementTypeOf(getTarget());
  if (from != to)
    return emitOpError() << "[atomic-5] expected equal element types, got "
                         << from << " and " << to;
  if (!isGlobal(getTarget()) && !isShared(getTarget()))
    return emitOpError()
           << "[atomic-6] expected a target in global or shared memory, got "
           << stringifyMemorySpace(getMemorySpace(getTarget())) << " memory";
  if (!combines(getKind(), to))
    return emitOpError() << "[atomic-7] expected an element type with atomic "
                         << stringifyAtomicKind(getKind()) << ", got " << to;
  if (getIsUnsigned() && !isa<IntegerType>(to))
    return emitOpError() << "[atomic-7] expected integers under `is_unsigned`, "
                            "got "
                         << to;
  for (std::optional<CopyInstruction> instruction :
       {getPrefer(),
        getPlan() ? std::optional(getPlan()->getInstruction()) : std::nullopt})
    if (instruction && !traitsOf(*instruction).mayCombine)
      return emitOpError()
             << "[atomic-10] expected `tma`, `vector` or `scalar` as the "
                "instruction of an atomic, got '"
             << stringifyCopyInstruction(*instruction) << "'";
  if (failed(verifyToken(*this, "atomic-10", "an atomic")))
    return failure();
  MoveConstraints constraints = {"atomic-9", {},          {},
                                 {},         "atomic-11", "atomic-12"};
  if (failed(verifyRequest(*this, constraints)))
    return failure();
  return verifyDecision(*this, constraints);
}

void AtomicOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  appendCopyAccesses(*this, /*atomic=*/true, accesses);
}

void AtomicOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

//===----------------------------------------------------------------------===//
// ConvertLayoutOp
//===----------------------------------------------------------------------===//

LogicalResult ConvertLayoutOp::verify() {
  if (failed(verifyRanked(*this, {getSource(), getTarget()})))
    return failure();
  auto from = cast<MemRefType>(getSource().getType());
  auto to = cast<MemRefType>(getTarget().getType());
  if (!isFragment(getSource()) || !isFragment(getTarget()) ||
      from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError() << "[convert-1] expected fragments of one shape and "
                            "element type, got "
                         << from << " and " << to;
  return success();
}

void ConvertLayoutOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back({getSource(), {}, {}, false, false});
  accesses.push_back({getTarget(), {}, {}, true, false});
}

void ConvertLayoutOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}
