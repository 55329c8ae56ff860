//===- Position.h - what a place in a text is about -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By characters alone, so that it also answers while a line is being written
// and the text does not parse.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_LSP_SERVER_POSITION_H
#define TILE_TOOLS_TILE_LSP_SERVER_POSITION_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::tile {

/// The offset of a line and a character, from 0 both; none outside of the text.
std::optional<size_t> offsetOf(llvm::StringRef text, int64_t line,
                               int64_t character);

/// The name at an offset, with its sign: `tile.copy`, `#tile.fragment`, `%A`.
llvm::StringRef wordAt(llvm::StringRef text, size_t offset);

/// A place where the name of an attribute is expected.
struct AttributePlace {
  llvm::StringRef operation; ///< `tile.copy`
  bool isOfArgument = false; ///< in the list of a kernel's arguments
};
std::optional<AttributePlace> attributePlaceAt(llvm::StringRef text,
                                               size_t offset);

} // namespace mlir::tile
#endif // TILE_TOOLS_TILE_LSP_SERVER_POSITION_H
