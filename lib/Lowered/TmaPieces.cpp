//===- TmaPieces.cpp - bytes that TMA instructions move -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy is a number of rows: of a box, of pixels, or of a matrix by index.
// Shared memory holds them one after another, each 16 bytes of them where the
// swizzle puts it. After the PTX ISA ("Tensors": tiled mode, im2col mode,
// swizzling modes) and, where that is silent, what hardware has been seen to do
// (docs/Rationale/Convolution.md).
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>

using namespace mlir::tile::lowered;

namespace {
constexpr uint32_t kGranule = 16, kSharedAlignment = 128;

/// Appends rows to the list of pieces.
class RowWriter {
public:
  RowWriter(const TensorMapFields &map, uint32_t elements, int64_t column,
            uint32_t shared, llvm::SmallVectorImpl<TmaPiece> &pieces)
      : bytes(elements * map.elementBytes), shared(shared),
        mask((1u << map.swizzle) - 1), pieces(pieces) {
    // What of a row lies inside of the tensor, in bytes from the row's start.
    int64_t first = std::clamp<int64_t>(-column, 0, elements);
    int64_t last =
        std::clamp<int64_t>(int64_t(map.dims[0]) - column, first, elements);
    begin = uint32_t(first) * map.elementBytes;
    end = uint32_t(last) * map.elementBytes;
    start = map.address + uint64_t(column) * map.elementBytes;
  }

  /// The next row of shared memory; `inside`: whether the tensor has the row,
  /// `offset`: bytes from the tensor's start to it.
  void row(bool inside, uint64_t offset) {
    uint32_t from = inside ? begin : 0, to = inside ? end : 0;
    for (uint32_t at = 0; at < bytes; at += kGranule)
      granule(at, from, to, start + offset);
    shared += bytes;
  }

private:
  /// Swizzle<bits, 4, 3> of an address: 16-byte units change places by the
  /// number of the 128 bytes they lie in.
  uint32_t swizzled(uint32_t address) const {
    return address ^ ((address >> 7 & mask) << 4);
  }

  void granule(uint32_t at, uint32_t from, uint32_t to, uint64_t row) {
    uint32_t place = swizzled(shared + at), next = at + kGranule;
    auto piece = [&](uint32_t first, uint32_t last, bool inside) {
      if (first < last)
        pieces.push_back({inside ? row + first : 0, place + (first - at),
                          last - first, inside});
    };
    uint32_t inner = std::clamp(from, at, next);
    uint32_t outer = std::clamp(to, inner, next);
    piece(at, inner, false);
    piece(inner, outer, true);
    piece(outer, next, false);
  }

  uint32_t bytes, shared, mask;
  uint32_t begin, end;
  uint64_t start;
  llvm::SmallVectorImpl<TmaPiece> &pieces;
};
} // namespace

static std::string expected(const llvm::Twine &rule, int64_t got) {
  return ("expected " + rule + ", got " + llvm::Twine(got)).str();
}

static unsigned innerElements(const TensorMapFields &map) {
  return map.isIm2col ? map.channels : map.box[0];
}

static bool isByRows(TmaMode mode) {
  return mode == TmaMode::Gather4 || mode == TmaMode::Scatter4;
}

