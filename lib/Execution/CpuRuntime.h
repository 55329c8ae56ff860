//===- CpuRuntime.h - what compiled kernels call ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_EXECUTION_CPURUNTIME_H
#define TILE_LIB_EXECUTION_CPURUNTIME_H

#include "CpuCluster.h"
#include "CpuGrid.h"
#include "CpuSchedule.h"
#include "CpuWorkspaces.h"

namespace mlir::tile {

/// What one worker's calls produce: the `%context` of a kernel's function.
struct CpuContext {
  const char *failureKind = "assertion failed";
  std::string failure;
  int64_t failedBlock = -1;
  /// Printed text by block, in the order this worker ran them.
  std::vector<std::pair<int64_t, std::string>> output;
  bool firstIndex = true;
  int64_t block = -1; ///< that runs, in kernels with a schedule
  CpuSchedule schedule;
  /// Of kernels whose blocks meet (CpuGrid.h): where, and how many there are,
  /// which a first call only counts.
  CpuGrid *grid = nullptr;
  bool countsBlocks = false;
  int64_t blocks = 0;
  unsigned polls = 0;
  /// Of kernels whose clusters meet: the cluster that the worker's blocks
  /// belong to, and their place in it.
  CpuCluster *cluster = nullptr;
  unsigned rank = 0;
  /// Of the run.
  CpuWorkspaces *workspaces = nullptr;
};

/// All functions that compiled kernels may call: name and address.
std::vector<std::pair<llvm::StringRef, void *>> getCpuRuntimeFunctions();

/// The functions among them that belong to the C library.
void appendLibraryFunctions(
    std::vector<std::pair<llvm::StringRef, void *>> &functions);

} // namespace mlir::tile
#endif // TILE_LIB_EXECUTION_CPURUNTIME_H
