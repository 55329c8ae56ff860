//===- ElementUpdate.h - an element changed by what it was ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs write `acc[i] += x` as a load, an operation and a store. In a
// parallel loop several iterations may do so with one element, in any order.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_ELEMENTUPDATE_H
#define TILE_DIALECT_TILE_IR_ELEMENTUPDATE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <optional>

namespace mlir::tile {

/// A store of what sums, extrema or bit operations make of the same element's
/// value before and of other values.
struct ElementUpdate {
  memref::StoreOp store;
  memref::LoadOp load;
  /// The operations between, from the load to the store; all of one kind.
  SmallVector<Operation *, 2> chain;
  arith::AtomicRMWKind kind;

  /// The value that an atomic update of `kind` combines the element with.
  /// Creates operations in front of the store.
  Value createOperand(OpBuilder &builder) const;
};

/// The update that ends with `store`; nothing where its value is made in
/// another way, or somebody else uses the old value or one between.
std::optional<ElementUpdate> updateOf(memref::StoreOp store);

/// Whether what `store`, in a parallel loop, writes is made of the same
/// element's value before, in whatever way.
bool dependsOnElement(memref::StoreOp store);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_ELEMENTUPDATE_H
