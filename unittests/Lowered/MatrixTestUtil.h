//===- MatrixTestUtil.h - what tests of matrix instructions share -*- C++ -*-=//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated elements, and products of matrices by definition.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_UNITTESTS_LOWERED_MATRIXTESTUTIL_H
#define TILE_UNITTESTS_LOWERED_MATRIXTESTUTIL_H

#include "../../lib/Lowered/Matrix.h"
#include "tile/Layout/FragmentLayout.h"
#include <random>
#include <vector>

namespace matrixtest {
using namespace mlir::tile::lowered;

/// Elements of a row-major matrix, as bits.
struct Matrix {
  Matrix(MatrixType type, unsigned rows, unsigned columns)
      : type(type), rows(rows), columns(columns), bits(rows * columns) {}
  uint64_t &at(unsigned row, unsigned column) {
    return bits[row * columns + column];
  }
  double value(unsigned row, unsigned column) const {
    return toDouble(type, bits[row * columns + column]);
  }

  MatrixType type;
  unsigned rows, columns;
  std::vector<uint64_t> bits;
};

/// Small integers and halves of them, where the type has them: sums of products
/// are exact in every accumulator, so that results are compared bit by bit.
inline Matrix smallValues(MatrixType type, unsigned rows, unsigned columns,
                          std::mt19937 &engine) {
  Matrix result(type, rows, columns);
  for (uint64_t &bits : result.bits) {
    double value = double(engine() % 9);
    if (type == MatrixType::S4 || type == MatrixType::S8 ||
        type == MatrixType::S32)
      value -= 4;
    else if (type != MatrixType::U4 && type != MatrixType::U8)
      value = (value - 4) / 2;
    bits = fromDouble(type, value);
  }
  return result;
}

/// d = c + a * b; the factor in front of products is `sign`.
inline Matrix product(MatrixType type, const Matrix &a, const Matrix &b,
                      const Matrix *c, double sign = 1) {
  Matrix result(type, a.rows, b.columns);
  for (unsigned i = 0; i < a.rows; ++i)
    for (unsigned j = 0; j < b.columns; ++j) {
      double sum = c ? c->value(i, j) : 0;
      for (unsigned p = 0; p < a.columns; ++p)
        sum += sign * a.value(i, p) * b.value(p, j);
      result.at(i, j) = fromDouble(type, sum);
    }
  return result;
}

/// Puts the elements of a matrix into the registers that a layout of the
/// compiler names, `word(warp, lane, register)`; packed from the lowest bits.
template <typename Word>
void scatter(const mlir::tile::FragmentLayout &layout, Matrix &matrix,
             Word word) {
  using mlir::tile::Axis;
  unsigned bits = bitsOf(matrix.type), perWord = bits < 32 ? 32 / bits : 1;
  for (int64_t warp = 0; warp < layout.size(Axis::Warp); ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < layout.numRegisters(); ++i) {
        auto at = layout.coordinates({i, lane, warp, 0});
        word(warp, lane, i / perWord) |= matrix.at(at[0], at[1])
                                         << (i % perWord * bits);
      }
}

/// The converse.
template <typename Word>
Matrix gather(const mlir::tile::FragmentLayout &layout, MatrixType type,
              unsigned rows, unsigned columns, Word word) {
  using mlir::tile::Axis;
  Matrix result(type, rows, columns);
  unsigned bits = bitsOf(type), perWord = bits < 32 ? 32 / bits : 1;
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  for (int64_t warp = 0; warp < layout.size(Axis::Warp); ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < layout.numRegisters(); ++i) {
        auto at = layout.coordinates({i, lane, warp, 0});
        result.at(at[0], at[1]) =
            word(warp, lane, i / perWord) >> (i % perWord * bits) & mask;
      }
  return result;
}

} // namespace matrixtest
#endif // TILE_UNITTESTS_LOWERED_MATRIXTESTUTIL_H
