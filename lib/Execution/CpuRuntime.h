//===- CpuRuntime.h - what compiled kernels call ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_EXECUTION_CPURUNTIME_H
#define TILE_LIB_EXECUTION_CPURUNTIME_H

#include "llvm/ADT/StringRef.h"
#include <csetjmp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mlir::tile {

/// What one worker's calls leave behind: the `%context` of a kernel's function.
struct CpuContext {
  /// Where a failed assertion goes. Compiled code between has no destructors;
  /// its tiles are lost, which a program about to report an error can afford.
  std::jmp_buf unwind;
  std::string failure;
  int64_t failedBlock = -1;
  /// Printed text by block, in the order this worker ran them.
  std::vector<std::pair<int64_t, std::string>> output;
  bool firstIndex = true;
};

/// Functions compiled kernels may call: name and address.
std::vector<std::pair<llvm::StringRef, void *>> getCpuRuntimeFunctions();

} // namespace mlir::tile
#endif // TILE_LIB_EXECUTION_CPURUNTIME_H
