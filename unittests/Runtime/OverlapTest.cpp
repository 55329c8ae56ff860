//===- OverlapTest.cpp - Strided sets of elements -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The digit search against the definition: enumerate both sets' bytes.
//
//===----------------------------------------------------------------------===//

#include "ArgCheck.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace mlir::tile::runtime;

namespace {

struct Strided {
  unsigned bits = 8;
  std::vector<int64_t> shape, strides;

  ExprArg expr() const {
    return {shape.data(), strides.data(), unsigned(shape.size()), false, 0};
  }
  std::set<int64_t> bytes(int64_t base) const {
    std::set<int64_t> firsts = {base};
    for (size_t i = 0; i < shape.size(); ++i) {
      std::set<int64_t> next;
      for (int64_t first : firsts)
        for (int64_t j = 0; j < shape[i]; ++j)
          next.insert(first + j * strides[i] * int64_t(bits / 8));
      firsts = next;
    }
    std::set<int64_t> all;
    for (int64_t first : firsts)
      for (unsigned b = 0; b < bits / 8; ++b)
        all.insert(first + b);
    return all;
  }
};

TEST(Overlap, AgreesWithEnumeration) {
  std::mt19937 random(7);
  auto draw = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  };
  unsigned overlapping = 0, disjoint = 0;
  for (int round = 0; round < 20000; ++round) {
    Strided sets[2];
    for (Strided &set : sets) {
      set.bits = 8u << draw(0, 2);
      for (int64_t i = 0, rank = draw(0, 3); i < rank; ++i) {
        set.shape.push_back(draw(1, 4));
        set.strides.push_back(draw(-12, 12));
      }
    }
    if (random() % 2)
      sets[1].strides.resize(sets[0].strides.size(), 1),
          sets[1].shape.resize(sets[0].strides.size(), 2),
          sets[1].strides = sets[0].strides;
    int64_t distance = draw(-40, 40);
    std::set<int64_t> first = sets[0].bytes(0);
    bool expected = false;
    for (int64_t byte : sets[1].bytes(distance))
      expected |= first.count(byte) != 0;
    EXPECT_EQ(mayOverlap(sets[0].expr(), sets[0].bits, sets[1].expr(),
                         sets[1].bits, distance),
              expected);
    ++(expected ? overlapping : disjoint);
  }
  EXPECT_GT(overlapping, 2000u);
  EXPECT_GT(disjoint, 2000u);
}

TEST(Overlap, LargeViewsAreDecided) {
  // Interleaved halves of rows, and of columns, of a large matrix.
  Strided half{16, {8192, 4096}, {8192, 1}};
  EXPECT_FALSE(mayOverlap(half.expr(), 16, half.expr(), 16, 8192));
  EXPECT_TRUE(mayOverlap(half.expr(), 16, half.expr(), 16, 8190));
  Strided odd{16, {8192, 4096}, {8192, 2}};
  EXPECT_FALSE(mayOverlap(odd.expr(), 16, odd.expr(), 16, 2));
  EXPECT_TRUE(mayOverlap(odd.expr(), 16, odd.expr(), 16, 4));
  // Packed elements: left to the ranges.
  EXPECT_TRUE(mayOverlap(odd.expr(), 4, odd.expr(), 4, 1));
}

} // namespace
