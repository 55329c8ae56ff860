//===- KernelSignature.h - arguments and block indices ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's function gets from whoever launches it (docs/Artifact.md).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_KERNELSIGNATURE_H
#define TILE_LIB_CONVERSION_TILETONVVM_KERNELSIGNATURE_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Parameter types of one kernel argument, in the order of the artifact format.
void appendParameters(Type type, SmallVectorImpl<Type> &parameters);

/// Binds the arguments of `function` to what kernel code uses.
void bindArguments(KernelLowering &lowering, LLVM::LLVMFuncOp function);

/// Block indices: the hardware's, or regrouped into panels of rows so that
/// blocks that run together share operands in the L2 cache.
void bindBlockIds(KernelLowering &lowering);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_KERNELSIGNATURE_H
