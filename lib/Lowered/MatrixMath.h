//===- MatrixMath.h - what all matrix instructions compute with -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as doubles, the product of matrices of them, and where matrices lie
// that descriptors name. A double holds each
// element exactly, each product of two elements up to 24 bits wide, and every
// sum of integers that an instruction forms; therefore there is one arithmetic
// for all types. Private to lib/Lowered.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_MATRIXMATH_H
#define TILE_LIB_LOWERED_MATRIXMATH_H

#include "Matrix.h"

namespace mlir::tile::lowered {

/// A type by its name in PTX, without the dot.
std::optional<MatrixType> parseMatrixType(llvm::StringRef name);
/// `m16n8k16`, whole.
bool parseMatrixShape(llvm::StringRef name, unsigned &m, unsigned &n,
                      unsigned &k);
inline bool isInteger(MatrixType type) {
  return type == MatrixType::S8 || type == MatrixType::U8 ||
         type == MatrixType::S4 || type == MatrixType::U4 ||
         type == MatrixType::S32 || type == MatrixType::B1;
}

/// The values of elements, negated where the instruction says so.
void toDoubles(MatrixType type, llvm::ArrayRef<uint64_t> bits, bool negated,
               double *values);
/// Bits of accumulators. `saturate`: an S32 stops at its limits.
void fromDoubles(MatrixType type, llvm::ArrayRef<double> values, bool saturate,
                 uint64_t *bits);

/// c += a * b; row-major, a: m x k, b: k x n, c: m x n.
void multiplyAdd(unsigned m, unsigned n, unsigned k, const double *a,
                 const double *b, double *c);
/// The same in the way of F64: each product is added with one rounding.
void fusedMultiplyAdd(unsigned m, unsigned n, unsigned k, const double *a,
                      const double *b, double *c);

//===----------------------------------------------------------------------===//
// Operands in shared memory
//===----------------------------------------------------------------------===//

/// A matrix as a descriptor of wgmma or tcgen05 says: chunks of 16 bytes in one
/// of the canonical layouts (PTX ISA, "Canonical Layouts").
struct SharedMatrix {
  uint32_t start = 0;               ///< address in the shared window
  uint32_t leading = 0, stride = 0; ///< bytes
  unsigned baseOffset = 0; ///< of the swizzle's pattern, 128 bytes each
  /// Bytes of a swizzled row: 32, 64, 128; 16 is no swizzle.
  unsigned span = 16;
  /// The swizzle of 128 bytes permutes pairs of chunks.
  bool pairs = false;
  bool alongMn = false; ///< MN-major
  unsigned elementBytes = 0;
};
/// The fields that descriptors of wgmma and tcgen05 have in the same places.
SharedMatrix decodeSharedMatrix(uint64_t descriptor);
/// "": no bit of `unused` is set; otherwise the rule that is broken.
std::string checkUnusedBits(uint64_t descriptor, uint64_t unused);
/// Addresses of mn x k elements: row-major as [mn][k] (A), or as [k][mn] (B).
/// Returns the rule that is broken, or "".
std::string sharedMatrixAddresses(const SharedMatrix &matrix, unsigned mn,
                                  unsigned k, bool isA,
                                  std::vector<uint32_t> &addresses);

//===----------------------------------------------------------------------===//
// Fragments that mma.sync and wgmma have in common
//===----------------------------------------------------------------------===//

struct RowColumn {
  unsigned row, column;
};
/// Element `e` of register `r` of operand A in a warp's 16 rows (8 where there
/// is one register along m): groupID = lane / 4 names the row,
/// threadID_in_group = lane % 4 the piece of a register's elements along k.
inline RowColumn elementOfA(unsigned lane, unsigned r, unsigned e,
                            unsigned perRegister, unsigned m = 16) {
  // Shifts and masks: this is asked for every element of every instruction.
  unsigned isPair = m / 16;
  return {lane / 4 + 8 * (r & isPair),
          (lane % 4 + 4 * (r >> isPair)) * perRegister + e};
}
/// Element `i` of a lane's accumulators, in a warp's 16 rows.
inline RowColumn elementOfC(unsigned lane, unsigned i) {
  return {lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
}

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_MATRIXMATH_H
