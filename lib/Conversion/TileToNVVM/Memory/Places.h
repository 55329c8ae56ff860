//===- Places.h - places of elements across loops ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places of elements are not worth keeping in registers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_PLACES_H
#define TILE_LIB_CONVERSION_TILETONVVM_PLACES_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile::nvvm {

// What follows from the thread's number alone is the same in each iteration of
// a loop, and LLVM moves it in front. Where there is much of it, it takes
// registers away from all that the loop contains, and is computed again instead
// (KernelLowering::recomputesPlaces).

/// Whether a loop stands beside `op` in one around both, and runs much more
/// often: `op` belongs to the epilogue of a persistent kernel.
bool standsBesideLoop(Operation *op);

/// Whether `accesses` of each thread, in a loop, reach elements of `buffer`
/// along strides that are not known: each address is two registers.
bool hasManyAddresses(Operation *op, Value buffer, int64_t accesses);

/// Whether a kernel's products by mma.sync leave a thread so few registers that
/// the addresses of their operands would be spilled in front of a loop.
bool leavesFewRegisters(KernelOp kernel, const TargetInfo &target);

} // namespace mlir::tile::nvvm

#endif // TILE_LIB_CONVERSION_TILETONVVM_PLACES_H
