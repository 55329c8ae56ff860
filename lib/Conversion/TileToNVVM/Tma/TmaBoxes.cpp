//===- TmaBoxes.cpp - where boxes of tensor copies lie --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "TmaBoxes.h"
#include "ClusterPlace.h"
#include "Moves/Im2col.h"
#include "Moves/Move.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/IndexFacts.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Which part of a copy that is divided this thread is to move: its block's, or
/// its group of warps'.
static Value partIndex(KernelLowering &lowering, TileMoveOpInterface copy) {
  int64_t groups = copy.getNumGroups();
  return groups > 1 ? lowering.groupId(groups) : placeInGroup(lowering, copy);
}

/// Whether the global buffer turned out to be empty: it has no tensor map then,
/// and the launcher passes one of extent 1 instead. Null where it cannot be.
static Value isEmpty(KernelLowering &lowering, const GlobalBuffer &global) {
  auto &b = lowering.builder;
  Value empty;
  for (auto [size, known] : llvm::zip(global.sizes, global.staticSizes)) {
    if (!ShapedType::isDynamic(known))
      continue;
    Value none = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, size,
                                               lowering.i64(0));
    empty = empty ? b.createOrFold<arith::OrIOp>(empty, none) : none;
  }
  return empty;
}

/// Moves coordinates (null where zero) to the part that this thread moves.
static void addPart(KernelLowering &lowering, const CopyParts &parts,
                    const TmaGeometry &geometry,
                    MutableArrayRef<Value> coordinates) {
  if (geometry.parts == 1)
    return;
  Value &divided = coordinates[geometry.partDim];
  divided =
      lowering.add(divided, lowering.mulConst(partIndex(lowering, parts.copy),
                                              geometry.partStep));
}

/// Whether a value of a function that is being lowered is a scalar that the
/// launch passes: extents and strides of its tensors are checked there.
static bool isPassed(KernelLowering &lowering, BlockArgument argument) {
  if (KernelOp kernel = getKernelOfArgument(argument))
    return argument.getArgNumber() < kernel.getNumKernelArguments();
  const auto &params = lowering.manifest->params;
  return argument.getArgNumber() >= params.size() ||
         params[argument.getArgNumber()].kind == runtime::ParamKind::Scalar;
}

namespace {
/// What a coordinate is computed from.
struct Origins {
  /// Scalars that a launch passes, and memory: any number.
  bool hasData = false;
  /// Differences and negative numbers.
  bool mayBeNegative = false;
  /// An operation that takes a negative number for a large one.
  bool isUnsigned = false;
};
} // namespace

static Origins originsOf(KernelLowering &lowering, Value value) {
  Origins origins;
  SmallVector<Value> toAsk = {value};
  llvm::SmallPtrSet<Value, 16> asked;
  auto ask = [&](OpFoldResult bound) {
    if (auto value = dyn_cast<Value>(bound))
      toAsk.push_back(value);
    else
      origins.mayBeNegative |=
          cast<IntegerAttr>(cast<Attribute>(bound)).getInt() < 0;
  };
  while (!toAsk.empty()) {
    Value next = toAsk.pop_back_val();
    if (!asked.insert(next).second)
      continue;
    APInt constant;
    if (matchPattern(next, m_ConstantInt(&constant))) {
      origins.mayBeNegative |= constant.isNegative();
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      Operation *parent = argument.getOwner()->getParentOp();
      auto loop = dyn_cast_or_null<LoopLikeOpInterface>(parent);
      auto ivs = loop ? loop.getLoopInductionVars() : std::nullopt;
      if (!loop) {
        origins.hasData |= isPassed(lowering, argument);
      } else if (auto lowers = loop.getLoopLowerBounds(),
                 steps = loop.getLoopSteps();
                 ivs && lowers && steps && llvm::is_contained(*ivs, next)) {
        llvm::for_each(*lowers, ask);
        llvm::for_each(*steps, ask);
      } else {
        origins.hasData = true; // carried from one iteration to the next
      }
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (isa<memref::DimOp>(op) ||
        (isa<NVVM::NVVMDialect>(op->getDialect()) && op->getNumOperands() == 0))
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(next).getResultNumber();
      toAsk.push_back(branch.thenYield().getOperand(number));
      toAsk.push_back(branch.elseYield().getOperand(number));
      continue;
    }
    origins.hasData |= op->getNumRegions() != 0 || !isMemoryEffectFree(op);
    origins.mayBeNegative |= isa<arith::SubIOp>(op);
    origins.isUnsigned |=
        isa<arith::DivUIOp, arith::CeilDivUIOp, arith::ShRUIOp, arith::MaxUIOp>(
            op) &&
        !next.getType().isInteger(32);
    llvm::append_range(toAsk, op->getOperands());
  }
  return origins;
}

