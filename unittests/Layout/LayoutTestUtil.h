//===- LayoutTestUtil.h - generated layouts and brute force -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the property tests share: a fixed-seed generator of layouts and the
// definitions of the layout maps written again, naively, so that the library is
// compared with something that does not use it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_UNITTESTS_LAYOUT_LAYOUTTESTUTIL_H
#define TILE_UNITTESTS_LAYOUT_LAYOUTTESTUTIL_H

#include "tile/Layout/FragmentLayout.h"
#include "tile/Layout/SharedLayout.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace layouttest {
using namespace mlir::tile;
using Coords = std::vector<int64_t>;

/// mt19937 gives the same numbers everywhere; the standard distributions don't.
class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  /// In [low, high].
  int64_t in(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  bool oneIn(int64_t n) { return in(1, n) == 1; }
  template <typename T> void shuffle(std::vector<T> &values) {
    for (size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[in(0, int64_t(i) - 1)]);
  }

private:
  std::mt19937 engine;
};

inline int64_t sizeOf(const Modes &modes) {
  int64_t size = 1;
  for (const Mode &mode : modes)
    size *= mode.extent;
  return size;
}

/// The definition of a fragment layout.
inline Coords coordinatesByDefinition(const FragmentLayout &layout,
                                      const HardwareIndex &index) {
  Coords coords(layout.rank(), 0);
  const std::pair<Axis, int64_t> parts[] = {{Axis::Register, index.reg},
                                            {Axis::Lane, index.lane},
                                            {Axis::Warp, index.warp},
                                            {Axis::Block, index.block}};
  for (auto [axis, value] : parts) {
    int64_t weight = 1;
    for (const Mode &mode : layout.modes(axis)) {
      int64_t digit = value / weight % mode.extent;
      weight *= mode.extent;
      if (mode.dim >= 0)
        coords[mode.dim] += digit * mode.stride;
    }
  }
  return coords;
}

/// Every hardware index, registers fastest, then lanes, warps, blocks.
inline std::vector<HardwareIndex> allIndices(const FragmentLayout &layout) {
  std::vector<HardwareIndex> result;
  for (int64_t b = 0; b < sizeOf(layout.modes(Axis::Block)); ++b)
    for (int64_t w = 0; w < sizeOf(layout.modes(Axis::Warp)); ++w)
      for (int64_t l = 0; l < sizeOf(layout.modes(Axis::Lane)); ++l)
        for (int64_t r = 0; r < sizeOf(layout.modes(Axis::Register)); ++r)
          result.push_back({r, l, w, b});
  return result;
}

inline bool inside(const Coords &coords, llvm::ArrayRef<int64_t> shape) {
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (coords[dim] < 0 || coords[dim] >= shape[dim])
      return false;
  return true;
}

inline std::vector<Coords> allCoords(llvm::ArrayRef<int64_t> shape) {
  std::vector<Coords> result = {{}};
  for (int64_t extent : shape) {
    std::vector<Coords> next;
    for (const Coords &prefix : result)
      for (int64_t value = 0; value < extent; ++value) {
        next.push_back(prefix);
        next.back().push_back(value);
      }
    result = std::move(next);
  }
  return result;
}

/// The definition of a shared layout: byte offset of an element.
inline int64_t byteByDefinition(const SharedLayout &layout,
                                const Coords &coords) {
  Coords rest = coords;
  int64_t offset = 0;
  for (const Mode &mode : layout.modes()) {
    offset += rest[mode.dim] % mode.extent * mode.stride;
    rest[mode.dim] /= mode.extent;
  }
  int64_t byte = offset * layout.elementBits() / 8;
  Swizzle s = layout.swizzle();
  int64_t result = byte;
  for (unsigned bit = 0; bit < s.bits; ++bit)
    if (byte >> (s.base + s.shift + bit) & 1)
      result ^= int64_t(1) << (s.base + bit);
  return result;
}

template <typename Layout> std::string text(const Layout &layout) {
  std::string result;
  llvm::raw_string_ostream os(result);
  layout.print(os);
  return result;
}

struct GeneratorOptions {
  bool weird = false;  // overlapping strides, uncovered coordinates
  bool blocks = false; // a cluster axis
};

/// A small layout: per dimension a mixed-radix number whose digits are dealt to
/// the axes in random order, cut to a shape that may be smaller (overshoot).
inline FragmentLayout randomFragment(Random &random,
                                     GeneratorOptions options = {}) {
  unsigned rank = random.in(1, 3);
  Coords shape;
  std::vector<std::pair<Mode, unsigned>> placed;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t reach = 1;
    for (int64_t digits = random.in(0, 3); digits > 0; --digits) {
      int64_t extent = random.in(1, rank == 3 ? 3 : 5);
      int64_t stride = reach;
      if (options.weird && random.oneIn(3))
        stride = random.in(1, reach + 1);
      placed.push_back({{extent, int(dim), stride},
                        unsigned(random.in(0, options.blocks ? 3 : 2))});
      reach += (extent - 1) * stride;
    }
    shape.push_back(random.oneIn(3) ? random.in(1, reach) : reach);
  }
  while (random.oneIn(3))
    placed.push_back({{random.in(2, 3), Mode::kReplicated, 0},
                      unsigned(random.in(0, options.blocks ? 3 : 2))});
  random.shuffle(placed);
  Modes axes[kNumAxes];
  for (auto &[mode, axis] : placed)
    axes[axis].push_back(mode);
  if (sizeOf(axes[1]) * sizeOf(axes[2]) > kMaxThreads ||
      sizeOf(axes[3]) > kMaxBlocks)
    return randomFragment(random, options);
  return FragmentLayout(shape, axes[0], axes[1], axes[2], axes[3]);
}

/// A fragment over real warps with the shape given: random thread and register
/// counts per dimension, in random order of digits.
inline FragmentLayout randomBlockFragment(Random &random, Coords shape,
                                          int64_t warps) {
  std::vector<Mode> digits;
  Modes reg, lane, warp;
  std::vector<int64_t> unit(shape.size(), 1);
  auto add = [&](Modes &axis, int64_t extent) {
    int dim = random.in(0, int64_t(shape.size()) - 1);
    if (unit[dim] >= shape[dim])
      axis.push_back({extent, Mode::kReplicated, 0});
    else
      axis.push_back({extent, dim, unit[dim]}), unit[dim] *= extent;
  };
  int64_t first = random.in(0, 3);
  if (first > 0)
    add(reg, int64_t(1) << first);
  for (int64_t left = 32; left > 1;) {
    int64_t extent = std::min<int64_t>(left, int64_t(1) << random.in(1, 3));
    add(lane, extent);
    left /= extent;
  }
  if (warps > 1)
    add(warp, warps);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (unit[dim] < shape[dim])
      reg.push_back(
          {(shape[dim] + unit[dim] - 1) / unit[dim], int(dim), unit[dim]});
  return FragmentLayout(shape, reg, lane, warp);
}

} // namespace layouttest
#endif // TILE_UNITTESTS_LAYOUT_LAYOUTTESTUTIL_H
