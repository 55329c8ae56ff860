//===- Check.cpp - comparison with the reference --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Check.h"
#include "Elements.h"
#include "Strides.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

//===----------------------------------------------------------------------===//
// The bound
//===----------------------------------------------------------------------===//

/// The largest absolute value of an input, at least 1.
static double largestInput(ArrayRef<Argument> arguments, const Memory &inputs) {
  double largest = 1;
  for (auto [argument, memoryOf] : llvm::zip(arguments, inputs)) {
    if (!isa<FloatType>(argument.element) || !argument.isRead)
      continue;
    if (!argument.isBuffer) {
      largest = std::max(largest, std::fabs(argument.scalar));
      continue;
    }
    const Buffer &memory = memoryOf;
    size_t count = argument.span();
    std::vector<double> parts(numChunks(count), 0);
    ElementReader reader(argument.element);
    forEachChunk(count, /*parallel=*/true,
                 [&](size_t chunk, size_t from, size_t to) {
                   double values[kChunk];
                   reader.read(memory.data(), from, 1, to - from, values);
                   for (double value : ArrayRef(values, to - from))
                     if (std::isfinite(value))
                       parts[chunk] = std::max(parts[chunk], std::fabs(value));
                 });
    for (double part : parts)
      largest = std::max(largest, part);
  }
  return largest;
}

static bool areRandom(ArrayRef<Argument> arguments) {
  return llvm::all_of(arguments, [](const Argument &argument) {
    return !argument.isBuffer || !argument.isRead ||
           !isa<FloatType>(argument.element) ||
           argument.fill == Fill::Uniform || argument.fill == Fill::Normal;
  });
}

ErrorBound run::errorBound(const KernelFacts &facts, const KernelWork &work,
                           ArrayRef<Argument> arguments, const Memory &inputs,
                           const RunResult &result, bool fastMath) {
  constexpr double kDeviations = 6;
  // Products that a tensor core adds in one step, where they are of fp8; their
  // own bits below the largest one's last are lost, whatever the sum is.
  constexpr double kShortStep = 32, kShortLosses = 4;
  bool isRandom = areRandom(arguments);
  auto roundingsOf = [&](double terms) {
    return isRandom ? std::min(terms, kDeviations * std::sqrt(terms)) : terms;
  };
  ErrorBound bound;
  bound.subtracts = facts.subtracts;
  // The coarsest of the approximate functions is tanh.
  bound.relative = 2 * std::max(facts.innerRoundoff, fastMath ? 0x1p-11 : 0.0);
  double longest = 1, coarsest = std::max(facts.arithmeticRoundoff, 0x1p-24);
  for (const KernelWork::Sum &sum : work.sums) {
    double roundings = roundingsOf(sum.terms);
    bound.relative += result.accumulationFactor * roundings * sum.roundoff;
    if (sum.isShort)
      bound.relative += (kShortLosses + roundingsOf(sum.terms / kShortStep)) *
                        result.shortRoundoff;
    longest = std::max(longest, roundings);
    coarsest = std::max(coarsest, sum.roundoff);
  }
  bound.largestExact = facts.keepsIntegers ? 1 / coarsest : 0;
  // What becomes smaller than the smallest normal number on the way loses an
  // absolute amount, which later products and sums make larger.
  double lost = facts.innerSmallest + (fastMath ? 0x1p-126 : 0);
  if (lost > 0)
    bound.absolute =
        lost * facts.largestFactor * longest * largestInput(arguments, inputs);
  return bound;
}

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

