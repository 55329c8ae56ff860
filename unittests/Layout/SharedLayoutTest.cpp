//===- SharedLayoutTest.cpp - addresses, contiguity, bank conflicts -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace layouttest;

namespace {

/// Row-major or a random order of digits, with padding, swizzle, or both.
SharedLayout randomShared(Random &random, const Coords &shape, unsigned bits) {
  std::vector<std::pair<int, int64_t>> digits; // dimension, extent
  for (size_t dim = shape.size(); dim-- > 0;) {
    int64_t left = shape[dim];
    while (left > 1) {
      int64_t extent = random.oneIn(2) ? left : random.in(2, 8);
      digits.push_back({int(dim), extent});
      left = (left + extent - 1) / extent;
    }
  }
  if (random.oneIn(3))
    random.shuffle(digits);
  else if (random.oneIn(2) && digits.size() > 2)
    std::swap(digits[1], digits[digits.size() - 1]);
  Modes modes;
  int64_t stride = 1;
  for (auto [dim, extent] : digits) {
    modes.push_back({extent, dim, stride});
    stride *= extent;
    if (random.oneIn(5))
      stride += random.in(1, 8);
  }
  Swizzle swizzle;
  if (random.oneIn(2))
    swizzle = {unsigned(random.in(1, 3)), 4, unsigned(random.in(3, 4))};
  return SharedLayout(shape, bits, modes, swizzle);
}

TEST(SharedProperty, AddressesSizeAndInjectivity) {
  Random random(21);
  int injective = 0, colliding = 0;
  for (int i = 0; i < 1200; ++i) {
    Coords shape;
    for (int64_t rank = random.in(1, 3); rank > 0; --rank)
      shape.push_back(random.in(1, 12));
    unsigned bits = 4u << random.in(0, 4);
    SharedLayout layout = randomShared(random, shape, bits);
    if (random.oneIn(4)) { // collide now and then
      Modes modes = layout.modes();
      if (!modes.empty())
        modes.back().stride = random.in(0, modes.back().stride);
      layout = SharedLayout(shape, bits, modes, layout.swizzle());
    }
    SCOPED_TRACE(text(layout));
    ASSERT_TRUE(bool(layout.verify())) << layout.verify().reason();
    std::set<std::pair<int64_t, int64_t>> places;
    int64_t end = 0;
    for (const Coords &coords : allCoords(shape)) {
      int64_t byte = byteByDefinition(layout, coords);
      ASSERT_EQ(layout.byteOffset(coords), byte);
      int64_t bitInByte = layout.linearOffset(coords) * bits % 8;
      places.insert({byte, bitInByte});
      end = std::max(end, byte + std::max<int64_t>(1, bits / 8));
    }
    bool distinct = places.size() == allCoords(shape).size();
    ASSERT_EQ(layout.isInjective(), distinct);
    ASSERT_GE(layout.sizeInBytes(), end);
    ++(distinct ? injective : colliding);
  }
  EXPECT_GT(injective, 500);
  EXPECT_GT(colliding, 50);
}

/// The definition, for runs of `length` elements.
bool staysContiguous(const SharedLayout &layout, unsigned dim, int64_t length) {
  for (Coords coords : allCoords(layout.shape())) {
    if (coords[dim] % length == 0)
      continue;
    Coords before = coords;
    --before[dim];
    if (byteByDefinition(layout, coords) !=
        byteByDefinition(layout, before) + layout.elementBits() / 8)
      return false;
  }
  return true;
}

TEST(SharedProperty, ContiguousElementsIsTheLongestRun) {
  Random random(22);
  int exact = 0, total = 0;
  for (int i = 0; i < 1500; ++i) {
    Coords shape;
    for (int64_t rank = random.in(1, 3); rank > 0; --rank)
      shape.push_back(random.oneIn(2) ? int64_t(1) << random.in(0, 5)
                                      : random.in(1, 20));
    SharedLayout layout = randomShared(random, shape, 8u << random.in(0, 2));
    SCOPED_TRACE(text(layout));
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      int64_t got = layout.contiguousElements(dim);
      ASSERT_TRUE(staysContiguous(layout, dim, got)) << got;
      int64_t longest = 1;
      for (int64_t length = 1; length <= shape[dim]; ++length)
        if (staysContiguous(layout, dim, length))
          longest = length;
      ++total;
      exact += got == longest;
      if (layout.swizzle().bits == 0)
        ASSERT_EQ(got, longest);
      // With a swizzle over rows that are not multiples of its 16 bytes the
      // answer may be a shorter run; never where rows are powers of two.
      bool regular = true;
      for (const Mode &mode : layout.modes())
        regular &= (mode.extent & (mode.extent - 1)) == 0 &&
                   (mode.stride & (mode.stride - 1)) == 0;
      if (regular)
        ASSERT_EQ(got, longest);
    }
  }
  EXPECT_GT(exact * 100, total * 95) << exact << " of " << total;
}

