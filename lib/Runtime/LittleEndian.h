//===- LittleEndian.h - Numbers in files ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_RUNTIME_LITTLEENDIAN_H
#define TILE_LIB_RUNTIME_LITTLEENDIAN_H

#include <cstddef>
#include <cstdint>

namespace mlir::tile::runtime {

/// The field of `size` bytes at `at`, which is little-endian whatever the
/// machine.
inline uint64_t fetch(const char *bytes, size_t at, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value |= uint64_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_LITTLEENDIAN_H
