//===- Reference.h - what the documents say of a name -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/Dialects/Tile.md, which is part of the program, by the names that a file
// is written with: `tile.copy`, `#tile.copy_plan`.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_LSP_SERVER_REFERENCE_H
#define TILE_TOOLS_TILE_LSP_SERVER_REFERENCE_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::tile {

/// A row of the tables of attributes.
struct AttributeDoc {
  llvm::StringRef name, unit, meaning;
  bool isUnit = false;       ///< written without a value
  bool isOfArgument = false; ///< of a kernel's argument
  bool isInSyntax = false;   ///< written elsewhere than in the dictionary
};

struct Doc {
  llvm::StringRef summary; ///< one phrase
  llvm::StringRef text;    ///< Markdown: summary, syntax, description
  llvm::SmallVector<AttributeDoc, 0> attributes;
};

class Reference {
public:
  Reference();

  /// The entry of an operation (`tile.copy`), an attribute (`#tile.copy_plan`)
  /// or a type (`!tile.ring`); null where there is none.
  const Doc *find(llvm::StringRef name) const;
  /// Operations, attributes and types, in the order of the document.
  const llvm::MapVector<llvm::StringRef, Doc> &all() const { return docs; }

private:
  llvm::MapVector<llvm::StringRef, Doc> docs;
};

} // namespace mlir::tile
#endif // TILE_TOOLS_TILE_LSP_SERVER_REFERENCE_H
