//===- Iterations.h - questions about iterations ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_ITERATIONS_H
#define TILE_LIB_CONVERSION_TILETONVVM_ITERATIONS_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Gives comparisons to who uses the result of a `tile.iteration`. Comes after
/// the last question to a loop (keepAsyncLoops).
void replaceIterations(KernelLowering &lowering);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_ITERATIONS_H
