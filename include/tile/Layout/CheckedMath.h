//===- CheckedMath.h - 64-bit arithmetic that says no -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked 64-bit helpers for layout construction and verification. Extents and
// strides come from users' programs: an overflow must become a refusal, not a
// wrapped number. Operations on *verified* layouts may use plain arithmetic.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_CHECKEDMATH_H
#define TILE_LAYOUT_CHECKEDMATH_H

#include "llvm/Support/MathExtras.h"
#include <cstdint>
#include <optional>

namespace mlir::tile {

inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t result;
  if (llvm::MulOverflow(a, b, result))
    return std::nullopt;
  return result;
}

inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t result;
  if (llvm::AddOverflow(a, b, result))
    return std::nullopt;
  return result;
}

/// Divides a non-negative number by a positive one; cannot overflow.
inline int64_t ceilDiv(int64_t a, int64_t b) {
  return a == 0 ? 0 : (a - 1) / b + 1;
}

inline bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

/// floor(log2(value)) of a positive value.
inline unsigned log2Floor(int64_t value) {
  return llvm::Log2_64(uint64_t(value));
}

} // namespace mlir::tile
#endif // TILE_LAYOUT_CHECKEDMATH_H
