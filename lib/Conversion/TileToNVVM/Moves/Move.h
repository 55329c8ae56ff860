//===- Move.h - movements by threads ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_MOVE_H
#define TILE_LIB_CONVERSION_TILETONVVM_MOVE_H

#include "Endpoint.h"

namespace mlir::tile::nvvm {
class LoadedRuns;

/// An error unless `op` has the layout of a loop over its tile.
LogicalResult requireLayout(Operation *op, bool present);

/// Moves a tile by loads and stores, or cp.async, as the plan of `move` says:
/// each thread the elements that `loop` gives it. `isInside` promises that
/// nothing overhangs.
LogicalResult moveByThreads(KernelLowering &lowering, TileMoveOpInterface move,
                            Endpoint &source, Endpoint &target,
                            const FragmentLayout &loop, bool isInside);

/// Moves a tile from global to shared memory, or to `loaded` on its way into a
/// fragment, in runs of 16 bytes that start at any element (Realign.cpp);
/// `byElements` moves a region that ends too near to the buffer's end for that.
LogicalResult moveRealigned(KernelLowering &lowering, TileMoveOpInterface move,
                            Endpoint &source, Endpoint &target,
                            const FragmentLayout &loop, bool isInside,
                            LoadedRuns *loaded,
                            llvm::function_ref<LogicalResult()> byElements);

/// Moves a tile from registers or shared to global memory, in pieces of 16
/// bytes of rows that start at any element (RealignedStores.cpp).
LogicalResult storeRealigned(KernelLowering &lowering, Operation *op,
                             Endpoint &source, Endpoint &target,
                             const FragmentLayout &loop, bool isInside);

/// Element `at` (i64) of a buffer of row indices in memory, as i64; -1, which
/// is no row, beyond the end of a global one.
FailureOr<Value> loadRowIndex(KernelLowering &lowering, Operation *op,
                              Value indices, Value at);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_MOVE_H
