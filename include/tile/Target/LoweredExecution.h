//===- LoweredExecution.h - runs lowered kernels on the CPU -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the LLVM IR that is handed to the NVPTX back end, thread by thread,
// with the meaning of its PTX instructions from the PTX manual, and checks what
// a GPU would not say: races, reads of what nothing wrote, accesses outside of
// memory, misused barriers. docs/Lowered.md says what it sees and what not.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_LOWEREDEXECUTION_H
#define TILE_TARGET_LOWEREDEXECUTION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "tile/Runtime/Artifact.h"
#include "tile/Runtime/CudaDriver.h"
#include "tile/Target/TargetInfo.h"
#include <memory>
#include <string>

namespace mlir::tile {

struct LoweredOptions {
  /// The architecture that the module is for; must not be null.
  const TargetInfo *target = nullptr;
  /// LLVM's -O3 before execution, as before code generation.
  bool optimize = true;
  /// What decides the order of threads and the moments of asynchronous
  /// operations.
  uint64_t seed = 1;
};

/// The kernels of one module behind a CUDA driver in software: what the
/// launcher does with a GPU, it does with this. The driver's functions carry no
/// context: they are those of one program of the process at a time, of one that
/// has just been compiled until it is suspended or destroyed.
class LoweredProgram {
public:
  /// Compiles `module`, which is in the LLVM and NVVM dialects and holds the
  /// kernels' manifests. Errors are diagnostics.
  static FailureOr<std::unique_ptr<LoweredProgram>>
  compile(ModuleOp module, const LoweredOptions &options);
  ~LoweredProgram();

  /// Leaves the driver's functions to another program, and takes them back.
  /// Whoever has several programs sees to it that they take turns.
  void suspend();
  void resume();

  /// The driver and the artifact that its modules are loaded from.
  const runtime::cuda::Functions &driver() const;
  const runtime::cuda::ContextFunctions &driverContext() const;
  const runtime::Artifact &artifact() const;
  /// What was found in the last launch; empty: nothing.
  std::string finding() const;
  /// What kernels have printed.
  std::string output() const;

  struct Impl; ///< of the implementation, which compiled code calls

private:
  explicit LoweredProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::tile
#endif // TILE_TARGET_LOWEREDEXECUTION_H
