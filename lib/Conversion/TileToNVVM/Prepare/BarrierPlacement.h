//===- BarrierPlacement.h - where threads meet ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations of a kernel need a barrier or a fence in front of them, for
// the pass of InsertBarriers.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_BARRIERPLACEMENT_H
#define TILE_LIB_CONVERSION_TILETONVVM_BARRIERPLACEMENT_H

#include "Prepare/BarrierAccesses.h"

namespace mlir::tile::nvvm {

/// What stands before an operation.
struct Meeting {
  Operation *op;
  bool isBarrier = true, waitsForCopies = false, fences = false;
  int64_t groups = 1;
  int64_t inFlight = 0; // groups of copies that are not waited for
  /// An access that `op` has to be parted from; nothing where another reason
  /// than a conflict makes threads meet or fence.
  std::optional<unsigned> conflict = std::nullopt;
};

/// Every barrier and fence that the kernel needs, in the order of the program.
/// Nothing is changed.
SmallVector<Meeting> placeBarriers(KernelOp kernel, const SharedArena &arena,
                                   const AccessTable &table);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_BARRIERPLACEMENT_H
