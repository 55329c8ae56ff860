//===- KernelBuilder.h - kernels from C++ -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelOp's generated builder takes one attribute per field of the header.
// This one takes what a program knows: names, types, a grid; and makes the
// entry block and its terminator.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_KERNELBUILDER_H
#define TILE_DIALECT_TILE_IR_KERNELBUILDER_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// An argument of a kernel that is built.
struct KernelArgument {
  StringRef name;
  Type type;
  SmallVector<NamedAttribute, 2> attributes = {}; // `tile.alignment`, ...
};

/// An extent of an argument, for a grid: the expression that stands for it.
/// Extents are numbered in the order in which they are asked for, once each.
class GridExtents {
public:
  explicit GridExtents(MLIRContext *context) : context(context) {}
  /// Dimension `dim` of the memref argument `argument`.
  AffineExpr dim(int64_t argument, int64_t dim) {
    return symbol(argument, dim);
  }
  /// The scalar argument `argument`.
  AffineExpr scalar(int64_t argument) { return symbol(argument, -1); }
  /// The map and the operands of a grid of these extents.
  AffineMap map(ArrayRef<AffineExpr> extents) const;
  ArrayRef<int64_t> getOperands() const { return operands; }

private:
  AffineExpr symbol(int64_t argument, int64_t dim);

  MLIRContext *context;
  SmallVector<int64_t> operands; // flattened pairs (argument, dimension or -1)
};

/// Makes a kernel at the builder's place. `body` is called with a builder
/// inside of the entry block, in front of its `tile.return`; the kernel has its
/// arguments and block coordinates then. Optional attributes (cluster, panel,
/// ...) are set on the result.
KernelOp buildKernel(OpBuilder &builder, Location loc, StringRef name,
                     ArrayRef<KernelArgument> arguments,
                     const GridExtents &extents, ArrayRef<AffineExpr> grid,
                     int64_t threads,
                     function_ref<void(OpBuilder &, KernelOp)> body = nullptr);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_KERNELBUILDER_H
