//===- TileCombinerOps.cpp - reduce_with, scan_with, sort, topk -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "TileRegions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Rows that a sort or a selection takes.
static constexpr int64_t kMostSorted = 65536;

static bool isTileBuffer(Value buffer) {
  return isShared(buffer) || isFragment(buffer);
}

/// Views of one tile are one buffer.
static bool hasDuplicates(ValueRange buffers) {
  SmallPtrSet<Value, 8> seen;
  return llvm::any_of(buffers, [&](Value buffer) {
    return !seen.insert(getViewedTile(buffer)).second;
  });
}

static bool isAmong(Value buffer, ValueRange others) {
  return llvm::any_of(others, [&](Value other) {
    return getViewedTile(other) == getViewedTile(buffer);
  });
}

/// The shape of `type` without dimension `dim`, and with extent one there.
static bool isSliceOf(MemRefType slice, MemRefType type, int64_t dim) {
  SmallVector<int64_t> without = llvm::to_vector(type.getShape());
  SmallVector<int64_t> withOne = without;
  without.erase(without.begin() + dim);
  withOne[dim] = 1;
  return slice.getShape() == ArrayRef<int64_t>(without) ||
         slice.getShape() == ArrayRef<int64_t>(withOne);
}

LogicalResult tile::verifyCarry(Operation *op, StringRef constraint,
                                MemRefType rows, int64_t dim, Value carry,
                                ValueRange others) {
  auto type = dyn_cast<MemRefType>(carry.getType());
  if (!type || !isTileBuffer(carry) ||
      type.getElementType() != rows.getElementType() ||
      !isSliceOf(type, rows, dim) || isAmong(carry, others))
    return op->emitOpError()
           << "[" << constraint
           << "] expected a carry that is a tile of its own, of type "
           << rows.getElementType() << " and of the source's shape without "
           << "dimension " << dim << ", got " << carry.getType();
  return success();
}

/// A neutral value has the element's type, or f32 where that is a narrower
/// float.
static bool isWorkingType(Type type, Type element) {
  return type == element || (type.isF32() && isa<FloatType>(element) &&
                             element.getIntOrFloatBitWidth() < 32);
}

/// What both operations with a combiner have in common. Messages
/// begin with the operation's `name`, and give the type of its sources.
static FailureOr<MemRefType> verifyOperands(Operation *op, StringRef name,
                                            OperandRange sources,
                                            OperandRange targets,
                                            OperandRange neutral, int64_t dim) {
  if (sources.empty() || sources.size() != targets.size() ||
      sources.size() != neutral.size())
    return op->emitOpError()
           << "[" << name << "-1] expected as many targets and neutral values "
           << "as sources, one or more, got " << sources.size() << " sources, "
           << targets.size() << " targets and " << neutral.size()
           << " neutral values";
  auto first = dyn_cast<MemRefType>(sources.front().getType());
  for (auto [source, target] : llvm::zip(sources, targets)) {
    auto from = dyn_cast<MemRefType>(source.getType());
    auto to = dyn_cast<MemRefType>(target.getType());
    if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape() ||
        from.getShape() != first.getShape() || !isTileBuffer(source) ||
        !isTileBuffer(target) || from.getElementType() != to.getElementType() ||
        !from.getElementType().isIntOrFloat())
      return op->emitOpError()
             << "[" << name << "-1] expected fragments or shared tiles of "
             << "numbers, sources of one static shape, and targets of their "
             << "element types, got " << source.getType() << " and "
             << target.getType();
  }
  if (dim < 0 || dim >= first.getRank())
    return op->emitOpError()
           << "[" << name << "-2] expected a dimension in [0, "
           << first.getRank() << "), got " << dim;
  for (auto [source, value] : llvm::zip(sources, neutral)) {
    Type element = cast<MemRefType>(source.getType()).getElementType();
    if (!isWorkingType(value.getType(), element))
      return op->emitOpError()
             << "[" << name << "-4] expected a neutral value of type "
             << element
             << (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32
                     ? " or f32"
                     : "")
             << ", got " << value.getType();
  }
  return first;
}

static LogicalResult verifyCombiner(Operation *op, StringRef name,
                                    Region &region, OperandRange neutral) {
  Block &body = region.front();
  auto types = llvm::to_vector(neutral.getTypes());
  SmallVector<Type> both(types);
  llvm::append_range(both, types);
  if (!llvm::equal(body.getArgumentTypes(), both))
    return op->emitOpError()
           << "[" << name << "-4] expected a region whose arguments are the "
           << "neutral values' types, twice";
  auto yield = cast<YieldOp>(body.getTerminator());
  if (!llvm::equal(yield.getValues().getTypes(), types))
    return yield.emitOpError()
           << "[" << name << "-4] expected values of the neutral values' types";
  for (Operation &inner : body.without_terminator())
    if (!isPure(&inner) || inner.getDialect() == op->getDialect() ||
        llvm::any_of(inner.getOperandTypes(),
                     [](Type type) { return isa<MemRefType>(type); }))
      return inner.emitOpError() << "[" << name
                                 << "-5] expected pure operations on scalars "
                                    "in a combination";
  return success();
}

