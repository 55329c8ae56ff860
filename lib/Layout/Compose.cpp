//===- Compose.cpp - algebra of mode lists --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composition is decided in two steps. First by divisibility: if the digit
// boundaries of both layouts form one chain in which each divides the next,
// digits map to digits. That test is sufficient, not necessary, so what fails
// it is evaluated at every index and fitted; the fit is exact, too, because the
// canonical form of a mixed-radix function is unique and can be read off its
// values. A weaker divisibility test than the chain accepts compositions that
// carry between digits and are then wrong (CUTLASS #3177, #2955).
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/Compose.h"
#include "tile/Layout/CheckedMath.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

using namespace mlir::tile;
using llvm::SmallVector;

static std::string modeText(const char *which, size_t position,
                            const Mode &mode) {
  return std::string(which) + " " + std::to_string(position) + " (" +
         std::to_string(mode.extent) + ":" + std::to_string(mode.stride) + ")";
}

static OrRefusal<bool> checkIntegers(const Modes &modes, const char *what) {
  if (OrRefusal<bool> ok = verifyModes(modes); !ok)
    return ok;
  for (auto [position, mode] : llvm::enumerate(modes))
    if (mode.dim > 0)
      return Refusal{std::string("expected ") + what +
                     " over dimension 0 only, got dimension " +
                     std::to_string(mode.dim) + " in mode " +
                     std::to_string(position)};
  return true;
}

/// Largest value of an integer layout.
static int64_t largestValue(const Modes &modes) {
  int64_t sum = 0;
  for (const Mode &mode : modes)
    sum += (mode.extent - 1) * mode.stride;
  return sum;
}

static unsigned rankOf(const Modes &modes) {
  int rank = 1;
  for (const Mode &mode : modes)
    rank = std::max(rank, mode.dim + 1);
  return rank;
}

/// Modes of two or more values, in increasing strides, with their positions.
static SmallVector<std::pair<Mode, size_t>> byStride(const Modes &modes) {
  SmallVector<std::pair<Mode, size_t>> sorted;
  for (auto [position, mode] : llvm::enumerate(modes))
    if (mode.extent > 1)
      sorted.push_back({mode, position});
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::tuple(a.first.stride, a.first.extent, a.second) <
           std::tuple(b.first.stride, b.first.extent, b.second);
  });
  return sorted;
}

/// Composition when all digit boundaries form a divisibility chain.
static OrRefusal<Modes> composeByDivisibility(const Modes &outer,
                                              const Modes &inner) {
  // Boundaries of the outer digits, in index units: 1, e0, e0*e1, ...
  SmallVector<int64_t> starts;
  int64_t weight = 1;
  for (const Mode &mode : outer) {
    starts.push_back(weight);
    weight *= mode.extent;
  }
  // No two inner modes may share a digit, or they would carry.
  int64_t end = 1;
  for (auto [mode, position] : byStride(inner)) {
    if (mode.isReplication() || mode.stride == 0)
      continue;
    if (mode.stride % end != 0)
      return Refusal{modeText("inner mode", position, mode) +
                     " carries into the next: its stride is no multiple of " +
                     std::to_string(end)};
    end = mode.stride * mode.extent;
  }
  Modes result;
  for (auto [position, mode] : llvm::enumerate(inner)) {
    if (mode.extent == 1)
      continue;
    if (mode.isReplication() || mode.stride == 0) {
      result.push_back({mode.extent, Mode::kReplicated, 0});
      continue;
    }
    int64_t from = mode.stride, to = mode.stride * mode.extent;
    for (auto [digit, start] : llvm::zip(outer, starts)) {
      int64_t stop = start * digit.extent;
      if (from >= stop || from >= to)
        continue;
      // Within this digit the inner index runs from `from` to `last`.
      int64_t last = std::min(stop, to);
      if (from % start != 0 || stop % from != 0 || last % from != 0 ||
          stop % last != 0)
        return Refusal{modeText("inner mode", position, mode) +
                       " does not divide the outer digit of extent " +
                       std::to_string(digit.extent) + " at " +
                       std::to_string(start)};
      if (digit.isReplication() || digit.stride == 0)
        result.push_back({last / from, Mode::kReplicated, 0});
      else
        result.push_back({last / from, digit.dim, from / start * digit.stride});
      from = last;
    }
    if (from < to)
      return Refusal{modeText("inner mode", position, mode) +
                     " reaches beyond the outer size of " +
                     std::to_string(weight)};
  }
  return canonicalModes(result);
}

