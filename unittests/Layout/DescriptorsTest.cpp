//===- DescriptorsTest.cpp - slices, TMA, wgmma, ldmatrix -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions are simulated as the PTX manual describes them, and must
// find every element where the layout says it lies.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/Descriptors.h"
#include "LayoutTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace layouttest;

namespace {

Region whole(const SharedLayout &layout) {
  Region region;
  region.offsets.assign(layout.rank(), 0);
  region.sizes.assign(layout.shape().begin(), layout.shape().end());
  return region;
}

Coords plus(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Coords sum(a.begin(), a.end());
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] += b[i];
  return sum;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

TEST(SharedSlice, IsTheBufferSeenFromItsStart) {
  Random random(31);
  int sliced = 0, refused = 0;
  for (int i = 0; i < 1500; ++i) {
    Coords shape;
    for (int64_t rank = random.in(1, 3); rank > 0; --rank)
      shape.push_back(int64_t(1) << random.in(0, 5));
    unsigned bits = 8u << random.in(0, 2);
    SharedLayout layout =
        random.oneIn(3) ? SharedLayout::rowMajor(shape, bits, random.in(0, 8))
                        : SharedLayout::swizzled(shape, bits, random.oneIn(2));
    Region region;
    for (int64_t extent : shape) {
      int64_t size = random.oneIn(2) ? extent : random.in(1, extent);
      region.sizes.push_back(size);
      region.offsets.push_back((random.in(0, extent - size) / size) * size);
    }
    OrRefusal<SharedSlice> slice = sliceShared(layout, region);
    if (!slice) {
      ++refused;
      continue;
    }
    ++sliced;
    for (const Coords &coords : allCoords(region.sizes))
      ASSERT_EQ(slice->byteOffset + byteByDefinition(slice->layout, coords),
                byteByDefinition(layout, plus(region.offsets, coords)))
          << text(layout);
  }
  EXPECT_GT(sliced, 300);
  EXPECT_GT(refused, 20);
}

TEST(SharedSlice, StagesOfARingAndRefusals) {
  SharedLayout ring = SharedLayout::swizzled({3, 128, 64}, 16, true);
  SharedSlice stage = *sliceShared(ring, {{2, 0, 0}, {1, 128, 64}});
  EXPECT_EQ(stage.byteOffset, 2 * 128 * 128);
  auto reason = [&](Region region) {
    OrRefusal<SharedSlice> slice = sliceShared(ring, region);
    return slice ? std::string("accepted") : slice.reason();
  };
  EXPECT_EQ(reason({{0, 8, 0}, {1, 8, 64}}), "accepted");
  EXPECT_EQ(reason({{0, 4, 0}, {1, 8, 64}}),
            "the slice starts at byte 512, inside a period of the swizzle "
            "(1024 bytes)");
  EXPECT_EQ(reason({{0, 0, 0}, {4, 8, 64}}),
            "expected a non-empty region inside dimension 0 of extent 3, got 4 "
            "elements from 0");
  EXPECT_EQ(reason({{0, 0}, {1, 1}}),
            "expected a region of rank 3, got 2 offsets and 2 sizes");
  SharedLayout panels = SharedLayout::swizzled({64, 128}, 16, true);
  OrRefusal<SharedSlice> crossing = sliceShared(panels, {{0, 32}, {64, 64}});
  ASSERT_FALSE(bool(crossing));
  EXPECT_EQ(crossing.reason(), "a slice of dimension 1 from 32 crosses a digit "
                               "of the layout after 32 elements");
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

/// Every element of the region is written once, to where the layout has it: a
/// box is dense, first dimension of the map fastest, and the hardware XORs
/// address bits 4..6 with bits 7..9 as far as the mode says.
void expectTmaFills(const SharedLayout &layout, const Region &region,
                    const TmaTiling &tiling) {
  SCOPED_TRACE(text(layout));
  int64_t bytes = layout.elementBits() / 8;
  std::map<Coords, int64_t> written;
  for (const TmaTiling::Copy &copy : tiling.copies) {
    ASSERT_EQ(copy.byteOffset % 128, 0);
    llvm::SmallVector<int64_t> box(tiling.box);
    int64_t position = 0;
    llvm::SmallVector<int64_t> reversed(box.rbegin(), box.rend());
    for (const Coords &slowFirst : allCoords(reversed)) {
      Coords coords(copy.coords.begin(), copy.coords.end());
      for (size_t i = 0; i < box.size(); ++i)
        coords[tiling.order[i]] += slowFirst[box.size() - 1 - i];
      int64_t address = copy.byteOffset + position * bytes;
      unsigned maskBits = unsigned(tiling.swizzle);
      address ^= (address >> 3) & (((1 << maskBits) - 1) << 4);
      ASSERT_TRUE(written.emplace(coords, address).second);
      ++position;
    }
    ASSERT_EQ(position * bytes, tiling.bytesPerCopy);
  }
  int64_t count = 1;
  for (int64_t size : region.sizes)
    count *= size;
  ASSERT_EQ(int64_t(written.size()), count);
  for (auto &[coords, address] : written) {
    ASSERT_TRUE(inside(plus(coords, Coords(coords.size(), 0)), layout.shape()));
    ASSERT_EQ(address, byteByDefinition(layout, coords));
  }
  for (int64_t extent : tiling.box)
    ASSERT_LE(extent, 256);
}

TEST(Tma, BoxesOfRealTiles) {
  struct Case {
    Coords shape;
    unsigned bits;
    std::vector<int64_t> box;
    size_t copies;
    const char *mode;
  };
  const Case cases[] = {
      {{128, 64}, 16, {64, 128}, 1, "128B"},
      {{64, 256}, 16, {64, 64}, 4, "128B"},
      {{128, 32}, 16, {32, 128}, 1, "64B"},
      {{512, 64}, 16, {64, 256}, 2, "128B"},
      {{64, 96}, 16, {32, 64}, 3, "64B"},
      {{4, 64, 64}, 16, {64, 64, 4}, 1, "128B"},
      {{256, 128}, 8, {128, 256}, 1, "128B"},
      {{64, 576}, 16, {64, 64}, 9, "128B"},
      {{1, 1024}, 32, {256, 1}, 4, "none"},
  };
  for (const Case &c : cases) {
    SharedLayout layout = SharedLayout::swizzled(c.shape, c.bits, true);
    OrRefusal<TmaTiling> tiling =
        tmaTiling(layout, whole(layout), c.shape.size() - 1);
    ASSERT_TRUE(bool(tiling)) << tiling.reason();
    EXPECT_EQ(std::vector<int64_t>(tiling->box.begin(), tiling->box.end()),
              c.box);
    EXPECT_EQ(tiling->copies.size(), c.copies);
    EXPECT_EQ(stringify(tiling->swizzle), c.mode);
    expectTmaFills(layout, whole(layout), *tiling);
  }
}

/// Panels of a tile through which results leave: as few boxes as possible, all
/// that a box can hold, and 8 rows of 16 bytes in different banks.
TEST(Tma, TilesOfResults) {
  struct Case {
    Coords shape;
    unsigned bits;
    int64_t parts;
    std::vector<int64_t> box;
    size_t copies;
  };
  const Case cases[] = {
      {{192, 208}, 16, 1, {104, 192}, 2}, {{192, 208}, 16, 2, {104, 192}, 2},
      {{128, 304}, 16, 1, {152, 128}, 2}, {{64, 80}, 16, 1, {40, 64}, 2},
      {{128, 144}, 16, 2, {72, 128}, 2},  {{128, 240}, 16, 1, {120, 128}, 2},
      {{64, 48}, 16, 1, {16, 64}, 3},     {{64, 256}, 16, 1, {64, 64}, 4},
      {{128, 96}, 16, 1, {32, 128}, 3},   {{64, 104}, 32, 1, {52, 64}, 2},
      {{64, 208}, 8, 1, {208, 64}, 1},
  };
  for (const Case &c : cases) {
    SharedLayout layout = SharedLayout::inBoxes(c.shape, c.bits, c.parts);
    SCOPED_TRACE(text(layout));
    OrRefusal<TmaTiling> tiling = tmaTiling(layout, whole(layout), 1);
    ASSERT_TRUE(bool(tiling)) << tiling.reason();
    if (c.copies) {
      EXPECT_EQ(std::vector<int64_t>(tiling->box.begin(), tiling->box.end()),
                c.box);
      EXPECT_EQ(tiling->copies.size(), c.copies);
    }
    expectTmaFills(layout, whole(layout), *tiling);
    EXPECT_EQ(layout.sizeInBytes(), c.shape[0] * c.shape[1] * c.bits / 8);
  }
  for (int64_t columns = 16; columns <= 304; columns += 16)
    for (int64_t parts : {1, 2}) {
      SharedLayout layout = SharedLayout::inBoxes({64, columns}, 16, parts);
      SCOPED_TRACE(text(layout));
      ASSERT_TRUE(bool(tmaTiling(layout, whole(layout), 1)));
      // A span of 32 bytes is left where only that divides short rows.
      if (columns < 64)
        continue;
      for (int64_t column = 0; column < columns; column += 8) {
        std::set<int64_t> banks;
        for (int64_t row = 0; row < 8; ++row)
          banks.insert(layout.byteOffset({row, column}) / 16 % 8);
        EXPECT_EQ(banks.size(), 8u) << "column " << column;
      }
    }
}

TEST(Tma, GeneratedRegions) {
  Random random(32);
  int tiled = 0;
  for (int i = 0; i < 600; ++i) {
    Coords shape;
    for (int64_t rank = random.in(2, 3); rank > 0; --rank)
      shape.push_back(int64_t(1) << random.in(0, 5));
    shape.back() = random.in(1, 5) * 32;
    unsigned bits = 8u << random.in(0, 2);
    SharedLayout layout =
        random.oneIn(4) ? SharedLayout::rowMajor(
                              shape, bits, random.in(0, 1) * (1024 / bits))
                        : SharedLayout::swizzled(shape, bits, true);
    Region region;
    for (int64_t extent : shape) {
      int64_t size = extent;
      while (size % 2 == 0 && random.oneIn(3))
        size /= 2;
      region.sizes.push_back(size);
      region.offsets.push_back(random.in(0, extent / size - 1) * size);
    }
    OrRefusal<TmaTiling> tiling = tmaTiling(layout, region, shape.size() - 1);
    if (!tiling)
      continue;
    ++tiled;
    expectTmaFills(layout, region, *tiling);
    if (HasFailure())
      return;
  }
  EXPECT_GT(tiled, 150);
}

TEST(Tma, Refusals) {
  auto reason = [](const SharedLayout &layout, unsigned innerDim) {
    OrRefusal<TmaTiling> tiling = tmaTiling(layout, whole(layout), innerDim);
    return tiling ? std::string("accepted") : tiling.reason();
  };
  EXPECT_EQ(reason(SharedLayout::swizzled({64, 128}, 16), 1),
            "expected a swizzle of (1..3, 4, 3), got (3, 4, 4)");
  EXPECT_EQ(reason(SharedLayout::swizzled({64, 64}, 16), 0),
            "expected dimension 0 to be contiguous in the buffer, got "
            "dimension 1");
  EXPECT_EQ(reason(SharedLayout::rowMajor({64, 6}, 16), 1),
            "expected an inner box of a multiple of 16 bytes, got 12");
  EXPECT_EQ(reason(SharedLayout::rowMajor({64, 64}, 16, 8), 1),
            "expected copies to start at multiples of 128 bytes, got byte 144");
  EXPECT_EQ(reason(SharedLayout::rowMajor({64, 64}, 4), 1),
            "expected elements of whole bytes, got 4 bits");
  EXPECT_EQ(
      reason(SharedLayout({64, 32}, 16, {{32, 1, 1}, {64, 0, 32}}, {3, 4, 3}),
             1),
      "expected an inner box of 128 bytes, as long as the swizzle's "
      "rows, got 64");
  EXPECT_EQ(reason(SharedLayout::rowMajor({2, 2, 2, 2, 2, 64}, 16), 5),
            "expected one to five dimensions, got 6");
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

TEST(Wgmma, DescriptorsOfTheReferenceKernels) {
  // K-major, 128-byte rows: stride 1024 between groups of 8 rows, +32 bytes per
  // k16 step, and the second 64 columns one panel further.
  SharedLayout a = SharedLayout::swizzled({128, 128}, 16, true);
  for (int64_t k = 0; k < 128; k += 16) {
    OrRefusal<WgmmaDescriptor> d =
        wgmmaDescriptor(a, 0, 1, {{64, k}, {64, 16}});
    ASSERT_TRUE(bool(d)) << d.reason();
    EXPECT_EQ(d->major, Major::K);
    EXPECT_EQ(d->strideBytes, 1024);
    EXPECT_EQ(d->startBytes, 64 * 128 + k % 64 * 2 + k / 64 * 128 * 128);
  }
  // MN-major (a row-major K x N operand B): panels of 64 columns, 64 rows each.
  SharedLayout b = SharedLayout::swizzled({64, 256}, 16, true);
  for (int64_t k = 0; k < 64; k += 16) {
    OrRefusal<WgmmaDescriptor> d =
        wgmmaDescriptor(b, 1, 0, {{k, 0}, {16, 256}});
    ASSERT_TRUE(bool(d)) << d.reason();
    EXPECT_EQ(d->major, Major::MN);
    EXPECT_EQ(d->leadingBytes, 8192);
    EXPECT_EQ(d->strideBytes, 1024);
    EXPECT_EQ(d->startBytes, k * 128);
  }
  WgmmaDescriptor d = *wgmmaDescriptor(a, 0, 1, {{0, 0}, {64, 16}});
  EXPECT_EQ(d.encode(0x400), (uint64_t(1) << 62) | (uint64_t(1024 >> 4) << 32) |
                                 (uint64_t(1) << 16) | (0x400 >> 4));
}

TEST(Tcgen05, DescriptorFields) {
  // PTX ISA, "Shared Memory Descriptor" of tcgen05: address, leading and stride
  // offset as for wgmma, 0b001 in bits 46 to 48, and the mode in bits 61 to 63:
  // 0 is none, 2 is 128 bytes, 4 is 64, 6 is 32.
  const std::pair<TmaSwizzle, uint64_t> kModes[] = {{TmaSwizzle::None, 0},
                                                    {TmaSwizzle::B128, 2},
                                                    {TmaSwizzle::B64, 4},
                                                    {TmaSwizzle::B32, 6}};
  for (auto [swizzle, mode] : kModes)
    for (int64_t leading : {16, 8192, 65536})
      for (int64_t stride : {256, 1024}) {
        WgmmaDescriptor d;
        d.swizzle = swizzle;
        d.startBytes = 4096;
        d.leadingBytes = leading;
        d.strideBytes = stride;
        uint64_t word = d.encodeTcgen05(0x3f000);
        auto bits = [&](unsigned first, unsigned count) {
          return word >> first & ((uint64_t(1) << count) - 1);
        };
        EXPECT_EQ(bits(0, 14), ((0x3f000u + 4096) & 0x3ffff) >> 4);
        EXPECT_EQ(bits(14, 2), 0u);
        EXPECT_EQ(bits(16, 14), uint64_t(leading & 0x3ffff) >> 4);
        EXPECT_EQ(bits(30, 2), 0u);
        EXPECT_EQ(bits(32, 14), uint64_t(stride) >> 4);
        EXPECT_EQ(bits(46, 3), 1u);
        EXPECT_EQ(bits(49, 12), 0u); // base offset, relative mode, zeros
        EXPECT_EQ(bits(61, 3), mode);
      }
}

TEST(Wgmma, GeneratedOperands) {
  // The canonical layouts of the PTX manual, in units of 16-byte chunks, with
  // the swizzle of the mode on the address, must find each element.
  Random random(33);
  std::map<std::string, int> seen;
  for (int i = 0; i < 800; ++i) {
    unsigned bits = 8u << random.in(0, 2);
    int64_t perChunk = 128 / bits, kStep = 256 / bits;
    bool mnMajor = bits == 16 && random.oneIn(2);
    int64_t mn = 8 * random.in(1, 16), k = kStep * random.in(1, 4);
    Coords shape = mnMajor ? Coords{k, mn} : Coords{mn, k};
    SharedLayout layout = SharedLayout::swizzled(shape, bits, true);
    if (random.oneIn(4)) {
      // No swizzle: columns of 16 bytes, one after the other.
      int64_t rows = shape[0], columns = shape[1];
      if (columns % perChunk == 0)
        layout = SharedLayout(shape, bits,
                              {{perChunk, 1, 1},
                               {rows, 0, perChunk},
                               {columns / perChunk, 1, perChunk * rows}});
    }
    unsigned mnDim = mnMajor ? 1 : 0, kDim = 1 - mnDim;
    Region region = whole(layout);
    region.sizes[kDim] = kStep;
    region.offsets[kDim] = random.in(0, k / kStep - 1) * kStep;
    OrRefusal<WgmmaDescriptor> got =
        wgmmaDescriptor(layout, mnDim, kDim, region);
    if (!got)
      continue;
    ++seen[stringify(got->swizzle).str() + (mnMajor ? " mn" : " k")];
    ASSERT_EQ(got->major, mnMajor ? Major::MN : Major::K);
    int64_t lbo = got->leadingBytes, sbo = got->strideBytes;
    unsigned maskBits = unsigned(got->swizzle);
    int64_t row = 16 << maskBits; // bytes of a swizzled row
    for (int64_t m = 0; m < mn; ++m)
      for (int64_t kk = 0; kk < kStep; ++kk) {
        int64_t address = got->startBytes;
        if (!mnMajor)
          address += (m % 8) * row + (m / 8) * sbo +
                     (kk / perChunk) * (maskBits ? 16 : lbo) +
                     kk % perChunk * bits / 8;
        else if (maskBits == 0)
          address += (m / perChunk) * sbo + (kk % 8) * 16 + (kk / 8) * lbo +
                     m % perChunk * 2;
        else
          address += (m % (row / 2)) * 2 + (m / (row / 2)) * lbo +
                     (kk % 8) * row + (kk / 8) * sbo;
        address ^= (address >> 3) & (((1 << maskBits) - 1) << 4);
        Coords coords(2, 0);
        coords[mnDim] = region.offsets[mnDim] + m;
        coords[kDim] = region.offsets[kDim] + kk;
        ASSERT_EQ(address, byteByDefinition(layout, coords))
            << text(layout) << " element " << m << ", " << kk;
      }
  }
  for (const char *kind : {"none k", "32B k", "64B k", "128B k", "none mn",
                           "32B mn", "64B mn", "128B mn"})
    EXPECT_GT(seen[kind], 0) << kind;
}

TEST(Wgmma, Refusals) {
  auto reason = [](const SharedLayout &layout, unsigned mnDim, unsigned kDim,
                   Region region) {
    OrRefusal<WgmmaDescriptor> d = wgmmaDescriptor(layout, mnDim, kDim, region);
    return d ? std::string("accepted") : d.reason();
  };
  SharedLayout a = SharedLayout::swizzled({128, 64}, 16);
  EXPECT_EQ(reason(a, 0, 1, {{0, 0}, {64, 16}}), "accepted");
  EXPECT_EQ(reason(a, 0, 1, {{4, 0}, {64, 16}}),
            "the region starts at byte 512, inside a period of the swizzle "
            "(1024 bytes)");
  EXPECT_EQ(reason(a, 0, 1, {{0, 4}, {64, 16}}),
            "expected a start at a multiple of 16 bytes, got byte 8");
  EXPECT_EQ(reason(a, 0, 1, {{0, 0}, {64, 32}}),
            "expected 256 bits along k, got 32 elements of 16 bits");
  EXPECT_EQ(
      reason(SharedLayout::rowMajor({128, 64}, 16), 0, 1, {{0, 0}, {64, 16}}),
      "element (1, 0) of the operand lies at byte 128, wgmma would read "
      "it at 16");
  EXPECT_EQ(
      reason(SharedLayout::swizzled({32, 64}, 8), 1, 0, {{0, 0}, {32, 64}}),
      "wgmma reads operands along m or n only in 16 bits, got 8");
  EXPECT_EQ(reason(a, 0, 1, {{0, 0}, {60, 16}}),
            "expected a multiple of 8 up to 256 along the other dimension, got "
            "60");
}

} // namespace
