//===- LayoutRelations.cpp - loops and the fragments they access ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "LayoutRelations.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tile/Analysis/IterationValues.h"
#include "tile/Analysis/LayoutAnalysis.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Layout/CheckedMath.h"
#include <set>

using namespace mlir;
using namespace mlir::tile;

static FragmentLayout withShape(const FragmentLayout &layout,
                                ArrayRef<int64_t> shape) {
  return FragmentLayout(shape, layout.modes(Axis::Register),
                        layout.modes(Axis::Lane), layout.modes(Axis::Warp),
                        layout.modes(Axis::Block));
}

/// The registers of a loop over `shape`: what else the fragment has in them is
/// left out.
static FragmentLayout withoutRegistersBeyond(const FragmentLayout &layout,
                                             ArrayRef<int64_t> shape) {
  Modes registers;
  for (Mode mode : layout.modes(Axis::Register)) {
    if (mode.dim >= 0) {
      if (mode.stride >= shape[mode.dim])
        continue;
      mode.extent =
          std::min(mode.extent, ceilDiv(shape[mode.dim], mode.stride));
    }
    registers.push_back(mode);
  }
  return FragmentLayout(shape, registers, layout.modes(Axis::Lane),
                        layout.modes(Axis::Warp), layout.modes(Axis::Block));
}

/// Whether each thread of the loop has the elements that it reads at the
/// access's offsets. Offsets that the fragment does not reach are those of
/// iterations that do not access it.
static bool holdsShifted(const OwnedAccess &access,
                         const FragmentLayout &fragment,
                         const FragmentLayout &loop) {
  auto placeOf = [&](ArrayRef<int64_t> iteration) {
    SmallVector<int64_t> place;
    for (int dim : access.loopDims)
      place.push_back(dim < 0 ? 0 : iteration[dim]);
    return place;
  };
  for (Axis axis : {Axis::Lane, Axis::Warp, Axis::Block}) {
    if (loop.size(axis) != fragment.size(axis))
      return false;
    for (int64_t i = 0, e = loop.size(axis); i < e; ++i)
      if (placeOf(loop.axisCoordinates(axis, i)) !=
          fragment.axisCoordinates(axis, i))
        return false;
  }
  std::set<SmallVector<int64_t>> registers;
  for (int64_t r = 0, e = fragment.numRegisters(); r < e; ++r)
    registers.insert(fragment.axisCoordinates(Axis::Register, r));
  for (int64_t r = 0, e = loop.numRegisters(); r < e; ++r) {
    SmallVector<int64_t> place =
        placeOf(loop.axisCoordinates(Axis::Register, r));
    bool isInside = true;
    for (auto [d, offset] : llvm::enumerate(access.offsets)) {
      place[d] += offset;
      isInside &= place[d] < fragment.shape()[d];
    }
    if (isInside && !registers.count(place))
      return false;
  }
  return true;
}

/// The loop's layout from that of a fragment. Dimensions of the loop that the
/// access does not name are of extent one, or lie in registers.
static std::optional<FragmentLayout> loopWith(ArrayRef<int64_t> loopShape,
                                              const OwnedAccess &access,
                                              const FragmentLayout &fragment) {
  FragmentLayout layout = fragment;
  SmallVector<unsigned> loopDims; // of the dimensions that remain, in order
  for (unsigned dim = access.loopDims.size(); dim-- > 0;) {
    if (access.loopDims[dim] >= 0) {
      loopDims.insert(loopDims.begin(), access.loopDims[dim]);
      continue;
    }
    // Digits of a dimension of extent one are lanes that hold nothing of the
    // tile; they must not become replicas. Of one index of a longer dimension
    // every thread has to have the elements, in a register of its own.
    if (hasDigits(layout, int(dim), access.isShifted))
      return std::nullopt;
    layout = *layout.sliced(dim);
  }
  SmallVector<unsigned> permutation;
  for (unsigned dim = 0; dim < loopShape.size(); ++dim) {
    auto *found = llvm::find(loopDims, dim);
    if (found != loopDims.end())
      permutation.push_back(found - loopDims.begin());
  }
  layout = layout.permuted(permutation);
  Modes beside;
  for (unsigned dim = 0; dim < loopShape.size(); ++dim) {
    if (llvm::is_contained(loopDims, dim))
      continue;
    layout = layout.expanded(dim, 1);
    if (loopShape[dim] > 1)
      beside.push_back({loopShape[dim], int(dim), 1});
  }
  if (!access.isWhole)
    layout = withoutRegistersBeyond(layout, loopShape);
  Modes registers = layout.modes(Axis::Register);
  llvm::append_range(registers, beside);
  layout = FragmentLayout(loopShape, registers, layout.modes(Axis::Lane),
                          layout.modes(Axis::Warp), layout.modes(Axis::Block));
  if (access.isShifted && !holdsShifted(access, fragment, layout))
    return std::nullopt;
  return layout;
}

