//===- ScalarMemory.h - one element of any buffer ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics of single elements by index values, for block-level
// code and for bodies of parallel loops that do not vectorize.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_SCALARMEMORY_H
#define TILE_LIB_CONVERSION_TILETONVVM_SCALARMEMORY_H

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tile::nvvm {

/// Address of an element of a global, shared or local buffer; indices are index
/// values. Fragments have no addresses: an error.
FailureOr<Value> elementAddress(KernelLowering &lowering, Operation *op,
                                Value buffer, ValueRange indices);
FailureOr<Value> loadScalar(KernelLowering &lowering, Operation *op,
                            Value buffer, ValueRange indices);
LogicalResult storeScalar(KernelLowering &lowering, Operation *op, Value buffer,
                          ValueRange indices, Value value);
/// Atomic read-modify-write; gives the old value.
FailureOr<Value> atomicScalar(KernelLowering &lowering, Operation *op,
                              Value buffer, ValueRange indices,
                              arith::AtomicRMWKind kind, Value value);
/// The same on an address.
FailureOr<Value> atomicAt(KernelLowering &lowering, Operation *op,
                          Value address, arith::AtomicRMWKind kind,
                          Value value);

/// Adds `values`, of f32, f16 or bf16, to elements in a row at a global address
/// by one `red`; each is an atomic operation of its own.
void addVector(KernelLowering &lowering, Value address, ArrayRef<Value> values);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_SCALARMEMORY_H
