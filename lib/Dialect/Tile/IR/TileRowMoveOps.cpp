//===- TileRowMoveOps.cpp - im2col, gather, scatter -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What these operations are. What they demand of layouts is in
// LayoutConstraints.cpp, which instruction makes them in Analysis/CopyRules.
//
//===----------------------------------------------------------------------===//
#include "MoveSyntax.h"
#include "TileRegions.h"
#include "TileTunables.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

static OperandRange noOperands(Operation *op) {
  return op->getOperands().take_front(0);
}

/// The extents of one row of a tile in its global buffer.
static SmallVector<int64_t> rowExtents(Value global, Value tile) {
  SmallVector<int64_t> extents(typeOf(global).getRank(), 1);
  extents.back() = typeOf(tile).getShape().back();
  return extents;
}

static LogicalResult verifyNotNegative(Operation *op, StringRef constraint,
                                       Value value, StringRef name) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  if (constant && *constant < 0)
    return op->emitOpError() << "[" << constraint << "] expected `" << name
                             << "` not to be negative, got " << *constant;
  return success();
}

/// A global buffer of `rank` dimensions at least, `maxRank` at most, and a
/// matrix that is moved as a whole.
static LogicalResult verifySides(Operation *op, StringRef constraint,
                                 Value global, Value tile, int64_t rank,
                                 int64_t maxRank) {
  MemRefType type = typeOf(global);
  if (!isGlobal(global) || type.getRank() < rank || type.getRank() > maxRank) {
    InFlightDiagnostic diag = op->emitOpError()
                              << "[" << constraint
                              << "] expected a global buffer of rank " << rank;
    if (maxRank != rank)
      diag << " to " << maxRank;
    return diag << ", got " << type;
  }
  MemRefType matrix = typeOf(tile);
  if (!(isShared(tile) || isFragment(tile)) || matrix.getRank() != 2 ||
      !(matrix.hasStaticShape() || isOpenTile(tile)) ||
      !isTileShape(closeExtents(matrix.getShape())))
    return op->emitOpError()
           << "[" << constraint
           << "] expected a tile of rank 2 in shared or fragment memory, got "
           << matrix;
  return success();
}

//===----------------------------------------------------------------------===//
// Im2colOp
//===----------------------------------------------------------------------===//

unsigned Im2colOp::getNumSpatial() { return typeOf(getSource()).getRank() - 2; }

static int64_t entryOr(std::optional<ArrayRef<int64_t>> entries, unsigned i,
                       int64_t otherwise) {
  return entries ? (*entries)[i] : otherwise;
}
int64_t Im2colOp::getStride(unsigned spatial) {
  return entryOr(getStrides(), spatial, 1);
}
int64_t Im2colOp::getDilation(unsigned spatial) {
  return entryOr(getDilations(), spatial, 1);
}
int64_t Im2colOp::getPadLower(unsigned spatial) {
  return entryOr(getPadLower(), spatial, 0);
}
int64_t Im2colOp::getPadUpper(unsigned spatial) {
  return entryOr(getPadUpper(), spatial, 0);
}

int64_t Im2colOp::getNumOutputs(unsigned spatial, int64_t size) {
  int64_t room = size + getPadLower(spatial) + getPadUpper(spatial) -
                 getDilation(spatial) * (getKernel()[spatial] - 1) - 1;
  return room < 0 ? 0 : room / getStride(spatial) + 1;
}

OperandRange Im2colOp::getSourceOffsets() { return noOperands(*this); }
OperandRange Im2colOp::getTargetOffsets() { return noOperands(*this); }
SmallVector<int64_t> Im2colOp::getSourceExtents() {
  return rowExtents(getSource(), getTarget());
}
SmallVector<int64_t> Im2colOp::getTargetExtents() {
  return llvm::to_vector(typeOf(getTarget()).getShape());
}
SmallVector<int64_t> Im2colOp::getTileShape() { return getTargetExtents(); }

bool Im2colOp::runsOnOneThread() { return fillsSlotByProxy(*this); }

LogicalResult Im2colOp::verify() {
  if (failed(verifyRanked(*this, {getSource(), getTarget()})) ||
      failed(verifySides(*this, "im2col-1", getSource(), getTarget(), 3, 5)))
    return failure();
  size_t spatial = getNumSpatial();
  if (getFilter().size() != spatial)
    return emitOpError() << "[im2col-2] expected `filter` with " << spatial
                         << " positions, got " << getFilter().size();
  struct Entries {
    StringRef name;
    std::optional<ArrayRef<int64_t>> values;
    int64_t least;
  };
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (const Entries &entries :
       {Entries{"kernel", getKernel(), 1}, Entries{"strides", getStrides(), 1},
        Entries{"dilations", getDilations(), 1},
        Entries{"pad_lower", getPadLower(), 0},
        Entries{"pad_upper", getPadUpper(), 0}}) {
    if (!entries.values)
      continue;
    if (entries.values->size() != spatial)
      return emitOpError() << "[im2col-2] expected `" << entries.name
                           << "` with " << spatial << " entries, got "
                           << entries.values->size();
    for (int64_t value : *entries.values)
      if (value < entries.least || value > kMost)
        return emitOpError() << "[im2col-3] expected entries of `"
                             << entries.name << "` between " << entries.least
                             << " and 2^31 - 1, got " << value;
  }
  Type from = elementTypeOf(getSource()), to = elementTypeOf(getTarget());
  if (!isConvertible(from, to))
    return emitOpError()
           << "[im2col-4] expected element types that convert, got " << from
           << " to " << to;
  for (auto [position, extent] : llvm::zip(getFilter(), getKernel())) {
    std::optional<int64_t> constant = getConstantIntValue(position);
    if (constant && (*constant < 0 || *constant >= extent))
      return emitOpError()
             << "[im2col-5] expected `filter` inside of `kernel`, "
                "got "
             << *constant << " of " << extent;
  }
  if (failed(verifyNotNegative(*this, "im2col-5", getPixel(), "pixel")) ||
      failed(verifyNotNegative(*this, "im2col-5", getChannel(), "channel")))
    return failure();
  MoveConstraints constraints = {"im2col-6", "im2col-7", "im2col-8",
                                 {},         {},         {}};
  if (failed(verifyRequest(*this, constraints)))
    return failure();
  return verifyDecision(*this, constraints);
}