std::optional<FragmentLayout>
tile::loopFromFragment(ArrayRef<int64_t> loopShape, const OwnedAccess &access,
                       const FragmentLayout &fragment) {
  if (!access.determinesLoop)
    return std::nullopt;
  return loopWith(loopShape, access, fragment);
}

std::optional<FragmentLayout>
tile::loopAroundFragment(ArrayRef<int64_t> loopShape, const OwnedAccess &access,
                         const FragmentLayout &fragment) {
  return loopWith(loopShape, access, fragment);
}

/// Register digits with which the threads hold all of a dimension of `extent`,
/// each element once, beside those that `layout` has. A region whose threads
/// overshoot it has holes between its digits.
static Modes registersBeside(const FragmentLayout &layout, int dim,
                             int64_t extent) {
  SmallVector<std::pair<int64_t, int64_t>> digits; // stride, extent
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp, Axis::Block})
    for (const Mode &mode : layout.modes(axis))
      if (mode.dim == dim)
        digits.push_back({mode.stride, mode.extent});
  llvm::sort(digits);
  Modes result;
  int64_t covered = 1;
  for (auto [stride, count] : digits) {
    if (stride <= covered) {
      covered += stride * (count - 1);
      continue;
    }
    if (stride >= extent || stride % covered != 0)
      break;
    result.push_back({stride / covered, dim, covered});
    covered = stride * count;
  }
  if (covered < extent)
    result.push_back({ceilDiv(extent, covered), dim, covered});
  return result;
}

/// Lets the outermost register digit of a region go on, where what it covers
/// does not divide the next digit: of rows 0 to 23 that one warp of four has,
/// where the next one has those from 32 on, the warp gets rows 24 to 31 as
/// well. Otherwise registers beside them would hold elements of other threads.
static void fillUpToNextDigit(const FragmentLayout &region, int dim,
                              Modes &registers) {
  SmallVector<std::pair<Mode, int64_t>> digits; // its number among registers
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp, Axis::Block})
    for (auto [number, mode] : llvm::enumerate(region.modes(axis)))
      if (mode.dim == dim)
        digits.push_back({mode, axis == Axis::Register ? int64_t(number) : -1});
  llvm::sort(digits, [](const auto &a, const auto &b) {
    return a.first.stride < b.first.stride;
  });
  int64_t covered = 1;
  const std::pair<Mode, int64_t> *outermost = nullptr;
  for (const std::pair<Mode, int64_t> &digit : digits) {
    const Mode &mode = digit.first;
    if (mode.stride > covered) {
      bool ends = outermost && outermost->second >= 0 &&
                  outermost->first.stride * outermost->first.extent == covered;
      if (mode.stride % covered == 0 || !ends ||
          mode.stride % outermost->first.stride != 0 ||
          outermost->first.extent !=
              ceilDiv(region.shape()[dim], outermost->first.stride))
        return;
      registers[outermost->second].extent =
          mode.stride / outermost->first.stride;
      covered = mode.stride * mode.extent;
    } else {
      covered += mode.stride * (mode.extent - 1);
    }
    outermost = &digit;
  }
}

/// The part of a fragment that a loop covers, from the loop's layout.
static FragmentLayout regionFromLoop(const OwnedAccess &access,
                                     const FragmentLayout &loop) {
  FragmentLayout layout = loop;
  SmallVector<unsigned> kept;
  for (unsigned dim = loop.rank(); dim-- > 0;) {
    if (llvm::is_contained(access.loopDims, int(dim)))
      kept.insert(kept.begin(), dim);
    else
      layout = *layout.sliced(dim);
  }
  SmallVector<unsigned> permutation;
  for (int dim : access.loopDims)
    if (dim >= 0)
      permutation.push_back(llvm::find(kept, unsigned(dim)) - kept.begin());
  layout = layout.permuted(permutation);
  for (auto [dim, loopDim] : llvm::enumerate(access.loopDims))
    if (loopDim < 0)
      layout = layout.expanded(dim, 1);
  return layout;
}

