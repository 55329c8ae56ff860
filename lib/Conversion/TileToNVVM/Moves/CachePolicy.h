//===- CachePolicy.h - loads and stores with a cache policy -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the L2 cache keeps a line is said by each access to it. LLVM has no
// loads and stores with a policy, so they are inline PTX.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_CACHEPOLICY_H
#define TILE_LIB_CONVERSION_TILETONVVM_CACHEPOLICY_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Loads `type`, of `bytes`, from global memory. `policy` (i64) may be null:
/// nothing is asked then, as of a number of bytes that is no power of two up to
/// 16. `isConstant`: nobody writes there while the kernel runs.
Value loadWithPolicy(KernelLowering &lowering, Value pointer, Type type,
                     unsigned bytes, Value policy, bool isConstant = false);
/// The same of a store.
void storeWithPolicy(KernelLowering &lowering, Value pointer, Value value,
                     unsigned bytes, Value policy);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_CACHEPOLICY_H
