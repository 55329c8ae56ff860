//===- ToolFiles.h - what tools read and write ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One way in and one way out for every tool: input whose nesting a recursive
// parser survives, output that is there whole or not at all. A full disk is an
// error with a name, and leaves the old file as it was.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PIPELINES_TOOLFILES_H
#define TILE_PIPELINES_TOOLFILES_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace mlir::tile {

/// Reads the file `path` (`-`: standard input). Fails where it cannot be read,
/// and for text that `checkNesting` refuses.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> openSource(StringRef path);

/// Fails where regions, types, attributes or expressions of tile IR as text
/// stand more than 1024 one in another: the parser, which recurs, would exhaust
/// the stack. `name` is the file's, for the message. Bytecode passes.
llvm::Error checkNesting(StringRef text, StringRef name);

/// Writes `bytes` to `path` (`-`: standard output). A file appears whole or
/// stays as it was: a temporary file beside it takes its name once everything
/// is written and closed. Devices and pipes are written to directly.
llvm::Error writeWhole(StringRef path, StringRef bytes);

/// Ends what was written to standard output: fails where some of it, since the
/// start, could not be written.
llvm::Error flushStandardOutput();

} // namespace mlir::tile
#endif // TILE_PIPELINES_TOOLFILES_H
