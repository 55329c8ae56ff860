//===- Conversion.cpp - from one fragment layout to another ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides what moving a fragment between two layouts takes: nothing, other
// register numbers, shuffles within a warp, or a trip through shared memory.
// Emitting it is lowering's business.
//
// What a thread holds is a product over dimensions of sets {offset + r}, r from
// the register digits, and so is what a warp holds. Inclusion of products is
// inclusion per dimension, so threads are compared one dimension at a time and
// equal pairs of offsets are compared once.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/FragmentLayout.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>
#include <vector>

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Sorted distinct sums of the digits of `axes` along `dim`.
static SmallVector<int64_t> reachedValues(const FragmentLayout &layout, int dim,
                                          ArrayRef<Axis> axes) {
  SmallVector<int64_t> values = {0};
  for (Axis axis : axes)
    for (const Mode &mode : layout.modes(axis)) {
      if (mode.dim != dim || mode.extent == 1)
        continue;
      SmallVector<int64_t> next;
      next.reserve(values.size() * mode.extent);
      for (int64_t digit = 0; digit < mode.extent; ++digit)
        for (int64_t value : values)
          next.push_back(value + digit * mode.stride);
      llvm::sort(next);
      next.erase(llvm::unique(next), next.end());
      values = std::move(next);
    }
  return values;
}

namespace {

/// Compares {needOffset + need} with {haveOffset + have}, both clipped to the
/// extent, for one dimension.
class SetComparer {
public:
  SetComparer(ArrayRef<int64_t> need, ArrayRef<int64_t> have, int64_t extent)
      : need(need), have(have), extent(extent) {}

  /// First needed value that is missing, or -1.
  int64_t firstMissing(int64_t needOffset, int64_t haveOffset) {
    auto [entry, inserted] = known.try_emplace({needOffset, haveOffset}, -1);
    if (!inserted)
      return entry->second;
    for (int64_t value : need) {
      int64_t coord = value + needOffset;
      if (coord >= extent)
        break;
      if (!llvm::binary_search(have, coord - haveOffset)) {
        entry->second = coord;
        break;
      }
    }
    return entry->second;
  }
  bool needsNothing(int64_t needOffset) const {
    return need.front() + needOffset >= extent;
  }
  int64_t firstNeeded(int64_t needOffset) const {
    return need.front() + needOffset;
  }

private:
  SmallVector<int64_t> need, have;
  int64_t extent;
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> known;
};

} // namespace

static std::string coordText(ArrayRef<int64_t> coords) {
  std::string text = "(";
  for (auto [position, coord] : llvm::enumerate(coords))
    text += (position ? ", " : "") + std::to_string(coord);
  return text + ")";
}

/// Offsets of every index of an axis.
static std::vector<SmallVector<int64_t>> axisTable(const FragmentLayout &layout,
                                                   Axis axis) {
  std::vector<SmallVector<int64_t>> table;
  int64_t size = layout.size(axis);
  table.reserve(size);
  for (int64_t index = 0; index < size; ++index)
    table.push_back(layout.axisCoordinates(axis, index));
  return table;
}

namespace {

/// An element that a group of threads needs and does not hold.
struct Missing {
  int64_t lane = 0, warp = 0, block = 0;
  SmallVector<int64_t> coords;
};

} // namespace

