//===- Mbarriers.h - one thread, and its signals ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_SCHEDULE_MBARRIERS_H
#define TILE_LIB_CONVERSION_TILETONVVM_SCHEDULE_MBARRIERS_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Runs `body` where `predicate` is true; everywhere when it is null.
void onOneThread(KernelLowering &lowering, Value predicate,
                 llvm::function_ref<void()> body);

/// Inline PTX with a memory clobber: it orders the accesses around it.
void emitOrdered(KernelLowering &lowering, StringRef text,
                 StringRef constraints, ValueRange operands);

/// The address (i32) of a pointer to shared memory.
Value sharedAddress(KernelLowering &lowering, Value pointer);

/// One thread of the agent sets how many arrivals complete a phase of an
/// mbarrier (an i32 address).
void initMbarrier(KernelLowering &lowering, Value address, int64_t count);

/// Whether more mbarriers are made behind `create`, before anything of the
/// block can touch those of `create`: one barrier publishes them all.
bool makesMoreMbarriers(Operation *create);

/// One arrival on an mbarrier of this block (an i32 address).
void arriveMbarrier(KernelLowering &lowering, Value address);

/// The same place (an i32 address) in the shared memory of the block with this
/// rank in the cluster: a cluster address.
Value mapToBlock(KernelLowering &lowering, Value address, Value rank);

/// One arrival on the mbarrier of that block, for what lies at `address` here.
void arriveAtPeer(KernelLowering &lowering, Value address, Value rank);

/// Whether the kernel reads tiles in shared memory through the async proxy.
bool usesAsyncProxy(KernelLowering &lowering);

/// Waits until the phase of a parity (i32) of an mbarrier has completed; with
/// `ofCluster`, what another block did before it arrived is visible then.
void waitParity(KernelLowering &lowering, Value barrier, Value parity,
                bool ofCluster = false);

/// Orders what the generic proxy did to shared memory before what the async
/// proxy does next.
void emitProxyFence(KernelLowering &lowering);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_SCHEDULE_MBARRIERS_H
