//===- TmaPiecesTest.cpp - Bytes that TMA instructions move ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every byte of copies against formulas that are written here once more.
//
//===----------------------------------------------------------------------===//

#include "TensorMapTestUtil.h"

using namespace mlir::tile::lowered;
using namespace mlir::tile::lowered::test;

/// The bytes of a box, element by element from the definition.
static Bytes boxBytes(const TiledParameters &p, unsigned elementBytes,
                      llvm::ArrayRef<int32_t> start, uint32_t shared) {
  unsigned counts[5] = {1, 1, 1, 1, 1};
  int64_t steps[5] = {1, 1, 1, 1, 1};
  for (unsigned i = 0; i < p.rank; ++i) {
    steps[i] = i == 0 ? 1 : p.elementStrides[i];
    counts[i] = unsigned((p.box[i] + steps[i] - 1) / steps[i]);
  }
  Bytes bytes;
  uint32_t number = 0;
  for (unsigned e = 0; e < counts[4]; ++e)
    for (unsigned d = 0; d < counts[3]; ++d)
      for (unsigned c = 0; c < counts[2]; ++c)
        for (unsigned b = 0; b < counts[1]; ++b)
          for (unsigned a = 0; a < counts[0]; ++a, ++number) {
            unsigned index[] = {a, b, c, d, e};
            bool inside = true;
            uint64_t global = p.address;
            for (unsigned i = 0; i < p.rank; ++i) {
              int64_t at = start[i] + index[i] * steps[i];
              inside = inside && at >= 0 && at < int64_t(p.dims[i]);
              global +=
                  uint64_t(at) * (i == 0 ? elementBytes : p.strides[i - 1]);
            }
            for (uint32_t byte = 0; byte < elementBytes; ++byte)
              bytes[swizzledAddress(shared + number * elementBytes + byte,
                                    p.swizzle)] =
                  inside ? global + byte : kOutside;
          }
  return bytes;
}

TEST(TmaPieces, TilesOfEveryRankSwizzleAndStart) {
  struct Type {
    int type;
    unsigned bytes;
  };
  // Along rows in units of 16 bytes.
  const int32_t starts[][5] = {
      {0, 0, 0, 0, 0},   {1, 3, 1, 2, 1},  {-1, -1, -1, 0, 0},
      {12, 37, 5, 4, 3}, {13, 0, 0, 0, 0}, {0, 0, -2, 0, 0},
      {-25, 0, 0, 0, 0}, {0, 0, 0, 5, 0},  {0, 0, 0, 0, -2147483648}};
  for (Type type : {Type{cuda::kMapUInt8, 1}, Type{cuda::kMapBFloat16, 2},
                    Type{cuda::kMapFloat32, 4}, Type{cuda::kMapInt64, 8}})
    for (unsigned rank = 1; rank <= 5; ++rank)
      for (int swizzle : {0, 1, 2, 3})
        for (unsigned step : {1u, 2u, 3u})
          for (const int32_t (&start)[5] : starts) {
            TiledParameters p;
            p.type = type.type;
            p.rank = rank;
            p.swizzle = swizzle;
            p.box[0] = (swizzle ? 16u << swizzle : 48) / type.bytes;
            p.elementStrides[1] = p.elementStrides[3] = step;
            llvm::SmallVector<int32_t> at(start, start + rank);
            at[0] *= 16 / int32_t(type.bytes);
            ASSERT_EQ(bytesOf(p.fields(), TmaMode::Tile, at, {}, 0x480),
                      boxBytes(p, type.bytes, at, 0x480))
                << "rank " << rank << " swizzle " << swizzle;
          }
}

TEST(TmaPieces, SwizzleIsByAddress) {
  TiledParameters p;
  p.swizzle = 3;
  p.box[1] = 1;
  llvm::SmallVector<TmaPiece> pieces;
  // One row of 128 bytes: its place alone says how units are permuted.
  for (uint32_t row = 0; row < 10; ++row) {
    ASSERT_EQ(
        tmaPieces(p.fields(), TmaMode::Tile, {0, 0}, {}, row * 128, pieces),
        "");
    ASSERT_EQ(pieces.size(), 8u);
    for (uint32_t unit = 0; unit < 8; ++unit)
      EXPECT_EQ(pieces[unit].shared, row * 128 + (unit ^ row % 8) * 16);
  }
}

TEST(TmaPieces, BytesCountWholeBoxes) {
  TiledParameters p;
  p.rank = 3;
  p.box[1] = 5;
  p.elementStrides[1] = 2;
  EXPECT_EQ(tmaBytes(p.fields(), TmaMode::Tile), 128u * 3 * 2);
  EXPECT_EQ(tmaBytes(Im2colParameters().fields(), TmaMode::Im2col), 128u * 32);
}

