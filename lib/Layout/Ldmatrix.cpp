//===- Ldmatrix.cpp - fragments that ldmatrix and stmatrix move -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes fragments made of 8x8 matrices and gives the address each lane
// passes. PTX ISA, "ldmatrix": lane l receives 32 bits of row l/4 at column
// 4*(l%4) bytes, or, transposed, 16-bit elements (2*(l%4) + e, l/4).
//
//===----------------------------------------------------------------------===//
#include "SharedDigits.h"
#include "tile/Layout/Descriptors.h"

using namespace mlir::tile;
using llvm::SmallVector;

OrRefusal<LdmatrixMatch>
mlir::tile::matchLdmatrix(const FragmentLayout &fragment,
                          const SharedLayout &shared) {
  int64_t bits = shared.elementBits();
  if (fragment.shape() != shared.shape())
    return Refusal{"expected a fragment and a buffer of one shape"};
  if (bits < 8 || bits > 32)
    return Refusal{"expected elements of 8, 16 or 32 bits, got " +
                   std::to_string(bits)};
  LdmatrixMatch match;
  match.packed = 32 / bits;
  if (fragment.numRegisters() % match.packed != 0)
    return Refusal{"expected whole 32-bit registers, got " +
                   std::to_string(fragment.numRegisters()) + " elements of " +
                   std::to_string(bits) + " bits"};

  // Lanes: 4 along the packed dimension, 8 across.
  FragmentLayout plain = fragment.canonicalized();
  const Modes &lanes = plain.modes(Axis::Lane);
  if (lanes.size() != 2 || lanes[0].extent != 4 || lanes[1].extent != 8 ||
      lanes[0].isReplication() || lanes[1].isReplication() ||
      lanes[0].dim == lanes[1].dim || lanes[0].stride != match.packed ||
      lanes[1].stride != 1)
    return Refusal{"expected lanes as 4 in steps of " +
                   std::to_string(match.packed) +
                   " along one dimension and 8 along another"};
  unsigned along = lanes[0].dim, across = lanes[1].dim;
  if (match.packed > 1 && fragment.vectorWidth(along) % match.packed != 0)
    return Refusal{"expected " + std::to_string(match.packed) +
                   " consecutive elements per register along dimension " +
                   std::to_string(along)};

  // Rows lie along the lanes that hold a row together, or across them when the
  // instruction transposes.
  int64_t chunk = 128 / bits;
  auto hasRows = [&](unsigned columnDim) {
    SmallVector<Mode> own = usedDigits(shared, columnDim);
    return !own.empty() && own.front().stride == 1;
  };
  match.transposed = !hasRows(along);
  match.columnDim = match.transposed ? across : along;
  match.rowDim = match.transposed ? along : across;
  if (!hasRows(match.columnDim))
    return Refusal{"expected rows along dimension " + std::to_string(along) +
                   " or " + std::to_string(across)};
  if (match.transposed && bits != 16)
    return Refusal{"ldmatrix transposes 16-bit elements only, got " +
                   std::to_string(bits) + " bits"};

  if (shared.shape()[match.rowDim] % 8 != 0 ||
      shared.shape()[match.columnDim] % chunk != 0)
    return Refusal{"expected a tile of whole matrices of 8x" +
                   std::to_string(chunk) + ", got " +
                   std::to_string(shared.shape()[match.rowDim]) + "x" +
                   std::to_string(shared.shape()[match.columnDim])};
  // Origins of matrices are what the other digits reach.
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    if (Axis(axis) == Axis::Lane)
      continue;
    int64_t seen = 1;
    for (const Mode &mode : fragment.modes(Axis(axis))) {
      bool inMatrix = Axis(axis) == Axis::Register && seen < match.packed;
      seen *= mode.extent;
      if (inMatrix && seen <= match.packed)
        continue;
      if (inMatrix && seen % match.packed != 0)
        return Refusal{"expected register modes that split at " +
                       std::to_string(match.packed) + " elements"};
      int64_t stride = mode.stride;
      if (inMatrix)
        stride *= match.packed / (seen / mode.extent);
      if (mode.extent == 1 || mode.isReplication())
        continue;
      int64_t unit = mode.dim == int(match.rowDim)      ? 8
                     : mode.dim == int(match.columnDim) ? chunk
                                                        : 1;
      if (stride % unit != 0)
        return Refusal{"expected matrices at multiples of " +
                       std::to_string(unit) + " along dimension " +
                       std::to_string(mode.dim) + ", got steps of " +
                       std::to_string(stride)};
    }
  }
  // Rows of 16 contiguous bytes at aligned addresses: the same question as for
  // a vector of that width.
  int64_t contiguous = shared.contiguousElements(match.columnDim);
  if (contiguous % chunk != 0)
    return Refusal{"expected rows of 16 contiguous bytes, got " +
                   std::to_string(contiguous * bits / 8)};
  for (unsigned dim = 0; dim < shared.rank(); ++dim)
    for (const Mode &mode : usedDigits(shared, dim))
      if (!(dim == match.columnDim && mode.stride == 1) &&
          mode.stride % chunk != 0)
        return Refusal{"expected rows aligned to 16 bytes, got a stride of " +
                       std::to_string(mode.stride * bits / 8) +
                       " along dimension " + std::to_string(dim)};
  match.matrices = fragment.numRegisters() / match.packed;
  return match;
}

int64_t mlir::tile::ldmatrixRowOffset(const FragmentLayout &fragment,
                                      const SharedLayout &shared,
                                      const LdmatrixMatch &match, int64_t first,
                                      int64_t count, int64_t lane, int64_t warp,
                                      int64_t block) {
  int64_t matrix = first + lane / 8 % count;
  SmallVector<int64_t> coords =
      fragment.coordinates({match.packed * matrix, 0, warp, block});
  coords[match.rowDim] += lane % 8;
  return shared.byteOffset(coords);
}
