//===- Probe.cpp - layouts from index functions ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the function once per element, checks that no two share a place,
// reads the digits of each dimension off the elements on its axis, and compares
// the sum of digits with every element. For shared memory the same is tried for
// each XOR swizzle that may follow.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/Probe.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Layout/Compose.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>
#include <vector>

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

static std::string coordText(ArrayRef<int64_t> coords) {
  std::string text = "(";
  for (auto [position, coord] : llvm::enumerate(coords))
    text += (position ? ", " : "") + std::to_string(coord);
  return text + ")";
}

namespace {

/// Elements of a shape numbered row by row.
struct Elements {
  explicit Elements(ArrayRef<int64_t> shape) : shape(shape), weights(shape) {
    for (unsigned dim = shape.size(); dim-- > 0;) {
      weights[dim] = count;
      count *= shape[dim];
    }
  }
  SmallVector<int64_t> coords(int64_t element) const {
    SmallVector<int64_t> result;
    for (auto [extent, weight] : llvm::zip(shape, weights))
      result.push_back(element / weight % extent);
    return result;
  }
  SmallVector<int64_t> shape, weights;
  int64_t count = 1;
};

} // namespace

static OrRefusal<bool> checkShape(ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return Refusal{"expected positive extents, got " + coordText(shape)};
    count = count ? checkedMul(*count, extent) : count;
  }
  if (!count || *count > kEnumerationLimit)
    return Refusal{"expected at most " + std::to_string(kEnumerationLimit) +
                   " elements, got a shape of " + coordText(shape)};
  return true;
}

/// Values of a function on all elements, `width` numbers each.
using Table = std::vector<int64_t>;

/// Two elements with equal values, if there are any: the first in row order
/// together with the one it collides with.
static std::optional<std::pair<int64_t, int64_t>>
findCollision(const Table &table, unsigned width) {
  int64_t count = int64_t(table.size() / width);
  std::vector<int64_t> order(count);
  for (int64_t element = 0; element < count; ++element)
    order[element] = element;
  auto value = [&](int64_t element) {
    return ArrayRef<int64_t>(table).slice(element * width, width);
  };
  llvm::sort(order, [&](int64_t a, int64_t b) {
    for (auto [x, y] : llvm::zip(value(a), value(b)))
      if (x != y)
        return x < y;
    return a < b;
  });
  std::optional<std::pair<int64_t, int64_t>> first;
  for (int64_t i = 1; i < count; ++i)
    if (value(order[i - 1]) == value(order[i]) &&
        (!first || order[i] < first->second))
      first = {order[i - 1], order[i]};
  return first;
}

namespace {

/// Digits of every dimension, in the order of the dimensions; Mode::dim is the
/// component of the value that the digit moves. `dims` tells whose digit it is.
struct Fit {
  SmallVector<std::pair<unsigned, Mode>> digits;
};

} // namespace

/// Fits sums of digits to a table; exact on every element.
static OrRefusal<Fit> fitDigits(const Elements &elements, const Table &table,
                                unsigned width) {
  Fit fit;
  for (unsigned dim = 0; dim < elements.shape.size(); ++dim) {
    OrRefusal<Modes> modes = modesOfFunction(
        elements.shape[dim], width,
        [&](int64_t index, llvm::MutableArrayRef<int64_t> values) {
          int64_t element = index * elements.weights[dim];
          for (unsigned i = 0; i < width; ++i)
            values[i] = table[element * width + i];
        },
        /*partial=*/true);
    if (!modes)
      return Refusal{"along dimension " + std::to_string(dim) + ": " +
                     modes.reason()};
    for (const Mode &mode : *modes)
      fit.digits.push_back({dim, mode});
  }
  // The sum over dimensions, element by element.
  std::vector<std::vector<int64_t>> parts;
  for (unsigned dim = 0; dim < elements.shape.size(); ++dim) {
    std::vector<int64_t> part;
    for (int64_t index = 0; index < elements.shape[dim]; ++index)
      for (unsigned i = 0; i < width; ++i)
        part.push_back(table[index * elements.weights[dim] * width + i]);
    parts.push_back(std::move(part));
  }
  for (int64_t element = 0; element < elements.count; ++element) {
    SmallVector<int64_t> coords = elements.coords(element);
    for (unsigned i = 0; i < width; ++i) {
      int64_t sum = 0;
      for (auto [coord, part] : llvm::zip(coords, parts))
        sum += part[coord * width + i];
      if (sum != table[element * width + i])
        return Refusal{"element " + coordText(coords) +
                       " is not where the sum of its coordinates' digits puts "
                       "it: expected " +
                       std::to_string(sum) + ", got " +
                       std::to_string(table[element * width + i])};
    }
  }
  return fit;
}

