//===- FragmentLayout.cpp - digits of hardware indices --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map from hardware indices to coordinates, its inverse (owners) and the
// operations that rewrite modes. Building layouts from a tile shape is in
// Blocked.cpp, comparing two layouts for a conversion in Conversion.cpp,
// printing in LayoutText.cpp.
//
// Everything here rests on one property: a mode contributes to one dimension
// only, so a question about a tile is a product of questions about single
// dimensions, each about a handful of digits.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/FragmentLayout.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Layout/Compose.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// One digit together with where it stands: the axis and the weight it has in
/// that axis' index.
struct PlacedDigit {
  int64_t extent, stride;
  Axis axis;
  int64_t weight;
};

} // namespace

/// All digits that move along `dim`, slowest (largest stride) first. Pass
/// kReplicated for digits that move along no dimension.
static SmallVector<PlacedDigit> digitsOf(const FragmentLayout &layout,
                                         int dim) {
  SmallVector<PlacedDigit> digits;
  for (unsigned a = 0; a < kNumAxes; ++a) {
    int64_t weight = 1;
    for (const Mode &mode : layout.modes(Axis(a))) {
      if (mode.dim == dim && mode.extent > 1)
        digits.push_back({mode.extent, mode.stride, Axis(a), weight});
      weight *= mode.extent;
    }
  }
  llvm::sort(digits, [](const PlacedDigit &a, const PlacedDigit &b) {
    return std::tie(b.stride, b.axis, b.weight) <
           std::tie(a.stride, a.axis, a.weight);
  });
  return digits;
}

/// True when every sum of the digits is reached in one way only, shown by the
/// sufficient test that each stride exceeds the sum of all smaller ones.
static bool areDisjoint(ArrayRef<PlacedDigit> slowestFirst) {
  int64_t reach = 0;
  for (const PlacedDigit &digit : llvm::reverse(slowestFirst)) {
    if (digit.stride <= reach)
      return false;
    reach += digit.stride * (digit.extent - 1);
  }
  return true;
}

using IndexArray = std::array<int64_t, kNumAxes>;

/// Appends to `found` every choice of digits whose sum is `target`.
static void solve(ArrayRef<PlacedDigit> digits, int64_t target,
                  IndexArray partial,
                  llvm::SmallVectorImpl<IndexArray> &found) {
  if (digits.empty()) {
    if (target == 0)
      found.push_back(partial);
    return;
  }
  const PlacedDigit &digit = digits.front();
  ArrayRef<PlacedDigit> rest = digits.drop_front();
  int64_t restReach = 0;
  for (const PlacedDigit &other : rest)
    restReach += other.stride * (other.extent - 1);
  int64_t last = digit.stride == 0
                     ? digit.extent - 1
                     : std::min(digit.extent - 1, target / digit.stride);
  int64_t first = 0;
  if (digit.stride > 0 && target > restReach)
    first = ceilDiv(target - restReach, digit.stride);
  for (int64_t value = first; value <= last; ++value) {
    IndexArray next = partial;
    next[unsigned(digit.axis)] += value * digit.weight;
    solve(rest, target - value * digit.stride, next, found);
  }
}

/// Largest number of distinct (lane, warp, block) choices that hold one value
/// of a dimension.
static int64_t dimensionReplication(ArrayRef<PlacedDigit> digits,
                                    int64_t extent) {
  if (areDisjoint(digits))
    return 1;
  int64_t worst = 1;
  for (int64_t value = 0; value < extent; ++value) {
    SmallVector<IndexArray> found;
    solve(digits, value, {}, found);
    for (IndexArray &index : found)
      index[unsigned(Axis::Register)] = 0;
    llvm::sort(found);
    found.erase(llvm::unique(found), found.end());
    worst = std::max(worst, int64_t(found.size()));
  }
  return worst;
}

static const char *const axisNames[kNumAxes] = {"register", "lane", "warp",
                                                "block"};

static std::string modeText(unsigned axis, size_t position) {
  return std::string(axisNames[axis]) + " mode " + std::to_string(position);
}

