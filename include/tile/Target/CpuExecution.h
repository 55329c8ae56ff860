//===- CpuExecution.h - runs kernels on this machine's CPU ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executable meaning of a kernel: `tile-to-cpu`, LLVM's -O3 for this host
// and LLVM ORC, all in-process. Blocks run on all cores, each worker with tiles
// of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_CPUEXECUTION_H
#define TILE_TARGET_CPUEXECUTION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace mlir::tile {

/// One kernel argument. A buffer's `data` points at its first element; sizes
/// and strides count elements, one per dimension. A scalar's bytes are the low
/// ones of `scalar`. Element formats are the type's own (f16 two bytes, fp8 and
/// i1 one, i4 and fp4 two elements to a byte, the first in its low half), or
/// f64 for every float in a program that was compiled widened.
struct CpuArgument {
  void *data = nullptr;
  SmallVector<int64_t> sizes, strides;
  uint64_t scalar = 0;
};

struct CpuProgramOptions {
  bool widen = false;            ///< every float is an f64
  bool checkAssumptions = false; ///< tile.assume fails when it does not hold
  bool checkAccesses = false;    ///< indices outside a buffer fail
  bool lazyAsync = false; ///< asynchronous operations execute when awaited
  bool poison = false; ///< what is undefined is overwritten: new tiles, slots
  unsigned poisonPattern = 0; ///< by what: convert-tile-to-cpu's option
  bool backwards = false; ///< iterations of tile.parallel from last to first
  /// The code is executed about once, on few elements: generating it takes
  /// longer than executing it, so that it is optimized little.
  bool runsBriefly = false;
  /// Kernels may use any memory of this process, by its address.
  bool allowAddresses = false;
  int64_t blocks = 0; ///< launched of a kernel with ranges; 0: the whole grid
};

/// The kernels of one module, compiled for this host.
class CpuProgram {
public:
  /// Compiles a copy of `module`, which may be at any phase after
  /// `tile-set-target`. Errors are diagnostics of the module's context.
  static FailureOr<std::unique_ptr<CpuProgram>>
  compile(ModuleOp module, const CpuProgramOptions &options = {});
  ~CpuProgram();

  /// Runs every block of the kernel's grid on `workers` threads (0: one for
  /// each core; blocks that wait for each other have one each) and returns when
  /// all have ended. What `tile.print` prints goes
  /// to `prints` in the order of blocks, unless null. Fails with the message of
  /// the first block whose assertion failed or whose schedule is wrong, or
  /// where the arguments do not fit.
  llvm::Error run(StringRef kernel, ArrayRef<CpuArgument> arguments,
                  raw_ostream *prints = nullptr, unsigned workers = 0);

private:
  struct Impl;
  explicit CpuProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::tile
#endif // TILE_TARGET_CPUEXECUTION_H
