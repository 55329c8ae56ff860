//===- Tools.h - the command line tools as functions ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each tool is a function, so that it can be a program of its own or share one
// library with the others, as in the Python package. A process runs one of
// them, once: they own the command line options and the standard streams.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TOOLS_H
#define TILE_TOOLS_TOOLS_H

#include <csignal>

namespace mlir::tile {

/// At the start of a tool: who started it may have left SIGCHLD ignored, and
/// then the system forgets how the programs that the tool starts have ended.
inline void keepChildStatus() { std::signal(SIGCHLD, SIG_DFL); }

/// tile-opt, tile-translate, tile-run, tile-lsp-server and tile-reduce. They
/// take what `main` takes and return the process's exit status.
int optMain(int argc, char **argv);
int translateMain(int argc, char **argv);
int runMain(int argc, char **argv);
int lspServerMain(int argc, char **argv);
int reduceMain(int argc, char **argv);

} // namespace mlir::tile
#endif // TILE_TOOLS_TOOLS_H