/// Finds an element that `to` wants in some thread and that `from` holds
/// nowhere in the same thread (or warp, or block: `haveAxes` are the digits
/// free to choose in `from`).
static std::optional<Missing> findMissing(const FragmentLayout &from,
                                          const FragmentLayout &to,
                                          ArrayRef<Axis> haveAxes) {
  unsigned rank = to.rank();
  std::vector<SetComparer> dims;
  dims.reserve(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.emplace_back(reachedValues(to, int(dim), {Axis::Register}),
                      reachedValues(from, int(dim), haveAxes), to.shape()[dim]);
  bool lanesFree = llvm::is_contained(haveAxes, Axis::Lane);
  bool warpsFree = llvm::is_contained(haveAxes, Axis::Warp);
  auto toLane = axisTable(to, Axis::Lane), toWarp = axisTable(to, Axis::Warp),
       toBlock = axisTable(to, Axis::Block);
  auto fromLane = axisTable(from, Axis::Lane),
       fromWarp = axisTable(from, Axis::Warp),
       fromBlock = axisTable(from, Axis::Block);
  for (size_t block = 0; block < toBlock.size(); ++block)
    for (size_t warp = 0; warp < toWarp.size(); ++warp)
      for (size_t lane = 0; lane < toLane.size(); ++lane) {
        SmallVector<int64_t, 4> need(rank), have(rank);
        bool idle = false;
        for (unsigned dim = 0; dim < rank; ++dim) {
          need[dim] =
              toBlock[block][dim] + toWarp[warp][dim] + toLane[lane][dim];
          have[dim] = fromBlock[block][dim] +
                      (warpsFree ? 0 : fromWarp[warp][dim]) +
                      (lanesFree ? 0 : fromLane[lane][dim]);
          idle |= dims[dim].needsNothing(need[dim]);
        }
        if (idle)
          continue;
        for (unsigned dim = 0; dim < rank; ++dim) {
          int64_t missing = dims[dim].firstMissing(need[dim], have[dim]);
          if (missing < 0)
            continue;
          Missing result{int64_t(lane), int64_t(warp), int64_t(block), {}};
          for (unsigned other = 0; other < rank; ++other)
            result.coords.push_back(
                other == dim ? missing : dims[other].firstNeeded(need[other]));
          return result;
        }
      }
  return std::nullopt;
}

/// True when every in-bounds element of `to` is in the same register of the
/// same thread in `from`.
static bool isIdentity(const FragmentLayout &from, const FragmentLayout &to) {
  for (unsigned axis = 0; axis < kNumAxes; ++axis)
    if (from.size(Axis(axis)) != to.size(Axis(axis)))
      return false;
  if (from.equivalent(to))
    return true;
  // Without overshoot every index counts, and the maps differ somewhere.
  if (!to.overshoots())
    return false;
  std::vector<SmallVector<int64_t>> toTable[kNumAxes], difference[kNumAxes];
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    toTable[axis] = axisTable(to, Axis(axis));
    difference[axis] = axisTable(from, Axis(axis));
    for (auto [mine, other] : llvm::zip(difference[axis], toTable[axis]))
      for (auto [m, o] : llvm::zip(mine, other))
        m -= o;
  }
  unsigned rank = to.rank();
  for (size_t b = 0; b < toTable[3].size(); ++b)
    for (size_t w = 0; w < toTable[2].size(); ++w)
      for (size_t l = 0; l < toTable[1].size(); ++l)
        for (size_t r = 0; r < toTable[0].size(); ++r) {
          bool inside = true, equal = true;
          for (unsigned dim = 0; dim < rank; ++dim) {
            inside &= toTable[3][b][dim] + toTable[2][w][dim] +
                          toTable[1][l][dim] + toTable[0][r][dim] <
                      to.shape()[dim];
            equal &= difference[3][b][dim] + difference[2][w][dim] +
                         difference[1][l][dim] + difference[0][r][dim] ==
                     0;
          }
          if (inside && !equal)
            return false;
        }
  return true;
}

static std::string threadText(const Missing &missing) {
  return "lane " + std::to_string(missing.lane) + " of warp " +
         std::to_string(missing.warp);
}

bool FragmentLayout::sameOwners(const FragmentLayout &other) const {
  if (shape() != other.shape() || numThreads() != other.numThreads() ||
      size(Axis::Lane) != other.size(Axis::Lane) ||
      size(Axis::Block) != other.size(Axis::Block))
    return false;
  return !findMissing(*this, other, {Axis::Register}) &&
         !findMissing(other, *this, {Axis::Register});
}

OrRefusal<ConversionClass>
mlir::tile::classifyConversion(const FragmentLayout &from,
                               const FragmentLayout &to) {
  if (from.shape() != to.shape())
    return Refusal{"expected layouts of one shape, got " +
                   coordText(from.shape()) + " and " + coordText(to.shape())};
  for (Axis axis : {Axis::Lane, Axis::Warp, Axis::Block})
    if (from.size(axis) != to.size(axis)) {
      const char *name = axis == Axis::Lane   ? "lanes"
                         : axis == Axis::Warp ? "warps"
                                              : "blocks";
      return Refusal{std::string("expected as many ") + name +
                     " in both layouts, got " +
                     std::to_string(from.size(axis)) + " and " +
                     std::to_string(to.size(axis))};
    }
  if (isIdentity(from, to))
    return ConversionClass{ConversionKind::Identity, ""};

  std::optional<Missing> missing = findMissing(from, to, {Axis::Register});
  if (!missing)
    return ConversionClass{ConversionKind::RegisterRename,
                           "registers are numbered differently"};
  std::string reason = threadText(*missing) + " does not hold element " +
                       coordText(missing->coords);
  missing = findMissing(from, to, {Axis::Register, Axis::Lane});
  if (!missing)
    return ConversionClass{ConversionKind::WarpShuffle, reason};
  reason = "no lane of warp " + std::to_string(missing->warp) +
           " holds element " + coordText(missing->coords) + " that lane " +
           std::to_string(missing->lane) + " needs";
  missing = findMissing(from, to, {Axis::Register, Axis::Lane, Axis::Warp});
  if (missing)
    return Refusal{"no thread of block " + std::to_string(missing->block) +
                   " holds element " + coordText(missing->coords) +
                   ": the conversion crosses blocks of the cluster"};
  return ConversionClass{ConversionKind::SharedMemory, reason};
}

llvm::StringRef mlir::tile::stringify(ConversionKind kind) {
  switch (kind) {
  case ConversionKind::Identity:
    return "identity";
  case ConversionKind::RegisterRename:
    return "register_rename";
  case ConversionKind::WarpShuffle:
    return "warp_shuffle";
  case ConversionKind::SharedMemory:
    return "shared_memory";
  }
  return "unknown";
}
