//===- FusedProducts.h - products and sums of halves as one -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where both a product and the sum that takes it may be contracted, they become
// one `fma` while instructions are selected. Before that, LLVM's pass that
// makes pairs of halves (SLP) takes a row of products whose sums form a chain
// apart: three packed products and six sums in place of six `fma`.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_FUSEDPRODUCTS_H
#define TILE_LIB_TARGET_FUSEDPRODUCTS_H

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace mlir::tile {

/// Has the optimizer fuse them before it makes pairs. Pairs of `fma` it makes,
/// too, of those that do not wait for each other.
void fuseProducts(llvm::PassBuilder &builder);

} // namespace mlir::tile
#endif // TILE_LIB_TARGET_FUSEDPRODUCTS_H