FragmentLayout::FragmentLayout(ArrayRef<int64_t> shape, Modes reg, Modes lane,
                               Modes warp, Modes block)
    : logicalShape(shape),
      axes{std::move(reg), std::move(lane), std::move(warp), std::move(block)} {
}

int64_t FragmentLayout::size(Axis axis) const {
  int64_t product = 1;
  for (const Mode &mode : modes(axis))
    product *= mode.extent;
  return product;
}

OrRefusal<bool> FragmentLayout::verify() const {
  for (auto [dim, extent] : llvm::enumerate(logicalShape))
    if (extent < 0)
      return Refusal{"expected a non-negative extent of dimension " +
                     std::to_string(dim) + ", got " + std::to_string(extent)};

  // Ranges of modes, and sizes that 64 bits can hold. Indices of all axes
  // together must be countable too, since callers enumerate them.
  SmallVector<int64_t> reach(rank(), 0);
  int64_t total = 1;
  for (unsigned a = 0; a < kNumAxes; ++a) {
    for (auto [position, mode] : llvm::enumerate(axes[a])) {
      if (mode.extent < 1)
        return Refusal{"expected a positive extent in " +
                       modeText(a, position) + ", got " +
                       std::to_string(mode.extent)};
      std::optional<int64_t> product = checkedMul(total, mode.extent);
      if (!product)
        return Refusal{"the extents up to " + modeText(a, position) +
                       " overflow 64 bits"};
      total = *product;
      if (mode.isReplication())
        continue;
      if (mode.dim < 0 || mode.dim >= int(rank()))
        return Refusal{"expected a dimension below " + std::to_string(rank()) +
                       " in " + modeText(a, position) + ", got " +
                       std::to_string(mode.dim)};
      if (mode.stride < 0 || (mode.stride == 0 && mode.extent > 1))
        return Refusal{"expected a positive stride in " +
                       modeText(a, position) + ", got " +
                       std::to_string(mode.stride)};
      std::optional<int64_t> span = checkedMul(mode.extent - 1, mode.stride);
      std::optional<int64_t> sum =
          span ? checkedAdd(reach[mode.dim], *span) : std::nullopt;
      if (!sum || !checkedAdd(*sum, 1))
        return Refusal{"coordinates reached by " + modeText(a, position) +
                       " overflow 64 bits"};
      reach[mode.dim] = *sum;
    }
  }

  auto exceeds = [](int64_t size, int64_t limit, const char *what) {
    return Refusal{"expected at most " + std::to_string(limit) + " " + what +
                   ", got " + std::to_string(size)};
  };
  if (numThreads() > kMaxThreads)
    return exceeds(numThreads(), kMaxThreads, "threads");
  if (size(Axis::Block) > kMaxBlocks)
    return exceeds(size(Axis::Block), kMaxBlocks, "blocks");
  if (numRegisters() > kMaxRegisters)
    return exceeds(numRegisters(), kMaxRegisters, "elements per thread");
  int64_t elements = 1;
  for (int64_t extent : logicalShape) {
    if (extent > kMaxElements)
      return exceeds(extent, kMaxElements, "elements");
    elements *= extent;
    if (elements > kMaxElements)
      return exceeds(elements, kMaxElements, "elements");
  }

  // Coverage: with strides in increasing order, sums of the digits so far fill
  // [0, covered). The next stride leaves `covered` itself unreachable exactly
  // when it is larger, because every later digit adds at least as much.
  for (unsigned dim = 0; dim < rank(); ++dim) {
    int64_t covered = 1;
    SmallVector<PlacedDigit> digits = digitsOf(*this, int(dim));
    for (const PlacedDigit &digit : llvm::reverse(digits)) {
      if (digit.stride > covered)
        break;
      covered += digit.stride * (digit.extent - 1);
    }
    if (covered < logicalShape[dim])
      return Refusal{"coordinate " + std::to_string(covered) +
                     " of dimension " + std::to_string(dim) + " (extent " +
                     std::to_string(logicalShape[dim]) +
                     ") is held by no thread"};
  }
  return true;
}

