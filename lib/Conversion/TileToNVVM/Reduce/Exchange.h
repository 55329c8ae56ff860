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

/// A part of the scratch in which every thread of an agent leaves `count`
/// tuples of values of `types`, for threads of other warps in the same lane.
class WarpScratch {
public:
  using Tuple = SmallVector<Value, 2>;
  WarpScratch(KernelLowering &lowering, ArrayRef<Type> types, int64_t count);
  /// All threads execute both functions, the barriers included.
  void leave(ArrayRef<Tuple> tuples);
  Tuple take(Value warp, Value index); // both i32

private:
  /// Of the part of value `number` of each tuple.
  Value address(size_t number, Value warp, Value index);
  KernelLowering &lowering;
  SmallVector<Type, 2> types;
  int64_t count;
  Value base;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_EXCHANGE_H