/// Whether all runs of `count` elements along `dim` that start at multiples of
/// it are contiguous and start at multiples of their bytes.
bool staysAligned(const SharedLayout &layout, unsigned dim, int64_t count) {
  if (!staysContiguous(layout, dim, count))
    return false;
  for (Coords coords : allCoords(layout.shape()))
    if (coords[dim] % count == 0 &&
        byteByDefinition(layout, coords) % (count * layout.elementBits() / 8))
      return false;
  return true;
}

TEST(SharedProperty, AlignedElementsStartAtMultiplesOfTheirBytes) {
  Random random(25);
  std::map<int64_t, int> seen;
  for (int i = 0; i < 1500; ++i) {
    Coords shape;
    for (int64_t rank = random.in(1, 3); rank > 0; --rank)
      shape.push_back(random.oneIn(2) ? int64_t(1) << random.in(0, 5)
                                      : random.in(1, 20));
    unsigned bits = 8u << random.in(0, 2);
    SharedLayout layout =
        random.oneIn(3) ? SharedLayout::rowMajor(shape, bits, random.in(0, 9))
                        : randomShared(random, shape, bits);
    SCOPED_TRACE(text(layout));
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      int64_t got = layout.alignedElements(dim);
      ASSERT_TRUE(staysAligned(layout, dim, got)) << got;
      ASSERT_LE(layout.alignedElements(dim, 32) * bits, std::max(32u, bits));
      ++seen[got];
      // Rows that are powers of two are answered exactly.
      bool regular = shape[dim] % (got * 2) == 0 &&
                     layout.contiguousElements(dim) == shape[dim];
      for (const Mode &mode : layout.modes())
        regular &= (mode.extent & (mode.extent - 1)) == 0;
      if (regular && layout.swizzle().bits == 0 && got * 2 <= shape[dim] &&
          got * 2 * bits <= 128)
        ASSERT_FALSE(staysAligned(layout, dim, got * 2)) << got;
    }
  }
  EXPECT_GT(seen[1], 20);
  EXPECT_GT(seen[2], 20);
  EXPECT_GT(seen[4], 20);
  EXPECT_GT(seen[8], 5);
}

//===----------------------------------------------------------------------===//
// Bank conflicts
//===----------------------------------------------------------------------===//

/// A simulator: serves one wavefront after the other, each taking at most one
/// word per bank, until every lane of the group has its words.
int64_t simulatedWavefronts(std::vector<int64_t> lanes, unsigned bytes) {
  std::set<int64_t> wanted;
  for (int64_t address : lanes)
    for (unsigned byte = 0; address >= 0 && byte < bytes; ++byte)
      wanted.insert((address + byte) / 4);
  int64_t count = 0;
  while (!wanted.empty()) {
    std::set<int64_t> busyBanks;
    for (auto it = wanted.begin(); it != wanted.end();) {
      if (busyBanks.insert(*it % 32).second)
        it = wanted.erase(it);
      else
        ++it;
    }
    ++count;
  }
  return count;
}

int64_t simulatedDegree(const std::vector<int64_t> &addresses, unsigned bytes) {
  size_t group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  int64_t wavefronts = 0, groups = 0;
  for (size_t start = 0; start < addresses.size(); start += group) {
    std::vector<int64_t> lanes(addresses.begin() + start,
                               addresses.begin() +
                                   std::min(start + group, addresses.size()));
    int64_t count = simulatedWavefronts(lanes, bytes);
    wavefronts += count;
    groups += count > 0;
  }
  return groups == 0 ? 1 : (wavefronts + groups - 1) / groups;
}

TEST(BankConflicts, MatchTheSimulator) {
  Random random(23);
  for (int i = 0; i < 3000; ++i) {
    unsigned bytes = 1u << random.in(0, 4);
    int64_t pitch = int64_t(1) << random.in(0, 9);
    std::vector<int64_t> addresses;
    for (int64_t lane = 0, lanes = random.in(0, 32); lane < lanes; ++lane) {
      int64_t address =
          random.oneIn(3) ? lane * pitch : random.in(0, 256) * pitch;
      addresses.push_back(random.oneIn(10) ? -1 : address / bytes * bytes);
    }
    ASSERT_EQ(bankConflictDegree(addresses, bytes),
              simulatedDegree(addresses, bytes));
  }
}

