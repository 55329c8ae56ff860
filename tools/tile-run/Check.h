//===- Check.h - comparison with the reference ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TOOLS_TILE_RUN_CHECK_H
#define TILE_TOOLS_TILE_RUN_CHECK_H

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
  double got = 0, expected = 0;
};

struct ErrorBound {
  double accumulationFactor = 1; ///< of the target: RunResult
  double terms = 1;              ///< KernelWork
  double accumulatorRoundoff = 0, innerRoundoff = 0; ///< KernelFacts
  bool subtracts = false;                            ///< KernelFacts
};

/// Compares `result` with `reference`, element by element:
///
///   |result - ref| <= u_out |ref| + (c K u_acc + 2 u_inner) magnitude
///
/// where `magnitude` is what the kernel computes from the absolute values of
/// its inputs (for a gemm |A||B|), at least |ref|; for a kernel that subtracts,
/// at least the root mean square of the reference too. Where reference and
/// magnitude are integers small enough to be exact in the accumulator
/// (small-integer inputs), the result must equal the reference rounded to the
/// argument's type. NaN matches NaN. Integers must match exactly.
Comparison compare(const Argument &argument, const std::vector<char> &result,
                   const std::vector<char> &reference,
                   const std::vector<char> &magnitude, const ErrorBound &bound);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_CHECK_H
