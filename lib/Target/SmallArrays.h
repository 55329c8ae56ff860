//===- SmallArrays.h - a thread's arrays indexed at run time ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers cannot be indexed, so an array of a thread of which one access has
// an index that is known at run time only lies in memory, all of it. Of a few
// elements the one is chosen by comparisons faster than memory is reached: an
// access of such an array becomes one of each element and selects, and the
// array becomes registers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_SMALLARRAYS_H
#define TILE_LIB_TARGET_SMALLARRAYS_H

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace mlir::tile {

/// Has the optimizer do so at its end, where loops are unrolled and accesses of
/// neighbours are wide ones.
void selectFromSmallArrays(llvm::PassBuilder &builder);

} // namespace mlir::tile
#endif // TILE_LIB_TARGET_SMALLARRAYS_H