/// The modes of one hardware axis from the digits that move it: in increasing
/// weights, each must start where the ones before end. What is skipped holds
/// nothing: a digit that overshoots.
static OrRefusal<Modes> axisFromDigits(const Fit &fit, int component,
                                       ArrayRef<int64_t> shape, int64_t size,
                                       const char *name) {
  struct Placed {
    int64_t weight;
    Mode mode;
    bool isSlowest; // of its dimension, so it may be longer than used
  };
  SmallVector<Placed> placed;
  SmallVector<int64_t> unit(shape.size(), 1);
  for (auto [dim, digit] : fit.digits) {
    // `unit` is what one step of this digit means along its dimension.
    if (digit.dim == component)
      placed.push_back({digit.stride,
                        {digit.extent, int(dim), unit[dim]},
                        unit[dim] * digit.extent >= shape[dim]});
    unit[dim] *= digit.extent;
  }
  llvm::sort(placed, [](const Placed &a, const Placed &b) {
    return std::pair(a.weight, a.mode.dim) < std::pair(b.weight, b.mode.dim);
  });
  Modes modes;
  int64_t covered = 1;
  const Placed *last = nullptr;
  // Moves on to `weight`: a slowest digit may be longer than it is used; after
  // others, what is skipped becomes a digit of its own.
  auto advance = [&](int64_t weight) {
    if (last && last->isSlowest && weight > covered &&
        weight % last->weight == 0)
      modes.back().extent = weight / last->weight;
    else if (weight % covered != 0)
      return false;
    else if (weight > covered)
      modes.push_back({weight / covered, 0, shape.empty() ? 1 : shape[0]});
    covered = weight;
    return true;
  };
  for (const Placed &digit : placed) {
    if (!advance(digit.weight))
      return Refusal{std::string("a ") + name + " stride of " +
                     std::to_string(digit.weight) + " along dimension " +
                     std::to_string(digit.mode.dim) +
                     " is no multiple of the " + std::to_string(covered) + " " +
                     name + "s below it"};
    modes.push_back(digit.mode);
    covered = digit.weight * digit.mode.extent;
    last = &digit;
  }
  if (size != 0 && !advance(size))
    return Refusal{std::string("expected ") + name + "s in a multiple of " +
                   std::to_string(covered) + ", got " + std::to_string(size)};
  return modes;
}

