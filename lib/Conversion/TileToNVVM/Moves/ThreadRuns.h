//===- ThreadRuns.h - runs of elements that a thread moves ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_THREADRUNS_H
#define TILE_LIB_CONVERSION_TILETONVVM_THREADRUNS_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Runs `body` under `predicate` (always when null).
LogicalResult guarded(KernelLowering &lowering, Value predicate,
                      llvm::function_ref<LogicalResult()> body);

/// Both conditions; null where both are, which is no condition.
Value both(KernelLowering &lowering, Value a, Value b);

/// Emits a loop under a block-uniform test that everything is inside, without
/// checks of its own, and again with checks for the edges.
LogicalResult twice(KernelLowering &lowering, Value inside,
                    llvm::function_ref<LogicalResult(bool)> emit);

/// Elements in a number of bytes.
int64_t elementsIn(int64_t bytes, Type elementType);

/// Registers of the loop that are one run along its fastest dimension.
int64_t runLength(const FragmentLayout &loop, int64_t wanted);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_THREADRUNS_H
