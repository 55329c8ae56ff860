//===- LaunchBuffer.h - What the driver is handed ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_RUNTIME_LAUNCHBUFFER_H
#define TILE_LIB_RUNTIME_LAUNCHBUFFER_H

#include "tile/Runtime/Launcher.h"

namespace mlir::tile::runtime {

/// What the driver is handed. Lives on the stack of a launch, uninitialized:
/// writing 8 KB of zeros would cost more than the checks.
struct LaunchBuffer {
  alignas(kTensorMapAlign) char bytes[kMaxParamBytes];
  void *params[kMaxParams];
  unsigned grid[3];
  bool empty;
  const Kernel *kernel; ///< the version that is launched
};

/// How a cooperative launch, or clusters, are asked for. Those of a persistent
/// kernel are parts of the row that its grid is.
cuda::LaunchAttribute launchAttribute(const KernelSpec &spec);

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_LAUNCHBUFFER_H