int64_t mlir::tile::sizeOfModes(const Modes &modes) {
  int64_t size = 1;
  for (const Mode &mode : modes)
    size *= mode.extent;
  return size;
}

SmallVector<int64_t> mlir::tile::evaluateModes(const Modes &modes,
                                               int64_t index, unsigned rank) {
  SmallVector<int64_t> coords(rank, 0);
  for (const Mode &mode : modes) {
    if (!mode.isReplication())
      coords[mode.dim] += index % mode.extent * mode.stride;
    index /= mode.extent;
  }
  return coords;
}

// The canonical spelling is unique: the extent of the first mode is the first
// index at which the map departs from index*stride, and the rest follows by
// induction on index / extent.
Modes mlir::tile::canonicalModes(const Modes &modes) {
  Modes result;
  for (Mode mode : modes) {
    if (mode.extent == 1)
      continue;
    if (mode.isReplication() || mode.stride == 0)
      mode = {mode.extent, Mode::kReplicated, 0};
    if (!result.empty()) {
      Mode &last = result.back();
      if (last.dim == mode.dim &&
          (mode.isReplication() || mode.stride == last.stride * last.extent)) {
        last.extent *= mode.extent;
        continue;
      }
    }
    result.push_back(mode);
  }
  return result;
}

OrRefusal<bool> mlir::tile::verifyModes(const Modes &modes) {
  int64_t size = 1, reach = 0;
  for (auto [position, mode] : llvm::enumerate(modes)) {
    std::string name = modeText("mode", position, mode);
    if (mode.extent < 1)
      return Refusal{"expected a positive extent, got " + name};
    if (mode.stride < 0 || mode.dim < Mode::kReplicated)
      return Refusal{"expected a non-negative stride and dimension, got " +
                     name};
    std::optional<int64_t> span = checkedMul(mode.extent, mode.stride);
    std::optional<int64_t> sum = span ? checkedAdd(reach, *span) : span;
    std::optional<int64_t> product = checkedMul(size, mode.extent);
    if (!sum || !product)
      return Refusal{name + " overflows 64 bits"};
    reach = *sum;
    size = *product;
  }
  return true;
}