SmallVector<int64_t> FragmentLayout::axisCoordinates(Axis axis,
                                                     int64_t index) const {
  SmallVector<int64_t> coords(rank(), 0);
  for (const Mode &mode : modes(axis)) {
    int64_t digit = index % mode.extent;
    index /= mode.extent;
    if (!mode.isReplication())
      coords[mode.dim] += digit * mode.stride;
  }
  return coords;
}

SmallVector<int64_t>
FragmentLayout::coordinates(const HardwareIndex &index) const {
  SmallVector<int64_t> coords(rank(), 0);
  const int64_t values[kNumAxes] = {index.reg, index.lane, index.warp,
                                    index.block};
  for (unsigned a = 0; a < kNumAxes; ++a) {
    int64_t rest = values[a];
    for (const Mode &mode : axes[a]) {
      if (rest == 0)
        break;
      if (!mode.isReplication())
        coords[mode.dim] += (rest % mode.extent) * mode.stride;
      rest /= mode.extent;
    }
  }
  return coords;
}

bool FragmentLayout::inBounds(ArrayRef<int64_t> coords) const {
  for (auto [coord, extent] : llvm::zip_equal(coords, logicalShape))
    if (coord < 0 || coord >= extent)
      return false;
  return true;
}

bool FragmentLayout::overshoots() const {
  SmallVector<int64_t> reach(rank(), 0);
  for (const Modes &modes : axes)
    for (const Mode &mode : modes)
      if (!mode.isReplication())
        reach[mode.dim] += (mode.extent - 1) * mode.stride;
  return !inBounds(reach);
}

SmallVector<HardwareIndex>
FragmentLayout::owners(ArrayRef<int64_t> coords) const {
  SmallVector<HardwareIndex> result;
  if (coords.size() != rank() || !inBounds(coords))
    return result;
  SmallVector<IndexArray> combined = {IndexArray{}};
  for (int dim = Mode::kReplicated; dim < int(rank()); ++dim) {
    SmallVector<IndexArray> choices;
    if (dim == Mode::kReplicated) {
      // Any digit value does: solve for the sum 0 of zero strides.
      SmallVector<PlacedDigit> digits = digitsOf(*this, dim);
      for (PlacedDigit &digit : digits)
        digit.stride = 0;
      solve(digits, 0, {}, choices);
    } else {
      solve(digitsOf(*this, dim), coords[dim], {}, choices);
    }
    SmallVector<IndexArray> next;
    next.reserve(combined.size() * choices.size());
    for (const IndexArray &left : combined)
      for (const IndexArray &right : choices) {
        IndexArray sum;
        for (unsigned a = 0; a < kNumAxes; ++a)
          sum[a] = left[a] + right[a];
        next.push_back(sum);
      }
    combined = std::move(next);
  }
  llvm::sort(combined, [](const IndexArray &a, const IndexArray &b) {
    return std::tie(a[3], a[2], a[1], a[0]) < std::tie(b[3], b[2], b[1], b[0]);
  });
  for (const IndexArray &index : combined)
    result.push_back({index[0], index[1], index[2], index[3]});
  return result;
}

int64_t FragmentLayout::replication() const {
  int64_t product = 1;
  for (Axis axis : {Axis::Lane, Axis::Warp, Axis::Block})
    for (const Mode &mode : modes(axis))
      if (mode.isReplication())
        product *= mode.extent;
  for (unsigned dim = 0; dim < rank(); ++dim)
    product *=
        dimensionReplication(digitsOf(*this, int(dim)), logicalShape[dim]);
  return product;
}

bool FragmentLayout::isBijective() const {
  if (!digitsOf(*this, Mode::kReplicated).empty())
    return false;
  for (unsigned dim = 0; dim < rank(); ++dim) {
    SmallVector<PlacedDigit> digits = digitsOf(*this, int(dim));
    if (areDisjoint(digits))
      continue;
    for (int64_t value = 0; value < logicalShape[dim]; ++value) {
      SmallVector<IndexArray> found;
      solve(digits, value, {}, found);
      if (found.size() != 1)
        return false;
    }
  }
  return true;
}

