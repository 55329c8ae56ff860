//===- FloatBits.h - integer arithmetic on the bits of floats ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What keeps LLVM's code generation from taking time that grows with the square
// of the number of exponentials.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_FLOATBITS_H
#define TILE_LIB_TARGET_FLOATBITS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::tile {

/// Hides additions to the bits of floats (exponents) from straight-line
/// strength reduction: it compares all additions of a function with each other
/// for what they have in common, as addresses do, and finds nothing here.
/// Instruction selection sees the same additions.
void hideAdditionsToFloatBits(llvm::Module &module);

} // namespace mlir::tile

#endif // TILE_LIB_TARGET_FLOATBITS_H