void Im2colOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back({getSource(), {}, {}, false, false});
  accesses.push_back({getTarget(), {}, getTargetExtents(), true, false});
}

void Im2colOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

//===----------------------------------------------------------------------===//
// GatherOp, ScatterOp
//===----------------------------------------------------------------------===//

/// What both have in common: `prefix` names their constraints.
template <typename OpT>
static LogicalResult verifyByIndex(OpT op, StringRef prefix, Value global,
                                   Value tile) {
  auto constraint = [&](StringRef number) { return (prefix + number).str(); };
  Value indices = op.getIndices();
  if (failed(verifyRanked(op, {global, tile, indices})) ||
      failed(verifySides(op, constraint("-1"), global, tile, 2, 2)))
    return failure();
  MemRefType type = typeOf(indices);
  Type element = type.getElementType();
  std::optional<int64_t> first = getConstantIntValue(op.getFirst());
  if (type.getRank() != 1 ||
      !(element.isIndex() || element.isInteger(32) || element.isInteger(64)) ||
      !(isGlobal(indices) || isShared(indices) || isFragment(indices)))
    return op.emitOpError()
           << "[" << constraint("-2")
           << "] expected `indices` of rank 1 and type i32, i64 or index in "
              "global, shared or fragment memory, got "
           << type;
  if (isFragment(indices) && !first)
    return op.emitOpError() << "[" << constraint("-2")
                            << "] expected a constant `first` with indices in "
                               "fragment memory";
  Type from = elementTypeOf(op.getSource()), to = elementTypeOf(op.getTarget());
  if (!isConvertible(from, to))
    return op.emitOpError() << "[" << constraint("-3")
                            << "] expected element types that convert, got "
                            << from << " to " << to;
  int64_t rows = op.getTileShape().front(), size = type.getDimSize(0);
  if (first &&
      (*first < 0 ||
       (!isGlobal(indices) && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(rows) && (rows > size || *first > size - rows))))
    return op.emitOpError()
           << "[" << constraint("-4") << "] expected " << rows
           << " indices from " << *first << " on inside of " << type;
  return verifyNotNegative(op, constraint("-4"), op.getColumn(), "column");
}

template <typename OpT>
static void appendAccesses(OpT op, Value tile, bool isScatter,
                           SmallVectorImpl<TileAccess> &accesses) {
  SmallVector<int64_t> shape = op.getTileShape();
  TileAccess global{
      isScatter ? op.getTarget() : op.getSource(), {}, {}, isScatter, false};
  TileAccess matrix{tile, {}, shape, !isScatter, false};
  accesses.push_back(isScatter ? matrix : global);
  accesses.push_back(
      {op.getIndices(), {op.getFirst()}, {shape.front()}, false, false});
  accesses.push_back(isScatter ? global : matrix);
}

OperandRange GatherOp::getSourceOffsets() { return noOperands(*this); }
OperandRange GatherOp::getTargetOffsets() { return noOperands(*this); }
SmallVector<int64_t> GatherOp::getSourceExtents() {
  return rowExtents(getSource(), getTarget());
}
SmallVector<int64_t> GatherOp::getTargetExtents() {
  return llvm::to_vector(typeOf(getTarget()).getShape());
}
SmallVector<int64_t> GatherOp::getTileShape() { return getTargetExtents(); }
bool GatherOp::runsOnOneThread() { return fillsSlotByProxy(*this); }

LogicalResult GatherOp::verify() {
  MoveConstraints constraints = {"gather-5", "gather-6", "gather-7",
                                 {},         {},         {}};
  if (failed(verifyByIndex(*this, "gather", getSource(), getTarget())) ||
      failed(verifyRequest(*this, constraints)))
    return failure();
  return verifyDecision(*this, constraints);
}
void GatherOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  appendAccesses(*this, getTarget(), /*isScatter=*/false, accesses);
}
void GatherOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

OperandRange ScatterOp::getSourceOffsets() { return noOperands(*this); }
OperandRange ScatterOp::getTargetOffsets() { return noOperands(*this); }
SmallVector<int64_t> ScatterOp::getSourceExtents() {
  return llvm::to_vector(typeOf(getSource()).getShape());
}
SmallVector<int64_t> ScatterOp::getTargetExtents() {
  return rowExtents(getTarget(), getSource());
}
SmallVector<int64_t> ScatterOp::getTileShape() { return getSourceExtents(); }
bool ScatterOp::runsOnOneThread() { return false; }

LogicalResult ScatterOp::verify() {
  MoveConstraints constraints = {"scatter-5", "scatter-6", {}, {}, {}, {}};
  if (failed(verifyByIndex(*this, "scatter", getTarget(), getSource())) ||
      failed(verifyRequest(*this, constraints)))
    return failure();
  return verifyDecision(*this, constraints);
}
void ScatterOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  appendAccesses(*this, getSource(), /*isScatter=*/true, accesses);
}
void ScatterOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}
