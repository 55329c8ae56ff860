//===- ReshapeTest.cpp - one place, another shape -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Layout/Reshape.h"
#include "LayoutTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace layouttest;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

int64_t position(ArrayRef<int64_t> coords, ArrayRef<int64_t> shape) {
  int64_t result = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    result = result * shape[d] + coords[d];
  return result;
}

SmallVector<int64_t> coordinatesOf(int64_t position, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> coords(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    coords[d] = position % shape[d];
    position /= shape[d];
  }
  return coords;
}

/// The same element in every register of every thread.
void expectSameElements(const FragmentLayout &from, const FragmentLayout &to) {
  ASSERT_EQ(from.numRegisters(), to.numRegisters());
  for (int64_t warp = 0; warp < from.size(Axis::Warp); ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < from.numRegisters(); ++reg) {
        HardwareIndex index{reg, lane, warp, 0};
        SmallVector<int64_t> a = from.coordinates(index);
        SmallVector<int64_t> b = to.coordinates(index);
        ASSERT_EQ(from.inBounds(a), to.inBounds(b));
        if (from.inBounds(a)) {
          ASSERT_EQ(position(a, from.shape()), position(b, to.shape()))
              << text(from) << " and " << text(to);
        }
      }
}

TEST(ReshapeFragment, AccumulatorByHeads) {
  FragmentLayout c = *mmaSyncFragment({16, 8, 16}, MmaOperand::C, 32);
  auto heads = reshaped(c, {16, 2, 4});
  ASSERT_TRUE(bool(heads)) << heads.reason();
  EXPECT_EQ(text(*heads), "shape [16, 2, 4] reg [(2, 2:1), (2, 0:8)] lane "
                          "[(2, 2:2), (2, 1:1), (8, 0:1)] warp []");
  expectSameElements(c, *heads);
}

TEST(ReshapeFragment, EveryPairOfShapesThatFits) {
  const std::vector<SmallVector<int64_t>> shapes = {
      {4096},      {64, 64},     {32, 128},    {16, 16, 16}, {1, 4096},
      {4096, 1},   {2, 1, 2048}, {8, 8, 8, 8}, {96, 96},     {9216},
      {96, 3, 32}, {6, 10},      {60},         {4, 15},      {7, 5},
      {1, 7, 5},   {7, 1, 5, 1}, {35}};
  int fits = 0;
  for (const auto &from : shapes)
    for (const auto &to : shapes)
      for (int64_t vector : {1, 4})
        for (int64_t threads : {32, 128}) {
          SmallVector<unsigned> order;
          for (unsigned d = from.size(); d-- > 0;)
            order.push_back(d);
          FragmentLayout layout =
              FragmentLayout::blocked(from, threads, vector, order);
          auto other = reshaped(layout, to);
          if (!other)
            continue;
          ++fits;
          ASSERT_TRUE(bool(other->verify())) << other->verify().reason();
          expectSameElements(layout, *other);
          auto back = reshaped(*other, from);
          ASSERT_TRUE(bool(back)) << back.reason();
          EXPECT_TRUE(back->equivalent(layout));
        }
  EXPECT_GE(fits, 150);
}

TEST(ReshapeFragment, Refusals) {
  FragmentLayout overshoots = FragmentLayout::blocked({7, 5}, 64, 1, {1, 0});
  EXPECT_FALSE(bool(reshaped(overshoots, {35})));
  EXPECT_TRUE(bool(reshaped(overshoots, {1, 7, 5})));
  EXPECT_FALSE(bool(reshaped(overshoots, {36})));
  // Every thread holds everything: any shape of as many elements.
  FragmentLayout all = FragmentLayout::replicated({60}, 32);
  expectSameElements(all, *reshaped(all, {4, 15}));
}

TEST(ReshapeShared, SameBytes) {
  const std::vector<SmallVector<int64_t>> shapes = {
      {4096}, {64, 64}, {32, 128}, {64, 1, 64}, {64, 8, 8}, {16, 4, 64}};
  int fits = 0;
  for (const auto &from : shapes)
    for (const auto &to : shapes)
      for (int kind = 0; kind < 3; ++kind) {
        SharedLayout layout = kind == 0   ? SharedLayout::rowMajor(from, 16)
                              : kind == 1 ? SharedLayout::swizzled(from, 16)
                                          : SharedLayout::rowMajor(from, 16, 8);
        auto other = reshaped(layout, to, 16);
        if (!other)
          continue;
        ++fits;
        for (int64_t p = 0; p < 4096; ++p)
          ASSERT_EQ(layout.byteOffset(coordinatesOf(p, from)),
                    other->byteOffset(coordinatesOf(p, to)))
              << text(layout) << " and " << text(*other);
      }
  EXPECT_GE(fits, 60);
  // Rows that are padded begin where the new dimension has to.
  EXPECT_FALSE(
      bool(reshaped(SharedLayout::rowMajor({60, 64}, 16, 8), {40, 96}, 16)));
  // Other elements: bytes in order only.
  EXPECT_EQ(text(*reshaped(SharedLayout::rowMajor({64, 64}, 16), {2048}, 32)),
            text(SharedLayout::rowMajor({2048}, 32)));
  EXPECT_FALSE(
      bool(reshaped(SharedLayout::swizzled({64, 64}, 16), {2048}, 32)));
}

