//===- TmaGeometry.cpp - a copy as boxes of a tensor map ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/TmaGeometry.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/IndexFacts.h"
#include "tile/Analysis/IndexOrder.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"

using namespace mlir;
using namespace mlir::tile;

/// One thread issues all boxes of a copy: beyond this many, other threads
/// sharing the work are faster.
static constexpr size_t kMaxBoxes = 64;
static constexpr size_t kMaxTensorRank = 5;

BlockArgument tile::getKernelArgumentOf(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  KernelOp kernel = getKernelOfArgument(buffer);
  if (!kernel || argument.getArgNumber() >= kernel.getNumKernelArguments())
    return {};
  return argument;
}

namespace {
/// The two sides of a copy, whichever way it goes. Of a move by rows the global
/// one is as if it were the matrix, with rows anywhere.
struct Sides {
  MemRefType globalType;
  SmallVector<int64_t> globalStrides, globalExtents, sharedExtents;
  /// Constant offsets into the shared buffer.
  SmallVector<int64_t> sharedOffsets;
  /// Dimension of the global (shared) buffer for each dimension of the tile.
  SmallVector<unsigned> globalDims, sharedDims;

  static OrRefusal<Sides> get(TileMoveOpInterface copy);
};
} // namespace

static SmallVector<unsigned> tileDims(ArrayRef<int64_t> extents) {
  SmallVector<unsigned> dims;
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (extent != 1)
      dims.push_back(dim);
  return dims;
}

OrRefusal<Sides> Sides::get(TileMoveOpInterface copy) {
  Sides sides;
  bool isLoad = isGlobal(copy.getSource());
  Value global = isLoad ? copy.getSource() : copy.getTarget();
  Value shared = isLoad ? copy.getTarget() : copy.getSource();
  if (!isGlobal(global) || !isShared(shared))
    return Refusal{"expected global and shared memory"};
  bool isBox = copy.getAddressing() == MoveAddressing::Box;
  sides.sharedExtents =
      isLoad ? copy.getTargetExtents() : copy.getSourceExtents();
  sides.globalExtents = !isBox   ? sides.sharedExtents
                        : isLoad ? copy.getSourceExtents()
                                 : copy.getTargetExtents();
  sides.globalDims = tileDims(sides.globalExtents);
  sides.sharedDims = tileDims(sides.sharedExtents);
  OperandRange offsets =
      isLoad ? copy.getTargetOffsets() : copy.getSourceOffsets();
  sides.sharedOffsets.assign(sides.sharedExtents.size(), 0);
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    std::optional<int64_t> constant = getConstantIntValue(offset);
    if (!constant)
      return Refusal{"the offset in dimension " + std::to_string(dim) +
                     " of the shared buffer is not constant"};
    sides.sharedOffsets[dim] = *constant;
  }
  sides.globalType = cast<MemRefType>(global.getType());
  int64_t offset;
  if (failed(sides.globalType.getStridesAndOffset(sides.globalStrides, offset)))
    return Refusal{"the global buffer has no strides"};
  if (!isBox)
    sides.globalStrides = {ShapedType::kDynamic, sides.globalStrides.back()};
  return sides;
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

static bool sameBoxes(const TmaTiling &a, const TmaTiling &b) {
  return a.order == b.order && a.box == b.box &&
         a.copies.size() == b.copies.size();
}

namespace {
/// The first of the parts that a copy is moved in.
struct Parts {
  int64_t count = 1;
  unsigned dim = 0; // of the shared buffer, that the parts divide
  int64_t step = 0; // elements from part to part
  tile::Region region;
  TmaTiling first;
};
} // namespace

/// Groups of warps say which dimension they divide; blocks of a cluster divide
/// the one that takes the fewest boxes, so that whole boxes are dealt out where
/// that is possible.
static OrRefusal<Parts> divide(TileMoveOpInterface copy, const Sides &sides,
                               const SharedLayout &shared, unsigned inner,
                               int64_t pairDim) {
  Parts parts;
  std::optional<ArrayRef<int64_t>> groups = copy.getGroups();
  parts.count = groups         ? copy.getNumGroups()
                : pairDim >= 0 ? 2
                               : copy.getMulticast().value_or(1);
  std::optional<Parts> best;
  std::string why = "no dimension of the tile can be divided among " +
                    std::to_string(parts.count) + " blocks";
  for (unsigned dim : sides.sharedDims) {
    if (pairDim >= 0 && dim != pairDim)
      continue;
    if (groups ? (*groups)[dim] != parts.count
               : sides.sharedExtents[dim] % parts.count != 0)
      continue;
    parts.dim = dim;
    parts.region = tile::Region{sides.sharedOffsets, sides.sharedExtents};
    parts.step = parts.region.sizes[dim] /= parts.count;
    OrRefusal<TmaTiling> tiling =
        tmaTiling(shared, parts.region, sides.sharedDims[inner]);
    if (!tiling) {
      why = tiling.reason();
      continue;
    }
    parts.first = *tiling;
    if (!best || parts.first.copies.size() < best->first.copies.size())
      best = parts;
    if (parts.count == 1)
      break;
  }
  if (!best)
    return Refusal{why};
  return *best;
}

