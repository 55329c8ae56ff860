//===- TensorMemory.h - accumulators of tcgen05 -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_CONVERSION_TILETONVVM_TENSORMEMORY_H
#define TILE_LIB_CONVERSION_TILETONVVM_TENSORMEMORY_H

#include "Lowering.h"
#include "Schedule/Mbarriers.h"

namespace mlir::tile::nvvm {

//===--- TensorMemory.cpp ---===//

/// At the kernel's start: columns for every buffer in tensor memory, and the
/// mbarriers that say when gemms have ended. Nothing in kernels without.
LogicalResult beginTensorMemory(KernelLowering &lowering);
/// At its end: gives the columns back.
void endTensorMemory(KernelLowering &lowering);

/// Of an alloc, or of the view of a ring's slot.
FailureOr<TensorBuffer> tensorBuffer(KernelLowering &lowering, Value buffer,
                                     Operation *user);

//===--- TensorMoves.cpp ---===//

/// Between tensor memory and a fragment. All threads of the agent have done
/// their part afterwards.
LogicalResult lowerTensorCopy(KernelLowering &lowering, CopyOp copy);
LogicalResult lowerTensorFill(KernelLowering &lowering, FillOp fill);
/// Puts operand A of a gemm, in registers, into its columns of tensor memory.
LogicalResult storeOperand(KernelLowering &lowering, GemmOp gemm);
/// A tile of elements of 32 bits or less as one of 32-bit words: how an operand
/// in registers lies in tensor memory.
MemRefType tensorWords(Value buffer);
/// A constant zero, which tiles are not filled with.
bool isZeroValue(Value value);

//===--- Tcgen05.cpp ---===//

/// Multiplies by tcgen05. Without a token C is complete for all threads of the
/// agent afterwards; with one, after `emitTcgen05Wait`.
LogicalResult lowerTcgen05(KernelLowering &lowering, GemmOp gemm,
                           MmaPlanAttr plan);
/// Waits until all gemms by tcgen05 that the agent issued have ended.
void emitTcgen05Wait(KernelLowering &lowering);
/// Runs `body` in the thread that issues gemms and commits them: one of the
/// agent, in pairs of the leader's only.
void onIssuer(KernelLowering &lowering, llvm::function_ref<void()> body);
/// There: an arrival on an mbarrier (an i32 address of shared memory) once all
/// it issued have ended, in each of the cluster's `peers` blocks, or in those
/// of them whose bits (i32) are set in `blocks`.
void emitTcgen05Commit(KernelLowering &lowering, Value mbarrier,
                       int64_t peers = 1, Value blocks = Value());
/// Orders tcgen05 instructions before it with a barrier behind it, or those
/// behind it with one before.
void emitTcgen05Fence(KernelLowering &lowering, bool before);

//===--- Pairs.cpp ---===//

/// Block of rank 0 multiplies for both: i1, whether this one is it.
Value isLeader(KernelLowering &lowering);
/// The leader's counterpart of an address in shared memory (both i32).
Value atLeader(KernelLowering &lowering, Value address);
/// One thread of the agent waits until the other block's agent has come as far:
/// what both did in tensor memory before is then over. Nothing without pairs.
void meetPair(KernelLowering &lowering);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_TENSORMEMORY_H