namespace {
/// Squares of numbers, whose sum is in the range of f64 whatever they are: the
/// large ones are kept by a factor smaller.
class Squares {
public:
  void add(double value) {
    bool isLarge = std::fabs(value) > kLarge;
    double kept = isLarge ? value * kFactor : value;
    (isLarge ? large : usual) += kept * kept;
  }
  void add(const Squares &other) {
    usual += other.usual;
    large += other.large;
  }
  double rootMean(size_t count) const {
    if (large == 0)
      return std::sqrt(usual / double(count));
    return std::sqrt((large + usual * kFactor * kFactor) / double(count)) /
           kFactor;
  }

private:
  static constexpr double kLarge = 0x1p480, kFactor = 0x1p-500;
  double usual = 0, large = 0;
};

/// Compares one argument, in chunks.
class Comparer {
public:
  Comparer(const Argument &argument, const Buffer &result,
           const Buffer &reference, const Buffer &magnitude,
           const ErrorBound &bound)
      : argument(argument), result(result), reference(reference),
        magnitude(magnitude), bound(bound), type(argument.element),
        isFloat(isa<FloatType>(type)),
        largest(isFloat ? largestNumber(type) : 0),
        order(argument.shape, argument.strides), reader(type),
        wideReader(isFloat ? Float64Type::get(type.getContext()) : type),
        writer(type), outRoundoff(unitRoundoff(type)),
        outSmallest(smallestRoundoff(type)) {}

  Comparison run();

private:
  /// What is known of a chunk, or of all before and with it.
  struct Part {
    bool isExact = true;
    Squares references, errors;
    Comparison found;
    int64_t firstWrong = 0;
  };

  /// The values of elements from one of the buffers.
  void read(const ElementReader &from, const Buffer &buffer, size_t begin,
            size_t end, double *values) const {
    order.forEachRun(
        begin, end,
        [&](int64_t number, int64_t place, int64_t stride, int64_t count) {
          from.read(buffer.data(), place, stride, count,
                    values + (number - begin));
        });
  }
  void read(const Buffer &buffer, size_t begin, size_t end,
            int64_t *values) const {
    order.forEachRun(
        begin, end,
        [&](int64_t number, int64_t place, int64_t stride, int64_t count) {
          reader.readIntegers(buffer.data(), place, stride, count,
                              values + (number - begin));
        });
  }

  double round(double value) const {
    uint64_t bits = 0;
    double rounded = value;
    writer.write(reinterpret_cast<char *>(&bits), 0, 1, 1, &value);
    reader.read(reinterpret_cast<const char *>(&bits), 0, 1, 1, &rounded);
    return rounded;
  }

  void survey(Part &part, size_t from, size_t to) const;
  void compare(Part &part, size_t from, size_t to) const;
  void compareFloat(Part &part, int64_t number, double got, double ref,
                    double size) const;
  void compareInteger(Part &part, int64_t number, int64_t got,
                      int64_t ref) const;
  static void addWrong(Part &part, int64_t number) {
    if (part.found.wrong++ == 0)
      part.firstWrong = number;
  }
  Number numberAt(const Buffer &buffer, Type type,
                  ArrayRef<int64_t> where) const;

  const Argument &argument;
  const Buffer &result, &reference, &magnitude;
  const ErrorBound &bound;
  Type type;
  bool isFloat;
  double largest; ///< finite number of a float
  ElementOrder order;
  ElementReader reader, wideReader;
  ElementWriter writer;
  double outRoundoff, outSmallest;
  bool isExact = false;
  double leastScale = 0;
};
} // namespace

/// Whether the reference is of small integers, and how large it is.
void Comparer::survey(Part &part, size_t from, size_t to) const {
  double expected[kChunk], sizes[kChunk];
  read(wideReader, reference, from, to, expected);
  read(wideReader, magnitude, from, to, sizes);
  for (size_t i = 0; i < to - from; ++i) {
    double ref = expected[i];
    if (std::isfinite(ref) && (!isFloat || std::fabs(ref) <= largest))
      part.references.add(ref);
    bool isSmallInteger =
        (std::isnan(ref) && std::isnan(sizes[i])) ||
        (ref == std::trunc(ref) && std::fabs(sizes[i]) <= bound.largestExact);
    part.isExact &= isSmallInteger;
  }
}