TEST(TmaPieces, FourRowsByIndex) {
  for (int swizzle : {0, 3}) {
    TiledParameters p;
    p.swizzle = swizzle;
    p.box[1] = 1;
    // The last columns, rows outside on either side, one row twice.
    const int32_t coordinates[] = {56, 7, -1, 40, 7};
    Bytes expected;
    for (uint32_t i = 0; i < 4; ++i)
      for (uint32_t byte = 0; byte < 128; ++byte) {
        int32_t row = coordinates[1 + i];
        bool inside = row >= 0 && row < 40 && 56 + byte / 2 < 100;
        expected[swizzledAddress(0x380 + i * 128 + byte, swizzle)] =
            inside ? p.address + uint64_t(row) * 256 + 112 + byte : kOutside;
      }
    for (TmaMode mode : {TmaMode::Gather4, TmaMode::Scatter4})
      EXPECT_EQ(bytesOf(p.fields(), mode, coordinates, {}, 0x380), expected);
  }
}

//===----------------------------------------------------------------------===//
// im2col
//===----------------------------------------------------------------------===//

/// The rows of a convolution's matrix from output pixel `first` on, under the
/// tap (r, s): what the compiler wants of im2col copies.
static Bytes convolution(const Im2colParameters &p, int64_t stride,
                         int64_t dilation, int64_t first, int64_t s, int64_t r,
                         uint32_t shared) {
  int64_t width = int64_t(p.dims[1]), height = int64_t(p.dims[2]);
  int64_t columns = (width + p.upper[0] - p.lower[0] + stride - 1) / stride;
  int64_t rows = (height + p.upper[1] - p.lower[1] + stride - 1) / stride;
  Bytes bytes;
  for (uint32_t i = 0; i < p.pixels; ++i) {
    int64_t pixel = first + i;
    int64_t w = pixel % columns * stride + p.lower[0] + s * dilation;
    int64_t h = pixel / columns % rows * stride + p.lower[1] + r * dilation;
    int64_t image = pixel / columns / rows;
    bool inside = w >= 0 && w < width && h >= 0 && h < height &&
                  image < int64_t(p.dims[3]);
    uint64_t global = p.address + uint64_t(w) * p.strides[0] +
                      uint64_t(h) * p.strides[1] +
                      uint64_t(image) * p.strides[2];
    for (uint32_t byte = 0; byte < 128; ++byte)
      bytes[swizzledAddress(shared + i * 128 + byte, p.swizzle)] =
          inside ? global + byte : kOutside;
  }
  return bytes;
}

TEST(TmaPieces, Im2colIsAConvolution) {
  for (int stride : {1, 2, 3})
    for (int dilation : {1, 2})
      for (int pad : {0, 1, 2})
        for (int swizzle : {0, 3}) {
          Im2colParameters p;
          p.swizzle = swizzle;
          for (unsigned i = 0; i < 2; ++i) {
            p.lower[i] = -pad;
            // More padding above than below along rows.
            p.upper[i] = (i == 0 ? 0 : pad) - dilation * 2;
            p.elementStrides[i + 1] = unsigned(stride);
          }
          TensorMapFields map = p.fields();
          int64_t columns = (9 + p.upper[0] + pad + stride - 1) / stride;
          int64_t rows = (7 + p.upper[1] + pad + stride - 1) / stride;
          for (int64_t first : {int64_t(0), int64_t(1), columns - 1,
                                columns * rows - 1, columns * rows * 3 - 2})
            for (int tap : {0, 1, 2}) {
              const int32_t start[] = {
                  0, int32_t(first % columns * stride - pad),
                  int32_t(first / columns % rows * stride - pad),
                  int32_t(first / columns / rows)};
              const uint16_t offsets[] = {uint16_t(tap * dilation),
                                          uint16_t((2 - tap) * dilation)};
              ASSERT_EQ(
                  bytesOf(map, TmaMode::Im2col, start, offsets, 0x1080),
                  convolution(p, stride, dilation, first, tap, 2 - tap, 0x1080))
                  << stride << ' ' << dilation << ' ' << pad << ' ' << first;
            }
        }
}

TEST(TmaPieces, Im2colOfLinesAndVolumes) {
  Im2colParameters line;
  line.rank = 3;
  line.dims[2] = 2;
  line.pixels = 10;
  line.upper[0] = 0;
  llvm::SmallVector<TmaPiece> pieces;
  // Nine positions from -1 to 8 (upper corner 0), offset by 2: the last two of
  // each line are beyond it.
  ASSERT_EQ(
      tmaPieces(line.fields(), TmaMode::Im2col, {0, 5, 1}, {2}, 0, pieces), "");
  for (unsigned pixel = 0; pixel < 10; ++pixel) {
    const TmaPiece &piece = pieces[pixel * 8];
    bool inside = pixel < 2; // 7 and 8 of line 1; line 2 does not exist
    EXPECT_EQ(piece.inside, inside) << pixel;
    if (inside)
      EXPECT_EQ(piece.global, line.address + (5 + 2 + pixel) * 128 + 1152);
  }

  Im2colParameters volume;
  volume.rank = 5;
  volume.pixels = 2;
  volume.lower[0] = volume.lower[1] = volume.lower[2] = 0;
  volume.upper[0] = volume.upper[1] = volume.upper[2] = 0;
  // From the last position of the first volume to the first of the second.
  ASSERT_EQ(tmaPieces(volume.fields(), TmaMode::Im2col, {0, 8, 6, 2, 0},
                      {0, 0, 0}, 0, pieces),
            "");
  EXPECT_EQ(pieces[0].global, volume.address + 8 * 128 + 6 * 1152 + 2 * 8064);
  EXPECT_EQ(pieces[8].global, volume.address + 65536);
}

