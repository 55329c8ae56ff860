//===- ThreadRuns.h - runs of elements that a thread moves ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_THREADRUNS_H
#define TILE_LIB_CONVERSION_TILETONVVM_THREADRUNS_H

#include "Endpoint.h"

namespace mlir::tile::nvvm {
class LoadedRuns;

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

/// Whether two registers of one fragment become one word of another's.
bool storesHalves(TileMoveOpInterface move, const Endpoint &source,
                  const Endpoint &target);

/// cp.async of `bytes` per thread and instruction, zero-filled outside.
LogicalResult moveByCpAsync(KernelLowering &lowering, TileMoveOpInterface move,
                            Endpoint &source, Endpoint &target,
                            const FragmentLayout &loop, int64_t bytes,
                            bool isInside);

/// Loads and stores of `count` elements at a time. Elements go to `loaded`
/// where that is given, and stay there. `isAtEdge`: nothing is gained by a test
/// whether all of the region lies inside.
LogicalResult moveInRuns(KernelLowering &lowering, TileMoveOpInterface move,
                         Endpoint &source, Endpoint &target,
                         const FragmentLayout &loop, bool isInside,
                         int64_t count, LoadedRuns *loaded = nullptr,
                         bool isAtEdge = false);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_THREADRUNS_H
