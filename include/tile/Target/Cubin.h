//===- Cubin.h - PTX to machine code ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles PTX with what the machine has: nvJitLink in this process, else
// ptxas. Neither is needed to build or to emit PTX: both are looked for when
// code is assembled.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_CUBIN_H
#define TILE_TARGET_CUBIN_H

#include "tile/Target/TargetInfo.h"
#include "tile/Target/TimeReport.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mlir::tile {

enum class AssemblerKind {
  Auto,      ///< ptxas where it is on PATH, else nvJitLink
  NvJitLink, ///< libnvJitLink.so, opened at run time
  Ptxas,     ///< the program
};

struct AssemblerOptions {
  const TargetInfo *target = nullptr; ///< must not be null
  AssemblerKind kind = AssemblerKind::Auto;
  /// Path of ptxas; empty: found on PATH. A path given chooses ptxas.
  std::string ptxas;
  bool lineInfo = false;
  /// Asks the assembler for its version, which costs a process start for ptxas.
  bool wantVersion = false;
  TimeReport *timeReport = nullptr; ///< may be null
};

/// What the assembler reported about one function.
struct KernelResources {
  std::string name;
  int64_t registers = 0;
  int64_t stackBytes = 0;
  int64_t spillStoreBytes = 0;
  int64_t spillLoadBytes = 0;
  int64_t staticSharedBytes = 0;
  int64_t barriers = 0;
};

struct AssemblerResult {
  enum class Status {
    Assembled,
    NotFound, ///< no assembler on this machine
    TooOld,   ///< the assembler does not know the PTX version or architecture
    Failed,   ///< it rejected the code
  };
  Status status = Status::NotFound;
  std::string message; ///< why not, where it is not assembled
  std::string cubin;
  std::string assembler; ///< "nvJitLink" or "ptxas"
  std::string version;   ///< "13.0.88"; empty where not asked for
  std::string options;   ///< given to the assembler
  llvm::SmallVector<KernelResources> kernels;
  llvm::SmallVector<std::string> warnings; ///< whole lines

  /// Whether a warning says that the assembler gave up an asynchronous
  /// instruction or ignored setmaxnreg (C75xx): a performance bug in the PTX.
  static bool isPerformanceLoss(llvm::StringRef warning);
};

/// Temporary files are removed, too, where a signal ends the process: this sets
/// LLVM's signal handlers, which is a program's business and not a library's.
void removeTemporaryFilesOnSignals();

AssemblerResult assemble(llvm::StringRef ptx, const AssemblerOptions &options);

/// Reads what `ptxas -v` (or nvJitLink's info log) printed.
void parseAssemblerLog(llvm::StringRef log, AssemblerResult &result);

} // namespace mlir::tile
#endif // TILE_TARGET_CUBIN_H