TEST(TmaPieces, Im2colChannelsOutside) {
  Im2colParameters p;
  p.pixels = 1;
  p.lower[0] = p.lower[1] = 0;
  Bytes bytes = bytesOf(p.fields(), TmaMode::Im2col, {40, 2, 3, 1}, {0, 0}, 0);
  for (uint32_t byte = 0; byte < 128; ++byte)
    EXPECT_EQ(bytes[byte],
              byte < 48 ? p.address + 80 + byte + 2 * 128 + 3 * 1152 + 8064
                        : kOutside);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static void expectRule(const TensorMapFields &map, TmaMode mode,
                       llvm::ArrayRef<int32_t> coordinates,
                       llvm::ArrayRef<uint16_t> offsets, uint32_t shared,
                       const std::string &rule) {
  llvm::SmallVector<TmaPiece> pieces;
  std::string why = tmaPieces(map, mode, coordinates, offsets, shared, pieces);
  EXPECT_NE(why.find(rule), std::string::npos)
      << "expected '" << rule << "' in '" << why << "'";
  EXPECT_TRUE(pieces.empty());
}

TEST(TmaPieces, StoresBeginInsideOrBehind) {
  EXPECT_EQ(checkStoreCoordinates(TmaMode::Tile, {0, 128}), "");
  EXPECT_EQ(checkStoreCoordinates(TmaMode::Tile, {64, 0, -1}),
            "expected a box that begins inside of the tensor or behind it in a "
            "store, got -1");
  EXPECT_EQ(checkStoreCoordinates(TmaMode::Scatter4, {0, 1, 2, -7, 3}),
            "expected a column and rows that are not negative in a store, got "
            "-7");
}

TEST(TmaPieces, RefusesBrokenRules) {
  TensorMapFields tiled = TiledParameters().fields();
  TensorMapFields im2col = Im2colParameters().fields();
  expectRule(tiled, TmaMode::Tile, {0, 0}, {}, 64,
             "a shared address that is a multiple of 128 bytes, off by, got "
             "64");
  expectRule(tiled, TmaMode::Tile, {0}, {}, 0, "2 coordinates, got 1");
  expectRule(tiled, TmaMode::Tile, {12, 0}, {}, 0, "multiple of 16 bytes");
  expectRule(tiled, TmaMode::Tile, {-3, 0}, {}, 0, "multiple of 16 bytes");
  expectRule(tiled, TmaMode::Tile, {0, 0}, {0}, 0, "0 offsets, got 1");
  expectRule(tiled, TmaMode::Im2col, {0, 0}, {}, 0, "got a tiled one");
  expectRule(im2col, TmaMode::Tile, {0, 0, 0, 0}, {}, 0, "got an im2col one");
  expectRule(im2col, TmaMode::Gather4, {0, 0, 0, 0, 0}, {}, 0,
             "got an im2col one");
  expectRule(im2col, TmaMode::Im2col, {0, 0, 0, 0}, {0}, 0, "2 offsets, got 1");
  expectRule(im2col, TmaMode::Im2col, {0, 0, 0, 0}, {0, 256}, 0,
             "im2col offsets of 8 bits for a tensor of 4 dimensions, got 256");
  expectRule(tiled, TmaMode::Gather4, {0, 0, 0, 0, 0}, {}, 0,
             "a box of one row for four rows by index, got 8");
  TiledParameters volume;
  volume.rank = 3;
  expectRule(volume.fields(), TmaMode::Scatter4, {0, 0, 0, 0, 0}, {}, 0,
             "a tensor of 2 dimensions for four rows by index, got 3");
  TiledParameters rows;
  rows.box[1] = 1;
  expectRule(rows.fields(), TmaMode::Gather4, {0, 0, 0, 0}, {}, 0,
             "5 coordinates, got 4");
  TiledParameters narrow;
  narrow.swizzle = 3;
  narrow.box[0] = 32;
  expectRule(narrow.fields(), TmaMode::Tile, {0, 0}, {}, 0,
             "an inner box of the 128 bytes of the swizzle");
  TiledParameters interleaved;
  interleaved.rank = 3;
  interleaved.interleave = 1;
  expectRule(interleaved.fields(), TmaMode::Tile, {0, 0, 0}, {}, 0,
             "interleaved");
}

TEST(TmaPieces, BulkCopies) {
  EXPECT_EQ(checkBulkCopy(0x1000, 0x2010, 48), "");
  EXPECT_NE(checkBulkCopy(0x1000, 0x2010, 40).find("multiple of 16 bytes"),
            std::string::npos);
  EXPECT_NE(checkBulkCopy(0x1008, 0x2010, 48).find("target"),
            std::string::npos);
  EXPECT_NE(checkBulkCopy(0x1000, 0x2014, 48).find("source"),
            std::string::npos);
}