OrRefusal<Modes> mlir::tile::modesOfFunction(int64_t size, unsigned rank,
                                             ModesFunction function,
                                             bool partial) {
  if (size < 1 || size > kEnumerationLimit)
    return Refusal{"expected between 1 and " +
                   std::to_string(kEnumerationLimit) + " indices, got " +
                   std::to_string(size)};
  std::vector<int64_t> values(size * rank, 0);
  for (int64_t index = 0; index < size; ++index)
    function(index, {values.data() + index * rank, rank});
  auto at = [&](int64_t index, unsigned dim) {
    return values[index * rank + dim];
  };
  for (unsigned dim = 0; dim < rank; ++dim)
    if (at(0, dim) != 0)
      return Refusal{"expected the value 0 at index 0, got " +
                     std::to_string(at(0, dim)) + " along dimension " +
                     std::to_string(dim)};

  // Peel digits: the first one is linear up to the first index that departs
  // from its line, and must repeat unchanged from every multiple of its extent.
  // `step` is the weight of the digit being read.
  Modes modes;
  for (int64_t step = 1; step < size;) {
    Mode mode{1, Mode::kReplicated, 0};
    for (unsigned dim = 0; dim < rank; ++dim) {
      int64_t value = at(step, dim);
      if (value == 0)
        continue;
      if (value < 0 || !mode.isReplication())
        return Refusal{"the step to index " + std::to_string(step) +
                       (value < 0 ? " is negative"
                                  : " moves along dimensions " +
                                        std::to_string(mode.dim) + " and " +
                                        std::to_string(dim))};
      mode.dim = int(dim);
      mode.stride = value;
    }
    auto follows = [&](int64_t index, int64_t from, int64_t digit) {
      for (unsigned dim = 0; dim < rank; ++dim)
        if (at(index, dim) !=
            at(from, dim) + (int(dim) == mode.dim ? digit * mode.stride : 0))
          return false;
      return true;
    };
    int64_t count = partial ? ceilDiv(size, step) : size / step;
    int64_t extent = 1;
    while (extent < count && follows(extent * step, 0, extent))
      ++extent;
    if (!partial && count % extent != 0)
      return Refusal{"the digit of extent " + std::to_string(extent) + " at " +
                     std::to_string(step) + " does not divide the " +
                     std::to_string(count) + " values left"};
    for (int64_t index = 0; index < count; ++index)
      if (!follows(index * step, index / extent * extent * step,
                   index % extent))
        return Refusal{"index " + std::to_string(index * step) +
                       " departs from the digit of extent " +
                       std::to_string(extent) + " at " + std::to_string(step)};
    mode.extent = extent;
    modes.push_back(mode);
    step *= extent;
  }
  return modes;
}

OrRefusal<Modes> mlir::tile::compose(const Modes &outer, const Modes &inner) {
  if (OrRefusal<bool> ok = verifyModes(outer); !ok)
    return Refusal{"outer layout: " + ok.reason()};
  if (OrRefusal<bool> ok = checkIntegers(inner, "an inner layout"); !ok)
    return Refusal{ok.reason()};
  int64_t domain = sizeOfModes(outer), largest = largestValue(inner);
  if (largest >= domain)
    return Refusal{"the inner layout reaches " + std::to_string(largest) +
                   ", outside of the outer layout's " + std::to_string(domain) +
                   " indices"};
  Modes plainOuter = canonicalModes(outer), plainInner = canonicalModes(inner);
  OrRefusal<Modes> direct = composeByDivisibility(plainOuter, plainInner);
  if (direct)
    return direct;
  int64_t size = sizeOfModes(plainInner);
  if (size > kEnumerationLimit)
    return direct;
  unsigned rank = rankOf(plainOuter);
  OrRefusal<Modes> fitted = modesOfFunction(
      size, rank, [&](int64_t index, llvm::MutableArrayRef<int64_t> coords) {
        int64_t between = evaluateModes(plainInner, index, 1).front();
        llvm::copy(evaluateModes(plainOuter, between, rank), coords.begin());
      });
  if (fitted)
    return fitted;
  return Refusal{direct.reason() + "; " + fitted.reason()};
}

// A bijection of an interval onto itself that is a sum of digits is a
// permutation of the digits of one mixed radix (de Bruijn): in increasing
// strides, each stride is the product of the extents before it.
OrRefusal<Modes> mlir::tile::inverse(const Modes &modes) {
  if (OrRefusal<bool> ok = checkIntegers(modes, "a layout"); !ok)
    return Refusal{ok.reason()};
  Modes plain = canonicalModes(modes);
  SmallVector<int64_t> weights;
  int64_t weight = 1;
  for (const Mode &mode : plain) {
    weights.push_back(weight);
    weight *= mode.extent;
  }
  Modes result;
  int64_t covered = 1;
  for (auto [mode, position] : byStride(plain)) {
    if (mode.isReplication() || mode.stride != covered)
      return Refusal{"expected stride " + std::to_string(covered) + " in " +
                     modeText("mode", position, mode) +
                     ": the layout is not a bijection of its indices"};
    result.push_back({mode.extent, 0, weights[position]});
    covered *= mode.extent;
  }
  return canonicalModes(result);
}

