//===- Wgmma.h - gemm by warpgroup instructions -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_CONVERSION_TILETONVVM_WGMMA_H
#define TILE_LIB_CONVERSION_TILETONVVM_WGMMA_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Multiplies by wgmma. Without a token C is complete afterwards; with one the
/// instructions are a committed group, which `emitWgmmaWait` waits for.
LogicalResult lowerWgmma(KernelLowering &lowering, GemmOp gemm,
                         MmaPlanAttr plan);

/// A fragment whose registers a wait makes usable again.
struct PendingFragment {
  FragmentBuffer buffer;
  Type elementType;
};

/// Waits until at most `pending` groups of wgmma run, with every register of
/// the fragments tied in and out: nothing that uses them moves above the wait.
void emitWgmmaWait(KernelLowering &lowering, int64_t pending,
                   ArrayRef<PendingFragment> fragments);

/// A piece of PTX (or none) with every register of the fragments tied in and
/// out: values before and after it are different ones to LLVM.
void tieRegisters(KernelLowering &lowering, llvm::StringRef text,
                  llvm::ArrayRef<PendingFragment> fragments);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_WGMMA_H
