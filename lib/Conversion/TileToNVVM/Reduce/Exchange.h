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
/// values of one type, for threads of other warps in the same lane.
class WarpScratch {
public:
  WarpScratch(KernelLowering &lowering, Type type, int64_t count);
  /// All threads execute both functions, the barriers included.
  void leave(ArrayRef<Value> values);
  Value take(Value warp, int64_t index);
  Value take(Value warp, Value index); // i32

private:
  Value address(Value warp, Value index);
  KernelLowering &lowering;
  Type type;
  int64_t bytes, perWarp;
  Value base, lane;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_EXCHANGE_H
