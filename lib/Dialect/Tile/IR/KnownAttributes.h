//===- KnownAttributes.h - misspelled names of attributes -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_DIALECT_TILE_IR_KNOWNATTRIBUTES_H
#define TILE_LIB_DIALECT_TILE_IR_KNOWNATTRIBUTES_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::tile {

/// `, did you mean 'persistent'?` of the known name that is spelled almost like
/// `name`; empty where there is none.
std::string didYouMean(StringRef name, ArrayRef<StringRef> known);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_IR_KNOWNATTRIBUTES_H