TEST(BankConflicts, KnownCases) {
  auto strided = [](int64_t pitch, int lanes = 32) {
    std::vector<int64_t> addresses;
    for (int lane = 0; lane < lanes; ++lane)
      addresses.push_back(lane * pitch);
    return addresses;
  };
  EXPECT_EQ(bankConflictDegree(strided(4), 4), 1);
  EXPECT_EQ(bankConflictDegree(strided(0), 4), 1) << "broadcast";
  EXPECT_EQ(bankConflictDegree(strided(128), 4), 32) << "a column";
  EXPECT_EQ(bankConflictDegree(strided(132), 4), 1) << "a padded column";
  EXPECT_EQ(bankConflictDegree(strided(8), 4), 2);
  EXPECT_EQ(bankConflictDegree(strided(8), 8), 1);
  EXPECT_EQ(bankConflictDegree(strided(16), 16), 1);
  EXPECT_EQ(bankConflictDegree(strided(128), 16), 8);
  EXPECT_EQ(bankConflictDegree({}, 16), 1);
}

/// Degrees of all stores of one warp, where lanes with bit `exchange->lane`
/// store run r ^ `exchange->reg` in place of run r, by the simulator.
int64_t simulatedStores(const FragmentLayout &fragment,
                        const SharedLayout &shared, int64_t vector,
                        std::optional<LaneExchange> exchange) {
  int64_t sum = 0;
  for (int64_t reg = 0; reg < fragment.numRegisters(); reg += vector) {
    std::vector<int64_t> addresses;
    for (int64_t lane = 0; lane < 32; ++lane) {
      bool turns = exchange && (lane & exchange->lane);
      auto coords = fragment.axisCoordinates(Axis::Lane, lane);
      auto own = fragment.axisCoordinates(Axis::Register,
                                          turns ? reg ^ exchange->reg : reg);
      for (unsigned d = 0; d < fragment.rank(); ++d)
        coords[d] += own[d];
      addresses.push_back(shared.byteOffset(coords));
    }
    sum += simulatedDegree(addresses, vector * shared.elementBits() / 8);
  }
  return sum;
}

TEST(LaneExchanges, AreTheBestOfAll) {
  // Accumulators of wgmma in panels that TMA reads.
  for (int64_t columns : {32, 64, 128})
    for (unsigned bits : {16u, 32u, 64u}) {
      FragmentLayout fragment({64, columns},
                              {{2, 1, 1}, {2, 0, 8}, {columns / 8, 1, 8}},
                              {{4, 1, 2}, {8, 0, 1}}, {{4, 0, 16}});
      SharedLayout shared =
          SharedLayout::swizzled({64, columns}, bits, /*panels=*/true);
      int64_t runs = fragment.numRegisters() / 2;
      int64_t plain = simulatedStores(fragment, shared, 2, std::nullopt);
      int64_t best = plain;
      for (int64_t lane = 1; lane < 32; lane *= 2)
        for (int64_t reg = 2; reg < fragment.numRegisters(); reg *= 2)
          best = std::min(best, simulatedStores(fragment, shared, 2,
                                                LaneExchange{lane, reg}));
      std::optional<LaneExchange> found = findLaneExchange(fragment, shared, 2);
      EXPECT_EQ(simulatedStores(fragment, shared, 2, found), best)
          << columns << " columns of " << bits << " bits";
      EXPECT_EQ(found.has_value(), best < plain);
      if (bits == 32) {
        EXPECT_EQ(plain, 2 * runs);
        EXPECT_EQ(best, columns == 32 ? best : runs);
      }
    }
}

/// Whether `vector` registers can be one access: coordinates step along dim,
/// bytes are contiguous and aligned, and no run straddles the bounds.
bool isAccess(const FragmentLayout &fragment, const SharedLayout &shared,
              unsigned dim, int64_t vector) {
  int64_t registers = fragment.numRegisters();
  if (registers % vector != 0)
    return false;
  int64_t bytes = shared.elementBits() / 8;
  for (const HardwareIndex &index : allIndices(fragment)) {
    if (index.reg % vector != 0)
      continue;
    Coords start = coordinatesByDefinition(fragment, index);
    int inBounds = 0;
    for (int64_t step = 0; step < vector; ++step) {
      HardwareIndex next = index;
      next.reg += step;
      Coords coords = coordinatesByDefinition(fragment, next);
      Coords expected = start;
      expected[dim] += step;
      if (coords != expected)
        return false;
      if (!inside(coords, fragment.shape()))
        continue;
      ++inBounds;
      if (inside(start, fragment.shape()) &&
          byteByDefinition(shared, coords) !=
              byteByDefinition(shared, start) + step * bytes)
        return false;
    }
    if (inBounds != 0 && inBounds != vector)
      return false;
    if (inBounds != 0 &&
        byteByDefinition(shared, start) % (vector * bytes) != 0)
      return false;
  }
  return true;
}

