//===- Sparse.cpp - operands of which half are zeros ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Sparse matrix storage": A keeps two of four neighbours of a row
// (elements of 8 and 16 bits), or one of two (tf32). Four bits of metadata say
// which: two places of two bits, the smaller first; for tf32 0b0100 is the
// first element and 0b1110 the second. The words of metadata are spread over
// the lanes of the warps that have 16 rows of A each. Groups beyond the edge of
// a tensor have zeros everywhere, which add nothing wherever they stand.
//
//===----------------------------------------------------------------------===//
#include "MatrixMath.h"
#include <algorithm>

using namespace mlir::tile::lowered;
using llvm::ArrayRef;

namespace {
/// Four bits of metadata.
struct Nibble {
  unsigned lane, firstBit;
};
} // namespace

/// Where the metadata of group `group` of row `row` (of 16) is.
static Nibble nibbleOf(unsigned bits, unsigned selector, unsigned lanesOfStep,
                       unsigned row, unsigned group) {
  // Operands of 8 bits: lanes 4g and 4g + 1 have the first 32 columns of the
  // rows g and g + 8, lanes 4g + 2 and 4g + 3 the other 32.
  if (bits == 8)
    return {row % 8 * 4 + row / 8 + group / 8 * 2, group % 8 * 4};
  // Others: a lane has four groups of row g in its lower and of row g + 8 in
  // its upper half; the selector says which lanes of each four.
  return {row % 8 * 4 + selector * lanesOfStep + group / 4,
          row / 8 * 16 + group % 4 * 4};
}

std::string mlir::tile::lowered::expandSparse(MatrixType type, unsigned rows,
                                              unsigned k, unsigned selector,
                                              ArrayRef<uint32_t> metadata,
                                              ArrayRef<uint64_t> kept,
                                              std::vector<uint64_t> &whole) {
  unsigned bits = bitsOf(type), size = bits == 32 ? 2 : 4, half = size / 2;
  unsigned groups = k / size;
  unsigned lanesOfStep = bits == 8 ? 4 : groups / 4;
  if (selector >= 4 / lanesOfStep)
    return "expected a sparsity selector below " +
           std::to_string(4 / lanesOfStep) + ", got " +
           std::to_string(selector);
  whole.assign(size_t(rows) * k, 0);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned group = 0; group < groups; ++group) {
      Nibble at = nibbleOf(bits, selector, lanesOfStep, row % 16, group);
      unsigned places = metadata[row / 16 * 32 + at.lane] >> at.firstBit & 0xf;
      bool isPlace = size == 2 ? places == 0b0100 || places == 0b1110
                               : (places & 3) < places >> 2;
      const uint64_t *values = &kept[size_t(row) * (k / 2) + group * half];
      bool isZero = std::all_of(values, values + half,
                                [](uint64_t value) { return value == 0; });
      if (isZero)
        continue;
      if (!isPlace)
        return "expected metadata with the places of a group in increasing "
               "order, got " +
               std::to_string(places & 3) + " and " +
               std::to_string(places >> 2) + " for row " + std::to_string(row) +
               ", group " + std::to_string(group);
      for (unsigned n = 0; n < half; ++n) {
        unsigned place = places >> (2 * n) & 3;
        whole[size_t(row) * k + group * size +
              (size == 2 ? place / 2 : place)] = values[n];
      }
    }
  return "";
}
