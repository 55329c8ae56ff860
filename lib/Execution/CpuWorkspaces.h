//===- CpuWorkspaces.h - memory of one run ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tile.workspace` asks for. All blocks of a run share it, whichever
// thread runs them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_EXECUTION_CPUWORKSPACES_H
#define TILE_LIB_EXECUTION_CPUWORKSPACES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace mlir::tile {

class CpuWorkspaces {
public:
  /// The memory of that number, made when it is first asked for: zeros, or
  /// bytes that are NaN as floats, as which nobody should read them.
  char *get(int64_t number, int64_t bytes, bool zeroed);
  /// Fails where the kernel has not left zeros where it got zeros.
  llvm::Error checkZeroed() const;

private:
  struct Memory {
    std::vector<char> bytes;
    bool zeroed = false;
  };
  std::mutex mutex;
  std::map<int64_t, Memory> memories;
};

/// Functions that kernels with workspaces call: name and address.
void appendWorkspaceFunctions(
    std::vector<std::pair<llvm::StringRef, void *>> &functions);

} // namespace mlir::tile
#endif // TILE_LIB_EXECUTION_CPUWORKSPACES_H