void Comparer::compareFloat(Part &part, int64_t number, double got, double ref,
                            double size) const {
  if (isExact)
    ref = round(ref);
  if (got == ref || (std::isnan(got) && std::isnan(ref)))
    return;
  double error = std::fabs(got - ref), allowed = 0;
  if (!isExact) {
    double scale = std::isfinite(size)
                       ? std::max(std::fabs(size), std::fabs(ref))
                       : std::fabs(ref);
    allowed = outRoundoff * std::fabs(ref) + outSmallest +
              bound.relative * std::max(scale, leastScale) + bound.absolute;
    // Beyond the largest number rounding gives infinity, or saturates.
    if (got == round(ref))
      error = 0;
  }
  Comparison &found = part.found;
  if (std::isfinite(error)) {
    found.maxAbsolute = std::max(found.maxAbsolute, error);
    part.errors.add(error);
    if (allowed > 0)
      found.worst = std::max(found.worst, error / allowed);
  }
  // An infinity has no distance: the reference is the same one, or it is wrong.
  if (!std::isfinite(error) || error > allowed)
    addWrong(part, number);
}

void Comparer::compareInteger(Part &part, int64_t number, int64_t got,
                              int64_t ref) const {
  if (got == ref)
    return;
  // It fits 64 bits without a sign.
  auto distance =
      got > ref ? uint64_t(got) - uint64_t(ref) : uint64_t(ref) - uint64_t(got);
  auto error = static_cast<double>(distance);
  part.found.maxAbsolute = std::max(part.found.maxAbsolute, error);
  part.errors.add(error);
  addWrong(part, number);
}

void Comparer::compare(Part &part, size_t from, size_t to) const {
  if (!isFloat) {
    int64_t got[kChunk], expected[kChunk];
    read(result, from, to, got);
    read(reference, from, to, expected);
    for (size_t i = 0; i < to - from; ++i)
      compareInteger(part, from + i, got[i], expected[i]);
    return;
  }
  double got[kChunk], expected[kChunk], sizes[kChunk];
  read(reader, result, from, to, got);
  read(wideReader, reference, from, to, expected);
  read(wideReader, magnitude, from, to, sizes);
  for (size_t i = 0; i < to - from; ++i)
    compareFloat(part, from + i, got[i], expected[i], sizes[i]);
}

Number Comparer::numberAt(const Buffer &buffer, Type type,
                          ArrayRef<int64_t> where) const {
  int64_t place = 0;
  for (auto [index, stride] : llvm::zip(where, argument.strides))
    place += index * stride;
  return loadNumber(type, buffer.data(), place);
}

Comparison Comparer::run() {
  size_t count = argument.numElements();
  std::vector<Part> parts(numChunks(count));
  forEachChunk(count, /*parallel=*/true,
               [&](size_t chunk, size_t from, size_t to) {
                 survey(parts[chunk], from, to);
               });
  Part all;
  for (const Part &part : parts) {
    all.isExact &= part.isExact;
    all.references.add(part.references);
  }
  isExact = !isFloat || all.isExact;
  if (bound.subtracts && count)
    leastScale = all.references.rootMean(count);
  forEachChunk(count, /*parallel=*/true,
               [&](size_t chunk, size_t from, size_t to) {
                 compare(parts[chunk], from, to);
               });
  Comparison &found = all.found;
  found.name = argument.name;
  found.elements = count;
  found.exact = isExact;
  for (const Part &part : parts) {
    if (part.found.wrong && !found.wrong) {
      found.where = indexOf(argument.shape, part.firstWrong);
      found.got = numberAt(result, type, found.where);
      found.expected = numberAt(
          reference, isFloat ? Float64Type::get(type.getContext()) : type,
          found.where);
      if (isFloat && isExact)
        found.expected.value = round(found.expected.value);
    }
    found.wrong += part.found.wrong;
    found.maxAbsolute = std::max(found.maxAbsolute, part.found.maxAbsolute);
    found.worst = std::max(found.worst, part.found.worst);
    all.errors.add(part.errors);
  }
  if (double size = count ? all.references.rootMean(count) : 0; size > 0)
    found.relative = all.errors.rootMean(count) / size;
  return found;
}

Comparison run::compare(const Argument &argument, const Buffer &result,
                        const Buffer &reference, const Buffer &magnitude,
                        const ErrorBound &bound) {
  return Comparer(argument, result, reference, magnitude, bound).run();
}
