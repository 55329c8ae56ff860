//===- SharedLayout.cpp - where an element of a buffer lies ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses, sizes and contiguity of shared-memory layouts, and the usual ways
// to build one. Bank conflicts are in BankConflicts.cpp, hardware descriptors
// in Descriptors.cpp.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/SharedLayout.h"
#include "SharedDigits.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <tuple>

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Calls `visit` with every coordinate of the shape, last dimension fastest.
template <typename Fn>
static void forEachCoordinate(ArrayRef<int64_t> shape, Fn visit) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  SmallVector<int64_t> coords(shape.size(), 0);
  while (true) {
    visit(coords);
    size_t dim = shape.size();
    while (dim > 0 && ++coords[dim - 1] == shape[dim - 1])
      coords[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// Largest linear offset of an in-bounds element. Per dimension the maximum is
/// either the last coordinate itself or shares a prefix of its digits, has the
/// next one lowered by one and all faster ones at their maximum.
static int64_t largestOffset(ArrayRef<int64_t> shape, const Modes &modes) {
  int64_t total = 0;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    SmallVector<Mode> digits;
    for (const Mode &mode : modes)
      if (mode.dim == int(dim))
        digits.push_back(mode);
    SmallVector<int64_t> last;
    int64_t rest = extent - 1;
    for (auto [position, mode] : llvm::enumerate(digits)) {
      bool isTop = position + 1 == digits.size();
      last.push_back(isTop ? rest : rest % mode.extent);
      rest /= mode.extent;
    }
    int64_t exact = 0;
    for (auto [mode, digit] : llvm::zip(digits, last))
      exact += digit * mode.stride;
    int64_t best = exact, prefix = 0;
    for (size_t lowered = digits.size(); lowered-- > 0;) {
      if (last[lowered] > 0) {
        int64_t candidate =
            prefix + (last[lowered] - 1) * digits[lowered].stride;
        for (size_t faster = 0; faster < lowered; ++faster)
          candidate += (digits[faster].extent - 1) * digits[faster].stride;
        best = std::max(best, candidate);
      }
      prefix += last[lowered] * digits[lowered].stride;
    }
    total += best;
  }
  return total;
}

SharedLayout::SharedLayout(ArrayRef<int64_t> shape, unsigned elementBits,
                           Modes modes, Swizzle swizzle)
    : logicalShape(shape), bitsPerElement(elementBits),
      digits(std::move(modes)), xorSwizzle(swizzle) {}

OrRefusal<bool> SharedLayout::verify() const {
  if (!isPowerOfTwo(bitsPerElement) || bitsPerElement > 128)
    return Refusal{"expected an element width that is a power of two up to "
                   "128 bits, got " +
                   std::to_string(bitsPerElement)};
  SmallVector<int64_t> covered(rank(), 1);
  int64_t reach = 0;
  for (auto [position, mode] : llvm::enumerate(digits)) {
    std::string name = "mode " + std::to_string(position);
    if (mode.extent < 1)
      return Refusal{"expected a positive extent in " + name + ", got " +
                     std::to_string(mode.extent)};
    if (mode.dim < 0 || mode.dim >= int(rank()))
      return Refusal{"expected a dimension below " + std::to_string(rank()) +
                     " in " + name + ", got " + std::to_string(mode.dim)};
    if (mode.stride < 0)
      return Refusal{"expected a non-negative stride in " + name + ", got " +
                     std::to_string(mode.stride)};
    std::optional<int64_t> product = checkedMul(covered[mode.dim], mode.extent);
    std::optional<int64_t> extentTimesStride =
        checkedMul(mode.extent, mode.stride);
    std::optional<int64_t> sum = extentTimesStride
                                     ? checkedAdd(reach, *extentTimesStride)
                                     : std::nullopt;
    if (!product || !sum || !checkedMul(*sum, bitsPerElement))
      return Refusal{"offsets reached by " + name + " overflow 64 bits"};
    covered[mode.dim] = *product;
    reach = *sum;
  }
  for (auto [dim, extent] : llvm::enumerate(logicalShape)) {
    if (extent < 0)
      return Refusal{"expected a non-negative extent of dimension " +
                     std::to_string(dim) + ", got " + std::to_string(extent)};
    if (covered[dim] < extent)
      return Refusal{"expected the modes of dimension " + std::to_string(dim) +
                     " to cover its extent " + std::to_string(extent) +
                     ", got " + std::to_string(covered[dim])};
  }
  if (ceilDiv(reach * bitsPerElement, 8) > kMaxSharedExtent)
    return Refusal{"expected at most " + std::to_string(kMaxSharedExtent) +
                   " bytes, got offsets up to " +
                   std::to_string(ceilDiv(reach * bitsPerElement, 8))};
  int64_t elements = 1;
  for (int64_t extent : logicalShape) {
    if (extent > kMaxSharedExtent || elements * extent > kMaxSharedExtent)
      return Refusal{"expected at most " + std::to_string(kMaxSharedExtent) +
                     " elements"};
    elements *= extent;
  }
  if (xorSwizzle.bits != 0) {
    if (xorSwizzle.shift < 1)
      return Refusal{"expected a swizzle shift of at least 1, got 0"};
    if (xorSwizzle.bits + xorSwizzle.base + xorSwizzle.shift > 30)
      return Refusal{"expected swizzle bits below 30, got (" +
                     std::to_string(xorSwizzle.bits) + ", " +
                     std::to_string(xorSwizzle.base) + ", " +
                     std::to_string(xorSwizzle.shift) + ")"};
    if (bitsPerElement > 8u << xorSwizzle.base)
      return Refusal{"swizzle base " + std::to_string(xorSwizzle.base) +
                     " would split elements of " +
                     std::to_string(bitsPerElement) + " bits"};
  }
  return true;
}

int64_t SharedLayout::linearOffset(ArrayRef<int64_t> coords) const {
  assert(coords.size() == rank() && "expected one coordinate per dimension");
  SmallVector<int64_t> rest(coords);
  int64_t offset = 0;
  for (const Mode &mode : digits) {
    int64_t &left = rest[mode.dim];
    offset += left % mode.extent * mode.stride;
    left /= mode.extent;
  }
  return offset;
}

int64_t SharedLayout::byteOffset(ArrayRef<int64_t> coords) const {
  return xorSwizzle.apply(linearOffset(coords) * bitsPerElement / 8);
}

int64_t SharedLayout::sizeInBytes() const {
  if (llvm::is_contained(logicalShape, 0))
    return 0;
  // Padding counts in full: the last row is as long as the others.
  int64_t elements = largestOffset(logicalShape, digits) + 1;
  for (unsigned dim = 0; dim < rank(); ++dim)
    for (const Mode &mode : usedDigits(*this, dim))
      elements = std::max(elements, mode.extent * mode.stride);
  int64_t bytes = ceilDiv(elements * bitsPerElement, 8);
  if (xorSwizzle.bits == 0)
    return bytes;
  // The XOR permutes whole blocks of 2^(base+bits) bytes.
  int64_t block = int64_t(1) << (xorSwizzle.base + xorSwizzle.bits);
  return ceilDiv(bytes, block) * block;
}

int64_t SharedLayout::alignment() const {
  if (xorSwizzle.bits == 0)
    return 16;
  return std::max<int64_t>(
      16, int64_t(1) << (xorSwizzle.base + xorSwizzle.shift + xorSwizzle.bits));
}

bool SharedLayout::isInjective() const {
  // The swizzle permutes addresses, so linear offsets decide. Disjoint digits
  // are the common case; otherwise count.
  SmallVector<Mode> used;
  for (unsigned dim = 0; dim < rank(); ++dim) {
    if (logicalShape[dim] == 0)
      return true;
    llvm::append_range(used, usedDigits(*this, dim));
  }
  llvm::sort(used, [](const Mode &a, const Mode &b) {
    return std::tie(a.stride, a.extent) < std::tie(b.stride, b.extent);
  });
  int64_t reach = 0;
  bool disjoint = true;
  for (const Mode &mode : used) {
    disjoint &= mode.stride > reach;
    reach += (mode.extent - 1) * mode.stride;
  }
  if (disjoint)
    return true;
  // More elements than offsets cannot be injective; this also bounds the set.
  std::optional<int64_t> elements = 1;
  for (int64_t extent : logicalShape)
    elements = elements ? checkedMul(*elements, extent) : elements;
  if (!elements || *elements > reach + 1)
    return false;
  std::vector<int64_t> offsets;
  offsets.reserve(*elements);
  forEachCoordinate(logicalShape, [&](ArrayRef<int64_t> coords) {
    offsets.push_back(linearOffset(coords));
  });
  llvm::sort(offsets);
  return llvm::adjacent_find(offsets) == offsets.end();
}

int64_t SharedLayout::contiguousElements(unsigned dim) const {
  int64_t extent = logicalShape[dim];
  SmallVector<Mode> own = usedDigits(*this, dim);
  if (extent <= 1)
    return 1;
  if (own.empty() || own.front().stride != 1)
    return 1;
  int64_t run = std::min(own.front().extent, extent);
  if (xorSwizzle.bits == 0)
    return run;

  // The XOR keeps blocks of 2^(base+z) bytes together, z being the number of
  // low swizzle bits that are never flipped within this tile.
  SmallVector<Mode> all;
  for (unsigned d = 0; d < rank(); ++d)
    for (const Mode &mode : usedDigits(*this, d))
      all.push_back(mode);
  llvm::sort(all, [](const Mode &a, const Mode &b) {
    return a.stride < b.stride || (a.stride == b.stride && a.extent < b.extent);
  });
  // With digits in disjoint bit fields, the OR of all addresses is the OR over
  // digits; otherwise enumerate.
  bool disjointBits = true;
  int64_t usedBits = 0;
  for (const Mode &mode : all) {
    int64_t field =
        mode.stride * ((int64_t(1) << llvm::Log2_64_Ceil(mode.extent)) - 1);
    disjointBits &= isPowerOfTwo(mode.stride) && (usedBits & field) == 0;
    usedBits |= field;
  }
  int64_t flipped = 0;
  int64_t mask = ((int64_t(1) << xorSwizzle.bits) - 1) << xorSwizzle.base;
  auto addAddress = [&](int64_t offset) {
    flipped |= (offset * bitsPerElement / 8 >> xorSwizzle.shift) & mask;
  };
  if (disjointBits)
    addAddress(usedBits);
  else
    forEachCoordinate(logicalShape, [&](ArrayRef<int64_t> coords) {
      addAddress(linearOffset(coords));
    });
  if (flipped == 0)
    return run;
  int64_t blockElements =
      (int64_t(8) << llvm::countr_zero(uint64_t(flipped))) / bitsPerElement;
  // A run that is the whole dimension needs one aligned block; shorter runs
  // start at their multiples. Every other digit must keep them in place.
  for (const Mode &mode : all)
    if (mode != own.front())
      blockElements = std::gcd(blockElements, mode.stride);
  if (run == extent && extent <= blockElements)
    return run;
  return run == extent ? blockElements : std::gcd(run, blockElements);
}

int64_t SharedLayout::alignedElements(unsigned dim, unsigned maxBits) const {
  int64_t contiguous = contiguousElements(dim);
  auto startsAligned = [&](int64_t count) {
    if (contiguous % count)
      return false;
    for (unsigned other = 0; other < rank(); ++other)
      for (const Mode &mode : usedDigits(*this, other)) {
        bool isRun = other == dim && mode.stride == 1;
        if (!isRun && mode.stride % count)
          return false;
      }
    return true;
  };
  int64_t limit = std::min<int64_t>(maxBits, alignment() * 8) / bitsPerElement;
  int64_t best = 1;
  while (best * 2 <= limit && startsAligned(best * 2))
    best *= 2;
  return best;
}

SharedLayout SharedLayout::rowMajor(ArrayRef<int64_t> shape,
                                    unsigned elementBits, int64_t padElements) {
  Modes modes;
  int64_t stride = 1;
  for (unsigned dim = shape.size(); dim-- > 0;) {
    modes.push_back({std::max<int64_t>(shape[dim], 1), int(dim), stride});
    stride *= std::max<int64_t>(shape[dim], 1);
    if (dim + 1 == shape.size())
      stride += padElements;
  }
  return SharedLayout(shape, elementBits, modes);
}

SharedLayout SharedLayout::swizzled(ArrayRef<int64_t> shape,
                                    unsigned elementBits, bool panels) {
  constexpr int64_t kPanelBytes = 128, kAccessBytes = 16;
  unsigned rank = shape.size();
  int64_t rows = 1;
  for (int64_t extent : shape.drop_back(rank ? 1 : 0))
    rows *= extent;
  if (rank < 2 || rows <= 1 || shape.back() < 1 ||
      shape.back() * elementBits % 8 != 0)
    return rowMajor(shape, elementBits);
  int64_t rowBytes = shape.back() * elementBits / 8;

  if (panels && rowBytes % 32 == 0) {
    // The widest TMA swizzle whose span divides the row.
    int64_t width = std::gcd(rowBytes, kPanelBytes);
    int64_t columns = width * 8 / elementBits, count = rowBytes / width;
    int64_t panelRows = shape[rank - 2];
    Modes modes = {{columns, int(rank) - 1, 1},
                   {panelRows, int(rank) - 2, columns}};
    int64_t stride = columns * panelRows;
    if (count > 1)
      modes.push_back({count, int(rank) - 1, stride});
    stride *= count;
    for (unsigned dim = rank - 2; dim-- > 0;) {
      modes.push_back({shape[dim], int(dim), stride});
      stride *= shape[dim];
    }
    return SharedLayout(shape, elementBits, modes,
                        Swizzle{log2Floor(width) - 4, 4, 3});
  }

  if (isPowerOfTwo(rowBytes) && rowBytes >= 32) {
    // 16-byte chunks of a row are permuted by the row number, or by the number
    // of the 128-byte line when several rows share one.
    Swizzle swizzle{std::min(log2Floor(rowBytes) - 4, 3u), 4,
                    std::max(log2Floor(rowBytes), 7u) - 4};
    SharedLayout plain = rowMajor(shape, elementBits);
    return SharedLayout(shape, elementBits, plain.modes(), swizzle);
  }

  // An odd number of 16-byte chunks per row visits all bank groups.
  if (rowBytes <= kAccessBytes)
    return rowMajor(shape, elementBits);
  int64_t paddedBytes = ceilDiv(rowBytes, kAccessBytes) * kAccessBytes;
  if (paddedBytes / kAccessBytes % 2 == 0)
    paddedBytes += kAccessBytes;
  return rowMajor(shape, elementBits,
                  (paddedBytes - rowBytes) * 8 / elementBits);
}

SharedLayout SharedLayout::inBoxes(ArrayRef<int64_t> shape,
                                   unsigned elementBits, int64_t parts) {
  constexpr int64_t kChunkBytes = 16, kLeastBytes = 64, kMaxBox = 256;
  constexpr int64_t kAlignment = 128; // of what a box is copied from
  SharedLayout spans = swizzled(shape, elementBits, /*panels=*/true);
  int64_t rows = shape[0], columns = shape[1];
  int64_t rowBytes = columns * elementBits / 8;
  if (columns * elementBits % 8 != 0 || rowBytes % kLeastBytes == 0)
    return spans;
  for (int64_t count = parts; count <= columns; count += parts) {
    int64_t bytes = rowBytes / count;
    if (columns % count != 0 || columns / count > kMaxBox ||
        bytes * count != rowBytes || bytes / kChunkBytes % 2 == 0 ||
        bytes % kChunkBytes != 0 || rows * bytes % kAlignment != 0)
      continue;
    if (bytes < kLeastBytes)
      break;
    int64_t width = columns / count;
    return SharedLayout(
        shape, elementBits,
        {{width, 1, 1}, {rows, 0, width}, {count, 1, width * rows}}, Swizzle());
  }
  return spans;
}
