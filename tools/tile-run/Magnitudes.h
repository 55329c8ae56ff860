//===- Magnitudes.h - a kernel on absolute values ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TOOLS_TILE_RUN_MAGNITUDES_H
#define TILE_TOOLS_TILE_RUN_MAGNITUDES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tile::run {

/// Makes floating-point arithmetic add up the absolute values of its operands,
/// because the small result of a sum that cancels says nothing of the errors in
/// its terms. Comparisons, maxima and minima stay as they are, and so do the
/// arguments of exponentials and other functions.
void useMagnitudes(ModuleOp module);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_MAGNITUDES_H
