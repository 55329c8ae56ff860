//===- Exchange.h - values between the threads of an agent ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_CONVERSION_TILETONVVM_EXCHANGE_H
#define TILE_LIB_CONVERSION_TILETONVVM_EXCHANGE_H

#include "Lowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::tile::nvvm {

/// What another lane has of `value`: the one that `kind` and `operand` (i32)
/// name, as shfl.sync does.
Value shuffle(KernelLowering &lowering, Value value, NVVM::ShflKind kind,
              Value operand);

/// The scratch of an operation in which every thread of an agent leaves `count`
/// tuples of values of `types`, for threads of other warps in the same lane.
class WarpScratch {
public:
  using Tuple = SmallVector<Value, 2>;
  WarpScratch(KernelLowering &lowering, ArrayRef<Type> types, int64_t count);
  /// For the results of a reduction of `source` along `dim`: of lanes that hold
  /// the same ones, the first leaves them.
  WarpScratch(KernelLowering &lowering, ArrayRef<Type> types, int64_t count,
              const FragmentLayout &source, unsigned dim);
  /// All threads execute both functions, the barriers included. `isAgain`: the
  /// operation may have used these bytes before, and threads may still read.
  void leave(ArrayRef<Tuple> tuples, bool isAgain);
  Tuple take(Value warp, Value index); // both i32

private:
  /// Of the part of value `number` of each tuple.
  Value address(size_t number, Value warp, Value index);
  KernelLowering &lowering;
  SmallVector<Type, 2> types;
  int64_t count;
  Value base;
  /// Lanes that leave something, which of them this one is or reads for, and
  /// whether it leaves it itself; null for all.
  int64_t lanes = kWarpSize;
  Value lane, isFirst;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_EXCHANGE_H