/// Elements of half a byte as the bytes they share, along `dim`.
static OrRefusal<SharedLayout> asBytes(const SharedLayout &packed,
                                       unsigned dim) {
  SmallVector<int64_t> shape(packed.shape());
  Modes modes;
  bool isFirst = true;
  for (Mode mode : packed.modes()) {
    bool halves = mode.dim == static_cast<int>(dim) && isFirst;
    if (halves) {
      isFirst = false;
      if (mode.stride != 1 || mode.extent % 2)
        return Refusal{"expected elements that share a byte to lie along the "
                       "global buffer's contiguous dimension"};
      mode.extent /= 2;
    } else if (mode.stride % 2) {
      return Refusal{"expected rows of whole bytes in the shared buffer"};
    } else {
      mode.stride /= 2;
    }
    modes.push_back(mode);
  }
  if (isFirst || shape[dim] % 2)
    return Refusal{"expected rows of whole bytes in the shared buffer"};
  shape[dim] /= 2;
  return SharedLayout(shape, 8, modes, packed.swizzle());
}

OrRefusal<TmaGeometry> tile::tmaGeometry(TileMoveOpInterface copy,
                                         const SharedLayout &packed,
                                         int64_t pairDim) {
  OrRefusal<Sides> found = Sides::get(copy);
  if (!found)
    return Refusal{found.reason()};
  Sides &sides = *found;
  SharedLayout shared = packed;
  size_t rank = sides.globalExtents.size();
  if (sides.globalDims.empty())
    return Refusal{"a single element"};
  if (rank > kMaxTensorRank)
    return Refusal{"tensor maps have at most five dimensions, the global "
                   "buffer has " +
                   std::to_string(rank)};
  for (auto [dim, size] : llvm::enumerate(sides.globalType.getShape()))
    if (size == 0)
      return Refusal{"dimension " + std::to_string(dim) +
                     " of the global buffer is empty"};
  // The dimension of the tile along which the global buffer is contiguous.
  std::optional<unsigned> inner;
  for (auto [t, dim] : llvm::enumerate(sides.globalDims))
    if (sides.globalStrides[dim] == 1)
      inner = t;
  if (!inner)
    return Refusal{"the global buffer has no static stride of 1 along a "
                   "dimension of the tile"};
  TmaGeometry geometry;
  if (packed.elementBits() < 8) {
    unsigned dim = sides.sharedDims[*inner];
    int64_t &offset = sides.sharedOffsets[dim];
    int64_t &extent = sides.sharedExtents[dim];
    if (offset % 2 || extent % 2)
      return Refusal{"expected a region of whole bytes"};
    OrRefusal<SharedLayout> bytes = asBytes(packed, dim);
    if (!bytes)
      return Refusal{bytes.reason()};
    shared = *bytes;
    offset /= 2;
    extent /= 2;
    geometry.elementsPerUnit = 2;
  }

  OrRefusal<Parts> divided = divide(copy, sides, shared, *inner, pairDim);
  if (!divided)
    return Refusal{divided.reason()};
  int64_t parts = divided->count, step = divided->step;
  unsigned splitDim = divided->dim;
  tile::Region region = divided->region;
  const TmaTiling *first = &divided->first;
  if (first->copies.size() > kMaxBoxes)
    return Refusal{"it would take " + std::to_string(first->copies.size()) +
                   " tensor copies, more than " + std::to_string(kMaxBoxes)};

  geometry.swizzle = first->swizzle;
  geometry.bytesPerBox = first->bytesPerCopy;
  geometry.parts = parts;
  // Dimension of the tile for each of the shared buffer, and the map's order.
  SmallVector<int> tileDimOf(sides.sharedExtents.size(), -1);
  for (auto [t, dim] : llvm::enumerate(sides.sharedDims))
    tileDimOf[dim] = t;
  SmallVector<unsigned> mapped; // shared dimensions that the map has
  for (auto [dim, extent] : llvm::zip(first->order, first->box)) {
    if (tileDimOf[dim] < 0)
      continue;
    mapped.push_back(dim);
    geometry.order.push_back(sides.globalDims[tileDimOf[dim]]);
    geometry.box.push_back(extent);
  }
  for (unsigned dim = rank; dim-- > 0;)
    if (!llvm::is_contained(geometry.order, dim)) {
      geometry.order.push_back(dim);
      geometry.box.push_back(1);
    }
  for (const TmaTiling::Copy &box : first->copies) {
    SmallVector<int64_t> coords(rank, 0);
    for (auto [i, dim] : llvm::enumerate(mapped))
      coords[i] = box.coords[dim] - region.offsets[dim];
    geometry.boxes.push_back({coords, box.byteOffset});
  }

  // The other parts repeat the first, a fixed number of bytes further.
  geometry.partStep = step;
  geometry.partDim = llvm::find(mapped, splitDim) - mapped.begin();
  if (pairDim >= 0)
    return geometry; // in the other block, at the same place
  for (int64_t part = 1; part < parts; ++part) {
    region.offsets[splitDim] = sides.sharedOffsets[splitDim] + part * step;
    OrRefusal<TmaTiling> other =
        tmaTiling(shared, region, sides.sharedDims[*inner]);
    if (!other)
      return Refusal{other.reason()};
    int64_t distance =
        other->copies.front().byteOffset - first->copies.front().byteOffset;
    if (part == 1)
      geometry.partBytes = distance;
    bool repeats =
        sameBoxes(*first, *other) && distance == part * geometry.partBytes;
    for (size_t i = 0; repeats && i < first->copies.size(); ++i)
      repeats =
          other->copies[i].byteOffset == first->copies[i].byteOffset + distance;
    if (!repeats)
      return Refusal{"the parts of " + std::to_string(parts) +
                     " blocks lie differently in the shared buffer"};
  }
  return geometry;
}

