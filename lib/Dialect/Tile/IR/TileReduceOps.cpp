//===- TileReduceOps.cpp - reduce, scan, cluster_reduce -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "MoveSyntax.h"
#include "TileRegions.h"
#include "TileTunables.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Whether elements are combined as they are, by arithmetic.
static bool isPlainKind(ReduceKind kind) {
  return llvm::is_contained({ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min},
                            kind);
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  auto from = dyn_cast<MemRefType>(getSource().getType());
  auto to = dyn_cast<MemRefType>(getTarget().getType());
  auto isTile = [](Value v) { return isShared(v) || isFragment(v); };
  auto hasShape = [](MemRefType type, Value buffer) {
    return type && (type.hasStaticShape() || isOpenTile(buffer));
  };
  if (!hasShape(from, getSource()) || !hasShape(to, getTarget()) ||
      !isTile(getSource()) || !isTile(getTarget()) ||
      from.getElementType() != to.getElementType())
    return emitOpError() << "[reduce-1] expected fragments or shared tiles of "
                            "one element type, got "
                         << getSource().getType() << " and "
                         << getTarget().getType();
  int64_t dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= from.getRank())
    return emitOpError() << "[reduce-2] expected a dimension in [0, "
                         << from.getRank() << "), got " << dim;
  SmallVector<int64_t> without = llvm::to_vector(from.getShape());
  SmallVector<int64_t> withOne = without;
  without.erase(without.begin() + dim);
  withOne[dim] = 1;
  if (!mayBeEqual(to.getShape(), without) &&
      !mayBeEqual(to.getShape(), withOne))
    return emitOpError()
           << "[reduce-3] expected a target of the source's shape "
              "without dimension "
           << dim << ", got " << from << " to " << to;
  if (getPropagateNan() && !isa<FloatType>(from.getElementType()))
    return emitOpError()
           << "[reduce-4] expected `propagate_nan` on floats, got "
           << from.getElementType();
  if (getIsUnsigned() && !isa<IntegerType>(from.getElementType()))
    return emitOpError()
           << "[reduce-4] expected `is_unsigned` on integers, got "
           << from.getElementType();
  bool isBitwise = llvm::is_contained(
      {ReduceKind::BitAnd, ReduceKind::BitOr, ReduceKind::BitXor}, getKind());
  if (isBitwise && !isa<IntegerType>(from.getElementType()))
    return emitOpError() << "[reduce-5] expected `"
                         << stringifyReduceKind(getKind())
                         << "` on integers, got " << from.getElementType();
  return success();
}

/// A kind alone says neither how NaN is treated nor that integers are unsigned.
std::optional<ReduceKind> ReduceOp::getAccumulation(Value buffer) {
  if (getTarget() != buffer || getSource() == buffer || !getAccumulate() ||
      getPropagateNan() || getIsUnsigned())
    return std::nullopt;
  switch (getKind()) {
  case ReduceKind::AbsSum:
    return ReduceKind::Sum;
  case ReduceKind::AbsMax:
    return ReduceKind::Max;
  default:
    return getKind();
  }
}

void ReduceOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back({getSource(), {}, {}, false, false});
  if (getAccumulate())
    accesses.push_back({getTarget(), {}, {}, false, false});
  accesses.push_back({getTarget(), {}, {}, true, false});
}

void ReduceOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  auto from = dyn_cast<MemRefType>(getSource().getType());
  auto to = dyn_cast<MemRefType>(getTarget().getType());
  auto isTile = [](Value v) { return isShared(v) || isFragment(v); };
  if (!from || !to || !from.hasStaticShape() ||
      from.getShape() != to.getShape() || !isTile(getSource()) ||
      !isTile(getTarget()) || from.getElementType() != to.getElementType() ||
      !from.getElementType().isIntOrFloat() ||
      from.getElementTypeBitWidth() < 8)
    return emitOpError() << "[scan-1] expected fragments or shared tiles of "
                            "one static shape and one type of numbers of 8 "
                            "bits or more, got "
                         << getSource().getType() << " and "
                         << getTarget().getType();
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= from.getRank())
    return emitOpError() << "[scan-2] expected a dimension in [0, "
                         << from.getRank() << "), got " << dim;
  if (!isPlainKind(getKind()) && getKind() != ReduceKind::Prod)
    return emitOpError()
           << "[scan-3] expected `sum`, `prod`, `max` or `min`, got `"
           << stringifyReduceKind(getKind()) << "`";
  if (getPropagateNan() && !isa<FloatType>(from.getElementType()))
    return emitOpError() << "[scan-4] expected `propagate_nan` on floats, got "
                         << from.getElementType();
  if (getIsUnsigned() && !isa<IntegerType>(from.getElementType()))
    return emitOpError() << "[scan-4] expected `is_unsigned` on integers, got "
                         << from.getElementType();
  if (Value carry = getCarry())
    if (failed(verifyCarry(*this, "scan-6", from, dim, carry,
                           {getSource(), getTarget()})))
      return failure();
  return verifyLoopLayout(*this, "scan-5", getLayout(),
                          dropUnitExtents(from.getShape()));
}

void ScanOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  auto shape = cast<MemRefType>(getTarget().getType()).getShape();
  accesses.push_back({getSource(), {}, {}, false, false});
  accesses.push_back({getTarget(), {}, llvm::to_vector(shape), true, false});
  if (Value carry = getCarry()) {
    accesses.push_back({carry, {}, {}, false, false});
    accesses.push_back({carry, {}, {}, true, false});
  }
}

void ScanOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

//===----------------------------------------------------------------------===//
// ClusterReduceOp
//===----------------------------------------------------------------------===//

/// `blocks` of a cluster, `stride` ranks apart.
static LogicalResult verifyClusterBlocks(Operation *op, StringRef rule,
                                         uint64_t blocks, uint64_t stride) {
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t size = kernel ? kernel.getClusterSize() : 1;
  constexpr uint64_t kMost = 16;
  if (blocks >= 2 && blocks <= kMost && stride >= 1 && stride <= kMost &&
      (!kernel || size % static_cast<int64_t>(blocks * stride) == 0))
    return success();
  return op->emitOpError()
         << "[" << rule
         << "] expected two blocks or more, whose number times the stride "
            "divides the kernel's cluster of "
         << size << ", got " << static_cast<int64_t>(blocks) << " with stride "
         << static_cast<int64_t>(stride);
}

LogicalResult ClusterReduceOp::verify() {
  auto type = dyn_cast<MemRefType>(getTarget().getType());
  if (!type || !type.hasStaticShape() || !isFragment(getTarget()) ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() < 8 || type.getElementTypeBitWidth() > 64)
    return emitOpError() << "[cluster_reduce-1] expected a fragment of numbers "
                            "of 8 to 64 bits, got "
                         << getTarget().getType();
  if (!isPlainKind(getKind()))
    return emitOpError() << "[cluster_reduce-2] expected `sum`, `max` or "
                            "`min`, got `"
                         << stringifyReduceKind(getKind()) << "`";
  if (getIsUnsigned() && !isa<IntegerType>(type.getElementType()))
    return emitOpError() << "[cluster_reduce-2] expected `is_unsigned` on "
                            "integers, got "
                         << type.getElementType();
  if (failed(verifyClusterBlocks(*this, "cluster_reduce-3", getBlocks(),
                                 getStride())))
    return failure();
  if (std::optional<uint64_t> dim = getParts())
    if (*dim >= static_cast<uint64_t>(type.getRank()) ||
        type.getDimSize(*dim) % static_cast<int64_t>(getBlocks()) != 0)
      return emitOpError()
             << "[cluster_reduce-4] expected `parts` to name a dimension of "
             << type << " whose extent " << getBlocks()
             << " blocks divide, got " << *dim;
  return success();
}

void ClusterReduceOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back({getTarget(), {}, {}, false, false});
  accesses.push_back({getTarget(), {}, {}, true, false});
}

void ClusterReduceOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

//===----------------------------------------------------------------------===//
// ClusterPartsOp, ClusterPartOp
//===----------------------------------------------------------------------===//

LogicalResult ClusterPartsOp::verify() {
  return verifyClusterBlocks(*this, "cluster_parts-1", getBlocks(),
                             getStride());
}

std::optional<unsigned> ClusterPartOp::getDividedDim() {
  auto source = cast<MemRefType>(getSource().getType()),
       target = cast<MemRefType>(getTarget().getType());
  for (unsigned dim = 0; dim < source.getRank(); ++dim)
    if (source.getDimSize(dim) != target.getDimSize(dim))
      return dim;
  return std::nullopt;
}

LogicalResult ClusterPartOp::verify() {
  auto source = dyn_cast<MemRefType>(getSource().getType()),
       target = dyn_cast<MemRefType>(getTarget().getType());
  auto fail = [&] {
    return emitOpError() << "[cluster_part-1] expected a part of a fragment "
                            "along one dimension, got "
                         << getTarget().getType() << " of "
                         << getSource().getType();
  };
  if (!source || !target || !isFragment(getSource()) ||
      !isFragment(getTarget()) || !source.hasStaticShape() ||
      !target.hasStaticShape() || source.getRank() != target.getRank() ||
      source.getElementType() != target.getElementType())
    return fail();
  unsigned divided = 0;
  for (auto [whole, part] : llvm::zip(source.getShape(), target.getShape())) {
    if (part < 1 || whole % part != 0)
      return fail();
    divided += whole != part;
  }
  return divided == 1 ? success() : fail();
}

void ClusterPartOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back({getSource(), {}, {}, false, false});
  accesses.push_back({getTarget(), {}, {}, true, false});
}

void ClusterPartOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}

//===----------------------------------------------------------------------===//
// Enumerations written as a bare keyword: `tile.reduce max`, `tile.atomic add`
//===----------------------------------------------------------------------===//

template <typename AttrT>
static ParseResult parseKeyword(OpAsmParser &parser, AttrT &kind) {
  using Enum = decltype(kind.getValue());
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> value = symbolizeEnum<Enum>(keyword);
  if (!value)
    return parser.emitError(loc)
           << "expected how to combine elements, got '" << keyword << "'";
  kind = AttrT::get(parser.getContext(), *value);
  return success();
}

template <typename AttrT>
static void printKeyword(OpAsmPrinter &printer, Operation *, AttrT kind) {
  printer << stringifyEnum(kind.getValue());
}

#define GET_OP_CLASSES
#include "tile/Dialect/Tile/IR/TileOps.cpp.inc"
