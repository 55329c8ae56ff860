//===- Tune.h - what measuring candidates found -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidates of a kernel with tunables that --tune measured, and how they
// are shown: the one that ran fastest first, then those that failed.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_TUNE_H
#define TILE_TOOLS_TILE_RUN_TUNE_H

#include "Check.h"
#include "llvm/Support/JSON.h"

namespace mlir::tile::run {

struct TunedCandidate {
  /// Names and values of the tunables.
  std::vector<std::pair<std::string, int64_t>> values;
  double predictedSeconds = 0;
  unsigned rank = 0; ///< by the model, from 1
  /// Empty where it did not come to that.
  std::vector<double> seconds;
  std::vector<Comparison> comparisons;
  std::string failure; ///< why it was not measured; empty when it was

  bool isCorrect() const;
  bool isMeasured() const { return failure.empty() && isCorrect(); }
  double median() const;        ///< of `seconds`
  std::string describe() const; ///< `bm = 128, bn = 256`
};

struct Tuning {
  int64_t combinations = 0, possible = 0;
  std::vector<TunedCandidate> candidates;

  /// Measured ones first, the fastest in front; then the others by rank.
  void sort();
  /// The fastest; null when none was measured.
  const TunedCandidate *winner() const;
  /// Nothing failed and nothing was wrong.
  bool passed() const;
  void printText(raw_ostream &stream) const;
  llvm::json::Object toJson() const;
};

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_TUNE_H
