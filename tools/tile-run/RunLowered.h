//===- RunLowered.h - running a lowered kernel on the CPU -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TOOLS_TILE_RUN_RUNLOWERED_H
#define TILE_TOOLS_TILE_RUN_RUNLOWERED_H

#include "RunCuda.h"
#include "tile/Target/LoweredExecution.h"

namespace mlir::tile::run {

/// Executes a kernel of `module`, which is in the LLVM and NVVM dialects, as a
/// launch on a GPU would (LoweredExecution.h). What the execution finds wrong
/// is the error. Nothing after a diagnostic.
llvm::Expected<std::optional<RunResult>>
runLowered(ModuleOp module, const LoweredOptions &lowered, StringRef kernel,
           ArrayRef<Argument> arguments, const Memory &memory,
           const RunOptions &options, raw_ostream &prints);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_RUNLOWERED_H
