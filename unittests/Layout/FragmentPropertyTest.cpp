//===- FragmentPropertyTest.cpp - every element of generated fragments ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutTestUtil.h"
#include "gtest/gtest.h"

using namespace layouttest;

namespace {

using Owners = std::map<Coords, std::vector<HardwareIndex>>;

Owners ownersByDefinition(const FragmentLayout &layout) {
  Owners owners;
  for (const HardwareIndex &index : allIndices(layout))
    owners[coordinatesByDefinition(layout, index)].push_back(index);
  return owners;
}

using Thread = std::array<int64_t, 3>;
Thread threadOf(const HardwareIndex &index) {
  return {index.block, index.warp, index.lane};
}

std::map<Thread, std::set<Coords>> heldBy(const FragmentLayout &layout) {
  std::map<Thread, std::set<Coords>> held;
  for (const HardwareIndex &index : allIndices(layout)) {
    Coords coords = coordinatesByDefinition(layout, index);
    std::set<Coords> &mine = held[threadOf(index)];
    if (inside(coords, layout.shape()))
      mine.insert(coords);
  }
  return held;
}

Coords toVector(llvm::ArrayRef<int64_t> values) {
  return Coords(values.begin(), values.end());
}

template <typename Fn> void forGenerated(unsigned seed, int count, Fn check) {
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    GeneratorOptions options;
    options.weird = i % 2 == 1;
    options.blocks = i % 3 == 0;
    FragmentLayout layout = randomFragment(random, options);
    SCOPED_TRACE(text(layout));
    check(layout, random);
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(FragmentProperty, CoordinatesFollowTheDefinition) {
  forGenerated(1, 1500, [](const FragmentLayout &layout, Random &) {
    for (const HardwareIndex &index : allIndices(layout)) {
      Coords expected = coordinatesByDefinition(layout, index);
      ASSERT_EQ(toVector(layout.coordinates(index)), expected);
      Coords sum(layout.rank(), 0);
      const int64_t values[] = {index.reg, index.lane, index.warp, index.block};
      for (unsigned axis = 0; axis < kNumAxes; ++axis)
        for (auto [dim, part] :
             llvm::enumerate(layout.axisCoordinates(Axis(axis), values[axis])))
          sum[dim] += part;
      ASSERT_EQ(sum, expected) << "the map is separable";
    }
  });
}

TEST(FragmentProperty, OwnersAreTheInverseImage) {
  forGenerated(2, 1200, [](const FragmentLayout &layout, Random &) {
    Owners owners = ownersByDefinition(layout);
    bool covered = true, bijective = true;
    int64_t replication = 1;
    for (const Coords &coords : allCoords(layout.shape())) {
      const std::vector<HardwareIndex> &expected = owners[coords];
      llvm::SmallVector<HardwareIndex> got = layout.owners(coords);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(got[i] == expected[i]) << "owner " << i << " in order";
      covered &= !expected.empty();
      bijective &= expected.size() == 1;
      std::set<Thread> threads;
      for (const HardwareIndex &index : expected)
        threads.insert(threadOf(index));
      replication = std::max<int64_t>(replication, threads.size());
    }
    EXPECT_EQ(bool(layout.verify()), covered);
    if (covered)
      EXPECT_EQ(layout.isBijective(), bijective);
    EXPECT_EQ(layout.replication(), replication);
    bool overshoots = false;
    for (auto &[coords, indices] : owners)
      overshoots |= !indices.empty() && !inside(coords, layout.shape());
    EXPECT_EQ(layout.overshoots(), overshoots);
    // Out of bounds is held by no thread, whatever the digits reach.
    EXPECT_TRUE(layout.owners(layout.shape()).empty());
  });
}

TEST(FragmentProperty, CanonicalFormKeepsTheMapAndDecidesEquivalence) {
  Random random(3);
  for (int i = 0; i < 1500; ++i) {
    FragmentLayout layout = randomFragment(random, {true, i % 3 == 0});
    // A respelling: some modes split into two, unit modes added.
    Modes axes[kNumAxes];
    for (unsigned axis = 0; axis < kNumAxes; ++axis)
      for (const Mode &mode : layout.modes(Axis(axis))) {
        if (random.oneIn(3))
          axes[axis].push_back({1, Mode::kReplicated, 0});
        if (mode.extent == 4 && random.oneIn(2)) {
          axes[axis].push_back({2, mode.dim, mode.stride});
          axes[axis].push_back({2, mode.dim, mode.stride * 2});
        } else {
          axes[axis].push_back(mode);
        }
      }
    FragmentLayout same(layout.shape(), axes[0], axes[1], axes[2], axes[3]);
    // A mutation: two digits of one axis swapped, or a stride changed.
    unsigned axis = random.in(0, 3);
    if (axes[axis].size() > 1 && random.oneIn(2))
      std::swap(axes[axis].front(), axes[axis].back());
    else if (!axes[axis].empty() && !axes[axis].back().isReplication())
      axes[axis].back().stride += 1;
    FragmentLayout other(layout.shape(), axes[0], axes[1], axes[2], axes[3]);
    for (const FragmentLayout *candidate : {&same, &other}) {
      SCOPED_TRACE(text(layout) + " and " + text(*candidate));
      bool equal = true;
      for (unsigned a = 0; a < kNumAxes; ++a)
        equal &=
            sizeOf(layout.modes(Axis(a))) == sizeOf(candidate->modes(Axis(a)));
      if (equal)
        for (const HardwareIndex &index : allIndices(layout))
          equal &= coordinatesByDefinition(layout, index) ==
                   coordinatesByDefinition(*candidate, index);
      ASSERT_EQ(layout.equivalent(*candidate), equal);
      FragmentLayout canonical = candidate->canonicalized();
      for (const HardwareIndex &index : allIndices(*candidate))
        ASSERT_EQ(coordinatesByDefinition(canonical, index),
                  coordinatesByDefinition(*candidate, index));
    }
    ASSERT_TRUE(layout.equivalent(same));
  }
}

TEST(FragmentProperty, SliceForgetsADimensionAndExpandBringsItBack) {
  forGenerated(4, 800, [](const FragmentLayout &layout, Random &random) {
    unsigned dim = random.in(0, layout.rank() - 1);
    for (bool keepDim : {false, true}) {
      OrRefusal<FragmentLayout> sliced = layout.sliced(dim, keepDim);
      ASSERT_TRUE(bool(sliced));
      // The threads that hold an element of the result are those that held
      // some element (or overshoot) of the row it was reduced from.
      std::map<Thread, std::set<Coords>> rows;
      for (const HardwareIndex &index : allIndices(layout)) {
        Coords coords = coordinatesByDefinition(layout, index);
        if (keepDim)
          coords[dim] = 0;
        else
          coords.erase(coords.begin() + dim);
        std::set<Coords> &mine = rows[threadOf(index)];
        if (inside(coords, sliced->shape()))
          mine.insert(coords);
      }
      ASSERT_EQ(heldBy(*sliced), rows);
    }
    int64_t extent = random.in(1, 4);
    FragmentLayout expanded = layout.expanded(dim, extent);
    ASSERT_EQ(expanded.shape()[dim], extent);
    // Sliced again it is what it was; before that, each thread holds its
    // elements once for every value of the new dimension.
    EXPECT_TRUE((*expanded.sliced(dim)).equivalent(layout));
    std::map<Thread, std::set<Coords>> expected;
    for (auto &[thread, elements] : heldBy(layout)) {
      std::set<Coords> &mine = expected[thread];
      for (Coords coords : elements)
        for (int64_t value = 0; value < extent; ++value) {
          Coords longer = coords;
          longer.insert(longer.begin() + dim, value);
          mine.insert(longer);
        }
    }
    EXPECT_EQ(heldBy(expanded), expected);
  });
}

TEST(FragmentProperty, PermutationMovesCoordinates) {
  forGenerated(5, 500, [](const FragmentLayout &layout, Random &random) {
    std::vector<unsigned> order;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      order.push_back(dim);
    random.shuffle(order);
    FragmentLayout permuted = layout.permuted(order);
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      ASSERT_EQ(permuted.shape()[dim], layout.shape()[order[dim]]);
    for (const HardwareIndex &index : allIndices(layout)) {
      Coords before = coordinatesByDefinition(layout, index);
      Coords after = coordinatesByDefinition(permuted, index);
      for (unsigned dim = 0; dim < layout.rank(); ++dim)
        ASSERT_EQ(after[dim], before[order[dim]]);
    }
  });
}

/// The definition: blocks of `width` registers step by one along `dim`.
bool isVector(const FragmentLayout &layout, unsigned dim, int64_t width) {
  int64_t registers = sizeOf(layout.modes(Axis::Register));
  if (registers % width != 0)
    return false;
  for (int64_t reg = 0; reg < registers; ++reg) {
    if (reg % width == 0)
      continue;
    Coords before = coordinatesByDefinition(layout, {reg - 1, 0, 0, 0});
    ++before[dim];
    if (coordinatesByDefinition(layout, {reg, 0, 0, 0}) != before)
      return false;
  }
  return true;
}

TEST(FragmentProperty, VectorWidthIsTheLongestRun) {
  forGenerated(6, 2000, [](const FragmentLayout &layout, Random &) {
    for (unsigned dim = 0; dim < layout.rank(); ++dim) {
      int64_t longest = 1;
      for (int64_t w = 1; w <= sizeOf(layout.modes(Axis::Register)); ++w)
        if (isVector(layout, dim, w))
          longest = w;
      ASSERT_EQ(layout.vectorWidth(dim), longest);
      FragmentLayout faster = layout.withFastestRegisterDim(dim);
      ASSERT_EQ(heldBy(faster), heldBy(layout));
      ASSERT_TRUE(faster.sameOwners(layout));
      // Overlapping strides may order runs of one start differently.
      if (layout.verify() && layout.isBijective())
        ASSERT_GE(faster.vectorWidth(dim), longest);
    }
  });
}

TEST(FragmentProperty, BlockedHoldsEveryElementOfOddShapes) {
  Random random(7);
  for (int i = 0; i < 400; ++i) {
    unsigned rank = random.in(1, 3);
    Coords shape;
    std::vector<unsigned> order;
    for (unsigned dim = 0; dim < rank; ++dim) {
      shape.push_back(random.in(1, rank == 1 ? 700 : rank == 2 ? 50 : 12));
      order.push_back(dim);
    }
    random.shuffle(order);
    int64_t threads = 32 * random.in(1, 6), vector = random.in(1, 8);
    FragmentLayout layout =
        FragmentLayout::blocked(shape, threads, vector, order);
    SCOPED_TRACE(text(layout));
    ASSERT_TRUE(bool(layout.verify())) << layout.verify().reason();
    ASSERT_EQ(layout.size(Axis::Lane), 32);
    ASSERT_EQ(layout.numThreads(), threads);
    ASSERT_EQ(layout.vectorWidth(order[0]) % vector, 0);
    std::map<Coords, std::set<Thread>> holders;
    std::map<Thread, std::set<Coords>> held = heldBy(layout);
    for (auto &[thread, elements] : held)
      for (const Coords &coords : elements)
        holders[coords].insert(thread);
    ASSERT_EQ(holders.size(), allCoords(shape).size());
    for (auto &[coords, threadsOfOne] : holders)
      ASSERT_EQ(int64_t(threadsOfOne.size()), layout.replication());
    FragmentLayout everywhere = FragmentLayout::replicated(shape, threads);
    ASSERT_TRUE(bool(everywhere.verify()));
    ASSERT_EQ(everywhere.replication(), threads);
    ASSERT_FALSE(everywhere.overshoots());
  }
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

std::string classifyByDefinition(const FragmentLayout &from,
                                 const FragmentLayout &to) {
  auto held = heldBy(from);
  bool identity = true, rename = true, shuffle = true, shared = true;
  for (unsigned axis = 0; axis < kNumAxes; ++axis)
    identity &= from.size(Axis(axis)) == to.size(Axis(axis));
  for (const HardwareIndex &index : allIndices(to)) {
    Coords coords = coordinatesByDefinition(to, index);
    if (!inside(coords, to.shape()))
      continue;
    identity = identity && coordinatesByDefinition(from, index) == coords;
    bool inThread = false, inWarp = false, inBlock = false;
    for (auto &[thread, elements] : held) {
      if (!elements.count(coords) || thread[0] != index.block)
        continue;
      inBlock = true;
      if (thread[1] == index.warp) {
        inWarp = true;
        inThread |= thread[2] == index.lane;
      }
    }
    rename &= inThread;
    shuffle &= inWarp;
    shared &= inBlock;
  }
  return identity  ? "identity"
         : rename  ? "register_rename"
         : shuffle ? "warp_shuffle"
         : shared  ? "shared_memory"
                   : "refused";
}

TEST(FragmentProperty, ConversionsAreClassifiedAsByEnumeration) {
  Random random(8);
  std::map<std::string, int> seen;
  for (int i = 0; i < 4000; ++i) {
    FragmentLayout from = randomFragment(random, {i % 4 == 1, i % 3 == 0});
    if (allIndices(from).size() > 256 || !from.verify()) {
      continue;
    }
    // Same digits dealt again: registers shuffled, digits moved between axes
    // of one extent, or a cut of the registers.
    Modes axes[kNumAxes];
    for (unsigned axis = 0; axis < kNumAxes; ++axis)
      axes[axis] = from.modes(Axis(axis));
    for (int64_t swaps = random.in(0, 2); swaps > 0; --swaps) {
      unsigned a = random.in(0, 3), b = random.oneIn(2) ? a : random.in(0, 3);
      if (axes[a].empty() || axes[b].empty())
        continue;
      Mode &x = axes[a][random.in(0, axes[a].size() - 1)];
      Mode &y = axes[b][random.in(0, axes[b].size() - 1)];
      if (a == b || x.extent == y.extent)
        std::swap(x, y);
    }
    if (random.oneIn(4))
      axes[0].push_back({2, Mode::kReplicated, 0});
    FragmentLayout to(from.shape(), axes[0], axes[1], axes[2], axes[3]);
    SCOPED_TRACE(text(from) + " to " + text(to));
    std::string expected = classifyByDefinition(from, to);
    OrRefusal<ConversionClass> got = classifyConversion(from, to);
    std::string kind = got ? stringify(got->kind).str() : "refused";
    ASSERT_EQ(kind, expected) << (got ? got->reason : got.reason());
    ASSERT_EQ(from.sameOwners(to), heldBy(from) == heldBy(to));
    ++seen[kind];
  }
  for (const char *kind : {"identity", "register_rename", "warp_shuffle",
                           "shared_memory", "refused"})
    EXPECT_GT(seen[kind], 10) << kind << " should have been generated";
}

} // namespace