//===----------------------------------------------------------------------===//
// Im2col
//===----------------------------------------------------------------------===//

std::string tile::whyNotIm2colMap(Im2colOp op) {
  // CUDA driver API, cuTensorMapEncodeIm2col: corners have 16, 8 or 5 bits in
  // maps of rank 3, 4 and 5, and strides are at most 8; PTX ISA,
  // "cp.async.bulk.tensor": offsets have as many bits.
  constexpr int64_t kMaxStride = 8;
  constexpr int kCornerBits[] = {16, 8, 5};
  unsigned numSpatial = op.getNumSpatial();
  int64_t half = int64_t(1) << (kCornerBits[numSpatial - 1] - 1);
  auto type = cast<MemRefType>(op.getSource().getType());
  for (unsigned i = 0; i < numSpatial; ++i) {
    std::string where = "spatial dimension " + std::to_string(i);
    int64_t reach = op.getDilation(i) * (op.getKernel()[i] - 1);
    int64_t lower = -op.getPadLower(i), upper = op.getPadUpper(i) - reach;
    if (op.getStride(i) > kMaxStride)
      return "the stride of " + where + " is " +
             std::to_string(op.getStride(i)) + ", more than 8";
    if (lower < -half || upper < -half || upper >= half)
      return "the bounding box of " + where + " is from " +
             std::to_string(lower) + " to " + std::to_string(upper) +
             " around the tensor, and corners lie between " +
             std::to_string(-half) + " and " + std::to_string(half - 1);
    if (reach >= 2 * half)
      return "the filter reaches " + std::to_string(reach) + " along " + where +
             ", and offsets are less than " + std::to_string(2 * half);
    int64_t size = type.getDimSize(i + 1);
    if (!ShapedType::isDynamic(size) && op.getNumOutputs(i, size) == 0)
      return "the convolution has no output along " + where;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// One run of bytes
//===----------------------------------------------------------------------===//

std::string tile::whyNotOneRun(TileMoveOpInterface copy,
                               const SharedLayout &shared) {
  OrRefusal<Sides> found = Sides::get(copy);
  if (!found)
    return found.reason();
  const Sides &sides = *found;
  if (sides.globalDims.empty())
    return "a single element";
  if (shared.elementBits() < 8)
    return "elements narrower than a byte";
  if (shared.swizzle().bits)
    return "the shared buffer's layout is swizzled";
  // From the innermost dimension out, every dimension continues the run.
  int64_t run = 1;
  tile::Region region{sides.sharedOffsets, sides.sharedExtents};
  int64_t start = shared.linearOffset(region.offsets);
  for (unsigned t = sides.globalDims.size(); t-- > 0;) {
    unsigned global = sides.globalDims[t], sharedDim = sides.sharedDims[t];
    if (sides.globalStrides[global] != run)
      return "the region is not contiguous in the global buffer";
    int64_t extent = sides.globalExtents[global];
    SmallVector<int64_t> coords(region.offsets);
    for (int64_t i = 1; i < extent; ++i) {
      coords[sharedDim] = region.offsets[sharedDim] + i;
      if (shared.linearOffset(coords) != start + i * run)
        return "the region is not contiguous in the shared buffer";
    }
    run *= extent;
  }
  int64_t bits = shared.elementBits();
  if (run * bits / 8 % 16 != 0)
    return "the region is " + std::to_string(run * bits / 8) +
           " bytes, not a multiple of 16";
  if (start * bits / 8 % 16 != 0)
    return "the region does not start at a multiple of 16 bytes of the shared "
           "buffer";
  return {};
}

bool tile::mayBeginInFront(TileMoveOpInterface store) {
  KernelOp kernel = kernelOf(store);
  return llvm::any_of(store.getTargetOffsets(), [&](Value offset) {
    IndexFacts facts = getIndexFacts(offset, store);
    bool isInside = facts.min && *facts.min >= 0;
    return !isInside && !IndexOrder(kernel).isNotNegative(offset, store);
  });
}
