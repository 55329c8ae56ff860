//===- Decisions.h - what the compiler decides at a place -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TOOLS_TILE_LSP_SERVER_DECISIONS_H
#define TILE_TOOLS_TILE_LSP_SERVER_DECISIONS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::tile {

/// As Markdown: the layout of the tile that is defined or used at `offset`, or
/// of the operation's there, and what layout inference says of the operation.
/// For the module's own target, or `arch` where it states none. Empty where the
/// text does not parse, or nothing is decided there.
std::string describeDecisions(llvm::StringRef text, size_t offset,
                              llvm::StringRef arch);

} // namespace mlir::tile
#endif // TILE_TOOLS_TILE_LSP_SERVER_DECISIONS_H
