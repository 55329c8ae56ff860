//===- TensorMapTestUtil.h - Maps for tests ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map's parameters with values that the driver takes, for tests to change.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_UNITTESTS_LOWERED_TENSORMAPTESTUTIL_H
#define TILE_UNITTESTS_LOWERED_TENSORMAPTESTUTIL_H

#include "../../lib/Lowered/TensorMap.h"

#include <gtest/gtest.h>

#include <map>

namespace mlir::tile::lowered::test {

namespace cuda = runtime::cuda;

struct TiledParameters {
  int type = cuda::kMapFloat16;
  unsigned rank = 2;
  uint64_t address = 0x70000000;
  uint64_t dims[5] = {100, 40, 6, 5, 4};
  uint64_t strides[4] = {256, 16384, 131072, 1048576};
  unsigned box[5] = {64, 8, 2, 2, 2};
  unsigned elementStrides[5] = {1, 1, 1, 1, 1};
  int interleave = 0, swizzle = 0, l2 = 0, fill = 0;

  int encode(cuda::TensorMap &map, std::string *why = nullptr) const {
    return encodeTiled(&map, type, rank, reinterpret_cast<void *>(address),
                       dims, strides, box, elementStrides, interleave, swizzle,
                       l2, fill, why);
  }
  TensorMapFields fields() const {
    cuda::TensorMap map;
    std::string why;
    TensorMapFields result;
    EXPECT_EQ(encode(map, &why), cuda::kSuccess) << why;
    EXPECT_TRUE(decodeTensorMap(&map, result));
    return result;
  }
};

/// Images of 7 x 9 pixels, by default under a filter of 3 x 3 with one pixel of
/// padding around. Numbers are innermost first: channel, w, h, image.
struct Im2colParameters {
  int type = cuda::kMapFloat16;
  unsigned rank = 4;
  uint64_t address = 0x70000000;
  uint64_t dims[5] = {64, 9, 7, 3, 2};
  uint64_t strides[4] = {128, 1152, 8064, 65536};
  int lower[3] = {-1, -1, -1}, upper[3] = {-1, -1, -1};
  unsigned channels = 64, pixels = 32;
  unsigned elementStrides[5] = {1, 1, 1, 1, 1};
  int interleave = 0, swizzle = 3, l2 = 0, fill = 0;

  int encode(cuda::TensorMap &map, std::string *why = nullptr) const {
    return encodeIm2col(&map, type, rank, reinterpret_cast<void *>(address),
                        dims, strides, lower, upper, channels, pixels,
                        elementStrides, interleave, swizzle, l2, fill, why);
  }
  TensorMapFields fields() const {
    cuda::TensorMap map;
    std::string why;
    TensorMapFields result;
    EXPECT_EQ(encode(map, &why), cuda::kSuccess) << why;
    EXPECT_TRUE(decodeTensorMap(&map, result));
    return result;
  }
};

/// What lies outside of the tensor.
inline constexpr uint64_t kOutside = ~uint64_t(0);

/// Where each byte of shared memory comes from, by its address.
using Bytes = std::map<uint32_t, uint64_t>;

/// The bytes of an instruction's pieces, none of them twice.
inline Bytes bytesOf(const TensorMapFields &map, TmaMode mode,
                     llvm::ArrayRef<int32_t> coordinates,
                     llvm::ArrayRef<uint16_t> offsets, uint32_t shared) {
  llvm::SmallVector<TmaPiece> pieces;
  EXPECT_EQ(tmaPieces(map, mode, coordinates, offsets, shared, pieces), "");
  Bytes bytes;
  for (const TmaPiece &piece : pieces) {
    EXPECT_GT(piece.bytes, 0u);
    EXPECT_EQ(piece.shared / 16, (piece.shared + piece.bytes - 1) / 16);
    for (uint32_t i = 0; i < piece.bytes; ++i)
      EXPECT_TRUE(bytes
                      .emplace(piece.shared + i,
                               piece.inside ? piece.global + i : kOutside)
                      .second);
  }
  EXPECT_EQ(bytes.size(), tmaBytes(map, mode));
  return bytes;
}

/// The swizzle by its picture in the manual: in each row of 128 bytes, units of
/// 16 bytes change places by the row's number among 2, 4 or 8.
inline uint32_t swizzledAddress(uint32_t address, int swizzle) {
  uint32_t row = address / 128, unit = address / 16 % 8;
  uint32_t rows[] = {1, 2, 4, 8};
  uint32_t place = unit ^ row % rows[swizzle];
  return row * 128 + place * 16 + address % 16;
}

} // namespace mlir::tile::lowered::test

#endif // TILE_UNITTESTS_LOWERED_TENSORMAPTESTUTIL_H