FragmentLayout tile::fragmentFromLoop(ArrayRef<int64_t> fragmentShape,
                                      const OwnedAccess &access,
                                      const FragmentLayout &loop) {
  FragmentLayout layout = regionFromLoop(access, loop);
  if (access.isWhole)
    return layout;
  // Elements outside the loop's region: further registers.
  Modes registers = layout.modes(Axis::Register);
  for (size_t dim = 0; dim < fragmentShape.size(); ++dim)
    fillUpToNextDigit(layout, int(dim), registers);
  layout = FragmentLayout(layout.shape(), registers, layout.modes(Axis::Lane),
                          layout.modes(Axis::Warp), layout.modes(Axis::Block));
  for (auto [dim, extent] : llvm::enumerate(fragmentShape))
    llvm::append_range(registers, registersBeside(layout, int(dim), extent));
  return FragmentLayout(fragmentShape, registers, layout.modes(Axis::Lane),
                        layout.modes(Axis::Warp), layout.modes(Axis::Block));
}

bool tile::isCompatible(const OwnedAccess &access,
                        const FragmentLayout &fragment,
                        const FragmentLayout &loop) {
  if (access.isShifted) {
    if (!access.isWrite)
      return holdsShifted(access, fragment, loop);
    // All replicas of an element are to be written.
    auto own = loopFromFragment(loop.shape(), access, fragment);
    return own && own->equivalent(loop);
  }
  for (auto [dim, loopDim] : llvm::enumerate(access.loopDims))
    if (loopDim < 0 && hasDigits(fragment, int(dim)))
      return false;
  FragmentLayout region = regionFromLoop(access, loop);
  if (access.isWhole)
    return region.equivalent(withShape(fragment, region.shape()));
  return withoutRegistersBeyond(region, region.shape())
      .equivalent(withoutRegistersBeyond(fragment, region.shape()));
}

std::optional<SmallVector<int64_t>>
tile::heldRegisters(const LoopAccess &access, const FragmentLayout &loop,
                    const FragmentLayout &fragment) {
  Operation *op = access.operand->getOwner();
  ParallelOp parallel = elementLoopAround(op);
  ValueRange indices;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    indices = load.getIndices();
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    indices = store.getIndices();
  else
    return std::nullopt;
  if (!parallel || loop.size(Axis::Block) != 1 ||
      fragment.size(Axis::Block) != 1)
    return std::nullopt;
  std::optional<IterationValues> values = IterationValues::compute(
      indices, parallel.getBodyRegion().getArguments(), parallel.getExtents());
  if (!values)
    return std::nullopt;
  return values->registersOf(loop, fragment, access.isWrite);
}

bool tile::mayBeHeld(const LoopAccess &access) {
  Operation *op = access.operand->getOwner();
  auto load = dyn_cast<memref::LoadOp>(op);
  auto store = dyn_cast<memref::StoreOp>(op);
  ParallelOp parallel = elementLoopAround(op);
  if ((!load && !store) || !parallel)
    return false;
  // A condition picks the iteration that stores, of those that name an element.
  bool isPlain = llvm::none_of(access.indices, [](const LoopIndex &index) {
    return index.isIrregular || index.hasUniform();
  });
  if (store && !isPlain)
    return false;
  return IterationValues::compute(load ? load.getIndices() : store.getIndices(),
                                  parallel.getBodyRegion().getArguments(),
                                  parallel.getExtents())
      .has_value();
}

bool tile::isHeldAsStated(const LoopDemand &loop, const LoopAccess &access) {
  FragmentLayoutAttr fragment = getFragmentLayout(access.buffer());
  if (!fragment || access.isAtomic)
    return false;
  std::optional<FragmentLayout> layout;
  if (loop.stated)
    layout = loop.stated.getLayout();
  for (const LoopAccess &other : loop.accesses) {
    if (layout)
      break;
    FragmentLayoutAttr stated = isFragment(other.buffer())
                                    ? getFragmentLayout(other.buffer())
                                    : FragmentLayoutAttr();
    std::optional<OwnedAccess> owned = getOwnedAccess(loop, other);
    if (stated && owned && owned->determinesLoop)
      layout = loopFromFragment(loop.shape, *owned, stated.getLayout());
  }
  return layout && heldRegisters(access, *layout, fragment.getLayout());
}
