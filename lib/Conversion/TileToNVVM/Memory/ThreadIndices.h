//===- ThreadIndices.h - affine indices of a thread -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices with quotients and remainders (the word that holds an element, the
// group that scales it) in a parallel loop: of each register they are computed
// from the digits of the thread's number, whose extents the layout knows, so
// that what is the same for all threads is a constant, and neighbouring
// registers are seen to use one word.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_MEMORY_THREADINDICES_H
#define TILE_LIB_CONVERSION_TILETONVVM_MEMORY_THREADINDICES_H

#include "Lowering.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tile::nvvm {

class ThreadIndices {
public:
  /// Emits the digits where the builder stands, where `loop` has such indices.
  ThreadIndices(KernelLowering &lowering, ParallelOp loop,
                const FragmentLayout &layout);

  /// The result of `apply` in the iteration whose coordinates are the thread's
  /// part plus `constants`; `map` has what stands for values of the loop. Null
  /// where the index has no quotients or does not depend on the thread.
  Value emit(affine::AffineApplyOp apply, ArrayRef<int64_t> constants,
             const IRMapping &map);

private:
  KernelLowering &lowering;
  ParallelOp loop;
  SmallVector<int64_t> extents; ///< of the digits
  SmallVector<Value> digits;    ///< index
  /// Of each dimension of the loop: the digits it is made of, and their
  /// strides.
  SmallVector<SmallVector<std::pair<unsigned, int64_t>>> parts;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_MEMORY_THREADINDICES_H
