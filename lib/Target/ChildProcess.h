//===- ChildProcess.h - a program that this process waits for ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_TARGET_CHILDPROCESS_H
#define TILE_LIB_TARGET_CHILDPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace mlir::tile {

/// How a program ended.
struct ChildResult {
  /// Why there is no exit status, in words; empty where the program ended by
  /// itself.
  std::string failure;
  /// None after a failure, and where the system does not tell: in a process
  /// that ignores SIGCHLD, or another part of which waits for all children.
  std::optional<int> status;
  std::string output; ///< of both streams
};

/// Runs the program at the path `arguments.front()`, without input, and waits
/// for it. It is killed after `timeoutSeconds`, and where the calling thread or
/// its process ends before it. Signal handlers and the disposition of SIGCHLD
/// are the caller's, and stay as they are.
ChildResult runChild(llvm::ArrayRef<llvm::StringRef> arguments,
                     unsigned timeoutSeconds);

} // namespace mlir::tile
#endif // TILE_LIB_TARGET_CHILDPROCESS_H
