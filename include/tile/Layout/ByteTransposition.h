//===- ByteTransposition.h - 8-bit operands along m or n --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the registers of an 8-bit mma.sync come out of a buffer whose rows run
// along m or n. ldmatrix transposes 16-bit elements only, so it is given pairs
// of bytes, and these are taken apart afterwards:
//
//   1. ldmatrix.trans gives lane (g, t) = (lane / 4, lane % 4), for each matrix
//      of 8 rows, the pairs (2g, 2g + 1) of rows 2t and 2t + 1. The rows are
//      chosen so that two matrices hold k = 4t .. 4t + 3.
//   2. prmt collects the four k of one column: the even or the odd one of the
//      pair, so a register of column 2g or 2g + 1 of 16.
//   3. mma.sync wants columns g and g + 8 in lane g. Two shuffles exchange
//      them: in the first, lanes of g < 4 send even columns and the others odd
//      ones, in the second the other way round; every lane receives one of each
//      half of the 16 columns.
//
// Rows of a matrix are distinct modulo 8 (rows 2 and 3 of each group of four
// are swapped with 0 and 1 for t >= 2), so that swizzles and paddings made for
// eight consecutive rows avoid bank conflicts here, too.
//
// A test executes these steps with the PTX manual's definitions of the three
// instructions and compares with mmaSyncFragment.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_BYTETRANSPOSITION_H
#define TILE_LAYOUT_BYTETRANSPOSITION_H

#include "tile/Layout/MmaLayouts.h"

namespace mlir::tile {

struct ByteTransposition {
  /// Columns (m of A, n of B) that one ldmatrix.trans covers: those of one
  /// instruction of A, of two of B.
  static constexpr int64_t kColumns = 16;

  /// The lane in whose place `addressModes` are read: bit 3 (which of two
  /// matrices) flips in the upper half of the rows.
  static constexpr int64_t addressLane(int64_t lane) {
    return lane ^ (lane & 4) << 1;
  }
  /// Modes of the row (along `dimK`) whose address a lane passes, by
  /// addressLane, for an instruction of `k` (16 or 32).
  static Modes addressModes(int64_t k, int dimK) {
    return {{2, dimK, 1},
            {4, dimK, 4},
            {2, dimK, 2},
            k == 32 ? Mode{2, dimK, 16} : Mode{2, Mode::kReplicated, 0}};
  }

  /// Selector of prmt for what is sent in round 0 or 1, from the registers of
  /// matrices 2h and 2h + 1, where h is the half of k.
  static constexpr int64_t selector(int64_t lane, int64_t round) {
    int64_t g = lane / 4, t = lane % 4;
    return 0x6420 ^ (t >= 2 ? 0x4444 : 0) ^
           (((g >= 4) != (round == 1)) ? 0x1111 : 0);
  }
  /// The lane whose register a lane receives.
  static constexpr int64_t sender(int64_t lane, int64_t round) {
    int64_t g = lane / 4, t = lane % 4;
    return 4 * (g / 2 + 4 * (g % 2 ^ round)) + t;
  }
  /// Which half of the columns (g, or g + 8) the register of a round is.
  static constexpr int64_t half(int64_t lane, int64_t round) {
    return lane / 4 % 2 ^ round;
  }
};

/// Whether each warp of a grid has whole groups of 16 columns of an 8-bit
/// operand of an M x N gemm by instructions of `shape`.
inline bool transposesBytes(MmaOperand operand, MmaShape shape, WarpGrid warps,
                            int64_t m, int64_t n) {
  bool isA = operand == MmaOperand::A;
  int64_t columns = (isA ? warps.m : warps.n) * ByteTransposition::kColumns;
  return shape.m == 16 && (shape.k == 16 || shape.k == 32) &&
         (isA ? m : n) % columns == 0;
}

} // namespace mlir::tile
#endif // TILE_LAYOUT_BYTETRANSPOSITION_H
