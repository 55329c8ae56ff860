//===- Check.cpp - comparison with the reference --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Check.h"
#include "Elements.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

/// Whether sums of these numbers are exact in an accumulator of roundoff `u`.
static bool areSmallIntegers(ArrayRef<double> reference,
                             ArrayRef<double> magnitude, double u) {
  double limit = u > 0 ? 1 / u : std::ldexp(1.0, 53);
  for (auto [ref, size] : llvm::zip(reference, magnitude)) {
    if (std::isnan(ref) && std::isnan(size))
      continue;
    if (ref != std::trunc(ref) || !(std::fabs(size) <= limit))
      return false;
  }
  return true;
}

Comparison run::compare(const Argument &argument,
                        const std::vector<char> &result,
                        const std::vector<char> &reference,
                        const std::vector<char> &magnitude,
                        const ErrorBound &bound) {
  Type type = argument.element;
  bool isFloat = isa<FloatType>(type);
  Type wide = isFloat ? Float64Type::get(type.getContext()) : type;
  std::vector<double> got = readBuffer(argument, result, type);
  std::vector<double> expected = readBuffer(argument, reference, wide);
  std::vector<double> size = readBuffer(argument, magnitude, wide);

  Comparison comparison;
  comparison.name = argument.name;
  comparison.elements = got.size();
  // Coarse inner formats hold small integers exactly too, up to 1/u.
  double coarsest = std::max(bound.accumulatorRoundoff, 0x1p-24);
  comparison.exact = !isFloat || areSmallIntegers(expected, size, coarsest);
  double outRoundoff = unitRoundoff(type);
  double sums =
      bound.accumulationFactor * bound.terms * bound.accumulatorRoundoff +
      2 * bound.innerRoundoff;
  double errorSquares = 0, refSquares = 0;
  for (double ref : expected)
    if (std::isfinite(ref))
      refSquares += ref * ref;
  double leastScale =
      bound.subtracts ? std::sqrt(refSquares / double(expected.size())) : 0;
  for (size_t i = 0; i < got.size(); ++i) {
    double ref =
        comparison.exact && isFloat ? roundTo(type, expected[i]) : expected[i];
    bool bothNan = std::isnan(got[i]) && std::isnan(ref);
    if (bothNan || got[i] == ref)
      continue;
    double error = std::fabs(got[i] - ref);
    double allowed = 0;
    if (!comparison.exact) {
      double scale = std::isfinite(size[i])
                         ? std::max(std::fabs(size[i]), std::fabs(ref))
                         : std::fabs(ref);
      scale = std::max(scale, leastScale);
      allowed = outRoundoff * std::fabs(ref) + sums * scale;
      // Beyond the largest number rounding gives infinity, or saturates.
      double rounded = roundTo(type, ref);
      if (got[i] == rounded)
        error = 0;
    }
    bool wrong = !(error <= allowed);
    if (std::isfinite(error)) {
      comparison.maxAbsolute = std::max(comparison.maxAbsolute, error);
      errorSquares += error * error;
      if (allowed > 0)
        comparison.worst = std::max(comparison.worst, error / allowed);
    }
    if (!wrong)
      continue;
    if (comparison.wrong++)
      continue;
    comparison.got = got[i];
    comparison.expected = ref;
    size_t rest = i;
    comparison.where.assign(argument.shape.size(), 0);
    for (size_t d = argument.shape.size(); d-- > 0;) {
      comparison.where[d] = rest % argument.shape[d];
      rest /= argument.shape[d];
    }
  }
  if (refSquares > 0)
    comparison.relative = std::sqrt(errorSquares / refSquares);
  return comparison;
}
