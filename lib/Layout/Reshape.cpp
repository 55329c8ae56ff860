//===- Reshape.cpp - one place, another shape -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both shapes fall into segments: runs of dimensions of the one with as many
// elements as a run of the other. In a segment a position is one number; the
// digits of the layout are digits of it, and are split where the dimensions of
// the new shape begin. A dimension that is a segment of its own keeps its
// digits as they are.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/Reshape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Dimensions [first, last) of each shape that hold the same elements.
struct Segment {
  unsigned fromFirst, fromLast, toFirst, toLast;
  /// One dimension on either side, but for ones around them.
  int keptFrom = -1, keptTo = -1;
};

struct Digit {
  int64_t extent, stride;
};

} // namespace

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [d, extent] : llvm::enumerate(shape))
    text += (d ? ", " : "") + std::to_string(extent);
  return text + "]";
}

/// The only dimension of [first, last) with an extent other than one; -1 where
/// there is none or there are several.
static int onlyDimension(ArrayRef<int64_t> shape, unsigned first,
                         unsigned last) {
  int only = -1;
  for (unsigned d = first; d < last; ++d)
    if (shape[d] != 1) {
      if (only >= 0)
        return -1;
      only = int(d);
    }
  return only;
}

/// Empty where the shapes have different numbers of elements.
static SmallVector<Segment> segments(ArrayRef<int64_t> from,
                                     ArrayRef<int64_t> to) {
  SmallVector<Segment> found;
  unsigned f = 0, t = 0;
  while (f < from.size() || t < to.size()) {
    Segment segment{f, f, t, t};
    int64_t a = 1, b = 1;
    do {
      if (a <= b && f < from.size())
        a *= from[f++];
      else if (t < to.size())
        b *= to[t++];
      else if (f < from.size())
        a *= from[f++];
      else
        return {};
    } while (a != b);
    // Ones that follow belong to it.
    while (f < from.size() && from[f] == 1)
      ++f;
    while (t < to.size() && to[t] == 1)
      ++t;
    segment.fromLast = f;
    segment.toLast = t;
    int keptFrom = onlyDimension(from, segment.fromFirst, f);
    int keptTo = onlyDimension(to, segment.toFirst, t);
    if (keptFrom >= 0 && keptTo >= 0) {
      segment.keptFrom = keptFrom;
      segment.keptTo = keptTo;
    }
    found.push_back(segment);
  }
  return found;
}