FragmentLayout FragmentLayout::canonicalized() const {
  FragmentLayout result = *this;
  for (Modes &modes : result.axes)
    modes = canonicalModes(modes);
  return result;
}

// The canonical spelling is unique: the extent of the first mode is the first
// index at which the map departs from index*stride, and the rest follows by
// induction on index / extent. Trailing replication keeps the sizes apart.
bool FragmentLayout::equivalent(const FragmentLayout &other) const {
  return canonicalized() == other.canonicalized();
}

OrRefusal<FragmentLayout> FragmentLayout::sliced(unsigned dim,
                                                 bool keepDim) const {
  if (dim >= rank())
    return Refusal{"expected a dimension below " + std::to_string(rank()) +
                   ", got " + std::to_string(dim)};
  FragmentLayout result = *this;
  if (keepDim)
    result.logicalShape[dim] = 1;
  else
    result.logicalShape.erase(result.logicalShape.begin() + dim);
  for (unsigned a = 0; a < kNumAxes; ++a) {
    Modes kept;
    for (Mode mode : axes[a]) {
      if (mode.dim == int(dim)) {
        if (Axis(a) == Axis::Register)
          continue;
        mode = {mode.extent, Mode::kReplicated, 0};
      } else if (!keepDim && mode.dim > int(dim)) {
        --mode.dim;
      }
      kept.push_back(mode);
    }
    result.axes[a] = std::move(kept);
  }
  return result;
}

FragmentLayout FragmentLayout::expanded(unsigned dim, int64_t extent) const {
  assert(dim <= rank() && "expected an insertion point within the rank");
  FragmentLayout result = *this;
  result.logicalShape.insert(result.logicalShape.begin() + dim, extent);
  for (Modes &modes : result.axes)
    for (Mode &mode : modes)
      if (mode.dim >= int(dim))
        ++mode.dim;
  if (extent > 1)
    result.axes[unsigned(Axis::Register)].push_back({extent, int(dim), 1});
  return result;
}

FragmentLayout FragmentLayout::permuted(ArrayRef<unsigned> permutation) const {
  assert(permutation.size() == rank() && "expected one entry per dimension");
  FragmentLayout result = *this;
  SmallVector<int> newPosition(rank(), 0);
  for (auto [position, old] : llvm::enumerate(permutation)) {
    result.logicalShape[position] = logicalShape[old];
    newPosition[old] = int(position);
  }
  for (Modes &modes : result.axes)
    for (Mode &mode : modes)
      if (!mode.isReplication())
        mode.dim = newPosition[mode.dim];
  return result;
}

// In canonical form only the first mode can start a run, and a run longer than
// its extent would have to cross into a mode that does not continue it.
int64_t FragmentLayout::vectorWidth(unsigned dim) const {
  Modes canonical = canonicalModes(modes(Axis::Register));
  if (canonical.empty() || canonical.front().dim != int(dim) ||
      canonical.front().stride != 1)
    return 1;
  return canonical.front().extent;
}

int64_t FragmentLayout::lanesInRow(unsigned dim, int64_t run) const {
  int64_t count = 1;
  for (const Mode &mode : canonicalModes(modes(Axis::Lane))) {
    if (mode.dim != int(dim) || mode.stride != run * count)
      break;
    int64_t powerOfTwo = mode.extent & -mode.extent;
    count *= powerOfTwo;
    if (powerOfTwo != mode.extent)
      break;
  }
  return count;
}

FragmentLayout FragmentLayout::withFastestRegisterDim(unsigned dim) const {
  Modes along, others;
  for (const Mode &mode : modes(Axis::Register))
    (mode.dim == int(dim) ? along : others).push_back(mode);
  llvm::sort(along, [](const Mode &a, const Mode &b) {
    return std::tie(a.stride, a.extent) < std::tie(b.stride, b.extent);
  });
  along.append(others.begin(), others.end());
  FragmentLayout result = *this;
  result.axes[unsigned(Axis::Register)] = std::move(along);
  return result;
}