/// Slice k of a tile lies `sliceStride` bytes behind slice k - 1, element by
/// element.
static void expectSlices(const SharedLayout &tile, const SharedLayout &slice) {
  int64_t elements = 1, count = 1;
  for (int64_t extent : slice.shape())
    elements *= extent;
  for (int64_t extent : tile.shape())
    count *= extent;
  count /= elements;
  int64_t stride = count > 1 ? sliceStride(tile, slice.shape()) : 0;
  EXPECT_EQ(stride % slice.alignment(), 0);
  for (int64_t k = 0; k < count; ++k)
    for (int64_t p = 0; p < elements; ++p)
      ASSERT_EQ(tile.byteOffset(coordinatesOf(k * elements + p, tile.shape())),
                k * stride + slice.byteOffset(coordinatesOf(p, slice.shape())))
          << text(tile) << " and " << text(slice);
}

TEST(ReshapeShared, Slices) {
  // Of a tile.
  for (auto tile : {SharedLayout::rowMajor({3, 32, 64}, 16),
                    SharedLayout::swizzled({3, 32, 64}, 16),
                    SharedLayout::rowMajor({2, 3, 16, 24}, 8),
                    SharedLayout::rowMajor({3, 32, 64}, 16, 8)}) {
    ArrayRef<int64_t> shape = tile.shape().take_back(2);
    auto slice = viewed(tile, shape, tile.elementBits());
    ASSERT_TRUE(bool(slice)) << slice.reason();
    EXPECT_TRUE(ArrayRef<int64_t>(slice->shape()) == shape);
    expectSlices(tile, *slice);
  }
  // To the tile, and back.
  for (auto slice : {SharedLayout::rowMajor({32, 64}, 16),
                     SharedLayout::swizzled({32, 64}, 16, true),
                     SharedLayout::rowMajor({5, 3}, 32),
                     SharedLayout::rowMajor({32, 64}, 16, 8)}) {
    SmallVector<int64_t> shape = {2, 3, slice.shape()[0], slice.shape()[1]};
    auto tile = viewed(slice, shape, slice.elementBits());
    ASSERT_TRUE(bool(tile)) << tile.reason();
    expectSlices(*tile, slice);
    auto back = viewed(*tile, slice.shape(), slice.elementBits());
    ASSERT_TRUE(bool(back)) << back.reason();
    expectSlices(*tile, *back); // its digits may stand in another order
  }
  // Slices of 60 bytes begin at no multiple of 16, and those of 512 within what
  // the swizzle repeats after.
  EXPECT_FALSE(bool(viewed(SharedLayout::rowMajor({4, 5, 3}, 32), {5, 3}, 32)));
  EXPECT_FALSE(bool(viewed(SharedLayout::swizzled({64, 64}, 16), {4, 64}, 16)));
}

/// Element (i, j) of the columns from `first` on is element (i, first + j) of
/// the tile.
static void expectColumns(const SharedLayout &tile, const SharedLayout &part,
                          int64_t first) {
  int64_t begin = tile.byteOffset({0, first});
  EXPECT_EQ(begin % part.alignment(), 0);
  for (int64_t i = 0; i < part.shape()[0]; ++i)
    for (int64_t j = 0; j < part.shape()[1]; ++j)
      ASSERT_EQ(tile.byteOffset({i, first + j}),
                begin + part.byteOffset({i, j}))
          << text(tile) << " and " << text(part);
}

TEST(ReshapeShared, Columns) {
  SharedLayout tile = SharedLayout::swizzled({64, 576}, 16, /*panels=*/true);
  for (auto [first, columns] :
       {std::pair<int64_t, int64_t>(0, 512), {512, 64}, {64, 128}, {0, 64}}) {
    auto part = viewed(tile, {64, columns}, 16);
    ASSERT_TRUE(bool(part)) << part.reason();
    expectColumns(tile, *part, first);
    // To the tile, and back.
    auto back = viewed(*part, {64, 576}, 16);
    ASSERT_TRUE(bool(back)) << back.reason();
    expectColumns(*back, *part, first);
  }
  // Whole rows lie between columns of the others, panels of 64 columns are
  // not cut, and 96 columns are no panels.
  EXPECT_FALSE(
      bool(viewed(SharedLayout::rowMajor({64, 128}, 16), {64, 64}, 16)));
  EXPECT_FALSE(bool(viewed(tile, {64, 32}, 16)));
  EXPECT_FALSE(
      bool(viewed(SharedLayout::rowMajor({64, 64}, 16), {64, 96}, 16)));
}

TEST(ReshapeShared, ColumnsOfSlices) {
  for (auto [first, columns] :
       {std::pair<int64_t, int64_t>(0, 512), {512, 64}, {64, 128}}) {
    SharedLayout part = SharedLayout::swizzled({64, columns}, 16, true);
    auto tile = viewed(part, {2, 64, 576}, 16);
    ASSERT_TRUE(bool(tile)) << tile.reason();
    ASSERT_TRUE(bool(tile->verify()));
    auto slice = viewed(*tile, {64, 576}, 16);
    ASSERT_TRUE(bool(slice)) << slice.reason();
    expectSlices(*tile, *slice);
    auto back = viewed(*tile, {64, columns}, 16);
    ASSERT_TRUE(bool(back)) << back.reason();
    expectColumns(*slice, *back, first);
  }
}

} // namespace