static void addAccesses(OperandRange buffers, bool isWrite,
                        SmallVectorImpl<TileAccess> &accesses) {
  for (Value buffer : buffers)
    accesses.push_back({buffer, {}, {}, isWrite, false});
}

//===----------------------------------------------------------------------===//
// ReduceWithOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceWithOp::verify() {
  auto dim = static_cast<int64_t>(getDim());
  FailureOr<MemRefType> rows = verifyOperands(
      *this, "reduce_with", getSources(), getTargets(), getNeutral(), dim);
  if (failed(rows))
    return failure();
  for (Value target : getTargets())
    if (!isSliceOf(cast<MemRefType>(target.getType()), *rows, dim) ||
        cast<MemRefType>(target.getType()).getRank() !=
            cast<MemRefType>(getTargets().front().getType()).getRank())
      return emitOpError() << "[reduce_with-3] expected targets of the "
                              "sources' shape without dimension "
                           << dim << ", got " << target.getType();
  if (hasDuplicates(getTargets()) ||
      llvm::any_of(getTargets(), [&](Value target) {
        return isAmong(target, getSources());
      }))
    return emitOpError() << "[reduce_with-3] expected targets that are tiles "
                            "of their own";
  return verifyLoopLayout(*this, "reduce_with-6", getLayout(),
                          dropUnitExtents(rows->getShape()));
}

LogicalResult ReduceWithOp::verifyRegions() {
  return verifyCombiner(*this, "reduce_with", getCombiner(), getNeutral());
}

void ReduceWithOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  addAccesses(getSources(), /*isWrite=*/false, accesses);
  if (getAccumulate())
    addAccesses(getTargets(), /*isWrite=*/false, accesses);
  addAccesses(getTargets(), /*isWrite=*/true, accesses);
}

void ReduceWithOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

//===----------------------------------------------------------------------===//
// ScanWithOp
//===----------------------------------------------------------------------===//

LogicalResult ScanWithOp::verify() {
  auto dim = static_cast<int64_t>(getDim());
  FailureOr<MemRefType> rows = verifyOperands(*this, "scan_with", getSources(),
                                              getTargets(), getNeutral(), dim);
  if (failed(rows))
    return failure();
  for (auto [i, target] : llvm::enumerate(getTargets())) {
    auto type = cast<MemRefType>(target.getType());
    if (type.getShape() != rows->getShape() ||
        type.getElementTypeBitWidth() < 8)
      return emitOpError() << "[scan_with-1] expected targets of the sources' "
                              "shape and of 8 bits or more an element, got "
                           << type;
    for (auto [j, source] : llvm::enumerate(getSources()))
      if (i != j && source == target)
        return emitOpError() << "[scan_with-3] expected a source that is a "
                                "target to be its own";
  }
  if (hasDuplicates(getTargets()))
    return emitOpError() << "[scan_with-3] expected each target once";
  OperandRange carries = getCarries();
  if (!carries.empty() && carries.size() != getSources().size())
    return emitOpError() << "[scan_with-7] expected a carry for each source, "
                         << getSources().size() << ", got " << carries.size();
  if (hasDuplicates(carries))
    return emitOpError() << "[scan_with-7] expected each carry once";
  SmallVector<Value> others(getSources());
  llvm::append_range(others, getTargets());
  for (auto [source, carry] : llvm::zip(getSources(), carries))
    if (failed(verifyCarry(*this, "scan_with-7",
                           cast<MemRefType>(source.getType()), dim, carry,
                           others)))
      return failure();
  auto rankOf = [](Value tile) {
    return cast<MemRefType>(tile.getType()).getRank();
  };
  for (Value carry : carries)
    if (rankOf(carry) != rankOf(carries.front()))
      return emitOpError()
             << "[scan_with-7] expected carries of one rank: all without "
                "dimension "
             << dim << ", or all with extent one there, got "
             << carries.front().getType() << " and " << carry.getType();
  return verifyLoopLayout(*this, "scan_with-6", getLayout(),
                          dropUnitExtents(rows->getShape()));
}

LogicalResult ScanWithOp::verifyRegions() {
  return verifyCombiner(*this, "scan_with", getCombiner(), getNeutral());
}

void ScanWithOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  addAccesses(getSources(), /*isWrite=*/false, accesses);
  addAccesses(getTargets(), /*isWrite=*/true, accesses);
  addAccesses(getCarries(), /*isWrite=*/false, accesses);
  addAccesses(getCarries(), /*isWrite=*/true, accesses);
}

void ScanWithOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

//===----------------------------------------------------------------------===//
// SortOp, TopKOp
//===----------------------------------------------------------------------===//

/// Keys that have an order and a width that a network takes.
static bool isKeyType(Type type) {
  return type.isIntOrFloat() &&
         llvm::is_contained({8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth());
}

static LogicalResult verifyRows(Operation *op, StringRef name, MemRefType type,
                                int64_t dim) {
  if (dim >= 0 && dim < type.getRank() && type.getDimSize(dim) <= kMostSorted)
    return success();
  return op->emitOpError() << "[" << name
                           << "-2] expected a dimension of at most "
                           << kMostSorted << " elements, in [0, "
                           << type.getRank() << "), got " << dim << " of "
                           << type;
}

static LogicalResult verifySign(Operation *op, StringRef constraint,
                                bool isUnsigned, Type element) {
  if (!isUnsigned || isa<IntegerType>(element))
    return success();
  return op->emitOpError() << "[" << constraint
                           << "] expected `is_unsigned` on integers, got "
                           << element;
}

LogicalResult SortOp::verify() {
  auto keys = dyn_cast<MemRefType>(getKeys().getType());
  if (!keys || !keys.hasStaticShape() || !isTileBuffer(getKeys()) ||
      !isKeyType(keys.getElementType()))
    return emitOpError() << "[sort-1] expected keys that are a fragment or a "
                            "shared tile of static shape, of numbers of 8, 16, "
                            "32 or 64 bits, got "
                         << getKeys().getType();
  for (Value payload : getPayloads()) {
    auto type = dyn_cast<MemRefType>(payload.getType());
    if (!type || !isTileBuffer(payload) || type.getShape() != keys.getShape() ||
        !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() < 8)
      return emitOpError() << "[sort-1] expected payloads that are fragments "
                              "or shared tiles of the keys' shape, of 8 bits "
                              "or more an element, got "
                           << payload.getType();
  }
  if (failed(verifyRows(*this, "sort", keys, getDim())))
    return failure();
  if (hasDuplicates((*this)->getOperands()))
    return emitOpError() << "[sort-3] expected each buffer once";
  return verifySign(*this, "sort-4", getIsUnsigned(), keys.getElementType());
}

void SortOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  for (bool isWrite : {false, true})
    for (Value buffer : (*this)->getOperands())
      accesses.push_back({buffer, {}, {}, isWrite, false});
}

void SortOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

LogicalResult TopKOp::verify() {
  auto from = dyn_cast<MemRefType>(getSource().getType());
  auto values = dyn_cast<MemRefType>(getValues().getType());
  auto places = dyn_cast<MemRefType>(getPlaces().getType());
  if (!from || !values || !places || !from.hasStaticShape() ||
      !isTileBuffer(getSource()) || !isTileBuffer(getValues()) ||
      !isTileBuffer(getPlaces()) || !isKeyType(from.getElementType()) ||
      values.getElementType() != from.getElementType() ||
      !(places.getElementType().isInteger(32) ||
        places.getElementType().isInteger(64)))
    return emitOpError()
           << "[topk-1] expected fragments or shared tiles of static shape: a "
              "source of numbers of 8, 16, 32 or 64 bits, values of its type, "
              "and places of i32 or i64, got "
           << getSource().getType() << ", " << getValues().getType() << " and "
           << getPlaces().getType();
  auto dim = static_cast<int64_t>(getDim());
  if (failed(verifyRows(*this, "topk", from, dim)))
    return failure();
  SmallVector<int64_t> expected = llvm::to_vector(from.getShape());
  int64_t count =
      values.getRank() == from.getRank() ? values.getDimSize(dim) : 0;
  expected[dim] = count;
  if (values.getShape() != places.getShape() || count < 1 ||
      count > from.getDimSize(dim) ||
      values.getShape() != ArrayRef<int64_t>(expected))
    return emitOpError() << "[topk-3] expected values and places of the "
                            "source's shape with 1 to "
                         << from.getDimSize(dim) << " elements in dimension "
                         << dim << ", got " << values << " and " << places;
  if (hasDuplicates((*this)->getOperands()))
    return emitOpError() << "[topk-4] expected each buffer once";
  return verifySign(*this, "topk-5", getIsUnsigned(), from.getElementType());
}

void TopKOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back({getSource(), {}, {}, false, false});
  accesses.push_back({getValues(), {}, {}, true, false});
  accesses.push_back({getPlaces(), {}, {}, true, false});
}

void TopKOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}