/// Whether an index may need more than 32 bits. Numbers of blocks and of a
/// loop's iterations, and what sizes give, lie near the tensor, whose extents
/// the launcher checks.
static bool mayBeFar(KernelLowering &lowering, Value index) {
  Origins origins = originsOf(lowering, index);
  return origins.hasData || (origins.isUnsigned && origins.mayBeNegative);
}

Value tile::nvvm::toCoordinate(KernelLowering &lowering, Value index,
                               Operation *copy) {
  constexpr int64_t kEnd = (int64_t(1) << 31) - (int64_t(1) << 20);
  IndexFacts facts = getIndexFacts(index, copy);
  bool fits =
      facts.min && *facts.min >= -kEnd && facts.max && *facts.max <= kEnd;
  if (fits || index.getType().isInteger(32) || !mayBeFar(lowering, index))
    return lowering.toI32(index);
  auto &b = lowering.builder;
  Value wide = lowering.toI64(index);
  wide = b.createOrFold<arith::MaxSIOp>(wide, lowering.i64(-kEnd));
  wide = b.createOrFold<arith::MinSIOp>(wide, lowering.i64(kEnd));
  return lowering.toI32(wide);
}

/// First coordinates of the region in the order of the tensor map; null where
/// zero. Nothing of an empty buffer may be touched: the last coordinate then
/// lies so far behind it that all of the region does. In front of it, stores
/// would be illegal instructions.
static SmallVector<Value> firstCoordinates(KernelLowering &lowering,
                                           const CopyParts &parts,
                                           const TmaGeometry &geometry) {
  auto &b = lowering.builder;
  SmallVector<Value> first(geometry.order.size());
  for (auto [i, dim] : llvm::enumerate(geometry.order))
    if (!parts.globalOffsets.empty() &&
        !matchPattern(parts.globalOffsets[dim], m_Zero()))
      first[i] = toCoordinate(lowering, parts.globalOffsets[dim], parts.copy);
  if (geometry.elementsPerUnit > 1 && first[0])
    first[0] = b.createOrFold<arith::ShRSIOp>(
        first[0], lowering.i32(llvm::Log2_64(geometry.elementsPerUnit)));
  addPart(lowering, parts, geometry, first);
  if (Value empty = isEmpty(lowering, parts.global)) {
    Value &last = first.back();
    int64_t extent = parts.globalExtents[geometry.order.back()];
    int64_t behind =
        std::numeric_limits<int32_t>::max() - extent - geometry.box.back();
    Value inside = last ? last : lowering.i32(0);
    last = b.createOrFold<arith::SelectOp>(empty, lowering.i32(behind), inside);
  }
  return first;
}

Value tile::nvvm::beginsInFront(KernelLowering &lowering,
                                const CopyParts &parts,
                                const TmaGeometry &geometry) {
  TileMoveOpInterface copy = parts.copy;
  if (!copy.getInFront())
    return {};
  auto &b = lowering.builder;
  Value result;
  // Boxes begin where the part does, or behind.
  for (Value first : firstCoordinates(lowering, parts, geometry)) {
    if (!first)
      continue;
    Value isNegative = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                     first, lowering.i32(0));
    result =
        result ? b.createOrFold<arith::OrIOp>(result, isNegative) : isNegative;
  }
  return result;
}

/// The coordinates of each instruction, by where its box starts in the region.
using Coordinates =
    llvm::unique_function<SmallVector<Value>(ArrayRef<int64_t>)>;

static Coordinates boxCoordinates(KernelLowering &lowering,
                                  const CopyParts &parts,
                                  const TmaGeometry &geometry) {
  SmallVector<Value> first = firstCoordinates(lowering, parts, geometry);
  return [&lowering, first](ArrayRef<int64_t> start) {
    SmallVector<Value> coords;
    for (auto [value, constant] : llvm::zip(first, start))
      coords.push_back(lowering.addConst(value, constant));
    return coords;
  };
}

/// Channel, positions of the first pixel under the filter's first tap,
/// innermost first, and image. An empty tensor's map is of one pixel in image
/// 0; pixels are numbered upwards, so none of those after image 1 is that one.
static Coordinates im2colCoordinates(KernelLowering &lowering,
                                     const CopyParts &parts,
                                     const TmaGeometry &geometry) {
  auto op = cast<Im2colOp>(*parts.copy);
  SmallVector<Value, 2> first(2); // along the row, and rows
  addPart(lowering, parts, geometry, first);
  Value channel =
      lowering.add(toCoordinate(lowering, op.getChannel(), op), first[0]);
  Value pixel = lowering.toI64(op.getPixel());
  if (first[1])
    pixel = lowering.add(pixel, lowering.toI64(first[1]));
  Im2colPixels pixels(lowering, op, parts.global);
  Value empty = pixels.isEmpty();
  return [&lowering, channel, pixel, pixels,
          empty](ArrayRef<int64_t> start) mutable {
    auto &b = lowering.builder;
    Im2colPixels::Place place =
        pixels.place(lowering.add(pixel, lowering.i64(start[1])));
    SmallVector<Value> coords = {lowering.addConst(channel, start[0])};
    for (Value position : llvm::reverse(place.position))
      coords.push_back(
          b.createOrFold<arith::TruncIOp>(b.getI32Type(), position));
    Value image = b.createOrFold<arith::TruncIOp>(b.getI32Type(), place.image);
    if (empty)
      image = b.createOrFold<arith::SelectOp>(empty, lowering.i32(1), image);
    coords.push_back(image);
    return coords;
  };
}

