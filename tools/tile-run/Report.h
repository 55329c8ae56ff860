//===- Report.h - what a run prints -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TOOLS_TILE_RUN_REPORT_H
#define TILE_TOOLS_TILE_RUN_REPORT_H

#include "Tune.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>

namespace mlir::tile::run {

/// Everything known about one run.
struct Report {
  /// The context of the arguments' types: declared first, so that it is
  /// destroyed last.
  std::shared_ptr<MLIRContext> context;
  std::string name; ///< of the case, in a batch; may be empty
  std::string kernel, target;
  std::vector<Argument> arguments;
  /// Tunables and their values, where the kernel had some.
  std::vector<std::pair<std::string, int64_t>> chosen;
  std::optional<Tuning> tuning;
  KernelWork work;
  std::string where;
  bool launched = true;
  std::vector<double> seconds;
  bool checked = false;
  std::vector<Comparison> comparisons;

  bool passed() const;
  void printText(raw_ostream &stream) const;
  /// The figures of a run in a few words, for a line of a batch.
  void printSummary(raw_ostream &stream) const;
  /// One JSON object on one line.
  void printJson(raw_ostream &stream) const;
};

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_REPORT_H
