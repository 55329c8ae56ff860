//===- TensorPlan.h - what a kernel needs of tensor memory ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of the accumulators and operands of gemms by tcgen05. Both the pass
// that places shared memory and the lowering ask: mbarriers of these gemms lie
// in shared memory, and blocks must not outnumber the columns.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_TCGEN05_TENSORPLAN_H
#define TILE_LIB_CONVERSION_TILETONVVM_TCGEN05_TENSORPLAN_H

#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile::nvvm {

/// A buffer's columns, and how the gemms that write it share it out.
struct TensorColumns {
  int64_t rows = 0; // of the instructions
  int64_t column = 0;
  WarpGrid warps{0, 0};
};

struct TensorPlan {
  /// What the kernel allocates, a power of two; 0 where it needs none.
  int64_t columns = 0;
  /// The block and its roles: each has mbarriers of its own.
  int64_t agents = 1;
  /// Two blocks multiply as one.
  bool isPair = false;
  llvm::MapVector<Operation *, TensorColumns> buffers; // alloc, ring.create
  /// Of gemms whose operand A is a fragment.
  llvm::MapVector<Operation *, TensorColumns> operands;

  /// In shared memory: an mbarrier for each agent, in pairs one more, and the
  /// address of the columns.
  int64_t barrierBytes() const;
  /// Bytes of shared memory that a block has to ask for, so that no more blocks
  /// run on a multiprocessor than there are columns for. Blocks of a cluster
  /// wait for each other: two clusters could each hold what the other one
  /// needs.
  int64_t leastSharedBytes(KernelOp kernel, const TargetInfo &target) const;
};

/// Fails with an error where the target has no tensor memory, or the kernel
/// needs more than there is, or its gemms contradict each other.
FailureOr<TensorPlan> planTensorMemory(KernelOp kernel,
                                       const TargetInfo &target);

/// Gemms in branches that turn out never to be taken are folded away after
/// their accumulators were placed (PlaceAccumulators.cpp). What no gemm writes
/// is put into registers, from where it came and where it goes.
void moveUnusedToRegisters(KernelOp kernel);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_TCGEN05_TENSORPLAN_H
