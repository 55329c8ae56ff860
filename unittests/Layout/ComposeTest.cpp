//===- ComposeTest.cpp - all small pairs against the definition -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Layout/Compose.h"
#include "LayoutTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace layouttest;

namespace {

using Values = std::vector<int64_t>;

/// Integer layout from (extent, stride) pairs.
Modes integers(std::initializer_list<std::pair<int64_t, int64_t>> pairs) {
  Modes modes;
  for (auto [extent, stride] : pairs)
    modes.push_back({extent, 0, stride});
  return modes;
}

Values valuesOf(const Modes &modes) {
  Values values;
  for (int64_t index = 0; index < sizeOf(modes); ++index) {
    int64_t rest = index, value = 0;
    for (const Mode &mode : modes) {
      if (mode.dim >= 0)
        value += rest % mode.extent * mode.stride;
      rest /= mode.extent;
    }
    values.push_back(value);
  }
  return values;
}

/// Whether some list of modes has these values: tries every ordered
/// factorization of their number. Independent of the library's fitting.
bool hasForm(const Values &values, size_t step = 1) {
  size_t size = values.size();
  if (step == size)
    return true;
  for (size_t extent = 2; extent <= size / step; ++extent) {
    if ((size / step) % extent != 0 || values[step] < 0)
      continue;
    bool fits = true;
    for (size_t index = 0; index < size && fits; index += step) {
      size_t digit = index / step % extent;
      fits = values[index] ==
             values[index - digit * step] + int64_t(digit) * values[step];
    }
    if (fits && hasForm(values, step * extent))
      return true;
  }
  return false;
}

std::string textOf(const Modes &modes) {
  std::string result;
  for (const Mode &mode : modes)
    result += "(" + std::to_string(mode.extent) + ":" +
              std::to_string(mode.stride) + ")";
  return result;
}

/// All layouts with up to `rank` modes of the given extents and strides.
std::vector<Modes> allLayouts(unsigned rank, Values extents, Values strides) {
  std::vector<Modes> result = {Modes{}}, last = result;
  for (unsigned i = 0; i < rank; ++i) {
    std::vector<Modes> next;
    for (const Modes &modes : last)
      for (int64_t extent : extents)
        for (int64_t stride : strides) {
          next.push_back(modes);
          next.back().push_back({extent, 0, stride});
        }
    result.insert(result.end(), next.begin(), next.end());
    last = std::move(next);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

TEST(Compose, Cutlass3177WeakDivisibility) {
  // A = (4,6,8):(2,3,5), B = 6:3 was accepted as (2,3):(6,3), which gives 3 at
  // index 2 where A(B(2)) = 7. The values have no form.
  Modes a = integers({{4, 2}, {6, 3}, {8, 5}}), b = integers({{6, 3}});
  Values defined;
  for (int64_t value : valuesOf(b))
    defined.push_back(valuesOf(a)[value]);
  EXPECT_EQ(defined, (Values{0, 6, 7, 8, 9, 15}));
  EXPECT_FALSE(hasForm(defined));
  OrRefusal<Modes> c = compose(a, b);
  ASSERT_FALSE(bool(c));
  EXPECT_EQ(c.reason(),
            "inner mode 0 (6:3) does not divide the outer digit of extent 4 at "
            "1; index 3 departs from the digit of extent 2 at 1");
}

TEST(Compose, Cutlass2955CarryBetweenDigits) {
  // A = (6,2):(1,7), B = (3,2):(2,3): the digits of B overlap, 2*2 + 3 carries.
  Modes a = integers({{6, 1}, {2, 7}}), b = integers({{3, 2}, {2, 3}});
  Values defined;
  for (int64_t value : valuesOf(b))
    defined.push_back(valuesOf(a)[value]);
  EXPECT_EQ(defined, (Values{0, 2, 4, 3, 5, 8}));
  OrRefusal<Modes> c = compose(a, b);
  ASSERT_FALSE(bool(c));
  EXPECT_NE(c.reason().find("inner mode 1 (2:3) carries into the next: its "
                            "stride is no multiple of 6"),
            std::string::npos)
      << c.reason();
}

TEST(Compose, AllSmallPairs) {
  std::vector<Modes> outers = allLayouts(3, {2, 3, 4}, {0, 1, 2, 5});
  std::vector<Modes> inners = allLayouts(2, {2, 3, 4}, {0, 1, 2, 3, 4, 6});
  int64_t accepted = 0, refused = 0, outside = 0;
  for (const Modes &outer : outers) {
    Values outerValues = valuesOf(outer);
    for (const Modes &inner : inners) {
      OrRefusal<Modes> composed = compose(outer, inner);
      Values defined;
      bool inDomain = true;
      for (int64_t value : valuesOf(inner)) {
        inDomain &= value < int64_t(outerValues.size());
        defined.push_back(inDomain ? outerValues[value] : 0);
      }
      if (!inDomain) {
        ASSERT_FALSE(bool(composed));
        ++outside;
      } else if (composed) {
        ASSERT_EQ(valuesOf(*composed), defined)
            << textOf(outer) << " o " << textOf(inner);
        ++accepted;
      } else {
        // Refused only where the definition has no form.
        ASSERT_FALSE(hasForm(defined))
            << textOf(outer) << " o " << textOf(inner) << composed.reason();
        ++refused;
      }
    }
  }
  EXPECT_GT(accepted, 20000);
  EXPECT_GT(refused, 5000);
  EXPECT_GT(outside, 5000);
}

TEST(Compose, KeepsDimensions) {
  // Every second lane of an accumulator, and lanes through a permutation.
  FragmentLayout acc = *mmaSyncFragment({16, 8, 16}, MmaOperand::C, 32);
  Modes lanes = acc.modes(Axis::Lane);
  OrRefusal<Modes> half = compose(lanes, integers({{16, 2}}));
  ASSERT_TRUE(bool(half));
  EXPECT_EQ(*half, (Modes{{2, 1, 4}, {8, 0, 1}}));
  OrRefusal<Modes> swapped = compose(lanes, integers({{8, 4}, {4, 1}}));
  ASSERT_TRUE(bool(swapped));
  EXPECT_EQ(*swapped, (Modes{{8, 0, 1}, {4, 1, 2}}));
}

TEST(Compose, LargeSizesByDivisibilityOnly) {
  constexpr int64_t big = int64_t(1) << 30;
  OrRefusal<Modes> ok = compose(integers({{big, 3}}), integers({{big / 2, 2}}));
  ASSERT_TRUE(bool(ok));
  EXPECT_EQ(*ok, integers({{big / 2, 6}}));
  OrRefusal<Modes> no =
      compose(integers({{3, 1}, {big, 7}}), integers({{big, 2}}));
  ASSERT_FALSE(bool(no));
  EXPECT_EQ(no.reason(), "inner mode 0 (1073741824:2) does not divide the "
                         "outer digit of extent 3 at 1");
  EXPECT_EQ(compose(integers({{4, big}}), integers({{8, 1}})).reason(),
            "the inner layout reaches 7, outside of the outer layout's 4 "
            "indices");
  EXPECT_EQ(
      compose(integers({{big, 4 * big}, {big, 4 * big}}), integers({{2, 1}}))
          .reason(),
      "outer layout: mode 1 (1073741824:4294967296) overflows 64 bits");
  EXPECT_EQ(compose(integers({{4, 1}}), Modes{{2, 1, 1}}).reason(),
            "expected an inner layout over dimension 0 only, got dimension 1 "
            "in mode 0");
  EXPECT_EQ(compose(integers({{4, -1}}), integers({{2, 1}})).reason(),
            "outer layout: expected a non-negative stride and dimension, got "
            "mode 0 (4:-1)");
}

//===----------------------------------------------------------------------===//
// Inverse and complement
//===----------------------------------------------------------------------===//

bool isBijection(Values values) {
  std::sort(values.begin(), values.end());
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != int64_t(i))
      return false;
  return true;
}

TEST(Inverse, AllSmallLayouts) {
  int inverted = 0;
  for (const Modes &modes :
       allLayouts(3, {1, 2, 3, 4}, {0, 1, 2, 3, 4, 6, 8, 12})) {
    Values values = valuesOf(modes);
    OrRefusal<Modes> inverted_ = inverse(modes);
    ASSERT_EQ(bool(inverted_), isBijection(values)) << textOf(modes);
    if (!inverted_)
      continue;
    ++inverted;
    Values back = valuesOf(*inverted_);
    ASSERT_EQ(back.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(back[values[i]], int64_t(i)) << textOf(modes);
  }
  EXPECT_GT(inverted, 100);
  EXPECT_EQ(inverse(integers({{4, 1}, {2, 8}})).reason(),
            "expected stride 4 in mode 1 (2:8): the layout is not a bijection "
            "of its indices");
}

TEST(Complement, AllSmallLayouts) {
  std::vector<Modes> candidates =
      allLayouts(3, {2, 3, 4, 6}, {1, 2, 3, 4, 6, 8, 12});
  int found = 0, refused = 0;
  for (const Modes &modes : allLayouts(2, {2, 3, 4}, {0, 1, 2, 3, 4, 6, 8}))
    for (int64_t size : {1, 4, 6, 8, 12, 24}) {
      OrRefusal<Modes> rest = complement(modes, size);
      auto completes = [&](const Modes &other) {
        if (sizeOf(modes) * sizeOf(other) != size)
          return false;
        Modes both = modes;
        both.append(other.begin(), other.end());
        return isBijection(valuesOf(both));
      };
      if (rest) {
        ASSERT_TRUE(completes(*rest)) << textOf(modes) << " in " << size;
        ++found;
      } else {
        // Refused only where no small layout would do.
        for (const Modes &other : candidates)
          ASSERT_FALSE(completes(other))
              << textOf(modes) << " in " << size << ": " << textOf(other);
        ++refused;
      }
    }
  EXPECT_GT(found, 50);
  EXPECT_GT(refused, 500);
  EXPECT_EQ(complement(integers({{2, 3}}), 8).reason(),
            "expected a size that is a multiple of 6, got 8");
  EXPECT_EQ(complement(integers({{4, 1}, {2, 6}}), 24).reason(),
            "expected the stride of mode 1 (2:6) to be a multiple of 4");
  EXPECT_EQ(complement(integers({{4, 0}}), 8).reason(),
            "mode 0 (4:0) repeats values: the layout is not injective");
}

TEST(Inverse, FragmentDigitsFindTheFirstOwner) {
  Random random(41);
  int inverted = 0;
  for (int i = 0; i < 600; ++i) {
    FragmentLayout layout = randomFragment(random, {i % 4 == 0, i % 3 == 0});
    OrRefusal<llvm::SmallVector<CoordinateDigit>> digits = inverse(layout);
    if (!digits)
      continue;
    ++inverted;
    for (const Coords &coords : allCoords(layout.shape())) {
      int64_t index[kNumAxes] = {};
      Coords rest = coords;
      for (const CoordinateDigit &digit : *digits) {
        index[unsigned(digit.axis)] +=
            rest[digit.dim] % digit.extent * digit.weight;
        rest[digit.dim] /= digit.extent;
      }
      HardwareIndex first{index[0], index[1], index[2], index[3]};
      ASSERT_TRUE(layout.owners(coords).front() == first) << text(layout);
      ASSERT_EQ(coordinatesByDefinition(layout, first), coords);
    }
  }
  EXPECT_GT(inverted, 300);
}

TEST(ModesOfFunction, NamesTheIndexThatDeparts) {
  auto reason = [](int64_t size, std::function<int64_t(int64_t)> function,
                   bool partial = false) {
    OrRefusal<Modes> modes = modesOfFunction(
        size, 1,
        [&](int64_t index, llvm::MutableArrayRef<int64_t> coords) {
          coords[0] = function(index);
        },
        partial);
    return modes ? textOf(*modes) : modes.reason();
  };
  EXPECT_EQ(reason(12, [](int64_t i) { return i / 3 + i % 3 * 4; }),
            "(3:4)(4:1)");
  EXPECT_EQ(reason(8, [](int64_t i) { return i ^ (i >> 2); }),
            "index 5 departs from the digit of extent 4 at 1");
  EXPECT_EQ(reason(8, [](int64_t i) { return i + 1; }),
            "expected the value 0 at index 0, got 1 along dimension 0");
  EXPECT_EQ(reason(8, [](int64_t i) { return -i; }),
            "the step to index 1 is negative");
  EXPECT_EQ(reason(10, [](int64_t i) { return i / 4 * 16 + i % 4; }),
            "the digit of extent 4 at 1 does not divide the 10 values left");
  EXPECT_EQ(reason(
                10, [](int64_t i) { return i / 4 * 16 + i % 4; }, true),
            "(4:1)(3:16)");
}

} // namespace