TEST(SharedProperty, WidestVectorAndConflictsByEnumeration) {
  Random random(24);
  std::map<int64_t, int> seen;
  for (int i = 0; i < 500; ++i) {
    Coords shape;
    for (int64_t rank = random.in(1, 2); rank > 0; --rank)
      shape.push_back(random.oneIn(2) ? int64_t(1) << random.in(1, 5)
                                      : random.in(1, 24));
    unsigned bits = 8u << random.in(0, 2);
    FragmentLayout fragment =
        random.oneIn(2)
            ? randomBlockFragment(random, shape, random.in(1, 2))
            : FragmentLayout::blocked(shape, 32, 1 << random.in(0, 3),
                                      {unsigned(shape.size() - 1)});
    ASSERT_TRUE(bool(fragment.verify())) << text(fragment);
    SharedLayout shared =
        random.oneIn(2) ? randomShared(random, shape, bits)
                        : SharedLayout::swizzled(shape, bits, random.oneIn(2));
    SCOPED_TRACE(text(fragment) + " / " + text(shared));
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      int64_t widest = 1;
      for (int64_t vector = 1; vector * bits <= 128; vector *= 2)
        if (isAccess(fragment, shared, dim, vector))
          widest = vector;
      int64_t got = widestVector(fragment, shared, dim);
      bool regular = true;
      for (const Mode &mode : shared.modes())
        regular &= (mode.extent & (mode.extent - 1)) == 0 &&
                   (mode.stride & (mode.stride - 1)) == 0;
      if (regular || shared.swizzle().bits == 0)
        ASSERT_EQ(got, widest) << "dimension " << dim;
      else
        ASSERT_TRUE(isAccess(fragment, shared, dim, got));
      ASSERT_LE(widestVector(fragment, shared, dim, 32) * bits,
                std::max(32u, bits));
      ++seen[got];

      int64_t worst = 1;
      for (int64_t warp = 0; warp < fragment.size(Axis::Warp); ++warp)
        for (int64_t reg = 0; reg < fragment.numRegisters(); reg += got) {
          std::vector<int64_t> addresses;
          for (int64_t lane = 0; lane < 32; ++lane) {
            Coords coords =
                coordinatesByDefinition(fragment, {reg, lane, warp, 0});
            addresses.push_back(
                inside(coords, shape) ? byteByDefinition(shared, coords) : -1);
          }
          worst = std::max(worst, simulatedDegree(addresses, got * bits / 8));
        }
      ASSERT_EQ(bankConflictDegree(fragment, shared, dim, got), worst);
    }
  }
  EXPECT_GT(seen[4], 20);
  EXPECT_GT(seen[8], 5);
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

TEST(SharedLayout, RowMajorAndPadding) {
  SharedLayout plain = SharedLayout::rowMajor({128, 32}, 16);
  EXPECT_EQ(text(plain),
            "shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)]");
  EXPECT_EQ(plain.sizeInBytes(), 128 * 32 * 2);
  EXPECT_EQ(plain.alignment(), 16);
  EXPECT_EQ(plain.contiguousElements(1), 32);
  EXPECT_EQ(plain.contiguousElements(0), 1);
  SharedLayout padded = SharedLayout::rowMajor({128, 32}, 16, 8);
  EXPECT_EQ(padded.linearOffset({1, 0}), 40);
  EXPECT_EQ(padded.sizeInBytes(), 128 * 40 * 2);
  EXPECT_EQ(SharedLayout::rowMajor({4, 6}, 4).byteOffset({1, 1}), 3);
}

