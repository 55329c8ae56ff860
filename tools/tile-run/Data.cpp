//===- Data.cpp - what arguments hold -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Data.h"
#include "Elements.h"
#include "Strides.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <limits>
#include <unistd.h>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// SplitMix64's output function (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators"): a number for each (seed, counter).
static uint64_t hash(uint64_t seed, uint64_t counter) {
  uint64_t x =
      seed * 0xd1342543de82ef95ull + (counter + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// In [-1, 1), a multiple of 2^-52.
static double uniform(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

/// Mean 0, variance 1: the sum of twelve uniform numbers less six (Irwin-Hall),
/// which needs no function whose last bit differs between machines.
static double normal(uint64_t seed, uint64_t i) {
  uint64_t sum = 0;
  for (unsigned n = 0; n < 3; ++n) {
    uint64_t bits = hash(seed, 3 * i + n);
    sum += (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) +
           (bits >> 48);
  }
  return (static_cast<double>(sum) + 6.0) / 65536.0 - 6.0;
}

/// The place of `i` in a permutation of [0, count): a Feistel network over the
/// next even number of bits, walked on until it is back in the range (Black,
/// Rogaway, "Ciphers with arbitrary finite domains").
static uint64_t permuted(uint64_t seed, uint64_t i, uint64_t count) {
  unsigned half = 1;
  while (half < 31 && uint64_t(1) << 2 * half < count)
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = i >> half, right = i & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t mixed = left ^ (hash(seed, round << 32 | right) & mask);
      left = right;
      right = mixed;
    }
    i = left << half | right;
  } while (i >= count);
  return i;
}

/// Number `i` of `count` in [low, high) that do not descend: one in each of
/// `count` equal parts of the range.
static double sorted(const Argument &argument, uint64_t i, uint64_t count) {
  uint64_t jitter = hash(argument.seed, i) >> 32;
  unsigned __int128 part = (unsigned __int128)(i << 32 | jitter) *
                           uint64_t(argument.high - argument.low);
  return static_cast<double>(argument.low + int64_t((part / count) >> 32));
}

/// Metadata of a sparse A (`tile.gemm`): in each four bits two places of four
/// in increasing order, or one half of two.
static double places(const Argument &argument, uint64_t i) {
  constexpr uint64_t kPairs[] = {0b0100, 0b1000, 0b1100,
                                 0b1001, 0b1101, 0b1110};
  constexpr uint64_t kHalves[] = {0b0100, 0b1110};
  uint64_t random = hash(argument.seed, i), word = 0;
  unsigned bits = argument.element.getIntOrFloatBitWidth();
  for (unsigned first = 0; first < bits; first += 4) {
    uint64_t byte = random >> 2 * first & 0xff;
    word |=
        (argument.fill == Fill::Places ? kPairs[byte % 6] : kHalves[byte % 2])
        << first;
  }
  return static_cast<double>(llvm::SignExtend64(word, bits));
}

/// What stands for NaN in a type without one: numbers that differ from element
/// to element, which no kernel is likely to give as results. (What no kernel
/// writes must not be right where it should write -1, or true, everywhere.)
static double unlikely(const Argument &argument, uint64_t i) {
  uint64_t random = hash(argument.seed, i);
  if (auto type = dyn_cast<FloatType>(argument.element))
    return largestNumber(type) * uniform(random);
  // An f64 holds 53 bits.
  unsigned bits = argument.element.isIndex()
                      ? 64
                      : argument.element.getIntOrFloatBitWidth();
  int64_t code = llvm::SignExtend64(random >> (64 - bits), bits);
  return static_cast<double>(bits > 32 ? code & ~int64_t(0x7ff) : code);
}

static bool hasNan(Type element) {
  auto type = dyn_cast<FloatType>(element);
  return type && llvm::APFloat::semanticsHasNaN(type.getFloatSemantics());
}

/// Writes the elements numbered from `from` to `to` to `values`.
static void valuesOf(const Argument &argument, uint64_t from, uint64_t to,
                     double *values) {
  bool isInteger = !isa<FloatType>(argument.element);
  uint64_t seed = argument.seed, count = argument.numElements();
  auto each = [&](auto value) {
    for (uint64_t i = from; i < to; ++i)
      values[i - from] = value(i);
  };
  switch (argument.fill) {
  case Fill::Zeros:
    return each([](uint64_t) { return 0.0; });
  case Fill::Ones:
    return each([](uint64_t) { return 1.0; });
  case Fill::Iota:
    return each([](uint64_t i) { return static_cast<double>(i); });
  case Fill::Uniform:
    if (isInteger)
      return each(
          [&](uint64_t i) { return std::floor(100 * uniform(hash(seed, i))); });
    return each([&](uint64_t i) { return uniform(hash(seed, i)); });
  case Fill::Normal:
    if (isInteger)
      return each(
          [&](uint64_t i) { return std::nearbyint(10 * normal(seed, i)); });
    return each([&](uint64_t i) { return normal(seed, i); });
  case Fill::SmallInt:
    return each(
        [&](uint64_t i) { return static_cast<double>(hash(seed, i) % 7) - 3; });
  case Fill::Nan:
    if (!hasNan(argument.element))
      return each([&](uint64_t i) { return unlikely(argument, i); });
    return each(
        [](uint64_t) { return std::numeric_limits<double>::quiet_NaN(); });
  case Fill::Range:
    return each([&](uint64_t i) {
      uint64_t size = argument.high - argument.low;
      return static_cast<double>(argument.low + int64_t(hash(seed, i) % size));
    });
  case Fill::Sorted:
    return each([&](uint64_t i) { return sorted(argument, i, count); });
  case Fill::Permutation:
    return each([&](uint64_t i) {
      return static_cast<double>(permuted(seed, i, count));
    });
  case Fill::Places:
  case Fill::Halves:
    return each([&](uint64_t i) { return places(argument, i); });
  case Fill::File:
    break;
  }
  llvm_unreachable("all fills with a formula are listed");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Initial memory and results are kept beside each other, with a check also the
/// reference, its magnitudes and a run's inputs in f64: refuses what could only
/// end in a process without memory.
static llvm::Error checkFits(ArrayRef<Argument> arguments, bool forCheck) {
  double needed = 0, elements = 0;
  for (const Argument &argument : arguments) {
    if (!argument.isBuffer)
      continue;
    double span = double(argument.span());
    elements += span;
    needed += 2 * span * elementBytes(argument.element);
    if (forCheck)
      needed += span * sizeof(double) * (argument.isWritten ? 3 : 1);
  }
  double physical =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (physical <= 0 || needed <= physical)
    return llvm::Error::success();
  return llvm::createStringError(
      "expected arguments that fit this machine's memory, got " +
      llvm::Twine(static_cast<int64_t>(elements)) + " elements, which need " +
      llvm::Twine(static_cast<int64_t>(needed * 0x1p-30)) + " GiB" +
      (forCheck ? " with --check" : ""));
}

static void fillBuffer(const Argument &argument, Buffer &buffer) {
  // No i1 has a byte with all bits set.
  if (argument.element.isInteger(1) && argument.fill == Fill::Nan)
    return void(std::memset(buffer.data(), 0xff, buffer.size()));
  ElementOrder order(argument.shape, argument.strides);
  ElementWriter writer(argument.element);
  size_t count = argument.numElements();
  // Threads must not meet in a byte or a place, where the last element stays.
  bool parallel = !isPacked(argument.element) &&
                  !findShared(argument.shape, argument.strides);
  forEachChunk(count, parallel, [&](size_t, size_t from, size_t to) {
    double values[kChunk];
    valuesOf(argument, from, to, values);
    order.forEachRun(
        from, to,
        [&](int64_t number, int64_t place, int64_t stride, int64_t length) {
          writer.write(buffer.data(), place, stride, length,
                       values + (number - from));
        });
  });
}

llvm::Expected<Memory> run::fillArguments(ArrayRef<Argument> arguments,
                                          bool forCheck) {
  if (auto failure = checkFits(arguments, forCheck))
    return failure;
  Memory memory(arguments.size());
  for (auto [argument, buffer] : llvm::zip(arguments, memory)) {
    if (!argument.isBuffer)
      continue;
    buffer = Buffer(bytesOf(argument.element, argument.span()));
    // The bytes of dense elements are all written; half a byte may be left.
    if (argument.span() != argument.numElements() ||
        isPacked(argument.element) || argument.fill == Fill::File)
      std::memset(buffer.data(), 0xff, buffer.size());
    if (argument.fill != Fill::File)
      fillBuffer(argument, buffer);
    else if (auto failure =
                 readNpy(argument.file, argument.name, argument.element,
                         argument.shape, argument.strides, buffer))
      return failure;
  }
  return memory;
}

Memory run::widenMemory(ArrayRef<Argument> arguments, const Memory &memory,
                        bool magnitudes) {
  Memory wide(arguments.size());
  for (auto [argumentOf, fromOf, toOf] : llvm::zip(arguments, memory, wide)) {
    const Argument &argument = argumentOf;
    const Buffer &from = fromOf;
    if (!argument.isBuffer)
      continue;
    if (!isa<FloatType>(argument.element)) {
      toOf = from;
      continue;
    }
    // All places, also those between the elements.
    size_t count = argument.span();
    toOf = Buffer(count * sizeof(double));
    auto *to = reinterpret_cast<double *>(toOf.data());
    ElementReader reader(argument.element);
    forEachChunk(count, /*parallel=*/true,
                 [&](size_t, size_t begin, size_t end) {
                   reader.read(from.data(), begin, 1, end - begin, to + begin);
                   if (magnitudes)
                     for (size_t i = begin; i < end; ++i)
                       to[i] = std::fabs(to[i]);
                 });
  }
  return wide;
}
