//===- Check.h - comparison with the reference ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TOOLS_TILE_RUN_CHECK_H
#define TILE_TOOLS_TILE_RUN_CHECK_H

#include "Elements.h"
#include "Run.h"

namespace mlir::tile::run {

/// How far one argument is from the reference.
struct Comparison {
  std::string name;
  int64_t elements = 0, wrong = 0;
  double maxAbsolute = 0;
  double relative = 0; ///< |result - ref| / |ref| as vectors (2-norm)
  double worst = 0;    ///< largest error as a part of its bound
  bool exact = false;  ///< whether equality was demanded
  /// The first wrong element: where, what it is, what it should be.
  SmallVector<int64_t> where;
  Number got, expected;
};

/// What rounding may change in a result beside its own: a part of the
/// magnitude, and an absolute amount.
struct ErrorBound {
  double relative = 0, absolute = 0;
  /// Integers up to here are exact wherever the kernel rounds; 0 where it does
  /// what takes integers to other numbers.
  double largestExact = 0;
  bool subtracts = false; ///< KernelFacts
};

/// The bound of the results of a run. The error of a sum of K terms is at most
/// K roundings of its magnitude. Where inputs are random with mean 0, roundings
/// and partial sums go both ways, and the error of a sum is seldom more than
/// sqrt(K) roundings (Higham, "Accuracy and Stability of Numerical
/// Algorithms", 2.8): six times that is allowed, where it is less.
ErrorBound errorBound(const KernelFacts &facts, const KernelWork &work,
                      ArrayRef<Argument> arguments, const Memory &inputs,
                      const RunResult &result, bool fastMath);

/// Compares `result` with `reference`, element by element:
///
///   |result - ref| <= u_out |ref| + e_out + relative magnitude + absolute
///
/// where u_out and e_out are what rounding to the argument's type changes, and
/// `magnitude` is what the kernel computes from absolute values (Magnitudes.h;
/// for a gemm |A||B|), at least |ref|; for a kernel that subtracts, at least
/// the root mean square of the reference too, of what fits the argument's type.
/// An infinity is right where the reference is the same one, or becomes it by
/// that rounding. Where reference and magnitude are
/// integers small enough to be exact, the result must equal the reference
/// rounded to the argument's type. NaN matches NaN. Integers must match
/// exactly.
Comparison compare(const Argument &argument, const Buffer &result,
                   const Buffer &reference, const Buffer &magnitude,
                   const ErrorBound &bound);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_CHECK_H