TEST(SharedLayout, SwizzledMatchesTma) {
  struct Case {
    Coords shape;
    unsigned bits;
    bool panels;
    const char *expected;
  };
  const Case cases[] = {
      {{128, 64},
       16,
       false,
       "shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] "
       "swizzle(3, 4, 3)"},
      {{128, 32},
       16,
       false,
       "shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)] "
       "swizzle(2, 4, 3)"},
      {{128, 16},
       16,
       false,
       "shape [128, 16] bits 16 modes [(16, 1:1), (128, 0:16)] "
       "swizzle(1, 4, 3)"},
      {{32, 128},
       16,
       false,
       "shape [32, 128] bits 16 modes [(128, 1:1), (32, 0:128)] "
       "swizzle(3, 4, 4)"},
      {{32, 128},
       16,
       true,
       "shape [32, 128] bits 16 modes [(64, 1:1), (32, 0:64), (2, 1:2048)] "
       "swizzle(3, 4, 3)"},
      {{2, 32, 96},
       16,
       true,
       "shape [2, 32, 96] bits 16 modes [(32, 2:1), (32, 1:32), (3, 2:1024), "
       "(2, 0:3072)] swizzle(2, 4, 3)"},
      {{64, 96},
       16,
       false,
       "shape [64, 96] bits 16 modes [(96, 1:1), (64, 0:104)]"},
      {{64, 8}, 16, false, "shape [64, 8] bits 16 modes [(8, 1:1), (64, 0:8)]"},
      {{256}, 32, false, "shape [256] bits 32 modes [(256, 0:1)]"},
  };
  for (const Case &c : cases) {
    SharedLayout layout = SharedLayout::swizzled(c.shape, c.bits, c.panels);
    EXPECT_EQ(text(layout), c.expected);
    EXPECT_TRUE(bool(layout.verify()));
    EXPECT_TRUE(layout.isInjective());
  }
}

TEST(SharedLayout, SwizzledIsFreeOfLdmatrixConflicts) {
  Random random(25);
  for (int i = 0; i < 300; ++i) {
    unsigned bits = 8u << random.in(0, 2);
    int64_t rows = 8 * random.in(1, 8), columns = 128 / bits * random.in(1, 20);
    for (bool panels : {false, true}) {
      SharedLayout layout =
          SharedLayout::swizzled({rows, columns}, bits, panels);
      SCOPED_TRACE(text(layout));
      EXPECT_EQ(ldmatrixConflictDegree(layout, 0, 1), 1);
      EXPECT_GE(layout.contiguousElements(1) * bits, 128);
    }
  }
  EXPECT_EQ(ldmatrixConflictDegree(SharedLayout::rowMajor({64, 64}, 16), 0, 1),
            8);
  EXPECT_EQ(ldmatrixConflictDegree(SharedLayout::rowMajor({64, 32}, 16), 0, 1),
            4);
}

TEST(SharedLayout, RefusesWhatHasNoMeaning) {
  auto reason = [](const SharedLayout &layout) {
    OrRefusal<bool> ok = layout.verify();
    return ok ? std::string("accepted") : ok.reason();
  };
  EXPECT_EQ(reason(SharedLayout({4}, 12, {{4, 0, 1}})),
            "expected an element width that is a power of two up to 128 bits, "
            "got 12");
  EXPECT_EQ(reason(SharedLayout({4}, 8, {{3, 0, 1}})),
            "expected the modes of dimension 0 to cover its extent 4, got 3");
  EXPECT_EQ(reason(SharedLayout({4}, 8, {{4, 1, 1}})),
            "expected a dimension below 1 in mode 0, got 1");
  EXPECT_EQ(reason(SharedLayout({4}, 8, {{4, 0, -1}})),
            "expected a non-negative stride in mode 0, got -1");
  EXPECT_EQ(reason(SharedLayout({4}, 8, {{0, 0, 1}})),
            "expected a positive extent in mode 0, got 0");
  EXPECT_EQ(
      reason(SharedLayout({4}, 8, {{int64_t(1) << 40, 0, int64_t(1) << 40}})),
      "offsets reached by mode 0 overflow 64 bits");
  EXPECT_EQ(reason(SharedLayout({4}, 32, {{4, 0, 1}}, {1, 1, 3})),
            "swizzle base 1 would split elements of 32 bits");
  EXPECT_EQ(reason(SharedLayout::rowMajor({1 << 20, 1 << 20}, 8)),
            "expected at most 16777216 bytes, got offsets up to "
            "1099512676352");
  EXPECT_EQ(reason(SharedLayout({1 << 20, 1 << 20}, 8,
                                {{1 << 20, 0, 0}, {1 << 20, 1, 1}})),
            "expected at most 16777216 elements");
  EXPECT_EQ(reason(SharedLayout({4}, 32, {{4, 0, 1}}, {1, 4, 0})),
            "expected a swizzle shift of at least 1, got 0");
}

} // namespace
