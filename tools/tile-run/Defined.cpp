//===- Defined.cpp - whether a program says what its results are ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Defined.h"
#include "Elements.h"
#include "Strides.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

namespace {
/// The first element of two runs that is not the same.
struct Difference {
  std::string place; ///< `Y at [0, 3]`
  Number first, second;
};

/// What a kernel's atomic operations leave to chance.
struct Chance {
  bool sums = false;      ///< floats are added in any order
  bool oldValues = false; ///< the value of the first access is used
};
} // namespace

static Chance findChance(ModuleOp module, StringRef kernel) {
  Chance chance;
  module.walk([&](KernelOp op) {
    if (op.getSymName() != kernel)
      return;
    op.walk([&](memref::AtomicRMWOp rmw) {
      chance.sums |= isa<FloatType>(rmw.getType());
      chance.oldValues |= !rmw.getResult().use_empty();
    });
    chance.sums |= op.walk([](AtomicOp) {
                       return WalkResult::interrupt();
                     }).wasInterrupted();
  });
  return chance;
}

static std::string describePlace(const Argument &argument, size_t element) {
  SmallVector<int64_t> where(argument.shape.size());
  auto rest = static_cast<int64_t>(element);
  for (size_t d = where.size(); d-- > 0;) {
    where[d] = rest % argument.shape[d];
    rest /= argument.shape[d];
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << argument.name << " at [";
  llvm::interleaveComma(where, stream);
  stream << "]";
  return text;
}

/// Values of all elements, in row-major order: f64, or all bits of integers.
template <typename T>
static std::vector<T> readBuffer(const Argument &argument, const Buffer &buffer,
                                 Type type) {
  std::vector<T> values(argument.numElements());
  ElementReader reader(type);
  ElementOrder(argument.shape, argument.strides)
      .forEachRun(
          0, argument.numElements(),
          [&](int64_t number, int64_t place, int64_t stride, int64_t count) {
            T *to = values.data() + number;
            if constexpr (std::is_same_v<T, double>)
              reader.read(buffer.data(), place, stride, count, to);
            else
              reader.readIntegers(buffer.data(), place, stride, count, to);
          });
  return values;
}

static std::optional<Difference> compareIntegers(const Argument &argument,
                                                 const Buffer &first,
                                                 const Buffer &second) {
  Type type = argument.element;
  std::vector<int64_t> one = readBuffer<int64_t>(argument, first, type);
  std::vector<int64_t> other = readBuffer<int64_t>(argument, second, type);
  for (size_t e = 0; e < one.size(); ++e)
    if (one[e] != other[e])
      return Difference{describePlace(argument, e),
                        {double(one[e]), one[e]},
                        {double(other[e]), other[e]}};
  return std::nullopt;
}

/// The first element that differs by more than `roundoff` of its magnitude.
static std::optional<Difference>
compareFloats(const Argument &argument, const Buffer &first,
              const Buffer &second, const Buffer &magnitude, double roundoff) {
  Type type = Float64Type::get(argument.element.getContext());
  std::vector<double> one = readBuffer<double>(argument, first, type);
  std::vector<double> other = readBuffer<double>(argument, second, type);
  std::vector<double> size = readBuffer<double>(argument, magnitude, type);
  for (size_t e = 0; e < one.size(); ++e) {
    if (one[e] == other[e] || (std::isnan(one[e]) && std::isnan(other[e])))
      continue;
    double distance = std::fabs(one[e] - other[e]);
    if (!std::isfinite(distance) || distance > roundoff * std::fabs(size[e]))
      return Difference{describePlace(argument, e), {one[e]}, {other[e]}};
  }
  return std::nullopt;
}

static std::optional<Difference>
compare(ArrayRef<Argument> arguments, const Memory &first, const Memory &second,
        const Memory &magnitude, double roundoff) {
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (!argument.isBuffer || !argument.isWritten)
      continue;
    auto difference = isa<FloatType>(argument.element)
                          ? compareFloats(argument, first[i], second[i],
                                          magnitude[i], roundoff)
                          : compareIntegers(argument, first[i], second[i]);
    if (difference)
      return difference;
  }
  return std::nullopt;
}

llvm::Error run::checkDefined(ModuleOp module, StringRef kernel,
                              ArrayRef<Argument> arguments, const Memory &input,
                              const Memory &reference, const Memory &magnitude,
                              double terms, unsigned workers) {
  Chance chance = findChance(module, kernel);
  if (chance.oldValues)
    return llvm::Error::success();
  // Each addition of f64 rounds by 2^-53; both runs do.
  double roundoff = chance.sums ? std::ldexp(2 * (terms + 1), -53) : 0;
  auto differsFrom =
      [&](unsigned poison) -> llvm::Expected<std::optional<Difference>> {
    ReferenceOptions options;
    options.workers = workers;
    options.backwards = true;
    options.poisonPattern = poison;
    auto again = runReference(module, kernel, arguments, input, options);
    if (!again)
      return llvm::createStringError(
          "with iterations of `tile.parallel` from last to first: " +
          llvm::toString(again.takeError()));
    if (!*again)
      return llvm::createStringError(
          "iterations of `tile.parallel` from last to first do not compile");
    return compare(arguments, reference, (**again)[0], magnitude, roundoff);
  };
  ReferenceOptions forwards;
  auto both = differsFrom(/*poison=*/2);
  if (!both || !*both)
    return both.takeError();
  // Which of the two is it? The order alone tells.
  auto order = differsFrom(forwards.poisonPattern);
  if (!order)
    return order.takeError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (*order) {
    auto [first, second] = textsOf((*order)->first, (*order)->second);
    stream << "iterations depend on each other: " << (*order)->place << " is "
           << first
           << " where the iterations of each `tile.parallel` run from first to "
              "last, and "
           << second << " from last to first";
  } else {
    stream << "the result depends on elements of a tile that were never "
              "written: "
           << (*both)->place;
  }
  return llvm::createStringError(text);
}
