//===- Relay.h - runs MLIR's server between two pipes -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's language server has no hook for what it answers, and its classes are
// not installed: it is one function that reads standard input and writes
// standard output. Both become pipes here, and a thread for each direction
// passes every message on, a Session looking at it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_LSP_SERVER_RELAY_H
#define TILE_TOOLS_TILE_LSP_SERVER_RELAY_H

#include "Session.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tile {

/// How the client speaks: messages between lines of `// -----` (for tests)
/// instead of after a header with their length; answers over several lines.
struct RelayOptions {
  bool isDelimited = false;
  bool isPretty = false;
};

/// Runs `serve`, which reads standard input and writes standard output until
/// its input ends; gives what it returns. Fails with -1 without pipes.
int relay(Session &session, const RelayOptions &options,
          llvm::function_ref<int()> serve);

} // namespace mlir::tile
#endif // TILE_TOOLS_TILE_LSP_SERVER_RELAY_H
