//===- Descriptors.cpp - slices, TMA boxes, wgmma descriptors -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives what TMA and wgmma must be told about a region of a shared buffer.
// Candidates are read off the layout's digits and then checked against the
// layout itself, so a wrong guess can only become a refusal. Whether to use the
// instruction at all is copy selection's business.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/Descriptors.h"
#include "SharedDigits.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::tile;
using llvm::SmallVector;

static OrRefusal<bool> checkRegion(const SharedLayout &shared,
                                   const Region &region) {
  if (region.offsets.size() != shared.rank() ||
      region.sizes.size() != shared.rank())
    return Refusal{"expected a region of rank " +
                   std::to_string(shared.rank()) + ", got " +
                   std::to_string(region.offsets.size()) + " offsets and " +
                   std::to_string(region.sizes.size()) + " sizes"};
  for (unsigned dim = 0; dim < shared.rank(); ++dim) {
    int64_t offset = region.offsets[dim], size = region.sizes[dim];
    if (offset < 0 || size < 1 || offset > shared.shape()[dim] - size)
      return Refusal{"expected a non-empty region inside dimension " +
                     std::to_string(dim) + " of extent " +
                     std::to_string(shared.shape()[dim]) + ", got " +
                     std::to_string(size) + " elements from " +
                     std::to_string(offset)};
  }
  return true;
}

/// Linear offset of a value of one dimension.
static int64_t dimensionOffset(const SharedLayout &shared, unsigned dim,
                               int64_t value) {
  int64_t offset = 0;
  for (const Mode &mode : shared.modes()) {
    if (mode.dim != int(dim))
      continue;
    offset += value % mode.extent * mode.stride;
    value /= mode.extent;
  }
  return offset;
}

static std::string swizzleText(Swizzle swizzle) {
  return "(" + std::to_string(swizzle.bits) + ", " +
         std::to_string(swizzle.base) + ", " + std::to_string(swizzle.shift) +
         ")";
}

OrRefusal<SharedSlice> mlir::tile::sliceShared(const SharedLayout &shared,
                                               const Region &region) {
  if (OrRefusal<bool> ok = checkRegion(shared, region); !ok)
    return Refusal{ok.reason()};
  // Per dimension offset(start + c) must be offset(start) + offset(c): no carry
  // from digit to digit may depend on the start.
  for (unsigned dim = 0; dim < shared.rank(); ++dim) {
    int64_t start = region.offsets[dim];
    if (start == 0)
      continue;
    int64_t base = dimensionOffset(shared, dim, start);
    for (int64_t c = 0; c < region.sizes[dim]; ++c)
      if (dimensionOffset(shared, dim, start + c) !=
          base + dimensionOffset(shared, dim, c))
        return Refusal{"a slice of dimension " + std::to_string(dim) +
                       " from " + std::to_string(start) +
                       " crosses a digit of the layout after " +
                       std::to_string(c) + " elements"};
  }
  int64_t startBits =
      shared.linearOffset(region.offsets) * int64_t(shared.elementBits());
  if (startBits % 8 != 0)
    return Refusal{"the slice starts inside a byte"};
  if (shared.swizzle().bits != 0 && startBits / 8 % shared.alignment() != 0)
    return Refusal{"the slice starts at byte " + std::to_string(startBits / 8) +
                   ", inside a period of the swizzle (" +
                   std::to_string(shared.alignment()) + " bytes)"};
  return SharedSlice{SharedLayout(region.sizes, shared.elementBits(),
                                  shared.modes(), shared.swizzle()),
                     startBits / 8};
}

//===----------------------------------------------------------------------===//
// Swizzle modes
//===----------------------------------------------------------------------===//

int64_t mlir::tile::swizzleSpan(TmaSwizzle mode) {
  return int64_t(16) << unsigned(mode);
}

llvm::StringRef mlir::tile::stringify(TmaSwizzle mode) {
  switch (mode) {
  case TmaSwizzle::None:
    return "none";
  case TmaSwizzle::B32:
    return "32B";
  case TmaSwizzle::B64:
    return "64B";
  case TmaSwizzle::B128:
    return "128B";
  }
  return "unknown";
}

