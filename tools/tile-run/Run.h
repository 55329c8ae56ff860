//===- Run.h - running a kernel on a target ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every target offers: run the kernel on a copy of the initial memory,
// leave the results there, and say how long it took and what rounding to
// expect.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_RUN_H
#define TILE_TOOLS_TILE_RUN_RUN_H

#include "Arguments.h"
#include "Buffer.h"

namespace mlir::tile::run {

struct RunOptions {
  unsigned repeats = 0; ///< timed runs after the first; 0: no timing
  /// False: the kernel is compiled and loaded, its arguments are bound, and the
  /// memory stays as it is.
  bool launch = true;
  unsigned workers = 0; ///< threads of the CPU; 0: one for each core
  /// On the CPU: asynchronous operations execute when they are awaited.
  bool lazyAsync = false;
  /// On the CPU: launched of a kernel with block ranges; 0: the whole grid.
  unsigned blocks = 0;
};

struct RunResult {
  Memory memory;                 ///< of the arguments after the first run
  std::vector<double> seconds;   ///< of each timed run
  std::string where;             ///< the machine, in words: `16 CPU threads`
  std::optional<int64_t> blocks; ///< that were launched, where that is counted
  /// The error of a sum of K terms is at most c * K * u of its magnitudes, u
  /// the accumulator's unit roundoff: 1 where each step rounds to nearest.
  double accumulationFactor = 1;
  /// Unit roundoff of sums of fp8 products, where it is not the accumulator's.
  double shortRoundoff = 0;
};

/// The kernel as the module stands (any phase) on the CPU. Diagnostics of
/// compilation are the context's; `std::nullopt` means they said what is wrong.
llvm::Expected<std::optional<RunResult>>
runOnCpu(ModuleOp module, StringRef kernel, ArrayRef<Argument> arguments,
         const Memory &memory, const RunOptions &options, raw_ostream *prints);

struct ReferenceOptions {
  unsigned workers = 0;   ///< as in RunOptions
  bool backwards = false; ///< iterations of tile.parallel from last to first
  /// What new tiles hold, by `convert-tile-to-cpu`: a number, where the kernel
  /// that is compared has NaN.
  unsigned poisonPattern = 1;
};

/// The CPU meaning with every float an f64, on each of the memories `wide`: the
/// reference, of the arguments that are written.
llvm::Expected<std::optional<std::vector<Memory>>>
runReference(ModuleOp module, StringRef kernel, ArrayRef<Argument> arguments,
             ArrayRef<Memory> wide, const ReferenceOptions &options);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_RUN_H