/// Elements of a segment from one to the next along dimension `dim`.
static int64_t strideIn(ArrayRef<int64_t> shape, unsigned dim, unsigned last) {
  int64_t stride = 1;
  for (unsigned d = dim + 1; d < last; ++d)
    stride *= shape[d];
  return stride;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Largest coordinate that the digits of each dimension reach.
static SmallVector<int64_t> reaches(const FragmentLayout &layout) {
  SmallVector<int64_t> reach(layout.rank(), 0);
  for (unsigned axis = 0; axis < kNumAxes; ++axis)
    for (const Mode &mode : layout.modes(Axis(axis)))
      if (!mode.isReplication())
        reach[mode.dim] += (mode.extent - 1) * mode.stride;
  return reach;
}

/// Appends a digit of a segment's position as digits of dimensions of `to`.
static bool appendSplit(Digit digit, const Segment &segment,
                        ArrayRef<int64_t> to, Modes &modes) {
  while (digit.extent > 1) {
    int dim = -1;
    int64_t stride = 1;
    for (unsigned d = segment.toLast; d-- > segment.toFirst;)
      if (to[d] != 1 && strideIn(to, d, segment.toLast) <= digit.stride) {
        dim = int(d);
        stride = strideIn(to, d, segment.toLast);
      }
    if (dim < 0 || digit.stride % stride)
      return false;
    int64_t own = digit.stride / stride;
    if ((digit.extent - 1) * own < to[dim]) {
      modes.push_back({digit.extent, dim, own});
      return true;
    }
    int64_t room = to[dim] % own ? 0 : to[dim] / own;
    if (room < 2 || digit.extent % room)
      return false;
    modes.push_back({room, dim, own});
    digit = {digit.extent / room, digit.stride * room};
  }
  return true;
}

/// The digits of one axis in the new shape.
static bool reshapeAxis(const Modes &modes, ArrayRef<int64_t> from,
                        ArrayRef<int64_t> to, ArrayRef<Segment> found,
                        Modes &result) {
  const Segment *pendingIn = nullptr;
  Digit pending{1, 0};
  auto flush = [&] {
    bool fits = !pendingIn || appendSplit(pending, *pendingIn, to, result);
    pendingIn = nullptr;
    return fits;
  };
  for (const Mode &mode : modes) {
    if (mode.extent == 1)
      continue;
    const Segment *segment = nullptr;
    if (!mode.isReplication())
      segment = llvm::find_if(found, [&](const Segment &s) {
        return unsigned(mode.dim) >= s.fromFirst &&
               unsigned(mode.dim) < s.fromLast;
      });
    if (!segment || segment->keptFrom >= 0) {
      if (!flush() || (segment && mode.dim != segment->keptFrom))
        return false; // a dimension of extent one that the layout overshoots
      result.push_back(
          {mode.extent, segment ? segment->keptTo : mode.dim, mode.stride});
      continue;
    }
    int64_t stride =
        mode.stride * strideIn(from, unsigned(mode.dim), segment->fromLast);
    if (pendingIn == segment && pending.stride * pending.extent == stride) {
      pending.extent *= mode.extent;
      continue;
    }
    if (!flush())
      return false;
    pendingIn = segment;
    pending = {mode.extent, stride};
  }
  return flush();
}

OrRefusal<FragmentLayout> mlir::tile::reshaped(const FragmentLayout &layout,
                                               ArrayRef<int64_t> shape) {
  if (layout.shape() == shape)
    return layout;
  auto refuse = [&](const std::string &why) {
    return Refusal{"the layout of shape " + shapeText(layout.shape()) +
                   " has no form of shape " + shapeText(shape) + ": " + why};
  };
  SmallVector<Segment> found = segments(layout.shape(), shape);
  if (found.empty() && !(layout.shape().empty() && shape.empty()))
    return refuse("they have different numbers of elements");
  SmallVector<int64_t> reach = reaches(layout);
  for (const Segment &segment : found)
    for (unsigned d = segment.fromFirst; d < segment.fromLast; ++d)
      if (int(d) != segment.keptFrom && reach[d] >= layout.shape()[d])
        return refuse("threads hold places beyond dimension " +
                      std::to_string(d));
  std::array<Modes, kNumAxes> axes;
  for (unsigned axis = 0; axis < kNumAxes; ++axis)
    if (!reshapeAxis(layout.modes(Axis(axis)), layout.shape(), shape, found,
                     axes[axis]))
      return refuse("a dimension begins within what threads hold together");
  FragmentLayout result(shape, axes[0], axes[1], axes[2], axes[3]);
  // Digits that meet in one dimension must not carry into the next.
  SmallVector<int64_t> reached = reaches(result);
  for (const Segment &segment : found)
    for (unsigned d = segment.toFirst; d < segment.toLast; ++d)
      if (int(d) != segment.keptTo && reached[d] >= shape[d])
        return refuse("a dimension begins within what threads hold together");
  return result;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The digits of a segment's position, fastest first, neighbours merged.
static bool collectDigits(const SharedLayout &layout, const Segment &segment,
                          SmallVector<Digit> &digits) {
  for (unsigned d = segment.fromLast; d-- > segment.fromFirst;) {
    int64_t covered = 1;
    for (const Mode &mode : layout.modes()) {
      if (mode.dim != int(d) || mode.extent == 1)
        continue;
      covered *= mode.extent;
      if (!digits.empty() &&
          digits.back().stride * digits.back().extent == mode.stride)
        digits.back().extent *= mode.extent;
      else
        digits.push_back({mode.extent, mode.stride});
    }
    if (covered != layout.shape()[d])
      return false;
  }
  return true;
}

/// Deals the digits out to the dimensions of the new shape.
static bool dealDigits(SmallVector<Digit> digits, const Segment &segment,
                       ArrayRef<int64_t> to, Modes &modes) {
  auto next = digits.begin();
  for (unsigned d = segment.toLast; d-- > segment.toFirst;)
    for (int64_t missing = to[d]; missing > 1;) {
      if (next == digits.end())
        return false;
      if (missing % next->extent == 0) {
        modes.push_back({next->extent, int(d), next->stride});
        missing /= next++->extent;
        continue;
      }
      if (next->extent % missing)
        return false;
      modes.push_back({missing, int(d), next->stride});
      *next = {next->extent / missing, next->stride * missing};
      missing = 1;
    }
  return true;
}

OrRefusal<SharedLayout> mlir::tile::reshaped(const SharedLayout &layout,
                                             ArrayRef<int64_t> shape,
                                             unsigned elementBits) {
  if (layout.shape() == shape && layout.elementBits() == elementBits)
    return layout;
  SharedLayout plain =
      SharedLayout::rowMajor(layout.shape(), layout.elementBits());
  if (layout == plain)
    return SharedLayout::rowMajor(shape, elementBits);
  auto refuse = [&](const std::string &why) {
    return Refusal{"the layout of shape " + shapeText(layout.shape()) +
                   " has no form of shape " + shapeText(shape) + ": " + why};
  };
  if (layout.elementBits() != elementBits)
    return refuse("elements of another width are not in row-major order");
  SmallVector<Segment> found = segments(layout.shape(), shape);
  Modes modes;
  for (const Segment &segment : found) {
    if (segment.keptFrom >= 0) {
      for (const Mode &mode : layout.modes())
        if (mode.dim == segment.keptFrom)
          modes.push_back({mode.extent, segment.keptTo, mode.stride});
      continue;
    }
    SmallVector<Digit> digits;
    if (!collectDigits(layout, segment, digits) ||
        !dealDigits(digits, segment, shape, modes))
      return refuse("a dimension begins within a piece of memory");
  }
  SharedLayout result(shape, elementBits, modes, layout.swizzle());
  if (!result.verify())
    return refuse("elements would have no place");
  return result;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// The tile as `count` slices of `shape`, in a dimension of their own in front.
static OrRefusal<SharedLayout> asSlices(const SharedLayout &layout,
                                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> slices{product(layout.shape()) / product(shape)};
  slices.append(shape.begin(), shape.end());
  return reshaped(layout, slices, layout.elementBits());
}

/// Elements from one slice to the next; zero where they are not evenly apart.
static int64_t elementsApart(const SharedLayout &slices) {
  int64_t first = 0, reached = 0;
  for (const Mode &mode : slices.modes()) {
    if (mode.dim != 0 || mode.extent == 1)
      continue;
    if (first && mode.stride != reached)
      return 0;
    first = first ? first : mode.stride;
    reached = mode.stride * mode.extent;
  }
  return first;
}

static OrRefusal<SharedLayout> sliceOf(const SharedLayout &layout,
                                       ArrayRef<int64_t> shape) {
  OrRefusal<SharedLayout> slices = asSlices(layout, shape);
  if (!slices)
    return slices;
  int64_t apart = elementsApart(*slices) * layout.elementBits();
  if (slices->shape()[0] > 1 &&
      (apart <= 0 || apart % (8 * layout.alignment())))
    return Refusal{"slices of shape " + shapeText(shape) +
                   " begin at no multiple of " +
                   std::to_string(layout.alignment()) + " bytes"};
  Modes modes;
  for (const Mode &mode : slices->modes())
    if (mode.dim != 0)
      modes.push_back({mode.extent, mode.dim - 1, mode.stride});
  return SharedLayout(shape, layout.elementBits(), modes, layout.swizzle());
}

static OrRefusal<SharedLayout> tileOf(const SharedLayout &slice,
                                      ArrayRef<int64_t> shape) {
  auto refuse = [&] {
    return Refusal{"a tile of shape " + shapeText(shape) +
                   " has no slices of shape " + shapeText(slice.shape())};
  };
  unsigned leading = 0;
  while (leading < shape.size() &&
         product(shape.drop_front(leading)) > product(slice.shape()))
    ++leading;
  OrRefusal<SharedLayout> inner =
      reshaped(slice, shape.drop_front(leading), slice.elementBits());
  if (!inner)
    return refuse();
  Modes modes;
  for (const Mode &mode : inner->modes())
    modes.push_back({mode.extent, mode.dim + int(leading), mode.stride});
  int64_t bytes = llvm::alignTo(slice.sizeInBytes(), slice.alignment());
  int64_t stride = bytes * 8 / slice.elementBits();
  for (unsigned d = leading; d-- > 0;) {
    if (shape[d] > 1)
      modes.push_back({shape[d], int(d), stride});
    stride *= shape[d];
  }
  SharedLayout result(shape, slice.elementBits(), modes, slice.swizzle());
  if (!result.verify())
    return refuse();
  return result;
}

//===----------------------------------------------------------------------===//
// Columns of a tile
//===----------------------------------------------------------------------===//

/// Whether a tile of the one shape is columns of a tile of the other.
static bool areColumns(ArrayRef<int64_t> part, ArrayRef<int64_t> whole) {
  return part.size() == whole.size() && !part.empty() &&
         part.drop_back() == whole.drop_back() && part.back() < whole.back();
}

/// The digit of the last dimension that counts the groups of columns which lie
/// one behind the other, as the panels of matrix descriptors do; null where
/// there is none.
static const Mode *groupsOfColumns(const SharedLayout &layout) {
  const Mode *top = nullptr;
  int64_t below = 1;
  for (const Mode &mode : layout.modes()) {
    if (mode.dim == int(layout.rank()) - 1 && mode.extent > 1)
      top = &mode;
  }
  for (const Mode &mode : layout.modes())
    if (&mode != top)
      below += (mode.extent - 1) * mode.stride;
  return top && top->stride >= below ? top : nullptr;
}

/// The layout with `count` groups of columns, in place of those that it has;
/// without any there is one.
static OrRefusal<SharedLayout> withGroups(const SharedLayout &layout,
                                          const Mode *groups, int64_t stride,
                                          ArrayRef<int64_t> shape) {
  int64_t columns = layout.shape().back() / (groups ? groups->extent : 1);
  int64_t bits = stride * layout.elementBits();
  if (shape.back() % columns || bits % (8 * layout.alignment()))
    return Refusal{"columns of shape " + shapeText(shape) +
                   " are not whole groups of " + std::to_string(columns) +
                   " that begin at multiples of " +
                   std::to_string(layout.alignment()) + " bytes"};
  Modes modes;
  for (const Mode &mode : layout.modes())
    if (&mode != groups)
      modes.push_back(mode);
  if (int64_t count = shape.back() / columns; count > 1)
    modes.push_back({count, int(layout.rank()) - 1, stride});
  SharedLayout result(shape, layout.elementBits(), modes, layout.swizzle());
  if (auto valid = result.verify(); !valid)
    return Refusal{valid.reason()};
  return result;
}

static OrRefusal<SharedLayout> columnsOf(const SharedLayout &layout,
                                         ArrayRef<int64_t> shape) {
  const Mode *groups = groupsOfColumns(layout);
  if (!groups)
    return Refusal{"columns of the tile do not lie one behind the other"};
  return withGroups(layout, groups, groups->stride, shape);
}

static OrRefusal<SharedLayout> tileOfColumns(const SharedLayout &columns,
                                             ArrayRef<int64_t> shape) {
  if (const Mode *groups = groupsOfColumns(columns))
    return withGroups(columns, groups, groups->stride, shape);
  int64_t bytes = llvm::alignTo(columns.sizeInBytes(), columns.alignment());
  return withGroups(columns, nullptr, bytes * 8 / columns.elementBits(), shape);
}

OrRefusal<SharedLayout> mlir::tile::viewed(const SharedLayout &layout,
                                           ArrayRef<int64_t> shape,
                                           unsigned elementBits) {
  int64_t has = product(layout.shape()) * layout.elementBits();
  int64_t wants = product(shape) * elementBits;
  if (has == wants || layout.elementBits() != elementBits)
    return reshaped(layout, shape, elementBits);
  if (areColumns(shape, layout.shape()))
    return columnsOf(layout, shape);
  if (areColumns(layout.shape(), shape))
    return tileOfColumns(layout, shape);
  // Columns of a slice: through the slice.
  ArrayRef<int64_t> whole = layout.shape();
  if (shape.size() < whole.size() &&
      areColumns(shape, whole.take_back(shape.size()))) {
    auto slice = sliceOf(layout, whole.take_back(shape.size()));
    return slice ? columnsOf(*slice, shape) : slice;
  }
  if (whole.size() < shape.size() &&
      areColumns(whole, shape.take_back(whole.size()))) {
    auto slice = tileOfColumns(layout, shape.take_back(whole.size()));
    return slice ? tileOf(*slice, shape) : slice;
  }
  return has > wants ? sliceOf(layout, shape) : tileOf(layout, shape);
}

int64_t mlir::tile::sliceStride(const SharedLayout &layout,
                                ArrayRef<int64_t> shape) {
  return elementsApart(*asSlices(layout, shape)) * layout.elementBits() / 8;
}
