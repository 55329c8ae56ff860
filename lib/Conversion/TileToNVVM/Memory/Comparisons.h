//===- Comparisons.h - comparisons of indices in 32 bits --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iterations of a parallel loop often compare an index with a value of the
// block: the key of a score with the number of keys, or with its query. Indices
// have 64 bits, for which a GPU needs several instructions, for each register.
// What differs from register to register is a constant, though: all else moves
// to one side, once a loop, clamped to 32 bits, and each register compares it
// with a constant.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_MEMORY_COMPARISONS_H
#define TILE_LIB_CONVERSION_TILETONVVM_MEMORY_COMPARISONS_H

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tile::nvvm {

/// The comparisons of a loop whose two sides are sums of multiples of the
/// loop's indices, constants, and values of the block. Arithmetic of indices is
/// taken not to wrap, nor is the difference of the two sides. Only loops in
/// roles have this object (Parallel.cpp says why).
class LoopComparisons {
public:
  /// Emits what iterations share, where the builder stands. `threadPart` is
  /// what a thread adds to each index.
  LoopComparisons(KernelLowering &lowering, ParallelOp loop,
                  ArrayRef<Value> threadPart);

  /// The result of `comparison` where the loop's indices are the thread's part
  /// plus `constants`; null for a comparison of another form.
  Value emit(arith::CmpIOp comparison, ArrayRef<int64_t> constants);

private:
  /// sum(coefficients * constants) `predicate` bound.
  struct Shared {
    arith::CmpIPredicate predicate;
    SmallVector<int64_t> coefficients;
    Value bound; // i32
  };

  KernelLowering &lowering;
  llvm::DenseMap<Operation *, Shared> shared;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_MEMORY_COMPARISONS_H