OrRefusal<TmaSwizzle> mlir::tile::tmaSwizzleMode(const SharedLayout &shared) {
  Swizzle swizzle = shared.swizzle();
  if (swizzle.bits == 0)
    return TmaSwizzle::None;
  if (swizzle.base != 4 || swizzle.shift != 3 || swizzle.bits > 3)
    return Refusal{"expected a swizzle of (1..3, 4, 3), got " +
                   swizzleText(swizzle)};
  return TmaSwizzle(swizzle.bits);
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

OrRefusal<TmaTiling> mlir::tile::tmaTiling(const SharedLayout &shared,
                                           const Region &region,
                                           unsigned innerDim) {
  constexpr int64_t kMaxBox = 256, kMaxRank = 5, kAlignment = 128;
  if (OrRefusal<bool> ok = checkRegion(shared, region); !ok)
    return Refusal{ok.reason()};
  OrRefusal<TmaSwizzle> mode = tmaSwizzleMode(shared);
  if (!mode)
    return Refusal{mode.reason()};
  unsigned rank = shared.rank();
  if (rank == 0 || rank > kMaxRank)
    return Refusal{"expected one to five dimensions, got " +
                   std::to_string(rank)};
  if (shared.elementBits() < 8)
    return Refusal{"expected elements of whole bytes, got " +
                   std::to_string(shared.elementBits()) + " bits"};
  int64_t elementBytes = shared.elementBits() / 8;

  // What varies inside the region: digits, those of one dimension fastest
  // first. A region may end inside a digit only if it does not leave that
  // digit.
  SmallVector<Mode> digits;
  SmallVector<bool> isFirstOfDim;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t offset = region.offsets[dim], left = region.sizes[dim];
    bool first = true;
    for (Mode mode : usedDigits(shared, dim)) {
      if (left == 1)
        break;
      if (offset % mode.extent + left > mode.extent &&
          (offset % mode.extent != 0 || left % mode.extent != 0))
        return Refusal{"the region of " + std::to_string(region.sizes[dim]) +
                       " elements from " + std::to_string(region.offsets[dim]) +
                       " of dimension " + std::to_string(dim) +
                       " does not fit the layout's digit of " +
                       std::to_string(mode.extent)};
      int64_t extent = std::min(left, mode.extent);
      digits.push_back({extent, int(dim), mode.stride});
      isFirstOfDim.push_back(first);
      first = false;
      left = ceilDiv(left, mode.extent);
      offset /= mode.extent;
    }
  }
  SmallVector<unsigned> byStride;
  for (unsigned i = 0; i < digits.size(); ++i)
    byStride.push_back(i);
  llvm::sort(byStride, [&](unsigned a, unsigned b) {
    return std::pair(digits[a].stride, a) < std::pair(digits[b].stride, b);
  });

  // A box is dense: grow it by digits whose stride is what it holds so far. All
  // other digits number the copies.
  TmaTiling tiling;
  tiling.swizzle = *mode;
  SmallVector<int64_t> box(rank, 1), copyStep(rank, 1);
  int64_t held = 1;
  for (unsigned i : byStride) {
    const Mode &digit = digits[i];
    if (!isFirstOfDim[i] || digit.stride != held)
      continue;
    if (held == 1 && digit.dim != int(innerDim))
      return Refusal{"expected dimension " + std::to_string(innerDim) +
                     " to be contiguous in the buffer, got dimension " +
                     std::to_string(digit.dim)};
    int64_t extent = digit.extent;
    while (extent > kMaxBox || digit.extent % extent != 0)
      --extent;
    box[digit.dim] = extent;
    tiling.order.push_back(digit.dim);
    held *= extent;
  }
  // Dimensions of box extent 1 follow, the innermost one first of all.
  if (!llvm::is_contained(tiling.order, innerDim))
    tiling.order.insert(tiling.order.begin(), innerDim);
  for (unsigned dim = rank; dim-- > 0;)
    if (!llvm::is_contained(tiling.order, dim))
      tiling.order.push_back(dim);
  for (unsigned dim : tiling.order)
    tiling.box.push_back(box[dim]);
  tiling.bytesPerCopy = held * elementBytes;

  int64_t innerBytes = box[innerDim] * elementBytes;
  if (innerBytes % 16 != 0)
    return Refusal{"expected an inner box of a multiple of 16 bytes, got " +
                   std::to_string(innerBytes)};
  if (*mode != TmaSwizzle::None && innerBytes != swizzleSpan(*mode))
    return Refusal{"expected an inner box of " +
                   std::to_string(swizzleSpan(*mode)) +
                   " bytes, as long as the swizzle's rows, got " +
                   std::to_string(innerBytes)};

  SmallVector<int64_t> coords(region.offsets);
  while (true) {
    int64_t bytes = shared.linearOffset(coords) * elementBytes;
    if (bytes % kAlignment != 0)
      return Refusal{"expected copies to start at multiples of 128 bytes, got "
                     "byte " +
                     std::to_string(bytes)};
    tiling.copies.push_back({coords, bytes});
    unsigned dim = rank;
    while (dim > 0) {
      coords[dim - 1] += box[dim - 1];
      if (coords[dim - 1] < region.offsets[dim - 1] + region.sizes[dim - 1])
        break;
      coords[dim - 1] = region.offsets[dim - 1];
      --dim;
    }
    if (dim == 0)
      return tiling;
  }
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// Start, leading and stride offset: what both generations have in common.
static uint64_t encodeOffsets(const WgmmaDescriptor &descriptor,
                              uint64_t sharedAddress) {
  auto field = [](uint64_t bytes) { return (bytes & 0x3FFFF) >> 4; };
  return field(sharedAddress + uint64_t(descriptor.startBytes)) |
         field(uint64_t(descriptor.leadingBytes)) << 16 |
         field(uint64_t(descriptor.strideBytes)) << 32;
}

uint64_t WgmmaDescriptor::encode(uint64_t sharedAddress) const {
  // The mode counts the other way round: 1 is 128 bytes, 2 is 64, 3 is 32.
  uint64_t mode = swizzle == TmaSwizzle::None ? 0 : 4 - uint64_t(swizzle);
  return encodeOffsets(*this, sharedAddress) | mode << 62;
}

uint64_t WgmmaDescriptor::encodeTcgen05(uint64_t sharedAddress) const {
  // 2 is 128 bytes, 4 is 64, 6 is 32; bits 46 to 48 are always 1.
  uint64_t mode = swizzle == TmaSwizzle::None ? 0 : 8 - 2 * uint64_t(swizzle);
  return encodeOffsets(*this, sharedAddress) | uint64_t(1) << 46 | mode << 61;
}

// The canonical layouts, in chunks of 16 bytes (T elements). K-major: 8 rows
// (mn) of a span, groups of 8 rows `stride` apart, the second chunk along k
// next to the first, or `leading` apart without swizzle. MN-major: rows (k) of
// a span along mn, spans `leading` apart, groups of 8 rows `stride` apart;
// without swizzle the two names are exchanged.
int64_t mlir::tile::wgmmaChunkOffset(const WgmmaDescriptor &descriptor,
                                     int64_t mn, int64_t k,
                                     unsigned elementBits) {
  int64_t perChunk = 128 / elementBits;
  int64_t span = swizzleSpan(descriptor.swizzle);
  bool plain = descriptor.swizzle == TmaSwizzle::None;
  int64_t offset = descriptor.startBytes;
  if (descriptor.major == Major::K)
    return offset + mn % 8 * span + mn / 8 * descriptor.strideBytes +
           k / perChunk * (plain ? descriptor.leadingBytes : 16);
  int64_t chunk = mn / perChunk, chunksPerSpan = span / 16;
  return offset + chunk % chunksPerSpan * 16 + k % 8 * span +
         chunk / chunksPerSpan *
             (plain ? descriptor.strideBytes : descriptor.leadingBytes) +
         k / 8 * (plain ? descriptor.leadingBytes : descriptor.strideBytes);
}

OrRefusal<WgmmaDescriptor>
mlir::tile::wgmmaDescriptor(const SharedLayout &shared, unsigned mnDim,
                            unsigned kDim, const Region &region,
                            bool bytesAlongMn, int64_t stepBits) {
  if (OrRefusal<bool> ok = checkRegion(shared, region); !ok)
    return Refusal{ok.reason()};
  if (mnDim >= shared.rank() || kDim >= shared.rank() || mnDim == kDim)
    return Refusal{"expected two dimensions of the buffer"};
  OrRefusal<TmaSwizzle> mode = tmaSwizzleMode(shared);
  if (!mode)
    return Refusal{mode.reason()};
  int64_t bits = shared.elementBits();
  int64_t mnExtent = region.sizes[mnDim], kExtent = region.sizes[kDim];
  for (unsigned dim = 0; dim < shared.rank(); ++dim)
    if (dim != mnDim && dim != kDim && region.sizes[dim] != 1)
      return Refusal{"expected extent 1 along dimension " +
                     std::to_string(dim) + ", got " +
                     std::to_string(region.sizes[dim])};
  if (bits < 8 || bits > 32 || kExtent * bits != stepBits)
    return Refusal{"expected " + std::to_string(stepBits) +
                   " bits along k, got " + std::to_string(kExtent) +
                   " elements of " + std::to_string(bits) + " bits"};
  if (mnExtent % 8 != 0 || mnExtent > 256)
    return Refusal{"expected a multiple of 8 up to 256 along the other "
                   "dimension, got " +
                   std::to_string(mnExtent)};

  // Bytes from the region's start to an element.
  int64_t start = shared.linearOffset(region.offsets) * bits / 8;
  auto bytesTo = [&](int64_t mn, int64_t k) {
    SmallVector<int64_t> coords(region.offsets);
    coords[mnDim] += mn;
    coords[kDim] += k;
    return shared.linearOffset(coords) * bits / 8 - start;
  };
  WgmmaDescriptor result;
  result.swizzle = *mode;
  result.startBytes = start;
  bool plain = *mode == TmaSwizzle::None;
  int64_t span = swizzleSpan(*mode), perChunk = 128 / bits;
  if (bytesTo(0, 1) == bits / 8) {
    result.major = Major::K;
    result.leadingBytes = plain ? bytesTo(0, perChunk) : 16;
    result.strideBytes = mnExtent > 8 ? bytesTo(8, 0) : 8 * span;
  } else if (bytesTo(1, 0) == bits / 8) {
    result.major = Major::MN;
    if (bits != 16 && !(bits == 8 && bytesAlongMn))
      return Refusal{"wgmma reads operands along m or n only in 16 bits, got " +
                     std::to_string(bits)};
    int64_t perSpan = span * 8 / bits;
    int64_t alongMn = mnExtent > perSpan ? bytesTo(perSpan, 0) : 8 * span;
    int64_t alongK = kExtent > 8 ? bytesTo(0, 8) : 8 * span;
    result.leadingBytes = plain ? alongK : alongMn;
    result.strideBytes = plain ? alongMn : alongK;
  } else {
    return Refusal{"expected one of the dimensions " + std::to_string(mnDim) +
                   " and " + std::to_string(kDim) + " to be contiguous"};
  }

  // The hardware takes the pattern from address bits 7 and up; a region that
  // starts in the middle of its period would need the base offset field.
  int64_t period = 8 * span;
  if (start % 16 != 0)
    return Refusal{"expected a start at a multiple of 16 bytes, got byte " +
                   std::to_string(start)};
  if (!plain && start % period >= 128)
    return Refusal{"the region starts at byte " + std::to_string(start) +
                   ", inside a period of the swizzle (" +
                   std::to_string(period) + " bytes)"};
  for (int64_t bytes : {result.leadingBytes, result.strideBytes})
    if (bytes < 0 || bytes % 16 != 0 || bytes >= 1 << 18)
      return Refusal{"expected offsets of a multiple of 16 bytes below 2^18, "
                     "got " +
                     std::to_string(bytes)};
  // Both sides are a sum of a function of mn and one of k, so elements along
  // the two axes stand for all.
  auto check = [&](int64_t mn, int64_t k) -> OrRefusal<bool> {
    int64_t inChunk = (result.major == Major::K ? k : mn) % perChunk * bits / 8;
    int64_t read = wgmmaChunkOffset(result, mn, k, bits) + inChunk;
    if (read == start + bytesTo(mn, k))
      return true;
    return Refusal{"element (" + std::to_string(mn) + ", " + std::to_string(k) +
                   ") of the operand lies at byte " +
                   std::to_string(start + bytesTo(mn, k)) +
                   ", wgmma would read it at " + std::to_string(read)};
  };
  for (int64_t k = 0; k < kExtent; ++k)
    if (OrRefusal<bool> ok = check(0, k); !ok)
      return Refusal{ok.reason()};
  for (int64_t mn = 1; mn < mnExtent; ++mn)
    if (OrRefusal<bool> ok = check(mn, 0); !ok)
      return Refusal{ok.reason()};
  return result;
}