SmallVector<Value> tile::nvvm::im2colOffsets(KernelLowering &lowering,
                                             Im2colOp op) {
  auto &b = lowering.builder;
  SmallVector<Value> offsets;
  for (unsigned i = op.getNumSpatial(); i-- > 0;)
    offsets.push_back(b.createOrFold<arith::TruncIOp>(
        b.getI16Type(), lowering.mulConst(lowering.toI32(op.getFilter()[i]),
                                          op.getDilation(i))));
  return offsets;
}

void tile::nvvm::forEachBox(
    KernelLowering &lowering, const CopyParts &parts,
    const TmaGeometry &geometry,
    llvm::function_ref<void(Value, ArrayRef<Value>)> emit) {
  Coordinates coordinates = isa<Im2colOp>(*parts.copy)
                                ? im2colCoordinates(lowering, parts, geometry)
                                : boxCoordinates(lowering, parts, geometry);
  Value base = parts.shared.base;
  if (geometry.parts > 1 && geometry.partBytes)
    base = lowering.bytePointer(
        base,
        lowering.mulConst(partIndex(lowering, parts.copy), geometry.partBytes),
        0);
  for (const TmaGeometry::Box &box : geometry.boxes)
    emit(lowering.bytePointer(base, Value(), box.sharedByte),
         coordinates(box.coords));
}

/// Rows by index, four at a time: their numbers as 32 bits. Those that no map
/// has become the largest number, for stores take none that is negative.
static FailureOr<SmallVector<Value>> fourRows(KernelLowering &lowering,
                                              TileMoveOpInterface copy,
                                              Value indices, Value first) {
  auto &b = lowering.builder;
  SmallVector<Value> rows;
  for (int64_t i = 0; i < 4; ++i) {
    FailureOr<Value> row = loadRowIndex(lowering, copy, indices,
                                        lowering.add(first, lowering.i64(i)));
    if (failed(row))
      return failure();
    // Without a sign, a negative number is a large one.
    Value number = b.createOrFold<arith::MinUIOp>(
        *row, lowering.i64(std::numeric_limits<int32_t>::max()));
    number = b.createOrFold<arith::TruncIOp>(b.getI32Type(), number);
    rows.push_back(number);
  }
  return rows;
}

LogicalResult tile::nvvm::forEachFourRows(
    KernelLowering &lowering, const CopyParts &parts,
    const TmaGeometry &geometry, Value indices, Value firstIndex,
    llvm::function_ref<void(Value, ArrayRef<Value>)> emit) {
  constexpr int64_t kRows = 4;
  // A column outside of an empty buffer, whose map has one, and a multiple of
  // 16 bytes, as columns have to be.
  constexpr int64_t kOutside = 16;
  auto &b = lowering.builder;
  SmallVector<Value, 2> first(2); // along the row, and rows
  addPart(lowering, parts, geometry, first);
  TileMoveOpInterface copy = parts.copy;
  Value column =
      lowering.add(toCoordinate(lowering, copy.getRowStart(), copy), first[0]);
  Value start = lowering.toI64(firstIndex);
  if (first[1])
    start = lowering.add(start, lowering.toI64(first[1]));
  Value empty = isEmpty(lowering, parts.global);
  Value base = parts.shared.base;
  if (geometry.parts > 1 && geometry.partBytes)
    base = lowering.bytePointer(
        base, lowering.mulConst(partIndex(lowering, copy), geometry.partBytes),
        0);
  int64_t rowBytes = geometry.bytesPerBox / geometry.box[1];
  for (const TmaGeometry::Box &box : geometry.boxes)
    for (int64_t row = 0; row < geometry.box[1]; row += kRows) {
      FailureOr<SmallVector<Value>> rows =
          fourRows(lowering, copy, indices,
                   lowering.add(start, lowering.i64(box.coords[1] + row)));
      if (failed(rows))
        return failure();
      Value at = lowering.addConst(column, box.coords[0]);
      if (empty)
        at = b.createOrFold<arith::SelectOp>(empty, lowering.i32(kOutside), at);
      SmallVector<Value> coords = {at};
      coords.append(*rows);
      emit(lowering.bytePointer(base, Value(), box.sharedByte + row * rowBytes),
           coords);
    }
  return success();
}