OrRefusal<FragmentLayout> mlir::tile::probeFragment(ArrayRef<int64_t> shape,
                                                    int64_t numThreads,
                                                    FragmentFunction function,
                                                    int64_t replicas) {
  if (OrRefusal<bool> ok = checkShape(shape); !ok)
    return Refusal{ok.reason()};
  if (numThreads < kWarpSize || numThreads % kWarpSize != 0 || replicas < 1 ||
      numThreads % replicas != 0)
    return Refusal{"expected a multiple of 32 threads and of the replicas, "
                   "got " +
                   std::to_string(numThreads) + " threads and " +
                   std::to_string(replicas) + " replicas"};
  int64_t ownThreads = numThreads / replicas;
  Elements elements(shape);
  Table table;
  table.reserve(elements.count * 2);
  for (int64_t element = 0; element < elements.count; ++element) {
    SmallVector<int64_t> coords = elements.coords(element);
    ThreadRegister where = function(coords);
    if (where.thread < 0 || where.thread >= ownThreads || where.reg < 0)
      return Refusal{"expected a thread below " + std::to_string(ownThreads) +
                     " and a register for element " + coordText(coords) +
                     ", got thread " + std::to_string(where.thread) +
                     " and register " + std::to_string(where.reg)};
    table.push_back(where.thread);
    table.push_back(where.reg);
  }
  if (auto collision = findCollision(table, 2))
    return Refusal{"elements " + coordText(elements.coords(collision->first)) +
                   " and " + coordText(elements.coords(collision->second)) +
                   " are both in register " +
                   std::to_string(table[collision->first * 2 + 1]) +
                   " of thread " + std::to_string(table[collision->first * 2])};
  OrRefusal<Fit> fit = fitDigits(elements, table, 2);
  if (!fit)
    return Refusal{fit.reason()};
  OrRefusal<Modes> threads =
      axisFromDigits(*fit, 0, shape, ownThreads, "thread");
  if (!threads)
    return Refusal{threads.reason()};
  OrRefusal<Modes> reg = axisFromDigits(*fit, 1, shape, 0, "register");
  if (!reg)
    return Refusal{reg.reason()};
  Modes allThreads = *threads;
  if (replicas > 1)
    allThreads.push_back({replicas, Mode::kReplicated, 0});
  OrRefusal<ThreadModes> split = splitAtWarp(allThreads);
  if (!split)
    return Refusal{split.reason()};
  FragmentLayout layout(shape, *reg, split->lane, split->warp);
  if (OrRefusal<bool> ok = layout.verify(); !ok)
    return Refusal{ok.reason()};
  return layout;
}

OrRefusal<SharedLayout> mlir::tile::probeShared(ArrayRef<int64_t> shape,
                                                unsigned elementBits,
                                                OffsetFunction function) {
  if (OrRefusal<bool> ok = checkShape(shape); !ok)
    return Refusal{ok.reason()};
  if (!isPowerOfTwo(elementBits) || elementBits > 128)
    return Refusal{"expected an element width that is a power of two up to "
                   "128 bits, got " +
                   std::to_string(elementBits)};
  Elements elements(shape);
  Table table;
  table.reserve(elements.count);
  for (int64_t element = 0; element < elements.count; ++element) {
    SmallVector<int64_t> coords = elements.coords(element);
    int64_t offset = function(coords);
    if (offset < 0 || offset > int64_t(1) << 40)
      return Refusal{"expected an offset from 0 to 2^40 for element " +
                     coordText(coords) + ", got " + std::to_string(offset)};
    table.push_back(offset);
  }
  if (auto collision = findCollision(table, 1))
    return Refusal{"elements " + coordText(elements.coords(collision->first)) +
                   " and " + coordText(elements.coords(collision->second)) +
                   " are both at offset " +
                   std::to_string(table[collision->first])};

  auto build = [&](const Fit &fit, Swizzle swizzle) {
    Modes modes;
    for (auto [dim, digit] : fit.digits)
      modes.push_back({digit.extent, int(dim), digit.stride});
    return SharedLayout(shape, elementBits, modes, swizzle);
  };
  OrRefusal<Fit> plain = fitDigits(elements, table, 1);
  if (plain)
    return build(*plain, Swizzle{0, 4, 3});
  // A XOR with bits at least as far up as it is wide undoes itself. The usual
  // chunk of 16 bytes comes first, then narrower ones.
  unsigned elementShift = log2Floor(elementBits);
  for (unsigned base : {4u, 3u, 2u, 1u, 0u})
    for (unsigned bits = 1; bits <= 5; ++bits)
      for (unsigned shift = bits; shift <= 10; ++shift) {
        if (base + 3 < elementShift)
          continue;
        Swizzle inElements{bits, base + 3 - elementShift, shift};
        Table undone = table;
        for (int64_t &offset : undone)
          offset = inElements.apply(offset);
        if (OrRefusal<Fit> fit = fitDigits(elements, undone, 1))
          return build(*fit, Swizzle{bits, base, shift});
      }
  return Refusal{plain.reason()};
}