/// Elements of a tiled box along a dimension.
static unsigned boxCount(const TensorMapFields &map, unsigned dim) {
  unsigned step = map.elementStrides[dim];
  return (map.box[dim] + step - 1) / step;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static std::string checkMode(const TensorMapFields &map, TmaMode mode) {
  if ((mode == TmaMode::Im2col) != map.isIm2col)
    return map.isIm2col
               ? "expected a map of cuTensorMapEncodeTiled, got an im2col one"
               : "expected a map of cuTensorMapEncodeIm2col, got a tiled one";
  if (!isByRows(mode))
    return "";
  if (map.rank != 2)
    return expected("a tensor of 2 dimensions for four rows by index",
                    map.rank);
  if (map.box[1] != 1)
    return expected("a box of one row for four rows by index", map.box[1]);
  return "";
}

static std::string checkOperands(const TensorMapFields &map, TmaMode mode,
                                 llvm::ArrayRef<int32_t> coordinates,
                                 llvm::ArrayRef<uint16_t> offsets) {
  unsigned count = isByRows(mode) ? 5 : map.rank;
  if (coordinates.size() != count)
    return expected(llvm::Twine(count) + " coordinates",
                    int64_t(coordinates.size()));
  // The PTX ISA does not say so; an H200 reports an illegal instruction.
  int64_t start = int64_t(coordinates[0]) * map.elementBytes;
  if (start % kGranule != 0)
    return expected("a box that starts at a multiple of 16 bytes of a row",
                    start);
  unsigned numOffsets = mode == TmaMode::Im2col ? map.rank - 2 : 0;
  if (!offsets.empty() && offsets.size() != numOffsets)
    return expected(llvm::Twine(numOffsets) + " offsets",
                    int64_t(offsets.size()));
  constexpr unsigned kBits[] = {16, 8, 5};
  for (uint16_t offset : offsets)
    if (unsigned bits = kBits[map.rank - 3]; offset >> bits)
      return expected("im2col offsets of " + llvm::Twine(bits) +
                          " bits for a tensor of " + llvm::Twine(map.rank) +
                          " dimensions",
                      offset);
  return "";
}

/// The PTX ISA does not say so, NVIDIA's CUDA C++ Programming Guide does; an
/// H200 reports an illegal instruction, also where the tensor has nothing of
/// the box. Of scatter4's rows nobody says that they may be negative.
std::string mlir::tile::lowered::checkStoreCoordinates(
    TmaMode mode, llvm::ArrayRef<int32_t> coordinates) {
  for (int32_t at : coordinates)
    if (at < 0)
      return expected(isByRows(mode)
                          ? "a column and rows that are not negative in a store"
                          : "a box that begins inside of the tensor or behind "
                            "it in a store",
                      at);
  return "";
}

static std::string checkShared(const TensorMapFields &map, uint32_t shared) {
  if (shared % kSharedAlignment != 0)
    return expected("a shared address that is a multiple of 128 bytes, off by",
                    shared % kSharedAlignment);
  if (map.interleave != 0)
    return "copies of interleaved tensors are not modelled";
  uint32_t span = kGranule << map.swizzle;
  uint32_t bytes = innerElements(map) * map.elementBytes;
  if (map.swizzle != 0 && bytes != span)
    return expected("an inner box of the " + llvm::Twine(span) +
                        " bytes of the swizzle: where shorter rows lie is not "
                        "modelled",
                    bytes);
  return "";
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

/// The rows of a box, the first of the outer dimensions fastest.
static void tileRows(const TensorMapFields &map,
                     llvm::ArrayRef<int32_t> coordinates, RowWriter &writer) {
  unsigned index[5] = {};
  while (true) {
    bool inside = true;
    uint64_t offset = 0;
    for (unsigned i = 1; i < map.rank; ++i) {
      int64_t at =
          int64_t(coordinates[i]) + int64_t(index[i]) * map.elementStrides[i];
      inside &= at >= 0 && uint64_t(at) < map.dims[i];
      offset += uint64_t(at) * map.strides[i - 1];
    }
    writer.row(inside, offset);
    unsigned dim = 1;
    while (dim < map.rank && ++index[dim] == boxCount(map, dim))
      index[dim++] = 0;
    if (dim >= map.rank)
      return;
  }
}

/// Pixels from the one at the coordinates on, through the box between the
/// corners in steps of the element strides, then through those of the next
/// images. Offsets move what is read, not the box.
static void im2colRows(const TensorMapFields &map,
                       llvm::ArrayRef<int32_t> coordinates,
                       llvm::ArrayRef<uint16_t> offsets, RowWriter &writer) {
  unsigned last = map.rank - 1;
  int64_t at[5];
  std::copy(coordinates.begin(), coordinates.end(), at);
  for (unsigned pixel = 0; pixel < map.pixels; ++pixel) {
    bool inside = true;
    uint64_t offset = 0;
    for (unsigned i = 1; i <= last; ++i) {
      int64_t place = at[i];
      if (i < last && !offsets.empty())
        place += offsets[i - 1];
      inside &= place >= 0 && uint64_t(place) < map.dims[i];
      offset += uint64_t(place) * map.strides[i - 1];
    }
    writer.row(inside, offset);
    unsigned dim = 1;
    for (; dim < last; ++dim) {
      at[dim] += map.elementStrides[dim];
      if (at[dim] < int64_t(map.dims[dim]) + map.upper[dim - 1])
        break;
      at[dim] = map.lower[dim - 1];
    }
    if (dim == last)
      at[last] += map.elementStrides[last];
  }
}

std::string mlir::tile::lowered::tmaPieces(
    const TensorMapFields &map, TmaMode mode,
    llvm::ArrayRef<int32_t> coordinates, llvm::ArrayRef<uint16_t> offsets,
    uint32_t shared, llvm::SmallVectorImpl<TmaPiece> &pieces) {
  pieces.clear();
  if (std::string why = checkMode(map, mode); !why.empty())
    return why;
  if (std::string why = checkOperands(map, mode, coordinates, offsets);
      !why.empty())
    return why;
  if (std::string why = checkShared(map, shared); !why.empty())
    return why;
  pieces.reserve(tmaBytes(map, mode) / kGranule);
  RowWriter writer(map, innerElements(map), coordinates[0], shared, pieces);
  if (mode == TmaMode::Tile)
    tileRows(map, coordinates, writer);
  else if (mode == TmaMode::Im2col)
    im2colRows(map, coordinates, offsets, writer);
  else
    for (int32_t row : coordinates.drop_front())
      writer.row(row >= 0 && uint64_t(row) < map.dims[1],
                 uint64_t(int64_t(row)) * map.strides[0]);
  return "";
}

uint32_t mlir::tile::lowered::tmaBytes(const TensorMapFields &map,
                                       TmaMode mode) {
  uint32_t bytes = innerElements(map) * map.elementBytes;
  if (isByRows(mode))
    return 4 * bytes;
  if (mode == TmaMode::Im2col)
    return map.pixels * bytes;
  for (unsigned i = 1; i < map.rank; ++i)
    bytes *= boxCount(map, i);
  return bytes;
}

std::string mlir::tile::lowered::checkBulkCopy(uint64_t target, uint64_t source,
                                               uint32_t bytes) {
  if (bytes % 16 != 0)
    return expected("a bulk copy of a multiple of 16 bytes", bytes);
  if (target % 16 != 0)
    return expected("a bulk copy's target at a multiple of 16 bytes, off by",
                    int64_t(target % 16));
  if (source % 16 != 0)
    return expected("a bulk copy's source at a multiple of 16 bytes, off by",
                    int64_t(source % 16));
  return "";
}