OrRefusal<Modes> mlir::tile::complement(const Modes &modes, int64_t size) {
  if (OrRefusal<bool> ok = checkIntegers(modes, "a layout"); !ok)
    return Refusal{ok.reason()};
  Modes plain = canonicalModes(modes);
  Modes result;
  int64_t covered = 1;
  for (auto [mode, position] : byStride(plain)) {
    std::string name = modeText("mode", position, mode);
    if (mode.isReplication())
      return Refusal{name + " repeats values: the layout is not injective"};
    if (mode.stride % covered != 0)
      return Refusal{"expected the stride of " + name +
                     " to be a multiple of " + std::to_string(covered)};
    if (mode.stride > covered)
      result.push_back({mode.stride / covered, 0, covered});
    covered = mode.stride * mode.extent;
  }
  if (size < 1 || size % covered != 0)
    return Refusal{"expected a size that is a multiple of " +
                   std::to_string(covered) + ", got " + std::to_string(size)};
  if (size > covered)
    result.push_back({size / covered, 0, covered});
  return result;
}

OrRefusal<ThreadModes> mlir::tile::splitAtWarp(const Modes &threads) {
  ThreadModes result;
  int64_t lanesLeft = kWarpSize;
  for (const Mode &mode : threads) {
    if (mode.extent == 1)
      continue;
    if (lanesLeft % mode.extent == 0) {
      result.lane.push_back(mode);
      lanesLeft /= mode.extent;
      continue;
    }
    if (mode.extent % lanesLeft != 0)
      return Refusal{"a thread mode of extent " + std::to_string(mode.extent) +
                     " does not split at a warp of 32 threads"};
    if (lanesLeft > 1)
      result.lane.push_back({lanesLeft, mode.dim, mode.stride});
    result.warp.push_back(
        {mode.extent / lanesLeft, mode.dim, mode.stride * lanesLeft});
    lanesLeft = 1;
  }
  if (lanesLeft != 1)
    return Refusal{"expected a multiple of 32 threads, got " +
                   std::to_string(sizeOfModes(threads))};
  return result;
}

OrRefusal<SmallVector<CoordinateDigit>>
mlir::tile::inverse(const FragmentLayout &layout) {
  if (OrRefusal<bool> ok = layout.verify(); !ok)
    return Refusal{ok.reason()};
  struct Placed {
    int64_t stride, extent, weight;
    Axis axis;
  };
  SmallVector<CoordinateDigit> result;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    SmallVector<Placed> digits;
    for (unsigned axis = 0; axis < kNumAxes; ++axis) {
      int64_t weight = 1;
      for (const Mode &mode : layout.modes(Axis(axis))) {
        if (mode.dim == int(dim) && mode.extent > 1)
          digits.push_back({mode.stride, mode.extent, weight, Axis(axis)});
        weight *= mode.extent;
      }
    }
    llvm::sort(digits, [](const Placed &a, const Placed &b) {
      return std::tuple(a.stride, a.axis, a.weight) <
             std::tuple(b.stride, b.axis, b.weight);
    });
    int64_t covered = 1;
    for (const Placed &digit : digits) {
      // Digits that only overshoot are 0 for every element.
      if (digit.stride >= layout.shape()[dim])
        break;
      if (digit.stride != covered)
        return Refusal{"expected stride " + std::to_string(covered) +
                       " along dimension " + std::to_string(dim) +
                       ", got a mode (" + std::to_string(digit.extent) + ", " +
                       std::to_string(dim) + ":" +
                       std::to_string(digit.stride) + ")"};
      result.push_back({dim, digit.extent, digit.axis, digit.weight});
      covered *= digit.extent;
    }
  }
  return result;
}
