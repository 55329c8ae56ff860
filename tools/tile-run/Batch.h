//===- Batch.h - many runs from a list --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--batch=LIST`: one command line of tile-run a line, run one after the other
// by worker processes, each with one driver context. A worker that crashes,
// hangs or loses its context costs the case it was running: a new one goes on.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_BATCH_H
#define TILE_TOOLS_TILE_RUN_BATCH_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::tile::run {

struct BatchCase {
  std::string name; ///< `--name=` of the line, or the line
  std::vector<std::string> arguments;
};

struct CaseOutcome {
  bool passed = false;
  /// The process can run no further case.
  bool processLost = false;
  std::string line; ///< what to print of it, without a line break
};

/// Reads the list: words as a shell splits them, `#` starts a comment line, a
/// leading `tile-run` is left out.
llvm::Expected<std::vector<BatchCase>> readBatch(StringRef path);

struct BatchOptions {
  /// Worker processes; 0: run in this process, with nothing caught.
  unsigned jobs = 1;
  unsigned timeoutSeconds = 300; ///< of one case
};

/// Runs every case and prints its line, in the list's order, then the summary
/// to `summary`. `run` runs one case in a worker; `failure` is the line of a
/// case that cannot say so itself. True where all passed.
bool runBatch(
    ArrayRef<BatchCase> cases, const BatchOptions &options,
    llvm::function_ref<CaseOutcome(const BatchCase &)> run,
    llvm::function_ref<std::string(const BatchCase &, StringRef)> failure,
    raw_ostream &lines, raw_ostream &summary);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_BATCH_H
