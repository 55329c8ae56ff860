//===- Defined.h - whether a program says what its results are --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose iterations of a `tile.parallel` read what others write, or
// that reads elements of tiles which were never written, has no meaning to
// compare with: what one order and one content give is right by chance. The
// reference is therefore run a second time, with iterations from last to first
// and other contents of new tiles.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_DEFINED_H
#define TILE_TOOLS_TILE_RUN_DEFINED_H

#include "Run.h"

namespace mlir::tile::run {

/// Fails where `reference`, what `runReference` made of `input`, is not what
/// every order and every content give, and says which of both it depends on.
/// `magnitude` is the reference of absolute values and `terms` the length of
/// the longest sum: atomic sums of floats are rounded in any order. A kernel
/// that uses what an atomic returns makes the order its own business; it is
/// not asked.
llvm::Error checkDefined(ModuleOp module, StringRef kernel,
                         ArrayRef<Argument> arguments, const Memory &input,
                         const Memory &reference, const Memory &magnitude,
                         double terms, unsigned workers);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_DEFINED_H
